create function graphrag.assert_relation(
    subject text,
    predicate text,
    object text,
    negated boolean default false,
    valid_from text default null,
    valid_to text default null,
    published_at timestamptz default now(),
    note text default null,
    space text default null,
    realm text default null
)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- A fact that a person states is a document of one sentence: it passes the same gates, stands in the same slots, is
-- cited, and is withdrawn by delete_document(result.document, source => 'assert_relation').
declare
    _sentence text := concat_ws(
        ' ', subject, case when negated then 'not' end, replace(predicate, '_', ' '), object
    );
    -- Who reads the passage must not take what has ended for what holds.
    _when text := case
        when valid_from is null then ' (until ' || valid_to || ')'
        when valid_to is null then ' (since ' || valid_from || ')'
        else format(' (%s to %s)', valid_from, valid_to)
    end;
    _known_by text := concat(_sentence, _when);
    _result graphrag.index_result;
begin
    if length(_known_by) > 200 then  -- a document is known by a short text; what is too long for a name the gates say
        _known_by := concat(left(_known_by, 200), ' ', md5(_known_by));
    end if;
    _result := graphrag.index(
        concat(_sentence, _when, '.', E'\n' || note),
        document => _known_by,
        source => 'assert_relation',
        published_at => published_at,
        extraction => jsonb_build_array(
            jsonb_build_object(
                'subject', subject,
                'predicate', predicate,
                'object', object,
                'negated', negated,
                'valid_from', valid_from,
                'valid_to', valid_to,
                'evidence', _sentence
            )
        ),
        space => space,
        realm => realm
    );
    if _result.rejected <> '{}' then
        raise exception 'the fact "%" was refused', _sentence
            using errcode = 'GR009',
                detail = format('The gates say: %s.', _result.rejected),
                hint = case
                    when _result.rejected ? 'unparseable_period'
                        then 'graphrag.parse_period() tells what a period says.'
                    when _result.rejected ? 'inverted_period' then 'valid_from must not be later than valid_to.'
                    else 'graphrag.gate_name() and graphrag.gate_predicate() tell why a text is refused.'
                end;
    end if;
    return _result;
end
$function$;
comment on function graphrag.assert_relation(text, text, text, boolean, text, text, timestamptz, text, text, text) is 'States a fact by hand, as a document of one sentence that is cited and can be deleted like any other.';

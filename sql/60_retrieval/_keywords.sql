create function graphrag._ask_keywords(question text, history jsonb, keywords boolean, questions boolean)
    returns jsonb
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.keywords import ask
return ask(plpy, GD, question, history, keywords, questions)
$python$;
comment on function graphrag._ask_keywords(text, jsonb, boolean, boolean) is 'A question''s keywords, the smaller questions in it, or both, by the current realm''s auxiliary endpoint, which is shown the turns before it.';

create function graphrag._keywords_of(question text, mode text, keywords text, decompose boolean, history jsonb)
    returns graphrag._keywords
    language plpgsql volatile parallel unsafe
as $function$
-- One request at most, for keywords, smaller questions or both. Where the model fails, the question's own words are
-- what there is. Modes that search for no entity want no keywords.
declare
    _uses_keywords boolean := mode not in ('naive', 'bypass');
    _given graphrag._keywords := graphrag._given_keywords(keywords);
    _asks_keywords boolean := _given.source = 'llm' and _uses_keywords;
    _asks_questions boolean := decompose and mode <> 'bypass' and _given.questions = '{}';
    _answer jsonb;
begin
    if not _uses_keywords and _given.source = 'llm' then
        _given.source := 'lexical';
    end if;
    if not (_asks_keywords or _asks_questions) then
        return _given;
    end if;
    _answer := graphrag._ask_keywords(question, history, _asks_keywords, _asks_questions);
    if _answer ? 'error' then
        raise warning 'the question is searched for by its own words: %', case
                when _asks_keywords and _asks_questions then 'the model gave no keywords and no smaller questions'
                when _asks_keywords then 'the model gave no keywords'
                else 'the model gave no smaller questions'
            end
            using detail = _answer ->> 'error',
                hint = 'keywords => ''lexical'' asks no model; set_endpoint() changes the one of the role auxiliary.';
        _given.source := case when _asks_keywords then 'lexical' else _given.source end;
        _given.failures := 1;
        return _given;
    end if;
    if _asks_keywords then
        _given.low := graphrag._texts_in(_answer -> 'low');
        _given.high := graphrag._texts_in(_answer -> 'high');
    end if;
    if _asks_questions then
        _given.questions := graphrag._texts_in(_answer -> 'questions');
    end if;
    return _given;
end
$function$;
comment on function graphrag._keywords_of(text, text, text, boolean, jsonb) is 'What a question is searched for by, beside its own words.';

create function graphrag._given_keywords(keywords text)
    returns graphrag._keywords
    language plpgsql immutable parallel unsafe
as $function$
-- llm, lexical, or an object such as query() returns. Of the caller's, too, only so much is used.
declare
    _most constant integer := 20;
    _given jsonb;
begin
    if keywords in ('llm', 'lexical') then
        return row('{}'::text[], '{}'::text[], '{}'::text[], keywords, 0)::graphrag._keywords;
    end if;
    begin
        _given := keywords::jsonb;
    exception
        when others then
            null;
    end;
    if jsonb_typeof(_given) is distinct from 'object'
        or _given - '{low, high, questions, names, source}'::text[] <> '{}'
        or exists (
            select
            from jsonb_each(_given - '{names, source}'::text[]) as g
            where not graphrag._is_text_list(g.value, _most)
        )
    then
        raise exception 'keywords "%" are none', left(keywords, 100)
            using errcode = 'GR009',
                detail = format(
                    'They are llm, lexical, or {"low": […], "high": […], "questions": […]}: lists of at most %s'
                        ' texts that are not empty.',
                    _most
                ),
                hint = 'low has names and things, high has themes, questions are searched for one by one; each may be left out.';
    end if;
    return row(
        graphrag._texts_in(_given -> 'low'),
        graphrag._texts_in(_given -> 'high'),
        graphrag._texts_in(_given -> 'questions'),
        'caller',
        0
    )::graphrag._keywords;
end
$function$;
comment on function graphrag._given_keywords(text) is 'What a caller says of keywords; raises GR009 for what is none.';

create function graphrag._is_text_list(value jsonb, most integer)
    returns boolean
    language sql immutable parallel safe
as $function$
    select jsonb_typeof(value) = 'array'
        and jsonb_array_length(value) <= most
        and not jsonb_path_exists(value, 'strict $[*] ? (@.type() != "string" || !(@ like_regex "\\S"))')
        and length(value::text) <= 20000
$function$;
comment on function graphrag._is_text_list(jsonb, integer) is 'Whether JSON is a list of a few texts that are not empty.';

create function graphrag._texts_in(value jsonb)
    returns text[]
    language sql immutable parallel safe
as $function$
    select array(select t.body from jsonb_array_elements_text(value) with ordinality as t (body, no) order by t.no)
$function$;
comment on function graphrag._texts_in(jsonb) is 'A JSON list of texts as an array; NULL has none.';

create function graphrag._searches(question text, keywords graphrag._keywords, embedding double precision[])
    returns graphrag._search[]
    language plpgsql volatile parallel unsafe
as $function$
-- The question first, then the smaller ones in it; all texts are embedded in one request. Whose question's vector is
-- given has nothing embedded that he did not ask a model for: his keywords are looked for as names and words.
declare
    _low text := nullif(array_to_string(keywords.low, '; '), '');
    _high text := nullif(array_to_string(keywords.high, '; '), '');
    _embeds boolean := embedding is null or keywords.source = 'llm';
    _texts text[] := case when _embeds then array[_low, _high] else array[null, null]::text[] end || keywords.questions;
    _vectors text[] := graphrag._vectors_of(question, embedding, _texts);
    _first graphrag._search := row(
        question,
        coalesce(graphrag._vector(embedding), graphrag._vector(_vectors[1])),
        _low, graphrag._vector(_vectors[2]),
        _high, graphrag._vector(_vectors[3])
    );
begin
    return _first || array(
        select row(s.question, graphrag._vector(_vectors[3 + s.no]), null, null, null, null)::graphrag._search
        from unnest(keywords.questions) with ordinality as s (question, no)
        order by s.no
    );
end
$function$;
comment on function graphrag._searches(text, graphrag._keywords, double precision[]) is 'What a question is searched for by, with vectors.';

create function graphrag._vectors_of(question text, embedding double precision[], more text[])
    returns text[]
    language plpgsql volatile parallel unsafe
as $function$
-- The question's vector, unless the caller gives one, and those of more texts; NULL has none. A swap of the realm's
-- vectors may come while a server thinks; after the lock, none can until the transaction ends.
declare
    _texts text[] := array_remove(case when embedding is null then array[question] else '{}' end || more, null);
    _vectors bigint;
    _literals text[];
begin
    if _texts <> '{}' then
        perform graphrag._check_embedding(embedding); -- before anybody is paid
    end if;
    while _texts <> '{}' and _literals is null loop
        _vectors := (select r.vectors from realm as r);
        _literals := graphrag._embed(_texts, question => question);
        lock table content in access share mode;
        if _vectors <> (select r.vectors from realm as r) then
            _literals := null;
        end if;
    end loop;
    lock table content in access share mode;
    perform graphrag._check_embedding(embedding);
    if _texts = '{}' then
        return '{}';
    end if;
    return array(
        select _literals[array_position(_texts, m.body)]
        from unnest(case when embedding is null then question end || more) with ordinality as m (body, no)
        order by m.no
    );
end
$function$;
comment on function graphrag._vectors_of(text, double precision[], text[]) is 'Vectors of a question and of more texts, in one request to the realm''s endpoint.';

create function graphrag._check_embedding(embedding double precision[])
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _width integer := (select r.width from realm as r);
    _is_sound boolean;
begin
    if embedding is null then
        return;
    end if;
    if array_ndims(embedding) > 1 or cardinality(embedding) <> _width then
        raise exception 'the question''s vector has % numbers, the realm''s have %',
            case when array_ndims(embedding) > 1 then array_dims(embedding) else cardinality(embedding)::text end,
            _width
            using errcode = 'GR105',
                detail = 'A question must be embedded by the model of the realm.',
                hint = 'Leave embedding out to have the realm''s endpoint embed the question.';
    end if;
    -- What pgvector takes; and of nothing, and of what is too much for 32 bits, it gives no distance.
    begin
        _is_sound := graphrag._distance(graphrag._vector(embedding), graphrag._vector(embedding)) <> 'NaN';
    exception
        when data_exception then
            _is_sound := false;
    end;
    if not _is_sound then
        raise exception 'the question''s vector is all zero, or has a number that is none or too large'
            using errcode = 'GR106',
                detail = 'A vector has a direction: finite numbers, not all zero.',
                hint = 'Leave embedding out to have the realm''s endpoint embed the question.';
    end if;
end
$function$;
comment on function graphrag._check_embedding(double precision[]) is 'Raises GR105 or GR106 for a question''s vector that cannot be compared with the realm''s.';

create function graphrag._keywords_json(keywords graphrag._keywords, evidence graphrag.evidence[])
    returns jsonb
    language sql stable parallel safe
as $function$
-- Given back as keywords, it has the same searched for again.
    select jsonb_build_object(
        'names', graphrag._named_entities(evidence),
        'low', to_jsonb(keywords.low),
        'high', to_jsonb(keywords.high),
        'questions', to_jsonb(keywords.questions),
        'source', keywords.source
    )
$function$;
comment on function graphrag._keywords_json(graphrag._keywords, graphrag.evidence[]) is 'What a question was searched for by, and the entities found, as query() returns it.';

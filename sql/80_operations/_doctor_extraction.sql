create function graphrag._doctor_extraction(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    if realm is null or not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    return graphrag._doctor_failures() || graphrag._doctor_omissions();
end
$function$;
comment on function graphrag._doctor_extraction(text) is 'Findings about what models have answered so far.';

create function graphrag._doctor_failures()
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Of the documents that are indexed now.
declare
    _chunks bigint;
    _failed bigint;
    _cut bigint;
    _reason text;
begin
    select
        count(*),
        count(*) filter (where c.failure is not null),
        count(*) filter (where c.is_partial),
        mode() within group (order by c.failure)
    into _chunks, _failed, _cut, _reason
    from chunk as c
    where exists (select from document_chunk as d where d.chunk = c.id and d.died is null);
    return graphrag._finding(
        'extraction failures',
        case when _failed > 0 then 'warning' else 'ok' end,
        format('%s of %s chunks failed.', _failed, _chunks) || coalesce(' Mostly: ' || _reason, ''),
        case when _failed > 0
            then 'Index their documents again (documents.failed > 0): only failed chunks are asked again.' end
    ) || graphrag._finding(
        'answers cut off',
        case when _cut > 0 then 'warning' else 'ok' end,
        format('%s of %s chunks have an answer that was cut off.', _cut, _chunks),
        case when _cut > 0
            then 'Give the model room (option extra, such as {"max_tokens": 8000}), or make chunk_size smaller, and'
                ' index their documents again.' end
    );
end
$function$;
comment on function graphrag._doctor_failures() is 'Findings about chunks whose extraction failed or was cut off.';

create function graphrag._doctor_omissions()
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- A model that leaves a field empty in every answer does so for reasons of its own: its schema handling, its size.
declare
    _enough constant integer := 50;
begin
    return coalesce(
        (
            select jsonb_agg(
                graphrag._finding(
                    'omissions: ' || r.model,
                    case when r.never = '{}' then 'ok' else 'warning' end,
                    format(
                        'Model %s, %s answers: aliases in %s of the entities, negated in %s and valid_from or valid_to'
                            ' in %s of the triples.%s',
                        r.model, r.answers, graphrag._percent(r.aliases), graphrag._percent(r.negated),
                        graphrag._percent(r.periods), ' Never: ' || nullif(array_to_string(r.never, ', '), '') || '.'
                    ),
                    case when r.never <> '{}'
                        then 'If the texts do state such things, try another model, or a server with structured'
                            ' output.' end
                ) -> 0
                order by r.model
            )
            from (
                select
                    f.*,
                    array_remove(
                        array[
                            case when coalesce(f.aliases, 0) = 0 then 'aliases' end,
                            case when coalesce(f.negated, 0) = 0 then 'negated' end,
                            case when coalesce(f.periods, 0) = 0 then 'valid_from, valid_to' end
                        ],
                        null
                    ) as never
                from graphrag._fill_rates() as f
                where f.answers >= _enough
            ) as r
        ),
        graphrag._finding('omissions', 'skipped', format('No model has read %s chunks yet.', _enough))
    );
end
$function$;
comment on function graphrag._doctor_omissions() is 'Findings about fields that a model never fills.';

create function graphrag._fill_rates()
    returns table (model text, answers bigint, aliases numeric, negated numeric, periods numeric)
    language plpgsql stable parallel safe rows 5
as $function$
-- Of all that a model has ever read here. A share of nothing is NULL.
begin
    return query
    select
        c.model,
        c.answers,
        (
            select avg((m.aliases <> '{}')::integer)
            from chunk as k
            join mention as m on m.chunk = k.id
            where k.extractor = c.model
        ),
        a.negated,
        a.periods
    from (
        select k.extractor as model, count(*) as answers
        from chunk as k
        where k.failure is null and k.extractor not in ('supplied', 'by hand')
        group by k.extractor
    ) as c
    cross join lateral (
        select
            avg(a.negated::integer) as negated,
            avg((coalesce(a.stated_from, a.stated_to) is not null)::integer) as periods
        from chunk as k
        join assertion as a on a.chunk = k.id
        where k.extractor = c.model
    ) as a;
end
$function$;
comment on function graphrag._fill_rates() is 'In what share of its entities and triples each model fills the fields that models tend to omit.';

create function graphrag._percent(share numeric)
    returns text
    language sql immutable parallel safe
as $function$
    select coalesce(round(100 * share, case when share < 0.1 then 1 else 0 end) || ' %', 'none')
$function$;
comment on function graphrag._percent(numeric) is 'A share as people read it.';

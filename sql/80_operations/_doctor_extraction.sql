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
            then 'Give the model room (option extra, such as {"max_tokens": 8000}) or make chunk_size smaller.' end
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
            with model as (
                select c.extractor as name, count(*) as answers
                from chunk as c
                where c.failure is null and c.extractor <> 'supplied'
                group by c.extractor
                having count(*) >= _enough
            ),
            omitted as (
                select
                    m.name,
                    m.answers,
                    array_remove(
                        array[
                            case when not exists (
                                select
                                from chunk as c
                                join mention as e on e.chunk = c.id and e.aliases <> '{}'
                                where c.extractor = m.name
                            ) then 'aliases' end,
                            case when not exists (
                                select
                                from chunk as c
                                join assertion as a on a.chunk = c.id and a.negated
                                where c.extractor = m.name
                            ) then 'negated' end,
                            case when not exists (
                                select
                                from chunk as c
                                join assertion as a on a.chunk = c.id
                                    and coalesce(a.stated_from, a.stated_to) is not null
                                where c.extractor = m.name
                            ) then 'valid_from, valid_to' end
                        ],
                        null
                    ) as fields
                from model as m
            )
            select jsonb_agg(
                graphrag._finding(
                    'omissions: ' || o.name,
                    case when o.fields = '{}' then 'ok' else 'warning' end,
                    format(
                        'Model %s filled %s in %s answers.', o.name,
                        case when o.fields = '{}' then 'every field'
                            else 'never ' || array_to_string(o.fields, ', ') end,
                        o.answers
                    ),
                    case when o.fields <> '{}'
                        then 'If the texts do state such things, try another model, or a server with structured'
                            ' output.' end
                ) -> 0
                order by o.name
            )
            from omitted as o
        ),
        graphrag._finding('omissions', 'skipped', format('No model has read %s chunks yet.', _enough))
    );
end
$function$;
comment on function graphrag._doctor_omissions() is 'Findings about fields that a model never fills.';

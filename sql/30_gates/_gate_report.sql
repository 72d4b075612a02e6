create function graphrag._gate_report(
    entities graphrag._gated_entity[],
    triples graphrag._gated_triple[],
    malformed jsonb
)
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
-- An unreadable or inverted period is counted, but does not cost the assertion. malformed: how many records of the
-- answer could not even be read.
begin
    return (
        with reject as (
            select 1 as rank, e.no, e.reason, e.record, 1 as n
            from unnest(entities) as e
            where e.reason is not null
            union all
            select 2, e.no, 'rejected_alias', e.record, e.rejected_aliases
            from unnest(entities) as e
            where e.rejected_aliases > 0
            union all
            select 2, e.no, 'over_long', e.record, e.over_long
            from unnest(entities) as e
            where e.over_long > 0
            union all
            select 3, t.no, coalesce(t.reason, t.period_problem), t.record, 1
            from unnest(triples) as t
            where t.reason is not null or t.period_problem is not null
            union all
            select 4, 0, 'malformed', null, (malformed #>> '{}')::integer
            where jsonb_typeof(malformed) = 'number' and malformed <> '0'
        )
        select jsonb_build_object(
            'rejected', (
                select coalesce(jsonb_object_agg(c.reason, c.n), '{}')
                from (select r.reason, sum(r.n) as n from reject as r group by r.reason) as c
            ),
            'rejects', (
                select coalesce(
                    jsonb_agg(jsonb_build_object('reason', r.reason, 'record', r.record) order by r.rank, r.no), '[]'
                )
                from (select r.* from reject as r order by r.rank, r.no limit 50) as r
            )
        )
    );
end
$function$;
comment on function graphrag._gate_report(graphrag._gated_entity[], graphrag._gated_triple[], jsonb) is 'What the gates refused in a chunk: counts by reason, and the first 50 records.';

create function graphrag._gated_mentions(entities graphrag._gated_entity[], triples graphrag._gated_triple[])
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
-- One a folded name: the longest spelling and description, the first type, all aliases. An endpoint that is no entity
-- of the chunk becomes a stub.
begin
    return (
        with entity as (
            select
                e.folded,
                (array_agg(e.name order by length(e.name) desc, e.no))[1] as surface,
                (array_agg(e.type order by e.no) filter (where e.type is not null))[1] as type,
                (array_agg(e.description order by length(e.description) desc nulls last, e.no))[1] as description,
                min(e.no) as no
            from unnest(entities) as e
            where e.reason is null
            group by e.folded
        ),
        alias as (
            select
                a.entity,
                array_agg(a.alias order by a.folded collate "C") as aliases,
                array_agg(a.folded order by a.folded collate "C") as folded
            from (
                select distinct on (e.folded, f.folded) e.folded as entity, f.alias, f.folded
                from unnest(entities) as e
                cross join unnest(e.aliases, e.folded_aliases) as f (alias, folded)
                where e.reason is null and f.folded <> e.folded
                order by e.folded, f.folded, length(f.alias) desc, f.alias collate "C"
            ) as a
            group by a.entity
        ),
        identifier as (
            select e.folded as entity, array_agg(distinct i.identifier) as identifiers
            from unnest(entities) as e
            cross join unnest(e.identifiers) as i (identifier)
            where e.reason is null
            group by e.folded
        ),
        stub as (
            select distinct on (p.folded) p.folded, p.name as surface, p.no
            from unnest(triples) as t
            cross join lateral (
                values (t.subject, t.subject_name, t.no), (t.object, t.object_name, t.no)
            ) as p (folded, name, no)
            where t.reason is null
                and p.folded is not null
                and not exists (select from entity as e where e.folded = p.folded)
            order by p.folded, length(p.name) desc, p.no
        )
        select coalesce(jsonb_agg(m.mention order by m.rank, m.no), '[]')
        from (
            select 1 as rank, e.no, jsonb_build_object(
                'surface', e.surface,
                'folded', e.folded,
                'type', e.type,
                'description', e.description,
                'aliases', coalesce(a.aliases, '{}'),
                'folded_aliases', coalesce(a.folded, '{}'),
                'identifiers', coalesce(i.identifiers, '{}')
            ) as mention
            from entity as e
            left join alias as a on a.entity = e.folded
            left join identifier as i on i.entity = e.folded
            union all
            select 2, s.no, jsonb_build_object(
                'surface', s.surface,
                'folded', s.folded,
                'type', null,
                'description', null,
                'aliases', '[]'::jsonb,
                'folded_aliases', '[]'::jsonb,
                'identifiers', '[]'::jsonb
            )
            from stub as s
        ) as m
    );
end
$function$;
comment on function graphrag._gated_mentions(graphrag._gated_entity[], graphrag._gated_triple[]) is 'The mentions of a chunk: entities that passed, merged by folded name, and stubs for other endpoints.';

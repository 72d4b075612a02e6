create function graphrag._gate_entities(records jsonb, ground text, possessive boolean)
    returns setof graphrag._gated_entity
    language plpgsql stable parallel safe rows 20
as $function$
-- ground: graphrag._ground_words() of the text the entities were read in; null: they need not occur in it. A type or
-- identifier too long to be one costs itself, not the record, and so do aliases and identifiers beyond a hundred.
begin
    return query
    with stated as materialized (
        select
            e.no::integer as no,
            graphrag._one_line(e.record ->> 'name') as name,
            case when length(e.record ->> 'type') <= 200 then graphrag._one_line(e.record ->> 'type') end as type,
            graphrag._json_texts(e.record -> 'aliases') as aliases,
            graphrag._json_texts(e.record -> 'identifiers') as identifiers,
            e.record
        from jsonb_array_elements(records) with ordinality as e (record, no)
    ),
    form as materialized (
        -- Each name, at position 0, and its aliases.
        select f.*, row_number() over () as nth
        from (
            select s.no, 0 as pos, s.name, s.type
            from stated as s
            union all
            select s.no, a.pos, a.alias, s.type
            from stated as s
            cross join unnest(s.aliases[:100]) with ordinality as a (alias, pos)
        ) as f
    ),
    gated as materialized (
        select f.no, f.pos, f.name, graphrag._fold_name(f.name) as folded, g.reason
        from (
            select array_agg(f.name order by f.nth) as names, array_agg(f.type order by f.nth) as types
            from form as f
        ) as a
        cross join graphrag._gate_names(a.names, a.types, possessive) as g
        join form as f on f.nth = g.no
    ),
    alias as (
        select
            g.no,
            array_agg(g.name order by g.pos) filter (where g.reason is null) as aliases,
            array_agg(g.folded order by g.pos) filter (where g.reason is null) as folded_aliases,
            count(g.reason) as rejected
        from gated as g
        join gated as n on n.no = g.no and n.pos = 0
        where g.pos > 0 and g.folded <> n.folded
        group by g.no
    )
    select
        s.no,
        s.name,
        n.folded,
        s.type,
        nullif(left(btrim(graphrag._clean_text(s.record ->> 'description')), 2000), ''),
        coalesce(a.aliases, '{}'),
        coalesce(a.folded_aliases, '{}'),
        coalesce(a.rejected, 0)::integer,
        i.identifiers,
        greatest(cardinality(s.aliases) - 100, 0) + cardinality(s.identifiers) - cardinality(i.identifiers)
        + case when s.type is null and length(s.record ->> 'type') > 200 then 1 else 0 end,
        coalesce(
            n.reason,
            case
                when not (
                    graphrag._is_grounded(n.name, ground)
                    or exists (select from unnest(a.aliases) as x where graphrag._is_grounded(x, ground))
                )
                    then 'ungrounded_name'
            end
        ),
        s.record
    from stated as s
    join gated as n on n.no = s.no and n.pos = 0
    cross join lateral (
        select array(
            select i.identifier from unnest(s.identifiers) as i (identifier) where length(i.identifier) <= 500 limit 100
        ) as identifiers
    ) as i
    left join alias as a on a.no = s.no;
end
$function$;
comment on function graphrag._gate_entities(jsonb, text, boolean) is 'The entities of an extraction, cleaned and folded, each with the reason if it is refused.';

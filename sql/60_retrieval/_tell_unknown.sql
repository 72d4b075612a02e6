create function graphrag._tell_unknown(undeclared text[], filter graphrag._filter)
    returns void
    language plpgsql stable parallel safe
as $function$
-- A name that nothing has yet may come with the next document: no mistake, but it is told, because a misspelt one finds
-- nothing just as quietly. Of the past nothing is told: its names were other ones. Nor of spaces that are not read.
declare
    _predicates text[];
    _types text[];
begin
    if (undeclared is null and filter.entity_types is null) or 9223372036854775806 > any (filter.revisions) then
        return;
    end if;
    _predicates := graphrag._unknown_predicates(undeclared, filter.spaces);
    if _predicates <> '{}' then
        raise notice 'no relation has the predicate "%"', array_to_string(_predicates, '", "')
            using detail = 'No fact of what is read has it, nor does the vocabulary.',
                hint = graphrag._near_each(_predicates, graphrag._known_predicates(filter.spaces));
    end if;
    _types := graphrag._unknown_types(filter.entity_types, filter.spaces);
    if _types <> '{}' then
        raise notice 'no entity has the type "%"', array_to_string(_types, '", "')
            using detail = 'Types are compared as they were stated, in upper and lower case.',
                hint = graphrag._near_each(_types, graphrag._known_types(filter.spaces));
    end if;
end
$function$;
comment on function graphrag._tell_unknown(text[], graphrag._filter) is 'Tells, once a call, which predicates and types of a filter nothing has in the spaces that are read, and what they may have meant.';

create function graphrag._near_each(given text[], known text[])
    returns text
    language sql immutable parallel safe
as $function$
    select case
        when cardinality(given) = 1 then graphrag._near(given[1], known)
        else string_agg(format('%s: %s', g.name, graphrag._near(g.name, known)), ' ' order by g.no)
    end
    from unnest(given) with ordinality as g (name, no)
$function$;
comment on function graphrag._near_each(text[], text[]) is 'A hint that names what misspelt names may have meant.';

create function graphrag._unknown_predicates(undeclared text[], spaces integer[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select u.stated
        from unnest(undeclared) as u (stated)
        where not graphrag._is_used(graphrag._normalize_predicate(u.stated), spaces)
        order by u.stated
    );
end
$function$;
comment on function graphrag._unknown_predicates(text[], integer[]) is 'Of predicates that are not declared, those that no current fact of some spaces has.';

create function graphrag._is_used(predicate text, spaces integer[])
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select from relation_version as v where v.predicate = $1 and v.died is null and v.space = any (spaces)
    );
end
$function$;
comment on function graphrag._is_used(text, integer[]) is 'Whether a current fact of some spaces has a predicate.';

create function graphrag._unknown_types(given text[], spaces integer[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select g.name
        from (select distinct n from unnest(given) as n) as g (name)
        where not graphrag._setting('entity_types') ? g.name
            and not exists (
                select
                from entity_version as v
                where v.types && array[g.name] and v.died is null and v.space = any (spaces)
            )
        order by g.name
    );
end
$function$;
comment on function graphrag._unknown_types(text[], integer[]) is 'Of these, the types that are neither offered to the model nor those of an entity of some spaces.';

create function graphrag._known_predicates(spaces integer[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- From one predicate to the next through the index: as many steps as there are predicates, however many facts.
begin
    return array(
        with recursive used as (
            (select v.predicate from relation_version as v where v.died is null order by v.predicate limit 1)
            union all
            select (
                select v.predicate
                from relation_version as v
                where v.died is null and v.predicate > u.predicate
                order by v.predicate
                limit 1
            )
            from used as u
            where u.predicate is not null
        )
        select u.predicate from used as u where u.predicate is not null and graphrag._is_used(u.predicate, spaces)
        union
        select p.name from predicate as p
        union
        select a.alias from predicate as p cross join unnest(p.aliases) as a (alias)
        order by 1
    );
end
$function$;
comment on function graphrag._known_predicates(integer[]) is 'The predicates of the vocabulary and of the current facts of some spaces.';

create function graphrag._known_types(spaces integer[])
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- Those offered to the model, and those of the newest entities: looking at all would take longer than the read.
begin
    return array(
        select s.name from jsonb_array_elements_text(graphrag._setting('entity_types')) as s (name)
        union
        select t.name
        from unnest(spaces) as s (id)
        cross join lateral (
            select v.types from entity_version as v where v.space = s.id order by v.born desc, v.entity desc limit 1000
        ) as e
        cross join unnest(e.types) as t (name)
        order by 1
    );
end
$function$;
comment on function graphrag._known_types(integer[]) is 'Types that a misspelt one may have meant.';

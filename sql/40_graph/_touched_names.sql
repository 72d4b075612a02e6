create function graphrag._touched_names(space integer, chunks bigint[], names text[] default '{}')
    returns text[]
    language plpgsql stable parallel safe
    set plan_cache_mode = force_generic_plan
as $function$
-- What a change of some chunks can move: the names they use or claim, and from there, step by step, every name tied to
-- one of those. NULL chunks: every name.
declare
    _names text[];
    _next text[];
begin
    if chunks is null then
        return array(
            select f.folded
            from mention as m
            cross join unnest(m.folded || m.folded_aliases) as f (folded)
            where m.space = $1
            union
            select e.folded from entity_name as e where e.space = $1 and e.died is null
            union
            select g.name from unnest(names) as g (name)
        );
    end if;
    _names := array(
        select f.folded
        from unnest(chunks) as c (id)
        join mention as m on m.chunk = c.id
        cross join unnest(m.folded || m.folded_aliases) as f (folded)
        union
        select g.name from unnest(names) as g (name)
    );
    _next := _names;
    while _next <> '{}' loop
        _next := array(
            select t.folded from graphrag._tied_names(space, _next) as t
            except
            select n.folded from unnest(_names) as n (folded)
        );
        _names := _names || _next;
    end loop;
    return _names;
end
$function$;
comment on function graphrag._touched_names(integer, bigint[], text[]) is 'The folded names whose entities a change of these chunks, or of decisions about these names, can move.';

create function graphrag._tied_names(space integer, names text[])
    returns table (folded text)
    language plpgsql stable parallel safe rows 20
    set plan_cache_mode = force_generic_plan
as $function$
-- By a live claim of an alias, in either direction, by the entity they share at present, by an external identifier or
-- by a decision. One plan for arrays of any size: it looks everything up by key, and making it costs more than
-- following it for a document. Claims and identifiers are found by their own indexes only: `space + 0` is in none.
begin
    return query
    select tied.folded
    from unnest(names) as t (folded)
    cross join lateral (
        select a.folded
        from mention as m
        cross join unnest(m.folded_aliases) as a (folded)
        where m.space = $1 and m.folded = t.folded and m.folded_aliases <> '{}' and graphrag._is_live(m.chunk)
        union all
        select m.folded
        from mention as m
        where m.space + 0 = $1 and m.folded_aliases @> array[t.folded] and m.folded_aliases <> '{}'
            and graphrag._is_live(m.chunk)
        union all
        select other.folded
        from entity_name as this
        join entity_name as other on other.entity = this.entity and other.died is null and other.document is null
        where this.space = $1 and this.folded = t.folded and this.died is null and this.document is null
        union all
        select o.folded
        from mention as m
        cross join unnest(m.identifiers) as i (identifier)
        join mention as o on o.space + 0 = $1 and o.identifiers @> array[i.identifier] and o.identifiers <> '{}'
        where m.space = $1 and m.folded = t.folded and m.identifiers <> '{}'
        union all
        select n.name
        from decision as d
        cross join jsonb_array_elements_text(d.payload -> 'names') as n (name)
        where d.space = $1 and d.payload -> 'names' ? t.folded and d.kind in ('merge', 'split')
    ) as tied;
end
$function$;
comment on function graphrag._tied_names(integer, text[]) is 'The names that claims, entities, identifiers or decisions tie to one of these.';

create function graphrag._is_live(chunk bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (select from document_chunk as d where d.chunk = $1 and d.died is null);
end
$function$;
comment on function graphrag._is_live(bigint) is 'Whether a live document version holds the chunk.';

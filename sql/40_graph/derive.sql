create function graphrag._derive(
    space integer,
    revision bigint,
    chunks bigint[] default null,
    names text[] default '{}'
)
    returns graphrag._derived
    language plpgsql volatile parallel unsafe
as $function$
-- Brings the derived rows that a change of these chunks, or a decision about these names, can move in line with the
-- live evidence and the decisions; NULL chunks: all of them.
declare
    _names text[] := graphrag._touched_names(space, chunks, names);
    _labels text[] := graphrag._resolve_names(space, _names);
    _documents bigint[] := graphrag._touched_documents(space, chunks, names, _names, _labels);
    _pairs graphrag._name_pair[] := graphrag._meaning_pairs(space, _documents);
    _meanings graphrag._meaning[];
    _groups text[];
    _canonicals text[];
    _entities bigint[];
    _archived text[];
    _turned text[];
    _states graphrag._entity_state[];
    _old graphrag._resolution[];
    _moved graphrag._resolution[];
    _involved bigint[];
    _more text[];
    _added integer;
    _changes integer;
    _result graphrag._derived;
    _subjects bigint[];
    _predicates text[];
    _objects bigint[];
begin
    _more := graphrag._meaning_names(space, _documents, _pairs);
    if chunks is not null and not _more <@ _names then
        _names := graphrag._touched_names(space, chunks, names || _more);
        _labels := graphrag._resolve_names(space, _names);
    end if;
    _old := graphrag._resolutions(space, _names, '{}', _documents);
    _involved := array(select distinct o.entity from unnest(_old) as o);
    _meanings := graphrag._meanings(space, _documents, _names, _labels, _pairs)
        || graphrag._standing_meanings(space, _documents, _names, _labels, _involved);

    select
        array_agg(g.label),
        array_agg(g.canonical),
        array_agg(row(null, g.name, g.types, g.content)::graphrag._entity_state)
    into _groups, _canonicals, _states
    from graphrag._entity_groups(space, _names, _labels, _meanings) as g;
    _entities := graphrag._match_entities(space, _names, _labels, _groups, _canonicals);
    _archived := graphrag._archived_labels(space, _names, _labels, _meanings);
    _turned := graphrag._turned_names(space, _names, _labels, _groups, _entities, _archived);
    _states := array(
        select row(e.id, s.name, s.types, s.content)::graphrag._entity_state
        from unnest(_entities, _groups) with ordinality as e (id, label, no)
        join unnest(_states) with ordinality as s (entity, name, types, content, no) on s.no = e.no
        where e.label <> all (_archived)
    );
    _involved := array(select unnest(_entities) union select unnest(_involved));
    _old := graphrag._resolutions(space, _names, _involved, _documents);
    _added := (
        select count(*)
        from unnest(_entities, _groups) as e (id, label)
        where e.label <> all (_archived)
            and not exists (select from entity_version as v where v.entity = e.id and v.died is null)
    );
    _changes := graphrag._apply_entities(revision, _states, _involved)
        + graphrag._apply_names(
            revision,
            space,
            graphrag._name_states(space, _names, _labels, _groups, _canonicals, _entities, _meanings),
            _involved,
            _documents
        );
    _moved := graphrag._moved_names(
        _old, graphrag._resolutions(space, _names, _involved, _documents), names || _turned
    );
    select array_agg(t.subject), array_agg(t.predicate), array_agg(t.object)
    into _subjects, _predicates, _objects
    from graphrag._touched_triples(space, chunks, _moved, _old) as t;
    _result := graphrag._derive_relations(space, revision, _subjects, _predicates, _objects);
    _result.entities_added := _added;
    _result.changes := _result.changes + _changes;
    return _result;
end
$function$;
comment on function graphrag._derive(integer, bigint, bigint[], text[]) is 'Derives entities, names and relations from the live evidence and the decisions, as far as these chunks and names can move them.';

create function graphrag._resolutions(space integer, names text[], entities bigint[], documents bigint[])
    returns graphrag._resolution[]
    language plpgsql stable parallel safe
as $function$
-- What names mean now: these everywhere, those that mean these entities in some document, all in these documents.
begin
    return array(
        select row(e.folded, e.document, e.entity)::graphrag._resolution
        from entity_name as e
        where e.space = $1 and e.folded = any (names) and e.died is null and e.role <> 'claimed' and e.document is null
        union
        select row(e.folded, e.document, e.entity)::graphrag._resolution
        from entity_name as e
        where e.entity = any (entities) and e.died is null and e.document is not null
        union
        select row(e.folded, e.document, e.entity)::graphrag._resolution
        from entity_name as e
        where e.document = any (documents) and e.died is null
    );
end
$function$;
comment on function graphrag._resolutions(integer, text[], bigint[], bigint[]) is 'What names mean at present, everywhere and in documents.';

create function graphrag._moved_names(
    before graphrag._resolution[],
    after graphrag._resolution[],
    decided text[]
)
    returns graphrag._resolution[]
    language plpgsql immutable parallel safe
as $function$
-- Names, each with the document in which it moved or null, that mean another entity than before, and all that mean, by
-- whatever name and in whatever document, an entity that was decided about.
begin
    return (
        select coalesce(array_agg(row(m.folded, m.document, null)::graphrag._resolution), '{}')
        from (
            select coalesce(o.folded, n.folded) as folded, coalesce(o.document, n.document) as document
            from unnest(before) as o
            full join unnest(after) as n
                on n.folded = o.folded and coalesce(n.document, 0) = coalesce(o.document, 0)
            where n.entity is distinct from o.entity
            union
            select d.folded, null from unnest(decided) as d (folded)
            union
            select a.folded, a.document
            from unnest(before || after) as d
            join unnest(before || after) as a on a.entity = d.entity
            where d.folded = any (decided)
        ) as m
    );
end
$function$;
comment on function graphrag._moved_names(graphrag._resolution[], graphrag._resolution[], text[]) is 'The names that mean another entity than before.';

create function graphrag._derive_if_changed(space integer, operation text, vocabulary boolean default false)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Derives a whole space, and counts its terms if nobody has: its rows came past the functions. Where there is nothing
-- to do, no revision is left behind; the lock stays.
declare
    _is_counted boolean := graphrag._has_term_counts(space);
    _revision bigint;
    _reread bigint[] := '{}';
    _result graphrag._derived;
begin
    perform graphrag._lock_spaces(array[space]);
    begin
        _revision := graphrag._next_revision(space, operation);
        if vocabulary then
            _reread := graphrag._reread(space, _revision);
        end if;
        _result := graphrag._derive(space, _revision);
        if _result.changes = 0 and _reread = '{}' and _is_counted then
            raise sqlstate 'GR099';
        end if;
        if not _is_counted then
            perform graphrag._count_all_terms(space, _revision);
        end if;
        return _result.changes;
    exception
        when sqlstate 'GR099' then
            return 0;
    end;
end
$function$;
comment on function graphrag._derive_if_changed(integer, text, boolean) is 'Derives a whole space, after reading its assertions against a changed vocabulary if wanted, and returns how many rows changed.';

create function graphrag.derive(realm text default null, space text default null)
    returns integer
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
begin
    perform graphrag._enter(realm);
    return graphrag._derive_if_changed(graphrag._space_to_change(space), 'derive');
end
$function$;
comment on function graphrag.derive(text, text) is 'A check and a repair: recomputes the graph of a space from its evidence and returns how many rows that changed, 0 if all is sound.';

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
    _groups text[];
    _canonicals text[];
    _entities bigint[];
    _archived text[];
    _turned text[];
    _states graphrag._entity_state[];
    _old_names text[];
    _old_entities bigint[];
    _involved bigint[];
    _moved text[];
    _added integer;
    _changes integer;
    _result graphrag._derived;
    _subjects bigint[];
    _predicates text[];
    _objects bigint[];
begin
    select array_agg(e.folded), array_agg(e.entity)
    into _old_names, _old_entities
    from entity_name as e
    where e.space = $1 and e.folded = any (_names) and e.died is null and e.role <> 'claimed';

    select
        array_agg(g.label),
        array_agg(g.canonical),
        array_agg(row(null, g.name, g.types, g.content)::graphrag._entity_state)
    into _groups, _canonicals, _states
    from graphrag._entity_groups(space, _names, _labels) as g;
    _entities := graphrag._match_entities(space, _names, _labels, _groups, _canonicals);
    _archived := graphrag._archived_labels(space, _names, _labels);
    _turned := graphrag._turned_names(space, _names, _labels, _groups, _entities, _archived);
    _states := array(
        select row(e.id, s.name, s.types, s.content)::graphrag._entity_state
        from unnest(_entities, _groups) with ordinality as e (id, label, no)
        join unnest(_states) with ordinality as s (entity, name, types, content, no) on s.no = e.no
        where e.label <> all (_archived)
    );
    _involved := array(select unnest(_entities) union select unnest(_old_entities));
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
            graphrag._name_states(space, _names, _labels, _groups, _canonicals, _entities),
            _involved
        );
    _moved := array(
        select coalesce(o.folded, n.folded)
        from unnest(_old_names, _old_entities) as o (folded, entity)
        full join (
            select e.folded, e.entity
            from entity_name as e
            where e.space = $1 and e.folded = any (_names) and e.died is null and e.role <> 'claimed'
        ) as n on n.folded = o.folded
        where n.entity is distinct from o.entity
    ) || names || _turned;
    select array_agg(t.subject), array_agg(t.predicate), array_agg(t.object)
    into _subjects, _predicates, _objects
    from graphrag._touched_triples(space, chunks, _moved, _old_names, _old_entities) as t;
    _result := graphrag._derive_relations(space, revision, _subjects, _predicates, _objects);
    _result.entities_added := _added;
    _result.changes := _result.changes + _changes;
    return _result;
end
$function$;
comment on function graphrag._derive(integer, bigint, bigint[], text[]) is 'Derives entities, names and relations from the live evidence and the decisions, as far as these chunks and names can move them.';

create function graphrag._derive_if_changed(space integer, operation text, vocabulary boolean default false)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Derives a whole space. Where there is nothing to change, no revision is left behind; the lock stays.
declare
    _result graphrag._derived;
begin
    perform from space as s where s.id = $1 for update;
    begin
        if vocabulary then
            perform graphrag._resolve_assertions(space);
        end if;
        _result := graphrag._derive(space, graphrag._next_revision(space, operation));
        if _result.changes = 0 then
            raise sqlstate 'GR000';
        end if;
        return _result.changes;
    exception
        when sqlstate 'GR000' then
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

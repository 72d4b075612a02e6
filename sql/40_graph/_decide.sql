-- What people decide about the graph. A decision is evidence: it is kept beside what documents say, survives their
-- re-indexing, and can be undone.

create function graphrag._decide(space integer, kind text, payload jsonb)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
declare
    _revision bigint;
    _id bigint;
begin
    perform graphrag._lock_spaces(array[space]);
    _revision := graphrag._next_revision(space, kind);
    insert into decision (space, kind, payload, born) values ($1, $2, $3, _revision) returning id into _id;
    perform graphrag._derive(space, _revision, '{}', array(select jsonb_array_elements_text(payload -> 'names')));
    perform graphrag._recount_terms(space, _revision, 1);
    return _id;
end
$function$;
comment on function graphrag._decide(integer, text, jsonb) is 'Records a decision, derives what it moves and returns its id.';

create function graphrag._names_of(space integer, entity text)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- The folded names of the one entity that a name means, the canonical one first.
declare
    _entities bigint[] := graphrag._entities_called(
        entity, row(array[space], array[9223372036854775806], null, true, null, null, null, null)::graphrag._filter
    );
    _names text[];
begin
    if cardinality(_entities) > 1 then
        select array_agg(n.entity)
        into _entities
        from entity_name as n
        where n.space = $1 and n.folded = graphrag._fold_name($2) and n.died is null and n.role = 'canonical';
    end if;
    if _entities is null then
        raise exception 'the name "%" means several entities', entity
            using errcode = 'GR015',
                detail = 'They all claim it as an alias, or are meant by it in some document.',
                hint = 'Use a full name; the view entities lists them.';
    end if;
    _names := array(
        select n.folded
        from entity_name as n
        where n.entity = _entities[1] and n.died is null and n.role <> 'claimed'
        group by n.folded
        order by bool_or(n.role = 'canonical') desc, n.folded collate "C"
    );
    return _names;
end
$function$;
comment on function graphrag._names_of(integer, text) is 'The folded names of an entity.';

-- What people decide about the graph. A decision is evidence: it is kept beside what documents say, survives their
-- re-indexing, and can be undone.

create function graphrag._decide(space integer, kind text, payload jsonb)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
declare
    _revision bigint := graphrag._next_revision(space, kind);
    _id bigint;
begin
    insert into decision (space, kind, payload, born) values ($1, $2, $3, _revision) returning id into _id;
    perform graphrag._derive(space, _revision, '{}', array(select jsonb_array_elements_text(payload -> 'names')));
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
                detail = 'They all claim it as an alias.',
                hint = 'Use a full name; the view entities lists them.';
    end if;
    _names := array(
        select n.folded
        from entity_name as n
        where n.entity = _entities[1] and n.died is null and n.role <> 'claimed'
        order by n.role = 'canonical' desc, n.folded
    );
    return _names;
end
$function$;
comment on function graphrag._names_of(integer, text) is 'The folded names of an entity.';

create function graphrag.merge_entities(
    entity text,
    other text,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set jit = off
as $function$
declare
    _space integer;
    _names text[];
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    _names := array[(graphrag._names_of(_space, entity))[1], (graphrag._names_of(_space, other))[1]];
    if _names[1] = _names[2] then
        raise exception '"%" and "%" are one entity already', entity, other
            using errcode = 'GR009',
                detail = 'Both names mean the same entity.',
                hint = 'The view entities lists the aliases of each.';
    end if;
    return graphrag._decide(_space, 'merge', jsonb_build_object('names', _names));
end
$function$;
comment on function graphrag.merge_entities(text, text, text, text) is 'Decides that two entities are one, and returns the decision''s id for undo().';

create function graphrag.split_entity(
    entity text,
    names text[],
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set jit = off
as $function$
declare
    _space integer;
    _all text[];
    _apart text[] := array(select distinct graphrag._fold_name(n) from unnest(names) as n where n is not null);
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    _all := graphrag._names_of(_space, entity);
    if _apart = '{}' or not _all @> _apart or _apart @> _all then
        raise exception 'entity "%" cannot be split by %', entity, names
            using errcode = 'GR009',
                detail = 'The names to take away must be some of its names, and not all.',
                hint = format('Its names, folded: %s.', array_to_string(_all, ', '));
    end if;
    return graphrag._decide(_space, 'split', jsonb_build_object('names', _all, 'apart', _apart));
end
$function$;
comment on function graphrag.split_entity(text, text[], text, text) is 'Decides that some names of an entity mean another one, and returns the decision''s id for undo().';

create function graphrag.retract_relation(
    subject text,
    predicate text,
    object text,
    negated boolean default false,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set jit = off
as $function$
declare
    _space integer;
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    return graphrag._decide(
        _space, 'retract', graphrag._present_fact(_space, subject, predicate, object, negated)
    );
end
$function$;
comment on function graphrag.retract_relation(text, text, text, boolean, text, text) is 'Decides that a fact does not hold, whatever documents state it, and returns the decision''s id for undo().';

create function graphrag._present_fact(space integer, subject text, predicate text, object text, negated boolean)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- The present fact that a caller means, with folded names; an inverse as its declared predicate.
declare
    _given record;
    _fact jsonb;
begin
    select r.predicate, r.swapped into _given from graphrag._resolve_predicates(array[$3]) as r;
    select jsonb_build_object(
        'names', array_remove(array[s.folded, o.folded], null),
        'subject', s.folded,
        'predicate', v.predicate,
        'object', o.folded,
        'value', r.value,
        'negated', v.negated
    )
    into _fact
    from relation_version as v
    join relation as r on r.id = v.relation
    join entity_name as s on s.entity = v.subject and s.died is null and s.role = 'canonical'
    left join entity_name as o on o.entity = v.object and o.died is null and o.role = 'canonical'
    where r.space = $1
        and v.died is null
        and v.predicate = _given.predicate
        and v.negated = $5
        and (
            (graphrag._means(v.subject, case when _given.swapped then $4 else $2 end)
                and (r.value = $4 or graphrag._means(v.object, case when _given.swapped then $2 else $4 end)))
            or (
                exists (select from predicate as p where p.name = v.predicate and p.is_symmetric)
                and graphrag._means(v.subject, $4)
                and graphrag._means(v.object, $2)
            )
        )
    limit 1;
    if _fact is null then
        raise exception 'there is no fact "% % %"', $2, $3, $4
            using errcode = 'GR016',
                detail = 'No live relation of the space says so.',
                hint = 'The view facts lists them.';
    end if;
    return _fact;
end
$function$;
comment on function graphrag._present_fact(integer, text, text, text, boolean) is 'A present fact by the names of its ends, with those folded; raises GR016 if there is none.';

create function graphrag._means(entity bigint, name text)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from entity_name as n
        where n.entity = $1 and n.folded = graphrag._fold_name($2) and n.died is null and n.role <> 'claimed'
    );
end
$function$;
comment on function graphrag._means(bigint, text) is 'Whether a name means an entity.';

create function graphrag.assert_relation(
    subject text,
    predicate text,
    object text,
    negated boolean default false,
    valid_from text default null,
    valid_to text default null,
    published_at timestamptz default now(),
    note text default null,
    space text default null,
    realm text default null
)
    returns graphrag.index_result
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- A fact that a person states is a document of one sentence: it passes the same gates, stands in the same slots, is cited,
-- and is withdrawn by delete_document(result.document, source => 'assert_relation').
declare
    _sentence text := concat_ws(
        ' ', subject, case when negated then 'not' end, replace(predicate, '_', ' '), object
    );
    _result graphrag.index_result;
begin
    _result := graphrag.index(
        concat(_sentence, '.', E'\n' || note),
        document => concat_ws(' ', _sentence, valid_from, valid_to),
        source => 'assert_relation',
        published_at => published_at,
        extraction => jsonb_build_array(
            jsonb_build_object(
                'subject', subject,
                'predicate', predicate,
                'object', object,
                'negated', negated,
                'valid_from', valid_from,
                'valid_to', valid_to,
                'evidence', _sentence
            )
        ),
        space => space,
        realm => realm
    );
    if _result.rejected <> '{}' then
        raise exception 'the fact "%" was refused', _sentence
            using errcode = 'GR009',
                detail = format('The gates say: %s.', _result.rejected),
                hint = 'graphrag.gate_name() and graphrag.gate_predicate() tell why a text is refused.';
    end if;
    return _result;
end
$function$;
comment on function graphrag.assert_relation(text, text, text, boolean, text, text, timestamptz, text, text, text) is 'States a fact by hand, as a document of one sentence that is cited and can be deleted like any other.';

create function graphrag.undo(decision bigint, realm text default null)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set enable_seqscan = off
    set jit = off
as $function$
declare
    _decision record;
    _revision bigint;
begin
    perform graphrag._enter(realm);
    select d.space, d.payload into _decision from decision as d where d.id = $1 and d.died is null;
    if not found then
        raise exception 'there is no decision %', $1
            using errcode = 'GR009',
                detail = 'No decision of that id stands in the realm.',
                hint = 'The view decisions lists them.';
    end if;
    _revision := graphrag._next_revision(_decision.space, 'undo');
    delete from decision as d where d.id = $1 and d.born = _revision;
    update decision as d set died = _revision where d.id = $1;
    perform graphrag._derive(
        _decision.space, _revision, '{}', array(select jsonb_array_elements_text(_decision.payload -> 'names'))
    );
end
$function$;
comment on function graphrag.undo(bigint, text) is 'Takes a decision back: what documents say counts again.';

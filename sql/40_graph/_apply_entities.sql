create function graphrag._apply_entities(revision bigint, states graphrag._entity_state[], involved bigint[])
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Makes the live versions of the involved entities equal to the wanted states. A version born in this very revision was
-- never believed by anyone, so it is deleted and not closed; one that died in it comes back to life.
declare
    _changes integer;
    _n integer;
begin
    with gone as (
        select v.id
        from entity_version as v
        where v.entity = any (involved)
            and v.died is null
            and not exists (
                select
                from unnest(states) as s
                where s.entity = v.entity and s.name = v.name and s.types = v.types and s.content = v.content
            )
    ),
    unsaid as (
        delete from entity_version as v using gone as g where v.id = g.id and v.born = revision
    ),
    closed as (
        update entity_version as v set died = revision from gone as g where v.id = g.id and v.born < revision
    )
    select count(*) into _changes from gone;

    update entity_version as v
    set died = null
    from unnest(states) as s
    where v.entity = s.entity and v.died = revision and s.name = v.name and s.types = v.types and s.content = v.content
        and not exists (select from entity_version as l where l.entity = s.entity and l.died is null);
    get diagnostics _n = row_count;
    _changes := _changes - _n;

    insert into entity_version (entity, space, born, name, types, content)
    select s.entity, e.space, revision, s.name, s.types, s.content
    from unnest(states) as s
    join entity as e on e.id = s.entity
    where not exists (select from entity_version as v where v.entity = s.entity and v.died is null);
    get diagnostics _n = row_count;
    return _changes + _n;
end
$function$;
comment on function graphrag._apply_entities(bigint, graphrag._entity_state[], bigint[]) is 'Applies the wanted versions of entities and returns how many rows changed.';

create function graphrag._apply_names(
    revision bigint,
    space integer,
    states graphrag._name_state[],
    involved bigint[],
    documents bigint[]
)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- The names of the involved entities, and whatever the documents mean by names.
declare
    _changes integer;
    _n integer;
begin
    with gone as (
        select e.id
        from entity_name as e
        where (e.entity = any (involved) or e.document = any (documents))
            and e.died is null
            and not exists (
                select
                from unnest(states) as s
                where s.entity = e.entity and s.folded = e.folded and s.name = e.name and s.role = e.role
                    and s.document is not distinct from e.document
            )
    ),
    unsaid as (
        delete from entity_name as e using gone as g where e.id = g.id and e.born = revision
    ),
    closed as (
        update entity_name as e set died = revision from gone as g where e.id = g.id and e.born < revision
    )
    select count(*) into _changes from gone;

    update entity_name as e
    set died = null
    from unnest(states) as s
    where e.entity = s.entity and e.folded = s.folded and e.name = s.name and e.role = s.role
        and e.document is not distinct from s.document
        and e.died = revision
        and not exists (
            select
            from entity_name as l
            where l.entity = s.entity and l.folded = s.folded and l.document is not distinct from s.document
                and l.died is null
        );
    get diagnostics _n = row_count;
    _changes := _changes - _n;

    insert into entity_name (space, folded, name, entity, role, document, born)
    select $2, s.folded, s.name, s.entity, s.role, s.document, revision
    from unnest(states) as s
    where not exists (
        select
        from entity_name as e
        where e.entity = s.entity and e.folded = s.folded and e.document is not distinct from s.document
            and e.died is null
    );
    get diagnostics _n = row_count;
    return _changes + _n;
end
$function$;
comment on function graphrag._apply_names(bigint, integer, graphrag._name_state[], bigint[], bigint[]) is 'Applies the wanted names of entities and returns how many rows changed.';

create function graphrag.retract_relation(
    subject text,
    predicate text,
    object text,
    negated boolean default false,
    valid_from text default null,
    valid_to text default null,
    space text default null,
    realm text default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
as $function$
declare
    _space integer;
begin
    perform graphrag._enter(realm);
    _space := graphrag._space_to_change(space);
    perform graphrag._lock_spaces(array[_space]);
    return graphrag._decide(
        _space,
        'retract',
        graphrag._present_fact(
            _space, subject, predicate, object, negated, graphrag._retracted_period(valid_from, valid_to)
        )
    );
end
$function$;
comment on function graphrag.retract_relation(text, text, text, boolean, text, text, text, text) is 'Decides that a fact does not hold, whatever documents state it, and returns the decision''s id for undo().';

create function graphrag._retracted_period(valid_from text, valid_to text)
    returns text
    language plpgsql stable parallel safe
as $function$
-- NULL: whatever period was stated.
declare
    _claim record;
begin
    if valid_from is null and valid_to is null then
        return null;
    end if;
    _claim := graphrag._claim(valid_from, valid_to, (graphrag._setting('fiscal_year_start') #>> '{}')::integer);
    if _claim.claim is null or _claim.problem is not null then
        raise exception 'from "%" to "%" is no period', valid_from, valid_to
            using errcode = 'GR008',
                detail = format('It is %s.', replace(coalesce(_claim.problem, 'empty'), '_', ' ')),
                hint = 'Give the period as it was stated, such as valid_from => ''2019'', valid_to => ''2019''.';
    end if;
    return graphrag._period_key(_claim.claim);
end
$function$;
comment on function graphrag._retracted_period(text, text) is 'The key of a stated period; raises GR008 if it is none.';

create function graphrag._present_fact(
    space integer,
    subject text,
    predicate text,
    object text,
    negated boolean,
    period text default null
)
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
        'value', v.value,
        'value_key', r.value_key,
        'negated', v.negated,
        'period', $6
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
        and ($6 is null or r.object is not null or r.period = $6)
        and (
            (graphrag._means(v.subject, case when _given.swapped then $4 else $2 end)
                and (
                    r.value_key = graphrag._value_key($4)
                    or graphrag._means(v.object, case when _given.swapped then $2 else $4 end)
                ))
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
comment on function graphrag._present_fact(integer, text, text, text, boolean, text) is 'A present fact by the names of its ends, with those folded; raises GR016 if there is none.';

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

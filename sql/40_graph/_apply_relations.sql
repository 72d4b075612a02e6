create function graphrag._apply_relations(revision bigint, states graphrag._relation_state[], involved bigint[])
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Makes the live versions of the involved relations equal to the wanted states; see _apply_entities() for the
-- revision's own versions.
declare
    _changes integer;
    _n integer;
begin
    with gone as (
        select v.id
        from relation_version as v
        where v.relation = any (involved)
            and v.died is null
            and not exists (
                select
                from unnest(states) as s
                where s.relation = v.relation
                    and row(v.subject, v.predicate, v.object, v.negated, v.status, v.effective,
                    v.superseded_by, v.ord, v.weight, v.confidence, v.content)
                    is not distinct from row(s.subject, s.predicate, s.object, s.negated, s.status, s.effective,
                    s.superseded_by, s.ord, s.weight, s.confidence, s.content)
            )
    ),
    unsaid as (
        delete from relation_version as v using gone as g where v.id = g.id and v.born = revision
    ),
    closed as (
        update relation_version as v set died = revision from gone as g where v.id = g.id and v.born < revision
    )
    select count(*) into _changes from gone;

    update relation_version as v
    set died = null
    from unnest(states) as s
    where v.relation = s.relation
        and v.died = revision
        and row(v.subject, v.predicate, v.object, v.negated, v.status, v.effective,
            v.superseded_by, v.ord, v.weight, v.confidence, v.content)
            is not distinct from row(s.subject, s.predicate, s.object, s.negated, s.status, s.effective,
            s.superseded_by, s.ord, s.weight, s.confidence, s.content)
        and not exists (select from relation_version as l where l.relation = s.relation and l.died is null);
    get diagnostics _n = row_count;
    _changes := _changes - _n;

    insert into relation_version (
        relation, space, born, subject, predicate, object, negated, status, effective, superseded_by, ord, weight,
        confidence, content
    )
    select
        s.relation, r.space, revision, s.subject, s.predicate, s.object, s.negated, s.status, s.effective,
        s.superseded_by, s.ord, s.weight, s.confidence, s.content
    from unnest(states) as s
    join relation as r on r.id = s.relation
    where s.relation = any (involved)
        and not exists (select from relation_version as v where v.relation = s.relation and v.died is null);
    get diagnostics _n = row_count;
    return _changes + _n;
end
$function$;
comment on function graphrag._apply_relations(bigint, graphrag._relation_state[], bigint[]) is 'Applies the wanted versions of relations and returns how many rows changed.';

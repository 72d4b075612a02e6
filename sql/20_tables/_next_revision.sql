create function graphrag._next_revision(space integer, operation text)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
-- The update of the space's row is the lock that serialises its writers, so that number order is commit order. A
-- trigger on it makes the row of `revision`.
declare
    _n bigint;
begin
    select r.n into _n from revision as r where r.space = $1 and r.transaction = graphrag._transaction();
    if not found then
        update space as s set revision = s.revision + 1, operation = $2 where s.id = $1 returning s.revision into _n;
        if not exists (select from revision as r where r.space = $1 and r.n = _n) then
            perform graphrag._refuse_outdated(current_schema, '@VERSION@');
        end if;
    elsif operation <> 'build_communities' then
        perform graphrag._outdate_build(space, _n);
    end if;
    return _n;
end
$function$;
comment on function graphrag._next_revision(integer, text) is 'The revision this transaction writes in a space; takes the next one, and with it the space''s lock, on first use.';

create function graphrag._outdate_build(space integer, revision bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Whoever builds communities and writes on in the same transaction changes the graph in the revision that they were
-- built from: they are of the one before.
begin
    with outdated as (
        delete from community_build as b
        where b.space = $1 and b.born = $2 and b.graph_revision >= $2
        returning b.*
    )
    insert into community_build (space, born, graph_revision, algorithm, resolution, levels, failures)
    select o.space, o.born, $2 - 1, o.algorithm, o.resolution, o.levels, o.failures
    from outdated as o;
end
$function$;
comment on function graphrag._outdate_build(integer, bigint) is 'Says of communities that this transaction has built that the graph has changed since.';

create function graphrag._transaction()
    returns text
    language sql stable parallel unsafe
as $function$
-- By its id and its start: ids alone recur when a dump is restored into another cluster.
    select format('%s@%s', pg_current_xact_id(), extract(epoch from now()))
$function$;
comment on function graphrag._transaction() is 'What the row of a revision knows its transaction by.';

create function graphrag._next_revision(space integer, operation text)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
-- The update of the space's row is the lock that serialises its writers, so that number order is commit order.
-- A transaction is known by its id and its start: ids alone recur when a dump is restored into another cluster.
declare
    _transaction text := format('%s@%s', pg_current_xact_id(), extract(epoch from now()));
    _n bigint;
begin
    select r.n into _n from revision as r where r.space = $1 and r.transaction = _transaction;
    if found then
        return _n;
    end if;
    update space as s set revision = s.revision + 1 where s.id = $1 returning s.revision into _n;
    insert into revision (space, n, at, transaction, role, operation)
    select $1, _n, greatest(clock_timestamp(), max(r.at) + interval '1 microsecond'), _transaction, current_user, $2
    from revision as r
    where r.space = $1 and r.n = _n - 1;
    return _n;
end
$function$;
comment on function graphrag._next_revision(integer, text) is 'The revision this transaction writes in a space; takes the next one, and with it the space''s lock, on first use.';

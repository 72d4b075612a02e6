create function graphrag._lock_spaces(spaces integer[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- What every writer locks first, and in this order: a transaction that came by a space without the vocabulary and
-- wanted that later would deadlock with a change of the vocabulary, which goes through the spaces.
begin
    perform pg_advisory_xact_lock_shared(graphrag._vocabulary_lock());
    perform from space as s where s.id = any (spaces) order by s.id for update;
end
$function$;
comment on function graphrag._lock_spaces(integer[]) is 'Locks spaces for the writing transaction, and the vocabulary against changes.';

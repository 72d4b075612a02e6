create function graphrag._refuse_read_only(consequence text)
    returns void
    language plpgsql volatile parallel safe
as $function$
begin
    if current_setting('transaction_read_only')::boolean then
        raise exception '% in a read-only transaction', consequence
            using errcode = 'read_only_sql_transaction',
                detail = case
                    when pg_is_in_recovery() then 'This server is a standby.'
                    else 'The transaction, or the session by default, may only read.'
                end,
                hint = case
                    when pg_is_in_recovery() then 'Do it on the primary: what is there arrives here.'
                    else 'SHOW default_transaction_read_only; tells whether the session begins such transactions.'
                end;
    end if;
end
$function$;
comment on function graphrag._refuse_read_only(text) is 'Raises what PostgreSQL would, before a model has been paid.';

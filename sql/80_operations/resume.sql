create function graphrag.resume(realm text default null, retry_failed boolean default false)
    returns bigint
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm);
    update realm as r set jobs_paused_at = null where r.jobs_paused_at is not null;
    if retry_failed then
        update job as j
        set status = 'pending', attempts = 0, ended_at = null, ready_at = clock_timestamp()
        where j.status = 'failed';
    end if;
    return (select count(*) from job as j where j.ended_at is null);
end
$function$;
comment on function graphrag.resume(text, boolean) is 'Lets workers take jobs again, if wanted those that failed as well, and returns how many have not ended.';

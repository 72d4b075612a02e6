create function graphrag.pause(realm text default null)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
begin
    perform graphrag._enter(realm);
    update realm as r set jobs_paused_at = coalesce(r.jobs_paused_at, clock_timestamp());
end
$function$;
comment on function graphrag.pause(text) is 'Lets no worker take another job of a realm''s queue, until resume(). Jobs that run are finished.';

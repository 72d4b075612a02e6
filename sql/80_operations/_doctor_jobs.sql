create function graphrag._doctor_jobs(realm text)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _jobs record;
    _is_scheduled boolean := graphrag._is_scheduled(realm);
begin
    if realm is null or not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    select
        count(*) filter (where j.status = 'failed') as failed,
        mode() within group (order by j.reason) filter (where j.status = 'failed') as reason,
        count(*) filter (where j.ended_at is null) as open,
        count(*) filter (where j.status = 'running' and j.ready_at < clock_timestamp()) as stale,
        count(*) filter (where j.status = 'running' and j.ready_at >= clock_timestamp()) as running,
        (select r.jobs_paused_at from realm as r) as paused_at
    into _jobs
    from job as j
    where j.ended_at is null or j.status = 'failed';
    return graphrag._finding(
        'jobs',
        case when _jobs.failed > 0 then 'warning' else 'ok' end,
        format('%s jobs have failed.', _jobs.failed) || coalesce(' Mostly: ' || left(_jobs.reason, 300), ''),
        case when _jobs.failed > 0
            then format(
                'SELECT * FROM %I.jobs WHERE status = ''failed''; once mended: SELECT graphrag.resume(%L, retry_failed => true);',
                realm, realm
            ) end
    ) || graphrag._finding(
        'job workers',
        case
            when _jobs.open = 0 or _jobs.running > 0 then 'ok'
            when _is_scheduled and _jobs.stale = 0 and _jobs.paused_at is null then 'ok'
            else 'warning'
        end,
        format(
            '%s jobs have not ended: %s run, %s were left by workers that are gone. %s',
            _jobs.open, _jobs.running, _jobs.stale,
            case
                when _jobs.paused_at is not null
                    then format('The queue is paused since %s.', to_char(_jobs.paused_at, 'YYYY-MM-DD HH24:MI'))
                when _is_scheduled then 'pg_cron calls work().'
                else 'pg_cron has no schedule for it here.'
            end
        ),
        case
            when _jobs.open = 0 or _jobs.running > 0 then null
            when _jobs.paused_at is not null then format('SELECT graphrag.resume(%L);', realm)
            else format('CALL graphrag.work(%L); or SELECT graphrag.schedule(%L);', realm, realm)
        end
    );
end
$function$;
comment on function graphrag._doctor_jobs(text) is 'Findings about the queue: what failed, leases that workers left, and whether anybody works it off.';

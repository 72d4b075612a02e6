create function graphrag._enter_job(realm text, call text default '', tally text default '')
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- For one transaction of a procedure that commits: the session's own settings come back with the next.
begin
    perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    perform set_config(s.name, s.value, true)
    from (
        values ('standard_conforming_strings', 'on'), ('extra_float_digits', '1'), ('enable_seqscan', 'off'),
            ('join_collapse_limit', '1'), ('random_page_cost', '1.1'), ('max_parallel_workers_per_gather', '0'),
            ('jit', 'off'), ('plan_cache_mode', 'force_generic_plan'), ('graphrag.call', call),
            ('graphrag.tally', tally)
    ) as s (name, value);
    return graphrag._enter(realm);
end
$function$;
comment on function graphrag._enter_job(text, text, text) is 'Pins what entry points pin and enters a realm, until the transaction ends.';

create function graphrag._claim_job(lease interval, max_attempts integer)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- The next job that is due, now leased to this session; null if there is none. A job that another change of the same
-- document has overtaken is skipped on the way: only the last is paid for.
declare
    _job record;
begin
    if (select r.jobs_paused_at from realm as r) is not null then
        return null;
    end if;
    loop
        select j.id, j.attempts, j.reason, j.status into _job
        from job as j
        where j.ended_at is null
            and j.ready_at <= clock_timestamp()
            and not exists (
                select
                from job as o
                where o.space = j.space
                    and o.target = j.target
                    and o.id <> j.id
                    and o.status = 'running'
                    and o.ready_at > clock_timestamp()
            )
        order by j.id
        limit 1
        for update of j skip locked;
        if not found then
            return null;
        elsif graphrag._is_overtaken(_job.id) then
            perform graphrag._end_job(_job.id, 'skipped', 'a later change took its place');
        elsif _job.attempts >= max_attempts then
            perform graphrag._end_job(_job.id, 'failed', coalesce(_job.reason, 'its workers died'));
        else
            return graphrag._start_job(_job.id, lease);
        end if;
    end loop;
end
$function$;
comment on function graphrag._claim_job(interval, integer) is 'Leases the next job that is due to this session; null if there is none.';

create function graphrag._start_job(job bigint, lease interval)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _started jsonb;
begin
    update job as j
    set status = 'running',
        attempts = j.attempts + 1,
        ready_at = clock_timestamp() + lease,
        worker = pg_backend_pid(),
        started_at = clock_timestamp()
    where j.id = $1
    returning jsonb_build_object('id', j.id, 'attempt', j.attempts, 'operation', j.operation) into _started;
    return _started;
end
$function$;
comment on function graphrag._start_job(bigint, interval) is 'Begins an attempt at a job.';

create function graphrag._is_overtaken(job bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (
        select
        from job as j
        cross join lateral (
            select
            from job as l
            where l.space = j.space
                and l.target = j.target
                and coalesce(l.place, l.id) > coalesce(j.place, j.id)
                and l.status in ('pending', 'running', 'done')
            union all
            select
            from job as l
            where l.operation = 'clear'
                and l.space = j.space
                and l.source = j.source
                and l.id > coalesce(j.place, j.id)
        ) as later
        where j.id = $1
    );
end
$function$;
comment on function graphrag._is_overtaken(bigint) is 'Whether a later job changes the same document, or withdraws all of its source.';

create function graphrag._hold_job(
    job bigint,
    attempt integer,
    lease interval default null,
    chunks integer default null,
    chunks_done integer default null
)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- Between two steps: 'held' means go on. With a lease it is extended, and the progress noted.
begin
    perform
    from job as j
    where j.id = $1 and j.attempts = attempt and j.status = 'running' and j.worker = pg_backend_pid()
    for update;
    if not found then
        return 'lost';
    elsif graphrag._is_overtaken(job) then
        perform graphrag._end_job(job, 'skipped', 'a later change took its place');
        return 'overtaken';
    end if;
    if lease is not null then
        update job as j
        set ready_at = clock_timestamp() + lease,
            chunks = coalesce($4, j.chunks),
            chunks_done = coalesce($5, j.chunks_done)
        where j.id = $1;
    end if;
    return 'held';
end
$function$;
comment on function graphrag._hold_job(bigint, integer, interval, integer, integer) is 'Extends a lease and notes progress; says held, lost (another worker took the job) or overtaken (by a later change).';

create function graphrag._end_job(job bigint, status text, reason text default null, result jsonb default null)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- What failed may be tried again, so it keeps its text.
begin
    update job as j
    set status = $2,
        reason = left($3, 2000),
        result = $4,
        ended_at = clock_timestamp(),
        content = case when $2 = 'failed' then j.content end,
        extraction = case when $2 = 'failed' then j.extraction end,
        chunks_done = case when $2 = 'done' then j.chunks else j.chunks_done end
    where j.id = $1;
end
$function$;
comment on function graphrag._end_job(bigint, text, text, jsonb) is 'Ends a job as done, failed or skipped.';

create function graphrag._fail_job(
    job bigint,
    attempt integer,
    sqlstate text,
    reason text,
    max_attempts integer,
    retry_after interval
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- A caller's mistake does not mend by itself. What may pass is tried again: after retry_after, then about twice as long
-- each time, at most an hour; after losing to another writer, at once.
declare
    _is_permanent constant boolean := sqlstate ~ '^GR00|^GR017|^22' or attempt >= max_attempts;
    _wait constant interval := case
        when sqlstate ~ '^40' then interval '0'
        else least(retry_after * 2 ^ least(attempt - 1, 20) * (0.5 + random() / 2), interval '1 hour')
    end;
begin
    perform from job as j where j.id = $1 and j.attempts = attempt and j.status = 'running' for update;
    if not found then
        return;
    elsif sqlstate = 'GR001' then
        perform graphrag._end_job(job, 'skipped', 'the document is empty');
    elsif sqlstate = '57014' then
        -- Who cancels a worker means the worker. The attempt does not count.
        update job as j
        set status = 'pending', attempts = j.attempts - 1, ready_at = clock_timestamp(), reason = $4
        where j.id = $1;
    elsif _is_permanent then
        perform graphrag._end_job(job, 'failed', reason);
    else
        update job as j
        set status = 'pending', ready_at = clock_timestamp() + _wait, reason = left($4, 2000)
        where j.id = $1;
    end if;
end
$function$;
comment on function graphrag._fail_job(bigint, integer, text, text, integer, interval) is 'Notes that an attempt failed, and when to try again or that it is over.';

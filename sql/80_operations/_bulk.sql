-- A bulk load takes many jobs to a transaction: those that need nothing of a server but vectors. One derivation serves
-- them all, the terms are counted seldom, and a job that fails, or has failed before, is done alone like any other.

create function graphrag._claim_batch(lease interval, max_attempts integer, most integer)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- A list of what _claim_job() answers, each with `alone`. One that has to be done alone is the last.
declare
    _most_text constant bigint := 1000000;
    _asks boolean := graphrag._endpoint('extraction') is not null;
    _judges boolean := (graphrag._setting('contradiction_detection') #>> '{}')::boolean;
    _jobs jsonb := '[]';
    _job jsonb;
    _stored record;
    _alone boolean := false;
    _text bigint := 0;
begin
    while not _alone and _text < _most_text and jsonb_array_length(_jobs) < most loop
        _job := graphrag._claim_job(lease, max_attempts);
        exit when _job is null;
        select j.operation, j.attempts, j.extraction is null as is_unread, length(j.content) as size
        into _stored
        from job as j
        where j.id = (_job ->> 'id')::bigint;
        _alone := _stored.operation <> 'index' or _stored.attempts > 1 or (_stored.is_unread and _asks) or _judges;
        _text := _text + coalesce(_stored.size, 0);
        _jobs := _jobs || (_job || jsonb_build_object('alone', _alone));
    end loop;
    return _jobs;
end
$function$;
comment on function graphrag._claim_batch(interval, integer, integer) is 'Leases jobs that are due to this session, as many as can be done together, or one that has to be done alone.';

create function graphrag._hold_batch(jobs bigint[], attempts integer[], lease interval)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- One that is lost, or overtaken, is left out when all is written.
begin
    perform graphrag._hold_job(j.id, j.attempt, lease)
    from unnest(jobs, attempts) as j (id, attempt)
    order by j.id;
end
$function$;
comment on function graphrag._hold_batch(bigint[], integer[], interval) is 'Extends the leases of jobs that are done together.';

create function graphrag._prepare_batch(jobs bigint[])
    returns table (job bigint, plan text, key text, gated text, texts text[])
    language plpgsql volatile parallel unsafe rows 50
as $function$
-- Of each job what _gate_job() says, and the texts it needs vectors of; a plan that is NULL: this one is to be done
-- alone, where its failure is noted. Not in it is what had nothing to do, and has ended.
declare
    _planned record;
    _gated jsonb;
begin
    for job in select j.id from unnest(jobs) as j (id) order by j.id loop
        begin
            select p.plan, p.key, p.reading into _planned from graphrag._plan_job(job) as p;
            continue when not found;
            plan := _planned.plan;
            key := _planned.key;
            _gated := graphrag._gate_job(plan::graphrag._document_plan, _planned.reading, true);
            gated := _gated::text;
            texts := array(select t.text ->> 'body' from jsonb_array_elements(_gated -> 'texts') as t (text));
        exception
            when others then
                plan := null;
        end;
        return next;
    end loop;
end
$function$;
comment on function graphrag._prepare_batch(bigint[]) is 'Plans and gates the documents of jobs that are done together.';

create function graphrag._finish_batch(
    jobs bigint[],
    attempts integer[],
    plans graphrag._document_plan[],
    gated jsonb[],
    texts text[],
    vectors text[],
    tally text
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- As _finish_index(), for many. texts: all that any of them needs, with the vector of each.
declare
    _spaces integer[];
    _space integer;
begin
    perform pg_advisory_xact_lock_shared(graphrag._vocabulary_lock());
    _spaces := array(
        select graphrag._make_space(s.name)
        from (select distinct p.space_name as name from unnest(plans) as p order by 1) as s
    );
    perform graphrag._lock_spaces(_spaces);
    foreach _space in array _spaces loop
        perform graphrag._write_batch(
            _space,
            array(
                select row(
                    j.id,
                    j.attempt,
                    plans[j.no],
                    graphrag._prepared(j.gated -> 'chunks', j.gated -> 'texts'),
                    case when j.no = cardinality(jobs) then tally end
                )::graphrag._batch_job
                from unnest(jobs, attempts, gated) with ordinality as j (id, attempt, gated, no)
                where (plans[j.no]).space_name = (select s.name from space as s where s.id = _space)
                order by j.id
            ),
            texts,
            vectors
        );
    end loop;
end
$function$;
comment on function graphrag._finish_batch(bigint[], integer[], graphrag._document_plan[], jsonb[], text[], text[], text) is 'Writes the documents of jobs that are done together and ends the jobs.';

create function graphrag._write_batch(space integer, jobs graphrag._batch_job[], texts text[], vectors text[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- The documents of one space. What they added to the graph they added together: it is told with the last.
declare
    _size bigint := graphrag._evidence_size();
    _kinds text[] := graphrag._order_kinds(space);
    _added text[] := '{}';
    _before bigint := (select s.revision from space as s where s.id = _write_batch.space);
    _derived graphrag._derived := row(0, 0, 0, 0);
    _revision bigint;
    _touched bigint[] := '{}';
    _job graphrag._batch_job;
    _plan graphrag._document_plan;
    _held graphrag._batch_job[] := '{}';
begin
    foreach _job in array jobs loop
        continue when graphrag._hold_job(_job.id, _job.attempt) <> 'held';
        _plan := _job.plan;
        _plan.space := space;
        if graphrag._is_behind(_plan, _before) then
            _plan := graphrag._compare_document(_plan);
            if graphrag._lacks(_plan, _job.prepared) then
                raise exception 'what was prepared of document "%" is not enough any more', left(_plan.key, 200)
                    using errcode = 'serialization_failure',
                        detail = 'Texts that were there when the document was planned are gone.',
                        hint = 'Its job is done again, alone.';
            end if;
        end if;
        _job.plan := graphrag._leave_failures(_plan, _job.prepared -> 'chunks');
        _held := _held || _job;
    end loop;
    perform graphrag._store_contents(space, graphrag._texts_of_batch(_held, texts, vectors));
    foreach _job in array _held loop
        continue when (_job.plan).is_unchanged;
        _revision := coalesce(_revision, graphrag._next_revision(space, 'index'));
        _touched := _touched || graphrag._store_document(_job.plan, _job.prepared, _revision);
        _added := _added || graphrag._order_kind(_job.plan);
    end loop;
    if _revision is not null then
        perform graphrag._warn_of_mixed_order(space, _kinds, _added);
        perform graphrag._renew_plans(_size);
        _derived := graphrag._derive(space, _revision, _touched);
        perform graphrag._renew_plans(_size, by_itself => true);
        perform graphrag._recount_terms(space, _revision, share => 2);
    end if;
    for _no in 1 .. cardinality(_held) loop
        perform graphrag._end_batch_job(
            _held[_no],
            case when _no = cardinality(_held) then _derived else row(0, 0, 0, 0)::graphrag._derived end
        );
    end loop;
end
$function$;
comment on function graphrag._write_batch(integer, graphrag._batch_job[], text[], text[]) is 'Writes the documents of jobs that are done together in one space, derives once and ends the jobs.';

create function graphrag._texts_of_batch(jobs graphrag._batch_job[], texts text[], vectors text[])
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select jsonb_agg(jsonb_build_object('kind', n.kind, 'body', n.body, 'vec', v.vec) order by v.no, n.kind)
        from (
            select distinct t.text ->> 'kind' as kind, t.text ->> 'body' as body
            from unnest(jobs) as j
            cross join jsonb_array_elements(j.prepared -> 'texts') as t (text)
            where not (j.plan).is_unchanged
        ) as n
        join unnest(texts, vectors) with ordinality as v (body, vec, no) on v.body = n.body
    );
end
$function$;
comment on function graphrag._texts_of_batch(graphrag._batch_job[], text[], text[]) is 'The texts that jobs done together have to store, with their vectors.';

create function graphrag._end_batch_job(job graphrag._batch_job, derived graphrag._derived)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
declare
    _result graphrag.index_result;
begin
    perform set_config('graphrag.tally', coalesce(job.tally, ''), true);
    _result := graphrag._add_usage(graphrag._written_result(job.plan, job.prepared, derived));
    _result.elapsed := clock_timestamp() - (select j.started_at from job as j where j.id = ($1).id);
    perform graphrag._end_job(job.id, 'done', result => to_jsonb(_result));
end
$function$;
comment on function graphrag._end_batch_job(graphrag._batch_job, graphrag._derived) is 'Ends a job that was done together with others.';

create function graphrag._settle_terms()
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- What a bulk load counted seldom is as exact at its end as after single documents.
declare
    _space integer;
begin
    for _space in select s.id from space as s where s.revision > 0 order by s.id loop
        perform graphrag._lock_spaces(array[_space]);
        if exists (
            select
            from term_watch as w
            cross join lateral (
                select w.changed + count(*) as documents
                from document_version as v
                where v.id > w.counted_to and v.space = w.space
            ) as c
            where w.space = _space and c.documents > 0 and 10 * c.documents >= w.documents
        ) then
            perform graphrag._recount_terms(_space, graphrag._next_revision(_space, 'index'));
        end if;
    end loop;
end
$function$;
comment on function graphrag._settle_terms() is 'Counts the terms of the spaces of which a tenth has changed since.';

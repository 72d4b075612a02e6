-- The steps of index() for a job, each one transaction or less: the network is between them.
create function graphrag._plan_job(job bigint)
    returns table (plan text, key text, reading jsonb)
    language plpgsql volatile parallel unsafe rows 1
    set datestyle = 'ISO, MDY'
as $function$
-- No row: there was nothing to do, and the job has ended. A plan is kept as text between transactions: in other styles
-- a date has the abbreviation of a time zone, which may be another one when it is read (CST, IST).
declare
    _job record;
    _plan graphrag._document_plan;
begin
    select j.* into strict _job from job as j where j.id = $1 for update;
    _plan := graphrag._plan_document(
        _job.space, _job.content, _job.document, _job.source, _job.metadata, _job.published_at, _job.ordinal,
        _job.extraction
    );
    if _plan.is_unchanged then
        perform graphrag._end_job(job, 'done', result => to_jsonb(graphrag._unchanged_result(_plan)));
        return;
    end if;
    return query
    select
        _plan::text,
        _plan.key,
        case
            when _plan.extractions is null and graphrag._endpoint('extraction') is not null
                then graphrag._reading(_plan, _plan.missing)
            else jsonb_build_object('answers', graphrag._extract_missing(_plan), 'todo', '[]'::jsonb)
        end;
end
$function$;
comment on function graphrag._plan_job(bigint) is 'Plan of a job''s document, its key, and where the reading of its chunks stands.';

create function graphrag._gate_job(plan graphrag._document_plan, reading jsonb, is_last boolean)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- {"chunks": what passed the gates, "texts": those without a vector}. A server that was down is asked again in another
-- attempt, with what was answered kept; after the last attempt the passages are stored all the same.
declare
    _answers jsonb := coalesce(graphrag._answers_of(reading, plan.missing), '[]');
    _down jsonb := jsonb_path_query_first(_answers, '$[*] ? (exists(@.of_server))');
    _gated jsonb;
begin
    if _down is not null and not is_last then
        raise exception '%', _down ->> 'error'
            using errcode = coalesce(_down ->> 'code', 'GR101'),
                detail = 'The chunks that were read are kept.',
                hint = 'SELECT * FROM graphrag.doctor() checks the endpoints.';
    end if;
    perform graphrag._check_answers(plan, _answers);
    _gated := graphrag._gate_answers(plan, _answers);
    return jsonb_build_object(
        'chunks', _gated,
        'texts', (
            select coalesce(jsonb_agg(to_jsonb(t) order by t.kind, t.body), '[]')
            from graphrag._new_texts(plan, _gated) as t
        )
    );
end
$function$;
comment on function graphrag._gate_job(graphrag._document_plan, jsonb, boolean) is 'What of a job''s document is to be stored, and which texts need vectors first.';

create function graphrag._finish_index(
    job bigint,
    attempt integer,
    plan graphrag._document_plan,
    prepared jsonb
)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- The job's end and the document's version are one transaction. Whether a later change has come is asked under the
-- space's lock: one that comes after that is written after this.
declare
    _space integer;
    _held text;
    _result graphrag.index_result;
begin
    perform pg_advisory_xact_lock_shared(graphrag._vocabulary_lock());
    _space := graphrag._make_space(plan.space_name);
    perform graphrag._lock_spaces(array[_space]);
    _held := graphrag._hold_job(job, attempt);
    if _held = 'held' then
        _result := graphrag._write_document(plan, prepared);
        if _result.document is null then
            raise exception 'what was prepared of document "%" has been purged meanwhile', left(plan.key, 200)
                using errcode = 'serialization_failure',
                    detail = 'Texts that were there when the document was planned are gone.',
                    hint = 'The job is tried again.';
        end if;
        _result := graphrag._add_usage(_result);
        _result.elapsed := clock_timestamp() - (select j.started_at from job as j where j.id = $1);
        perform graphrag._end_job(
            job,
            'done',
            case when _result.failed > 0
                then format(
                    '%s of %s chunks failed: %s', _result.failed, _result.chunks, _result.failures #>> '{0,reason}'
                )
            end,
            to_jsonb(_result)
        );
    end if;
    return _held;
end
$function$;
comment on function graphrag._finish_index(bigint, integer, graphrag._document_plan, jsonb) is 'Writes a job''s document and ends the job, unless another worker or a later change has taken over.';

create function graphrag._finish_delete(job bigint, attempt integer)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
declare
    _job record;
    _held text;
    _result graphrag.index_result;
begin
    select j.* into strict _job from job as j where j.id = $1;
    perform graphrag._lock_spaces(array(select s.id from space as s where s.name = _job.space));
    _held := graphrag._hold_job(job, attempt);
    if _held <> 'held' then
        return _held;
    elsif _job.operation = 'clear' then
        perform graphrag._end_job(
            job,
            'done',
            result => jsonb_build_object('documents', graphrag._enqueue_deletions(_job.space, _job.source, job))
        );
        return _held;
    end if;
    begin
        _result := graphrag.delete_document(_job.document, _job.source, _job.space, current_schema());
        perform graphrag._end_job(job, 'done', result => to_jsonb(_result));
    exception
        when sqlstate 'GR004' or sqlstate 'GR012' then
            perform graphrag._end_job(job, 'skipped', coalesce(_job.reason, 'there is no such document'));
    end;
    return _held;
end
$function$;
comment on function graphrag._finish_delete(bigint, integer) is 'Withdraws a job''s document, or queues the withdrawal of all documents of its source, and ends the job.';

create function graphrag._enqueue_deletions(space text, source text, place bigint)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
-- They stand where the job stands that they come from: what was queued after that comes after them.
declare
    _queued bigint;
begin
    insert into job (space, operation, source, document, place)
    select sp.name, 'delete', d.source, d.name, $3
    from space as sp
    join document as d on d.space = sp.id
    join document_version as v on v.document = d.id and v.died is null
    where sp.name = $1 and d.source = $2
    order by d.id;
    get diagnostics _queued = row_count;
    return _queued;
end
$function$;
comment on function graphrag._enqueue_deletions(text, text, bigint) is 'Queues the withdrawal of every live document of a source; returns how many.';

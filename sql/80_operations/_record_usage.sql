-- Runs inside a realm. A reader without the right to note it, and a standby, still get their answers.
create function graphrag._record_usage(records jsonb)
    returns void
    language plpgsql volatile strict parallel unsafe
as $function$
begin
    perform graphrag._add_to_tally(records);
    if current_setting('transaction_read_only')::boolean
        or to_regclass('usage') is null
        or not has_table_privilege('usage', 'insert')
    then
        return;
    end if;
    insert into usage (role, model, document, question, input_tokens, output_tokens, latency_ms, attempts, failure)
    select r.role, r.model, r.document, r.question, r.input_tokens, r.output_tokens, r.latency_ms, r.attempts, r.failure
    from jsonb_to_recordset(records) r (
        role text,
        model text,
        document text,
        question text,
        input_tokens bigint,
        output_tokens bigint,
        latency_ms integer,
        attempts integer,
        failure text
    );
end
$function$;
comment on function graphrag._record_usage(jsonb) is 'Notes what calls to model servers cost in the current realm, where the caller may.';

-- What the running index() or query() has cost so far. It is not summed up from the table usage, because a reader, a
-- standby and a read-only transaction write nothing there and their calls cost the same.
create function graphrag._tally()
    returns jsonb
    language sql stable parallel restricted
as $function$
    select coalesce(
        nullif(current_setting('graphrag.tally', true), '')::jsonb,
        '{"calls": 0, "chats": 0, "input_tokens": 0, "output_tokens": 0, "latency_ms": 0}'
    )
$function$;
comment on function graphrag._tally() is 'What this call cost so far: calls, those to chat models, tokens, milliseconds; unknown tokens stay null.';

create function graphrag._add_to_tally(records jsonb)
    returns void
    language plpgsql volatile strict parallel unsafe
as $function$
-- Each function that starts a tally has `set graphrag.tally`, so the setting ends with it.
declare
    _so_far jsonb := graphrag._tally();
begin
    if coalesce(current_setting('graphrag.call', true), '') = '' then
        return;
    end if;
    perform set_config(
        'graphrag.tally',
        (
            select jsonb_build_object(
                'calls', (_so_far ->> 'calls')::bigint + count(*),
                'chats', (_so_far ->> 'chats')::bigint + count(*) filter (where r.role not in ('embedding', 'rerank')),
                'input_tokens', (_so_far ->> 'input_tokens')::bigint
                    + graphrag._sum_known(r.input_tokens) filter (where r.failure is null),
                'output_tokens', (_so_far ->> 'output_tokens')::bigint
                    + graphrag._sum_known(r.output_tokens) filter (where r.failure is null),
                'latency_ms', (_so_far ->> 'latency_ms')::bigint + coalesce(sum(r.latency_ms), 0)
            )
            from jsonb_to_recordset(records) as r (
                role text, input_tokens bigint, output_tokens bigint, latency_ms bigint, failure text
            )
        )::text,
        true
    );
end
$function$;
comment on function graphrag._add_to_tally(jsonb) is 'Adds what calls to model servers cost to the running function''s tally.';

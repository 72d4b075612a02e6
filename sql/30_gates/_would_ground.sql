create function graphrag._would_ground(gated jsonb, body text, context text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- gated: what graphrag._gate() said of the chunk with this body. It lists 50 refused records: where there are more, who
-- knows. context is prepared by graphrag._ground_words().
declare
    _ground text;
begin
    if not gated -> 'rejected' ? 'ungrounded_name' then
        return false;
    end if;
    _ground := graphrag._ground_words(body);
    return jsonb_array_length(gated -> 'rejects') >= 50 or exists (
        select
        from jsonb_array_elements(gated -> 'rejects') as r (reject)
        cross join lateral (select r.reject -> 'record') as n (record)
        cross join unnest(
            array[n.record ->> 'name', n.record ->> 'subject', n.record ->> 'object']
            || graphrag._json_texts(n.record -> 'aliases')
        ) as f (form)
        where r.reject ->> 'reason' = 'ungrounded_name'
            and graphrag._is_grounded(f.form, context)
            and not graphrag._is_grounded(f.form, _ground)
    );
end
$function$;
comment on function graphrag._would_ground(jsonb, text, text) is 'Whether a name that was ungrounded in a chunk occurs in what the chunk is read together with.';

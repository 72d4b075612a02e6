create function graphrag._gate(extraction jsonb, body text, options jsonb default '{}')
    returns jsonb
    language plpgsql stable parallel safe
    set jit = off
    set enable_nestloop = off
    set max_parallel_workers_per_gather = 0
    set plan_cache_mode = force_generic_plan
    set datestyle = 'ISO, YMD'
    set timezone = 'UTC'
as $function$
-- What of the extraction of one chunk is evidence. Answers {"mentions", "assertions", "rejected": {reason: count},
-- "rejects": the first 50 as {reason, record}}. A record that fails a gate is dropped, never guessed at. The settings:
-- one plan for chunks of every size, never compiled, by hashes, since a chunk can have thousands of records; and ranges
-- that read the same in every session.
declare
    _ground text := case
        when coalesce((options ->> 'grounding')::boolean, true)
            then graphrag._ground_words(concat_ws(
                E'\n', body, array_to_string(graphrag._json_texts(options -> 'context_names'), E'\n')
            ))
    end;
    _entities graphrag._gated_entity[] := array(
        select e
        from graphrag._gate_entities(
            graphrag._with_stated_aliases(graphrag._json_list(extraction -> 'entities'), body),
            _ground,
            coalesce((options ->> 'possessive')::boolean, false)
        ) as e
    );
    _triples graphrag._gated_triple[] := array(
        select t
        from graphrag._gate_triples(graphrag._json_list(extraction -> 'triples'), _entities, _ground, options) as t
    );
begin
    return jsonb_build_object(
        'mentions', graphrag._gated_mentions(_entities, _triples),
        'assertions', graphrag._gated_assertions(_entities, _triples, body)
    ) || graphrag._gate_report(_entities, _triples, extraction -> 'malformed');
end
$function$;
comment on function graphrag._gate(jsonb, text, jsonb) is 'The mentions and assertions of one chunk''s extraction that pass the gates, and what was refused and why.';

create function graphrag._json_list(list jsonb)
    returns jsonb
    language sql immutable parallel safe
as $function$
    select case when jsonb_typeof(list) = 'array' then list else '[]' end
$function$;
comment on function graphrag._json_list(jsonb) is 'A JSON array, or an empty one where there is none.';

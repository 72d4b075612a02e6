create function graphrag._prepare(plan graphrag._document_plan)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- All that needs the network, with no lock held: extract the chunks that are new, gate what came back, embed every text
-- that has no vector yet. Answers {"chunks": [one an extracted chunk, with its mentions and assertions], "texts":
-- [{kind, hash, body, vec}], "rejected": {reason: count}}.
declare
    _answers jsonb;
    _gated jsonb;
begin
    _answers := graphrag._extract_missing(plan);
    perform graphrag._check_answers(plan, _answers);
    _gated := graphrag._gate_answers(plan, _answers);
    return graphrag._detect_contradictions(
        plan, graphrag._prepared(_gated, graphrag._embed_new(plan, _gated))
    );
end
$function$;
comment on function graphrag._prepare(graphrag._document_plan) is 'Extracts, gates and embeds what is new in a document.';

create function graphrag._check_answers(plan graphrag._document_plan, answers jsonb)
    returns void
    language plpgsql immutable parallel safe
as $function$
-- A document that has not changed is only asked about what failed before; failing again changes nothing.
begin
    if answers <> '[]'
        and not plan.is_same
        and not exists (select from jsonb_array_elements(answers) as a (answer) where not a.answer ? 'error')
    then
        raise exception 'no new chunk of document "%" could be extracted', left(plan.key, 200)
            using errcode = 'GR107',
                detail = answers #>> '{0,error}',
                hint = 'Nothing was stored, and an earlier version stands. SELECT * FROM graphrag.doctor() checks the endpoints.';
    end if;
end
$function$;
comment on function graphrag._check_answers(graphrag._document_plan, jsonb) is 'Raises GR107 if no chunk that is new could be extracted.';

create function graphrag._prepared(gated jsonb, texts jsonb)
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
begin
    return jsonb_build_object(
        'chunks', gated,
        'texts', texts,
        'rejected', (
            select coalesce(jsonb_object_agg(r.reason, r.n), '{}')
            from (
                select e.reason, sum(e.n::integer) as n
                from jsonb_array_elements(gated) as g (chunk)
                cross join jsonb_each_text(g.chunk -> 'rejected') as e (reason, n)
                group by e.reason
            ) as r
        )
    );
end
$function$;
comment on function graphrag._prepared(jsonb, jsonb) is 'What _write_document() takes: gated chunks, new texts with their vectors, and how many records the gates refused.';

create function graphrag._gate_answers(plan graphrag._document_plan, answers jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- The gates, chunk by chunk. A name that does not occur in its chunk may be one that the model was given from elsewhere
-- in the document ("she" is Ada Lovelace): chunks in which such a name was ungrounded are judged again, knowing those.
declare
    _options jsonb := graphrag._gate_options();
    _gated jsonb := graphrag._gate_all(plan, answers, _options);
    _names jsonb;
    _ground text;
begin
    if not exists (
        select from jsonb_array_elements(_gated) as g (chunk) where g.chunk -> 'rejected' ? 'ungrounded_name'
    ) then
        return _gated;
    end if;
    _names := graphrag._known_names(plan, _gated);
    _ground := graphrag._ground_words(array_to_string(graphrag._json_texts(_names), E'\n'));
    return (
        select jsonb_agg(
            case
                when graphrag._would_ground(o.chunk, plan.bodies[(o.chunk ->> 'no')::integer], _ground)
                    then graphrag._gate_all(
                        plan, jsonb_build_array(a.answer), _options || jsonb_build_object('context_names', _names)
                    ) -> 0
                else o.chunk
            end
            order by a.no
        )
        from jsonb_array_elements(answers) with ordinality as a (answer, no)
        join jsonb_array_elements(_gated) with ordinality as o (chunk, no) on o.no = a.no
    );
end
$function$;
comment on function graphrag._gate_answers(graphrag._document_plan, jsonb) is 'What passes the gates of the answers for a document''s chunks.';

create function graphrag._gate_all(plan graphrag._document_plan, answers jsonb, options jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
begin
    return coalesce(
        (
            select jsonb_agg(
                case
                    when a.answer ? 'error' then a.answer
                    else a.answer - 'entities' - 'triples'
                        || graphrag._gate(a.answer, plan.bodies[(a.answer ->> 'no')::integer], options)
                        || jsonb_build_object('unused', graphrag._unused_attributes(a.answer))
                end
                order by (a.answer ->> 'no')::integer
            )
            from jsonb_array_elements(answers) as a (answer)
        ),
        '[]'
    );
end
$function$;
comment on function graphrag._gate_all(graphrag._document_plan, jsonb, jsonb) is 'The gates over the answers for some chunks.';

create function graphrag._unused_attributes(answer jsonb)
    returns jsonb
    language plpgsql immutable parallel safe
as $function$
-- What a model said beyond what it was asked for: kept with the chunk, under the record that had it.
begin
    return (
        select coalesce(jsonb_agg(r.record), '[]')
        from jsonb_path_query(answer, '$.*[*] ? (exists(@.metadata.*))') as r (record)
    );
end
$function$;
comment on function graphrag._unused_attributes(jsonb) is 'The records of an answer that have attributes nobody asked for.';

create function graphrag._known_names(plan graphrag._document_plan, gated jsonb)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(jsonb_agg(distinct n.name), '[]')
        from (
            select m.surface as name
            from graphrag._unchanged_chunks(plan) as c
            join mention as m on m.chunk = c.chunk
            union all
            select m.mention ->> 'surface'
            from jsonb_array_elements(gated) as g (chunk)
            cross join jsonb_array_elements(g.chunk -> 'mentions') as m (mention)
        ) as n
    );
end
$function$;
comment on function graphrag._known_names(graphrag._document_plan, jsonb) is 'The names that passed the gates anywhere in the document as it is to be.';

create function graphrag._gate_options()
    returns jsonb
    language sql stable parallel safe
begin atomic
    select jsonb_build_object(
        'confidence_floor', graphrag._setting('confidence_floor'),
        'grounding', graphrag._setting('grounding'),
        'possessive', graphrag._setting('reject_possessive'),
        'fiscal_year_start', graphrag._setting('fiscal_year_start')
    );
end;
comment on function graphrag._gate_options() is 'The realm''s settings for the gates.';

create function graphrag._extract_missing(plan graphrag._document_plan)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- One answer a missing chunk, numbered from 1: supplied, extracted, or none where no endpoint is set.
begin
    if plan.missing = '{}' then
        return '[]';
    end if;
    perform graphrag._refuse_read_only('nothing can be indexed');
    if plan.extractions is not null then
        return (
            select jsonb_agg(
                plan.extractions[m.no] || jsonb_build_object('no', m.no, 'model', 'supplied') order by m.no
            )
            from unnest(plan.missing) as m (no)
        );
    end if;
    if graphrag._endpoint('extraction') is null then
        perform graphrag._tell_no_endpoint(
            'extraction', format('document "%s" is indexed as passages only', left(plan.key, 200))
        );
        return (
            select jsonb_agg(
                jsonb_build_object('no', m.no, 'entities', '[]'::jsonb, 'triples', '[]'::jsonb, 'model', null)
                order by m.no
            )
            from unnest(plan.missing) as m (no)
        );
    end if;
    return graphrag._read_chunks(plan, plan.missing);
end
$function$;
comment on function graphrag._extract_missing(graphrag._document_plan) is 'Entities and triples of the chunks whose evidence is not there yet.';

create function graphrag._tell_no_endpoint(role text, consequence text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Once a statement of the client, which may index a whole table or work off a queue.
declare
    _told constant text := 'graphrag.told_' || role;
    _now constant text := format('%s %s', extract(epoch from statement_timestamp()), current_schema());
begin
    if current_setting(_told, true) = _now then
        return;
    end if;
    perform set_config(_told, _now, false);
    raise warning '%: no % endpoint is set', consequence, role
        using detail = 'So it is with all other documents of this statement.',
            hint = format(
                'SELECT graphrag.set_endpoint(%L, ''https://api.example.com/v1'', ''model'', realm => %L);',
                role, current_schema()
            );
end
$function$;
comment on function graphrag._tell_no_endpoint(text, text) is 'Warns that a model is wanted and nobody can be asked.';

create function graphrag._new_texts(plan graphrag._document_plan, gated jsonb)
    returns table (kind text, body text)
    language plpgsql stable parallel safe rows 20
as $function$
begin
    return query
    select distinct on (t.kind, t.body) t.*
    from (
        select 'chunk', plan.bodies[m.no]
        from unnest(plan.missing) as m (no)
        union all
        select 'entity', graphrag._mention_text(e.mention)
        from jsonb_array_elements(gated) as g (chunk)
        cross join jsonb_array_elements(g.chunk -> 'mentions') as e (mention)
        union all
        select 'relation', a.assertion ->> 'rendered'
        from jsonb_array_elements(gated) as g (chunk)
        cross join jsonb_array_elements(g.chunk -> 'assertions') as a (assertion)
    ) as t (kind, body)
    -- Not "not exists": that would be planned as a join with the whole table.
    where (
        select c.id
        from content as c
        where c.space = plan.space and c.kind = t.kind and c.hash = sha256(convert_to(t.body, 'UTF8'))
    ) is null
    order by t.kind, t.body;
end
$function$;
comment on function graphrag._new_texts(graphrag._document_plan, jsonb) is 'The texts of a document that have no row in content yet.';

create function graphrag._embed_new(plan graphrag._document_plan, gated jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _kinds text[];
    _bodies text[];
    _vectors text[];
begin
    select array_agg(t.kind order by t.kind, t.body), array_agg(t.body order by t.kind, t.body)
    into _kinds, _bodies
    from graphrag._new_texts(plan, gated) as t;
    if _bodies is null then
        return '[]';
    end if;
    _vectors := graphrag._embed(_bodies, document => plan.key);
    return (
        select jsonb_agg(jsonb_build_object('kind', t.kind, 'body', t.body, 'vec', t.vec))
        from unnest(_kinds, _bodies, _vectors) as t (kind, body, vec)
    );
end
$function$;
comment on function graphrag._embed_new(graphrag._document_plan, jsonb) is 'Vectors of the document''s texts that have none yet.';

create function graphrag._mention_text(mention jsonb)
    returns text
    language plpgsql immutable parallel safe
as $function$
begin
    return concat(
        mention ->> 'surface',
        ' (' || (mention ->> 'type') || ')',
        ': ' || (mention ->> 'description')
    );
end
$function$;
comment on function graphrag._mention_text(jsonb) is 'A mention as it is embedded, searched and shown.';

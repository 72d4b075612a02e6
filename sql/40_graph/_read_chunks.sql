create function graphrag._read_chunks(plan graphrag._document_plan, chunks integer[])
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- One answer a chunk, in their order: the cached one, else the model's, which is cached as soon as its batch is there.
-- index() asks for all missing chunks of a document. A job does the same steps and commits after each, so that nothing
-- that was paid for is lost: who reads the document later finds the answers here, and the prompts are the same ones.
declare
    _reading jsonb := graphrag._reading(plan, chunks);
    _request jsonb;
begin
    while _reading -> 'todo' <> '[]' loop
        _request := graphrag._next_request(plan, _reading);
        _reading := graphrag._take_answers(
            plan, _reading, graphrag._extract(_request -> 'chunks', _request -> 'context')
        );
    end loop;
    return graphrag._answers_of(_reading, chunks);
end
$function$;
comment on function graphrag._read_chunks(graphrag._document_plan, integer[]) is 'What a model finds in some of a document''s missing chunks, from the cache or asked now.';

create function graphrag._reading(plan graphrag._document_plan, chunks integer[])
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- {"prompt": what all prompts say, "answers": those of all missing chunks that are there, "todo": numbers of chunks}
declare
    _prompt jsonb := graphrag._question(plan);
    _answers jsonb := graphrag._cached_answers(plan, _prompt);
begin
    return jsonb_build_object(
        'prompt', _prompt,
        'answers', _answers,
        'todo', (
            select coalesce(jsonb_agg(c.no order by c.no), '[]')
            from unnest(chunks) as c (no)
            where not exists (
                select from jsonb_array_elements(_answers) as a (answer) where (a.answer ->> 'no')::integer = c.no
            )
        )
    );
end
$function$;
comment on function graphrag._reading(graphrag._document_plan, integer[]) is 'Where the reading of some of a document''s chunks stands: what is cached, and which are to be asked about.';

create function graphrag._next_request(plan graphrag._document_plan, reading jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
declare
    _batch_size integer := (graphrag._setting('max_concurrent_chunks') #>> '{}')::integer;
begin
    return jsonb_build_object(
        'chunks', (
            select jsonb_agg(jsonb_build_object('no', t.no, 'body', plan.bodies[t.no::integer]) order by t.place)
            from jsonb_array_elements(reading -> 'todo') with ordinality as t (no, place)
            where t.place <= _batch_size
        ),
        'context', reading -> 'prompt' || jsonb_build_object(
            'document', plan.key,
            'known_names', graphrag._context_names(plan, reading -> 'answers'),
            'max_concurrent_chunks', _batch_size
        )
    );
end
$function$;
comment on function graphrag._next_request(graphrag._document_plan, jsonb) is 'What _extract() is asked next: chunks and context.';

create function graphrag._take_answers(plan graphrag._document_plan, reading jsonb, batch jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _batch jsonb := graphrag._keep_answers(plan, reading -> 'prompt', batch);
    _todo integer[] := array(
        select t.no::integer
        from jsonb_array_elements_text(reading -> 'todo') with ordinality as t (no, place)
        where t.place > jsonb_array_length(batch)
        order by t.place
    );
begin
    if not exists (select from jsonb_array_elements(_batch) as b (answer) where not b.answer ? 'of_server') then
        -- Nothing answers there: the chunks after this batch fail for the same reason, unasked.
        _batch := _batch || graphrag._not_asked(_todo, _batch -> -1);
        _todo := '{}';
    end if;
    return reading || jsonb_build_object('answers', reading -> 'answers' || _batch, 'todo', to_jsonb(_todo));
end
$function$;
comment on function graphrag._take_answers(graphrag._document_plan, jsonb, jsonb) is 'The reading with the answers for one batch, which are kept in the cache.';

create function graphrag._answers_of(reading jsonb, chunks integer[])
    returns jsonb
    language sql immutable parallel safe
as $function$
    select jsonb_agg(a.answer order by (a.answer ->> 'no')::integer)
    from jsonb_array_elements(reading -> 'answers') as a (answer)
    where (a.answer ->> 'no')::integer = any (chunks)
$function$;
comment on function graphrag._answers_of(jsonb, integer[]) is 'The answers for some chunks, in their order.';

create function graphrag._question(plan graphrag._document_plan)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- Whatever goes into a prompt has its place here: a cached answer holds for this and the chunk's text.
begin
    return jsonb_build_object(
        'prompt', graphrag._prompt_version(),
        'title', graphrag._prompt_title(plan),
        'source', plan.source,
        'published_on', (plan.published_at at time zone 'UTC')::date,
        'predicates', (select coalesce(jsonb_agg(p.name order by p.name collate "C"), '[]') from predicate as p),
        'entity_types', graphrag._setting('entity_types'),
        'gleaning_passes', graphrag._setting('gleaning_passes')
    );
end
$function$;
comment on function graphrag._question(graphrag._document_plan) is 'What a document''s prompts say beside a chunk''s text and the names known from other chunks.';

create function graphrag._prompt_title(plan graphrag._document_plan)
    returns text
    language sql immutable parallel safe
as $function$
-- A key is often a number or a URL; the metadata may know better.
    select case
        when jsonb_typeof(plan.metadata -> 'title') = 'string' and plan.metadata ->> 'title' ~ '\S'
            then left(btrim(plan.metadata ->> 'title'), 500)
        else plan.name
    end
$function$;
comment on function graphrag._prompt_title(graphrag._document_plan) is 'What a document is called in prompts: title of its metadata, else its name.';

create function graphrag._asked()
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
-- What cuts answers off: the model, and the limits among the request's extra fields.
declare
    _endpoint jsonb := graphrag._endpoint('extraction');
begin
    return case
        when _endpoint is not null
            then jsonb_build_object(
                'model', _endpoint -> 'model', 'extra', coalesce(_endpoint -> 'options' -> 'extra', '{}')
            )
    end;
end
$function$;
comment on function graphrag._asked() is 'Model and extra request fields of the extraction endpoint; null if there is none.';

create function graphrag._question_hash(prompt jsonb, body text, asked jsonb)
    returns bytea
    language sql immutable parallel safe
as $function$
    select sha256(convert_to(jsonb_build_array(prompt, body, asked -> 'model')::text, 'UTF8'))
$function$;
comment on function graphrag._question_hash(jsonb, text, jsonb) is 'The key of a cached answer inside its space.';

create function graphrag._cached_answers(plan graphrag._document_plan, prompt jsonb)
    returns jsonb
    language plpgsql stable parallel unsafe
as $function$
declare
    _asked jsonb := graphrag._asked();
begin
    return (
        select coalesce(
            jsonb_agg(c.answer || jsonb_build_object('no', m.no, 'cached', true) order by m.no), '[]'
        )
        from unnest(plan.missing) as m (no)
        cross join lateral (
            select a.answer
            from cached_answer as a
            where a.space = plan.space_name
                and a.question = graphrag._question_hash(prompt, plan.bodies[m.no], _asked)
                and coalesce(a.asked, _asked) = _asked
            order by a.id desc
            limit 1
        ) as c
    );
end
$function$;
comment on function graphrag._cached_answers(graphrag._document_plan, jsonb) is 'The answers that the cache has for a document''s missing chunks.';

create function graphrag._keep_answers(plan graphrag._document_plan, prompt jsonb, answers jsonb)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Returns the answers, with what cut them off where something did. Failures are not kept.
declare
    _asked jsonb := graphrag._asked();
begin
    answers := (
        select jsonb_agg(
            case
                when (a.answer ->> 'partial')::boolean then a.answer || jsonb_build_object('asked', _asked)
                else a.answer
            end
            order by a.no
        )
        from jsonb_array_elements(answers) with ordinality as a (answer, no)
    );
    insert into cached_answer (space, question, body, asked, answer)
    select
        plan.space_name,
        graphrag._question_hash(prompt, b.body, _asked),
        sha256(convert_to(b.body, 'UTF8')),
        a.answer -> 'asked',
        a.answer - 'no'
    from jsonb_array_elements(answers) as a (answer)
    cross join lateral (select plan.bodies[(a.answer ->> 'no')::integer]) as b (body)
    where not a.answer ? 'error';
    return answers;
end
$function$;
comment on function graphrag._keep_answers(graphrag._document_plan, jsonb, jsonb) is 'Puts what a model has answered into the cache.';

create function graphrag._not_asked(chunks integer[], failure jsonb)
    returns jsonb
    language sql immutable parallel safe
as $function$
    select coalesce(
        jsonb_agg(
            failure || jsonb_build_object(
                'no', c.no, 'error', 'not asked, because before it: ' || (failure ->> 'error')
            )
            order by c.no
        ),
        '[]'
    )
    from unnest(chunks) as c (no)
$function$;
comment on function graphrag._not_asked(integer[], jsonb) is 'The answers for chunks that are not asked about because the server is down.';

create function graphrag._context_names(plan graphrag._document_plan, answers jsonb)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Of this document alone, so that no other one changes what a model finds in it. The names of most chunks come first
-- into the 40, in the order of the text. A name that is an alias of another is not canonical; what the gates would
-- refuse helps nobody.
declare
    _most constant integer := 40;
begin
    return (
        with named as (
            select c.no, m.surface as name, m.type, m.aliases
            from graphrag._unchanged_chunks(plan) as c
            join mention as m on m.chunk = c.chunk
            union all
            select (a.answer ->> 'no')::integer, e.name, e.type, coalesce(e.aliases, '{}')
            from jsonb_array_elements(answers) as a (answer)
            cross join jsonb_to_recordset(a.answer -> 'entities') as e (name text, type text, aliases text[])
        ),
        alias as (
            select distinct graphrag._lower(x.alias) as alias, graphrag._lower(n.name) as name
            from named as n
            cross join unnest(n.aliases) as x (alias)
            where graphrag._lower(x.alias) <> graphrag._lower(n.name)
        ),
        counted as (
            select
                (array_agg(n.name order by n.no, n.name collate "C"))[1] as name,
                (array_agg(n.type order by n.no, n.type collate "C"))[1] as type,
                count(distinct n.no) as chunks,
                min(n.no) as first_no
            from named as n
            where length(n.name) <= 100 and not exists (select from alias as a where a.alias = graphrag._lower(n.name))
            group by graphrag._lower(n.name)
        ),
        candidate as materialized (
            select
                c.name,
                c.type,
                c.first_no,
                (row_number() over (order by c.chunks desc, c.first_no, c.name collate "C"))::integer as no
            from counted as c
            order by no
            limit 2 * _most
        ),
        kept as (
            select c.*
            from candidate as c
            join graphrag._gate_names(
                array(select n.name from candidate as n order by n.no),
                array(select n.type from candidate as n order by n.no)
            ) as g on g.no = c.no
            where g.reason is null
            order by c.no
            limit _most
        )
        select coalesce(jsonb_agg(k.name order by k.first_no, k.no), '[]') from kept as k
    );
end
$function$;
comment on function graphrag._context_names(graphrag._document_plan, jsonb) is 'The canonical names known so far in a document, at most 40: what a prompt gives as context.';

create function graphrag._unchanged_chunks(plan graphrag._document_plan)
    returns table (no integer, chunk bigint)
    language plpgsql stable parallel safe rows 20
as $function$
begin
    return query
    select h.no::integer, graphrag._latest_chunk(plan.document, h.hash)
    from unnest(plan.hashes) with ordinality as h (hash, no)
    where not exists (select from unnest(plan.missing) as m (no) where plan.hashes[m.no] = h.hash);
end
$function$;
comment on function graphrag._unchanged_chunks(graphrag._document_plan) is 'The chunks of a plan whose evidence is there already.';

create function graphrag._forget_answers(
    before timestamptz,
    space text default null,
    bodies bytea[] default null
)
    returns bigint
    language plpgsql volatile parallel unsafe
as $function$
-- Inside a realm. For purge: by age, and by the hash of a chunk's text (content.hash) where a text must go altogether.
declare
    _forgotten bigint;
begin
    delete from cached_answer as a
    where a.at < before
        and ($2 is null or a.space = $2)
        and (bodies is null or a.body = any (bodies));
    get diagnostics _forgotten = row_count;
    return _forgotten;
end
$function$;
comment on function graphrag._forget_answers(timestamptz, text, bytea[]) is 'Drops cached answers older than an instant, of all spaces or one, about all texts or some; returns how many.';

create function graphrag._prompt_version()
    returns text
    language plpython3u immutable parallel unsafe
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.prompts import PROMPT_VERSION
return PROMPT_VERSION
$python$;
comment on function graphrag._prompt_version() is 'Version of the prompts: an answer to another one is no answer to these.';

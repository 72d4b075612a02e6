create function graphrag._context(evidence graphrag.evidence[], budget integer default 0)
    returns text
    language plpgsql stable parallel safe
as $function$
-- The evidence as a model reads it: reports, passages, entities, relations, and references of what is in it. Half of a
-- budget at most is kept for the references.
declare
    _references integer := coalesce(length(graphrag._reference_section(evidence)), 0);
    _items graphrag._item[] := array(select i from graphrag._context_items(evidence) as i order by i.section, i.no);
    _sections text;
    _cited text;
begin
    if budget > 0 then
        _items := graphrag._share_budget(_items, budget - least(_references, budget / 2));
    end if;
    _sections := (
        select string_agg(s.body, E'\n\n' order by s.section)
        from (
            select i.section, min(i.heading) || E'\n' || string_agg(i.line, E'\n' order by i.no) as body
            from unnest(_items) as i
            where i.line is not null
            group by i.section
        ) as s
    );
    _cited := graphrag._reference_section(graphrag._prompted(evidence, _sections));
    if budget > 0 and length(_sections) + length(_cited) > budget then
        _cited := left(_cited, greatest(budget - length(_sections), 0));
    end if;
    return coalesce(
        nullif(concat_ws(E'\n\n', _sections, nullif(_cited, '')), ''),
        case
            when evidence = '{}' then 'No evidence was found.'
            else 'Evidence was found, but there is no room for it here.'
        end
    );
end
$function$;
comment on function graphrag._context(graphrag.evidence[], integer) is 'The evidence section of a prompt, in at most budget characters and headings; 0: all of it.';

create function graphrag._share_budget(items graphrag._item[], budget integer)
    returns graphrag._item[]
    language plpgsql immutable parallel safe
as $function$
-- Each kind has its share, however early it comes in the prompt; what is longer than a line, reports and passages, has
-- four times that of the others: answers rest on it. The kind that needs least of its share goes first, so that what it
-- does not need is divided among those that need more.
declare
    _left integer := budget;
    _sections integer[];
    _weights integer[];
    _share graphrag._item[];
    _fitted graphrag._item[] := '{}';
begin
    select array_agg(n.section order by n.need, n.section), array_agg(n.weight order by n.need, n.section)
    into _sections, _weights
    from (
        select i.section, w.weight, sum(length(i.line)) / w.weight as need
        from unnest(items) as i
        cross join lateral (select case when i.section < 2 then 4 else 1 end as weight) as w
        group by i.section, w.weight
    ) as n;
    for _n in 1 .. coalesce(cardinality(_sections), 0) loop
        _share := graphrag._fit_section(
            items, _sections[_n], _left * _weights[_n] / (select sum(w)::integer from unnest(_weights[_n :]) as w)
        );
        _fitted := _fitted || _share;
        _left := _left - (select coalesce(sum(length(i.line)), 0) from unnest(_share) as i);
    end loop;
    return _fitted;
end
$function$;
comment on function graphrag._share_budget(graphrag._item[], integer) is 'The items of a prompt, clipped to a budget that their kinds share fairly.';

create function graphrag._fit_section(items graphrag._item[], section integer, budget integer)
    returns graphrag._item[]
    language sql immutable parallel safe
as $function$
    with own as (
        select i.heading, i.no, i.line from unnest($1) as i where i.section = $2
    ),
    fitted as (
        select f.line, f.place
        from unnest(graphrag._fit_lines(array(select o.line from own as o order by o.no), $3)) with ordinality
            as f (line, place)
    )
    select array_agg(row($2, o.heading, o.no, f.line)::graphrag._item order by o.no)
    from (select w.heading, w.no, row_number() over (order by w.no) as place from own as w) as o
    join fitted as f on f.place = o.place
$function$;
comment on function graphrag._fit_section(graphrag._item[], integer, integer) is 'The items of one kind, clipped to its share.';

create function graphrag._prompted(evidence graphrag.evidence[], prompt text)
    returns graphrag.evidence[]
    language sql stable parallel safe
as $function$
    select array(select e from unnest(evidence) as e where position(format('[%s]', e.reference) in prompt) > 0)
$function$;
comment on function graphrag._prompted(graphrag.evidence[], text) is 'The evidence of documents and the reports that a prompt has something of.';

create function graphrag._context_items(evidence graphrag.evidence[])
    returns setof graphrag._item
    language sql stable parallel safe rows 50
as $function$
    select
        0,
        '# Reports',
        e.rank,
        format(
            E'## [%s] %s (rating %s of 10, %s entities)\n%s\n',
            e.reference,
            e.subject,
            e.metadata -> 'rating',
            e.metadata -> 'size',
            substr(e.text, length(e.subject) + 2)
        )
    from unnest(evidence) as e
    where e.kind = 'report'
    union all
    select 1, '# Passages', e.rank, format('[%s] %s' || E'\n%s\n', e.reference, graphrag._document_title(e), e.text)
    from unnest(evidence) as e
    where e.kind = 'chunk'
    union all
    select 2, '# Entities', e.rank, '- ' || e.text
    from unnest(evidence) as e
    where e.kind = 'entity'
    union all
    select 3, '# Relations', e.rank, graphrag._relation_line(e)
    from unnest(evidence) as e
    where e.kind = 'relation'
$function$;
comment on function graphrag._context_items(graphrag.evidence[]) is 'The lines of a prompt''s evidence by section.';

create function graphrag._reference_section(evidence graphrag.evidence[])
    returns text
    language sql stable parallel safe
as $function$
    select E'# References\n' || string_agg(format('[%s] %s', r.reference, r.title), E'\n' order by r.reference)
    from (
        select e.reference, min(graphrag._document_title(e)) as title
        from unnest(evidence) as e
        where e.document is not null
        group by e.reference
    ) as r
$function$;
comment on function graphrag._reference_section(graphrag.evidence[]) is 'The list of cited documents; NULL if there is none.';

create function graphrag._fit_lines(lines text[], budget integer)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
-- A line that overflows is clipped to half of what is left, not dropped, so that later and smaller ones still get in. A
-- line of which less than a few words would be left is NULL.
declare
    _left integer := budget;
    _fitted text[] := lines;
    _room integer;
begin
    for _i in 1 .. cardinality(lines) loop
        _room := case when length(lines[_i]) <= _left then _left else _left / 2 end;
        _fitted[_i] := case
            when length(lines[_i]) <= _room then lines[_i]
            when _room >= 30 then left(lines[_i], _room - 1) || '…'
        end;
        _left := _left - coalesce(length(_fitted[_i]), 0);
    end loop;
    return _fitted;
end
$function$;
comment on function graphrag._fit_lines(text[], integer) is 'Lines clipped to a budget of characters.';

create function graphrag._document_title(evidence graphrag.evidence)
    returns text
    language sql stable parallel safe
as $function$
    select evidence.document || coalesce(
        ' (' || nullif(
            concat_ws(
                ', ',
                evidence.source,
                replace(to_char(evidence.published_at at time zone 'UTC', 'YYYY-MM-DD AD'), ' AD', '')
            ),
            ''
        ) || ')',
        ''
    )
$function$;
comment on function graphrag._document_title(graphrag.evidence) is 'How a document is named in prompts and citations.';

create function graphrag._relation_line(evidence graphrag.evidence)
    returns text
    language sql immutable parallel safe
as $function$
-- (A) --[NOT worked_with]--> (B) [valid 2010 to 2012; superseded by …] [2]: description
    select evidence.text
        || coalesce(
            ' [' || nullif(
                concat_ws(
                    '; ',
                    'valid ' || evidence.period,
                    case when evidence.status = 'current' and evidence.metadata ? 'ended' then 'ended' end,
                    case
                        when evidence.status = 'superseded'
                            then concat('superseded', ' by ' || evidence.superseded_by)
                    end
                ),
                ''
            ) || ']',
            ''
        )
        || coalesce(' [' || evidence.reference || ']', '')
        || coalesce(': ' || (evidence.metadata ->> 'description'), '')
$function$;
comment on function graphrag._relation_line(graphrag.evidence) is 'A relation as a line of a prompt.';

create function graphrag.context(
    question text,
    mode text default 'mix',
    as_of text default null,
    as_believed_at text default null,
    include_superseded boolean default false,
    top_k integer default null,
    max_hops integer default null,
    relation_types text[] default null,
    entity_types text[] default null,
    metadata_filter jsonb default null,
    min_confidence double precision default null,
    community_level integer default null,
    budget integer default null,
    walk text default null,
    fusion text default null,
    rerank text[] default null,
    keywords text default null,
    decompose boolean default null,
    embedding double precision[] default null,
    space text default null,
    realm text default null,
    out prompt text,
    out characters_retrieved integer,
    out characters_prompted integer
)
    returns record
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set plan_cache_mode = force_generic_plan
    set jit = off
    set max_parallel_workers_per_gather = 0
    set hnsw.iterative_scan = strict_order
    set hnsw.ef_search = 100
as $function$
declare
    _gathered graphrag._gathered;
    _budget integer;
    _parts integer;
    _prompted text;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_range('budget', budget, 0);
    _budget := coalesce(budget, (graphrag._setting('evidence_budget') #>> '{}')::integer);
    _gathered := graphrag._gather(
        question,
        mode,
        graphrag._filter_of(
            space,
            as_of,
            as_believed_at,
            include_superseded,
            relation_types,
            entity_types,
            metadata_filter,
            min_confidence
        ),
        top_k,
        max_hops,
        graphrag._ways_of(walk, fusion, rerank),
        embedding,
        community_level,
        coalesce(keywords, 'lexical'),
        decompose
    );
    _parts := cardinality(graphrag._report_parts(_gathered.mode, _gathered.evidence, _budget));
    if _parts > 1 then
        raise notice 'query() reads the reports in % parts first', _parts
            using detail = 'It sends the notes on them in the place of the reports that are shown here.',
                hint = 'The setting map_budget says how many characters a part has.';
    end if;
    _prompted := graphrag._context(_gathered.evidence, _budget);
    prompt := graphrag._synthesis_prompt(question, _prompted, graphrag._prompt_header(as_of));
    characters_retrieved := length(graphrag._context(_gathered.evidence));
    characters_prompted := length(_prompted);
end
$function$;
comment on function graphrag.context(text, text, text, text, boolean, integer, integer, text[], text[], jsonb, double precision, integer, integer, text, text, text[], text, boolean, double precision[], text, text) is 'The message that query() would send for a question, and how many characters of evidence were retrieved and are in it.';

create function graphrag._prompt_header(as_of text)
    returns jsonb
    language sql stable parallel safe
as $function$
    select jsonb_build_object('today', to_char(now() at time zone 'UTC', 'YYYY-MM-DD'), 'as_of', as_of)
$function$;
comment on function graphrag._prompt_header(text) is 'What a prompt says of the dates it is about.';

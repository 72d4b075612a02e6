create function graphrag._context(evidence graphrag.evidence[], budget integer default 0)
    returns text
    language sql stable parallel safe
as $function$
-- The evidence as a model reads it: passages, entities, relations, references. With a budget, an item that overflows is
-- clipped, not dropped, and later smaller ones still get in.
    with item (section, no, kind, line) as (
        select 1, e.rank, '# Passages', format('[%s] %s' || E'\n%s\n', e.reference, graphrag._document_title(e), e.text)
        from unnest(evidence) as e
        where e.kind = 'chunk'
        union all
        select 2, e.rank, '# Entities', '- ' || e.text
        from unnest(evidence) as e
        where e.kind = 'entity'
        union all
        select 3, e.rank, '# Relations', graphrag._relation_line(e)
        from unnest(evidence) as e
        where e.kind = 'relation'
    ),
    fitted as (
        select
            i.section,
            i.no,
            i.kind,
            case
                when budget > 0
                    then left(i.line, greatest(budget - coalesce(sum(length(i.line)) over before, 0), 0)::integer)
                else i.line
            end as line
        from item as i
        window before as (order by i.section, i.no rows between unbounded preceding and 1 preceding)
    ),
    section (section, body) as (
        select f.section, min(f.kind) || E'\n' || string_agg(f.line, E'\n' order by f.no) filter (where f.line <> '')
        from fitted as f
        group by f.section
        union all
        select 4, E'# References\n' || string_agg(format('[%s] %s', r.reference, r.title), E'\n' order by r.reference)
        from (
            select e.reference, min(graphrag._document_title(e)) as title
            from unnest(evidence) as e
            where e.reference is not null
            group by e.reference
        ) as r
    )
    select coalesce(string_agg(s.body, E'\n\n' order by s.section), 'No evidence was found.')
    from section as s
$function$;
comment on function graphrag._context(graphrag.evidence[], integer) is 'The evidence section of a prompt.';

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
    budget integer default null,
    embedding real[] default null,
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
    set jit = off
    set hnsw.iterative_scan = strict_order
    set hnsw.ef_search = 100
as $function$
declare
    _evidence graphrag.evidence[];
begin
    perform graphrag._enter(realm);
    _evidence := graphrag._gather(
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
            min_confidence::real
        ),
        top_k,
        max_hops,
        embedding
    );
    prompt := graphrag._context(_evidence, coalesce(budget, (graphrag._setting('evidence_budget') #>> '{}')::integer));
    characters_retrieved := length(graphrag._context(_evidence));
    characters_prompted := length(prompt);
end
$function$;
comment on function graphrag.context(text, text, text, text, boolean, integer, integer, text[], text[], jsonb, double precision, integer, real[], text, text) is 'The evidence for a question exactly as query() would put it into its prompt, and how many characters were retrieved and prompted.';

-- BM25 over tsvectors. The rarest terms of a question drive the index, as many as find a few thousand texts; common
-- ones only add to the score of what those found.

create function graphrag._term_counts(question text, kind text, filter graphrag._filter)
    returns table (term text, texts double precision, total double precision, words double precision)
    language plpgsql stable parallel safe rows 12
as $function$
-- As believed at the revision that the read is about, and of its spaces only.
declare
    _config regconfig := (graphrag._setting('text_search_config') #>> '{}')::regconfig;
    _rows bigint := (graphrag._setting('lexical_candidates') #>> '{}')::bigint;
    _total double precision;
    _words double precision;
    _uncounted double precision;
begin
    select sum(s.texts), sum(s.texts * s.words order by s.space) / nullif(sum(s.texts), 0)
    into _total, _words
    from term_total as s
    where s.space = any (filter.spaces) and s.kind = $2 and graphrag._believed(s.born, s.died, s.space, filter);
    if _total is null then
        -- Nobody has counted: rows came past the functions. If the texts are many, so may be those of each term.
        _total := (
            select count(*)
            from (
                select from content as t where t.space = any (filter.spaces) and t.kind = $2 limit _rows + 1
            ) as c
        );
        _uncounted := case when _total > _rows then _total end;
    end if;
    return query
    select
        q.lexeme,
        greatest(
            coalesce(
                _uncounted,
                (
                    select sum(s.texts)
                    from term_stat as s
                    where s.space = any (filter.spaces)
                        and s.kind = $2
                        and s.term = q.lexeme
                        and graphrag._believed(s.born, s.died, s.space, filter)
                ),
                0
            ),
            1
        )::double precision,
        greatest(coalesce(_total, 1), 1),
        coalesce(_words, 1)
    from unnest(graphrag._text_vector(_config, left(question, 10000))) as q;
end
$function$;
comment on function graphrag._term_counts(text, text, graphrag._filter) is 'The terms of a question, and in how many of how many texts each occurs.';

create function graphrag._lexical_plan(question text, kind text, filter graphrag._filter)
    returns graphrag._lexical_plan
    language plpgsql stable parallel safe
as $function$
-- If even the rarest term is in too many texts, those that have the next rarest too are looked at, and so on. A space
-- is small if reading the texts of a term in it costs less than finding those of the term in all spaces may.
declare
    _rows double precision := (graphrag._setting('lexical_candidates') #>> '{}')::double precision;
    _plan graphrag._lexical_plan;
begin
    with term as (
        select
            quote_literal(c.term) as term,
            c.texts,
            c.total,
            c.words,
            ln(1 + greatest(c.total - c.texts + 0.5, 0) / (c.texts + 0.5)) as weight,
            sum(c.texts) over rarest as texts_so_far,
            c.total * exp(sum(ln(least(c.texts / c.total, 1))) over rarest) as texts_with_all,
            row_number() over rarest as no
        from graphrag._term_counts(question, kind, filter) as c
        window rarest as (order by c.texts, c.term rows unbounded preceding)
    )
    select
        case
            when min(t.texts) <= _rows or min(t.total) <= _rows
                then string_agg(t.term, ' | ' order by t.no)
                    filter (where t.texts_so_far <= _rows or t.total <= _rows)
            else string_agg(t.term, ' & ' order by t.no)
                filter (where t.no = 1 or t.texts_with_all * t.total / t.texts > _rows)
        end::tsquery,
        array_agg(t.term::tsquery order by t.no),
        array_agg(t.weight order by t.no),
        min(t.words),
        min(t.total) <= 3 * _rows
    into _plan
    from term as t;
    return _plan;
end
$function$;
comment on function graphrag._lexical_plan(text, text, graphrag._filter) is 'How to rank one kind of text by a question''s terms: which of them drive the index, and their weights.';

create function graphrag._rough_score(
    tsv tsvector,
    terms tsquery[],
    weights double precision[],
    words double precision
)
    returns double precision
    language sql immutable parallel safe
as $function$
-- BM25 as if the sixteen rarest terms were all and occurred once. One expression without a query, so that the planner
-- inlines it: it is what a few thousand texts are judged by. Lists, because a field of a row is looked for each time.
    select (
        case when tsv @@ terms[1] then weights[1] else 0 end
        + case when tsv @@ terms[2] then weights[2] else 0 end
        + case when tsv @@ terms[3] then weights[3] else 0 end
        + case when tsv @@ terms[4] then weights[4] else 0 end
        + case when tsv @@ terms[5] then weights[5] else 0 end
        + case when tsv @@ terms[6] then weights[6] else 0 end
        + case when tsv @@ terms[7] then weights[7] else 0 end
        + case when tsv @@ terms[8] then weights[8] else 0 end
        + case when tsv @@ terms[9] then weights[9] else 0 end
        + case when tsv @@ terms[10] then weights[10] else 0 end
        + case when tsv @@ terms[11] then weights[11] else 0 end
        + case when tsv @@ terms[12] then weights[12] else 0 end
        + case when tsv @@ terms[13] then weights[13] else 0 end
        + case when tsv @@ terms[14] then weights[14] else 0 end
        + case when tsv @@ terms[15] then weights[15] else 0 end
        + case when tsv @@ terms[16] then weights[16] else 0 end
    ) / (1.3 + 0.9 * length(tsv) / words)
$function$;
comment on function graphrag._rough_score(tsvector, tsquery[], double precision[], double precision) is 'About the BM25 score of a text.';

create function graphrag._bm25(tsv tsvector, plan graphrag._lexical_plan)
    returns table (score double precision)
    language sql immutable parallel safe rows 1
as $function$
-- k1 = 1.2, b = 0.75; length in distinct terms. With one term and even weights ts_rank is a function of its frequency
-- n, the sum of 1/i² up to n over π²/6, which 1 - 1 / (1.6449 (n + 0.5)) is close to: solved for n.
-- A table of one row, so that the planner inlines it.
    select coalesce(sum(w.weight * f.n * 2.2 / (f.n + 0.3 + 0.9 * length(tsv) / plan.words) order by w.no), 0)
    from unnest(plan.terms, plan.weights) with ordinality as w (term, weight, no)
    cross join lateral (
        select round(1 / (1.644934 * (1 - ts_rank('{1, 1, 1, 1}', tsv, w.term))) - 0.5)::double precision as n
    ) as f
    where f.n > 0
$function$;
comment on function graphrag._bm25(tsvector, graphrag._lexical_plan) is 'The BM25 score of a text.';

create function graphrag._lexical(plan graphrag._lexical_plan, kind text, filter graphrag._filter)
    returns table (content bigint, space integer, tsv tsvector)
    language plpgsql stable parallel safe rows 1000
as $function$
-- The texts that the driving terms find, likely ones first. Of spaces that are small every text is looked at, not what
-- a term finds in all the others too; elsewhere the space is no condition for an index (array_position). A statement a
-- kind, because there is an index a kind.
declare
    _terms tsquery[] := plan.terms;
    _weights double precision[] := plan.weights;
begin
    if plan.drivers is null then
        return;
    elsif plan.is_small then
        return query
        select t.id, t.space, t.tsv
        from content as t
        where t.space = any (filter.spaces) and t.kind = $2 and t.tsv @@ plan.drivers
        order by graphrag._rough_score(t.tsv, _terms, _weights, plan.words) desc, t.id;
    elsif kind = 'chunk' then
        return query
        select t.id, t.space, t.tsv
        from content as t
        where t.kind = 'chunk' and t.tsv @@ plan.drivers and array_position(filter.spaces, t.space) is not null
        order by graphrag._rough_score(t.tsv, _terms, _weights, plan.words) desc, t.id;
    elsif kind = 'entity' then
        return query
        select t.id, t.space, t.tsv
        from content as t
        where t.kind = 'entity' and t.tsv @@ plan.drivers and array_position(filter.spaces, t.space) is not null
        order by graphrag._rough_score(t.tsv, _terms, _weights, plan.words) desc, t.id;
    else
        return query
        select t.id, t.space, t.tsv
        from content as t
        where t.kind = 'relation' and t.tsv @@ plan.drivers and array_position(filter.spaces, t.space) is not null
        order by graphrag._rough_score(t.tsv, _terms, _weights, plan.words) desc, t.id;
    end if;
end
$function$;
comment on function graphrag._lexical(graphrag._lexical_plan, text, graphrag._filter) is 'Texts that share rare terms with the question, likely ones first.';

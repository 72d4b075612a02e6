-- What BM25 knows of a space: how many texts of each kind it has, how long they are and in how many of them a term
-- occurs. Counted for the whole space, and counted again when a tenth of its documents has changed: the counts of a
-- moment serve all reads until the next, and keep their belief interval, so that a read of the past ranks as it did.

create function graphrag._text_vector(config regconfig, body text)
    returns tsvector
    language plpgsql immutable parallel safe strict
as $function$
-- PostgreSQL's parser takes a run of Chinese, Japanese, Korean or Thai letters for one word: of those, every two
-- neighbours are a term.
declare
    _unsegmented constant text := '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff'
        '\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]';
begin
    if body !~ _unsegmented then
        return to_tsvector(config, body);
    end if;
    return to_tsvector(config, regexp_replace(body, _unsegmented || '+', ' ', 'g')) || (
        select to_tsvector(
            'simple', string_agg(
                case when length(r.run[1]) = 1 then r.run[1] else substr(r.run[1], i.no, 2) end, ' ' order by r.no, i.no
            )
        )
        from regexp_matches(body, _unsegmented || '+', 'g') with ordinality as r (run, no)
        cross join generate_series(1, greatest(length(r.run[1]) - 1, 1)) as i (no)
    );
end
$function$;
comment on function graphrag._text_vector(regconfig, text) is 'The terms of a text; where letters are not separated into words, their neighbouring pairs.';

create function graphrag._live_contents(space integer, kind text)
    returns bigint[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select t.id
        from content as t
        where t.space = $1
            and t.kind = $2
            and case $2
                when 'chunk'
                    then exists (select from document_chunk as v where v.content = t.id and v.died is null)
                when 'entity'
                    then exists (select from entity_version as v where v.content = t.id and v.died is null)
                when 'relation'
                    then exists (select from relation_version as v where v.content = t.id and v.died is null)
            end
    );
end
$function$;
comment on function graphrag._live_contents(integer, text) is 'The texts of one kind that a space is made of now.';

create function graphrag._count_terms(space integer, kind text, revision bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Counts one kind and applies the difference. A term of one text is not kept: what is missing is taken to occur once.
-- "Not in", which is looked up in a hash whatever number of terms the planner believes in.
declare
    _contents bigint[] := graphrag._live_contents(space, kind);
    _words double precision;
    _terms text[];
    _counts integer[];
begin
    select
        sum(w.ndoc) / nullif(cardinality(_contents), 0)::numeric,
        array_agg(w.word order by w.word) filter (where w.ndoc > 1),
        array_agg(w.ndoc order by w.word) filter (where w.ndoc > 1)
    into _words, _terms, _counts
    from ts_stat(format('select t.tsv from content as t where t.id = any (%L::bigint[])', _contents)) as w;
    delete from term_total as s where s.space = $1 and s.kind = $2 and s.born = revision;
    update term_total as s set died = revision where s.space = $1 and s.kind = $2 and s.died is null;
    insert into term_total (space, kind, texts, words, born)
    values ($1, $2, cardinality(_contents), coalesce(_words, 1), revision);

    delete from term_stat as s where s.space = $1 and s.kind = $2 and s.born = revision;
    update term_stat as s
    set died = revision
    where s.space = $1
        and s.kind = $2
        and s.died is null
        and (s.term, s.texts) not in (select w.term, w.n from unnest(_terms, _counts) as w (term, n));
    insert into term_stat (space, kind, term, texts, born)
    select $1, $2, w.term, w.n, revision
    from unnest(_terms, _counts) as w (term, n)
    where w.term not in (
        select s.term from term_stat as s where s.space = $1 and s.kind = $2 and s.died is null
    );
end
$function$;
comment on function graphrag._count_terms(integer, text, bigint) is 'Counts the terms of one kind of a space''s texts, as believed from a revision on.';

create function graphrag._count_all_terms(space integer, revision bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    perform graphrag._count_terms(space, 'chunk', revision);
    perform graphrag._count_terms(space, 'entity', revision);
    perform graphrag._count_terms(space, 'relation', revision);
    delete from term_watch as w where w.space = $1;
    insert into term_watch (space, documents, counted_to, changed)
    select
        $1,
        (
            select count(*)
            from document as d
            join document_version as v on v.document = d.id and v.died is null
            where d.space = $1
        ) + (
            select count(*) from decision as d where d.space = $1 and d.died is null
        ),
        coalesce((select max(v.id) from document_version as v), 0),
        0;
end
$function$;
comment on function graphrag._count_all_terms(integer, bigint) is 'Counts the terms of a space, as believed from a revision on.';

create function graphrag._recount_terms(
    space integer,
    revision bigint,
    ended integer default 0,
    share integer default 10
)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Called by every write of documents, decisions and rows by hand, under the space's lock; `ended` are those that leave
-- no new version. Cheap unless a tenth, or another share of them, may have changed: the versions written since are
-- looked at, each once, only when there are that many in the whole realm.
declare
    _watch record;
    _last bigint := coalesce((select max(v.id) from document_version as v), 0);
begin
    select * into _watch from term_watch as w where w.space = $1;
    if not found then
        perform graphrag._count_all_terms(space, revision);
        return;
    end if;
    if share * (_watch.changed + ended + _last - _watch.counted_to) < _watch.documents then
        if ended > 0 then
            update term_watch as w set changed = w.changed + ended where w.space = $1;
        end if;
        return;
    end if;
    _watch.changed := _watch.changed + ended + (
        select count(*)
        from document_version as v
        join document as d on d.id = v.document
        where v.id > _watch.counted_to and d.space = $1
    );
    if share * _watch.changed < _watch.documents then
        update term_watch as w set changed = _watch.changed, counted_to = _last where w.space = $1;
    else
        perform graphrag._count_all_terms(space, revision);
    end if;
end
$function$;
comment on function graphrag._recount_terms(integer, bigint, integer, integer) is 'Counts the terms of a space again if a tenth of its documents has changed since, or another share.';

create function graphrag._has_term_counts(space integer)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (select from term_watch as w where w.space = $1)
        or not exists (select from content as c where c.space = $1);
end
$function$;
comment on function graphrag._has_term_counts(integer) is 'Whether the terms of a space have been counted, or there are none.';

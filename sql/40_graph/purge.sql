create function graphrag.purge(
    before text default null,
    document text default null,
    source text default null,
    dry_run boolean default true,
    space text default null,
    realm text default null
)
    returns table (what text, rows bigint)
    language plpgsql volatile parallel unsafe rows 12
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set jit = off
    set graphrag.purge = 'on'
as $function$
-- The one act that erases history. A dry run does the same and takes it back, so its counts are exact.
declare
    _spaces integer[];
begin
    perform graphrag._enter(realm);
    perform graphrag._check_purge(before, document, source);
    _spaces := case
        when document is null and source is null then graphrag._spaces_for_read(space)
        else array[graphrag._space_to_change(space)]
    end;
    return query
    select c.key, c.value::bigint
    from jsonb_each_text(graphrag._purge_giving_way(_spaces, before, document, source, dry_run)) as c
    order by c.key;
end
$function$;
comment on function graphrag.purge(text, text, text, boolean, text, text) is 'Erases history for good: what was no longer believed before a watermark or instant, or every trace of one deleted document. Returns what goes and how much of it; dry_run => false does it.';

create function graphrag._purge_giving_way(
    spaces integer[], before text, document text, source text, dry_run boolean
)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- A row by hand has its chunk, which may be of the past, before its space: so purge() gives way, by waiting for rows
-- less long than a deadlock needs to be seen, and begins again behind the other. Who has the spaces in his own
-- transaction already cannot give way: that ends as deadlocks do.
declare
    _counts jsonb := '{}';
    _lock_timeout text := current_setting('lock_timeout');
    _is_locked boolean := false;
begin
    for _try in 1 .. 20 loop
        begin
            perform graphrag._lock_spaces(spaces);
            _is_locked := true;
            perform set_config('lock_timeout', case when _try < 20 then '300ms' else _lock_timeout end, true);
            _counts := case
                when before is not null then graphrag._purge_before(spaces, before)
                else graphrag._purge_document(spaces[1], document, source)
            end;
            if dry_run or not exists (select from jsonb_each(_counts) as c where c.value <> '0') then
                raise sqlstate 'GR099';
            end if;
            perform set_config('lock_timeout', _lock_timeout, true);
            return _counts;
        exception
            when sqlstate 'GR099' then
                -- What was locked in it went with it; a transaction keeps a space from its first write on.
                perform graphrag._lock_spaces(spaces);
                return _counts;
            when lock_not_available then
                if not _is_locked or _try = 20 then
                    raise;
                end if;
                _is_locked := false;
        end;
    end loop;
end
$function$;
comment on function graphrag._purge_giving_way(integer[], text, text, text, boolean) is 'Erases, or with dry_run only counts, beside other writers: as a JSON object of counts by what went.';

create function graphrag._check_purge(before text, document text, source text)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if not graphrag._may_purge('realm'::regclass) then
        raise exception 'only the owner of realm "%" may purge it', current_schema
            using errcode = '42501',
                detail = format('"%s" is not its owner.', current_user),
                hint = 'Ask the owner of the schema.';
    end if;
    if (before is null) = (document is null and source is null) then
        raise exception 'purge() was not told what to purge'
            using errcode = 'GR009',
                detail = 'It takes either before, or document with or without source.',
                hint = 'before => ''2024-01-01'' erases the history until then, document => ''…'' a document that was deleted.';
    end if;
end
$function$;
comment on function graphrag._check_purge(text, text, text) is 'Raises 42501 or GR009 if purge() may not, or cannot, do what it is told.';

create function graphrag._purge_before(spaces integer[], before text)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _horizons bigint[] := graphrag._revisions_at(spaces, before);
    _counts jsonb := '{}';
begin
    with horizon (space, n) as (
        select * from unnest(spaces, _horizons)
    ),
    relations as (
        delete from relation_version as v
        using relation as r, horizon as h
        where r.id = v.relation and h.space = r.space and v.died <= h.n
        returning 1
    ),
    entities as (
        delete from entity_version as v
        using entity as e, horizon as h
        where e.id = v.entity and h.space = e.space and v.died <= h.n
        returning 1
    ),
    names as (
        delete from entity_name as n using horizon as h where h.space = n.space and n.died <= h.n returning 1
    ),
    decisions as (
        delete from decision as d using horizon as h where h.space = d.space and d.died <= h.n returning 1
    ),
    communities as (
        delete from community_version as v
        using community as c, horizon as h
        where c.id = v.community and h.space = c.space and v.died <= h.n
        returning 1
    ),
    builds as (
        delete from community_build as b using horizon as h where h.space = b.space and b.died <= h.n returning 1
    ),
    totals as (
        delete from term_total as t using horizon as h where h.space = t.space and t.died <= h.n returning 1
    ),
    terms as (
        delete from term_stat as t using horizon as h where h.space = t.space and t.died <= h.n returning 1
    ),
    places as (
        delete from document_chunk as c
        using document_version as v, document as d, horizon as h
        where v.id = c.version and d.id = v.document and h.space = d.space and c.died <= h.n
        returning 1
    )
    select jsonb_build_object(
        'relation versions', (select count(*) from relations),
        'entity versions', (select count(*) from entities),
        'entity names', (select count(*) from names),
        'decisions', (select count(*) from decisions),
        'communities', (select count(*) from communities),
        'builds', (select count(*) from builds),
        'counts of terms', (select count(*) from totals) + (select count(*) from terms),
        'places of chunks', (select count(*) from places)
    )
    into _counts;
    with horizon (space, n) as (
        select * from unnest(spaces, _horizons)
    ),
    versions as (
        delete from document_version as v
        using document as d, horizon as h
        where d.id = v.document and h.space = d.space and v.died <= h.n
        returning 1
    ),
    calls as (
        -- Calls are not known by space: they go when no space needs them.
        delete from usage as u
        where not exists (select from space as s where s.id <> all (spaces))
            and u.at < (
                select min(r.at)
                from horizon as h
                join revision as r on r.space = h.space and r.n = h.n
            )
        returning 1
    )
    select _counts || jsonb_build_object(
        'document versions', (select count(*) from versions), 'usage', (select count(*) from calls)
    )
    into _counts;
    return _counts || graphrag._purge_unneeded(spaces, _horizons);
end
$function$;
comment on function graphrag._purge_before(integer[], text) is 'Erases what spaces had ceased to believe by a watermark or instant.';

create function graphrag._purge_document(space integer, document text, source text)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Every trace: the document with what it said, the call that read it, the derived rows that have no other evidence
-- left, and the decisions about names that only it had.
declare
    _document bigint := graphrag._document_to_purge(space, document, source);
    _horizon bigint := (select max(v.died) from document_version as v where v.document = _document);
    _counts jsonb;
begin
    with places as (
        delete from document_chunk as c
        using document_version as v
        where v.id = c.version and v.document = _document
        returning 1
    ),
    meanings as (
        delete from entity_name as n where n.document = _document returning 1
    )
    select jsonb_build_object(
        'places of chunks', (select count(*) from places), 'meanings of names', (select count(*) from meanings)
    )
    into _counts;
    with versions as (
        delete from document_version as v where v.document = _document returning 1
    ),
    calls as (
        delete from usage as u where u.document = (select d.key from document as d where d.id = _document) returning 1
    ),
    jobs as (
        delete from job as j
        using document as d, space as s
        where d.id = _document
            and s.id = d.space
            and j.space = s.name
            and j.document is not distinct from d.name
            and j.source is not distinct from d.source
            and j.ended_at is not null
        returning 1
    )
    select _counts || jsonb_build_object(
        'document versions', (select count(*) from versions),
        'usage', (select count(*) from calls),
        'jobs', (select count(*) from jobs)
    )
    into _counts;
    return _counts || graphrag._purge_unneeded(array[space], array[coalesce(_horizon, 0)], _document);
end
$function$;
comment on function graphrag._purge_document(integer, text, text) is 'Erases every trace of a deleted document.';

create function graphrag._document_to_purge(space integer, document text, source text)
    returns bigint
    language plpgsql stable parallel safe
as $function$
declare
    _key text := graphrag._document_key(document, source);
    _document bigint := (
        select d.id
        from document as d
        where d.space = $1 and (d.key = _key or ($3 is null and d.key = $2))
        order by d.key = _key desc
        limit 1
    );
begin
    if _document is null then
        raise exception 'there is no document "%"', left(_key, 200)
            using errcode = 'GR012',
                detail = 'The space has never had a document of this key, or it has been purged.',
                hint = 'Name it by the key that index() returned.';
    end if;
    if exists (select from document_version as v where v.document = _document and v.died is null) then
        raise exception 'document "%" is indexed now', left(_key, 200)
            using errcode = 'GR009',
                detail = 'purge() erases what is no longer believed.',
                hint = 'graphrag.delete_document() withdraws it.';
    end if;
    return _document;
end
$function$;
comment on function graphrag._document_to_purge(integer, text, text) is 'A document that is not live; raises GR012 or GR009.';

create function graphrag._purge_unneeded(spaces integer[], horizons bigint[], of_document bigint default null)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- What nothing points to any more goes too, and the spaces remember from where on their past is whole.
declare
    _space record;
    _names text[] := graphrag._names_in_document(of_document);
    _counts jsonb := graphrag._purge_evidence(spaces);
    _more jsonb;
begin
    if of_document is not null then
        _counts := _counts || graphrag._purge_unsupported(spaces[1], _names)
            || graphrag._purge_old_reports(spaces[1], horizons[1]);
    end if;
    _counts := _counts || graphrag._purge_reports();
    with relations as (
        delete from relation as r
        where r.space = any (spaces)
            and not exists (select from relation_version as v where v.relation = r.id)
            and not exists (select from relation_version as v where v.superseded_by = r.id)
        returning 1
    ),
    documents as (
        delete from document as d
        where d.space = any (spaces)
            and not exists (select from document_version as v where v.document = d.id)
            and not exists (select from chunk as c where c.document = d.id)
        returning 1
    ),
    texts as (
        delete from content as c
        where c.space = any (spaces)
            and not exists (select from chunk as k where k.content = c.id)
            and not exists (select from document_chunk as k where k.content = c.id)
            and not exists (select from mention as m where m.content = c.id)
            and not exists (select from assertion as a where a.content = c.id)
            and not exists (select from entity_version as v where v.content = c.id)
            and not exists (select from relation_version as v where v.content = c.id)
            and not exists (select from report as r where r.content = c.id)
        returning c.space, c.kind, c.hash
    )
    select jsonb_build_object(
        'relations', (select count(*) from relations),
        'documents', (select count(*) from documents),
        'texts', (select count(*) from texts),
        'answers', (
            select coalesce(sum(graphrag._forget_answers('infinity', s.name, t.bodies)), 0)
            from (
                select x.space, array_agg(x.hash) as bodies
                from texts as x
                where x.kind = 'chunk'
                group by x.space
            ) as t
            join space as s on s.id = t.space
        )
    )
    into _more;
    if of_document is not null then
        _more := _more || graphrag._purge_terms(spaces[1]);
    end if;
    for _space in
        select h.id, h.n from unnest(spaces, horizons) as h (id, n) order by h.id
    loop
        perform graphrag._next_revision(_space.id, 'purge');
        update space as s set purged = _space.n where s.id = _space.id and s.purged < _space.n;
    end loop;
    return _counts || _more;
end
$function$;
comment on function graphrag._purge_unneeded(integer[], bigint[], bigint) is 'Erases what history no longer needs, and notes from where on it is whole.';

create function graphrag._names_in_document(document bigint)
    returns text[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select distinct f.folded
        from chunk as k
        join mention as m on m.chunk = k.id
        cross join unnest(m.folded || m.folded_aliases) as f (folded)
        where k.document = $1
    );
end
$function$;
comment on function graphrag._names_in_document(bigint) is 'The folded names that a document has ever used or claimed.';

create function graphrag._purge_old_reports(space integer, horizon bigint)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Reports written from a graph in which a document still stood may tell what it said.
declare
    _counts jsonb;
begin
    if exists (
        select
        from community_build as b
        where b.space = $1 and b.died is null and b.graph_revision < horizon
    ) then
        raise exception 'the communities are older than the deletion of the document'
            using errcode = 'GR009',
                detail = 'Their reports may tell what it said.',
                hint = 'SELECT graphrag.build_communities(); and then purge again.';
    end if;
    with communities as (
        delete from community_version as v
        using community as c
        where c.id = v.community and c.space = $1 and v.died is not null
        returning 1
    ),
    builds as (
        delete from community_build as b where b.space = $1 and b.died is not null returning 1
    )
    select jsonb_build_object(
        'communities', (select count(*) from communities), 'builds', (select count(*) from builds)
    )
    into _counts;
    return _counts;
end
$function$;
comment on function graphrag._purge_old_reports(integer, bigint) is 'Erases the communities of the past of a space; raises GR009 if the present ones may tell what a deleted document said.';

create function graphrag._purge_terms(space integer)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Counts of words that no text has any more. They rank nothing.
declare
    _count bigint;
begin
    delete from term_stat as t
    where t.space = $1
        and t.term not in (
            select w.lexeme from content as c cross join unnest(c.tsv) as w where c.space = $1
        );
    get diagnostics _count = row_count;
    return jsonb_build_object('counts of terms', _count);
end
$function$;
comment on function graphrag._purge_terms(integer) is 'Erases what is known of words that no text of a space has.';

create function graphrag._purge_reports()
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
declare
    _reports bigint[] := array(
        select r.id
        from report as r
        where not exists (select from community_version as v where v.report = r.id)
    );
begin
    delete from member as m where m.report = any (_reports);
    delete from finding as f where f.report = any (_reports);
    delete from report as r where r.id = any (_reports);
    return jsonb_build_object('reports', cardinality(_reports));
end
$function$;
comment on function graphrag._purge_reports() is 'Erases reports that no community has, or had.';

create function graphrag._purge_evidence(spaces integer[])
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Chunks that stand in no version of a document, with the answers of models that they keep.
declare
    _chunks bigint[] := array(
        select c.id
        from chunk as c
        join document as d on d.id = c.document
        where d.space = any (spaces) and not exists (select from document_chunk as k where k.chunk = c.id)
    );
    _mentions bigint;
    _assertions bigint;
begin
    delete from mention as m where m.chunk = any (_chunks);
    get diagnostics _mentions = row_count;
    perform graphrag._forget_verdicts(_chunks);
    delete from assertion as a where a.chunk = any (_chunks);
    get diagnostics _assertions = row_count;
    delete from chunk as c where c.id = any (_chunks);
    return jsonb_build_object('mentions', _mentions, 'assertions', _assertions, 'chunks', cardinality(_chunks));
end
$function$;
comment on function graphrag._purge_evidence(integer[]) is 'Erases chunks without a place, and what was read in them.';

create function graphrag._purge_unsupported(space integer, of_document text[])
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Derived rows of the past that no evidence which is left could have given: texts, names, spellings. What is believed
-- now always has such evidence. A decision stays until it is undone, unless one of its names was the document's alone.
declare
    _counts jsonb;
begin
    with spelt as materialized (
        select m.surface as name from mention as m where m.space = $1
        union
        select a.name
        from mention as m
        cross join unnest(m.aliases) as a (name)
        where m.space = $1
    ),
    meant as materialized (
        select m.folded from mention as m where m.space = $1
        union
        select a.folded
        from mention as m
        cross join unnest(m.folded_aliases) as a (folded)
        where m.space = $1
    ),
    relations as (
        delete from relation_version as v
        using relation as r
        where r.id = v.relation
            and r.space = $1
            and v.died is not null
            and not exists (select from assertion as a where a.content = v.content)
        returning 1
    ),
    entities as (
        delete from entity_version as v
        using entity as e
        where e.id = v.entity
            and e.space = $1
            and v.died is not null
            and (
                not exists (select from mention as m where m.content = v.content)
                or not exists (select from spelt as s where s.name = v.name)
            )
        returning 1
    ),
    names as (
        delete from entity_name as n
        where n.space = $1
            and n.died is not null
            and (
                not exists (select from meant as m where m.folded = n.folded)
                or not exists (select from spelt as s where s.name = n.name)
            )
        returning 1
    ),
    decisions as (
        delete from decision as d
        where d.space = $1
            and exists (
                select
                from jsonb_array_elements_text(d.payload -> 'names') as n (name)
                where n.name = any (of_document) and not exists (select from meant as m where m.folded = n.name)
            )
        returning 1
    )
    select jsonb_build_object(
        'relation versions', (select count(*) from relations),
        'entity versions', (select count(*) from entities),
        'entity names', (select count(*) from names),
        'decisions', (select count(*) from decisions)
    )
    into _counts;
    return _counts;
end
$function$;
comment on function graphrag._purge_unsupported(integer, text[]) is 'Erases derived rows of the past that no evidence is left for, and decisions about names that only a purged document had.';

create function graphrag._check_horizon(spaces integer[], revisions bigint[], asked text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _space record;
begin
    select s.name, s.purged into _space
    from unnest(spaces, revisions) as r (id, n)
    join space as s on s.id = r.id and r.n < s.purged
    limit 1;
    if found then
        raise exception 'what was believed at "%" has been purged', asked
            using errcode = 'GR023',
                detail = format('The past of space "%s" is whole from revision %s on.', _space.name, _space.purged),
                hint = 'Ask for a later revision or instant.';
    end if;
end
$function$;
comment on function graphrag._check_horizon(integer[], bigint[], text) is 'Raises GR023 for a past that has been purged.';

create function graphrag._check_still_whole(filter graphrag._filter)
    returns void
    language plpgsql stable parallel safe
as $function$
-- A read is several statements, with a model between them: a purge that comes meanwhile takes what is still to be read.
-- Of the present it takes nothing.
begin
    if 9223372036854775806 > any (filter.revisions) then
        perform graphrag._check_horizon(filter.spaces, filter.revisions, array_to_string(filter.revisions, ', '));
    end if;
end
$function$;
comment on function graphrag._check_still_whole(graphrag._filter) is 'At the end of a read: raises GR023 if its past has been purged since it began.';

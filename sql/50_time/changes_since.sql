create function graphrag.changes_since(
    since text default null,
    kinds text[] default null,
    page_size integer default 1000,
    space text default null,
    realm text default null
)
    returns setof graphrag.change
    language plpgsql volatile parallel unsafe rows 1000
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
    set timezone = 'UTC'
as $function$
-- One space after another, each in the order of its revisions, until the page is full. A revision is visible whole or
-- not at all, and only after those before it: so what one statement sees of a space is a beginning of its history.
declare
    _is_all boolean := coalesce(space, graphrag._default_space()) = '*';
    _spaces integer[];
    _pieces text[];
    _head text;
    _place record;
    _until bigint;
    _left integer := page_size;
    _found bigint;
begin
    perform graphrag._enter(realm);
    perform graphrag._check_kinds(kinds);
    if page_size is null or page_size not between 1 and 100000 then
        raise exception 'page_size % is out of range', coalesce(page_size::text, 'NULL')
            using errcode = 'GR009', detail = 'A page has 1 to 100,000 rows.', hint = 'The default is 1000.';
    end if;
    _head := graphrag._position_head(_is_all);
    _spaces := graphrag._spaces_for_read(space);
    _pieces := array(select p.piece from graphrag._places(since, _spaces, _is_all) as p);
    for _place in
        select p.*, row_number() over () as no from graphrag._places(since, _spaces, _is_all) as p
    loop
        exit when _left = 0;
        _until := graphrag._settled_revision(_place.space);
        return query
            select
                _head || array_to_string(
                    _pieces[: _place.no - 1]
                    || graphrag._position_piece(
                        _place.space,
                        c.revision,
                        graphrag._fingerprint(
                            r.n, r.transaction, r.at, (select s.purged from space as s where s.id = _place.space)
                        ),
                        c.class,
                        c.id
                    )
                    || _pieces[_place.no + 1 :],
                    ','
                ),
                s.name,
                c.revision,
                r.at,
                c.kind,
                c.id,
                d.name,
                d.details
            from graphrag._changes(
                _place.space, _place.revision, _place.class, _place.id, _until, kinds, _left
            ) as c
            join space as s on s.id = _place.space
            join revision as r on r.space = _place.space and r.n = c.revision
            cross join lateral graphrag._describe_change(c.revision, c.class, c.id, c.kind) as d
            order by c.revision, c.class, c.id;
        get diagnostics _found = row_count;
        _left := _left - _found;
        -- A standby may be behind the place that was given.
        if _until >= _place.revision then
            _pieces[_place.no] := graphrag._position_piece(
                _place.space, _until, graphrag._revision_fingerprint(_place.space, _until)
            );
        end if;
    end loop;
    -- Each statement sees what has been purged by then: whoever was let in may have been told of what was left.
    perform from graphrag._places(since, _spaces, _is_all);
end
$function$;
comment on function graphrag.changes_since(text, text[], integer, text, text) is 'What changed in a space after a position, in order, each change with the position to go on from; NULL is the beginning.';

create function graphrag._describe_change(revision bigint, class integer, id bigint, kind text)
    returns table (name text, details jsonb)
    language plpgsql stable parallel safe rows 1
as $function$
declare
    _kind constant text := $4;
    -- What ended is told as it was when it was last believed.
    _then bigint := case
        when _kind in (
            'document_deleted', 'entity_dormant', 'entity_archived', 'entity_merged', 'relation_withdrawn'
        ) then revision - 1
        else revision
    end;
begin
    if class = 1 then
        return query
            select
                d.key,
                jsonb_strip_nulls(jsonb_build_object(
                    'document', d.name,
                    'source', d.source,
                    'published_at', v.published_at,
                    'ordinal', v.ordinal,
                    'metadata', v.metadata
                ))
            from document as d
            join document_version as v on v.document = d.id and v.born <= _then and (v.died is null or v.died > _then)
            where d.id = $3;
    elsif class = 2 then
        return query
            select
                v.name,
                jsonb_strip_nulls(jsonb_build_object(
                    'types', v.types,
                    'description', c.body,
                    'aliases', graphrag._aliases_at(v.entity, _then),
                    'into', case
                        when _kind = 'entity_merged'
                            then graphrag._name_at(graphrag._merged_into(v.entity, revision), revision)
                    end
                ))
            from entity_version as v
            join content as c on c.id = v.content
            where v.entity = $3 and v.born <= _then and (v.died is null or v.died > _then);
    elsif class = 4 then
        return query
            select
                'communities',
                jsonb_build_object(
                    'algorithm', b.algorithm,
                    'levels', b.levels,
                    'built_at_revision', b.born,
                    'failures', jsonb_array_length(b.failures)
                )
            from community_build as b
            where b.id = $3;
    else
        return query
            select
                graphrag._fact_at(v.relation, _then),
                jsonb_strip_nulls(jsonb_build_object(
                    'subject', graphrag._name_at(v.subject, _then),
                    'predicate', v.predicate,
                    'object', coalesce(graphrag._name_at(v.object, _then), v.value),
                    'negated', v.negated,
                    'status', v.status,
                    'period', graphrag._render_period(v.effective),
                    'superseded_by', graphrag._fact_at(v.superseded_by, revision),
                    'weight', v.weight
                ))
            from relation_version as v
            where v.relation = $3 and v.born <= _then and (v.died is null or v.died > _then);
    end if;
end
$function$;
comment on function graphrag._describe_change(bigint, integer, bigint, text) is 'Name and details of what changed, as believed right after it, or right before it ended.';

create function graphrag._name_at(entity bigint, revision bigint)
    returns text
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select v.name
        from entity_version as v
        where v.entity = $1 and v.born <= $2
        order by v.born desc
        limit 1
    );
end
$function$;
comment on function graphrag._name_at(bigint, bigint) is 'What an entity was called at a revision, or last before it.';

create function graphrag._aliases_at(entity bigint, revision bigint)
    returns text[]
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select array_agg(distinct n.name collate "C" order by n.name collate "C")
        from entity_name as n
        where n.entity = $1 and n.role <> 'canonical' and n.born <= $2 and (n.died is null or n.died > $2)
    );
end
$function$;
comment on function graphrag._aliases_at(bigint, bigint) is 'The aliases of an entity at a revision; NULL if it had none.';

create function graphrag._fact_at(relation bigint, revision bigint)
    returns text
    language plpgsql stable parallel safe
as $function$
-- As its newest statement put it: of a symmetric fact, the identity has the ends in the order in which they came.
begin
    return (
        select concat_ws(
            ' ',
            graphrag._name_at(v.subject, $2),
            case when v.negated then 'NOT' end,
            v.predicate,
            coalesce(graphrag._name_at(v.object, $2), v.value)
        )
        from relation_version as v
        where v.relation = $1 and v.born <= $2
        order by v.born desc
        limit 1
    );
end
$function$;
comment on function graphrag._fact_at(bigint, bigint) is 'A fact in words, with the names that its ends had at a revision.';

create function graphrag._replace_version(plan graphrag._document_plan, revision bigint)
    returns bigint[]
    language plpgsql volatile parallel unsafe
as $function$
-- Puts the planned version in the place of the live one. Returns the chunks whose evidence begins or ceases to count,
-- or counts at another place in document order.
declare
    _old bigint;
    _new bigint;
    _touched bigint[];
begin
    _old := (select v.id from document_version as v where v.document = plan.document and v.died is null);
    if _old is not null then
        perform graphrag._close_version(_old, revision);
    end if;
    insert into document_version (document, space, born, ord, published_at, ordinal, metadata, hash)
    select
        d.id,
        d.space,
        revision,
        coalesce(plan.ordinal, extract(epoch from plan.published_at), extract(epoch from d.first_indexed_at)),
        plan.published_at,
        plan.ordinal,
        plan.metadata,
        plan.hash
    from document as d
    where d.id = plan.document
    returning id into _new;
    with place as (
        insert into document_chunk (version, no, chunk, content, start_at, end_at, born)
        select _new, h.no, c.id, c.content, plan.starts[h.no], plan.ends[h.no], revision
        from unnest(plan.hashes) with ordinality as h (hash, no)
        join chunk as c on c.id = graphrag._latest_chunk(plan.document, h.hash)
        returning chunk
    )
    select array_agg(distinct p.chunk) into _touched from place as p;
    if _old is null then
        return coalesce(_touched, '{}');
    end if;
    select array_agg(distinct coalesce(o.chunk, n.chunk))
    into _touched
    from (
        select c.chunk, c.no, v.ord, v.published_at, graphrag._corrects(v.metadata) as corrects
        from document_chunk as c
        join document_version as v on v.id = c.version
        where c.version = _old and c.died = revision
    ) as o
    full join (
        select c.chunk, c.no, v.ord, v.published_at, graphrag._corrects(v.metadata) as corrects
        from document_chunk as c
        join document_version as v on v.id = c.version
        where c.version = _new
    ) as n on n.chunk = o.chunk and n.no = o.no
    where o.chunk is null
        or n.chunk is null
        or n.ord <> o.ord
        or n.published_at is distinct from o.published_at
        or n.corrects is distinct from o.corrects;
    perform graphrag._forget_unborn(_old, revision);
    return coalesce(_touched, '{}');
end
$function$;
comment on function graphrag._replace_version(graphrag._document_plan, bigint) is 'Replaces the live version of a document and returns the chunks it touches.';

create function graphrag._close_version(version bigint, revision bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
begin
    update document_version as v set died = revision where v.id = version;
    update document_chunk as c set died = revision where c.version = $1 and c.died is null;
end
$function$;
comment on function graphrag._close_version(bigint, bigint) is 'Ends a document version.';

create function graphrag._forget_unborn(version bigint, revision bigint)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- A version born and ended in one revision was never believed by anyone.
begin
    delete from document_chunk as c where c.version = $1 and c.born = revision;
    delete from document_version as v where v.id = version and v.born = revision;
end
$function$;
comment on function graphrag._forget_unborn(bigint, bigint) is 'Deletes a document version that was born in the revision that ended it.';

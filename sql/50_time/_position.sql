-- A position of the change feed is text: the realm, then for each space how far its changes have been seen, and the
-- fingerprint of that revision, by which a position of another history is known.
--   4f2a91c0:1=42.9f3e01aa              one space, whole revisions
--   4f2a91c0*1=42/2/317.9f3e01aa,2=7.…  every space; of the first, revision 42 up to row 317 of class 2 (entities)

create function graphrag._position_piece(
    space integer,
    revision bigint,
    fingerprint text,
    class integer default null,
    id bigint default null
)
    returns text
    language sql immutable parallel safe
as $function$
    select concat(space, '=', revision, '/' || class || '/' || id, '.', fingerprint)
$function$;
comment on function graphrag._position_piece(integer, bigint, text, integer, bigint) is 'How far the changes of one space have been seen, as a piece of a position.';

create function graphrag._fingerprint(revision bigint, transaction text, at timestamptz, purged bigint)
    returns text
    language sql immutable parallel safe
as $function$
-- Of what has been purged, only that is a place which was given after the purge: who reads anew from the beginning gets
-- what is left of those revisions, page by page.
    select encode(
        substr(
            sha256(
                convert_to(
                    concat_ws(
                        ' ',
                        revision,
                        transaction,
                        extract(epoch from at),
                        case when purged > revision then purged end
                    ),
                    'UTF8'
                )
            ),
            1,
            4
        ),
        'hex'
    )
$function$;
comment on function graphrag._fingerprint(bigint, text, timestamptz, bigint) is 'Tells a revision from one of the same number in another history, or before a later purge.';

create function graphrag._revision_fingerprint(space integer, revision bigint)
    returns text
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce(
        (
            select graphrag._fingerprint(r.n, r.transaction, r.at, s.purged)
            from revision as r
            join space as s on s.id = r.space
            where r.space = $1 and r.n = $2
        ),
        '00000000'
    );
end
$function$;
comment on function graphrag._revision_fingerprint(integer, bigint) is 'The fingerprint of a revision; zeros before the first.';

create function graphrag._position_head(is_all boolean)
    returns text
    language plpgsql stable parallel safe
as $function$
begin
    return (select left(r.uid::text, 8) from realm as r) || case when is_all then '*' else ':' end;
end
$function$;
comment on function graphrag._position_head(boolean) is 'How positions of this realm begin: of all spaces, or of one.';

create function graphrag._settled_revision(space integer)
    returns bigint
    language plpgsql stable parallel unsafe
as $function$
-- A transaction may still add to its own revision; what it has written so far is no change yet.
begin
    return (
        select s.revision - count(r.n)
        from space as s
        left join revision as r on r.space = s.id
            and r.n = s.revision
            and r.transaction = format('%s@%s', pg_current_xact_id_if_assigned(), extract(epoch from now()))
        where s.id = $1
        group by s.id
    );
end
$function$;
comment on function graphrag._settled_revision(integer) is 'The last revision of a space to which nothing will be added.';

create function graphrag._places(since text, spaces integer[], is_all boolean)
    returns table (space integer, revision bigint, class integer, id bigint, piece text)
    language plpgsql stable parallel safe rows 10
as $function$
-- How far a position has got in each space. A space that is not in a position of all spaces is newer than it.
declare
    _problem text := graphrag._position_problem(since, spaces, is_all);
begin
    if _problem is not null then
        raise exception 'there is no position "%"', left(since, 200)
            using errcode = 'GR013',
                detail = _problem,
                hint = 'Begin anew with NULL, or keep one that watermark() or changes_since() gives.';
    end if;
    return query
    select
        i.id,
        coalesce(p.revision, 0),
        p.class,
        p.row_id,
        graphrag._position_piece(i.id, coalesce(p.revision, 0), coalesce(p.fingerprint, '00000000'), p.class, p.row_id)
    from unnest(spaces) with ordinality as i (id, no)
    left join graphrag._position_pieces(since) as p on p.space = i.id
    order by i.no;
end
$function$;
comment on function graphrag._places(text, integer[], boolean) is 'How far a position has got in each space; raises GR013 for what is no position here. NULL is the beginning.';

create function graphrag._position_pieces(since text)
    returns table (space integer, revision bigint, class integer, row_id bigint, fingerprint text)
    language sql immutable parallel safe rows 10
as $function$
    select m.m[1]::integer, m.m[2]::bigint, m.m[3]::integer, m.m[4]::bigint, m.m[5]
    from regexp_matches(since, '([0-9]{1,9})=([0-9]{1,18})(?:/([0-9])/([0-9]{1,18}))?\.([0-9a-f]{8})', 'g') as m (m)
$function$;
comment on function graphrag._position_pieces(text) is 'The pieces of a position, unchecked.';

create function graphrag._is_position(text text)
    returns boolean
    language sql immutable parallel safe
as $function$
    select text ~ '^[0-9a-f]{8}[:*]((^|,|(?<=[:*]))[0-9]{1,9}=[0-9]{1,18}(/[0-9]/[0-9]{1,18})?\.[0-9a-f]{8})*$'
$function$;
comment on function graphrag._is_position(text) is 'Whether a text has the form of a position.';

create function graphrag._position_problem(since text, spaces integer[], is_all boolean)
    returns text
    language plpgsql stable parallel safe
as $function$
declare
    _of_all boolean := substr(since, 9, 1) = '*';
begin
    if since is null then
        return null;
    elsif not graphrag._is_position(since) then
        return 'It is no text that watermark() or changes_since() gave.';
    elsif left(since, 8) <> left(graphrag._position_head(true), 8) then
        return 'It was given in another realm.';
    elsif is_all and not _of_all then
        return 'It is the position of one space, and the changes of all are asked for.';
    elsif not _of_all and length(since) > 9
        and spaces <> array(select p.space from graphrag._position_pieces(since) as p)
    then
        return 'It was given in another space.';
    end if;
    return (
        select case
            when p.revision < s.purged and p.fingerprint <> graphrag._revision_fingerprint(s.id, p.revision)
                then format('Some of what changed since then in space "%s" has been purged.', s.name)
            -- A standby may not have got there yet.
            when s.id is null or p.revision > s.revision and not current_setting('in_hot_standby')::boolean
                or p.revision <= s.revision and p.fingerprint <> graphrag._revision_fingerprint(s.id, p.revision)
                then 'This database has never been there: it was restored to an earlier state, or is another one.'
        end
        from graphrag._position_pieces(since) as p
        left join space as s on s.id = p.space
        where p.space = any (spaces)
        order by 1
        limit 1
    );
end
$function$;
comment on function graphrag._position_problem(text, integer[], boolean) is 'Why a text is no position from which the changes of these spaces can be told; NULL if it is one.';

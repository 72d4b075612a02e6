create function graphrag._holds(
    status text,
    effective tstzmultirange,
    predicate text,
    confidence real,
    filter graphrag._filter
)
    returns boolean
    language sql immutable parallel safe
as $function$
-- With as_of the effective period decides, not the status.
    select case
            when filter.as_of is not null then status <> 'archived' and effective && filter.as_of
            else status = 'current' or (filter.include_superseded and status = 'superseded')
        end
        and (filter.relation_types is null or predicate = any (filter.relation_types))
        and (filter.min_confidence is null or confidence >= filter.min_confidence)
$function$;
comment on function graphrag._holds(text, tstzmultirange, text, real, graphrag._filter) is 'Whether a read may see a relation version.';

create function graphrag._today(filter graphrag._filter)
    returns timestamptz
    language plpgsql stable parallel safe
as $function$
-- The moment by which facts have ended or not: now, or then for a read of a past belief, which must stay as it was.
-- With as_of it is not asked, because only what holds then is found.
begin
    if filter.as_of is not null then
        return null;
    elsif 9223372036854775806 = all (filter.revisions) then
        return now();
    end if;
    return (
        select max(r.at)
        from unnest(filter.spaces, filter.revisions) as n (space, revision)
        join revision as r on r.space = n.space and r.n = n.revision
    );
end
$function$;
comment on function graphrag._today(graphrag._filter) is 'The moment by which a read tells facts that have ended; NULL with as_of.';

create function graphrag._has_ended(effective tstzmultirange, today timestamptz)
    returns boolean
    language sql immutable parallel safe
as $function$
    select coalesce(upper(effective) <= today, false)
$function$;
comment on function graphrag._has_ended(tstzmultirange, timestamptz) is 'Whether a period was over by a moment.';

create function graphrag._believed(born bigint, died bigint, space integer, filter graphrag._filter)
    returns boolean
    language sql immutable parallel safe
as $function$
    select born <= filter.revisions[array_position(filter.spaces, space)]
        and (died is null or died > filter.revisions[array_position(filter.spaces, space)])
$function$;
comment on function graphrag._believed(bigint, bigint, integer, graphrag._filter) is 'Whether a row was believed at the revision a read is about.';

create function graphrag._holding(chunk bigint, as_of tstzrange)
    returns table (held bigint)
    language sql stable parallel safe rows 1
as $function$
-- as_of drops a passage only if everything dated in it lies outside. A table, of one row or none, so that the planner
-- inlines it; a function that answers true or false by a subquery is called once a row.
    select $1
    where exists (select from assertion as a where a.chunk = $1 and a.claim && $2)
        or not exists (select from assertion as a where a.chunk = $1 and a.claim is not null)
$function$;
comment on function graphrag._holding(bigint, tstzrange) is 'A passage, if a read as of a date may see it.';

create function graphrag._has_archive(space integer)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (select from decision as d where d.space = $1 and d.kind = 'archive');
end
$function$;
comment on function graphrag._has_archive(integer) is 'Whether anything was ever archived in a space.';

create function graphrag._archived_labels(
    space integer,
    names text[],
    labels text[],
    meanings graphrag._meaning[]
)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- A decision to archive is about the mentions that there were when it was taken. A group of names is archived while
-- all its live mentions are covered by such decisions: so the next mention revives it, and withdrawing that archives
-- it again. A chunk that took another's place holds copies of its mentions, which are no news of anybody: what counts
-- is the first reading. A name that means something else in one document is covered there by that document's meaning.
begin
    if not graphrag._has_archive(space) then
        return '{}';
    end if;
    return array(
        select coalesce(x.label, n.label)
        from unnest(names, labels) as n (folded, label)
        join mention as m on m.space = $1 and m.folded = n.folded
        join document_chunk as c on c.chunk = m.chunk and c.died is null
        join document_version as v on v.id = c.version
        left join unnest(meanings) as x on x.document = v.document and x.folded = m.folded
        where x.folded is null or x.label is not null
        group by 1
        having bool_and(
            exists (
                select
                from decision as d
                where d.space = $1
                    and d.kind = 'archive'
                    and d.died is null
                    and case
                        when x.folded is null then d.payload -> 'names' ? m.folded
                        else d.payload -> 'contexts' @> jsonb_build_array(
                            jsonb_build_object('name', m.folded, 'document', v.document)
                        )
                    end
                    and (d.payload ->> 'last_mention')::bigint >= coalesce(m.first_reading, m.id)
            )
        )
    );
end
$function$;
comment on function graphrag._archived_labels(integer, text[], text[], graphrag._meaning[]) is 'The groups of names that are archived.';

create function graphrag._turned_names(
    space integer,
    names text[],
    labels text[],
    groups text[],
    entities bigint[],
    archived text[]
)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- An archived entity keeps its names but has no live version.
begin
    if not graphrag._has_archive(space) then
        return '{}';
    end if;
    return array(
        select n.folded
        from unnest(groups, entities) as g (label, entity)
        join unnest(names, labels) as n (folded, label) on n.label = g.label
        where (g.label = any (archived))
            = exists (select from entity_version as v where v.entity = g.entity and v.died is null)
    );
end
$function$;
comment on function graphrag._turned_names(integer, text[], text[], text[], bigint[], text[]) is 'Names of the entities that are about to be archived or revived: all their relations move.';

create function graphrag._withhold_archived(space integer, states graphrag._relation_state[])
    returns graphrag._relation_state[]
    language plpgsql stable parallel safe
as $function$
-- A relation is archived while one of its ends is. Supersession is judged as ever: archiving withholds, and denies
-- nothing.
begin
    if not graphrag._has_archive(space) then
        return states;
    end if;
    return array(
        select case
            when exists (
                select
                from unnest(array[s.subject, s.object]) as e (entity)
                where e.entity is not null
                    and not exists (select from entity_version as v where v.entity = e.entity and v.died is null)
            )
                then jsonb_populate_record(s, '{"status": "archived"}')
            else s
        end
        from unnest(states) as s
    );
end
$function$;
comment on function graphrag._withhold_archived(integer, graphrag._relation_state[]) is 'The states of relations, archived where an end is.';

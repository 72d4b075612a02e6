create function graphrag._resolve_predicates(predicates text[])
    returns table (stated text, predicate text, swapped boolean, declared boolean)
    language plpgsql stable strict parallel safe rows 20
as $function$
-- In the realm's vocabulary: the same name, else an alias, else another inflection of the first word of a name or alias
-- whose other words are equal; never a prefix nor a stem. Where the name found is declared an inverse, the relation is
-- read the other way round.
begin
    return query
    with asked as materialized (
        select d.stated, d.normal, w.*
        from (select distinct p, graphrag._normalize_predicate(p) from unnest(predicates) as p) as d (stated, normal)
        cross join graphrag._head_and_tail(d.normal) as w
    ),
    form as materialized (
        select p.name, p.name as form, 1 as rank
        from predicate as p
        union all
        select p.name, a.form, 2
        from predicate as p
        cross join unnest(p.aliases) as a (form)
    ),
    exact as materialized (
        select distinct on (a.stated) a.stated, f.name
        from asked as a
        join form as f on f.form = a.normal
        order by a.stated, f.rank, f.name collate "C"
    ),
    inexact as materialized (
        select a.*
        from asked as a
        where not exists (select from exact as e where e.stated = a.stated)
    ),
    candidate as materialized (
        select i.stated, i.head, f.name, f.rank, w.head as form_head
        from inexact as i
        join form as f on right(f.form, length(i.tail)) = i.tail
        cross join graphrag._head_and_tail(f.form) as w
        where w.letter = i.letter and w.tail = i.tail
    ),
    snapped as (
        select distinct on (c.stated) c.stated, c.name
        from candidate as c
        where graphrag._verb_bases(c.form_head) && graphrag._verb_bases(c.head)
        order by c.stated, c.rank, c.name collate "C"
    )
    select a.stated, coalesce(p.inverse_of, p.name, a.normal), p.inverse_of is not null, p.name is not null
    from asked as a
    left join exact as e on e.stated = a.stated
    left join snapped as s on s.stated = a.stated
    left join predicate as p on p.name = coalesce(e.name, s.name);
end
$function$;
comment on function graphrag._resolve_predicates(text[]) is 'The names under which the current realm knows predicates, and whether their ends swap; unknown ones come back normalised.';

create function graphrag._head_and_tail(predicate text)
    returns table (head text, tail text, letter text)
    language sql immutable parallel safe rows 1
as $function$
-- All forms of a verb begin with the same letter, but for went.
    select
        split_part(predicate, '_', 1),
        substr(predicate, length(split_part(predicate, '_', 1)) + 1),
        case when split_part(predicate, '_', 1) = 'went' then 'g' else left(predicate, 1) end
$function$;
comment on function graphrag._head_and_tail(text) is 'The first word of a normalised predicate, the rest, and the letter with which the verb begins.';

create function graphrag._meaning_pairs(space integer, documents bigint[])
    returns graphrag._name_pair[]
    language plpgsql stable parallel safe
as $function$
-- Who in a document may be meant by a shorter name, by the words of both. A person's fuller name is what these are
-- short for: its first or last words (Scrooge: Ebenezer Scrooge); a title before its surname (Mr. Scrooge), unless it
-- is another's; the whole of it with a title. A surname alone may also be one that has a title in the document (Topper:
-- Mr. Topper), and a name without its article the one with it. Nothing here looks beyond the document.
--
-- Mr. and Mrs. X are two, and X is a family. So a title of one gender never means a name of the other, nor one that a
-- passage lists beside it; Mrs. X only the one X there is, told by her name; and a name whose gender nothing tells only
-- Mr. X, if no Mrs. X is there. Nor is the X whom a passage lists beside Mrs. X herself.
begin
    if not exists (
        select
        from unnest(documents) as d (id)
        join document_version as v on v.document = d.id and v.died is null
        join document_chunk as c on c.version = v.id and c.died is null
        cross join lateral (
            select
            from mention as m
            where m.chunk = c.chunk and (m.form is not null or m.given <> '{}' or m.family <> '{}')
            offset 0
        ) as m
    ) then
        return '{}';
    end if;
    return array(
        with said as materialized (
            select v.document, c.chunk, m.folded, m.type, m.is_person, m.form, m.gender, m.core, m.given, m.family,
                m.identifiers
            from unnest(documents) as d (id)
            join document_version as v on v.document = d.id and v.died is null
            join document_chunk as c on c.version = v.id and c.died is null
            join mention as m on m.chunk = c.chunk
        ),
        name as materialized (
            select
                s.document,
                s.folded,
                bool_and(s.is_person) as is_person,
                min(s.form collate "C") as form,
                case when min(s.gender) = max(s.gender) then min(s.gender) end as gender,
                min(s.core collate "C") as core,
                bool_or(s.given <> '{}' or s.family <> '{}') as is_full,
                bool_or(s.identifiers <> '{}') as is_identified,
                array_agg(distinct graphrag._lower(s.type)) filter (where s.type is not null) as types
            from said as s
            group by s.document, s.folded
        ),
        short as (
            select distinct s.document, s.folded as other, p.short, p.is_family
            from said as s
            cross join lateral (
                select g.short, false from unnest(s.given) as g (short)
                union all
                select f.short, true from unnest(s.family) as f (short)
            ) as p (short, is_family)
            where s.given <> '{}' or s.family <> '{}'
        ),
        titled as materialized (
            select n.document, n.folded, n.core, n.gender, n.is_full, n.is_person, n.form, n.is_identified
            from name as n
            where n.form in ('title', 'given title', 'rank') and n.is_person is not false
        ),
        articled as materialized (
            select n.document, n.folded, n.core, n.is_person, n.types from name as n where n.form = 'article'
        ),
        honoured as materialized (
            select t.document, t.core, bool_or(t.gender = 'm') as has_m, bool_or(t.gender = 'f') as has_f
            from titled as t
            where t.gender is not null
            group by t.document, t.core
        ),
        person as materialized (
            select
                n.*,
                coalesce(
                    n.gender, case when h.has_m and not h.has_f then 'm' when h.has_f and not h.has_m then 'f' end
                ) as known
            from name as n
            left join honoured as h on h.document = n.document and h.core = n.folded
            where n.is_person is not false
        ),
        bearer as materialized (
            select s.document, s.short, count(distinct coalesce(n.core, n.folded)) as persons
            from short as s
            join name as n on n.document = s.document and n.folded = s.other
            where s.is_family
            group by s.document, s.short
        ),
        pair as (
            -- without a title
            select n.document, n.folded, s.other, 'any' as needs, n.gender, null::text as known
            from name as n
            join short as s on s.document = n.document and s.short = n.folded
            join person as f on f.document = s.document and f.folded = s.other
            where n.is_person and n.form is null and not n.is_identified
            union all
            -- a title and a part
            select n.document, n.folded, s.other, case when s.is_family then 'apart' else 'same' end, n.gender, f.known
            from titled as n
            join short as s on s.document = n.document and s.short = n.core
            join person as f on f.document = s.document and f.folded = s.other
            where n.form <> 'rank'
                and not n.is_identified
                and (s.is_family or n.form = 'given title')
            union all
            -- a title and the whole
            select n.document, n.folded, f.folded, 'alone', n.gender, f.known
            from titled as n
            join person as f on f.document = n.document and f.folded = n.core and f.form is null
            where n.is_full and not n.is_identified
            union all
            -- a surname beside the same with a title
            select n.document, n.folded, t.folded, 'beside', t.gender, null
            from name as n
            join titled as t on t.document = n.document and t.core = n.folded
            where n.is_person and n.form is null and not t.is_full and not n.is_identified
            union all
            -- without the article
            select n.document, n.folded, f.folded, 'any', null, null
            from name as n
            join articled as f on f.document = n.document and f.core = n.folded
            where n.form is null
                and not n.is_identified
                and coalesce(n.types && f.types, true)
                and coalesce(n.is_person = f.is_person, true)
        ),
        together as (
            select distinct p.document, p.folded, p.other
            from pair as p
            join said as x on x.document = p.document and x.folded = p.folded
            join said as y on y.chunk = x.chunk and y.folded = p.other
            where p.needs in ('apart', 'beside') and p.gender is not null
        )
        select distinct row(p.document, p.folded, p.other)::graphrag._name_pair
        from pair as p
        left join together as t on t.document = p.document and t.folded = p.folded and t.other = p.other
        left join name as n on n.document = p.document and n.folded = p.folded
        left join honoured as h on h.document = p.document and h.core = n.core
        left join bearer as b on b.document = p.document and b.short = n.core
        where p.other <> p.folded
            and case
                when p.needs = 'any' then true
                when p.needs = 'beside' then p.gender is distinct from 'f' or t.other is null
                when p.needs = 'same' then p.known = p.gender
                when p.gender is null then true
                when p.known <> p.gender then false
                when p.needs = 'alone'
                    then p.known is not null or not (coalesce(h.has_m, false) and coalesce(h.has_f, false))
                when t.other is not null then false
                when p.gender = 'f' then p.known is not null and b.persons = 1
                else p.known is not null or not coalesce(h.has_f, false)
            end
            and graphrag._may_mean($1, p.folded, p.other)
    );
end
$function$;
comment on function graphrag._meaning_pairs(integer, bigint[]) is 'Shorter and fuller names of documents, by their words.';

create function graphrag._may_mean(space integer, name text, other text)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- What people decided comes before context: a name that was merged means one entity everywhere, and names that were
-- split mean two.
begin
    return not exists (
        select
        from decision as d
        where d.space = $1
            and d.died is null
            and (d.payload -> 'names' ? $2 or d.payload -> 'names' ? $3)
            and case d.kind
                when 'merge' then d.payload -> 'names' ? $2
                when 'split' then (d.payload -> 'apart' ? $2) <> (d.payload -> 'apart' ? $3)
                else false
            end
    );
end
$function$;
comment on function graphrag._may_mean(integer, text, text) is 'Whether decisions leave it to a document what a name means.';

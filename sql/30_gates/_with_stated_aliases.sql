create function graphrag._with_stated_aliases(records jsonb, body text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Tim Cratchit ("Tiny Tim"): who is written so, is also called what is in quotes and brackets. As one name of a record,
-- it is two, and the whole a third, by which triples may call it. In the text, the two must share a word or the one be
-- the other's initials: Bob Dylan ("Hurricane") is a singer and his song. What is an entity of its own is no alias.
declare
    _quoted constant text := '\s*\(\s*["“„«]\s*([^"“”„«»()]{2,80}?)\s*["”“»]\s*\)';
begin
    if records::text !~ '\(\s*(\\"|[“„«])' and coalesce(body, '') !~ '\(\s*["“„«]' then
        return records;
    end if;
    return (
        select jsonb_agg(
            case
                when n.name is null or n.aliases = '{}' then e.record
                else e.record || jsonb_build_object(
                    'name', n.name,
                    'aliases', to_jsonb(graphrag._json_texts(e.record -> 'aliases') || n.aliases)
                )
            end
            order by e.no
        )
        from jsonb_array_elements(records) with ordinality as e (record, no)
        cross join lateral (
            select graphrag._one_line(e.record ->> 'name') as whole
        ) as w
        cross join lateral (
            select regexp_match(w.whole, '^(.*[^\s(])' || _quoted || '$') as parts
        ) as p
        cross join lateral (
            select
                coalesce(p.parts[1], w.whole) as name,
                case
                    when p.parts is null then array(
                        select distinct t.alias[1]
                        from regexp_matches(
                            body, regexp_replace(w.whole, '([^[:alnum:]\s])', '\\\1', 'g') || _quoted, 'g'
                        ) as t (alias)
                        where graphrag._is_another_form(w.whole, t.alias[1])
                            and not graphrag._has_record(records, t.alias[1])
                        order by 1
                    )
                    when graphrag._has_record(records, p.parts[2]) then array[w.whole]
                    else array[p.parts[2], w.whole]
                end as aliases
        ) as n
    );
end
$function$;
comment on function graphrag._with_stated_aliases(jsonb, text) is 'The entities of an extraction with the aliases that names or text give in quotes and brackets.';

create function graphrag._has_record(records jsonb, name text)
    returns boolean
    language sql immutable parallel safe
as $function$
    select exists (
        select
        from jsonb_array_elements(records) as o (record)
        where graphrag._fold_name(o.record ->> 'name') = graphrag._fold_name($2)
    )
$function$;
comment on function graphrag._has_record(jsonb, text) is 'Whether a name is that of a record.';

create function graphrag._is_another_form(name text, alias text)
    returns boolean
    language sql stable parallel safe
as $function$
    select exists (
        select from regexp_split_to_table(lower(name), '[^[:alnum:]]+') as n (word)
        where length(n.word) > 2
            and n.word in (select a.word from regexp_split_to_table(lower(alias), '[^[:alnum:]]+') as a (word))
    )
    or (
        length(alias) > 1
        and alias = upper(alias)
        and regexp_replace(alias, '[^[:alnum:]]', '', 'g')
            = array_to_string(
                array(select m.initial[1] from regexp_matches(name, '\m([[:upper:]])', 'g') as m (initial)), ''
            )
    )
$function$;
comment on function graphrag._is_another_form(text, text) is 'Whether two names share a word, or one is the other''s initials.';

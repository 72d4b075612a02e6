create function graphrag._with_stated_aliases(records jsonb, body text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Tim Cratchit ("Tiny Tim"): who is written so, is also called what is in quotes and brackets; and by initials in
-- brackets (Internal Revenue Service (IRS)), by each of several, and by what he was called before (, formerly Y). As
-- one name of a record, it is several, and the whole one more, by which triples may call it. In the text, the two
-- must share a word or the one be the other's initials: Bob Dylan ("Hurricane") is a singer and his song. What is an
-- entity of its own is no alias.
declare
    _text text := regexp_replace(body, '\s*\(', ' (', 'g');
begin
    if position('(' in records::text) = 0
        and coalesce(position('(' in body), 0) = 0
        and graphrag._lower(records::text) !~ ' (formerly|previously|originally|also known|a\.?k\.?a|née) '
    then
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
            select case when length(w.whole) <= 400 then graphrag._names_of_name(w.whole, _text) end as parts
        ) as p
        cross join lateral (
            select
                coalesce(p.parts[1], w.whole) as name,
                array(
                    select distinct a.alias collate "C"
                    from unnest(
                        p.parts[2:] || case
                            when length(w.whole) <= 400
                                then graphrag._aliases_in_brackets(coalesce(p.parts[1], w.whole), _text)
                        end
                    ) as a (alias)
                    where not graphrag._has_record(records, a.alias)
                    order by 1
                ) || case when p.parts is not null then array[w.whole] else '{}' end as aliases
        ) as n
    );
end
$function$;
comment on function graphrag._with_stated_aliases(jsonb, text) is 'The entities of an extraction with the aliases that names or text give in quotes and brackets.';

create function graphrag._names_of_name(whole text, body text)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- The name and the aliases that are written into it; null if none are. Initials in brackets, and former names, count
-- only where the text writes them so. Paris (Texas) is one name.
declare
    _quoted constant text := '^\s*["“„«]\s*([^"“”„«»][^"“”„«»]+?)\s*["”“»]\s*$';
    _is_stated boolean := coalesce(position(regexp_replace(whole, '\s*\(', ' (', 'g') in body) > 0, false);
    _parts text[] := case
        when _is_stated then regexp_split_to_array(
            whole,
            ',?\s+\(?(?:formerly|previously|originally|also known as|a\.?k\.?a\.?|née)(?: known as| called)?\s+',
            'i'
        )
        else array[whole]
    end;
    _part text;
    _chain text[];
    _inner text[];
    _names text[] := '{}';
begin
    if position('(' in whole) = 0 and cardinality(_parts) = 1 then
        return null;
    end if;
    foreach _part in array _parts loop
        _part := btrim(_part, ' ,');
        _chain := regexp_match(_part, '^(.*?[^\s(])((?:\s*\([^()]+\))+)$');
        _inner := array(
            select coalesce(substring(b.found[1] from _quoted), b.found[1])
            from regexp_matches(_chain[2], '\(([^()]*)\)', 'g') as b (found)
            where length(b.found[1]) between 2 and 90
                and (b.found[1] ~ _quoted or (_is_stated and graphrag._is_acronym(b.found[1], _chain[1])))
        );
        if _inner = '{}' or cardinality(_inner) < length(_chain[2]) - length(replace(_chain[2], '(', '')) then
            _names := _names || rtrim(_part, case when position('(' in _part) = 0 then ')' else '' end);
        else
            _names := _names || _chain[1] || _inner;
        end if;
    end loop;
    return case when cardinality(_names) > 1 then _names end;
end
$function$;
comment on function graphrag._names_of_name(text, text) is 'A name and the aliases that are written into it; null if none are.';

create function graphrag._aliases_in_brackets(name text, body text)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- In all brackets that follow the name somewhere in the text, which has one blank before each.
begin
    if coalesce(position(name || ' (' in body), 0) = 0 then
        return '{}';
    end if;
    return array(
        select distinct i.found[2] collate "C"
        from regexp_matches(
            body, regexp_replace(name, '([^[:alnum:]\s])', '\\\1', 'g') || '((?:\s*\([^()]+\))+)', 'g'
        ) as c (chain)
        cross join regexp_matches(
            c.chain[1], '\(\s*(["“„«]?)\s*([^"“”„«»()]+?)\s*["”“»]?\s*\)', 'g'
        ) as i (found)
        where length(i.found[2]) between 2 and 80 and case
            when i.found[1] <> '' then graphrag._is_another_form(name, i.found[2])
            else graphrag._is_acronym(i.found[2], name)
        end
        order by 1
    );
end
$function$;
comment on function graphrag._aliases_in_brackets(text, text) is 'What the text gives in brackets behind a name as other forms of it.';

create function graphrag._has_record(records jsonb, name text)
    returns boolean
    language plpgsql immutable parallel safe
as $function$
begin
    return (
        select exists (
            select
            from jsonb_array_elements(records) as o (record)
            where graphrag._fold_name(o.record ->> 'name') = graphrag._fold_name($2)
        )
    );
end
$function$;
comment on function graphrag._has_record(jsonb, text) is 'Whether a name is that of a record.';

create function graphrag._is_another_form(name text, alias text)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select exists (
            select from regexp_split_to_table(graphrag._lower(name), '[^[:alnum:]]+') as n (word)
            where length(n.word) > 2
                and n.word in (
                    select a.word from regexp_split_to_table(graphrag._lower(alias), '[^[:alnum:]]+') as a (word)
                )
        )
        or (
            length(alias) > 1
            and alias = upper(alias collate "und-x-icu")
            and regexp_replace(alias, '[^[:alnum:]]', '', 'g')
                = array_to_string(
                    array(select m.initial[1] from regexp_matches(name, '\m([[:upper:]])', 'g') as m (initial)), ''
                )
        )
    );
end
$function$;
comment on function graphrag._is_another_form(text, text) is 'Whether two names share a word, or one is the other''s initials.';

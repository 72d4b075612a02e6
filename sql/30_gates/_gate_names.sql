create function graphrag._gate_names(names text[], types text[], possessive boolean default false)
    returns table (no integer, reason text)
    language plpgsql stable parallel safe rows 50
as $function$
-- All names of a chunk at once, because their words are looked up in one query. Most names have no such word and no
-- figure, and need no closer look.
declare
    _hits jsonb := graphrag._gate_words(array(
        select p.probe
        from unnest(names, types) as n (name, type)
        cross join lateral graphrag._name_key(n.name) as k (key)
        -- The name, its words, what follows the first word and the second, and its type and the type's last word.
        cross join lateral string_to_table(
            concat_ws(
                '|', replace(k.key, ' ', '|'), k.key, rtrim(k.key, '.'), n.name,
                substr(k.key, position(' ' in k.key) + 1),
                substr(k.key, length(split_part(k.key, ' ', 1) || split_part(k.key, ' ', 2)) + 3),
                split_part(k.key, '-', 1), graphrag._lower(n.type), split_part(graphrag._lower(n.type), ' ', -1)
            ),
            '|'
        ) as p (probe)
        where length(n.name) <= 200 and p.probe <> ''
    ));
begin
    return query
    select
        n.no::integer,
        case
            when possessive or graphrag._is_suspect(n.name, _hits)
                then graphrag._name_reason(n.name, n.type, _hits, possessive)
        end
    from unnest(names, types) with ordinality as n (name, type, no);
end
$function$;
comment on function graphrag._gate_names(text[], text[], boolean) is 'For each name and its type, by position, why it is refused; null if it is a name.';

create function graphrag._is_suspect(name text, hits jsonb)
    returns boolean
    language plpgsql immutable parallel safe
as $function$
declare
    _key text := graphrag._name_key(name);
begin
    return _key is null
        or length(name) > 200
        or upper(_key collate "und-x-icu") = _key
        or translate(_key, '0123456789', '') <> _key
        or hits ?| (string_to_array(_key, ' ') || array[_key, split_part(_key, '-', 1), rtrim(_key, '.')]);
end
$function$;
comment on function graphrag._is_suspect(text, jsonb) is 'Whether a name has something that could make it none: a gate word, a figure, no letter, too much length.';

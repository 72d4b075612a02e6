create function graphrag._name_reason(name text, type text, hits jsonb, possessive boolean)
    returns text
    language plpgsql stable parallel safe
as $function$
-- hits: what graphrag._gate_words() found for the words of this name, among others. A work may be called like anything
-- (1984, It, The Stranger) as long as it begins with a capital or a digit.
declare
    _key text := graphrag._name_key(name);
    _words text[] := string_to_array(_key, ' ');
    _n integer := cardinality(_words);
    _first text := left(btrim(name), 1);
    _is_capital boolean := _first <> graphrag._lower(_first);
    _is_acronym boolean;
    _is_work boolean;
    _reason text;
begin
    if _key is null or not graphrag._has_letter(_key) then
        return 'malformed';
    elsif length(name) > 200 then
        return 'over_long';
    elsif hits ? ('keep ' || btrim(name)) then
        return null;
    end if;
    _is_work := (_is_capital or _first between '0' and '9') and graphrag._is_type('work_type', type, hits);
    if not _is_work then
        _is_acronym := _is_capital and _n = 1 and length(_key) > 1 and btrim(name) = upper(_key collate "und-x-icu");
        _reason := case
            when hits ? ('placeholder ' || _key) then 'malformed'
            when hits ? ('pronoun ' || _key)
                and not (_is_acronym and not hits ? ('pronoun:en ' || _key) and not hits ? ('pronoun:* ' || _key))
                then 'pronominal_name'
            when hits ? ('lower_pronoun ' || _key) and not _is_capital then 'pronominal_name'
            when hits ? ('relative ' || _key) then 'relative_name'
            when length(rtrim(_key, '.')) > 1
                and hits ?| graphrag._title_keys(rtrim(_key, '.'), false)
                and not _is_acronym
                then 'relative_name'
            when hits ? ('relative_date ' || _key) then 'bare_date'
            when hits ? ('calendar ' || _key) and not (_is_capital and graphrag._is_type('person_type', type, hits))
                then 'bare_date'
            when hits ? ('conjunctive ' || _key) then 'conjunctive_name'
            when _n > 1 and graphrag._is_relative(btrim(name), _words, hits) then 'relative_name'
            when _n > 2 and graphrag._is_joined(btrim(name), _words, graphrag._is_type('person_type', type, hits), hits)
                then 'conjunctive_name'
        end;
    end if;
    if _reason is null then
        _reason := graphrag._figure_reason(
            btrim(name), _key, _words, _is_work, hits,
            type is not null and not graphrag._is_type('figure_type', type, hits)
        );
    end if;
    if _reason is null and possessive and name ~ '[^ ](''s|’s|s''|s’) [[:lower:]]' then
        _reason := 'possessive_role_phrase';
    end if;
    return _reason;
end
$function$;
comment on function graphrag._name_reason(text, text, jsonb, boolean) is 'Why a name is refused, given the kinds of its words; null if it is a name.';

create function graphrag._is_type(kind text, type text, hits jsonb)
    returns boolean
    language sql immutable parallel safe
as $function$
    select coalesce(
        hits ?| array[kind || ' ' || graphrag._lower(type), kind || ' ' || split_part(graphrag._lower(type), ' ', -1)],
        false
    )
$function$;
comment on function graphrag._is_type(text, text, jsonb) is 'Whether an entity type, or its last word, is one of a kind: work_type or person_type.';

create function graphrag._is_relative(name text, words text[], hits jsonb)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- the company, this incident, son frère, die Firma: [article or determiner] [modifier] [role], of one language. A noun
-- in lower case after an English possessive or demonstrative is always such a phrase (her latest invention).
declare
    _first text := words[1];
    _rest text := array_to_string(words[2:], ' ');
    _is_lower boolean;
begin
    if not hits ?| array['article ' || _first, 'determiner ' || _first] then
        return false;
    end if;
    _is_lower := name ~ '^[^ ''’]+[ ''’] ?[^[:upper:]]' collate "und-x-icu";
    if hits ? ('determiner:en ' || _first) and name ~ '^[^ ]+ [[:lower:]]' collate "und-x-icu" then
        return true;
    elsif cardinality(words) > 2 and hits ? ('modifier ' || words[2]) then
        _rest := array_to_string(words[3:], ' ');
    end if;
    return exists (
        select
        from unnest(array['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'zh', 'ja', 'ko', 'ar', '*']) as l
        where hits ?| array['article:' || l || ' ' || _first, 'determiner:' || l || ' ' || _first]
            and (
                (
                    hits ?| array['role:' || l || ' ' || _rest, 'role:* ' || _rest]
                    and (_is_lower or l in ('en', 'de', '*'))
                )
                or (hits ?| array['common:' || l || ' ' || _rest, 'common:* ' || _rest] and _is_lower)
            )
    );
end
$function$;
comment on function graphrag._is_relative(text, text[], jsonb) is 'Whether a phrase names something only in its context: an article or possessive and a role.';

create function graphrag._is_joined(name text, words text[], is_person boolean, hits jsonb)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- Two names joined by `and`: a pronoun or a role beside it (he and she); two personal-looking names of several words
-- each (Ada Lovelace and Charles Babbage); anything joined that is typed as a person (Tom and Harry), unless by the y
-- of a Spanish surname. Joint names of single words stay one (Procter and Gamble), and so do names with a word of an
-- institution (Department of Health and Human Services), or that are listed.
declare
    _at integer := 2;
    _is_strong boolean;
    _sides text[];
begin
    while _at < cardinality(words)
        and not hits ?| array['conjunction ' || words[_at], 'surname_conjunction ' || words[_at]] loop
        _at := _at + 1;
    end loop;
    if _at = cardinality(words) or hits ? ('joint_name ' || array_to_string(words, ' ')) then
        return false;
    end if;
    _is_strong := hits ? ('conjunction ' || words[_at]);
    _sides := string_to_array(name, ' ');
    -- A pronoun in capitals at the end belongs to a title: The King and I. So does one before a y: Yo y Ana.
    if (
            _at = 2
            and hits ?| array['pronoun ' || words[1], 'lower_pronoun ' || words[1]]
            and (_is_strong or _sides[1] = words[1])
        )
        or (
            _at = cardinality(words) - 1
            and hits ?| array['pronoun ' || words[_at + 1], 'lower_pronoun ' || words[_at + 1]]
            and _sides[_at + 1] = words[_at + 1]
        )
        or hits ?| array['article ' || words[_at + 1], 'determiner ' || words[_at + 1]]
        and hits ? ('role ' || array_to_string(words[_at + 2:], ' ')) then
        return true;
    elsif (select bool_or(hits ? ('institution ' || w)) from unnest(words) as w) then
        return false;
    end if;
    return (is_person and _is_strong) or (
        graphrag._looks_personal(_sides[:_at - 1], hits) and graphrag._looks_personal(_sides[_at + 1:], hits)
    );
end
$function$;
comment on function graphrag._is_joined(text, text[], boolean, jsonb) is 'Whether a name is two names with a conjunction between them.';

create function graphrag._looks_personal(words text[], hits jsonb)
    returns boolean
    language plpgsql immutable parallel safe
as $function$
-- Two to five words in capitals, particles (van, de) between them; of a list, the part beside the conjunction counts.
-- What begins with an article or a word of grammar (When, With, You), holds a possessive (His) or a lone abbreviation
-- (TV), or goes on with a numeral (III and IV) is the title of something.
begin
    return (
        select not hits ?| array[
                'article:en ' || graphrag._lower(words[1]),
                'pronoun:en ' || graphrag._lower(words[1]),
                'title_word ' || graphrag._lower(words[1])
            ]
            and words[1] !~ '^[IVX]+$'
            and coalesce(
                count(*) filter (where w.is_capital and w.is_beside) between 2 and 5
                    and bool_and(w.is_capital or hits ? ('particle ' || w.word))
                    and not bool_or(hits ? ('determiner:en ' || graphrag._lower(w.word)))
                    and (not bool_or(w.is_abbreviation) or bool_and(w.is_abbreviation)),
                false
            )
        from (
            select
                u.word,
                u.word ~ '^[[:upper:]]' collate "und-x-icu" as is_capital,
                u.word ~ '^[[:upper:]]{2,}$' collate "und-x-icu" and u.word !~ '^[IVX]+$' as is_abbreviation,
                u.no > coalesce(
                    (select max(c.no) from unnest(words) with ordinality as c (word, no) where c.word like '%,'), 0
                ) as is_beside
            from unnest(words) with ordinality as u (word, no)
        ) as w
    );
end
$function$;
comment on function graphrag._looks_personal(text[], jsonb) is 'Whether words look like a name of several words: capitals, and particles between them.';

create function graphrag._figure_reason(
    name text,
    key text,
    words text[],
    is_work boolean,
    hits jsonb,
    is_typed boolean
)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- A work may be called by a number or a year (1984, 300), not by an amount. Who is typed as anything may be called by
-- digits glued to letters or to other digits (3M, 3i, 7-11).
declare
    _kind text;
begin
    if key ~ '[0-9]' then
        _kind := (graphrag._parse_value(name)).kind;
        return case
            when _kind in ('number', 'date') and is_work then null
            when is_typed and name ~ '^[0-9]{1,4}([[:alpha:]]+|[-/][0-9]{1,3})$' and _kind is distinct from 'date'
                then null
            when _kind in ('number', 'quantity', 'money', 'percent') then 'bare_quantity'
            when _kind = 'date' or key ~ ('^([0-9]{3,4} ?[-–—/] ?[0-9]{2,4}'
                '|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}|[0-9]{1,2}[月월] ?[0-9]{1,2}[日일])$')
                then 'bare_date'
            when length(key) <= 15 and left(key, 1) <> 'h' and graphrag.parse_period(key || ' 2000') is not null
                then 'bare_date'
        end;
    elsif is_work then
        return null;
    elsif not is_typed and key ~ (
            '^[约約近超]?过?(百分之[〇零一二两兩三四五六七八九十百点]+'
            '|[一二两兩三四五六七八九十数數几幾][〇零一二三四五六七八九]*[十百千万萬亿億兆][〇零一二三四五六七八九十百千万萬亿億兆]*'
            '|[〇零一二两兩三四五六七八九十百千万萬亿億兆数數几幾]+[多余]?'
            '(年|个月|個月|月|日|天|周|小时|小時|時間|分钟|分鐘|分|秒|人|名|个|個|家|岁|歲|歳|次|回|件|台|元|美元|欧元|円|ドル|吨|米|公里|公斤)'
            '[前后後间間]?)$'
        ) then
        return 'bare_quantity';
    elsif not hits ? ('number ' || split_part(words[1], '-', 1)) then
        -- a dozen, half a million, over ten employees
        return case
            when words[1] = any ('{a,an,half,over,more,at,less,under,up,about,around,nearly,almost,roughly,fewer}')
                and (graphrag._parse_value(name)).kind is not null
                then 'bare_quantity'
        end;
    end if;
    -- An amount or a percentage is one in any case: Five Million Dollars, quinze pour cent.
    if cardinality(words) > 1 and exists (
        select
        from unnest(array[key, graphrag._lower(left(name, 1)) || substr(name, 2)]) as n (name)
        where (graphrag._parse_quantity(graphrag._figures_of_words(n.name))).kind in ('money', 'percent')
    ) then
        return 'bare_quantity';
    end if;
    -- In capitals, number words are a name if they are of another language (Otto Dix) or several (Nineteen
    -- Eighty-Four), and wholly in capitals always (TEN).
    if left(name, 1) <> left(key, 1)
        and (
            not hits ?| array['number:en ' || key, 'number:* ' || key]
            or (name = upper(name collate "und-x-icu") and key not like '% %')
        ) then
        return null;
    end if;
    return case
        when graphrag._number_in_words(key) is not null then 'bare_quantity'
        when (select bool_and(hits ? ('number ' || w)) from unnest(words) as w) then 'bare_quantity'
        when cardinality(words) = 2 and hits ? ('number ' || words[1])
            and (hits ?| array['role ' || words[2], 'common ' || words[2]] or words[2] like '%s')
            then 'bare_quantity'
    end;
end
$function$;
comment on function graphrag._figure_reason(text, text, text[], boolean, jsonb, boolean) is 'bare_quantity or bare_date if a name is only that.';

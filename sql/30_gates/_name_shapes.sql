create function graphrag._name_shapes(names text[], types text[])
    returns table (no integer, shape graphrag._name_shape)
    language plpgsql stable parallel safe rows 20
as $function$
-- All names of a document at once, because their words are looked up in one query.
declare
    _hits jsonb := graphrag._gate_words(array(
        select distinct p.probe
        from unnest(names, types) as n (name, type)
        cross join lateral string_to_table(
            concat_ws(
                '|',
                regexp_replace(graphrag._lower(n.name), '[.,]?( |$)', '|', 'g'),
                graphrag._lower(n.name),
                case when n.name ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$'
                    then concat_ws('|', right(n.name, 1), right(n.name, 2), right(n.name, 3))
                end,
                graphrag._lower(n.type),
                split_part(graphrag._lower(n.type), ' ', -1)
            ),
            '|'
        ) as p (probe)
        where p.probe <> ''
    ));
begin
    return query
    select n.no::integer, graphrag._shape_of(n.name, n.type, _hits)
    from unnest(names, types) with ordinality as n (name, type, no);
end
$function$;
comment on function graphrag._name_shapes(text[], text[]) is 'For each name and its type, by position, what its words say of whom it can mean.';

create function graphrag._shape_of(name text, type text, hits jsonb)
    returns graphrag._name_shape
    language plpgsql stable parallel safe
as $function$
-- hits: what graphrag._gate_words() found for the words of this name, among others. Titles and ranks count before a
-- person's name only (Dr Pepper is a drink), or after it where names are written without blanks.
declare
    _shape graphrag._name_shape;
    _words text[] := string_to_array(name, ' ');
    _keys text[] := string_to_array(regexp_replace(graphrag._lower(name), '[.,](?= |$)', '', 'g'), ' ');
    _n integer := cardinality(_words);
    _core text[];
    _ending integer;
begin
    if type is not null then
        _shape.is_person := graphrag._is_type('person_type', type, hits);
    end if;
    if _shape.is_person is not false then
        _core := graphrag._without_titles(_words, _keys, _shape.is_person, hits);
        if cardinality(_core) < _n then
            _shape.core := graphrag._fold_name(array_to_string(_core, ' '));
            _keys := _keys[:_n - cardinality(_core)] || case when _core[1] = _words[1] then _keys[_n:] end;
        elsif _n = 1 and name ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$' then
            _ending := graphrag._title_ending(name, hits);
            if _ending > 0 then
                _core := array[left(name, -_ending)];
                _keys := array[right(name, _ending)];
                _shape.core := graphrag._fold_name(_core[1]);
            end if;
        end if;
    end if;
    if _shape.core is not null then
        _shape.form := graphrag._title_form(_keys, hits);
        _shape.gender := graphrag._gender_of(_keys, 'title', hits);
    elsif _n > 1 and hits ? ('article ' || _keys[1])
        and not hits ?| array['role ' || array_to_string(_keys[2:], ' '), 'common ' || array_to_string(_keys[2:], ' ')]
    then
        _shape.form := 'article';
        _shape.core := graphrag._fold_name(array_to_string(_words[2:], ' '));
    elsif _shape.is_person and hits ?| array['role ' || graphrag._lower(name), 'common ' || graphrag._lower(name)] then
        _shape.is_person := null;
    end if;
    if (_shape.is_person or _shape.form in ('title', 'given title', 'rank')) and _shape.form is distinct from 'article'
    then
        _shape := graphrag._name_parts(_shape, _core, hits);
    end if;
    return _shape;
end
$function$;
comment on function graphrag._shape_of(text, text, jsonb) is 'What the words of one name say of whom it can mean.';

create function graphrag._without_titles(words text[], keys text[], is_person boolean, hits jsonb)
    returns text[]
    language plpgsql immutable parallel safe
as $function$
-- Prof. Dr. Schmidt is Schmidt, 김 씨 is 김; a title alone stays. A single letter with a full stop is a title before
-- one word only: M. Dupont, but M. Night Shyamalan.
declare
    _n integer := cardinality(words);
    _k integer := 0;
begin
    while _k < _n - 1
        and hits ?| graphrag._title_keys(keys[_k + 1], is_person)
        and (length(keys[_k + 1]) > 1 or (_n = 2 and right(words[1], 1) = '.')) loop
        _k := _k + 1;
    end loop;
    if _k = 0 and _n > 1 and words[_n] ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]$'
        and hits ?| graphrag._title_keys(keys[_n], is_person) then
        return words[:_n - 1];
    end if;
    return words[_k + 1:];
end
$function$;
comment on function graphrag._without_titles(text[], text[], boolean, jsonb) is 'The words of a name without the titles and ranks before or after it.';

create function graphrag._title_keys(word text, is_person boolean)
    returns text[]
    language sql immutable parallel safe
as $function$
-- A rank counts before what is known to be a person: General Motors may be untyped.
    select array['title ' || word, 'male_title ' || word, 'female_title ' || word] || case
        when is_person then array['rank ' || word, 'male_rank ' || word, 'female_rank ' || word]
    end
$function$;
comment on function graphrag._title_keys(text, boolean) is 'The hits that make a word a title or a rank.';

create function graphrag._title_ending(name text, hits jsonb)
    returns integer
    language plpgsql immutable parallel safe
as $function$
begin
    return (
        select coalesce(max(l.length), 0)
        from generate_series(1, least(3, length(name) - 1)) as l (length)
        where hits ?| array[
            'title ' || right(name, l.length), 'male_title ' || right(name, l.length),
            'female_title ' || right(name, l.length)
        ]
    );
end
$function$;
comment on function graphrag._title_ending(text, jsonb) is 'How many characters of a name without blanks are a title at its end.';

create function graphrag._title_form(titles text[], hits jsonb)
    returns text
    language plpgsql immutable parallel safe
as $function$
begin
    return (
        select case
            when bool_or(hits ? ('given_title ' || t.word)) then 'given title'
            when bool_or(
                hits ?| array['title ' || t.word, 'male_title ' || t.word, 'female_title ' || t.word, 'rank ' || t.word]
            ) then 'title'
            else 'rank'
        end
        from unnest(titles) as t (word)
    );
end
$function$;
comment on function graphrag._title_form(text[], jsonb) is 'title: before a surname; given title: before a given name too; rank: before a name of its own.';

create function graphrag._gender_of(words text[], kind text, hits jsonb)
    returns text
    language plpgsql immutable parallel safe
as $function$
-- m or f if the words are marked as one and none as the other.
declare
    _is_title constant boolean := kind = 'title';
    _m boolean;
    _f boolean;
begin
    select
        bool_or(hits ? ('male_' || kind || ' ' || w.word) or (_is_title and hits ? ('male_rank ' || w.word))),
        bool_or(hits ? ('female_' || kind || ' ' || w.word) or (_is_title and hits ? ('female_rank ' || w.word)))
    into _m, _f
    from unnest(words) as w (word);
    return case when _m and not _f then 'm' when _f and not _m then 'f' end;
end
$function$;
comment on function graphrag._gender_of(text[], text, jsonb) is 'The gender that titles or given names tell; null if none or both.';

create function graphrag._name_parts(shape graphrag._name_shape, words text[], hits jsonb)
    returns graphrag._name_shape
    language plpgsql stable parallel safe
as $function$
-- By which shorter forms a person is called: the words from the first on (Charles), and those up to the last
-- (Babbage, van Gogh). Jr. tells father from son, so it is not left out of a name, but a surname ends before it.
-- Without blanks: 田中太郎 is called 田中 or 太郎.
declare
    _n integer := cardinality(words);
    _text text := array_to_string(words, ' ');
begin
    while _n > 2 and hits ? ('generation ' || rtrim(graphrag._lower(words[_n]), '.')) loop
        _n := _n - 1;
    end loop;
    if _n = 1 and _text ~ '^[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,5}$' then
        shape.family := array(select left(_text, l) from generate_series(1, least(2, length(_text) - 1)) as l);
        shape.given := case when length(_text) > 2 then array[right(_text, 2)] end;
    elsif _n between 2 and 6
        and not hits ? ('article ' || graphrag._lower(words[1]))
        and not _text ~ '[0-9]|[''’]s( |$)'
        and (
            select bool_and(
                w.word <> graphrag._lower(w.word)
                or graphrag._lower(w.word) = upper(w.word collate "und-x-icu")
                or hits ? ('particle ' || w.word)
            )
            from unnest(words[:_n]) as w (word)
        )
    then
        shape.gender := coalesce(
            shape.gender, graphrag._gender_of(array[graphrag._lower(words[1])], 'name', hits)
        );
        shape.given := array(
            select graphrag._fold_name(array_to_string(words[:i], ' '))
            from generate_series(1, _n - 1) as i
            where not hits ? ('particle ' || graphrag._lower(words[i])) and length(rtrim(words[i], '.')) > 1
        );
        shape.family := array(
            select graphrag._fold_name(array_to_string(words[i:_n], ' '))
            from generate_series(2, _n) as i
            where length(rtrim(words[i], '.')) > 1
        );
    end if;
    return shape;
end
$function$;
comment on function graphrag._name_parts(graphrag._name_shape, text[], jsonb) is 'The shape of a person''s name with the shorter forms of it.';

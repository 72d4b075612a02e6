create function graphrag._verb_bases(word text)
    returns text[]
    language plpgsql stable strict parallel safe
as $function$
-- Two words are forms of one verb if they share a base. Without a dictionary a form has several candidates: planned is
-- of plan, plann or planne. Endings that make nouns (-er, -or, -ion, -ment) are no inflection.
declare
    _irregular text := (select v.base from graphrag.irregular_verb as v where v.form = word);
    _stem text;
    _bases text[] := array[word];
begin
    if _irregular is not null then
        return array[_irregular];
    end if;
    _stem := case
        when word like '%ing' then left(word, -3)
        when word like '%ed' then left(word, -2)
    end;
    if _stem ~ '[aeiouy]' then
        _bases := _bases || _stem || (_stem || 'e');
        if right(_stem, 1) = left(right(_stem, 2), 1) and length(_stem) > 3 then
            _bases := _bases || left(_stem, -1);
        end if;
        if word like '%ied' then
            _bases := _bases || (left(word, -3) || 'y');
        elsif word like '%ying' and length(word) < 6 then
            _bases := _bases || (left(word, -4) || 'ie');
        end if;
    elsif word like '%ies' and length(word) > 3 then
        _bases := _bases || left(word, -1) || (left(word, -3) || 'y');
    elsif word ~ '(s|x|z|ch|sh|o)es$' then
        _bases := _bases || left(word, -1) || left(word, -2);
    elsif word ~ '[^sui]s$' and length(word) > 2 then
        _bases := _bases || left(word, -1);
    end if;
    return _bases;
end
$function$;
comment on function graphrag._verb_bases(text) is 'The base forms an English word may be an inflection of: of lived, live and two that are no words.';

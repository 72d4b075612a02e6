create function graphrag._sentences(body text)
    returns table (start_at integer, end_at integer, folded text)
    language sql immutable strict parallel safe rows 20
as $function$
-- A full stop after one to three letters with a capital (Mr., J.) ends no sentence.
    select s.end_at - length(s.sentence), s.end_at - length(s.sentence) + length(rtrim(s.sentence, E' \n\t')), lower(s.sentence)
    from (
        select w.sentence, (sum(length(w.sentence)) over (order by w.no))::integer as end_at
        from string_to_table(
            regexp_replace(body, '((?:(?<!\m[A-Z][a-z]{0,2})\.|[!?])["”’)]*\s+|[。！？]|\n+)', E'\\1\x01', 'g'), E'\x01'
        ) with ordinality as w (sentence, no)
    ) as s
    where s.sentence <> ''
$function$;
comment on function graphrag._sentences(text) is 'The sentences of a text in lower case, with their half-open character offsets from 0.';

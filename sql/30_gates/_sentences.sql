create function graphrag._sentences(body text)
    returns table (start_at integer, end_at integer, ground text, rank integer)
    language plpgsql immutable strict parallel safe rows 40
as $function$
-- Twice: with line breaks as ends (rank 1), unless the next line goes on in lower case, and with only blank lines as
-- ends (2), for text wrapped in lines. A full stop after one to three letters with a capital (Mr., J.) ends no
-- sentence.
begin
    return query
    select
        s.end_at - length(s.sentence),
        s.end_at - length(s.sentence) + length(rtrim(s.sentence, E' \n\t')),
        graphrag._ground_words(s.sentence),
        s.rank
    from (
        select w.sentence, (sum(length(w.sentence)) over (partition by b.rank order by w.no))::integer as end_at, b.rank
        from (values (1, '\n+(?![[:lower:]])'), (2, '\n\s*\n')) as b (rank, break)
        -- Cut at every stop, then undone after abbreviations: quicker than looking behind at every character.
        cross join string_to_table(
            regexp_replace(
                regexp_replace(body, '([.!?]["”’)]*\s+|[。！？]|' || b.break || ')', E'\\1\x01', 'g'),
                E'(\\m[A-Z][a-z]?[a-z]?\\.["”’)]*\\s+)\x01',
                '\1',
                'g'
            ),
            E'\x01'
        ) with ordinality as w (sentence, no)
    ) as s
    where s.sentence <> '';
end
$function$;
comment on function graphrag._sentences(text) is 'The sentences of a text as words to look for names in, with their half-open character offsets from 0.';

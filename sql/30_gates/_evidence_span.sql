create function graphrag._evidence_span(body text, quote text, out start_at integer, out end_at integer)
    language plpgsql immutable parallel safe
as $function$
-- As it stands, else with other blanks and other quotation marks.
declare
    _quote text := btrim(quote, E' \n\t"“”…');
    _found text := _quote;
begin
    if _quote = '' or quote is null then
        return;
    end if;
    if position(_found in body) = 0 and length(_quote) <= 1000 then
        _found := substring(body from regexp_replace(
            regexp_replace(
                regexp_replace(_quote, '([][\\.*+?^$(){}|])', '\\\1', 'g'), '["''“”‘’]', '["''“”‘’]', 'g'
            ),
            '\s+',
            '\\s+',
            'g'
        ));
    end if;
    start_at := nullif(position(_found in body), 0) - 1;
    end_at := start_at + length(_found);
end
$function$;
comment on function graphrag._evidence_span(text, text) is 'Where a quote stands in a text: half-open character offsets from 0; null if it does not.';

create function graphrag._evidence_span(body text, quote text, out start_at integer, out end_at integer)
    language plpgsql immutable parallel safe
as $function$
-- As it stands, else with other blanks and other quotation marks, or with accents written the other way.
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
    if start_at is null and (_quote is not nfc normalized or body is not nfc normalized) then
        select s.start_at, s.end_at
        into start_at, end_at
        from graphrag._evidence_span(normalize(body, nfc), normalize(_quote, nfc)) as s;
        start_at := graphrag._composed_offset(body, start_at);
        end_at := graphrag._composed_offset(body, end_at);
    end if;
end
$function$;
comment on function graphrag._evidence_span(text, text) is 'Where a quote stands in a text: half-open character offsets from 0; null if it does not.';

create function graphrag._composed_offset(body text, at integer)
    returns integer
    language plpgsql immutable strict parallel safe
as $function$
-- The most characters of body that make at characters in normal form C. By halves: more text never composes to less.
declare
    _low integer := 0;
    _high integer := length(body);
    _middle integer;
begin
    while _low < _high loop
        _middle := (_low + _high + 1) / 2;
        if length(normalize(left(body, _middle), nfc)) <= at then
            _low := _middle;
        else
            _high := _middle - 1;
        end if;
    end loop;
    return _low;
end
$function$;
comment on function graphrag._composed_offset(text, integer) is 'An offset in the NFC form of a text as one in the text itself.';

create function graphrag._gate_words(probes text[])
    returns jsonb
    language plpgsql stable strict parallel safe
as $function$
-- Of the probes, those that are gate words, as the keys `kind word` and `kind:language word` of an object. The current
-- realm's words have language *: they go with any. Outside a realm there is no such table.
declare
    _hits jsonb := (
        select jsonb_object_agg(w.kind || h.hit, true)
        from graphrag.gate_word as w
        cross join lateral (values (' ' || w.word), (':' || w.language || ' ' || w.word)) as h (hit)
        where w.word = any (probes)
    );
    _realm_hits jsonb;
begin
    if to_regclass('gate_word') <> 'graphrag.gate_word'::regclass then
        select jsonb_object_agg(w.kind || h.hit, true) into _realm_hits
        from gate_word as w
        cross join lateral (values (' ' || w.word), (':* ' || w.word)) as h (hit)
        where w.word = any (probes);
    end if;
    return coalesce(_hits, '{}') || coalesce(_realm_hits, '{}');
end
$function$;
comment on function graphrag._gate_words(text[]) is 'The kinds of those probes that are gate words, of the extension or of the current realm.';

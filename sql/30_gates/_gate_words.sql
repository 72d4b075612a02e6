create function graphrag._gate_words(probes text[])
    returns jsonb
    language plpgsql stable strict parallel safe
as $function$
-- Of the probes, those that are gate words, as the keys `kind word` and `kind:language word` of an object, and as the
-- key `word` alone unless the kind only tells apart what other words have made suspect. The current realm's words have
-- language *: they go with any. Outside a realm there is no such table. A function takes the collation of what it is
-- called with; with another one than the table's, all its words would be read.
declare
    _hits jsonb := (
        select jsonb_object_agg(h.hit, true)
        from graphrag.gate_word as w
        cross join unnest(graphrag._word_hits(w.kind, w.language, w.word)) as h (hit)
        where w.word = any (probes collate "default")
    );
    _realm_hits jsonb;
begin
    if to_regclass('gate_word') <> 'graphrag.gate_word'::regclass then
        select jsonb_object_agg(h.hit, true) into _realm_hits
        from gate_word as w
        cross join unnest(graphrag._word_hits(w.kind, '*', w.word)) as h (hit)
        where w.word = any (probes collate "default");
    end if;
    return coalesce(_hits, '{}') || coalesce(_realm_hits, '{}');
end
$function$;
comment on function graphrag._gate_words(text[]) is 'The kinds of those probes that are gate words, of the extension or of the current realm.';

create function graphrag._word_hits(kind text, language text, word text)
    returns text[]
    language sql immutable parallel safe
as $function$
    select array[kind || ' ' || word, kind || ':' || language || ' ' || word]
        || case
            when kind <> all (
                '{institution,particle,title_word,joint_name,role,common,modifier,work_type,person_type,figure_type,'
                'vague_predicate}'
            )
                then array[word]
            else '{}'
        end
$function$;
comment on function graphrag._word_hits(text, text, text) is 'The keys under which graphrag._gate_words() reports a word.';

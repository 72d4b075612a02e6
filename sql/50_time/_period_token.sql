create function graphrag._period_token(word text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- The kind of one word of a date and its value: n number, m month, q quarter, h half, f fiscal, F fiscal with its
-- year, o ordinal, Q 'quarter', H 'half', C 'century', d decade, e era before Christ, a era after, x: says nothing;
-- ?: no word of a date.
declare
    _known text := (
        '{"january": "m1", "february": "m2", "march": "m3", "april": "m4", "may": "m5", "june": "m6", "july": "m7",
         "august": "m8", "september": "m9", "october": "m10", "november": "m11", "december": "m12", "jan": "m1",
         "feb": "m2", "mar": "m3", "apr": "m4", "jun": "m6", "jul": "m7", "aug": "m8", "sep": "m9", "sept": "m9",
         "oct": "m10", "nov": "m11", "dec": "m12",
         "januar": "m1", "jänner": "m1", "februar": "m2", "märz": "m3", "mai": "m5", "juni": "m6", "juli": "m7",
         "oktober": "m10", "dezember": "m12", "okt": "m10", "dez": "m12",
         "janvier": "m1", "février": "m2", "fevrier": "m2", "mars": "m3", "avril": "m4", "juin": "m6",
         "juillet": "m7", "août": "m8", "aout": "m8", "septembre": "m9", "octobre": "m10", "novembre": "m11",
         "décembre": "m12", "decembre": "m12",
         "enero": "m1", "febrero": "m2", "marzo": "m3", "abril": "m4", "mayo": "m5", "junio": "m6", "julio": "m7",
         "agosto": "m8", "septiembre": "m9", "setiembre": "m9", "octubre": "m10", "noviembre": "m11",
         "diciembre": "m12",
         "gennaio": "m1", "febbraio": "m2", "aprile": "m4", "maggio": "m5", "giugno": "m6", "luglio": "m7",
         "settembre": "m9", "ottobre": "m10", "dicembre": "m12",
         "janeiro": "m1", "fevereiro": "m2", "março": "m3", "maio": "m5", "junho": "m6", "julho": "m7",
         "setembro": "m9", "outubro": "m10", "novembro": "m11", "dezembro": "m12",
         "januari": "m1", "februari": "m2", "maart": "m3", "mei": "m5", "augustus": "m8",
         "يناير": "m1", "فبراير": "m2", "مارس": "m3", "أبريل": "m4", "ابريل": "m4", "مايو": "m5", "يونيو": "m6",
         "يوليو": "m7", "أغسطس": "m8", "اغسطس": "m8", "سبتمبر": "m9", "أكتوبر": "m10", "اكتوبر": "m10",
         "نوفمبر": "m11", "ديسمبر": "m12",
         "first": "o1", "second": "o2", "third": "o3", "fourth": "o4", "quarter": "Q", "half": "H",
         "century": "C", "fy": "f", "fiscal": "f",
         "bc": "e", "bce": "e", "ad": "a", "ce": "a",
         "of": "x", "the": "x", "de": "x", "del": "x", "di": "x", "year": "x",
         "monday": "x", "tuesday": "x", "wednesday": "x", "thursday": "x", "friday": "x", "saturday": "x",
         "sunday": "x", "mon": "x", "tue": "x", "wed": "x", "thu": "x", "fri": "x", "sat": "x", "sun": "x"}'::jsonb
    ) ->> word;
    _suffix text := ltrim(word, '0123456789');
    _digits text := left(word, length(word) - length(_suffix));
begin
    return case
        when _known is not null then _known
        when _suffix = '' and length(word) between 1 and 4 then 'n' || word
        when _suffix in ('st', 'nd', 'rd', 'th', 'er', 'o', 'a') and length(_digits) between 1 and 2 then 'o' || _digits
        when _suffix in ('s', '''s') and _digits like '___0' then 'd' || _digits
        when word in ('q1', 'q2', 'q3', 'q4', 'h1', 'h2') then word
        when word in ('1q', '2q', '3q', '4q', '1h', '2h') then reverse(word)
        when left(word, 2) = 'fy' and length(word) = 6 and ltrim(substr(word, 3), '0123456789') = ''
            then 'F' || right(word, 4)
        else '?'
    end;
end
$function$;
comment on function graphrag._period_token(text) is 'What one word of a date means: a letter for its kind, then its value; ? if it is no word of a date.';

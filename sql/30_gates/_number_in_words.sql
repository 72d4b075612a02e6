create function graphrag._number_in_words(words text)
    returns numeric
    language plpgsql immutable strict parallel safe
as $function$
-- English cardinals, up to twenty-five hundred or five million; German, French, Spanish and Italian ones up to a
-- hundred. In lower case; a capital makes it a name.
begin
    return coalesce(graphrag._english_number(words), graphrag._cardinal(words));
end
$function$;
comment on function graphrag._number_in_words(text) is 'The value of a cardinal in words; null if it is none.';

create function graphrag._cardinal(words text)
    returns numeric
    language plpgsql immutable strict parallel safe
as $function$
-- Each list from zero on; of words that are articles too, only inside of others. Hyphens or blanks.
declare
    _word text := replace(translate(words, ' ', '-'), 'dreissig', 'dreißig');
begin
    if _word in ('null', 'zero', 'eins', 'un', 'uno') then
        return null;
    elsif _word = 'quatre-vingt' then
        return 80;
    end if;
    return coalesce(
        array_position(
            '{null,eins,zwei,drei,vier,fünf,sechs,sieben,acht,neun,zehn,elf,zwölf,dreizehn,vierzehn,fünfzehn,'
            'sechzehn,siebzehn,achtzehn,neunzehn,zwanzig,einundzwanzig,zweiundzwanzig,dreiundzwanzig,'
            'vierundzwanzig,fünfundzwanzig,sechsundzwanzig,siebenundzwanzig,achtundzwanzig,neunundzwanzig,'
            'dreißig,einunddreißig,zweiunddreißig,dreiunddreißig,vierunddreißig,fünfunddreißig,sechsunddreißig,'
            'siebenunddreißig,achtunddreißig,neununddreißig,vierzig,einundvierzig,zweiundvierzig,dreiundvierzig,'
            'vierundvierzig,fünfundvierzig,sechsundvierzig,siebenundvierzig,achtundvierzig,neunundvierzig,'
            'fünfzig,einundfünfzig,zweiundfünfzig,dreiundfünfzig,vierundfünfzig,fünfundfünfzig,sechsundfünfzig,'
            'siebenundfünfzig,achtundfünfzig,neunundfünfzig,sechzig,einundsechzig,zweiundsechzig,dreiundsechzig,'
            'vierundsechzig,fünfundsechzig,sechsundsechzig,siebenundsechzig,achtundsechzig,neunundsechzig,'
            'siebzig,einundsiebzig,zweiundsiebzig,dreiundsiebzig,vierundsiebzig,fünfundsiebzig,sechsundsiebzig,'
            'siebenundsiebzig,achtundsiebzig,neunundsiebzig,achtzig,einundachtzig,zweiundachtzig,dreiundachtzig,'
            'vierundachtzig,fünfundachtzig,sechsundachtzig,siebenundachtzig,achtundachtzig,neunundachtzig,'
            'neunzig,einundneunzig,zweiundneunzig,dreiundneunzig,vierundneunzig,fünfundneunzig,sechsundneunzig,'
            'siebenundneunzig,achtundneunzig,neunundneunzig,hundert}'::text[],
            _word
        ),
        array_position(
            '{zéro,un,deux,trois,quatre,cinq,six,sept,huit,neuf,dix,onze,douze,treize,quatorze,quinze,seize,'
            'dix-sept,dix-huit,dix-neuf,vingt,vingt-et-un,vingt-deux,vingt-trois,vingt-quatre,vingt-cinq,'
            'vingt-six,vingt-sept,vingt-huit,vingt-neuf,trente,trente-et-un,trente-deux,trente-trois,'
            'trente-quatre,trente-cinq,trente-six,trente-sept,trente-huit,trente-neuf,quarante,quarante-et-un,'
            'quarante-deux,quarante-trois,quarante-quatre,quarante-cinq,quarante-six,quarante-sept,quarante-huit,'
            'quarante-neuf,cinquante,cinquante-et-un,cinquante-deux,cinquante-trois,cinquante-quatre,'
            'cinquante-cinq,cinquante-six,cinquante-sept,cinquante-huit,cinquante-neuf,soixante,soixante-et-un,'
            'soixante-deux,soixante-trois,soixante-quatre,soixante-cinq,soixante-six,soixante-sept,soixante-huit,'
            'soixante-neuf,soixante-dix,soixante-et-onze,soixante-douze,soixante-treize,soixante-quatorze,'
            'soixante-quinze,soixante-seize,soixante-dix-sept,soixante-dix-huit,soixante-dix-neuf,quatre-vingts,'
            'quatre-vingt-un,quatre-vingt-deux,quatre-vingt-trois,quatre-vingt-quatre,quatre-vingt-cinq,'
            'quatre-vingt-six,quatre-vingt-sept,quatre-vingt-huit,quatre-vingt-neuf,quatre-vingt-dix,'
            'quatre-vingt-onze,quatre-vingt-douze,quatre-vingt-treize,quatre-vingt-quatorze,quatre-vingt-quinze,'
            'quatre-vingt-seize,quatre-vingt-dix-sept,quatre-vingt-dix-huit,quatre-vingt-dix-neuf,cent}'::text[],
            _word
        ),
        array_position(
            '{cero,uno,dos,tres,cuatro,cinco,seis,siete,ocho,nueve,diez,once,doce,trece,catorce,quince,dieciséis,'
            'diecisiete,dieciocho,diecinueve,veinte,veintiuno,veintidós,veintitrés,veinticuatro,veinticinco,'
            'veintiséis,veintisiete,veintiocho,veintinueve,treinta,treinta-y-uno,treinta-y-dos,treinta-y-tres,'
            'treinta-y-cuatro,treinta-y-cinco,treinta-y-seis,treinta-y-siete,treinta-y-ocho,treinta-y-nueve,'
            'cuarenta,cuarenta-y-uno,cuarenta-y-dos,cuarenta-y-tres,cuarenta-y-cuatro,cuarenta-y-cinco,'
            'cuarenta-y-seis,cuarenta-y-siete,cuarenta-y-ocho,cuarenta-y-nueve,cincuenta,cincuenta-y-uno,'
            'cincuenta-y-dos,cincuenta-y-tres,cincuenta-y-cuatro,cincuenta-y-cinco,cincuenta-y-seis,'
            'cincuenta-y-siete,cincuenta-y-ocho,cincuenta-y-nueve,sesenta,sesenta-y-uno,sesenta-y-dos,'
            'sesenta-y-tres,sesenta-y-cuatro,sesenta-y-cinco,sesenta-y-seis,sesenta-y-siete,sesenta-y-ocho,'
            'sesenta-y-nueve,setenta,setenta-y-uno,setenta-y-dos,setenta-y-tres,setenta-y-cuatro,setenta-y-cinco,'
            'setenta-y-seis,setenta-y-siete,setenta-y-ocho,setenta-y-nueve,ochenta,ochenta-y-uno,ochenta-y-dos,'
            'ochenta-y-tres,ochenta-y-cuatro,ochenta-y-cinco,ochenta-y-seis,ochenta-y-siete,ochenta-y-ocho,'
            'ochenta-y-nueve,noventa,noventa-y-uno,noventa-y-dos,noventa-y-tres,noventa-y-cuatro,noventa-y-cinco,'
            'noventa-y-seis,noventa-y-siete,noventa-y-ocho,noventa-y-nueve,cien}'::text[],
            _word
        ),
        array_position(
            '{zero,uno,due,tre,quattro,cinque,sei,sette,otto,nove,dieci,undici,dodici,tredici,quattordici,'
            'quindici,sedici,diciassette,diciotto,diciannove,venti,ventuno,ventidue,ventitré,ventiquattro,'
            'venticinque,ventisei,ventisette,ventotto,ventinove,trenta,trentuno,trentadue,trentatré,'
            'trentaquattro,trentacinque,trentasei,trentasette,trentotto,trentanove,quaranta,quarantuno,'
            'quarantadue,quarantatré,quarantaquattro,quarantacinque,quarantasei,quarantasette,quarantotto,'
            'quarantanove,cinquanta,cinquantuno,cinquantadue,cinquantatré,cinquantaquattro,cinquantacinque,'
            'cinquantasei,cinquantasette,cinquantotto,cinquantanove,sessanta,sessantuno,sessantadue,sessantatré,'
            'sessantaquattro,sessantacinque,sessantasei,sessantasette,sessantotto,sessantanove,settanta,'
            'settantuno,settantadue,settantatré,settantaquattro,settantacinque,settantasei,settantasette,'
            'settantotto,settantanove,ottanta,ottantuno,ottantadue,ottantatré,ottantaquattro,ottantacinque,'
            'ottantasei,ottantasette,ottantotto,ottantanove,novanta,novantuno,novantadue,novantatré,'
            'novantaquattro,novantacinque,novantasei,novantasette,novantotto,novantanove,cento}'::text[],
            _word
        )
    ) - 1;
end
$function$;
comment on function graphrag._cardinal(text) is 'The value of a German, French, Spanish or Italian cardinal from 2 to 100; null if it is none.';

create function graphrag._english_number(words text)
    returns numeric
    language plpgsql immutable strict parallel safe
as $function$
-- English cardinals in lower case, up to twenty-five hundred or five million; a capital makes it a name.
declare
    _ones constant text[] := '{one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,'
        'fifteen,sixteen,seventeen,eighteen,nineteen}';
    _tens constant text[] := '{ten,twenty,thirty,forty,fifty,sixty,seventy,eighty,ninety}';
    _scales constant text[] := '{hundred,thousand,million,billion,trillion}';
    _total numeric := 0;
    _group numeric := 0;
    _words text[] := string_to_array(translate(words, '-', ' '), ' ');
    _word text;
begin
    if words = 'zero' then
        return 0;
    end if;
    foreach _word in array _words loop
        if _word = any (_ones) then
            _group := _group + array_position(_ones, _word);
        elsif _word = any (_tens) then
            _group := _group + 10 * array_position(_tens, _word);
        elsif _word = 'hundred' then
            _group := 100 * greatest(_group, 1);
        elsif _word = any (_scales) then
            _total := _total + greatest(_group, 1) * ('1e' || 3 * (array_position(_scales, _word) - 1))::numeric;
            _group := 0;
        elsif _word <> 'and' or _total + _group = 0 or _word = _words[cardinality(_words)] then
            return null;
        end if;
    end loop;
    return _total + _group;
end
$function$;
comment on function graphrag._english_number(text) is 'The value of an English cardinal in words; null if it is none.';

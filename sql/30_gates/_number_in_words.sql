create function graphrag._number_in_words(words text)
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
comment on function graphrag._number_in_words(text) is 'The value of an English cardinal in words; null if it is none.';

create function graphrag._parse_quantity(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- [qualifier] [sign or parenthesis] [currency] number [scale] [unit]. A qualifier that makes it a bound (over, at least)
-- leaves the number null: the stated text has it. Capitals after the number are a name, unless they are a known unit.
declare
    _part text[];
    _result graphrag.parsed_value;
    _scale numeric;
    _currency text;
    _unit text;
begin
    _part := regexp_match(
        translate(btrim(value), '−–—  ()', '---  '),
        '^((?:approximately|approx\.|about|around|roughly|nearly|almost|some|circa|ca?\.|~|≈)\s*)?'
            '((?:over|more than|at least|less than|under|up to|below|above|fewer than|at most|[<>≤≥])\s*)?'
            '([-+]\s?)?([A-Z]{0,3}[$€£¥₹₩₽₺₪₫฿₴₦]|[A-Z]{3}\s)?\s?([-+])?'
            '(\d[\d.,''’ ]*\d|\d)(e[-+]?\d{1,2})?\s?([^\d\s.,].{0,40})?$'
    );
    if _part is null then
        return _result;
    end if;
    _result.number := graphrag._parse_number(_part[6] || coalesce(_part[7], ''));
    _currency := graphrag._currency(btrim(_part[4]));
    _unit := btrim(_part[8]);
    if _result.number is null or (_currency is null and _part[4] is not null) then
        return null;
    end if;
    select s.factor, nullif(s.rest, '') into _scale, _unit from graphrag._scale(_unit, _currency is not null) as s;
    if _currency is null and _unit is not null then
        _currency := graphrag._currency(_unit);
        _unit := case when _currency is null then _unit end;
    elsif _currency = '¥' then
        _currency := case when _unit in ('円') or _part[8] ~ '[億円]' then 'JPY' when _part[8] ~ '[亿元]' then 'CNY' else '¥' end;
        _unit := case when _unit !~ '^[円元]$' then _unit end;
    end if;
    if _unit ~ '^(%|percent|per cent|pct|pct\.|prozent|pour cent|por ciento|por cento)$' and _currency is null then
        _result.kind := 'percent';
        _unit := '%';
    elsif _unit is not null and not graphrag._is_unit(_unit) then
        return null;
    else
        _result.kind := case when _currency is not null then 'money' when _unit is not null then 'quantity' else 'number' end;
    end if;
    _result.unit := coalesce(_currency, _unit);
    _result.number := case
        when _part[2] is not null then null
        when '-' in (btrim(_part[3]), _part[5]) or btrim(value) ~ '^\(.*\d\s?\)' or btrim(value) ~ '^\(.*\)$'
            then -_result.number * _scale
        else _result.number * _scale
    end;
    return _result;
end
$function$;
comment on function graphrag._parse_quantity(text) is 'The number and unit of a quantity, amount of money or percentage; all null if the text is none.';

create function graphrag._currency(symbol text)
    returns text
    language sql immutable strict parallel safe
as $function$
    select (
        '{"$": "USD", "US$": "USD", "USD": "USD", "U$": "USD", "A$": "AUD", "AU$": "AUD", "AUD": "AUD", "C$": "CAD",
          "CA$": "CAD", "CAD": "CAD", "HK$": "HKD", "HKD": "HKD", "NZ$": "NZD", "NZD": "NZD", "S$": "SGD", "SGD": "SGD",
          "R$": "BRL", "BRL": "BRL", "NT$": "TWD", "TWD": "TWD", "MX$": "MXN", "MXN": "MXN", "€": "EUR", "EUR": "EUR",
          "£": "GBP", "GBP": "GBP", "¥": "¥", "JPY": "JPY", "CNY": "CNY", "RMB": "CNY", "₹": "INR", "INR": "INR",
          "₩": "KRW", "KRW": "KRW", "₽": "RUB", "RUB": "RUB", "₺": "TRY", "TRY": "TRY", "₪": "ILS", "ILS": "ILS",
          "₫": "VND", "VND": "VND", "฿": "THB", "THB": "THB", "₴": "UAH", "UAH": "UAH", "₦": "NGN", "NGN": "NGN",
          "CHF": "CHF", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK", "PLN": "PLN", "CZK": "CZK", "HUF": "HUF", "ZAR": "ZAR",
          "AED": "AED", "SAR": "SAR", "zł": "PLN", "元": "CNY", "円": "JPY", "원": "KRW", "人民币": "CNY",
          "dollars": "USD", "dollar": "USD", "US dollars": "USD", "U.S. dollars": "USD", "euros": "EUR", "euro": "EUR",
          "Euro": "EUR", "pounds sterling": "GBP", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "won": "KRW",
          "rupees": "INR", "Indian rupees": "INR", "Swiss francs": "CHF", "Canadian dollars": "CAD",
          "Australian dollars": "AUD", "dólares": "USD", "dollari": "USD"}'::jsonb
    ) ->> symbol
$function$;
comment on function graphrag._currency(text) is 'The ISO code of a currency from its symbol, code or name; null where that is not clear.';

create function graphrag._scale(unit text, is_money boolean, out factor numeric, out rest text)
    language plpgsql immutable parallel safe
as $function$
-- A bare letter scales money; elsewhere only k, and M, B, T in capitals: 5 m is five metres.
declare
    _part text[] := regexp_match(
        unit,
        '^((?:hundred|thousand|million|billion|trillion|crore|lakh|mm|mn|bn|tn|mio\.?|mrd\.?|millionen|milliarden?'
            '|milliards?|millions|billions|millones|mil millones|milioni|miliardi|milhões|miljoen|miljard'
            '|Mio\.?|Mrd\.?|Millionen|Milliarden?|Million|Billion|Trillion|bln)(?=\s|$)'
            '|(?:[kK]|[MBT])(?=\s|$)|[万萬만億亿억兆조千])\s*(?:of\s)?(.*)$'
    );
begin
    if _part is null and is_money then
        _part := regexp_match(unit, '^([mbtMBT])(?=\s|$)\s*(.*)$');
    end if;
    rest := coalesce(_part[2], unit);
    factor := case
        when _part is null then 1
        when _part[1] ~ '^(hundred)' then 1e2
        when _part[1] ~ '^(thousand|[kK]$|千)' then 1e3
        when _part[1] ~ '^[万萬만]' then 1e4
        when _part[1] = 'lakh' then 1e5
        when _part[1] = 'crore' then 1e7
        when _part[1] ~ '^[億亿억]' then 1e8
        when _part[1] ~ '^(mil mill|mrd|Mrd|[mM]illiard|miliard|miljard|billion|Billion|bn|bln|[bB]$)' then 1e9
        when _part[1] ~ '^(trillion|Trillion|tn|[tT]$|[兆조])' then 1e12
        else 1e6
    end;
end
$function$;
comment on function graphrag._scale(text, boolean) is 'The factor of a scale word at the beginning of what follows a number, and the rest.';

create function graphrag._is_unit(unit text)
    returns boolean
    language sql immutable strict parallel safe
as $function$
-- One word in lower case (barrels, km/h, 人), a word of measure and another (square miles, basis points), each with
-- `per` something; or a unit whose symbol has capitals.
    select unit collate "und-x-icu" ~ (
        '^(°?[CFK]|‰|[kKMGTP]i?B(it)?|[kMGT]?Wh?|[kMGT]?Hz|[kM]?V|mAh|[kM]?Pa|m?AU|[kMG]?eV|[µmk]?[LJN]|TEU|BTU|boe/d|dB'
        '|(°?[[:lower:]µ°][[:lower:]/²³-]*|(square|cubic|metric|nautical|light|basis|percentage|long|short) [[:lower:]]+'
        '|(years?|months?|weeks?|days?) old|US cents|[[:lower:]]+ (per|a|an|/) [[:lower:]]+)( per [[:lower:]]+)?'
        '|[一-鿿぀-ヿ가-힣]{1,3})$'
    )
$function$;
comment on function graphrag._is_unit(text) is 'Whether what follows a number is a unit of it and not the rest of a name.';

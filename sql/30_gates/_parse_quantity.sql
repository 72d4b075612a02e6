create function graphrag._parse_quantity(value text)
    returns graphrag.parsed_value
    language plpgsql immutable strict parallel safe
as $function$
-- [qualifier] [sign or parenthesis] [currency] number [scale] [unit]. A qualifier that makes it a bound (over, at
-- least) leaves the number null: the stated text has it. Capitals after the number are a name, unless they are a known
-- unit, and so is a letter in parentheses (401(k)).
declare
    _nothing graphrag.parsed_value;
    _result graphrag.parsed_value;
    _value text := translate(btrim(value), '−–—  ’', '---  ''');
    _prefix text := substring(_value from '^[^0-9]*');
    _before text := btrim(translate(_prefix, '-+(~≈<>≤≥', ''));
    _symbol text := split_part(_before, ' ', -1);
    _currency text := graphrag._currency(_symbol);
    _is_bound boolean := translate(_prefix, '<>≤≥', '') <> _prefix;
    _part text[];
    _after text;
    _scale numeric;
    _unit text;
begin
    if _currency is not null then
        _before := rtrim(left(_before, -length(_symbol)));
    end if;
    if _before <> '' and graphrag._is_bound(_before) is null then
        return _nothing;
    end if;
    _is_bound := _is_bound or coalesce(graphrag._is_bound(_before), false);
    _part := regexp_match(
        substr(_value, length(_prefix) + 1), '^([0-9][0-9.,''’ ]*[0-9]|[0-9])(e[-+]?[0-9][0-9]?)?([^0-9.,].*)?$'
    );
    if _part is null or length(_part[3]) > 61 then
        return _nothing;
    end if;
    -- 5 Md€, 5 M€
    _after := regexp_replace(btrim(translate(_part[3], '()', '')), '^([[:alpha:]]+\.?)([€£$])', '\1 \2');
    _scale := graphrag._scale(_after, _currency is not null);
    _unit := nullif(graphrag._after_scale(_after, _scale), '');
    if _currency is null and (
            (left(_part[3], 1) = '(' and _part[3] ~ '^\([a-z]')
            or (_scale = 1 and not graphrag._is_joined_unit(_part[3]))
        ) then
        return _nothing;
    end if;
    if _currency = '¥' then
        _currency := case when _after ~ '[億円]' then 'JPY' when _after ~ '[亿元]' then 'CNY' else '¥' end;
        _unit := case when _unit not in ('円', '元') then _unit end;
    elsif _currency is null and graphrag._currency(_unit) is not null then
        _currency := graphrag._currency(_unit);
        _unit := null;
    end if;
    if _currency is null and graphrag._is_percent(_unit) then
        _result.kind := 'percent';
        _unit := '%';
    elsif split_part(_unit, ' ', 1) in ('st', 'nd', 'rd', 'th') or not graphrag._is_unit(_unit)
        or (
            _currency is null
            and _part[1] ~ '^(1[0-9]|20)[0-9][0-9]$'
            and graphrag._unit_code(_unit) is null
            and _unit !~ '([^sui]s|people|men|women|children|^.{1,3})$'
        ) then
        -- 1989 film is no number of films.
        return _nothing;
    else
        _result.kind := case
            when _currency is not null then 'money'
            when _unit is not null then 'quantity'
            else 'number'
        end;
    end if;
    _result.number := trim_scale(
        graphrag._parse_number(_part[1])
        * _scale
        * coalesce('1' || _part[2], '1')::numeric
        * case when _prefix ~ '[-(]' then -1 else 1 end
    );
    if _result.number is null then
        return _nothing;
    elsif _is_bound then
        _result.number := null;
    end if;
    _result.unit := nullif(concat_ws(' ', _currency, _unit), '');
    _result.scale := nullif(_scale, 1);
    return _result;
end
$function$;
comment on function graphrag._parse_quantity(text) is 'The number and unit of a quantity, amount of money or percentage; all null if the text is none.';

create function graphrag._is_percent(unit text)
    returns boolean
    language sql immutable parallel safe
as $function$
    select coalesce(
        graphrag._lower(split_part(unit, ' of ', 1)) = any (
            '{%,percent,per cent,pct,pct.,prozent,procent,pour cent,por ciento,por cento,porcento,per cento,percento}'
        )
        and (unit = graphrag._lower(unit) or unit not like '% of %'),
        false
    )
$function$;
comment on function graphrag._is_percent(text) is 'Whether what follows a number makes it a percentage.';

create function graphrag._currency_code(symbol text)
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
          "CHF": "CHF", "SEK": "SEK", "NOK": "NOK", "DKK": "DKK", "PLN": "PLN", "CZK": "CZK", "HUF": "HUF",
          "ZAR": "ZAR", "AED": "AED", "SAR": "SAR", "zł": "PLN", "元": "CNY", "円": "JPY", "원": "KRW", "人民币": "CNY",
          "dollars": "USD", "dollar": "USD", "US dollars": "USD", "U.S. dollars": "USD", "euros": "EUR", "euro": "EUR",
          "Euro": "EUR", "pounds sterling": "GBP", "yen": "JPY", "yuan": "CNY", "renminbi": "CNY", "won": "KRW",
          "rupees": "INR", "Indian rupees": "INR", "Swiss francs": "CHF", "Canadian dollars": "CAD",
          "Australian dollars": "AUD", "dólares": "USD", "dollari": "USD", "us dollars": "USD", "u.s. dollars": "USD",
          "us dollar": "USD", "u.s. dollar": "USD", "us-dollar": "USD", "dollars américains": "USD",
          "dólares estadounidenses": "USD", "dollari americani": "USD", "pound sterling": "GBP",
          "pfund sterling": "GBP",
          "british pounds": "GBP", "livres sterling": "GBP", "libras esterlinas": "GBP", "schweizer franken": "CHF",
          "francs suisses": "CHF", "franchi svizzeri": "CHF", "yens": "JPY", "roubles": "RUB", "rubles": "RUB",
          "rubel": "RUB", "zloty": "PLN", "złoty": "PLN", "reais": "BRL", "shekels": "ILS", "hryvnia": "UAH",
          "indian rupees": "INR", "swiss francs": "CHF", "canadian dollars": "CAD", "australian dollars": "AUD"}'::jsonb
    ) ->> symbol
$function$;
comment on function graphrag._currency_code(text) is 'The ISO code of a currency from its symbol, code or name as it is listed.';

create function graphrag._currency(symbol text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- A word may be written with a capital (5 Million Dollars); a code or symbol is as it is.
begin
    return coalesce(
        graphrag._currency_code(symbol),
        case when length(symbol) > 3 then graphrag._currency_code(graphrag._lower(symbol)) end
    );
end
$function$;
comment on function graphrag._currency(text) is 'The ISO code of a currency from its symbol, code or name; null where that is not clear.';

create function graphrag._scale(unit text, is_money boolean)
    returns numeric
    language plpgsql immutable parallel safe
as $function$
-- A bare letter scales money; elsewhere only k, and M, B, T in capitals: 5 m is five metres.
declare
    _word text := case
        when unit like 'mil mil%' then split_part(unit, ' ', 1) || ' ' || split_part(unit, ' ', 2)
        when octet_length(left(unit, 1)) > 2 then left(unit, 1)
        else split_part(unit, ' ', 1)
    end;
begin
    if graphrag._lower(_word) ~ '^(hundred|thousand|(m|b|tr)illions?)$' then
        _word := graphrag._lower(_word);
    end if;
    return coalesce(
        (
            '{"hundred": 1e2, "thousand": 1e3, "k": 1e3, "K": 1e3, "mil": 1e3, "mille": 1e3, "mila": 1e3,
              "tausend": 1e3, "Tausend": 1e3, "Tsd.": 1e3, "Tsd": 1e3, "duizend": 1e3, "lakh": 1e5, "crore": 1e7,
              "million": 1e6, "millions": 1e6, "mln": 1e6, "mln.": 1e6, "mn": 1e6, "mio": 1e6, "mio.": 1e6,
              "Mio": 1e6, "Mio.": 1e6, "Million": 1e6, "Millionen": 1e6, "millón": 1e6, "millones": 1e6,
              "milione": 1e6, "milioni": 1e6,
              "milhão": 1e6, "milhões": 1e6, "miljoen": 1e6, "M": 1e6,
              "billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "B": 1e9, "Mrd": 1e9, "Mrd.": 1e9, "mrd": 1e9,
              "Milliarde": 1e9, "Milliarden": 1e9, "milliard": 1e9, "milliards": 1e9, "miliardo": 1e9, "miliardi": 1e9,
              "mil millones": 1e9, "mil milhões": 1e9, "miljard": 1e9, "bilhão": 1e9, "bilhões": 1e9, "mld": 1e9,
              "mld.": 1e9, "Md": 1e9, "Mds": 1e9, "md": 1e9, "mds": 1e9,
              "trillion": 1e12, "trillions": 1e12, "tn": 1e12, "Billionen": 1e12, "Bio.": 1e12, "billones": 1e12,
              "billón": 1e12, "trilhão": 1e12, "trilhões": 1e12,
              "千": 1e3, "万": 1e4, "萬": 1e4, "만": 1e4, "億": 1e8, "亿": 1e8, "억": 1e8, "兆": 1e12, "조": 1e12}'::jsonb
            ->> _word
        )::numeric,
        case
            when is_money
                then ('{"m": 1e6, "mm": 1e6, "MM": 1e6, "b": 1e9, "t": 1e12, "T": 1e12}'::jsonb ->> _word)::numeric
        end,
        1
    );
end
$function$;
comment on function graphrag._scale(text, boolean) is 'The factor of a scale word at the beginning of what follows a number; 1 if there is none.';

create function graphrag._after_scale(unit text, scale numeric)
    returns text
    language plpgsql immutable parallel safe
as $function$
begin
    return case
        when scale = 1 then unit
        when octet_length(left(unit, 1)) > 2 then btrim(substr(unit, 2))
        else regexp_replace(unit, '^(mil (?=mil))?\S+\s*((of|de|di)\M ?|d'')?', '')
    end;
end
$function$;
comment on function graphrag._after_scale(text, numeric) is 'What follows a number without the scale word at its beginning.';

create function graphrag._is_unit(unit text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- One word in lower case (barrels, km/h, 人); a symbol with capitals; a word of measure and another (square miles, basis
-- points), things counted (wind turbines) or measured (litres of water); each with `per` something. The usual ones
-- first: the server keeps few regular expressions compiled, and the last one is dear to compile.
begin
    if ltrim(unit, 'abcdefghijklmnopqrstuvwxyz/') = '' or graphrag._unit_code(unit) is not null then
        return true;
    end if;
    return unit ~ (
            '^(°?[CFK]|‰|[kKMGTP]i?B(it)?|[kMGT]?Wh?|[kMGT]?Hz|[kM]?V|mAh|[kM]?Pa|m?AU|[kMG]?eV|[µmk]?[LJN]|TEU|BTU'
            '|boe/d|dB|US cents)$'
        )
        or unit !~ '( \S+){4}' and unit collate "und-x-icu" ~ (
            '^((°?[[:lower:]µ°][[:lower:]/²³-]*|[[:lower:]]+ (per|a|an) [[:lower:]]+|per [[:lower:]]+'
            '|(square|cubic|metric|nautical|light|basis|percentage|long|short) [[:lower:]]+'
            '|(years?|months?|weeks?|days?) old)( per [[:lower:]]+)?'
            '|([[:lower:]-]+ )+[[:lower:]-]*([^sui]s|people|men|women|children)'
            '|[[:lower:]]+( of [[:lower:]-]+)+|[一-鿿぀-ヿ가-힣]{1,3})$'
        );
end
$function$;
comment on function graphrag._is_unit(text) is 'Whether what follows a number is a unit of it and not the rest of a name.';

create function graphrag._is_joined_unit(rest text)
    returns boolean
    language sql immutable parallel safe
as $function$
-- Without a blank between, Latin letters are a unit only if they are a symbol of one (5km, 12bps, 20kW, not 49ers or
-- 4chan). The letters of other scripts are (100人).
    select case
        when ascii(rest) between 97 and 122 then graphrag._lower(substring(rest from '^[a-z]+')) = any (
            '{km,m,cm,mm,nm,kg,g,mg,t,lb,lbs,oz,ft,in,yd,mi,mph,kph,kmh,hp,s,ms,ns,sec,secs,min,mins,h,hr,hrs,d,wk,wks,mo,mos,'
            'yr,yrs,y,l,ml,cl,dl,gal,pp,ppt,bp,bps,pt,pts,px,fps,rpm,dpi,ppm,ppb,kb,mb,gb,tb,kbps,mbps,gbps,k,kw,kwh,w,wh,v,a,'
            'mah,hz,khz,mhz,ghz,db,cal,kcal,kj,j,n,pa,kpa,ha,ac,sqft,bbl,boe,x,p,c,th,st,nd,rd}'
        )
        else true
    end
$function$;
comment on function graphrag._is_joined_unit(text) is 'Whether letters that follow a figure without a blank can be its unit.';

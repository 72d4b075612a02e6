create function graphrag._unit_key(unit text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- One form for singular and plural (1 employee, 2 employees) and for all that the table calls one (km, kilometres),
-- also before what is measured or by what it is counted (litres of water, km per day); a symbol keeps its case (MW
-- is not mW).
declare
    _code text := graphrag._unit_code(unit);
    _part text[];
begin
    if _code is not null then
        return _code;
    end if;
    _part := regexp_match(unit, '^(.+?) (of|per|a|an) (.+)$');
    if _part is not null then
        return concat_ws(
            ' ',
            graphrag._unit_key(_part[1]),
            case when _part[2] = 'of' then 'of' else 'per' end,
            graphrag._unit_key(_part[3])
        );
    end if;
    return case
        when right(unit, 1) = 's' and unit ~ '[a-z]{4}'
            then regexp_replace(
                regexp_replace(graphrag._lower(unit), '(ch|sh|ss|x)es\M', '\1', 'g'),
                '([a-rt-z])s\M',
                '\1',
                'g'
            )
        else unit
    end;
end
$function$;
comment on function graphrag._unit_key(text) is 'The form in which spellings of one unit are equal.';

create function graphrag._unit_code(unit text)
    returns text
    language plpgsql immutable strict parallel safe
as $function$
-- A word may be written with a capital (5 Kilometer); a symbol is as it is.
begin
    return coalesce(
        graphrag._units() ->> unit,
        case when length(unit) > 3 then graphrag._units() ->> graphrag._lower(unit) end
    );
end
$function$;
comment on function graphrag._unit_code(text) is 'The symbol of a unit from any of its names; null if it is not in the table.';

create function graphrag._units()
    returns jsonb
    language sql immutable parallel safe
as $function$
    select
        '{"km": "km", "kilometre": "km", "kilometres": "km", "kilometer": "km", "kilometers": "km",
          "kilomètre": "km", "kilomètres": "km", "kilómetro": "km", "kilómetros": "km", "chilometro": "km",
          "chilometri": "km", "quilômetro": "km", "quilômetros": "km", "kms": "km", "m": "m", "metre": "m",
          "metres": "m", "meter": "m", "meters": "m", "mètre": "m", "mètres": "m", "metros": "m", "metri": "m",
          "cm": "cm", "centimetre": "cm", "centimetres": "cm", "centimeter": "cm", "centimeters": "cm",
          "zentimeter": "cm", "centimètre": "cm", "centimètres": "cm", "centímetros": "cm", "centimetri": "cm",
          "mm": "mm", "millimetre": "mm", "millimetres": "mm", "millimeter": "mm", "millimeters": "mm",
          "millimètre": "mm", "millimètres": "mm", "milímetros": "mm", "millimetri": "mm", "km²": "km²",
          "km2": "km²", "sq km": "km²", "square kilometre": "km²", "square kilometres": "km²",
          "square kilometer": "km²", "square kilometers": "km²", "quadratkilometer": "km²",
          "kilomètres carrés": "km²", "kilómetros cuadrados": "km²", "chilometri quadrati": "km²", "m²": "m²",
          "m2": "m²", "sqm": "m²", "sq m": "m²", "square metre": "m²", "square metres": "m²", "square meter": "m²",
          "square meters": "m²", "quadratmeter": "m²", "mètres carrés": "m²", "metros cuadrados": "m²",
          "metri quadrati": "m²", "m³": "m³", "m3": "m³", "cubic metre": "m³", "cubic metres": "m³",
          "cubic meter": "m³", "cubic meters": "m³", "kubikmeter": "m³", "mètres cubes": "m³",
          "metros cúbicos": "m³", "metri cubi": "m³", "ha": "ha", "hectare": "ha", "hectares": "ha",
          "hektar": "ha", "hectáreas": "ha", "ettari": "ha", "ac": "ac", "acre": "ac", "acres": "ac", "mi": "mi",
          "mile": "mi", "miles": "mi", "ft": "ft", "foot": "ft", "feet": "ft", "in": "in", "inch": "in",
          "inches": "in", "yd": "yd", "yard": "yd", "yards": "yd", "sq mi": "sq mi", "square mile": "sq mi",
          "square miles": "sq mi", "sq ft": "sq ft", "sqft": "sq ft", "square foot": "sq ft",
          "square feet": "sq ft", "kg": "kg", "kilogram": "kg", "kilograms": "kg", "kilogramme": "kg",
          "kilogrammes": "kg", "kilogramm": "kg", "kilo": "kg", "kilos": "kg", "kilogramos": "kg",
          "chilogrammi": "kg", "chili": "kg", "g": "g", "gram": "g", "grams": "g", "gramme": "g", "grammes": "g",
          "gramm": "g", "gramos": "g", "grammi": "g", "mg": "mg", "milligram": "mg", "milligrams": "mg",
          "milligramm": "mg", "t": "t", "tonne": "t", "tonnes": "t", "tonnen": "t", "metric ton": "t",
          "metric tons": "t", "toneladas": "t", "tonnellate": "t", "lb": "lb", "lbs": "lb", "pound": "lb",
          "pounds": "lb", "oz": "oz", "ounce": "oz", "ounces": "oz", "l": "l", "L": "l", "litre": "l",
          "litres": "l", "liter": "l", "liters": "l", "litro": "l", "litros": "l", "litri": "l", "ml": "ml",
          "mL": "ml", "millilitre": "ml", "millilitres": "ml", "milliliter": "ml", "milliliters": "ml",
          "gal": "gal", "gallon": "gal", "gallons": "gal", "bbl": "bbl", "barrel": "bbl", "barrels": "bbl",
          "h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "stunde": "h", "stunden": "h", "heure": "h",
          "heures": "h", "hora": "h", "horas": "h", "min": "min", "mins": "min", "minute": "min", "minutes": "min",
          "minuten": "min", "minuto": "min", "minutos": "min", "minuti": "min", "s": "s", "sec": "s", "secs": "s",
          "second": "s", "seconds": "s", "sekunde": "s", "sekunden": "s", "seconde": "s", "secondes": "s",
          "segundo": "s", "segundos": "s", "secondi": "s", "d": "d", "day": "d", "days": "d", "tag": "d",
          "tage": "d", "jour": "d", "jours": "d", "día": "d", "días": "d", "giorno": "d", "giorni": "d",
          "wk": "wk", "wks": "wk", "week": "wk", "weeks": "wk", "woche": "wk", "wochen": "wk", "semaine": "wk",
          "semaines": "wk", "semana": "wk", "semanas": "wk", "settimana": "wk", "settimane": "wk", "mo": "mo",
          "mos": "mo", "month": "mo", "months": "mo", "monat": "mo", "monate": "mo", "mois": "mo", "meses": "mo",
          "mesi": "mo", "yr": "yr", "yrs": "yr", "y": "yr", "year": "yr", "years": "yr", "jahr": "yr",
          "jahre": "yr", "ans": "yr", "année": "yr", "années": "yr", "año": "yr", "años": "yr", "anno": "yr",
          "anni": "yr", "km/h": "km/h", "kph": "km/h", "kmh": "km/h", "km per hour": "km/h",
          "kilometres per hour": "km/h", "kilometers per hour": "km/h", "mph": "mph", "miles per hour": "mph",
          "mile per hour": "mph", "m/s": "m/s", "metres per second": "m/s", "meters per second": "m/s", "pp": "pp",
          "ppt": "pp", "percentage point": "pp", "percentage points": "pp", "prozentpunkt": "pp",
          "prozentpunkte": "pp", "points de pourcentage": "pp", "puntos porcentuales": "pp",
          "punti percentuali": "pp", "bp": "bp", "bps": "bp", "basis point": "bp", "basis points": "bp",
          "basispunkte": "bp", "W": "W", "watt": "W", "watts": "W", "kW": "kW", "kilowatt": "kW",
          "kilowatts": "kW", "MW": "MW", "megawatt": "MW", "megawatts": "MW", "GW": "GW", "gigawatt": "GW",
          "gigawatts": "GW", "kWh": "kWh", "kilowatt-hour": "kWh", "kilowatt-hours": "kWh", "kilowatt hour": "kWh",
          "kilowatt hours": "kWh", "kilowattstunden": "kWh", "MWh": "MWh", "megawatt-hour": "MWh",
          "megawatt-hours": "MWh", "megawatt hours": "MWh", "GWh": "GWh", "gigawatt-hours": "GWh",
          "gigawatt hours": "GWh", "TWh": "TWh", "terawatt-hours": "TWh", "terawatt hours": "TWh", "Hz": "Hz",
          "hertz": "Hz", "kHz": "kHz", "kilohertz": "kHz", "MHz": "MHz", "megahertz": "MHz", "GHz": "GHz",
          "gigahertz": "GHz", "KB": "KB", "kb": "KB", "kilobyte": "KB", "kilobytes": "KB", "MB": "MB", "mb": "MB",
          "megabyte": "MB", "megabytes": "MB", "GB": "GB", "gb": "GB", "gigabyte": "GB", "gigabytes": "GB",
          "TB": "TB", "tb": "TB", "terabyte": "TB", "terabytes": "TB", "°C": "°C", "degrees celsius": "°C",
          "degree celsius": "°C", "℃": "°C", "grad celsius": "°C", "degrés celsius": "°C", "grados celsius": "°C",
          "gradi celsius": "°C", "°F": "°F", "degrees fahrenheit": "°F", "degree fahrenheit": "°F", "℉": "°F",
          "person": "person", "people": "person", "persons": "person", "personen": "person", "personnes": "person",
          "personas": "person", "persone": "person"}'::jsonb
$function$;
comment on function graphrag._units() is 'Names of units, each with the symbol that stands for them all.';

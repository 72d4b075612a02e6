begin;
create extension if not exists pgtap;
select plan(417);

-- ------------------------------------------------------------ one value, however it is spelt
select is(graphrag._value_key(v.other), graphrag._value_key(v.value), format('one value: %s, %s', v.value, v.other))
from (values
    ('5 km', '5 kilometres'), ('5 km', '5 kilometers'), ('5 km', '5 Kilometer'), ('5 km', 'fünf Kilometer'),
    ('5 km', 'five kilometres'), ('5 km', 'cinq kilomètres'), ('5 km', 'cinco kilómetros'),
    ('5 km', 'cinque chilometri'),
    ('1 km', '1 kilometre'), ('3 m', '3 meters'), ('3 ft', '3 feet'), ('12 in', '12 inches'), ('4 lb', '4 pounds'),
    ('20 kg', '20 kilograms'), ('20 kg', '20 kilos'), ('7 t', '7 tonnes'), ('7 t', '7 metric tons'),
    ('2 l', '2 litres'),
    ('2 litres of water', '2 liters of water'), ('30 h', '30 hours'), ('30 h', '30 Stunden'),
    ('90 min', '90 minutes'),
    ('3 years', '3 Jahre'), ('3 yrs', '3 années'), ('18 months', '18 Monate'), ('100 km/h', '100 km per hour'),
    ('100 km/h', '100 kph'), ('60 mph', '60 miles per hour'), ('25 bps', '25 basis points'),
    ('2 pp', '2 percentage points'),
    ('3 MW', '3 megawatts'), ('8 kWh', '8 kilowatt hours'), ('20 °C', '20 degrees Celsius'),
    ('5 km²', '5 square kilometers'),
    ('5 sq km', '5 Quadratkilometer'), ('4 people', '4 persons'), ('100 bbl per day', '100 barrels a day'),
    ('15%', '15 percent'), ('15%', '15 per cent'), ('15%', '15 pct'), ('15%', 'fünfzehn Prozent'),
    ('15%', 'quinze pour cent'),
    ('15%', 'quince por ciento'), ('15%', 'quindici per cento'),
    ('$5 bn', '$5 billion'), ('$5 bn', '$5b'), ('$5 bn', '5 billion dollars'), ('$5 bn', 'USD 5,000,000,000'),
    ('$5 bn', 'US$5bn'), ('$5 bn', '5 Milliarden Dollar'), ('$5 bn', '5 Mrd. US-Dollar'),
    ('$5 bn', 'fünf Milliarden Dollar'),
    ('$5 bn', '5 milliards de dollars'), ('$5 bn', 'cinco mil millones de dólares'),
    ('$5 bn', 'cinque miliardi di dollari'),
    ('€3m', '3 million euros'), ('€3m', '3 mn EUR'), ('€3m', '3 Mio. Euro'), ('€3m', '3 Mio €'),
    ('€3m', 'drei Millionen Euro'),
    ('€3m', 'trois millions d’euros'), ('€3m', 'tres millones de euros'), ('€3m', 'tre milioni di euro'),
    ('€3m', '3 M€'),
    ('€2bn', '2 Md€'), ('CHF 4', '4 Schweizer Franken'), ('£9', '9 pounds sterling'), ('2000 euros', 'due mila euro')
) as v (value, other);

select isnt(graphrag._value_key(v.other), graphrag._value_key(v.value), format('two values: %s, %s', v.value, v.other))
from (values
    ('5 MW', '5 mW'), ('5 km', '5 miles'), ('5 tons', '5 tonnes'), ('£5', '5 pounds'), ('5 m', '5 million'),
    ('5%', '5 pp'),
    ('5 km', '5 km per day'), ('$5 bn', '5 Billionen Dollar'), ('2 million deer', '2 million er')
) as v (value, other);

-- ------------------------------------------------------------ numbers in words
select is(
    (select (p.kind, p.number)::text from graphrag._parse_value(v.value) as p),
    (v.kind, v.number)::text,
    format('in words: %s', v.value)
)
from (values
    ('zwölf Kilometer', 'quantity', 12::numeric), ('einundzwanzig Prozent', 'percent', 21),
    ('neunundneunzig Meter', 'quantity', 99), ('hundert Millionen Euro', 'money', 100000000),
    ('dreißig', 'number', 30),
    ('vingt et un mètres', 'quantity', 21), ('soixante-dix-sept', 'number', 77),
    ('quatre-vingt-dix-neuf', 'number', 99),
    ('quatre-vingts', 'number', 80), ('soixante et onze', 'number', 71),
    ('cent millions d''euros', 'money', 100000000),
    ('treinta y uno', 'number', 31), ('veintidós kilómetros', 'quantity', 22), ('cien mil dólares', 'money', 100000),
    ('once millones', 'number', 11000000), ('ventuno', 'number', 21), ('novantanove', 'number', 99),
    ('trentatré', 'number', 33),
    ('due milioni', 'number', 2000000), ('elf Kilometer', 'quantity', 11),
    ('mehr als fünf Millionen Euro', 'money', null),
    ('environ dix kilomètres', 'quantity', 10), ('más de cinco euros', 'money', null),
    ('circa venti metri', 'quantity', 20)
) as v (value, kind, number);

select is((graphrag._parse_value(v.value)).kind, null, format('no number: %s', v.value))
from (values
    ('elf'), ('once'), ('due'), ('once a month'), ('due process'), ('elf queen'), ('seize power'), ('sept'),
    ('eine Firma'), ('une entreprise'), ('un'), ('uno'), ('null'), ('zwei der Gründer'), ('deux de ses amis'),
    ('dos de los fundadores'), ('Sieben'), ('Cinque Terre'), ('drei oder vier'), ('quasi')
) as v (value);

-- ------------------------------------------------------------ literals
select is(
    (select (p.kind, p.number, p.unit)::text from graphrag._parse_value(v.value) as p),
    (v.kind, v.number, v.unit)::text,
    format('literal: %s', v.value)
)
from (values
    ('$66.5 billion', 'money', 66500000000::numeric, 'USD'),
    ('$18.4 billion', 'money', 18400000000, 'USD'),
    ('€1.2bn', 'money', 1200000000, 'EUR'),
    ('£3', 'money', 3, 'GBP'),
    ('¥300億', 'money', 30000000000, 'JPY'),
    ('300億円', 'money', 30000000000, 'JPY'),
    ('¥5', 'money', 5, '¥'),
    ('5亿元', 'money', 500000000, 'CNY'),
    ('₹5 crore', 'money', 50000000, 'INR'),
    ('US$ 3.4 million', 'money', 3400000, 'USD'),
    ('USD 12', 'money', 12, 'USD'),
    ('12 EUR', 'money', 12, 'EUR'),
    ('$5m', 'money', 5000000, 'USD'),
    ('$2B', 'money', 2000000000, 'USD'),
    ('-$5', 'money', -5, 'USD'),
    ('$-5', 'money', -5, 'USD'),
    ('($1.2 billion)', 'money', -1200000000, 'USD'),
    ('$(1.2) billion', 'money', -1200000000, 'USD'),
    ('10 million US dollars', 'money', 10000000, 'USD'),
    ('66,5 Mio. €', 'money', 66500000, 'EUR'),
    ('3,5 Millionen Euro', 'money', 3500000, 'EUR'),
    ('2 mil millones de euros', 'money', 2000000000, 'EUR'),
    ('approximately $66.5 billion', 'money', 66500000000, 'USD'),
    ('over $5 billion', 'money', null, 'USD'),
    ('$0.45 per share', 'money', 0.45, 'USD per share'),
    ('HK$1,000', 'money', 1000, 'HKD'),
    ('500 yen', 'money', 500, 'JPY'),
    ('1,234.5', 'number', 1234.5, null),
    ('1,234', 'number', 1234, null),
    ('737', 'number', 737, null),
    ('8213', 'number', 8213, null),
    ('2000 employees', 'quantity', 2000, 'employees'),
    ('2000 people', 'quantity', 2000, 'people'),
    ('17,985 police agencies', 'quantity', 17985, 'police agencies'),
    ('107 wind turbines', 'quantity', 107, 'wind turbines'),
    ('10 billion litres of water', 'quantity', 10000000000, 'litres of water'),
    ('50.7% of the vote', 'percent', 50.7, '%'),
    ('76 °F (24 °C)', 'quantity', 76, '°F'),
    ('1,270 mm (50 in)', 'quantity', 1270, 'mm'),
    ('40 mm', 'quantity', 40, 'mm'),
    ('$40 mm', 'money', 40000000, 'USD'),
    ('1,000 to 5,000', 'number', null, null),
    ('1,000-2,000', 'number', null, null),
    ('30 to 40 people', 'quantity', null, 'people'),
    ('116 – 36', 'number', null, null),
    ('1815 and 1821', 'date', null, null),
    ('1793 -- 94', 'date', null, null),
    ('5 – 14 April 2018', 'date', null, null),
    ('0', 'number', 0, null),
    ('007', 'number', 7, null),
    ('-3.5', 'number', -3.5, null),
    ('+4', 'number', 4, null),
    ('−5', 'number', -5, null),
    ('3,5', 'number', 3.5, null),
    ('1.234.567', 'number', 1234567, null),
    ('1.234,56', 'number', 1234.56, null),
    ('1 234 567', 'number', 1234567, null),
    ('1''234''567', 'number', 1234567, null),
    ('1,50,000', 'number', 150000, null),
    ('1.5e9', 'number', 1500000000, null),
    ('5k', 'number', 5000, null),
    ('3 million', 'number', 3000000, null),
    ('five', 'number', 5, null),
    ('twenty-five', 'number', 25, null),
    ('two hundred', 'number', 200, null),
    ('one hundred and five', 'number', 105, null),
    ('four hundred million', 'number', 400000000, null),
    ('zero', 'number', 0, null),
    ('about 300', 'number', 300, null),
    ('~300', 'number', 300, null),
    ('over 300', 'number', null, null),
    ('5%', 'percent', 5, '%'),
    ('12,5 %', 'percent', 12.5, '%'),
    ('(3.2)%', 'percent', -3.2, '%'),
    ('(3.2%)', 'percent', -3.2, '%'),
    ('-5%', 'percent', -5, '%'),
    ('100 per cent', 'percent', 100, '%'),
    ('12 percent', 'percent', 12, '%'),
    ('12 Prozent', 'percent', 12, '%'),
    ('more than 5%', 'percent', null, '%'),
    ('12 bps', 'quantity', 12, 'bps'),
    ('15 basis points', 'quantity', 15, 'basis points'),
    ('3 million barrels', 'quantity', 3000000, 'barrels'),
    ('5M users', 'quantity', 5000000, 'users'),
    ('20 million people', 'quantity', 20000000, 'people'),
    ('150 employees', 'quantity', 150, 'employees'),
    ('over 1,000 employees', 'quantity', null, 'employees'),
    ('10 years old', 'quantity', 10, 'years old'),
    ('12.5 km/h', 'quantity', 12.5, 'km/h'),
    ('20°C', 'quantity', 20, '°C'),
    ('5 m', 'quantity', 5, 'm'),
    ('5 GB', 'quantity', 5, 'GB'),
    ('300 MW', 'quantity', 300, 'MW'),
    ('3 square miles', 'quantity', 3, 'square miles'),
    ('100人', 'quantity', 100, '人'),
    ('5명', 'quantity', 5, '명'),
    ('90 barrels per day', 'quantity', 90, 'barrels per day'),
    ('1984', 'date', 1984, null),
    ('1815', 'date', 1815, null),
    ('12 March 2020', 'date', null, null),
    ('2020-03-12', 'date', null, null),
    ('Q3 2021', 'date', null, null),
    ('FY2018', 'date', null, null),
    ('44 BCE', 'date', null, null),
    ('1990s', 'date', null, null),
    ('2021-03-04T10:00Z', 'date', null, null),
    ('12. März 2020', 'date', null, null),
    ('2020年3月', 'date', null, null),
    ('١٢ مارس ٢٠٢٠', 'date', null, null),
    ('true', 'boolean', null, null),
    ('False', 'boolean', null, null),
    ('yes', 'boolean', null, null),
    ('No', 'boolean', null, null),
    ('https://x.org/a?b=1', 'url', null, null),
    ('www.x.org', 'url', null, null),
    ('ftp://x.org', 'url', null, null),
    ('ada@x.org', 'identifier', null, null),
    ('550e8400-e29b-41d4-a716-446655440000', 'identifier', null, null),
    -- what is said twice, in parts, as a range, or in words
    ('$1.2 billion to $1.4 billion', 'money', null, 'USD'),
    ('$1.2-1.4 billion', 'money', null, 'USD'),
    ('between $1 and $2 million', 'money', null, 'USD'),
    ('10-12', 'number', null, null),
    ('10-12%', 'percent', null, '%'),
    ('2-3 years', 'quantity', null, 'years'),
    ('5 to 7 percent', 'percent', null, '%'),
    ('5 feet 10 inches', 'quantity', 70, 'inches'),
    ('5''10"', 'quantity', 70, 'inches'),
    ('2 hours and 30 minutes', 'quantity', 150, 'minutes'),
    ('1 week, 2 days', 'quantity', 9, 'days'),
    ('1/2', 'number', 0.5, null),
    ('2 1/2 cups', 'quantity', 2.5, 'cups'),
    ('3½', 'number', 3.5, null),
    ('2/3 of voters', 'quantity', 0.6667, 'voters'),
    ('two thirds of voters', 'quantity', 0.6667, 'voters'),
    ('a dozen', 'number', 12, null),
    ('two dozen eggs', 'quantity', 24, 'eggs'),
    ('half a million', 'number', 500000, null),
    ('fifteen percent', 'percent', 15, '%'),
    ('ten employees', 'quantity', 10, 'employees'),
    ('over ten employees', 'quantity', null, 'employees'),
    ('five million dollars', 'money', 5000000, 'USD'),
    ('a million dollars', 'money', 1000000, 'USD'),
    ('5 Million Dollars', 'money', 5000000, 'USD'),
    ('5 Percent', 'percent', 5, '%'),
    -- what identifies, and counts nothing
    ('ISBN 0-306-40615-2', 'identifier', null, null),
    ('978-0-306-40615-7', 'identifier', null, null),
    ('doi:10.1000/xyz123', 'identifier', null, null),
    ('10.1000/xyz123', 'identifier', null, null),
    ('192.168.0.1', 'identifier', null, null),
    ('192.168.0.0/16', 'identifier', null, null),
    ('fe80::1', 'identifier', null, null),
    ('CVE-2024-12345', 'identifier', null, null),
    ('+1 555 123', 'identifier', null, null),
    ('+44 20 7946 0958', 'identifier', null, null),
    ('+1 (555) 123-4567', 'identifier', null, null),
    ('+15551234567', 'identifier', null, null),
    ('+1,234', 'number', 1234, null)
) as v (value, kind, number, unit);

-- ------------------------------------------------------------ no literals
select is((graphrag._parse_value(v.value)).kind, null, format('no literal: %s', v.value))
from unnest(array[
    '1989 film', '2010 election', '3.1.2', '50 Cent', '7-Eleven', '21 Savage', '101 Dalmatians',
    '14th and 17th centuries',
    '24-7',
    '867-5309',
    '12 Angry Jurors',
    '2010 census',
    '2008 feature film',
    '99-year lease',
    '101.5 FM',
    '20 Fenchurch Street', 'Boeing 737', 'A4', 'G7', '10-K', '9/11', '24/7', '5th', '1st', '12:30', '1.',
    '1,2,3', '256.2.3.4', 'v1.2', '3M', '8K', '3i', '2K', '1X', '49ers', '76ers', '401(k)', '501(c)(3)', '4chan', '747-400',
    'a', 'an', 'half', 'over', 'a machine', '5-4', 'one of the founders', 'one another', 'five-year plan',
    'a third party', '12:30:15', '978-0-306-40615-8',
    'Ada Lovelace', 'Five', 'Twenty One Pilots', 'US', 'he', 'and', '', '  ', null,
    '$', '%', '$1.2 billion in cash', 'http://', '@ada', 'a@b', 'Paris, France', 'the 2 of us',
    '5 Seconds of Summer', '12 Monkeys', '/usr/lib', 'C++', '1984 novel by Orwell', '9 to 5?'
]) as v (value);

-- ------------------------------------------------------------ scale
select is((graphrag._parse_value(v.value)).scale, v.scale, format('scale: %s', v.value))
from (values
    ('$66.5 billion', 1000000000::numeric), ('5 million dollars', 1000000), ('300億円', 100000000), ('5k', 1000),
    ('half a million', 1000000), ('five million', 1000000), ('$5', null), ('5,000,000', null), ('12%', null)
) as v (value, scale);

-- ------------------------------------------------------------ known to be a value
select is((graphrag._parse_literal('3M')).number, 3000000::numeric, 'a figure that could be a name');
select is((graphrag._parse_literal('401(k)')).number, null, 'a letter in parentheses is no scale');
select is((graphrag._parse_literal('49ers')).number, null, 'nor is an ending a unit');
select is((graphrag._parse_literal('+1 555 123')).kind, 'identifier', 'a phone number is none');

-- ------------------------------------------------------------ identity
select is(
    (select count(distinct graphrag._value_key(v)) from unnest(s.spellings) as v), 1::bigint,
    format('one value: %s', s.spellings)
)
from (values
    (array['$5 million', '5 million dollars', '$5.0 million', 'five million dollars', 'US$5,000,000',
           '5 Million Dollars']),
    (array['5%', '5 percent', '5 Percent', '5.0 per cent', 'five percent']),
    (array['120 employees', '120 employee', 'one hundred and twenty employees']),
    (array['1,815', '1815', '1815.0']),
    (array['12 March 2020', '2020-03-12', 'March 12, 2020']),
    (array['5 feet 10 inches', '5''10"', '70 inches', '70 inch']),
    (array['+1 555 123 4567', '+15551234567', '+1 (555) 123-4567']),
    (array['ISBN 978-0-306-40615-7', '9780306406157', 'isbn-13: 9780306406157']),
    (array['doi:10.1000/XYZ', '10.1000/xyz']),
    (array['yes', 'true', 'True']),
    (array['Over $5 Billion', 'over $5 billion', 'over  $5 billion']),
    (array['AD 1815', '1815'])
) as s (spellings);
select isnt(graphrag._value_key(v.one), graphrag._value_key(v.other), format('two values: %s, %s', v.one, v.other))
from (values
    ('3.10', '3.1'), ('007', '7'), ('5%', '5'), ('5 MW', '5 mW'), ('$5', '€5'), ('5 m', '5 km'), ('10-12', '1012'),
    ('https://x.org/A', 'https://x.org/a'), ('$5 million', '$5 billion'), ('FY2018', '2018'), ('2020', '2020-03'),
    ('+1 555 123', '1555123'), ('over 300', '300'), ('192.168.0.1', '192.168.01'), ('yes', 'no')
) as v (one, other);
select ok(octet_length(graphrag._value_key(repeat('长x', 500))) <= 500, 'the key of a long text fits into an index');
select is(graphrag._value_key(null), null, 'nothing has no key');

-- ------------------------------------------------------------ one figure after another
select is(
    (select sum((graphrag._parse_value('$' || n || '.5 billion')).number) from generate_series(1, 16) as n),
    144000000000.0,
    'sixteen quarters add up'
);

-- ------------------------------------------------------------ in the graph
set client_min_messages = warning;
select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32);
set graphrag.realm = 'kb';
select graphrag.declare_predicate('reported_revenue', is_value => true);

create function pg_temp.say(
    document text, year integer, object text, period text default null, negated boolean default false,
    predicate text default 'reported_revenue'
)
    returns void
    language sql
as $$
    select graphrag.index(
        format('Acme %s %s %s, said %s.', predicate, object, period, document),
        document => document,
        published_at => make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'),
        extraction => jsonb_build_array(jsonb_build_object(
            'subject', 'Acme', 'predicate', predicate, 'object', object, 'negated', negated, 'valid_from', period,
            'valid_to', period
        ))
    );
$$;
-- sixteen quarters of one metric, in one document
select graphrag.index(
    (
        select string_agg(
            format('In Q%s %s, Acme earned $%s.5 million.', n % 4 + 1, 2017 + n / 4, n + 1), E'\n\n' order by n
        )
        from generate_series(0, 15) as n
    ),
    document => 'quarters',
    published_at => '2021-01-01',
    extraction => (
        select jsonb_agg(jsonb_build_object(
            'subject', 'Acme', 'predicate', 'quarterly_income', 'object', format('$%s.5 million', n + 1),
            'valid_from', format('Q%s %s', n % 4 + 1, 2017 + n / 4),
            'valid_to', format('Q%s %s', n % 4 + 1, 2017 + n / 4)
        ))
        from generate_series(0, 15) as n
    )
);
select results_eq(
    $$ select f.subject, f.value, f.value_number, f.value_unit, f.value_scale, f.valid_from, f.valid_to, f.status
       from kb.facts as f where f.predicate = 'quarterly_income' order by f.valid_from $$,
    $$ select 'Acme', format('$%s.5 million', n + 1), (n + 1.5) * 1000000, 'USD', 1000000::numeric,
           (timestamp '2017-01-01' + n * interval '3 months') at time zone 'UTC',
           (timestamp '2017-01-01' + (n + 1) * interval '3 months') at time zone 'UTC', 'current'
       from generate_series(0, 15) as n $$,
    'sixteen quarters of a metric are sixteen dated figures'
);
select is(
    (select sum(value_number) from kb.facts where predicate = 'quarterly_income' and status = 'current'),
    144000000::numeric,
    'that SQL adds up'
);
select results_eq(
    $$ select extract(year from valid_from at time zone 'UTC')::integer, sum(value_number)
       from kb.facts where predicate = 'quarterly_income' group by 1 order by 1 $$,
    $$ values (2017, 12000000::numeric), (2018, 28000000), (2019, 44000000), (2020, 60000000) $$,
    'or by year'
);

-- spellings
select pg_temp.say('s1', 2021, '$5 million', '2020');
select pg_temp.say('s2', 2022, '5 million dollars', '2020');
select pg_temp.say('s3', 2023, '$5.0 million', '2020');
select results_eq(
    $$ select object, value_number, status, weight, documents from kb.facts where predicate = 'reported_revenue' $$,
    $$ values ('$5.0 million', 5000000::numeric, 'current', 3, array['s1', 's2', 's3']) $$,
    'a figure in three spellings is one fact of weight 3, shown as last spelt'
);
select is(
    (select count(distinct relation) from kb.assertions where predicate = 'reported_revenue'), 1::bigint,
    'which every statement leads to'
);
select results_eq(
    $$ select object, status, weight, documents from graphrag.timeline('Acme') where predicate = 'reported_revenue' $$,
    $$ values ('$5.0 million', 'current', 3, array['s1', 's2', 's3']) $$,
    'and stands in the timeline once'
);
select is(
    graphrag.document_graph('s1') #> '{relations,0,object}', '"$5.0 million"',
    'a document shows the figure that it states, in whatever words'
);
select is(graphrag.derive(), 0, 'derived from scratch it is the same');
select graphrag.delete_document('s3');
select results_eq(
    $$ select object, weight from kb.facts where predicate = 'reported_revenue' $$,
    $$ values ('5 million dollars', 2) $$,
    'without the newest document the spelling is the one before'
);
select pg_temp.say('p' || n, 2020 + n::integer, v, null, false, 'margin')
from unnest(array['5%', '5 percent', '5 Percent']) with ordinality as s (v, n);
select results_eq(
    $$ select object, weight from kb.facts where predicate = 'margin' $$, $$ values ('5 Percent', 3) $$,
    'nor does a percentage without a slot count three times'
);

-- denial
select pg_temp.say('n1', 2023, 'USD 5,000,000', null, true);
select results_eq(
    $$ select object, negated, status, effective, superseded_by from kb.facts
       where predicate = 'reported_revenue' order by negated $$,
    $$ values
        ('5 million dollars', false, 'superseded', '{}'::tstzmultirange,
         'Acme NOT reported_revenue USD 5,000,000'),
        ('USD 5,000,000', true, 'current', '{(,)}', null) $$,
    'a denial without a period denies the figure of every period'
);
select pg_temp.say('s4', 2024, '$5m', '2020');
select results_eq(
    $$ select object, negated, status, weight from kb.facts where predicate = 'reported_revenue' order by negated $$,
    $$ values ('$5m', false, 'current', 3), ('USD 5,000,000', true, 'current', 1) $$,
    'restated, it stands again; the denial is left the other years'
);
select ok(
    not (
        select effective @> timestamptz '2020-06-01' from kb.facts where predicate = 'reported_revenue' and negated
    ),
    'and not that one'
);
select pg_temp.say('n2', 2025, '$6 million', null, true);
select is(
    (select status from kb.facts where object = '$5m'), 'current', 'the denial of another figure is about that one'
);
select is(graphrag.derive(), 0, 'all this is what a derivation from scratch finds');

-- decisions
select isnt(
    graphrag.retract_relation('Acme', 'reported_revenue', 'five million dollars'), null,
    'a figure is retracted in any spelling'
);
select is(
    (select count(*) from kb.facts where predicate = 'reported_revenue' and not negated), 0::bigint,
    'whatever spelling documents have'
);

-- ------------------------------------------------------------ digits that are not read are none, in every collation
select is(
    graphrag._parse_value(v.value collate "hi-x-icu"), null::graphrag.parsed_value, format('no literal: %s', v.value)
)
from unnest(array['१२३', '१२.५० km', '$१,२३४.५६', '१२-१४']) as v (value);

select * from finish();
rollback;

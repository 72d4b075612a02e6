create type graphrag.parsed_value as (
    kind text,                  -- number, quantity, money, percent, date, boolean, url, identifier; null: no literal
    number numeric,             -- with its scale applied; null where there is none or it is only a bound (over 5 %)
    unit text,                  -- as stated; ISO code of a currency where that is clear; %
    scale numeric               -- the factor of a scale word (million, bn) in the number; null: none stated
);
comment on type graphrag.parsed_value is 'What a literal says, from graphrag._parse_value().';

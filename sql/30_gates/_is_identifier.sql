create function graphrag._is_identifier(value text)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- In lower case: a UUID, ISBN, ISSN, DOI, ORCID, arXiv or PubMed number, CVE, IP address, or phone number with its
-- country's code. Digits that only look like an ISBN must have its check digit.
declare
    _frame text := translate(value, '0123456789', '');
begin
    return case
        when length(value) = 36 then value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
        when left(value, 4) in ('isbn', 'issn', 'doi:', 'doi ', 'orci', 'arxi', 'pmid')
            then value ~ '^(isbn|issn|doi|orcid|arxiv|pmid)\M\S*( \S+){0,5}$' and _frame <> value
        when left(value, 3) = '10.' and position('/' in value) > 0 then value ~ '^10\.[0-9]{4,9}/\S+$'
        when left(value, 4) = 'cve-' then value ~ '^cve-[0-9]{4}-[0-9]{4,}$'
        -- +1 555 123, +44 20 7946 0958, +15551234567; but +1,234 and +5 % are figures.
        when left(value, 1) = '+' then translate(_frame, '+-(). ', '') = ''
            and length(value) - length(_frame) between 7 and 15
            and (translate(_frame, '-( ', '') <> _frame or value ~ '^\+[0-9]{10,}$')
        when left(value, 1) = '(' then value ~ '^\([0-9]{3}\) ?[0-9]{3}-[0-9]{4}$'
        when _frame in ('...', '...:', '.../') then value ~ '^[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]{1,5}|/[0-9][0-9]?)?$'
            and 255 >= all (string_to_array(substring(value from '^[0-9.]+'), '.')::integer[])
        when translate(_frame, 'abcdef', '') like '::%' then value ~ '^[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,7}$'
            and (value like '%::%' or value ~ '^([^:]+:){7}[^:]+$')
        when translate(_frame, '- x', '') = '' and length(value) - length(_frame) between 9 and 13 then case
            when value like '97%' and value ~ '^97[89][- ]?([0-9][- ]?){9}[0-9]$'
                then graphrag._has_check_digit(value, 10)
            when value ~ '^[0-9]{1,5}[- ][0-9]{1,7}[- ][0-9]{1,6}[- ][0-9x]$' then graphrag._has_check_digit(value, 11)
            else false
        end
        else false
    end;
end
$function$;
comment on function graphrag._is_identifier(text) is 'Whether a text in lower case is the number or code by which something is identified.';

create function graphrag._has_check_digit(value text, modulus integer)
    returns boolean
    language plpgsql immutable strict parallel safe
as $function$
-- Of an ISBN: with modulus 10 it has 13 digits of the weights 1 and 3, with 11 ten of 10 to 1, where x is 10.
begin
    return (
        select count(*) = case modulus when 10 then 13 else 10 end
            and sum(
                case d.part[1] when 'x' then 10 else d.part[1]::integer end
                * case
                    when modulus = 11 then 11 - d.no
                    when d.no % 2 = 0 then 3
                    else 1
                end
            ) % modulus = 0
        from regexp_matches(value, '[0-9x]', 'g') with ordinality as d (part, no)
    );
end
$function$;
comment on function graphrag._has_check_digit(text, integer) is 'Whether the digits of an ISBN agree with the last of them.';

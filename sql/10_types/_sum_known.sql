-- Unknown is not zero: a sum with one unknown part is unknown.
create function graphrag._add_known(total bigint, part bigint)
    returns bigint
    language sql immutable parallel safe
begin atomic
    select total + part;
end;
comment on function graphrag._add_known(bigint, bigint) is 'A sum that is unknown once a part of it is.';

create aggregate graphrag._sum_known(bigint) (
    sfunc = graphrag._add_known,
    stype = bigint,
    initcond = '0',
    parallel = safe
);
comment on aggregate graphrag._sum_known(bigint) is 'The sum of numbers; NULL if one is NULL.';

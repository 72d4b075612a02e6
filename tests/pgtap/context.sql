-- How evidence is fitted into a budget.
begin;
create extension if not exists pgtap;
select plan(4);

select is(graphrag._fit_lines(array['one', 'two'], 6), array['one', 'two'], 'what fits stays as it is');
select is(
    graphrag._fit_lines(array[repeat('x', 200), 'short'], 100), array[repeat('x', 49) || '…', 'short'],
    'what overflows is clipped, and a later, smaller line still gets in'
);
select is(
    graphrag._fit_lines(array[repeat('x', 200), 'short'], 20), array[null, 'short'],
    'of a long line, a few letters are not worth their place'
);
select is(graphrag._fit_lines('{}', 10), '{}'::text[], 'nothing fits nothing');

select * from finish();
rollback;

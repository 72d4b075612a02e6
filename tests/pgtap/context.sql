-- How evidence is fitted into a budget.
begin;
create extension if not exists pgtap;
select plan(6);

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

select is(graphrag._context('{}', 100), 'No evidence was found.', 'what is not there is not there');
select is(
    graphrag._context(
        array[
            jsonb_populate_record(
                null::graphrag.evidence, '{"kind": "chunk", "rank": 1, "text": "Ann.", "document": "d"}'
            )
        ],
        5
    ),
    'Evidence was found, but there is no room for it here.',
    'what a budget has no room for was found all the same'
);

select * from finish();
rollback;

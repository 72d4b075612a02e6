create type graphrag._export as (
    filter graphrag._filter,
    entities bigint[],          -- the nearest, then those of most facts
    facts bigint[],             -- how many each has, before any is left out
    relations bigint[],         -- versions
    entities_left_out bigint,
    relations_left_out bigint,
    described jsonb             -- realm, space, entity, as_of and so on: what was asked for
);
comment on type graphrag._export is 'What is exported, and how much was left out.';

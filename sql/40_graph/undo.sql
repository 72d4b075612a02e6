create function graphrag.undo(decision bigint, realm text default null)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set random_page_cost = 1.1
    set max_parallel_workers_per_gather = 0
    set jit = off
as $function$
declare
    _decision record;
    _revision bigint;
begin
    perform graphrag._enter(realm);
    perform graphrag._lock_spaces(array(select d.space from decision as d where d.id = $1));
    select d.space, d.payload into _decision from decision as d where d.id = $1 and d.died is null;
    if not found then
        raise exception 'there is no decision %', $1
            using errcode = 'GR009',
                detail = 'No decision of that id stands in the realm.',
                hint = 'The view decisions lists them.';
    end if;
    _revision := graphrag._next_revision(_decision.space, 'undo');
    delete from decision as d where d.id = $1 and d.born = _revision;
    update decision as d set died = _revision where d.id = $1;
    perform graphrag._derive(
        _decision.space, _revision, '{}', array(select jsonb_array_elements_text(_decision.payload -> 'names'))
    );
end
$function$;
comment on function graphrag.undo(bigint, text) is 'Takes a decision back: what documents say counts again.';

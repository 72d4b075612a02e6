create function graphrag.grant_writer(role name, realm text default null)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- What steers a realm stays with its owner: its settings, endpoints, predicates and word lists.
declare
    _realm text := graphrag._realm_to_grant(role, realm);
begin
    perform graphrag.grant_reader(role, _realm, may_spend => true);
    perform graphrag._grant_functions(role, graphrag._writer_functions() || graphrag._trigger_functions());
    execute format('grant insert, update, delete on all tables in schema %I to %I', _realm, role);
    execute format(
        'revoke insert, update, delete on %1$I.realm, %1$I.setting, %1$I.endpoint, %1$I.predicate, %1$I.gate_word,'
            ' %1$I.reembedding from %2$I',
        _realm, role
    );
    execute format('grant usage on all sequences in schema %I to %I', _realm, role);
    execute format('alter default privileges in schema %I grant insert, update, delete on tables to %I', _realm, role);
end
$function$;
comment on function graphrag.grant_writer(name, text) is 'Lets a role read and write a realm, its settings and vocabulary excepted.';

create function graphrag._writer_functions()
    returns name[]
    language sql immutable parallel safe
as $function$
    select array[
        'index', 'delete_document', 'declare_entity', 'assert_relation', 'retract_relation', 'merge_entities',
        'split_entity', 'undo', 'derive', 'build_communities', 'apply_retention', 'restore_archived', 'purge_telemetry',
        'enqueue', 'work'
    ]::name[]
$function$;
comment on function graphrag._writer_functions() is 'Entry points that write a realm''s documents and graph.';

create function graphrag._trigger_functions()
    returns name[]
    language sql stable parallel safe
as $function$
-- Whoever writes a table runs its triggers, with his own rights.
    select array_agg(p.proname)
    from graphrag._functions() as f
    join pg_catalog.pg_proc as p on p.oid = f.id
    where p.prorettype = 'trigger'::regtype
$function$;
comment on function graphrag._trigger_functions() is 'The extension''s trigger functions.';

create function graphrag.grant_reader(
    role name,
    realm text default null,
    may_spend boolean default false
)
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
-- Who spends must be able to write the bill: INSERT on the realm's usage is the right to have its endpoints called.
declare
    _realm text := graphrag._realm_to_grant(role, realm);
begin
    perform graphrag._grant_functions(
        role,
        graphrag._reader_functions() || case when may_spend then '{query}'::name[] else '{}' end,
        case when may_spend then '{}'::name[] else '{_call, _open_calls}' end
    );
    execute format('grant usage on schema %I to %I', _realm, role);
    execute format('grant select on all tables in schema %I to %I', _realm, role);
    -- Views call them as whoever reads.
    execute format(
        'grant execute on function %1$I._telemetry_is_on(jsonb), %1$I._setting_defaults() to %2$I', _realm, role
    );
    execute format('alter default privileges in schema %I grant select on tables to %I', _realm, role);
    if may_spend then
        execute format('grant insert on %1$I.usage, %1$I.telemetry to %2$I', _realm, role);
    end if;
end
$function$;
comment on function graphrag.grant_reader(name, text, boolean) is 'Lets a role read a realm; with may_spend, also have questions embedded and answered by the realm''s endpoints.';

create function graphrag._reader_functions()
    returns name[]
    language sql immutable parallel safe
as $function$
    select array[
        'retrieve', 'context', 'timeline', 'draw_timeline', 'neighborhood', 'path', 'community_tree', 'document_graph',
        'doctor', 'parse_period', 'watermark', 'changes_since', 'changes_summary',
        'gate_name', 'gate_predicate', 'gate_relation', 'export', 'export_entities', 'export_relations'
    ]::name[]
$function$;
comment on function graphrag._reader_functions() is 'Entry points that only read.';

create function graphrag._realm_to_grant(role name, realm text)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
declare
    _realm text := graphrag._enter_or_create(realm);
begin
    if not exists (select from pg_catalog.pg_roles as r where r.rolname = role) then
        raise exception 'there is no role "%"', role
            using errcode = 'undefined_object',
                hint = format('CREATE ROLE %I;', role);
    end if;
    if not exists (
        select
        from pg_catalog.pg_namespace as n
        where n.nspname = _realm and pg_has_role(n.nspowner, 'usage')
    ) then
        raise exception 'role "%" does not own the realm "%"', current_user, _realm
            using errcode = 'insufficient_privilege',
                hint = 'The realm''s owner or a superuser opens it to others.';
    end if;
    perform graphrag._lock_grants();
    return _realm;
end
$function$;
comment on function graphrag._realm_to_grant(name, text) is 'The realm that the caller may open to a role, with the lock of those who grant; raises if either is not there or it is not his.';

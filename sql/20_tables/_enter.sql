create function graphrag._enter(realm text, must_exist boolean default true)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- Called by an entry point that has pinned its search_path: set_config(…, true) then lasts until that function exits.
-- Only settings in the entry point's own SET clauses are undone there. Beside search_path those are, where data is read
-- or written, enable_seqscan, join_collapse_limit and jit: every statement is written in the order in which it is to be
-- done, as lookups by key or ordered index scans over a few rows. Its plan is cached, perhaps from when the tables were
-- empty and had no statistics, so nothing is left for those to decide. Reads, and what writes documents, add
-- plan_cache_mode: each of their many statements seems cheaper when it is planned anew for its arguments, and the
-- planning took three quarters of a read, a sixth of a write. So no statement may serve one and all: a plan for both
-- reads everything for each. What writes documents adds random_page_cost, else ten lookups by key seem dearer than all
-- of a table that fits into memory, and lets no statement start workers. The functions that search vectors add
-- enable_sort: texts come in the order of the vectors' index, which a sort of all of them only seems to beat.
declare
    _realm text := coalesce(realm, graphrag._default_realm());
    _version text;
begin
    if not graphrag._realm_exists(_realm) then
        if not must_exist then
            return null;
        end if;
        perform graphrag._refuse_unknown(_realm);
    end if;
    perform set_config('search_path', format('%I, pg_temp', _realm), true);
    _version := (select r.version from realm as r);
    if _version is distinct from '@VERSION@'
        and not has_function_privilege('graphrag._refuse_outdated(text, text)', 'execute')
    then
        raise exception 'role "%" was let in by another version of graphrag, this is @VERSION@', current_user
            using errcode = 'GR202',
                detail = 'It lacks functions that came with an update, and the realm''s tables are as they were.',
                hint = format('A superuser calls: SELECT graphrag.migrate_realm(%L);', _realm);
    end if;
    if _version is distinct from '@VERSION@' or not graphrag._has_triggers() then
        perform graphrag._refuse_outdated(_realm, _version);
    end if;
    return _realm;
end
$function$;
comment on function graphrag._enter(text, boolean) is 'Enters a realm for the rest of an entry point and returns its name; null if it does not exist and need not.';

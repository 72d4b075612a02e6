create function graphrag.migrate_realm(realm text default null)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set extra_float_digits = 1
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
-- It does not _enter() the realm before it has been migrated, which is refused.
declare
    _realm text := coalesce(realm, graphrag._default_realm());
    _version text;
    _tables text;
begin
    perform graphrag._renew_functions();
    perform graphrag._check_may_migrate(_realm);
    -- Nobody makes or migrates this realm beside this, and nobody writes to it: who does shares the vocabulary's lock.
    perform pg_advisory_xact_lock(hashtextextended('graphrag.realm.' || _realm, 0));
    perform set_config(
        'search_path',
        format('%I, %I, %I, pg_temp', _realm, graphrag._schema_of('vector'), graphrag._schema_of('pg_trgm')),
        true
    );
    perform pg_advisory_xact_lock(graphrag._vocabulary_lock());
    execute 'select r.version from realm as r for update' into _version;
    if _version = '@VERSION@' then
        if graphrag._missing_parts() <> '{}' then
            perform graphrag._migrate_objects('');
        else
            raise notice 'realm "%" is of this version already', _realm;
        end if;
    else
        _tables := graphrag._steps_from(_version);
        if _tables is null then
            perform graphrag._refuse_outdated(_realm, _version);
        end if;
        perform graphrag._migrate_objects(_tables);
    end if;
    perform graphrag._enter(_realm);
    perform graphrag._renew_grants(_realm);
    if _version <> '@VERSION@' then
        -- What this version makes of the evidence may differ from what the other one did.
        perform graphrag._derive_if_changed(s.id, 'migrate_realm') from space as s order by s.id;
    end if;
    return _version;
end
$function$;
comment on function graphrag.migrate_realm(text) is 'Brings a realm that an older version made, or that outlived its extension, to this version, and returns the version that it was of.';

create function graphrag._check_may_migrate(realm text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _owner oid := (select n.nspowner from pg_catalog.pg_namespace as n where n.nspname = realm);
begin
    if not graphrag._realm_exists(realm) then
        perform graphrag._refuse_unknown(realm);
    elsif not pg_has_role(_owner, 'usage') then
        raise exception 'role "%" does not own the realm "%"', current_user, realm
            using errcode = 'insufficient_privilege',
                detail = format('It belongs to %I.', pg_get_userbyid(_owner)),
                hint = 'The realm''s owner or a superuser migrates it.';
    end if;
end
$function$;
comment on function graphrag._check_may_migrate(text) is 'Raises if the realm is not there or is not the caller''s.';

create function graphrag._steps_from(version text)
    returns text
    language sql stable parallel safe
as $function$
    select string_agg(s.ddl, e'\n;\n' order by s.no)
    from graphrag._realm_steps() as s
    where s.no >= (select o.no from graphrag._realm_steps() as o where o.version = $1)
$function$;
comment on function graphrag._steps_from(text) is 'The DDL that turns the tables of a release into those of this version; null if none is known.';

create function graphrag._migrate_objects(tables text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- As the owner of the tables, so that what is new is his, and no trigger or default of his is run with other rights by
-- mistake. One that takes the role back is not stopped: docs/security.md says whose realm nobody else migrates.
-- His role need not have EXECUTE on anything here: so what is run as him is put together before. A trigger has no
-- owner, but wants EXECUTE on its function: those are made as the caller.
declare
    _caller text := current_setting('role');
    _owner name := (
        select pg_get_userbyid(c.relowner) from pg_catalog.pg_class as c where c.oid = 'realm'::regclass
    );
    _indexes text := graphrag._missing_indexes();
    _views text := graphrag._realm_views() || ';' || graphrag._version_note();
    _triggers text := graphrag._realm_triggers();
begin
    if _owner <> current_user then
        perform set_config('role', _owner, true);
    end if;
    execute tables;
    execute _indexes;
    execute _views;
    execute 'update realm set version = $1 where version <> $1' using '@VERSION@';
    perform set_config('role', _caller, true);
    execute _triggers;
end
$function$;
comment on function graphrag._migrate_objects(text) is 'Runs the given DDL in the current realm, then makes its indexes, views and triggers as this version has them.';

create function graphrag._missing_indexes()
    returns text
    language plpgsql stable parallel safe
as $function$
-- A step may be about to make one of them too.
begin
    return coalesce(
        (
            select string_agg(format('create %sindex if not exists %s %s;', f.found[1], f.found[2], f.found[3]), e'\n')
            from regexp_matches(
                graphrag._realm_tables(), '\ncreate (unique )?index (\w+) ([^;]*);', 'g'
            ) as f (found)
            where to_regclass(f.found[2]) is null
        ),
        ''
    );
end
$function$;
comment on function graphrag._missing_indexes() is 'The plain DDL of the indexes that the current realm lacks, those of vectors apart.';

create function graphrag._renew_grants(realm text)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- What a role may do in a realm stands in the rights on its tables, which outlive updates and the extension itself.
-- Functions are given to those who may use the extension's schema: a superuser let them in. Others he only hears of,
-- and so does who may not grant what a role lacks.
declare
    _role record;
    _outside text[] := '{}';
begin
    for _role in select r.name, r.call, r.is_in from graphrag._roles_of(realm) as r loop
        begin
            if _role.is_in then
                execute _role.call;
            else
                _outside := _outside || _role.call;
            end if;
        exception
            when insufficient_privilege then
                _outside := _outside || _role.call;
        end;
    end loop;
    if _outside <> '{}' then
        raise warning 'roles with rights on the realm "%" may not call all of the extension', realm
            using detail = 'Functions that they lack are granted by whoever owns the extension.',
                hint = array_to_string(_outside, e';\n') || ';';
    end if;
end
$function$;
comment on function graphrag._renew_grants(text) is 'Gives the roles of a realm the functions that go with their rights on its tables, and warns of those who must be let in by a superuser.';

create function graphrag._roles_of(realm text)
    returns table (name name, call text, is_in boolean)
    language sql stable parallel safe rows 10
as $function$
-- Rights on tables are the owner's to give, and to make up. So a superuser's call gives nobody the right to spend in
-- the realm of an owner who could not have given it: it is the database's endpoints too that whoever has it may call.
    select
        r.rolname,
        case
            when r.oid = n.nspowner then format('grant execute on all routines in schema graphrag to %I', r.rolname)
            when w.writes then format('select graphrag.grant_writer(%L, %L)', r.rolname, realm)
            when w.spends then format('select graphrag.grant_reader(%L, %L, may_spend => true)', r.rolname, realm)
            else format('select graphrag.grant_reader(%L, %L)', r.rolname, realm)
        end,
        r.oid <> n.nspowner
            and has_schema_privilege(r.oid, 'graphrag', 'usage')
            and case
                when pg_has_role(e.extowner, 'usage')
                    then pg_has_role(n.nspowner, e.extowner, 'usage')
                        or not (w.writes or w.spends)
                        or has_function_privilege(r.oid, 'graphrag._call(jsonb, integer)', 'execute')
                else has_function_privilege(r.oid, 'graphrag.watermark(text, text)', 'execute')
            end
    from pg_catalog.pg_namespace as n
    join pg_catalog.pg_extension as e on e.extname = 'graphrag'
    cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) as a
    join pg_catalog.pg_roles as r on r.oid = a.grantee
    cross join lateral (
        values (
            has_table_privilege(r.oid, format('%I.document_version', realm), 'insert'),
            has_table_privilege(r.oid, format('%I.usage', realm), 'insert')
        )
    ) as w (writes, spends)
    where n.nspname = realm
        and a.privilege_type = 'USAGE'
        and not pg_has_role(r.oid, e.extowner, 'usage')
        -- An owner who may make realms has what he needs: _renew_functions() saw to it.
        and (
            r.oid <> n.nspowner
            or not has_function_privilege(r.oid, 'graphrag.create_realm(text, text, text, integer)', 'execute')
        )
        and has_table_privilege(r.oid, format('%I.chunk', realm), 'select')
    order by r.rolname
$function$;
comment on function graphrag._roles_of(text) is 'Roles other than the extension''s owner that may read a realm, the call that gives them the functions to it, and whether the caller may make it and they may use the extension.';

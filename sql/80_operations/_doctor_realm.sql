create function graphrag._doctor_realm(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
declare
    _known text[] := graphrag._realms();
    _row record;
    _missing text[];
    _uncounted text[];
begin
    if realm is null then
        return graphrag._finding(
            'realm', 'skipped', format('There is no realm "%s" that you may use.', graphrag._default_realm()),
            case when _known = '{}'
                then 'index() makes the realm default when it is first called; create_realm() makes others.'
                else 'Name one: ' || array_to_string(_known, ', ') || '.' end
        );
    elsif not graphrag._realm_exists(realm) then
        return graphrag._finding(
            'realm', 'error', format('There is no realm "%s" that you may use.', realm),
            case when _known = '{}' then format('select graphrag.create_realm(%L);', realm)
                else graphrag._near(realm, _known) end
        );
    end if;
    select r.version, r.model, r.width into _row from realm as r;
    if _row.version is null then
        return graphrag._finding(
            'realm', 'error', format('Realm "%s" has tables, but no rows.', realm),
            format('SELECT graphrag.create_realm(%L, …); begins anew in these tables.', realm)
        );
    elsif _row.version <> '@VERSION@' then
        return graphrag._finding(
            'realm', 'error', format('Realm "%s" is of graphrag %s, this is @VERSION@.', realm, _row.version),
            case when exists (select from graphrag._realm_steps() as s where s.version = _row.version)
                then format('SELECT graphrag.migrate_realm(%L);', realm)
                else format('Install graphrag %1$s, then: ALTER EXTENSION graphrag UPDATE TO %1$L;', _row.version)
            end
        );
    end if;
    _missing := graphrag._lost_tables();
    if _missing <> '{}' then
        return graphrag._finding(
            'realm', 'error',
            format('Realm "%s" has lost tables, and the rows in them: %s.', realm, array_to_string(_missing, ', ')),
            format('Restore the schema %I from a backup, as with pg_restore --schema.', realm)
        );
    end if;
    _missing := graphrag._missing_parts();
    if _missing <> '{}' then
        return graphrag._finding(
            'realm', 'error',
            format(
                'Realm "%s" lacks %s parts: %s%s.', realm, cardinality(_missing), array_to_string(_missing[:3], ', '),
                case when cardinality(_missing) > 3 then ', …' else '' end
            ),
            format('SELECT graphrag.migrate_realm(%L);', realm)
        );
    end if;
    _uncounted := array(select s.name from space as s where not graphrag._has_term_counts(s.id) order by s.name);
    return graphrag._finding(
        'realm', 'ok', format('Realm "%s" of version %s, vectors of model %s.', realm, _row.version, _row.model)
    ) || graphrag._doctor_triggers(realm) || case
        when _uncounted = '{}' then '[]'
        else graphrag._finding(
            'words', 'warning',
            format('Nobody has counted the words of %s: all weigh the same.', array_to_string(_uncounted, ', ')),
            (
                select string_agg(
                    format('SELECT graphrag.derive(realm => %L, space => %L);', realm, u.name), ' ' order by u.name
                )
                from unnest(_uncounted) as u (name)
            )
        )
    end;
end
$function$;
comment on function graphrag._doctor_realm(text) is 'Findings about the realm itself and its version.';

create function graphrag._lost_tables()
    returns text[]
    language plpgsql stable parallel safe
as $function$
begin
    return array(
        select f.found[1]
        from regexp_matches(graphrag._realm_tables(), '\ncreate table (\w+)', 'g') as f (found)
        where to_regclass(f.found[1]) is null
        order by 1
    );
end
$function$;
comment on function graphrag._lost_tables() is 'Tables of the template of this version that the current realm has not.';

create function graphrag._doctor_triggers(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Somebody switched them off to load rows, and forgot.
declare
    _tables text[] := array(
        select distinct c.relname::text
        from pg_catalog.pg_trigger as t
        join pg_catalog.pg_class as c on c.oid = t.tgrelid
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where n.nspname = realm and t.tgenabled in ('D', 'R') and not t.tgisinternal
        order by 1
    );
begin
    return case
        when _tables = '{}' then '[]'
        else graphrag._finding(
            'triggers', 'error',
            format(
                'Switched off on %s: what is written there is not derived, and may change what was believed.',
                array_to_string(_tables, ', ')
            ),
            (
                select string_agg(
                    format('ALTER TABLE %I.%I ENABLE TRIGGER USER;', realm, t.name), ' ' order by t.name
                )
                from unnest(_tables) as t (name)
            ) || coalesce(
                (
                    select string_agg(
                        format(' SELECT graphrag.derive(realm => %L, space => %L);', realm, s.name), '' order by s.name
                    )
                    from space as s
                ),
                ''
            )
        )
    end;
end
$function$;
comment on function graphrag._doctor_triggers(text) is 'A finding about triggers of a realm that are switched off.';

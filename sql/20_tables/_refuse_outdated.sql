create function graphrag._refuse_outdated(realm text, version text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _has_step boolean := exists (select from graphrag._realm_steps() as s where s.version = $2);
begin
    if version is null then
        raise exception 'realm "%" has tables, but no rows', realm
            using errcode = 'GR202',
                detail = 'A restore brought its schema without its data.',
                hint = format('SELECT graphrag.create_realm(%L, …); begins anew in these tables.', realm);
    elsif version = '@VERSION@' then
        raise exception 'realm "%" has lost its triggers', realm
            using errcode = 'GR202',
                detail = 'They went away with the extension when it was dropped.',
                hint = format('SELECT graphrag.migrate_realm(%L); makes them again.', realm);
    end if;
    raise exception 'realm "%" is of graphrag %, this is @VERSION@', realm, version
        using errcode = 'GR202',
            detail = case
                when _has_step then 'The extension was updated; the realm''s tables are as they were.'
                else 'No step leads from that version to this one.'
            end,
            hint = case
                when _has_step then format('SELECT graphrag.migrate_realm(%L);', realm)
                else format('Install graphrag %1$s, then: ALTER EXTENSION graphrag UPDATE TO %1$L;', version)
            end;
end
$function$;
comment on function graphrag._refuse_outdated(text, text) is 'Raises GR202 with what has to be done about a realm that is not as this version makes it.';

create function graphrag._refuse_unknown(realm text)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _known text[] := graphrag._realms();
begin
    raise exception 'there is no realm "%"', realm
        using errcode = 'GR003',
            detail = 'A realm is a schema made by graphrag.create_realm().',
            hint = concat_ws(
                ' ',
                graphrag._near(realm, _known),
                case when _known <> '{}' and realm = graphrag._default_realm()
                    then 'SET graphrag.realm chooses one for the session.' end,
                case when realm = '*' then 'Every space of a realm: space => ''*''.'
                    else format('To make it: SELECT graphrag.create_realm(%L);', realm) end
            );
end
$function$;
comment on function graphrag._refuse_unknown(text) is 'Raises GR003 and names realms of like names.';

create function graphrag._has_triggers()
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- They all go together, with the extension. One is enough to know, which each call can afford.
begin
    return exists (
        select
        from pg_catalog.pg_trigger as t
        where t.tgrelid = 'space'::regclass and t.tgname = 'take_revision'
    );
end
$function$;
comment on function graphrag._has_triggers() is 'Whether the current realm still has its triggers.';

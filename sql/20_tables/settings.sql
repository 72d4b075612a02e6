create function graphrag._setting(name text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return coalesce(
        (select s.value from setting as s where s.name = $1),
        (select d.value from graphrag.setting_default as d where d.name = $1)
    );
end
$function$;
comment on function graphrag._setting(text) is 'A setting of the current realm, or its default.';

create function graphrag.configure(setting text, value jsonb, realm text default null)
    returns jsonb
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _default jsonb;
begin
    perform graphrag._enter(realm);
    select d.value into _default from graphrag.setting_default as d where d.name = setting;
    if not found then
        raise exception 'there is no setting "%"', setting
            using errcode = 'GR005',
                detail = 'Every setting has a default in graphrag.setting_default.',
                hint = graphrag._near(setting, array(select d.name from graphrag.setting_default as d));
    end if;
    if value is not null then
        perform graphrag._check_setting(setting, value, _default);
    end if;
    delete from setting as s where s.name = $1;
    if value is not null then
        insert into setting (name, value) values ($1, $2);
    end if;
    return coalesce(value, _default);
end
$function$;
comment on function graphrag.configure(text, jsonb, text) is 'Sets a setting of a realm and returns its value; NULL restores the default.';

create function graphrag._check_setting(setting text, value jsonb, standard jsonb)
    returns void
    language plpgsql stable parallel safe
as $function$
declare
    _number numeric := case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end;
    _problem text := case
        when jsonb_typeof(value) <> jsonb_typeof(standard)
            then format('It takes a JSON %s such as %s.', jsonb_typeof(standard), standard)
        when _number < 0 then 'It cannot be negative.'
        when setting = 'chunk_size' and _number < 100 then 'A chunk has at least 100 characters.'
        when setting like '%confidence_floor' and _number > 1 then 'A confidence is at most 1.'
        when setting = 'fiscal_year_start' and _number not between 1 and 12 then 'It is a month, 1 to 12.'
        when setting in ('max_hops', 'top_k', 'channel_depth') and _number < 1 then 'It is at least 1.'
        when setting = 'text_search_config'
            and not exists (
                select
                from pg_catalog.pg_ts_config as c
                join pg_catalog.pg_namespace as n on n.oid = c.cfgnamespace
                where (value #>> '{}') = n.nspname || '.' || c.cfgname
                    or ((value #>> '{}') = c.cfgname and n.nspname = 'pg_catalog')
            )
            then 'There is no such text-search configuration; \dF lists them.'
    end;
begin
    if _problem is not null then
        raise exception 'setting "%" cannot be %', setting, value
            using errcode = 'GR011',
                detail = _problem,
                hint = format('The default is %s.', standard);
    end if;
end
$function$;
comment on function graphrag._check_setting(text, jsonb, jsonb) is 'Raises GR011 if a value does not suit a setting.';

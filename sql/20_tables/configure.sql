create function graphrag.configure(setting text, value jsonb, realm text default null)
    returns jsonb
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
as $function$
declare
    _default jsonb;
begin
    perform graphrag._enter_or_create(realm);
    select d.value into _default from graphrag.setting_default as d where d.name = setting;
    if not found then
        raise exception 'there is no setting "%"', setting
            using errcode = 'GR005',
                detail = 'Every setting has a default in graphrag.setting_default.',
                hint = graphrag._near(setting, array(select d.name from graphrag.setting_default as d));
    end if;
    if value is not null then
        perform graphrag._check_setting(setting, value);
    end if;
    delete from setting as s where s.name = $1;
    if value is not null then
        insert into setting (name, value) values ($1, $2);
    end if;
    if setting = 'supersession_confidence_floor' then
        perform graphrag._predicates_changed();
    end if;
    return coalesce(value, _default);
end
$function$;
comment on function graphrag.configure(text, jsonb, text) is 'Sets a setting of a realm and returns its value; NULL restores the default.';

create function graphrag._check_setting(setting text, value jsonb)
    returns void
    language plpgsql stable parallel unsafe
as $function$
declare
    _default graphrag.setting_default := (select d from graphrag.setting_default as d where d.name = setting);
    _number numeric := case when jsonb_typeof(value) = 'number' then (value #>> '{}')::numeric end;
    _problem text := case
        when jsonb_typeof(value) <> jsonb_typeof(_default.value)
            then format('It takes a JSON %s such as %s.', jsonb_typeof(_default.value), _default.value)
        when _number not between _default.minimum and _default.maximum
            then format('It is a number from %s to %s.', _default.minimum, _default.maximum)
        when _number <> trunc(_number) and _default.maximum <> 1 and _default.value::text !~ '[.]'
            then 'It is a whole number.'
        when jsonb_typeof(value) = 'array'
            and (value = '[]' or jsonb_path_exists(value, 'strict $[*] ? (@.type() != "string" || @ == "")'))
            then 'It is a list of texts.'
        when setting = 'text_search_config' and not graphrag._is_text_search_config(value #>> '{}')
            then 'There is no such text-search configuration; \dF lists them.'
        when setting = 'keywords' and value not in ('"llm"', '"lexical"') then 'It is llm or lexical.'
        when setting = 'walk' and value not in ('"ppr"', '"hops"') then 'It is ppr or hops.'
        when setting = 'fusion' and value not in ('"rrf"', '"quota"') then 'It is rrf or quota.'
        when setting = 'splitter' then graphrag._splitter_problem(value #>> '{}')
    end;
begin
    if _problem is not null then
        raise exception 'setting "%" cannot be %', setting, value
            using errcode = 'GR011',
                detail = _problem,
                hint = format('The default is %s.', _default.value);
    end if;
end
$function$;
comment on function graphrag._check_setting(text, jsonb) is 'Raises GR011 if a value does not suit a setting.';

create function graphrag._is_text_search_config(name text)
    returns boolean
    language sql stable parallel safe
begin atomic
    select exists (
        select
        from pg_catalog.pg_ts_config as c
        join pg_catalog.pg_namespace as n on n.oid = c.cfgnamespace
        where name = n.nspname || '.' || c.cfgname or (name = c.cfgname and n.nspname = 'pg_catalog')
    );
end;
comment on function graphrag._is_text_search_config(text) is 'Whether a text-search configuration of that name exists: qualified, or one of PostgreSQL''s own.';

-- The text of a statement is not the extension's: it stands in pg_stat_activity while it runs, and in the log if
-- statements are logged. A key that was there has been seen, so it does not become one: whoever gives it learns that at
-- once, while it opens nothing. A trigger, because a superuser may write into the table directly.
create function graphrag._refuse_visible_key()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _where text := graphrag._key_shows(new.api_key);
begin
    if _where is not null then
        perform graphrag._keep_statement_from_log();
        raise exception 'the key for % can be read in %', new.base_url, _where
            using errcode = 'GR009',
                detail = 'It was not stored. Take it for known, and have the server''s operator make another.',
                hint = 'Give api_key => ''env:NAME'', a variable of the server''s environment; or a parameter of the'
                    ' protocol (drivers, \bind in psql 16), after SET log_parameter_max_length = 0 where statements are'
                    ' logged; or COPY graphrag.endpoint_key (base_url, api_key) FROM STDIN. A psql variable, also'
                    ' one of \getenv, is a literal to the server. A server that takes any key needs none.';
    end if;
    return new;
end
$function$;
comment on function graphrag._refuse_visible_key() is 'Trigger: raises GR009 for a key that stands in the statement that stores it, or in the log.';

create function graphrag._key_shows(api_key text)
    returns text
    language plpgsql volatile parallel restricted
    set search_path = pg_catalog, pg_temp
as $function$
-- EXECUTE and FETCH run a statement whose text came before. Shorter keys than 8 characters are words that a statement
-- may have for other reasons: those are looked for in quotes. For longer ones what SQL may put between the parts of a
-- literal is left out, in the statement as in the key.
declare
    _between constant text := E' \t\r\n''"\\|';
    _shown text := concat_ws(
        E'\n',
        current_query(),
        (select a.query from pg_stat_activity as a where a.pid = pg_backend_pid()),
        (select string_agg(p.statement, E'\n') from pg_prepared_statements as p),
        (select string_agg(c.statement, E'\n') from pg_cursors as c)
    );
begin
    return case
        when position(quote_literal(api_key) in _shown) > 0
            or position(format('$%s$', api_key) in _shown) > 0
            or length(api_key) >= 8
                and position(translate(api_key, _between, '') in translate(_shown, _between, '')) > 0
            then 'the text of this statement'
        when graphrag._logs_parameters(_shown)
            then 'the server''s log, which has the parameters of statements'
    end;
end
$function$;
comment on function graphrag._key_shows(text) is 'Where a key can be read that the running statement stores, or null.';

create function graphrag._logs_parameters(statement text)
    returns boolean
    language sql stable parallel safe
    set search_path = pg_catalog, pg_temp
as $function$
    select
        current_setting('log_parameter_max_length') <> '0'
            and (
                current_setting('log_statement') = 'all'
                or current_setting('log_statement') = 'mod' and statement !~* '^\s*select\M'
                or current_setting('log_min_duration_statement') <> '-1'
                or current_setting('log_min_duration_sample') <> '-1'
                or current_setting('log_transaction_sample_rate')::double precision > 0
            )
        or coalesce(current_setting('auto_explain.log_min_duration', true), '-1') <> '-1'
            and (
                coalesce(current_setting('auto_explain.log_parameter_max_length', true), '0') <> '0'
                or current_setting('auto_explain.log_verbose', true)::boolean -- a plan's values, then
            )
        or coalesce(nullif(current_setting('pgaudit.log_parameter', true), '')::boolean, false)
        or current_setting('debug_print_plan')::boolean
$function$;
comment on function graphrag._logs_parameters(text) is 'Whether the server''s log has, or may get, the values that the statement came with.';

create function graphrag._keep_statement_from_log()
    returns void
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- An error from here on is logged without its statement, and without its context, which has the parameters or the
-- statement of a block; not at all where the log is of a format that always has the context. For superusers, until the
-- transaction ends, or the block that handles the error.
begin
    perform
        set_config('log_min_error_statement', 'panic', true),
        set_config('log_error_verbosity', 'terse', true);
    if current_setting('log_destination') ~ 'csvlog|jsonlog' then
        perform set_config('log_min_messages', 'panic', true);
    end if;
end
$function$;
comment on function graphrag._keep_statement_from_log() is 'Keeps the text and the parameters of the running statement out of what errors write into the log.';

create function graphrag._log_settings()
    returns jsonb
    language sql stable parallel safe
    set search_path = pg_catalog, pg_temp
as $function$
    select jsonb_object_agg(l.name, current_setting(l.name))
    from unnest('{log_min_error_statement, log_error_verbosity, log_min_messages}'::text[]) as l (name)
$function$;
comment on function graphrag._log_settings() is 'What _keep_statement_from_log() changes, as it is now.';

-- The rows of COPY stand in no text, mostly, and whatever else is logged of a COPY has its row as context: nothing
-- runs then.
create trigger refuse_visible_key
before insert or update of api_key on graphrag.endpoint_location
for each row
when (
    new.api_key !~ '^env:'
    and (current_query() !~* '^\s*copy\M' or position(new.api_key in current_query()) > 0)
)
execute function graphrag._refuse_visible_key();

comment on trigger refuse_visible_key on graphrag.endpoint_location is
    'A key that can be read elsewhere does not become one';

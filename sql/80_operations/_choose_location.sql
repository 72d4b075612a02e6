create function graphrag._choose_location(base_url text, api_key text default null)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- A superuser's choice registers the place; anybody else's must be registered for one of their roles. Returns the URL
-- in its one spelling.
declare
    _url text := rtrim(btrim(base_url), '/');
begin
    if _url = 'builtin:hash' then
        return _url;
    end if;
    if _url is null or _url !~ '^https?://[A-Za-z0-9._:[\]-]+(/[!-~]*)?$' or _url ~ '[?#]' then
        raise exception '"%" is no base URL of a model server', regexp_replace(
                regexp_replace(base_url, '//[^/]*@', '//…@'), '([?#]).*', '\1…'
            )
            using errcode = 'GR009',
                detail = 'It begins with http:// or https://, is plain ASCII and has no user name, question mark or fragment.',
                hint = 'Write it as the server''s manual does, such as https://api.openai.com/v1; or builtin:hash for'
                    ' embeddings without a model.';
    end if;
    if _choose_location.api_key !~ '^[!-~]*$' then
        raise exception 'the api_key for % is none', _url
            using errcode = 'GR009',
                detail = 'A key is visible ASCII without blanks; this one has other characters, such as an ellipsis.',
                hint = 'Paste the key itself, or env:NAME to have it read from the server''s environment.';
    end if;
    if (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
        if _choose_location.api_key ~ '^env:'
            and not graphrag._is_in_environment(substr(_choose_location.api_key, 5))
        then
            raise warning 'the server''s environment has no variable "%"', substr(_choose_location.api_key, 5)
                using detail = format('Until it has, %s is called without a key.', _url),
                    hint = 'Set it where the server is started, and restart the server.';
        end if;
        insert into graphrag.endpoint_location as l (base_url, api_key)
        values (_url, _choose_location.api_key)
        on conflict on constraint endpoint_location_pkey do update
        set api_key = excluded.api_key
        where excluded.api_key is not null;
    elsif _choose_location.api_key is not null then
        raise exception 'only a superuser stores the key of an endpoint'
            using errcode = '42501',
                detail = format('Role %I gave an api_key for %s.', current_user, _url),
                hint = 'Leave api_key out: the key that a superuser registered with the URL is used.';
    elsif not graphrag._may_choose(_url, current_user) then
        raise exception 'role % may not choose the endpoint %', quote_ident(current_user), _url
            using errcode = '42501',
                detail = 'A superuser decides which places this server connects to, and for whom.',
                hint = format(
                    'A superuser runs set_endpoint() with this URL, then: update graphrag.endpoint_location set owners ='
                        ' owners || %L::name where base_url = %L.',
                    current_user,
                    _url
                );
    end if;
    return _url;
end
$function$;
comment on function graphrag._choose_location(text, text) is 'Registers a base URL and its key for a superuser; for others, checks that a superuser has allowed it.';

create function graphrag._is_in_environment(name text)
    returns boolean
    language plpython3u stable strict parallel unsafe
as $python$
import os
return bool(os.environ.get(name))
$python$;
comment on function graphrag._is_in_environment(text) is 'Whether the server has an environment variable that is not empty.';

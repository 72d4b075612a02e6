create function graphrag._lower(stated text)
    returns text
    language sql immutable parallel safe
as $function$
-- The same in every database: in a Turkish one lower('ISBN') is 'ısbn', in one of locale C lower('É') is 'É'.
    select lower($1 collate "und-x-icu")
$function$;
comment on function graphrag._lower(text) is 'A text in small letters, whatever the locale of the database; inlined.';

create function graphrag._one_line(content text)
    returns text
    language sql immutable parallel safe
as $function$
-- Not strict: nullif() is not, and the planner inlines a strict function only if its body is strict.
    select nullif(btrim(regexp_replace(graphrag._clean_text(content), '[\s\u00a0\u3000]+', ' ', 'g')), '')
$function$;
comment on function graphrag._one_line(text) is 'A text cleaned and on one line; null if nothing is left.';

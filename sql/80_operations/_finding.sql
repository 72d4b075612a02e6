create function graphrag._finding("check" text, status text, detail text, advice text default null)
    returns jsonb
    language sql immutable parallel safe
as $function$
    select jsonb_build_array(
        jsonb_build_object('check', $1, 'status', $2, 'detail', $3, 'advice', $4)
    )
$function$;
comment on function graphrag._finding(text, text, text, text) is 'A list of one row of doctor().';

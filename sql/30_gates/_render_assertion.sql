create function graphrag._render_assertion(
    subject text,
    predicate text,
    object text,
    negated boolean,
    description text,
    stated_from text,
    stated_to text
)
    returns text
    language sql stable parallel safe
as $function$
    select concat(
        subject,
        case when negated then ' not' end,
        ' ' || replace(predicate, '_', ' '),
        ' ' || object,
        ': ' || description,
        case
            when stated_from = stated_to then format(' (%s)', stated_from)
            when stated_from is not null or stated_to is not null
                then format(' (%s)', concat_ws(' ', 'from ' || stated_from, 'to ' || stated_to))
        end
    )
$function$;
comment on function graphrag._render_assertion(text, text, text, boolean, text, text, text) is 'An assertion as it is embedded and searched: names, predicate, description and stated period.';

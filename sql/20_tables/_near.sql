create function graphrag._near(given text, known text[])
    returns text
    language sql immutable parallel safe
as $function$
    select case
        when cardinality(known) = 0 or known is null then 'There is none yet.'
        when max(k.name) filter (where k.alike > 0.3) is not null
            then format('Did you mean %s?', string_agg(quote_literal(k.name), ', ' order by k.alike desc, k.name)
                filter (where k.alike > 0.3 and k.rank <= 3))
        else format('Known: %s.', string_agg(k.name, ', ' order by k.name) filter (where k.rank <= 30))
    end
    from (
        select
            n.name,
            graphrag._similarity(n.name, given) as alike,
            row_number() over (order by graphrag._similarity(n.name, given) desc, n.name) as rank
        from unnest(known) as n (name)
    ) as k
$function$;
comment on function graphrag._near(text, text[]) is 'A hint that names what a misspelt name may have meant.';

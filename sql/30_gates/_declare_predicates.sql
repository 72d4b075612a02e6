create function graphrag._declare_predicates(declarations jsonb, is_preset boolean)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
-- Rows of the current realm's `predicate` from an array of objects with its columns; names are normalised, and cut
-- where they show to be too long: an index would not take them. A preset adds its aliases and groups to what is
-- declared already, except aliases that lead elsewhere.
declare
    _n integer;
begin
    insert into predicate as p
    select
        left(coalesce(graphrag._normalize_predicate(d.name), ''), 101),
        array(
            select f.form
            from unnest(graphrag._normal_forms(d.aliases, d.name)) as f (form)
            where not is_preset or not exists (
                select
                from predicate as o
                where o.name <> graphrag._normalize_predicate(d.name) and f.form = any (o.name || o.aliases)
            )
        ),
        graphrag._normalize_predicate(d.inverse_of),
        coalesce(d.is_symmetric, false),
        coalesce(d.is_functional, false),
        coalesce(d.is_value, false),
        -- One group however it is spelt.
        array(select graphrag._lower(btrim(g.name)) from unnest(d.exclusive_groups) as g (name)),
        coalesce(d.subject_types, '{}'),
        coalesce(d.object_types, '{}')
    from jsonb_to_recordset(declarations) as d (
        name text,
        aliases text[],
        inverse_of text,
        is_symmetric boolean,
        is_functional boolean,
        is_value boolean,
        exclusive_groups text[],
        subject_types text[],
        object_types text[]
    )
    on conflict (name) do update set
        aliases = case
            when is_preset then graphrag._normal_forms(p.aliases || excluded.aliases, p.name)
            else excluded.aliases
        end,
        inverse_of = excluded.inverse_of,
        is_symmetric = excluded.is_symmetric,
        is_functional = excluded.is_functional,
        is_value = excluded.is_value,
        exclusive_groups = case
            when is_preset
                then array(
                    select distinct g.name collate "C"
                    from unnest(p.exclusive_groups || excluded.exclusive_groups) as g (name)
                    order by 1
                )
            else excluded.exclusive_groups
        end,
        subject_types = excluded.subject_types,
        object_types = excluded.object_types;
    get diagnostics _n = row_count;
    perform graphrag._check_predicates();
    perform graphrag._predicates_changed();
    return _n;
end
$function$;
comment on function graphrag._declare_predicates(jsonb, boolean) is 'Writes declarations of predicates into the current realm, checks the vocabulary and re-derives what depends on it.';

create function graphrag._normal_forms(forms text[], name text)
    returns text[]
    language sql immutable parallel safe
as $function$
    select coalesce(array_agg(distinct n.form collate "C" order by n.form collate "C"), '{}')
    from unnest(forms) as f
    cross join lateral (select graphrag._normalize_predicate(f)) as n (form)
    where n.form not in ('', graphrag._normalize_predicate(name))
$function$;
comment on function graphrag._normal_forms(text[], text) is 'Aliases of a predicate, normalised, without doubles and its own name.';

create function graphrag._check_predicates()
    returns void
    language plpgsql stable parallel unsafe
as $function$
-- Raises for the first contradiction in the vocabulary of the current realm.
declare
    _found record;
begin
    select p.name, c.* into _found
    from predicate as p
    left join predicate as i on i.name = p.inverse_of
    cross join lateral (
        values
            (
                p.name = '' or length(p.name) > 100, 'GR009', 'is no name',
                'A name has 1 to 100 letters, digits and underscores.', 'Give it a word that says what holds.'
            ),
            (
                exists (select from unnest(p.exclusive_groups) as g where coalesce(g, '') !~ '\S'), 'GR009',
                'is in a group without a name', 'exclusive_groups has NULL or an empty text.', 'Name each group.'
            ),
            (
                p.inverse_of = p.name, 'GR009', 'is its own inverse',
                'What reads the same both ways is symmetric.', 'Use is_symmetric => true.'
            ),
            (
                p.inverse_of is not null and p.is_symmetric, 'GR009', 'is symmetric and an inverse',
                'A symmetric predicate is its own inverse.', 'Leave out is_symmetric or inverse_of.'
            ),
            (
                p.is_value and (p.inverse_of is not null or p.is_symmetric), 'GR009', 'takes values in both directions',
                'A value has no relations of its own, so the ends cannot change places.', 'Leave out is_value, or the rest.'
            ),
            (
                p.inverse_of is not null and i.name is null, 'GR014', 'is the inverse of an undeclared predicate',
                format('There is no predicate "%s" in this realm.', p.inverse_of), 'Declare that one first.'
            ),
            (
                i.inverse_of is not null, 'GR009', 'is the inverse of an inverse',
                format('"%s" is itself the inverse of "%s".', i.name, i.inverse_of),
                'Name the one that is stored as it is.'
            ),
            (
                i.is_value, 'GR009', 'is the inverse of a predicate that takes values',
                format('The values of "%s" have no relations of their own.', i.name), 'Leave out inverse_of.'
            ),
            (
                exists (select from predicate as o where o.name <> p.name and o.aliases && p.aliases), 'GR009',
                'shares an alias with another predicate', 'An alias leads to one predicate.', 'Leave it out of one of them.'
            )
    ) as c (holds, code, problem, detail, hint)
    where c.holds
    order by p.name
    limit 1;
    if found then
        raise exception 'predicate "%" %', _found.name, _found.problem
            using errcode = _found.code,
                detail = _found.detail,
                hint = _found.hint;
    end if;
end
$function$;
comment on function graphrag._check_predicates() is 'Raises GR009 or GR014 if the predicates of the current realm contradict each other.';

create function graphrag._doctor_identifiers(realm text)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- A name is one entity in its space, whatever identifiers it is given. Of one scheme, two of them say that it is two.
declare
    _shown constant integer := 5;
    _names text[];
begin
    if realm is null or not graphrag._realm_exists(realm) then
        return '[]';
    end if;
    _names := array(
        select format('"%s" (%s)', min(i.surface), string_agg(distinct i.identifier, ', '))
        from (
            select m.space, m.folded, m.surface, i.identifier, split_part(i.identifier, ':', 1) as scheme
            from mention as m
            cross join unnest(m.identifiers) as i (identifier)
            where m.identifiers <> '{}' and position(':' in i.identifier) > 1 and graphrag._is_live(m.chunk)
        ) as i
        group by i.space, i.folded, i.scheme
        having count(distinct i.identifier) > 1
        order by i.space, i.folded, i.scheme
    );
    return graphrag._finding(
        'identifiers',
        case when _names = '{}' then 'ok' else 'warning' end,
        case
            when _names = '{}' then 'No name has two identifiers of one scheme.'
            else format(
                'Names with two identifiers of one scheme, each one entity: %s%s.',
                array_to_string(_names[:_shown], '; '),
                ' and ' || nullif(greatest(cardinality(_names) - _shown, 0), 0) || ' more'
            )
        end,
        case when _names <> '{}'
            then 'If they are two, index their documents with names that differ, such as Springer (publisher).' end
    );
end
$function$;
comment on function graphrag._doctor_identifiers(text) is 'Findings about names that have two external identifiers of one scheme.';

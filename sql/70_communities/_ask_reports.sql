create function graphrag._report(communities jsonb, taken jsonb, concurrency integer)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.reports import report
return report(plpy, GD, communities, taken, concurrency)
$python$;
comment on function graphrag._report(jsonb, jsonb, integer) is 'Reports on communities, asked of the current realm''s community endpoint, with titles that are not taken.';

create function graphrag._ask_reports(
    space integer,
    inout plans graphrag._community_plan[],
    taken text[],
    out unknown integer
)
    returns record
    language plpgsql volatile parallel unsafe
as $function$
-- Reports for the communities that have none. Titles of live reports are taken too: another level may keep them.
declare
    _answers jsonb := graphrag._report(
        (
            select coalesce(
                jsonb_agg(
                    jsonb_build_object(
                        'no', p.no, 'text', p.text, 'relations', cardinality(p.relations), 'names', p.names
                    )
                    order by p.no
                ),
                '[]'
            )
            from unnest(plans) as p
            where p.report is null
        ),
        to_jsonb(taken || array(
            select r.title
            from community as c
            join community_version as v on v.community = c.id and v.died is null
            join report as r on r.id = v.report
            where c.space = $1
        )),
        (graphrag._setting('max_concurrent_reports') #>> '{}')::integer
    );
begin
    unknown := (
        select coalesce(sum((a.answer ->> 'unknown')::integer), 0) from jsonb_array_elements(_answers) as a (answer)
    );
    plans := array(
        select jsonb_populate_record(
            p,
            coalesce(
                a.answer - 'no'
                || jsonb_build_object('findings', graphrag._with_relation_ids(a.answer -> 'findings', p.relations)),
                '{}'
            )
        )
        from unnest(plans) as p
        left join jsonb_array_elements(_answers) as a (answer) on (a.answer ->> 'no')::integer = p.no
        order by p.no
    );
end
$function$;
comment on function graphrag._ask_reports(integer, graphrag._community_plan[], text[]) is 'Communities with the reports that they lacked; those that failed have an error.';

create function graphrag._with_relation_ids(findings jsonb, relations bigint[])
    returns jsonb
    language sql immutable parallel safe
as $function$
-- A model is shown numbers from 1; what is stored are the relations they stand for.
    select coalesce(
        jsonb_agg(
            f.finding || jsonb_build_object(
                'relations', (
                    select coalesce(jsonb_agg(relations[n.number::integer] order by n.no), '[]')
                    from jsonb_array_elements_text(f.finding -> 'relations') with ordinality as n (number, no)
                )
            )
            order by f.no
        ),
        '[]'
    )
    from jsonb_array_elements(findings) with ordinality as f (finding, no)
$function$;
comment on function graphrag._with_relation_ids(jsonb, bigint[]) is 'Findings with the ids of the relations that they number.';

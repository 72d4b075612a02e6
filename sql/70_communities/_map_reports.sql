create function graphrag._note_reports(question text, parts jsonb, header jsonb, concurrency integer)
    returns jsonb
    language plpython3u volatile strict parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.reports import note
return note(plpy, GD, question, parts, header, concurrency)
$python$;
comment on function graphrag._note_reports(text, jsonb, jsonb, integer) is 'What each part of many reports says about a question, by the synthesis endpoint.';

create function graphrag._report_parts(mode text, evidence graphrag.evidence[], budget integer)
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- The reports of a global question in parts that one prompt should hold; one part or none needs no notes.
declare
    _limit integer := case when budget > 0 then budget else (graphrag._setting('map_budget') #>> '{}')::integer end;
begin
    return array(
        select string_agg(l.line, E'\n' order by l.no)
        from (
            select i.no, left(i.line, _limit) as line,
                (sum(least(length(i.line), _limit)) over (order by i.no) - 1) / _limit as part
            from graphrag._context_items(evidence) as i
            where i.section = 0 and mode = 'global'
        ) as l
        group by l.part
        order by l.part
    );
end
$function$;
comment on function graphrag._report_parts(text, graphrag.evidence[], integer) is 'The parts in which query() reads many reports.';

create function graphrag._prompt_evidence(
    question text,
    mode text,
    evidence graphrag.evidence[],
    budget integer,
    header jsonb
)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
-- What query() sends. Where the reports of a global question are more than one prompt should hold, they are read part
-- by part first, and the notes stand in their place.
declare
    _parts text[] := graphrag._report_parts(mode, evidence, budget);
    _notes text;
    _rest graphrag.evidence[];
begin
    if mode = 'bypass' then
        return null;
    end if;
    if cardinality(_parts) > 1 then
        _notes := graphrag._notes_of(
            graphrag._note_reports(
                question,
                to_jsonb(_parts),
                header,
                (graphrag._setting('max_concurrent_reports') #>> '{}')::integer
            )
        );
        _rest := array(select e from unnest(evidence) as e where e.kind <> 'report');
        return concat_ws(
            E'\n\n', '# Notes from ' || cardinality(_parts) || E' parts of the reports\n' || _notes,
            graphrag._context(_rest, budget)
        );
    end if;
    return graphrag._context(evidence, budget);
end
$function$;
comment on function graphrag._prompt_evidence(text, text, graphrag.evidence[], integer, jsonb) is 'The evidence as query() sends it; NULL without a search.';

create function graphrag._notes_of(answers jsonb)
    returns text
    language plpgsql volatile parallel unsafe
as $function$
declare
    _failed text[] := array(
        select a.answer ->> 'error'
        from jsonb_array_elements(answers) with ordinality as a (answer, no)
        where jsonb_typeof(a.answer) = 'object'
        order by a.no
    );
begin
    if _failed <> '{}' then
        raise warning '% of % parts of the reports could not be read', cardinality(_failed), jsonb_array_length(answers)
            using detail = _failed[1],
                hint = 'The answer rests on the other parts.';
    end if;
    return coalesce(
        (
            select string_agg(a.answer #>> '{}', E'\n\n' order by a.no)
            from jsonb_array_elements(answers) with ordinality as a (answer, no)
            where jsonb_typeof(a.answer) = 'string'
        ),
        'The reports say nothing on this.'
    );
end
$function$;
comment on function graphrag._notes_of(jsonb) is 'Notes on a question as one text; warns of parts that failed.';

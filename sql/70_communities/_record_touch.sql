create function graphrag._record_touch(question text, mode text, spaces integer[], evidence graphrag.evidence[])
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Telemetry is for those who asked for it, and never worth a question's failure. A reader without the right to write
-- it, and a standby, answer all the same.
begin
    if graphrag._setting('telemetry') <> 'true'
        or current_setting('transaction_read_only')::boolean
        or to_regclass('telemetry') is null
        or not has_table_privilege('telemetry', 'insert')
    then
        return;
    end if;
    begin
        insert into telemetry (spaces, mode, question, entities, communities)
        values (
            spaces,
            mode,
            sha256(convert_to(question, 'UTF8')),
            array(
                select e.id from unnest(evidence) as e where e.kind = 'entity'
                union
                select n.entity
                from unnest(evidence) as e
                join relation_version as v on v.id = e.id
                cross join unnest(array[v.subject, v.object]) as n (entity)
                where e.kind = 'relation' and n.entity is not null
                order by 1
            ),
            array(select e.id from unnest(evidence) as e where e.kind = 'report' order by e.id)
        );
    exception
        when others then
            raise warning 'telemetry of this question was not written'
                using detail = sqlerrm;
    end;
end
$function$;
comment on function graphrag._record_touch(text, text, integer[], graphrag.evidence[]) is 'Notes which entities and communities a question touched, if telemetry is on; never the question itself.';

create function graphrag._check_telemetry(operation text)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if graphrag._setting('telemetry') <> 'true' then
        raise exception '% needs telemetry, which is off', operation
            using errcode = 'GR030',
                detail = 'Without it nobody knows what has been asked about.',
                hint = 'SELECT graphrag.configure(''telemetry'', ''true''); it notes a hash of each question and what it touched.';
    end if;
end
$function$;
comment on function graphrag._check_telemetry(text) is 'Raises GR030 if telemetry is off.';

create function graphrag._missing_parts()
    returns text[]
    language plpgsql stable parallel safe
as $function$
-- By name, from the template itself. What a realm can lose without its data: triggers with the extension, what uses
-- pg_trgm or pgvector with those, and anything by its owner's hand.
begin
    return array(
        select 'the index ' || f.found[1]
        from regexp_matches(graphrag._realm_tables(), '\ncreate (?:unique )?index (\w+)', 'g') as f (found)
        where to_regclass(f.found[1]) is null
        union all
        select 'the view ' || f.found[1]
        from regexp_matches(graphrag._realm_views(), '\ncreate or replace view (\w+)', 'g') as f (found)
        where to_regclass(f.found[1]) is null
        union all
        select 'the function enqueue_changes'
        where to_regproc('enqueue_changes') is null
        union all
        select format('the trigger %s of %s', f.found[1], f.found[2])
        from regexp_matches(
            graphrag._realm_triggers(), '\ncreate or replace trigger (\w+) [^;]* on (\w+)', 'g'
        ) as f (found)
        where not exists (
            select
            from pg_catalog.pg_trigger as t
            where t.tgrelid = f.found[2]::regclass and t.tgname = f.found[1]
        )
        order by 1
    );
end
$function$;
comment on function graphrag._missing_parts() is 'What the template of this version has and the current realm has not, its tables apart.';

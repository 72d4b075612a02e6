create function graphrag.watermark(realm text default null, space text default null)
    returns text
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
    set standard_conforming_strings = on
    set enable_seqscan = off
    set join_collapse_limit = 1
    set jit = off
as $function$
declare
    _is_all boolean := coalesce(space, graphrag._default_space()) = '*';
begin
    perform graphrag._enter(realm);
    return graphrag._position_head(_is_all) || coalesce(
        (
            select string_agg(
                graphrag._position_piece(i.id, n.revision, graphrag._revision_fingerprint(i.id, n.revision)),
                ','
                order by i.no
            )
            from unnest(graphrag._spaces_for_read(space)) with ordinality as i (id, no)
            cross join lateral (select graphrag._settled_revision(i.id) as revision) as n
        ),
        ''
    );
end
$function$;
comment on function graphrag.watermark(text, text) is 'The present position of a space, or of every space of a realm for *: for changes_since() to go on from, and for as_believed_at.';

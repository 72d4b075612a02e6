create function graphrag._evidence_with_reports(
    searches graphrag._search[],
    mode text,
    filter graphrag._filter,
    top_k integer,
    max_hops integer,
    ways graphrag._ways,
    community_level integer,
    passages integer
)
    returns graphrag.evidence[]
    language plpgsql volatile parallel unsafe
as $function$
-- Reports are cited too: their numbers come after those of the documents. They are compared with the themes of the
-- question where those are known, else with the question.
declare
    _evidence graphrag.evidence[] := array(
        select e from graphrag._evidence(searches, mode, filter, top_k, max_hops, ways, passages) as e
    );
    _reports graphrag.evidence[] := '{}';
    _documents integer;
begin
    if mode in ('global', 'hybrid') then
        _documents := (select coalesce(max(e.reference), 0) from unnest(_evidence) as e);
        _reports := array(
            select jsonb_populate_record(r, jsonb_build_object('reference', _documents + r.rank))
            from graphrag._report_evidence(
                coalesce((searches[1]).high_vec, (searches[1]).vec), filter, community_level, top_k
            ) as r
            order by r.rank
        );
        perform graphrag._warn_of_reports(filter, cardinality(_reports));
    end if;
    return _reports || _evidence;
end
$function$;
comment on function graphrag._evidence_with_reports(graphrag._search[], text, graphrag._filter, integer, integer, graphrag._ways, integer, integer) is 'Evidence for a question, with community reports in the modes that read them.';

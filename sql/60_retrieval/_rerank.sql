create function graphrag._ask_rerank(way text, question text, passages text[], places integer)
    returns jsonb
    language plpython3u volatile parallel unsafe cost 100000
as $python$
if GD.get('graphrag') != '@VERSION@':
    plpy.execute('select graphrag._load_python()')
from graphrag_pl.reranking import rerank
return rerank(plpy, GD, way, question, passages, places)
$python$;
comment on function graphrag._ask_rerank(text, text, text[], integer) is 'Numbers of passages in the order in which a rerank server or a chat model finds them helpful.';

create function graphrag._rerank(
    question text,
    gathered graphrag._gathered,
    ways graphrag._ways,
    top_k integer
)
    returns graphrag._gathered
    language plpgsql volatile parallel unsafe
as $function$
-- Passages that the model does not name keep their order behind those that it does. If it fails, all keep it.
declare
    _way text := case when 'endpoint' = any (ways.rerank) then 'endpoint' else 'llm' end;
    _passages text[] := array(
        select e.text from unnest(gathered.evidence) as e where e.kind = 'chunk' order by e.rank
    );
    _answer jsonb := case
        when cardinality(_passages) > 1 then graphrag._ask_rerank(_way, question, _passages, top_k)
        else '{"places": []}'
    end;
begin
    if _answer ? 'error' then
        raise warning 'the passages are in the order of their channels: they could not be reranked'
            using detail = _answer ->> 'error',
                hint = format(
                    'set_endpoint() changes the model of the role %s.',
                    case _way when 'endpoint' then 'rerank' else 'auxiliary' end
                );
        gathered.fallbacks := gathered.fallbacks + 1;
    end if;
    gathered.evidence := graphrag._reordered(gathered.evidence, coalesce(_answer -> 'places', '[]'), top_k);
    return gathered;
end
$function$;
comment on function graphrag._rerank(text, graphrag._gathered, graphrag._ways, integer) is 'Evidence whose passages a model has put into order.';

create function graphrag._reordered(evidence graphrag.evidence[], places jsonb, top_k integer)
    returns graphrag.evidence[]
    language sql stable parallel safe
as $function$
-- Documents are numbered anew in the order in which the evidence first uses them; reports keep coming after them.
    with placed as (
        select e.*, p.no as place, row_number() over (order by p.no, e.rank) as new_rank
        from unnest(evidence) as e
        left join jsonb_array_elements(places) with ordinality as p (number, no) on p.number::integer = e.rank
        where e.kind = 'chunk'
    ),
    kept as (
        select e.kind, e.rank, e.rank as new_rank, e.ranks, e as piece
        from unnest(evidence) as e
        where e.kind <> 'chunk'
        union all
        select
            p.kind, p.rank, p.new_rank,
            p.ranks || case when p.place is null then '{}' else jsonb_build_object('rerank', p.place) end,
            e as piece
        from placed as p
        join unnest(evidence) as e on e.kind = p.kind and e.rank = p.rank
        where p.new_rank <= top_k
    ),
    cited as (
        select (k.piece).reference, row_number() over (
            order by min(array[array_position('{chunk, relation, report}', k.kind), k.new_rank])
        ) as number
        from kept as k
        where (k.piece).reference is not null
        group by (k.piece).reference
    )
    select array(
        select jsonb_populate_record(
            k.piece,
            jsonb_build_object('rank', k.new_rank, 'ranks', k.ranks, 'reference', c.number)
        )
        from kept as k
        left join cited as c on c.reference = (k.piece).reference
        order by k.kind <> 'report', k.kind, k.new_rank
    )
$function$;
comment on function graphrag._reordered(graphrag.evidence[], jsonb, integer) is 'Evidence with its passages in another order, the first of them kept.';

create function graphrag._doctor_reembedding(realm text)
    returns jsonb
    language plpgsql volatile parallel unsafe
as $function$
-- Nothing to say where none was begun, nor of a realm of a release that had no such table.
declare
    _begun record;
    _process integer;
begin
    if realm is null or not graphrag._realm_exists(realm) or to_regclass('reembedding') is null then
        return '[]';
    end if;
    select r.* into _begun from reembedding as r;
    if not found then
        return '[]';
    end if;
    _process := graphrag._reembedding_process();
    return graphrag._finding(
        're-embedding',
        case when _process is null then 'warning' else 'ok' end,
        format(
            '%s of %s texts have their vectors of model %s, of %s dimensions. %s',
            _begun.texts_done, _begun.texts, _begun.model, _begun.width,
            case
                when _process is null then 'Nobody goes on with it; searches use the vectors before.'
                else format('Process %s is at it.', _process)
            end
        ),
        case when _process is null then format(
            'CALL graphrag.reembed(%1$L); goes on, SELECT graphrag.abandon_reembedding(%1$L); throws it away.', realm
        ) end
    );
end
$function$;
comment on function graphrag._doctor_reembedding(text) is 'A finding about a re-embedding that has not ended.';

create function graphrag._check_same_vectors(base_url text, model text, options jsonb)
    returns void
    language plpgsql volatile parallel unsafe
as $function$
-- Runs inside a realm. Vectors of two models cannot be compared, even where their widths agree.
declare
    _realm record;
begin
    select r.model, r.width into strict _realm from realm as r;
    if model <> _realm.model then
        raise exception 'the realm''s vectors are of model "%", not of "%"', _realm.model, model
            using errcode = 'GR105',
                detail = format('They have %s dimensions and are never mixed with those of another.', _realm.width),
                hint = format('CALL graphrag.reembed(%L, %L, %L); makes them anew.', current_schema, base_url, model);
    end if;
    if base_url = 'builtin:hash' and coalesce((options ->> 'width')::integer, 256) <> _realm.width then
        raise exception 'builtin:hash would make vectors of % dimensions, the realm''s have %',
            coalesce(options ->> 'width', '256'), _realm.width
            using errcode = 'GR105',
                detail = 'All vectors of a realm have one width.',
                hint = format(
                    'Give options => ''{"width": %s}''; or CALL graphrag.reembed(%L, width => %s);',
                    _realm.width, current_schema, coalesce(options ->> 'width', '256')
                );
    end if;
end
$function$;
comment on function graphrag._check_same_vectors(text, text, jsonb) is 'Raises GR105 unless an endpoint''s vectors can stand beside those of the current realm.';

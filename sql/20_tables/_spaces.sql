create function graphrag._default_space()
    returns text
    language sql stable parallel safe
begin atomic
    select coalesce(nullif(current_setting('graphrag.space', true), ''), 'default');
end;
comment on function graphrag._default_space() is 'The space of a call that names none: the session setting graphrag.space, else default.';

create function graphrag._refuse_all_spaces(space text)
    returns text
    language plpgsql stable parallel safe
as $function$
declare
    _space text := coalesce(space, graphrag._default_space());
begin
    if _space = '*' then
        raise exception 'space "*" cannot be written'
            using errcode = 'GR007',
                detail = '"*" reads every space of a realm.',
                hint = 'Name one space.';
    end if;
    return _space;
end
$function$;
comment on function graphrag._refuse_all_spaces(text) is 'The name of the one space that a write is for; raises GR007 for *.';

create function graphrag._check_space_name(space text)
    returns text
    language plpgsql stable parallel safe
as $function$
declare
    _space text := graphrag._refuse_all_spaces(space);
begin
    if _space = '' or octet_length(_space) > 200 or _space ~ '[\x01-\x1f\x7f]' then
        raise exception 'a space cannot be called "%"', left(_space, 100)
            using errcode = 'GR006',
                detail = 'A space has a name of 1 to 200 bytes without control characters.',
                hint = 'Choose another name for the space.';
    end if;
    return _space;
end
$function$;
comment on function graphrag._check_space_name(text) is 'The name of the space that a document is for; raises GR006 for what no space can be called.';

create function graphrag._make_space(space text)
    returns integer
    language plpgsql volatile parallel unsafe
as $function$
begin
    insert into space (name) values ($1) on conflict do nothing;
    return (select s.id from space as s where s.name = $1);
end
$function$;
comment on function graphrag._make_space(text) is 'The id of a space of the current realm, made if it is new.';

create function graphrag._space_to_change(space text)
    returns integer
    language plpgsql stable parallel safe
as $function$
declare
    _id integer := (graphrag._spaces_for_read(graphrag._refuse_all_spaces(space)))[1];
begin
    if _id is null then
        raise exception 'there is no space "%"', graphrag._refuse_all_spaces(space)
            using errcode = 'GR004',
                detail = 'Nothing has been indexed into this realm yet.',
                hint = 'A space is made by the first document indexed into it.';
    end if;
    return _id;
end
$function$;
comment on function graphrag._space_to_change(text) is 'The id of one existing space.';

create function graphrag._spaces_for_read(space text)
    returns integer[]
    language plpgsql stable parallel safe
as $function$
declare
    _space text := coalesce(space, graphrag._default_space());
    _ids integer[];
begin
    if _space = '*' then
        return array(select s.id from space as s order by s.id);
    end if;
    _ids := array(select s.id from space as s where s.name = _space);
    -- The default space of a realm in which nothing has been indexed yet is empty, not unknown.
    if _ids = '{}' and _space <> 'default' then
        raise exception 'there is no space "%"', _space
            using errcode = 'GR004',
                detail = 'A space is made by the first document indexed into it.',
                hint = graphrag._near(_space, array(select s.name from space as s order by s.name));
    end if;
    return _ids;
end
$function$;
comment on function graphrag._spaces_for_read(text) is 'The ids of the spaces that a read covers: one, or all for *.';

create function graphrag._default_realm()
    returns text
    language sql stable parallel safe
begin atomic
    select coalesce(nullif(current_setting('graphrag.realm', true), ''), 'default');
end;
comment on function graphrag._default_realm() is 'The realm of a call that names none: the session setting graphrag.realm, else default.';

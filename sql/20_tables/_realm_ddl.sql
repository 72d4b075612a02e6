create function graphrag._realm_ddl()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/tables.sql}}
{{file:realm/views.sql}}
{{file:realm/comments.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._realm_ddl() is 'The plain DDL of one realm, run by create_realm() inside the new schema.';

create function graphrag._realm_tables()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/tables.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._realm_tables() is 'The plain DDL of a realm''s tables, run by create_realm() inside the new schema.';

create function graphrag._realm_triggers()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/triggers.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._realm_triggers() is 'The plain DDL of a realm''s triggers, which go away with the extension and can be made again.';

create function graphrag._realm_views()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/views.sql}}
{{file:realm/merge_candidates.sql}}
{{file:realm/changes.sql}}
{{file:realm/comments.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._realm_views() is 'The plain DDL of a realm''s views, run after its vectors have their width.';

create function graphrag._merge_candidates_view()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/merge_candidates.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._merge_candidates_view() is 'The plain DDL of the view that is bound to the vectors, run again when they are swapped.';

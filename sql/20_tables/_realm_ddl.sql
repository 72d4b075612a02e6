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

create function graphrag._realm_steps()
    returns table (no integer, version text, ddl text)
    language sql immutable parallel safe rows 10
as $realm_ddl$
-- One row a release: what brings the tables that it made to those of the next. Views, their comments and triggers are
-- made anew after the last step; a step drops those that go, and views whose columns do not begin as before.
    values (1, '0.1.0', $ddl$
{{file:realm/steps/0.1.0.sql}}
$ddl$)
$realm_ddl$;
comment on function graphrag._realm_steps() is 'The plain DDL that migrate_realm() runs, one step a release, in their order.';

create function graphrag._merge_candidates_view()
    returns text
    language sql immutable parallel safe
as $realm_ddl$
    select $ddl$
{{file:realm/merge_candidates.sql}}
$ddl$;
$realm_ddl$;
comment on function graphrag._merge_candidates_view() is 'The plain DDL of the view that is bound to the vectors, run again when they are swapped.';

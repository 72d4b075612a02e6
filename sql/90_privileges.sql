-- Nothing is for everyone: a role gets what it needs by GRANT; docs/security.md lists it.
revoke all on all routines in schema graphrag from public;
revoke all on all tables in schema graphrag from public;

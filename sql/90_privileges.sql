-- Nothing is for everyone: grant_reader() and grant_writer() give a role what it needs.
revoke all on all functions in schema graphrag from public;
revoke all on all tables in schema graphrag from public;

-- What keeps a realm true to its evidence whoever writes its tables. Writers are plain roles with rights on the tables:
-- so nothing here trusts a flag that a session could set. Run after tables.sql, and again to mend a realm whose
-- triggers went away with the extension.

-- ---------------------------------------------------------------- belief time
-- A revision is taken by adding 1 to space.revision, by whomever; number, time, transaction and role of its row are
-- then filled in, never given.
create or replace trigger take_revision after insert or update on space
    for each row execute function graphrag._take_revision();
create or replace trigger stamp before insert on revision
    for each row execute function graphrag._stamp_revision();
create or replace trigger keep before update or delete or truncate on revision
    for each statement execute function graphrag._keep();

-- A row is born, and dies, in the revision that its own transaction has taken in its space.
create or replace trigger born after insert on document_version referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on document_version
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on document_chunk referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on document_chunk
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on decision referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on decision
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on entity_name referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on entity_name
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on entity_version referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on entity_version
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on relation_version referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on relation_version
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on community_build referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on community_build
    for each row execute function graphrag._guard_belief();
create or replace trigger born after insert on community_version referencing new table as new_rows
    for each statement execute function graphrag._guard_births();
create or replace trigger belief before update or delete on community_version
    for each row execute function graphrag._guard_belief();
create or replace trigger keep before truncate on community_build
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on community_version
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on document_version
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on document_chunk
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on decision
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on entity_name
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on entity_version
    for each statement execute function graphrag._keep();
create or replace trigger keep before truncate on relation_version
    for each statement execute function graphrag._keep();
-- Counts come by the thousand, so whole statements of them are looked at.
create or replace trigger keep before update of id, space, kind, texts, words, born or truncate on term_total
    for each statement execute function graphrag._keep();
create or replace trigger keep_ended before update on term_total
    for each row when (old.died is not null) execute function graphrag._keep();
create or replace trigger born after insert on term_total referencing new table as new_rows
    for each statement execute function graphrag._guard_counts();
create or replace trigger ended after update on term_total referencing new table as new_rows
    for each statement execute function graphrag._guard_counts();
create or replace trigger gone after delete on term_total referencing old table as old_rows
    for each statement execute function graphrag._guard_gone_counts();
create or replace trigger keep before update of id, space, kind, term, texts, born or truncate on term_stat
    for each statement execute function graphrag._keep();
create or replace trigger keep_ended before update on term_stat
    for each row when (old.died is not null) execute function graphrag._keep();
create or replace trigger born after insert on term_stat referencing new table as new_rows
    for each statement execute function graphrag._guard_counts();
create or replace trigger ended after update on term_stat referencing new table as new_rows
    for each statement execute function graphrag._guard_counts();
create or replace trigger gone after delete on term_stat referencing old table as old_rows
    for each statement execute function graphrag._guard_gone_counts();

-- ---------------------------------------------------------------- what never changes
-- Versions point to these, so that deleting one that was ever believed fails by its foreign key.
create or replace trigger keep before update or truncate on document
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on content
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on chunk
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on mention
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on assertion
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on contradiction
    for each statement execute function graphrag._keep();
create or replace trigger belief before insert or delete on contradiction
    for each row execute function graphrag._guard_verdict();
create or replace trigger keep before update or truncate on entity
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on relation
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on community
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or truncate on report
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or delete or truncate on member
    for each statement execute function graphrag._keep();
create or replace trigger keep before update or delete or truncate on finding
    for each statement execute function graphrag._keep();

-- ---------------------------------------------------------------- evidence by hand
create or replace trigger take_in after insert on mention referencing new table as new_rows
    for each statement execute function graphrag._mentions_inserted();
create or replace trigger take_in after insert on assertion referencing new table as new_rows
    for each statement execute function graphrag._assertions_inserted();
create or replace trigger note_deleted before delete on mention
    for each row execute function graphrag._evidence_deleted();
create or replace trigger note_deleted before delete on assertion
    for each row execute function graphrag._evidence_deleted();
create or replace trigger withdraw_deleted after delete on mention
    for each statement execute function graphrag._withdraw_deleted();
create or replace trigger withdraw_deleted after delete on assertion
    for each statement execute function graphrag._withdraw_deleted();

-- The triggers behind belief time (see realm/triggers.sql). A trigger's function runs with the search_path of whoever
-- wrote the row, so each pins its own and then looks into the realm that its table is in.

create function graphrag._take_revision()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
declare
    _version text;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    select r.version into _version from realm as r;
    if _version is distinct from '@VERSION@' then
        perform graphrag._refuse_outdated(tg_table_schema, _version);
    end if;
    if tg_op = 'INSERT' then
        if new.revision = 0 and new.purged = 0 then
            return null;
        end if;
    elsif new is not distinct from old then
        return null;
    elsif (new.id, new.name, new.purged) = (old.id, old.name, old.purged) and new.revision = old.revision + 1 then
        insert into revision (space, n, at, transaction, role, operation)
        values (new.id, new.revision, now(), '', current_user, coalesce(new.operation, 'by hand'));
        return null;
    elsif (new.id, new.name, new.revision) = (old.id, old.name, old.revision)
        and new.purged > old.purged
        and graphrag._may_purge(tg_relid)
    then
        return null;
    end if;
    raise exception 'space "%" cannot be written like this', new.name
        using errcode = 'GR022',
            detail = 'A new space begins at revision 0, and a transaction adds 1 to it, once.',
            hint = 'Let graphrag.index() and the other functions take revisions.';
end
$function$;
comment on function graphrag._take_revision() is 'Trigger: makes the row of the revision that a transaction takes in a space.';

create function graphrag._stamp_revision()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- Whatever was given: the row is of the space's present revision, of which there can be only one.
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    new.n := (select s.revision from space as s where s.id = new.space);
    new.at := greatest(
        clock_timestamp(),
        (select r.at from revision as r where r.space = new.space and r.n = new.n - 1) + interval '1 microsecond'
    );
    new.transaction := graphrag._transaction();
    new.role := current_user;
    return new;
end
$function$;
comment on function graphrag._stamp_revision() is 'Trigger: number, time, transaction and role of a revision are those of the transaction that takes it.';

create function graphrag._guard_births()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- All rows of a statement at once: born in the revision that this transaction has taken in their space.
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if exists (select from new_rows as n where n.died is not null)
        or (
            select bool_or(not graphrag._is_own_revision(b.space, b.born))
            from (
                select distinct graphrag._space_of_row(tg_table_name, to_jsonb(n)) as space, n.born from new_rows as n
            ) as b
        )
    then
        perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
    end if;
    return null;
end
$function$;
comment on function graphrag._guard_births() is 'Trigger: rows with a belief interval are born when their transaction says so.';

create function graphrag._guard_belief()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- Dying in the revision of this transaction, once, or coming back to life in the revision in which it died; nothing
-- else changes. A row born in this revision was never believed by anyone and may go.
declare
    _died bigint;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if tg_op = 'UPDATE' then
        _died := new.died;
        new.died := old.died;
        if new is not distinct from old
            and (_died is null) <> (old.died is null)
            and graphrag._is_own_revision(
                graphrag._space_of_row(tg_table_name, to_jsonb(old)), coalesce(_died, old.died)
            )
        then
            new.died := _died;
            return new;
        end if;
    elsif graphrag._is_own_revision(graphrag._space_of_row(tg_table_name, to_jsonb(old)), old.born)
        or graphrag._may_purge(tg_relid)
    then
        return old;
    end if;
    perform graphrag._refuse_history(tg_table_schema, tg_table_name, tg_op);
end
$function$;
comment on function graphrag._guard_belief() is 'Trigger: rows with a belief interval die when their transaction says so, and are never changed.';

create function graphrag._refuse_history(schema_name text, table_name text, operation text)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    raise exception 'table %.% does not take this %', schema_name, table_name, lower(operation)
        using errcode = 'GR022',
            detail = 'A row is born and dies in the revision that its own transaction has taken in its space, and is never'
                ' changed or deleted.',
            hint = 'Let graphrag.index(), graphrag.delete_document() and the other functions write it;'
                ' graphrag.purge() erases history.';
end
$function$;
comment on function graphrag._refuse_history(text, text, text) is 'Raises GR022 for what would forge history.';

create function graphrag._guard_verdict()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
-- What a model judged comes and goes with its statement: it is stored before the statement's chunk stands anywhere, for
-- the first time or again. Only what it was compared with may be replaced by who says the same, and go if nobody ever
-- believed it.
declare
    _verdict record := case when tg_op = 'INSERT' then new else old end;
begin
    perform set_config('search_path', format('%I, pg_temp', tg_table_schema), true);
    if not graphrag._has_stood(_verdict.assertion)
        or (
            tg_op = 'INSERT'
            and not graphrag._is_live((select a.chunk from assertion as a where a.id = _verdict.assertion))
        )
        or graphrag._may_purge(tg_relid)
        or (tg_op = 'DELETE' and not graphrag._has_stood(_verdict.other))
        or (tg_op = 'INSERT' and graphrag._says_what_was_judged(_verdict.assertion, _verdict.other))
    then
        return _verdict;
    end if;
    raise exception 'table %.% does not take this %', tg_table_schema, tg_table_name, lower(tg_op)
        using errcode = 'GR022',
            detail = 'Its statement is believed, or was: what was judged of it stays as it was.',
            hint = 'graphrag.configure(''contradiction_detection'', ''true'') has a model judge new statements.';
end
$function$;
comment on function graphrag._guard_verdict() is 'Trigger: what a model judged of a statement that is believed neither comes nor goes.';

create function graphrag._has_stood(assertion bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
begin
    return exists (select from assertion as a join document_chunk as d on d.chunk = a.chunk where a.id = $1);
end
$function$;
comment on function graphrag._has_stood(bigint) is 'Whether the chunk of an assertion stands, or stood, in a document.';

create function graphrag._says_what_was_judged(assertion bigint, other bigint)
    returns boolean
    language plpgsql stable parallel safe
as $function$
-- In the same words, by whatever vocabulary they are read.
begin
    return exists (
        select
        from contradiction as c
        join assertion as o on o.id = c.other
        join assertion as n on n.id = $2
            and n.space = o.space
            and n.negated = o.negated
            and (n.predicate = o.predicate or n.stated_predicate = o.stated_predicate)
            and n.value is not distinct from o.value
            and (
                (n.subject, n.object) is not distinct from (o.subject, o.object)
                or (n.subject, n.object) = (o.object, o.subject)
            )
        where c.assertion = $1
    );
end
$function$;
comment on function graphrag._says_what_was_judged(bigint, bigint) is 'Whether an assertion was judged to contradict what another one says.';

create function graphrag._space_of_row(table_name text, written jsonb)
    returns integer
    language plpgsql stable parallel safe
as $function$
-- Of what owns the row, whatever space the row says. A statement a table, so that each is planned and started alone.
begin
    case table_name
        when 'relation_version' then
            return (select o.space from relation as o where o.id = (written ->> 'relation')::bigint);
        when 'entity_version' then
            return (select o.space from entity as o where o.id = (written ->> 'entity')::bigint);
        when 'document_version' then
            return (select o.space from document as o where o.id = (written ->> 'document')::bigint);
        when 'community_version' then
            return (select o.space from community as o where o.id = (written ->> 'community')::bigint);
        when 'document_chunk' then
            return (
                select o.space
                from document_version as v
                join document as o on o.id = v.document
                where v.id = (written ->> 'version')::bigint
            );
        else
            return (written ->> 'space')::integer;
    end case;
end
$function$;
comment on function graphrag._space_of_row(text, jsonb) is 'The space that a row with a belief interval belongs to.';

create function graphrag._is_own_revision(space integer, n bigint)
    returns boolean
    language plpgsql stable parallel unsafe
as $function$
begin
    return exists (
        select from revision as r where r.space = $1 and r.n = $2 and r.transaction = graphrag._transaction()
    );
end
$function$;
comment on function graphrag._is_own_revision(integer, bigint) is 'Whether this transaction has taken a revision of a space.';

create function graphrag._keep()
    returns trigger
    language plpgsql volatile parallel unsafe
    set search_path = pg_catalog, pg_temp
as $function$
begin
    if tg_op = 'DELETE' and graphrag._may_purge(tg_relid)
        or tg_op = 'UPDATE' and tg_table_name = 'content' and graphrag._may_reembed(tg_relid)
    then
        return null;
    end if;
    raise exception 'table %.% does not take %', tg_table_schema, tg_table_name, lower(tg_op)
        using errcode = 'GR022',
            detail = 'Its rows never change: what was believed points to them.',
            hint = case
                when tg_op = 'TRUNCATE' then 'graphrag.purge() erases history, graphrag.drop_realm() a realm.'
                when tg_table_name in ('mention', 'assertion') then 'Delete the row and insert another.'
                else 'Let graphrag.index() and the other functions write it.'
            end;
end
$function$;
comment on function graphrag._keep() is 'Trigger: refuses to change what never changes.';

create function graphrag._may_reembed(of_table oid)
    returns boolean
    language sql stable parallel safe
as $function$
-- As with _may_purge(), the right is the owner's and the setting only a safety catch.
    select coalesce(current_setting('graphrag.reembed', true), '') = 'on'
        and pg_has_role(current_user, (select c.relowner from pg_class as c where c.oid = of_table), 'usage')
$function$;
comment on function graphrag._may_reembed(oid) is 'Whether reembed() is at work, for the owner of a table.';

create function graphrag._may_purge(of_table oid)
    returns boolean
    language sql stable parallel safe
as $function$
-- The right is the owner's, who could also drop the trigger. The setting only keeps him from doing it by mistake.
    select coalesce(current_setting('graphrag.purge', true), '') = 'on'
        and pg_has_role(current_user, (select c.relowner from pg_class as c where c.oid = of_table), 'usage')
$function$;
comment on function graphrag._may_purge(oid) is 'Whether purge() is at work, for the owner of a table.';

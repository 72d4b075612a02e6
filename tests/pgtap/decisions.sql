-- Decisions about the graph: merge, split, assert, retract, undo. They outlive re-indexing.
begin;
create extension if not exists pgtap;
select plan(24);

set client_min_messages = warning;
select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32);
set graphrag.realm = 'kb';
select graphrag.declare_predicate('lives_in', is_functional => true);
select graphrag.declare_predicate('met', is_symmetric => true);
select graphrag.declare_predicate('has_age', is_value => true);

create function pg_temp.told(document text, content text, extraction jsonb)
    returns void
    language sql
as $$
    select graphrag.index(content, document => document, published_at => '2020-01-01Z', extraction => extraction)
$$;

select pg_temp.told(
    'a', 'Countess Lovelace met Babbage.',
    '[{"subject": "Countess Lovelace", "predicate": "met", "object": "Babbage"}]'
);
select pg_temp.told(
    'b', 'Ada King lives in London.',
    '[{"subject": "Ada King", "predicate": "lives_in", "object": "London"}]'
);
create temp table decided (what text, id bigint) on commit drop;

-- merge
insert into decided select 'merge', graphrag.merge_entities('Countess Lovelace', 'Ada King');
select is(
    (select array_agg(name || ' ' || aliases::text) from kb.entities where name ~ 'Lovelace|King'),
    array['Countess Lovelace {"Ada King"}'], 'a merge makes two one, under the fuller name'
);
select is(
    (select subject from kb.facts where predicate = 'lives_in'), 'Countess Lovelace', 'whose facts are those of both'
);
select pg_temp.told(
    'b', 'Ada King lives in Rome.',
    '[{"subject": "Ada King", "predicate": "lives_in", "object": "Rome"}]'
);
select is(
    (select subject || ' ' || object from kb.facts where predicate = 'lives_in'), 'Countess Lovelace Rome',
    'a merge survives re-indexing'
);
select throws_ok(
    $$select graphrag.merge_entities('Countess Lovelace', 'ada king')$$, 'GR009', null, 'what is one cannot be merged'
);
select graphrag.undo((select id from decided where what = 'merge'));
select is(
    (select count(*) from kb.entities where name ~ 'Lovelace|King'), 2::bigint, 'undone, they are two again'
);
select is(graphrag.derive(), 0, 'and deriving anew agrees');

-- split
select pg_temp.told(
    'c', 'Charles Babbage, also called Babbage, and one more Babbage.',
    '{"entities": [{"name": "Charles Babbage", "aliases": ["Babbage"]}]}'
);
select is((select count(*) from kb.entities where name ~ 'Babbage'), 1::bigint, 'an alias claim unites');
insert into decided select 'split', graphrag.split_entity('Charles Babbage', '{Babbage}');
select is((select count(*) from kb.entities where name ~ 'Babbage'), 2::bigint, 'a split keeps apart what is claimed');
select is(
    (select count(*) from kb.facts where predicate = 'met' and 'Babbage' in (subject, object)), 1::bigint,
    'and gives each its own facts'
);
select graphrag.undo((select id from decided where what = 'split'));
select is((select count(*) from kb.entities where name ~ 'Babbage'), 1::bigint, 'undone, the claim counts again');
select throws_ok(
    $$select graphrag.split_entity('Charles Babbage', '{Nobody}')$$, 'GR009', null, 'a name it has not cannot leave'
);

-- what a person may want to decide
select pg_temp.told(
    'd', 'Benjamin Babbage is also called Babbage.', '{"entities": [{"name": "Benjamin Babbage", "aliases": ["Babbage"]}]}'
);
select is(
    (
        select array_agg(reason)
        from kb.merge_candidates
        where array[entity, other] @> '{Charles Babbage,Benjamin Babbage}'
    ),
    '{"alias \"Babbage\""}'::text[], 'an alias that two claim is listed, once'
);
select is(
    (select array_agg(predicate) from kb.off_vocabulary), null, 'declared predicates are in the vocabulary'
);
select is(
    graphrag.document_graph('b') -> 'relations' -> 0 ->> 'object', 'Rome', 'the graph of one document'
);
select graphrag.delete_document('d');
select pg_temp.told(
    'e', 'Jon Smith. John Smith. Eve Smith.',
    '{"entities": [{"name": "Jon Smith"}, {"name": "John Smith"}, {"name": "Eve Smith"}]}'
);
select results_eq(
    $$ select distinct entity, other from kb.merge_candidates where entity ~ 'Smith' $$,
    $$ values ('John Smith'::text, 'Jon Smith'::text) $$,
    'names of which a word begins alike are listed'
);
select graphrag.delete_document('e');

-- assert and retract
select graphrag.assert_relation('Ada King', 'lives in', 'Oslo', published_at => '2022-01-01Z');
select is(
    (select object || ' ' || status from kb.facts where predicate = 'lives_in' and status = 'current'), 'Oslo current',
    'a fact stated by hand takes the slot of an older one'
);
insert into decided select 'retract', graphrag.retract_relation('ada king', 'lives in', 'Oslo');
select is(
    (select object from kb.facts where predicate = 'lives_in'), 'Rome', 'retracted, the older one holds again'
);
select graphrag.assert_relation('Ada King', 'lives in', 'Oslo', published_at => '2023-01-01Z');
select is(
    (select object from kb.facts where predicate = 'lives_in'), 'Rome', 'a retraction stands whoever states the fact'
);
select graphrag.undo((select id from decided where what = 'retract'));
select is(
    (select object from kb.facts where predicate = 'lives_in' and status = 'current'), 'Oslo', 'until it is undone'
);
select throws_ok(
    $$select graphrag.retract_relation('Ada King', 'lives in', 'Mars')$$, 'GR016', null, 'an unknown fact is an error'
);
-- a fact that documents state under another name of its subject
select pg_temp.told(
    'e', 'Dr. Benjamin Moran, called Ben Moran, is 41 years old.',
    '{
        "entities": [{"name": "Dr. Benjamin Moran", "aliases": ["Ben Moran"]}],
        "relations": [{"subject": "Ben Moran", "predicate": "has_age", "object": "41 years"}]
    }'
);
insert into decided select 'alias', graphrag.retract_relation('Dr. Benjamin Moran', 'has age', '41 years');
select is(
    (select count(*) from kb.facts where object = '41 years'), 0::bigint, 'an alias is retracted with its entity'
);
select graphrag.undo((select id from decided where what = 'alias'));
select is((select count(*) from kb.facts where object = '41 years'), 1::bigint, 'and comes back with it');
select pg_temp.told(
    'f',
    'Grace Holm and Mr. Holm are not Dr. Grace Holm or Mr. Holm. Dr. Grace Holm is 52 years old.',
    '{
        "entities": [
            {"name": "Grace Holm"}, {"name": "Mr. Holm"},
            {"name": "Dr. Grace Holm", "aliases": ["Mr. Holm"]}
        ],
        "relations": [{"subject": "Dr. Grace Holm", "predicate": "has_age", "object": "52 years"}]
    }'
);
select graphrag.retract_relation(subject, 'has age', '52 years') from kb.facts where object = '52 years';
select is(
    (select count(*) from kb.facts where object = '52 years'), 0::bigint, 'so is a name that means it in one document'
);
select is(graphrag.derive(), 0, 'after all decisions, deriving anew agrees');

select * from finish();
rollback;

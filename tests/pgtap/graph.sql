-- The graph that documents leave behind: supersession from document order, deletion, late arrival, denial, aliases.
begin;
create extension if not exists pgtap;
select plan(62);

set client_min_messages = warning;
select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32);
set graphrag.realm = 'kb';
select graphrag.declare_predicate('ally_of', is_symmetric => true, exclusive_groups => '{stance}');
select graphrag.declare_predicate('enemy_of', is_symmetric => true, exclusive_groups => '{stance}');
select graphrag.declare_predicate('lives_in', is_functional => true);
select graphrag.declare_predicate('reported_revenue', is_value => true);
select graphrag.declare_predicate('owned_by', is_functional => true);
select graphrag.declare_predicate('owns', inverse_of => 'owned_by');

-- One document of one sentence, with what was read in it.
create function pg_temp.say(
    document text, year integer, subject text, predicate text, object text,
    negated boolean default false, valid_from text default null, valid_to text default null, confidence real default 1
)
    returns void
    language sql
as $$
    select graphrag.index(
        format('%s %s %s.', subject, predicate, object),
        document => document,
        published_at => make_timestamptz(year, 1, 1, 0, 0, 0, 'UTC'),
        extraction => jsonb_build_array(jsonb_build_object(
            'subject', subject, 'predicate', predicate, 'object', object, 'negated', negated, 'valid_from', valid_from,
            'valid_to', valid_to, 'confidence', confidence
        ))
    );
$$;

create function pg_temp.fact(subject text, predicate text, object text, negated boolean default false)
    returns text
    language sql
as $$
    select format('%s %s w%s', f.status, f.effective, f.weight)
    from kb.facts as f
    where f.subject = $1 and f.predicate = $2 and f.object = $3 and f.negated = $4
$$;

-- A, then B, then A again
select pg_temp.say('d1', 2010, 'Ada', 'ally_of', 'Bob');
select is(pg_temp.fact('Ada', 'ally_of', 'Bob'), 'current {(,)} w1', 'a fact nobody contradicts always holds');
select pg_temp.say('d2', 2015, 'Ada', 'enemy_of', 'Bob');
select is(
    pg_temp.fact('Ada', 'ally_of', 'Bob'), 'superseded {(,"2015-01-01 00:00:00+00")} w1', 'B closes A from its date on'
);
select is(
    (select superseded_by from kb.facts where predicate = 'ally_of'), 'Ada enemy_of Bob', 'and is named as successor'
);
select pg_temp.say('d3', 2020, 'Bob', 'ally_of', 'Ada');
select is(
    (select status from kb.facts where predicate = 'ally_of'), 'current',
    'A is current again, though said the other way round'
);
select is((select count(*) from kb.facts where predicate = 'ally_of'), 1::bigint, 'a symmetric fact is one fact');
select is((select weight from kb.facts where predicate = 'ally_of'), 2, 'both documents support it');
select is((select status from kb.facts where predicate = 'enemy_of'), 'superseded', 'B is closed by the second A');
select is(graphrag.derive(), 0, 'deriving everything anew changes nothing');

-- deletion is absence
select graphrag.delete_document('d3');
select is(
    (select status from kb.facts where predicate = 'enemy_of'), 'current', 'deleting the third document reopens B'
);
select graphrag.delete_document('d2');
select is(pg_temp.fact('Ada', 'ally_of', 'Bob'), 'current {(,)} w1', 'deleting the second reopens A');
select is((select count(*) from kb.facts where predicate = 'enemy_of'), 0::bigint, 'and B is gone');
select is(graphrag.derive(), 0, 'incremental and full derivation agree after deletions');

-- a late arrival of an old document
select pg_temp.say('n2', 2020, 'Cleo', 'lives_in', 'Berlin');
select pg_temp.say('n1', 2010, 'Cleo', 'lives_in', 'Paris');
select is(
    pg_temp.fact('Cleo', 'lives_in', 'Berlin'), 'current {["2020-01-01 00:00:00+00",)} w1', 'the newer stays current'
);
select is(
    pg_temp.fact('Cleo', 'lives_in', 'Paris'), 'superseded {(,"2020-01-01 00:00:00+00")} w1', 'the older is history'
);
select is(
    (
        select text
        from graphrag.retrieve('Where does Cleo live?', as_of => '2015')
        where kind = 'relation' and subject = 'Cleo'
    ),
    '(Cleo) --[lives_in]--> (Paris)', 'as of 2015 it was Paris'
);
select is(
    (select text from graphrag.retrieve('Where does Cleo live?') where kind = 'relation' and subject = 'Cleo'),
    '(Cleo) --[lives_in]--> (Berlin)', 'today it is Berlin'
);

-- stated periods
select pg_temp.say('p1', 2020, 'Dora', 'lives_in', 'Rome');
select pg_temp.say('p2', 2024, 'Dora', 'lives_in', 'Oslo', valid_from => '1990', valid_to => '1995');
select is(
    (select status from kb.facts where subject = 'Dora' and object = 'Rome'), 'current',
    'a text about 1990 to 1995 does not close 2020'
);
select is(
    (select effective from kb.facts where subject = 'Dora' and object = 'Oslo'),
    '{["1990-01-01 00:00:00+00","1996-01-01 00:00:00+00")}'::tstzmultirange, 'and holds for its own years'
);
select pg_temp.say('p3', 2010, 'Emil', 'visited', 'Lima', valid_from => '2001', valid_to => '2005');
select pg_temp.say('p4', 2011, 'Emil', 'visited', 'Lima');
select is(
    pg_temp.fact('Emil', 'visited', 'Lima'),
    'current {["2001-01-01 00:00:00+00","2006-01-01 00:00:00+00")} w2', 'restating without a period erases none'
);
-- each document states one bound, or none
select pg_temp.say('h1', 2016, 'Kim', 'advised', 'Lea', valid_from => '2015');
select pg_temp.say('h2', 2020, 'Kim', 'advised', 'Lea', valid_to => '2019');
select is(
    pg_temp.fact('Kim', 'advised', 'Lea'),
    'current {["2015-01-01 00:00:00+00","2020-01-01 00:00:00+00")} w2', 'since 2015 and until 2019 are 2015 to 2019'
);
select pg_temp.say('h3', 2022, 'Kim', 'advised', 'Lea', valid_from => '2021');
select is(
    pg_temp.fact('Kim', 'advised', 'Lea'),
    'current {["2015-01-01 00:00:00+00","2020-01-01 00:00:00+00"),["2021-01-01 00:00:00+00",)} w3',
    'what begins again after an end is another period'
);
select pg_temp.say('h4', 2016, 'Lars', 'advised', 'Mona', valid_from => '2015-03');
select pg_temp.say('h5', 2020, 'Lars', 'advised', 'Mona', valid_from => '2015', valid_to => '2019');
select is(
    pg_temp.fact('Lars', 'advised', 'Mona'),
    'current {["2015-01-01 00:00:00+00","2020-01-01 00:00:00+00")} w2', 'the end of a whole period ends a half one in it'
);
select pg_temp.say('h6', 2011, 'Nils', 'advised', 'Olga', valid_from => '2010');
select pg_temp.say('h7', 2016, 'Nils', 'advised', 'Olga', valid_from => '2015', valid_to => '2015');
select is(
    pg_temp.fact('Nils', 'advised', 'Olga'), 'current {["2010-01-01 00:00:00+00",)} w2',
    'what held in one year of an open period does not end it'
);
-- the same in a slot
select pg_temp.say('i1', 2010, 'Pia', 'lives_in', 'Zurich', valid_from => '2009');
select pg_temp.say('i2', 2016, 'Pia', 'lives_in', 'Aarau');
select pg_temp.say('i3', 2020, 'Pia', 'lives_in', 'Aarau', valid_to => '2019');
select is(
    pg_temp.fact('Pia', 'lives_in', 'Aarau'),
    'current {["2016-01-01 00:00:00+00","2020-01-01 00:00:00+00")} w2', 'what is said to have ended has ended'
);
select is(
    pg_temp.fact('Pia', 'lives_in', 'Zurich'),
    'superseded {["2009-01-01 00:00:00+00","2016-01-01 00:00:00+00")} w1',
    'its predecessor keeps the time before, and does not come back after'
);
select is(
    (select superseded_by from kb.facts where subject = 'Pia' and object = 'Zurich'), 'Pia lives_in Aarau',
    'and names who took over'
);
select pg_temp.say('i4', 2021, 'Pia', 'lives_in', 'Chur', valid_from => '2020-06');
select is(
    pg_temp.fact('Pia', 'lives_in', 'Aarau'),
    'current {["2016-01-01 00:00:00+00","2020-01-01 00:00:00+00")} w2', 'a gap before the next holder stays a gap'
);
select graphrag.delete_document('i3');
select is(
    pg_temp.fact('Pia', 'lives_in', 'Aarau'),
    'superseded {["2016-01-01 00:00:00+00","2020-06-01 00:00:00+00")} w1', 'without the end it lasts until the next'
);
select pg_temp.say('i5', 2010, 'Quin', 'lives_in', 'Bonn');
select pg_temp.say('i6', 2020, 'Quin', 'lives_in', 'Kiel', valid_to => '2015');
select is(
    (select effective @> timestamptz '2005-01-01 00:00+00' from kb.facts where subject = 'Quin' and object = 'Bonn'),
    true, 'an end alone leaves to others what earlier documents knew of them'
);
select pg_temp.say('j1', 2021, 'Rita', 'lives_in', 'Split', valid_from => '2022', valid_to => '2024');
select pg_temp.say('j2', 2023, 'Rita', 'lives_in', 'Split');
select is(
    pg_temp.fact('Rita', 'lives_in', 'Split'),
    'current {["2022-01-01 00:00:00+00","2025-01-01 00:00:00+00")} w2', 'restating without a period erases none there'
);
select pg_temp.say('j3', 2026, 'Rita', 'lives_in', 'Split');
select is(
    pg_temp.fact('Rita', 'lives_in', 'Split'),
    'current {["2022-01-01 00:00:00+00","2025-01-01 00:00:00+00"),["2026-01-01 00:00:00+00",)} w3',
    'stated after its end it holds again'
);
select is(graphrag.derive(), 0, 'incremental and full derivation agree on completed periods');
-- an open claim, its denial, and the claim again for bounded years: the denial took over
select pg_temp.say('q1', 2010, 'Ivo', 'advised', 'Jana');
select pg_temp.say('q2', 2015, 'Ivo', 'advised', 'Jana', negated => true);
select pg_temp.say('q3', 2016, 'Ivo', 'advised', 'Jana', valid_to => '2005');
select is(
    (select superseded_by from kb.facts where subject = 'Ivo' and not negated), 'Ivo NOT advised Jana',
    'the successor is the claim that took the open end, whatever was restated after it'
);

-- denial
select pg_temp.say('x1', 2010, 'Finn', 'advised', 'Greta');
select pg_temp.say('x2', 2015, 'Finn', 'advised', 'Greta', negated => true);
select is(
    pg_temp.fact('Finn', 'advised', 'Greta'), 'superseded {(,"2015-01-01 00:00:00+00")} w1', 'a later denial closes'
);
select is(
    pg_temp.fact('Finn', 'advised', 'Greta', true), 'current {["2015-01-01 00:00:00+00",)} w1',
    'and is a fact of its own, with a weight of its own'
);
select pg_temp.say('x3', 2016, 'Hans', 'lives_in', 'Bern');
select pg_temp.say('x4', 2017, 'Hans', 'lives_in', 'Basel', confidence => 0.2);
select is(
    (select status from kb.facts where subject = 'Hans' and object = 'Bern'), 'current',
    'a doubtful claim takes no slot'
);

-- values
select pg_temp.say('v1', 2020, 'Acme', 'reported_revenue', '$4 million', valid_from => '2019', valid_to => '2019');
select pg_temp.say('v2', 2021, 'Acme', 'reported_revenue', '$5 million', valid_from => '2020', valid_to => '2020');
select is(
    (select sum(value_number) from kb.facts where predicate = 'reported_revenue' and status = 'current'),
    9000000::numeric,
    'figures of two years are two facts that SQL can add up'
);
select pg_temp.say('v3', 2022, 'Acme', 'reported_revenue', '$6 million', valid_from => '2020', valid_to => '2020');
select is(
    (select status from kb.facts where value = '$5 million'), 'superseded',
    'a later figure for the same year corrects it'
);
select is((select count(*) from kb.entities where name like '$%'), 0::bigint, 'a value is no entity');

-- inverses
select pg_temp.say('o1', 2019, 'Northwind', 'owns', 'Calder');
select pg_temp.say('o2', 2021, 'Calder', 'is owned by', 'Harlan');
select is(
    (select superseded_by from kb.facts where object = 'Northwind'), 'Calder owned_by Harlan',
    'an inverse changes the ends, so that the slot of the thing owned has one holder'
);

-- the vocabulary may come after the evidence
select pg_temp.say('w1', 2019, 'Zeta', 'possesses', 'Quarry');
select pg_temp.say('w2', 2020, 'Zeta', 'annual turnover', '$3 million');
select graphrag.declare_predicate('possessed_by', is_functional => true);
select graphrag.declare_predicate('possesses', inverse_of => 'possessed_by');
select graphrag.declare_predicate('turnover', aliases => '{annual_turnover}', is_value => true);
select is(
    (select predicate || ' ' || object from kb.facts where subject = 'Quarry'), 'possessed_by Zeta',
    'a predicate declared later turns the facts stated before'
);
select is(
    (select array_agg(predicate) from kb.facts where subject = 'Zeta'), '{turnover}'::text[],
    'and renames them, leaving none behind'
);

-- names
select graphrag.index(
    'Charles Babbage and Benjamin Babbage met. Babbage smiled.', document => 'b1',
    extraction => '{"entities": [{"name": "Charles Babbage", "aliases": ["Babbage"]},
        {"name": "Benjamin Babbage", "aliases": ["Babbage"]}], "triples": []}'
);
select is(
    (select array_agg(name order by name) from kb.entities where name like '%Babbage'),
    '{Benjamin Babbage,Charles Babbage}'::text[], 'two who claim one alias stay two'
);
select graphrag.index(
    'DataHub grew.', document => 'h1', extraction => '{"entities": [{"name": "DataHub", "type": "Organization"}]}'
);
select graphrag.index(
    'The data hub and DATAHUB are one.', document => 'h2',
    extraction => '{"entities": [{"name": "data hub", "type": "Product"}, {"name": "DATAHUB"}]}'
);
select is((select count(*) from kb.entities where name ilike 'data%hub'), 1::bigint, 'spellings fold into one entity');
select is(
    (select types from kb.entities where name ilike 'data%hub'), '{Organization,Product}'::text[],
    'all types seen are kept'
);
select graphrag.index('Lovelace wrote.', document => 'l1', extraction => '{"entities": [{"name": "Lovelace"}]}');
select graphrag.index(
    'Ada Lovelace wrote again.', document => 'l2',
    extraction => '{"entities": [{"name": "Ada Lovelace", "description": "A mathematician", "aliases": ["Lovelace"]}]}'
);
select is(
    (select name || ' ' || aliases::text from kb.entities where name ~ 'Lovelace'), 'Ada Lovelace {Lovelace}',
    'an alias claimed later points the earlier mention to the fuller name'
);
select graphrag.delete_document('l2');
select is(
    (select name || ' ' || aliases::text from kb.entities where name ~ 'Lovelace'), 'Lovelace {}',
    'and lets go of it when the claim is withdrawn'
);

select graphrag.index(
    'IBM was founded early.', document => 'i1',
    extraction => '{"entities": [{"name": "IBM", "identifiers": ["Q37156"]}]}'
);
select graphrag.index(
    'International Business Machines makes computers.', document => 'i2',
    extraction => '{"entities": [{"name": "International Business Machines", "identifiers": ["Q37156"]}]}'
);
select is(
    (select name || ' ' || aliases::text from kb.entities where name ~ 'Machines|IBM'),
    'International Business Machines {IBM}', 'who shares an external identifier is one'
);
select graphrag.delete_document('i2');
select is(
    (select name || ' ' || aliases::text from kb.entities where name ~ 'Machines|IBM'), 'IBM {}',
    'as long as a live chunk says so'
);

-- a name that the model was given from elsewhere in the document
select graphrag.configure('chunk_size', '100');
select graphrag.configure('chunk_overlap', '0');
select graphrag.index(
    'Grace Hopper was born in New York and studied mathematics and physics at Vassar before she joined the navy.

She visited Turin in the spring, gave a lecture on compilers to a full house, and went home by ship in June.',
    document => 'g1',
    extraction => '{"chunks": [
        {"no": 1, "entities": [{"name": "Grace Hopper"}], "triples": []},
        {"no": 2, "entities": [],
         "triples": [{"subject": "Grace Hopper", "predicate": "visited", "object": "Turin"}]}]}'
);
select is(
    (select object from kb.facts where subject = 'Grace Hopper'), 'Turin',
    'a pronoun''s name is grounded in its document'
);

-- belief
select is(
    (
        select text
        from graphrag.retrieve('Where does Cleo live?', as_believed_at => (
            select v.born::text
            from kb.relation_version as v
            join kb.entity_version as e on e.entity = v.object and e.name = 'Berlin'
            order by v.born limit 1
        ))
        where kind = 'relation' and subject = 'Cleo'
    ),
    '(Cleo) --[lives_in]--> (Berlin)', 'the past belief still answers'
);
-- what broke once
select graphrag.index(
    'Ann is an ally of 40 employees.', document => 'r1',
    extraction => '[{"subject": "Ann", "predicate": "ally_of", "object": "40 employees"}]'
);
select is(
    (select object from kb.facts where subject = 'Ann'), '40 employees',
    'a value under a symmetric predicate stays a value'
);
select is(
    (
        graphrag.index('Cats are written in C.', document => 'r2', extraction => '{"entities": [{"name": "C++"}]}')
    ).rejected,
    '{"ungrounded_name": 1}'::jsonb, 'a name full of signs is searched for as it is'
);
select pg_temp.say('r3', 2010, 'Kim', 'lives_in', 'Paris');
select pg_temp.say('r4', 2015, 'Kim', 'lives_in', 'Berlin');
select pg_temp.say('r5', 2020, 'Kim', 'lives_in', 'Paris', valid_from => '2011', valid_to => '2011');
select is(
    (select superseded_by from kb.facts where subject = 'Kim' and object = 'Paris'), 'Kim lives_in Berlin',
    'a bounded claim later on does not hide who took over'
);
set timezone = 'Asia/Tokyo';
set datestyle = 'German';
select is(graphrag.derive(), 0, 'another time zone and date style derive the same graph');
reset timezone;
reset datestyle;
select throws_ok(
    $$select graphrag.index('x', document => 'r6', published_at => 'infinity')$$, 'GR009', null,
    'a document has a place in time'
);
select throws_ok(
    $$select graphrag.create_realm('$user', embedding_url => 'builtin:hash')$$, 'GR006', null,
    'a schema name that search_path reads otherwise is no realm'
);
select throws_ok(
    $$select graphrag.retrieve('x', as_believed_at => '999999')$$, 'GR013', null, 'the future cannot be read'
);
select throws_ok(
    $$select graphrag.retrieve('x', embedding => array_fill(0::real, array[32]))$$, 'GR106', null,
    'a vector has a direction'
);
select graphrag.index('Nothing here.', document => d.key, source => d.source)
from (values ('["a", "b"]', null), ('b', 'a')) as d (key, source);
select is((select count(*) from kb.documents where key ~ '"b'), 2::bigint, 'two documents have two keys');
select is(
    (select count(*) from kb.relation_version where died <= born), 0::bigint, 'no version was born dead'
);
select is(graphrag.derive(), 0, 'and after all of it, deriving anew changes nothing');

select * from finish();
rollback;

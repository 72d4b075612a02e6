-- Whom a name means: contested aliases, short forms, titles, identifiers; and what a document says by a name.
begin;
create extension if not exists pgtap;
select plan(39);

set client_min_messages = warning;
select graphrag.create_realm('kb', embedding_url => 'builtin:hash', width => 32);
set graphrag.realm = 'kb';
select graphrag.declare_predicate('built', is_symmetric => false);

-- A document that mentions names, each with a type and aliases after colons, and says that the first built a mill.
create function pg_temp.told(document text, variadic names text[])
    returns void
    language sql
as $$
    select graphrag.index(
        (select string_agg(replace(n, ':', ' '), '. ') from unnest(names) as n) || '. The Mill.',
        document => document,
        extraction => jsonb_build_object(
            'entities', (
                select jsonb_agg(jsonb_build_object(
                    'name', split_part(n, ':', 1),
                    'type', nullif(split_part(n, ':', 2), ''),
                    'aliases', coalesce(to_jsonb((string_to_array(n, ':'))[3:]), '[]')
                ))
                from unnest(names) as n
            ),
            'triples', jsonb_build_array(jsonb_build_object(
                'subject', split_part(names[1], ':', 1), 'predicate', 'built', 'object', 'The Mill'
            ))
        )
    );
$$;

-- Everybody, with the other names in brackets.
create function pg_temp.everybody()
    returns text
    language sql
as $$
    select string_agg(
        e.name || coalesce(nullif(' [' || array_to_string(e.aliases, ', ') || ']', ' []'), ''), ', ' order by e.name
    )
    from kb.entities as e
    where e.name <> 'The Mill'
$$;

create function pg_temp.forget()
    returns void
    language sql
as $$
    select count(graphrag.delete_document(d.key)) from kb.documents as d;
$$;

-- an alias that two claim
select pg_temp.told('c', 'Charles Babbage:Person:Babbage');
select pg_temp.told('b', 'Benjamin Babbage:Person:Babbage');
select pg_temp.told('only charles', 'Babbage', 'Charles Babbage');
select is(
    (select subject from kb.facts where documents = '{"only charles"}'), null,
    'a fact that two documents state is one'
);
select is(
    (select documents from kb.facts where subject = 'Charles Babbage'), '{c,"only charles"}'::text[],
    'beside one of its claimants a contested name means that one'
);
select is(
    (select count(*) from kb.entities where name = 'Babbage'), 0::bigint,
    'and where every document tells, nobody is left of that name'
);
select pg_temp.told('both', 'Babbage', 'Charles Babbage', 'Benjamin Babbage');
select is(
    (select documents from kb.facts where subject = 'Babbage'), '{both}'::text[], 'beside two it means neither'
);
select pg_temp.told('none', 'Babbage');
select is(
    (select documents from kb.facts where subject = 'Babbage'), '{both,none}'::text[], 'nor alone'
);
select is(
    (
        select array_agg(case when entity = 'Benjamin Babbage' then other else entity end order by entity, other)
        from kb.merge_candidates
        where 'Benjamin Babbage' in (entity, other) and reason = 'alias "Babbage"'
    ),
    '{Babbage,"Charles Babbage"}'::text[], 'what is left open is listed with who claims it'
);
select is(
    (
        select array_agg(documents.document order by documents.document)
        from kb.documents
        cross join lateral graphrag.document_graph(documents.document) as g
        where g -> 'entities' @> '[{"name": "Charles Babbage"}]'
    ),
    '{both,c,"only charles"}'::text[], 'the graph of a document knows whom it means'
);
select is(graphrag.derive(), 0, 'deriving anew agrees');
select graphrag.delete_document('b');
select is(
    pg_temp.everybody(), 'Benjamin Babbage, Charles Babbage [Babbage]',
    'without a second claim the alias is his everywhere'
);
select pg_temp.told('b', 'Benjamin Babbage:Person:Babbage');
select is(
    (select documents from kb.facts where subject = 'Babbage'), '{both,none}'::text[], 'the claim back, it is as before'
);

-- people decide before context does
create temp table decided on commit drop as
select graphrag.split_entity('Charles Babbage', '{Babbage}') as id;
select is(
    (select documents from kb.facts where subject = 'Babbage'), '{both,none,"only charles"}'::text[],
    'a split parts a name from whom documents mean by it'
);
select graphrag.undo((select id from decided));
update decided set id = graphrag.merge_entities('Babbage', 'Benjamin Babbage');
select is(
    (select documents from kb.facts where subject = 'Benjamin Babbage'), '{b,both,none,"only charles"}'::text[],
    'a merge makes it mean one everywhere'
);
select graphrag.undo((select id from decided));
select is(
    (select documents from kb.facts where subject = 'Charles Babbage'), '{c,"only charles"}'::text[],
    'undone, context tells again'
);
select is(graphrag.derive(), 0, 'and deriving anew agrees');

-- short forms
select pg_temp.forget();
select graphrag.configure('chunk_size', '100');
select graphrag.configure('chunk_overlap', '0');
select graphrag.index(
    'Charles Dickens, whom his friends called Charles and his readers Dickens, was born in Portsmouth.

Mr. Dickens went to America twice, and Prof. Dickens is what nobody called him in those years.',
    document => 'd',
    extraction => '{"chunks": [
        {"no": 1, "entities": [{"name": "Charles Dickens", "type": "person"}, {"name": "Charles", "type": "person"},
            {"name": "Dickens", "type": "person"}], "triples": []},
        {"no": 2, "entities": [{"name": "Mr. Dickens", "type": "person"}, {"name": "Prof. Dickens"}],
         "triples": [{"subject": "Mr. Dickens", "predicate": "visited", "object": "America"}]}]}'
);
select graphrag.configure('chunk_size', '2000');
select is(
    (select name || ' ' || aliases::text from kb.entities where name ~ 'Dickens'),
    'Charles Dickens {Charles,Dickens,"Mr. Dickens","Prof. Dickens"}', 'a name is short for the one full name'
);
select is((select subject from kb.facts where predicate = 'visited'), 'Charles Dickens', 'whose facts these are');
select pg_temp.told('e', 'Dickens:person');
select is(
    (
        select count(*)
        from kb.assertions as a
        join kb.facts as f on f.relation = a.relation
        where f.subject = 'Charles Dickens' and a.document = 'd'
    ),
    1::bigint, 'an assertion leads to the fact that it supports in its document'
);
select is(
    (select count(*) from kb.entities where name = 'Dickens'), 1::bigint, 'in its document only'
);
select pg_temp.told('d', 'Dickens:person', 'Charles Dickens:person', 'Catherine Dickens:person', 'Mr. Dickens:person');
select is(
    pg_temp.everybody(), 'Catherine Dickens, Charles Dickens, Dickens, Mr. Dickens',
    'of two full names it means neither, nor is Mr. Dickens one whom the passage lists beside him'
);
select pg_temp.forget();
select pg_temp.told('y', 'York:city', 'New York:city', 'Orleans', 'New Orleans', 'Paris', 'Paris Hilton:person');
select is(
    pg_temp.everybody(), 'New Orleans, New York, Orleans, Paris, Paris Hilton, York',
    'what is no person has no short form'
);
select pg_temp.forget();
select pg_temp.told('m', 'Melania Trump:person', 'Senator Trump:organization', 'Mr. Trump:person');
select is(pg_temp.everybody(), 'Melania Trump, Mr. Trump, Senator Trump', 'Mr. is not her');
select pg_temp.forget();
select pg_temp.told('f', 'Fezziwig:person', 'Mrs. Fezziwig:person', 'Mr. Fezziwig:person');
select is(
    pg_temp.everybody(), 'Mr. Fezziwig [Fezziwig], Mrs. Fezziwig', 'Mr. and Mrs. stay two, and beside her he is meant'
);
select pg_temp.told('f', 'Mr. Fezziwig:person:Fezziwig', 'Mrs. Fezziwig:person:Fezziwig');
select is(
    pg_temp.everybody(), 'Mr. Fezziwig [Fezziwig], Mrs. Fezziwig [Fezziwig]', 'also when both are called by the surname'
);
select pg_temp.forget();
select pg_temp.told('s', 'Sammy Davis:person', 'Sammy Davis Jr.:person', 'Frau Merkel:person');
select pg_temp.told(
    't', 'Sir Isaac Newton:person', 'Isaac Newton:person', 'Professor Hart', 'Vincent van Gogh:person', 'Gogh:person'
);
select is(
    pg_temp.everybody(),
    'Frau Merkel, Isaac Newton [Sir Isaac Newton], Professor Hart, Sammy Davis, Sammy Davis Jr., Vincent van Gogh [Gogh]',
    'a father is not his son, and a title is no part of a name'
);
select pg_temp.forget();
select pg_temp.told('j', '田中太郎:person', '田中:person', '田中先生:person', 'The Beatles:band', 'Beatles:band');
select is(
    pg_temp.everybody(), 'The Beatles [Beatles], 田中太郎 [田中, 田中先生]',
    'titles follow, and names have no blanks, in Japanese'
);
select pg_temp.forget();

-- titles and what stands on an entity
select pg_temp.told('o', 'Reverend Featherstonehaugh:person:Ann Lee', 'Ann Lee:person');
select is(
    pg_temp.everybody(), 'Ann Lee [Reverend Featherstonehaugh]', 'a titled name never outweighs a full name'
);
select is(graphrag.gate_name('Mrs.'), 'relative_name', 'a title alone is no name');
select is(graphrag.gate_name('Madame'), 'relative_name', 'in no language');
select is(graphrag.gate_name('Prince'), null, 'a rank may be one');
select pg_temp.forget();
select graphrag.index(
    'Ada Lovelace was a mathematician.', document => 'rich',
    extraction => '{"entities": [{"name": "Ada Lovelace", "type": "Person", "description": "A mathematician.",
        "aliases": ["Ada", "Countess of Lovelace"]}]}'
);
select pg_temp.told('stub', 'Ada', 'Countess of Lovelace');
select is(
    (select name || ' ' || types::text || ' ' || description from kb.entities where name ~ 'Lovelace'),
    'Countess of Lovelace {Person} Ada Lovelace (Person): A mathematician.',
    'the longest form names it; stubs neither describe nor type'
);
select pg_temp.forget();

-- preloaded
create temp table known on commit drop as
select * from (
    values
        ('International Business Machines', 'Organization', '{IBM}'::text[], '{wikidata:Q37156}'::text[]),
        ('Ada Lovelace', 'Person', '{Ada King}', '{wikidata:Q7259}')
) as k (name, type, aliases, identifiers);
select count(graphrag.declare_entity(k.name, k.type, k.aliases, k.identifiers)) from known as k;
select pg_temp.told('i', 'IBM', 'Ada King');
select graphrag.index(
    'Augusta Ada Byron.', document => 'q',
    extraction => '{"entities": [{"name": "Augusta Ada Byron", "identifiers": ["wikidata:Q7259"]}]}'
);
select is(
    pg_temp.everybody(),
    'Augusta Ada Byron [Ada King, Ada Lovelace], International Business Machines [IBM]',
    'entities of a table resolve by identifier and by alias'
);
select throws_ok(
    $$select graphrag.declare_entity('the company')$$, 'GR009', null, 'through the same gates'
);
select graphrag.delete_document('wikidata:Q7259', source => 'declare_entity');
select is(
    pg_temp.everybody(), 'Ada King, Augusta Ada Byron, International Business Machines [IBM]', 'and can be withdrawn'
);
select graphrag.index(
    'Springer prints books.', document => 'z',
    extraction => '{"entities": [{"name": "Springer", "identifiers": ["Q1"]}]}'
);

-- what stands in quotes and brackets after a name
select graphrag.index(
    'TIM CRATCHIT ("Tiny Tim"), a cripple. Tim Cratchit (“Tiny Tim”) and Bob Dylan ("Hurricane") met Ann ("Anna").',
    document => 'quoted',
    extraction => '{"entities": [{"name": "Tim Cratchit", "type": "person"}, {"name": "Bob Dylan"}, {"name": "Ann"}]}'
);
select graphrag.index(
    'Tiny Tim sang. Sam "Smithy" Smith heard.', document => 'sung',
    extraction => '{"entities": [{"name": "Tiny Tim"}, {"name": "Smith (\"Smithy\")"}],
        "triples": [["Tiny Tim", "sang_to", "Smith (\"Smithy\")"]]}'
);
select matches(pg_temp.everybody(), 'Tim Cratchit \[Tiny Tim\]', 'is another name, if the two share a word');
select matches(pg_temp.everybody(), 'Bob Dylan,', 'else it may be his song');
select is(
    (select f.object from kb.facts as f where f.predicate = 'sang_to'), 'Smith', 'of a name given with it, always'
);
select graphrag.index(
    'Joe Ray ("Hurricane") sang. Hurricane won a Grammy.', document => 'won',
    extraction => '{"entities": [{"name": "Joe Ray (\"Hurricane\")"}, {"name": "Hurricane"}],
        "triples": [["Joe Ray (\"Hurricane\")", "sang_of", "Hurricane"]]}'
);
select results_eq(
    $$select f.subject, f.object from kb.facts as f where f.predicate = 'sang_of'$$,
    $$values ('Joe Ray', 'Hurricane')$$,
    'unless the answer has an entity of its own of that name'
);

-- several brackets
select graphrag.index(
    'The Internal Revenue Service (IRS) ("the Revenue Service") audits. Bay Trust (BT) ("Old Bay"), formerly Cove Trust'
    || ' (CT), pays. Paris (Texas) is a town, the Free Song Club (ABC) sings, the Red Cross Hall (RCH) stands by RCH.',
    document => 'brackets',
    extraction => '{"entities": [{"name": "Internal Revenue Service"}, {"name": "Paris (Texas)"},
        {"name": "Free Song Club"}, {"name": "Bay Trust (BT) (\"Old Bay\"), formerly Cove Trust (CT)"},
        {"name": "Red Cross Hall"}, {"name": "RCH"}]}'
);
select results_eq(
    $$select n.name, n.called
    from (
        select v.name, array_agg(e.name order by e.name collate "C") as called
        from kb.entity_name as e
        join kb.entity_version as v on v.entity = e.entity and v.died is null
        where e.died is null and e.role = 'alias'
        group by v.name
    ) as n
    where n.name in (
        'Internal Revenue Service', 'Bay Trust', 'Cove Trust', 'Paris (Texas)', 'Free Song Club', 'Red Cross Hall'
    )
    order by 1$$,
    $$values
        (
            'Bay Trust',
            array['BT', 'Bay Trust (BT) ("Old Bay"), formerly Cove Trust (CT)', 'CT', 'Cove Trust', 'Old Bay']
        ),
        ('Internal Revenue Service', array['IRS', 'the Revenue Service'])$$,
    'every bracket is read, and former names; what is no other form of the name, or an entity of its own, is no alias'
);
select is(graphrag.derive(), 0, 'after all of it, deriving anew changes nothing');

select * from finish();
rollback;

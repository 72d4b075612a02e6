begin;
create extension if not exists pgtap;
select plan(283);

-- ------------------------------------------------------------ predicates: reason (null: it is one)
select is(graphrag.gate_predicate(p.predicate), p.reason, format('predicate: %s', left(p.predicate, 60)))
from (values
    ('related', 'vague_predicate'),
    ('ist', 'vague_predicate'),
    ('hat', 'vague_predicate'),
    ('est', 'vague_predicate'),
    ('tiene', 'vague_predicate'),
    ('è', 'vague_predicate'),
    ('é', 'vague_predicate'),
    ('tem', 'vague_predicate'),
    ('heeft', 'vague_predicate'),
    ('是', 'vague_predicate'),
    ('有', 'vague_predicate'),
    ('である', 'vague_predicate'),
    ('이다', 'vague_predicate'),
    ('متعلق', 'vague_predicate'),
    ('связан_с', 'vague_predicate'),
    ('related_to', 'vague_predicate'),
    ('relates_to', 'vague_predicate'),
    ('Related To', 'vague_predicate'),
    ('is_related_to', 'vague_predicate'),
    ('isRelatedTo', 'vague_predicate'),
    ('relation', 'vague_predicate'),
    ('relation_with', 'vague_predicate'),
    ('relationship_with', 'vague_predicate'),
    ('associated with', 'vague_predicate'),
    ('is associated with', 'vague_predicate'),
    ('connected_to', 'vague_predicate'),
    ('linked_to', 'vague_predicate'),
    ('connection', 'vague_predicate'),
    ('see also', 'vague_predicate'),
    ('mentioned_with', 'vague_predicate'),
    ('co_occurs_with', 'vague_predicate'),
    ('has', 'vague_predicate'),
    ('is', 'vague_predicate'),
    ('was', 'vague_predicate'),
    ('have', 'vague_predicate'),
    ('of', 'vague_predicate'),
    ('and', 'vague_predicate'),
    ('with', 'vague_predicate'),
    ('unknown', 'vague_predicate'),
    ('pertains_to', 'vague_predicate'),
    ('has_relation', 'vague_predicate'),
    ('is_relevant', 'vague_predicate'),
    ('verbunden mit', 'vague_predicate'),
    ('lié à', 'vague_predicate'),
    ('relacionado con', 'vague_predicate'),
    ('collegato a', 'vague_predicate'),
    ('relacionado com', 'vague_predicate'),
    ('verbonden met', 'vague_predicate'),
    ('关联', 'vague_predicate'),
    ('相关', 'vague_predicate'),
    ('関連', 'vague_predicate'),
    ('관련', 'vague_predicate'),
    ('', 'malformed'),
    ('  ', 'malformed'),
    ('...', 'malformed'),
    ('123', 'malformed'),
    ('_', 'malformed'),
    ('$$', 'malformed'),
    ('`', 'malformed'),
    (null, 'malformed'),
    (repeat('x', 101), 'over_long'),
    ('works_at', null),
    ('is_a', null),
    ('born_in', null),
    ('married to', null),
    ('CEO of', null),
    ('reported_revenue', null),
    ('located_in', null),
    ('employs', null),
    ('gründete', null),
    ('a fondé', null),
    ('fundó', null),
    ('出生于', null),
    ('生まれた', null),
    ('설립했다', null),
    ('أسس', null),
    ('основал', null),
    ('जन्म', null),
    ('knows', null),
    ('part_of', null),
    ('same_as', null),
    ('inspired', null),
    ('relates_the_story_of', null),
    ('connected_by_bridge', null),
    ('linked_by_marriage', null),
    ('`x`; $$; drop schema public', null)
) as p (predicate, reason);

-- ------------------------------------------------------------ normal form
select is(graphrag._normalize_predicate(p.stated), p.normal, format('normal form of %s', to_jsonb(p.stated)))
from (values
    ('is_located_in', 'located_in'),
    ('Located In', 'located_in'),
    ('locatedIn', 'located_in'),
    ('LOCATED_IN', 'located_in'),
    ('was born in', 'born_in'),
    ('has been located in', 'located_in'),
    ('has-component', 'component'),
    ('is_a', 'is_a'),
    ('is_in', 'is_in'),
    ('is', 'is'),
    ('hasCEO', 'ceo'),
    ('isPartOf', 'part_of'),
    ('lives-in', 'lives_in'),
    ('  spaced  out ', 'spaced_out'),
    ('works at/for', 'works_at_for'),
    ('R&D_head', 'rd_head'),
    ('__x__', 'x'),
    ('e-mail', 'e_mail'),
    ('didWin', 'win'),
    ('gründete', 'gründete'),
    ('Gründete', 'gründete'),
    ('ОСНОВАЛ', 'основал'),
    ('出生于', '出生于'),
    ('जन्म_स्थान', 'जन्म_स्थान'),
    ('مؤسس', 'مؤسس'),
    ('ｗｏｒｋｓ　ａｔ', 'works_at'),
    ('co-founded', 'co_founded'),
    ('`drop`; $$; drop schema x', 'drop_drop_schema_x'),
    ('"quoted"', 'quoted'),
    ('...', ''),
    ('🎉 likes', 'likes'),
    (E'tab\tand\nline', 'tab_and_line'),
    ('works_2_jobs', 'works_2_jobs'),
    ('is–a–friend–of', 'a_friend_of')
) as p (stated, normal);

select is(
    graphrag._normalize_predicate(graphrag._normalize_predicate(p.stated)), graphrag._normalize_predicate(p.stated),
    format('normalising %s twice', p.stated)
)
from unnest(array[
    'has been is a', 'was_been_in', 'do_has_is', 'is_is_is', 'hasHasX', 'being_had_it_all', 'Was-Is-Abc', 'is_a_b', 'has_2'
]) as p (stated);

-- ------------------------------------------------------------ inflection
select ok(graphrag._verb_bases(v.form) && graphrag._verb_bases(v.base), format('%s is a form of %s', v.form, v.base))
from (values
    ('planned', 'plan'),
    ('plans', 'plan'),
    ('planning', 'plan'),
    ('studied', 'study'),
    ('studies', 'study'),
    ('dies', 'die'),
    ('dying', 'die'),
    ('died', 'die'),
    ('goes', 'go'),
    ('went', 'go'),
    ('gone', 'go'),
    ('bought', 'buy'),
    ('led', 'lead'),
    ('held', 'hold'),
    ('met', 'meet'),
    ('lived', 'live'),
    ('living', 'live'),
    ('teaches', 'teach'),
    ('fixes', 'fix'),
    ('passes', 'pass'),
    ('does', 'do'),
    ('written', 'write'),
    ('took', 'take'),
    ('travelled', 'travel'),
    ('agreed', 'agree'),
    ('tied', 'tie')
) as v (form, base);

select ok(v.base <> all (graphrag._verb_bases(v.form)), format('%s is no form of %s', v.form, v.base))
from (values
    ('employer', 'employ'),
    ('designer', 'design'),
    ('invention', 'invent'),
    ('agreement', 'agree'),
    ('less', 'les'),
    ('bus', 'bu'),
    ('king', 'k'),
    ('found', 'found'),
    ('this', 'thi'),
    ('metal', 'met')
) as v (form, base);

-- ------------------------------------------------------------ vocabulary
select graphrag.create_realm('predicates_test', embedding_url => 'builtin:hash', width => 8);
select graphrag.use_preset('biography', realm => 'predicates_test');
set local search_path = predicates_test, public;
select is(
    (select row(r.predicate, r.swapped) from graphrag._resolve_predicates(array[v.stated]) as r),
    row(v.predicate, v.swapped),
    format('%s reaches %s', v.stated, v.predicate)
)
from (values
    ('wrote', 'wrote', false),
    ('writes', 'wrote', false),
    ('write', 'wrote', false),
    ('writing', 'wrote', false),
    ('written', 'wrote', false),
    ('is_writing', 'wrote', false),
    ('written_by', 'wrote', true),
    ('penned', 'wrote', false),
    ('designs', 'designed', false),
    ('designing', 'designed', false),
    ('designed_by', 'designed', true),
    ('was designed by', 'designed', true),
    ('designer', 'designer', false),
    ('designed_for', 'designed_for', false),
    ('live_in', 'lives_in', false),
    ('lived_in', 'lives_in', false),
    ('living_in', 'lives_in', false),
    ('Lives In', 'lives_in', false),
    ('lives', 'lives', false),
    ('meets', 'met', false),
    ('meeting', 'met', false),
    ('meet', 'met', false),
    ('metal_of', 'metal_of', false),
    ('met_in', 'met_in', false),
    ('method', 'method', false),
    ('teaches', 'taught', false),
    ('teaching', 'taught', false),
    ('teacher', 'teacher', false),
    ('studies', 'studied', false),
    ('study', 'studied', false),
    ('studying', 'studied', false),
    ('student', 'student', false),
    ('founds', 'founded', false),
    ('founding', 'founded', false),
    ('found', 'found', false),
    ('founded_by', 'founded', true),
    ('was_founded_by', 'founded', true),
    ('foundation', 'foundation', false),
    ('employed_by', 'employed_by', false),
    ('employs', 'employed_by', true),
    ('employer', 'employer', false),
    ('employer_of', 'employed_by', true),
    ('employee', 'employee', false),
    ('builds', 'built', false),
    ('built', 'built', false),
    ('building', 'built', false),
    ('invents', 'invented', false),
    ('inventor', 'inventor', false),
    ('marries', 'marries', false),
    ('spouse', 'married_to', false),
    ('wife_of', 'married_to', false),
    ('worksWith', 'worked_with', false),
    ('collaborates_with', 'worked_with', false),
    ('uses', 'uses', false),
    ('used', 'uses', false),
    ('using', 'uses', false),
    ('used_by', 'uses', true),
    ('used_for', 'used_for', false),
    ('mother_of', 'child_of', true),
    ('child_of', 'child_of', false),
    ('has_component', 'part_of', true),
    ('born', 'born_on', false),
    ('born_in', 'born_in', false),
    ('bears_in', 'bears_in', false),
    ('unheard_of', 'unheard_of', false)
) as v (stated, predicate, swapped);
select results_eq(
    $$ select r.stated, r.predicate from graphrag._resolve_predicates('{writes,wrote,no_such}') as r order by 1 $$,
    $$ values ('no_such', 'no_such'), ('writes', 'wrote'), ('wrote', 'wrote') $$,
    'many at once'
);
truncate predicate;
insert into predicate (name) values ('employs'), ('went_to'), ('grounds');
select is(
    (select r.predicate from graphrag._resolve_predicates(array[v.stated]) as r), v.predicate,
    format('%s reaches %s', v.stated, v.predicate)
)
from (values
    ('employed', 'employs'), ('employing', 'employs'), ('employed_by', 'employed_by'), ('employer', 'employer'),
    ('goes_to', 'went_to'), ('going_to', 'went_to'), ('gone_to', 'went_to'), ('ground', 'grounds'),
    ('grounded', 'grounds'), ('grinds', 'grinds')
) as v (stated, predicate);
truncate predicate;
select is((select r.predicate from graphrag._resolve_predicates('{writes}') as r), 'writes', 'nothing is declared');
select graphrag.use_preset('biography', realm => 'predicates_test');

-- ------------------------------------------------------------ triples
select is(graphrag.gate_relation(r.s, r.p, r.o, r.c, 0.5), r.reason, format('%s %s %s', r.s, r.p, r.o))
from (values
    ('X', 'includes', 'x', 1, 'self_loop'),
    ('Data Hub', 'includes', 'data-hub', 1, 'self_loop'),
    ('X', 'includes', 'Y', 0.4, 'confidence_floor'),
    ('X', 'includes', 'Y', 0.5, null),
    ('X', 'related', 'X', 0.1, 'vague_predicate'),
    ('X', 'includes', null, 1, 'malformed'),
    (null, 'includes', 'Y', 1, 'malformed'),
    ('X', null, 'Y', 1, 'malformed')
) as r (s, p, o, c, reason);

-- ------------------------------------------------------------ declarations
select is(
    graphrag.declare_predicate(
        'Is Assigned-To', '{reassigned to, is_assigned_to}', is_functional => true, realm => 'predicates_test'
    ),
    'assigned_to',
    'declared names are normalised'
);
select results_eq(
    $$ select p.name, p.aliases, p.is_functional from predicates_test.predicate as p where p.name = 'assigned_to' $$,
    $$ values ('assigned_to', '{reassigned_to}'::text[], true) $$,
    'aliases too, and the name itself is none'
);
select is(
    graphrag.declare_predicate('assigned_to', is_functional => false, realm => 'predicates_test'), 'assigned_to',
    'a second declaration'
);
select results_eq(
    $$ select p.aliases, p.is_functional from predicates_test.predicate as p where p.name = 'assigned_to' $$,
    $$ values ('{}'::text[], false) $$,
    'replaces the first'
);
select throws_ok(
    format('select graphrag.declare_predicate(%s, realm => ''predicates_test'')', e.arguments), e.code, null,
    e.arguments
)
from (values
    ('(select string_agg(md5(n::text), '''') from generate_series(1, 1000) as n)', 'GR009'),
    ('''likes'', inverse_of => ''likes''', 'GR009'),
    ('''likes'', inverse_of => ''wrote'', is_symmetric => true', 'GR009'),
    ('''likes'', inverse_of => ''wrote'', is_value => true', 'GR009'),
    ('''likes'', is_symmetric => true, is_value => true', 'GR009'),
    ('''likes'', inverse_of => ''no_such''', 'GR014'),
    ('''likes'', inverse_of => ''written_by''', 'GR009'),
    ('''wrote'', inverse_of => ''written_by''', 'GR009'),
    ('''likes'', inverse_of => ''born_on''', 'GR009'),
    ('''likes'', aliases => ''{penned}''', 'GR009'),
    ('''$$''', 'GR009'),
    ('null', 'GR009'),
    ('repeat(''x'', 101)', 'GR009')
) as e (arguments, code);
select throws_ok(
    'select graphrag.use_preset(''biographie'', realm => ''predicates_test'')', 'GR014', 'there is no preset "biographie"'
);

-- ------------------------------------------------------------ presets
select is(
    graphrag.use_preset(p.preset, realm => 'predicates_test'),
    (select count(*)::integer from graphrag.preset_predicate as q where q.preset = p.preset),
    format('preset %s', p.preset)
)
from unnest(array['biography', 'fiction', 'finance', 'earnings', 'agent_memory']) as p (preset);
select is_empty(
    $$ select p.name from predicates_test.predicate as p where p.name <> graphrag._normalize_predicate(p.name) $$,
    'preset names are normalised'
);
select is_empty(
    $$ select p.preset, p.name from graphrag.preset_predicate as p
       where p.inverse_of is not null and not exists (
           select from graphrag.preset_predicate as i
           where i.preset = p.preset and i.name = p.inverse_of and i.inverse_of is null) $$,
    'inverses stand in their own preset'
);
select is_empty(
    $$ select f.preset, f.form
       from (
           select p.preset, p.name, graphrag._normalize_predicate(p.name) as form from graphrag.preset_predicate as p
           union
           select p.preset, p.name, graphrag._normalize_predicate(a)
           from graphrag.preset_predicate as p, unnest(p.aliases) as a
       ) as f
       group by f.preset, f.form having count(*) > 1 $$,
    'no form of a preset leads to two predicates'
);
select is_empty(
    $$ select p.preset, p.name from graphrag.preset_predicate as p where graphrag.gate_predicate(p.name) is not null $$,
    'no preset predicate is vague'
);

-- ------------------------------------------------------------ what nobody can read is no predicate
select is(graphrag.gate_predicate(p.stated), p.reason, format('predicate %s', p.stated))
from (values
    ('—', 'malformed'), (U&'\0301', 'malformed'), (U&'\3164', 'malformed'), (U&'\200D', 'malformed'), ('愛', null),
    ('は', null)
) as p (stated, reason);

select * from finish();
rollback;

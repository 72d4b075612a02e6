create table graphrag.setting_default (
    name text primary key,
    value jsonb not null,
    minimum numeric,
    maximum numeric,
    description text not null
);
comment on table graphrag.setting_default is 'Every setting of a realm with its default; configure() overrides one in a realm.';
comment on column graphrag.setting_default.name is 'Name of the setting.';
comment on column graphrag.setting_default.value is 'Default, and by its JSON type the type that configure() accepts.';
comment on column graphrag.setting_default.minimum is 'Least number that configure() accepts.';
comment on column graphrag.setting_default.maximum is 'Greatest number that configure() accepts; where it is 1 a fraction is meant, else a whole number.';
comment on column graphrag.setting_default.description is 'What the setting does.';

insert into graphrag.setting_default (name, value, minimum, maximum, description) values
    ('chunk_size', '2000', 100, 100000, 'Budget of a chunk in characters.'),
    ('chunk_overlap', '200', 0, 10000,
        'Characters that a chunk repeats of the one before it, resumed at a sentence boundary.'),
    ('splitter', '""', null, null,
        'Function schema.name(text) returns setof text that cuts documents in place of the built-in way; "" is that.'),
    ('gleaning_passes', '1', 0, 5, 'How often the model is asked again for what it missed.'),
    ('max_concurrent_chunks', '4', 1, 64, 'Chunks of one document that are extracted at a time.'),
    ('entity_types', '["Person", "Organization", "Location", "Event", "Work", "Product", "Technology", "Concept"]',
        null, null, 'Entity types offered to the model.'),
    ('confidence_floor', '0', 0, 1, 'Triples below this confidence are rejected.'),
    ('grounding', 'true', null, null, 'Reject names that do not occur in the text they were read in.'),
    ('reject_possessive', 'false', null, null, 'Reject possessive role phrases such as "Ada''s brother".'),
    ('supersession_confidence_floor', '0.5', 0, 1, 'An assertion below this confidence never supersedes another.'),
    ('fiscal_year_start', '1', 1, 12, 'Month in which a fiscal year begins.'),
    ('text_search_config', '"english"', null, null,
        'Text-search configuration of the lexical channels; "simple" for mixed languages.'),
    ('rrf_k', '60', 1, 10000, 'Constant of reciprocal rank fusion.'),
    ('top_k', '10', 1, 1000, 'Passages and entities returned, and a third of the relations.'),
    ('max_hops', '2', 0, 10, 'Length of the walk.'),
    ('max_relation_edges', '200', 1, 100000, 'Edges followed from one entity in one direction of a walk.'),
    ('max_walk_edges', '4000', 1, 1000000, 'Edges scanned by one walk in all.'),
    ('channel_depth', '50', 1, 1000, 'Candidates each retrieval channel hands to the fusion.'),
    ('walk', '"ppr"', null, null,
        'Walk of a read that names none: ppr (personalised PageRank) or hops (breadth first).'),
    ('fusion', '"rrf"', null, null,
        'How relations of the channels are put together: rrf (reciprocal ranks) or quota (a share for the walk).'),
    ('quota_share', '0.5', 0, 1, 'Share of the relations that the walk fills under the fusion quota.'),
    ('mmr_lambda', '0.7', 0, 1, 'Weight of relevance against novelty when passages are reranked by mmr.'),
    ('ppr_damping', '0.8', 0, 1, 'Part of the mass at a node that personalised PageRank passes on.'),
    ('ppr_steps', '5', 1, 20, 'Steps of personalised PageRank.'),
    ('ppr_nodes', '100', 1, 10000, 'Entities and passages that a step of personalised PageRank goes on from.'),
    ('ppr_edges', '100', 1, 100000, 'Edges followed from one of them in one direction, and passages that name it.'),
    ('ppr_facts', '3', 0, 100, 'Relations nearest to the question whose entities personalised PageRank starts from.'),
    ('lexical_candidates', '3000', 1, 1000000,
        'Texts of a kind that a question''s rarest terms may find, to be ranked by all.'),
    ('hnsw_ef_search', '100', 1, 1000, 'Breadth of the vector index search.'),
    ('evidence_budget', '0', 0, 100000000, 'Characters of evidence in a prompt; 0 means no limit.');

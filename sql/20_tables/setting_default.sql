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
comment on column graphrag.setting_default.maximum is 'Greatest number that configure() accepts; where it is 1, or the default has decimals, a fraction is meant, else a whole number.';
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
    ('contradiction_detection', 'false', null, null,
        'Ask the auxiliary endpoint whether new statements contradict present facts that no declared rule decides about.'),
    ('fiscal_year_start', '1', 1, 12, 'Month in which a fiscal year begins.'),
    ('text_search_config', '"english"', null, null,
        'Text-search configuration of the lexical channels; "simple" for mixed languages.'),
    ('rrf_k', '60', 1, 10000, 'Constant of reciprocal rank fusion.'),
    ('top_k', '10', 1, 1000, 'Passages and entities returned, and a third of the relations.'),
    ('max_hops', '2', 0, 10, 'Length of the walk.'),
    ('max_relation_edges', '200', 1, 100000, 'Edges followed from one entity in one direction of a walk.'),
    ('max_walk_edges', '4000', 1, 1000000, 'Edges scanned by one walk in all.'),
    ('channel_depth', '50', 1, 1000, 'Candidates each retrieval channel hands to the fusion.'),
    ('hnsw_ef_search', '100', 1, 1000, 'Breadth of the vector index search.'),
    ('community_resolution', '1.0', 0.0001, 1000,
        'How fine communities are: more than 1 gives more and smaller ones, less fewer and larger ones.'),
    ('community_min_size', '3', 2, 1000000, 'Entities of the smallest community.'),
    ('max_communities', '64', 1, 10000, 'Communities that are reported on, the largest.'),
    ('max_concurrent_reports', '4', 1, 64, 'Community reports that are asked for at a time.'),
    ('report_budget', '24000', 1000, 10000000, 'Characters of a community that a report is asked on.'),
    ('map_budget', '24000', 1000, 10000000,
        'Characters of community reports in one prompt; more are read part by part first.'),
    ('telemetry', 'false', null, null,
        'Note a hash of each question and what it touched: for coverage, dark_entities and retention.'),
    ('retention_threshold', '0.1', 0, 1, 'Entities of a lower score are archived by apply_retention.'),
    ('retention_recency', '0.35', 0, 1, 'Weight in the score of how lately an entity was asked about or read.'),
    ('retention_frequency', '0.25', 0, 1, 'Weight in the score of how often an entity was asked about.'),
    ('retention_degree', '0.2', 0, 1, 'Weight in the score of how many relations an entity has.'),
    ('retention_age', '0.2', 0, 1, 'Weight in the score of how young an entity is.'),
    ('retention_recency_days', '90', 1, 100000, 'Half-life of recency in days.'),
    ('retention_age_days', '365', 1, 100000, 'Half-life of youth in days.'),
    ('evidence_budget', '0', 0, 100000000, 'Characters of evidence in a prompt; 0 means no limit.');

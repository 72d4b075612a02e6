create table graphrag.setting_default (
    name text primary key,
    value jsonb not null,
    description text not null
);
comment on table graphrag.setting_default is 'Every setting of a realm with its default; configure() overrides one in a realm.';
comment on column graphrag.setting_default.name is 'Name of the setting.';
comment on column graphrag.setting_default.value is 'Default, and by its JSON type the type that configure() accepts.';
comment on column graphrag.setting_default.description is 'What the setting does.';

insert into graphrag.setting_default (name, value, description) values
    ('chunk_size', '2000', 'Budget of a chunk in characters.'),
    ('chunk_overlap', '200', 'Characters that a chunk repeats of the one before it, resumed at a sentence boundary.'),
    ('gleaning_passes', '1', 'How often the model is asked again for what it missed.'),
    ('max_concurrent_chunks', '4', 'Chunks of one document that are extracted at a time.'),
    ('entity_types', '["Person", "Organization", "Location", "Event", "Work", "Product", "Technology", "Concept"]',
        'Entity types offered to the model.'),
    ('confidence_floor', '0', 'Triples below this confidence are rejected.'),
    ('grounding', 'true', 'Reject names that do not occur in the text they were read in.'),
    ('reject_possessive', 'false', 'Reject possessive role phrases such as "Ada''s brother".'),
    ('supersession_confidence_floor', '0.5', 'An assertion below this confidence never supersedes another.'),
    ('fiscal_year_start', '1', 'Month in which a fiscal year begins.'),
    ('text_search_config', '"english"',
        'Text-search configuration of the lexical channels; "simple" for mixed languages.'),
    ('rrf_k', '60', 'Constant of reciprocal rank fusion.'),
    ('top_k', '10', 'Passages, entities and relations returned.'),
    ('max_hops', '2', 'Length of the walk.'),
    ('max_relation_edges', '200', 'Edges followed from one entity in one direction of a walk.'),
    ('max_walk_edges', '4000', 'Edges scanned by one walk in all.'),
    ('channel_depth', '50', 'Candidates each retrieval channel hands to the fusion.'),
    ('hnsw_ef_search', '100', 'Breadth of the vector index search.'),
    ('evidence_budget', '0', 'Characters of evidence in a prompt; 0 means no limit.');

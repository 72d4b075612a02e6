alter table graphrag.endpoint_default
    drop constraint endpoint_default_role_check,
    add constraint endpoint_default_role_check check (
        role in ('embedding', 'extraction', 'synthesis', 'community', 'auxiliary', 'rerank')
    );

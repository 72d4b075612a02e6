-- pgvector may live in any schema. These shims are bound to it once, at CREATE EXTENSION, so that nothing else has to
-- look it up; the planner inlines them, so an ORDER BY on _distance() still uses an HNSW index.
create function graphrag._vector(literal text)
    returns vector
    language sql immutable strict parallel safe
begin atomic
    select literal::vector;
end;
comment on function graphrag._vector(text) is 'A pgvector value from its text form.';

create function graphrag._vector(numbers double precision[])
    returns vector
    language sql immutable strict parallel safe
begin atomic
    select numbers::vector;
end;
comment on function graphrag._vector(double precision[]) is 'A pgvector value from an array of numbers.';

create function graphrag._distance(a vector, b vector)
    returns double precision
    language sql immutable parallel safe
begin atomic
    select a <=> b;
end;
comment on function graphrag._distance(vector, vector) is 'Cosine distance; index-compatible.';

create function graphrag._distance(a halfvec, b vector)
    returns double precision
    language sql immutable parallel safe
begin atomic
    select a <=> b::halfvec;
end;
comment on function graphrag._distance(halfvec, vector) is 'Cosine distance in a realm of half-precision vectors; index-compatible.';

create function graphrag._distance(a halfvec, b halfvec)
    returns double precision
    language sql immutable parallel safe
begin atomic
    select a <=> b;
end;
comment on function graphrag._distance(halfvec, halfvec) is 'Cosine distance of two texts of a realm of half-precision vectors.';

create function graphrag._unit(a vector)
    returns vector
    language sql immutable parallel safe
begin atomic
    select l2_normalize(a);
end;
comment on function graphrag._unit(vector) is 'A vector of length 1 in its direction: as near to others by cosine, and read from where long values are stored once.';

create function graphrag._unit(a halfvec)
    returns halfvec
    language sql immutable parallel safe
begin atomic
    select l2_normalize(a);
end;
comment on function graphrag._unit(halfvec) is 'A vector of half precision of length 1 in its direction.';

create function graphrag._similarity(a text, b text)
    returns real
    language sql immutable parallel safe
begin atomic
    select similarity(a, b);
end;
comment on function graphrag._similarity(text, text) is 'Trigram similarity of two texts, from 0 to 1.';

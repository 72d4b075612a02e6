-- Mode auto. What is in a question (graphrag._features), where that leads (graphrag._choose_mode), and what to do where
-- it is not clear: two modes are tried (graphrag._better_of).

create function graphrag._route_words()
    returns table (feature text, language text, pattern text)
    language sql immutable parallel safe rows 40
as $function$
-- Words of questions that tell what is wanted, as regular expressions; those of languages without blanks stand alone.
--   themes        about all of it: what are the main themes
--   all           about all of something: weaker, since "all employees of Acme" are found from Acme
--   exploratory   wants something explained, compared or traced: several facts, from several sides
--   time          asks when, or of a time; years are seen without words
    select w.feature, w.language, w.pattern
    from (values
        ('themes', 'en', 'overall|themes|topics|main (themes?|topics?|ideas?|points?|subjects?|findings?)|'
            'in general|generally|summar(y|ies|i[sz]e)|overview|big picture|across (all|the)|as a whole|'
            '(whole|entire) (collection|corpus|archive)'),
        ('themes', 'de', 'insgesamt|themen?|hauptthemen|überblick|übersicht|zusammenfass\w*|fass\w* .*zusammen|'
            'im allgemeinen|im großen und ganzen'),
        ('themes', 'fr', 'thèmes?|en général|globalement|résum\w+|vue d.ensemble|dans l.ensemble|sujets principaux'),
        ('themes', 'es', 'temas?|en general|resum\w+|visión general|panorama|en conjunto|globalmente'),
        ('themes', 'it', 'temi|in generale|riassu\w+|panoramica|nel complesso|complessivamente'),
        ('themes', 'pt', 'temas?|em geral|resum\w+|visão geral|panorama|no conjunto'),
        ('themes', 'nl', 'thema.?s|in het algemeen|samenvat\w*|vat .*samen|overzicht|over het geheel'),
        ('themes', 'ru', 'темы|в целом|обзор|кратко изложи\w*|резюм\w+|основные (темы|идеи)'),
        ('themes', 'zh', '总体|整体|主题|概述|概括|总结'),
        ('themes', 'ja', '全体|テーマ|概要|要約|まとめ'),
        ('all', 'en', 'all|every|each'),
        ('all', 'de', 'alle[nrs]?|sämtliche\w*|jede[nrms]?'),
        ('all', 'fr', 'tou(s|te|tes)|chaque'),
        ('all', 'es', 'tod[oa]s|cada'),
        ('all', 'it', 'tutt[iae]|ogni'),
        ('all', 'pt', 'tod[oa]s|cada'),
        ('all', 'nl', 'alle|elke?'),
        ('all', 'ru', 'все|всех|каждый'),
        ('all', 'zh', '所有|全部|每个'),
        ('all', 'ja', 'すべて|全て|各'),
        ('exploratory', 'en', 'why|explain|explore|compar(e|es|ed|ison)|contrast|differen(ce|ces|t from)|'
            'similarit(y|ies)|relat(es?|ed|ionships?) (to|between)|connect(s|ed|ions?)? (to|with|between)|'
            'how (do|does|did|are|is|were|was|has|have) .*(relate|connect|affect|influence|change|evolve|differ|develop)\w*|influence[ds]?|impact|'
            'consequences?|implications?|what led to|what role|tell me (everything|more)|evol(ve|ves|ved|ution)|trace'),
        ('exploratory', 'de', 'warum|weshalb|wieso|erklär\w*|vergleich\w*|unterschied\w*|gemeinsamkeit\w*|'
            'zusammenh[aä]ng\w*|einfluss|beeinfluss\w*|auswirkung\w*|entwickelt\w*|entwicklung|welche rolle|hintergr[uü]nde?'),
        ('exploratory', 'fr', 'pourquoi|expliqu\w+|compar\w+|différences?|rapports? entre|liens? entre|influences?|'
            'conséquences?|évolu\w+|quel rôle'),
        ('exploratory', 'es', 'por qué|explica\w*|compara\w*|diferencias?|relación entre|vínculos? entre|influencia|'
            'consecuencias?|evoluci\w+|qué papel'),
        ('exploratory', 'it', 'perché|spiega\w*|confront\w*|paragon\w*|differenz[ae]|relazion[ei] tra|legam[ei] tra|'
            'influenza|conseguenz[ae]|evoluzione|quale ruolo'),
        ('exploratory', 'pt', 'por que|porquê|explique|explica\w*|compar\w+|diferenças?|relação entre|influência|'
            'consequências?|evolu\w+|que papel'),
        ('exploratory', 'nl', 'waarom|verklaar|leg .*uit|vergelijk\w*|verschil\w*|verband\w*|invloed|'
            'gevolg\w*|welke rol'),
        ('exploratory', 'ru', 'почему|объясни\w*|сравни\w*|разниц\w+|различи\w+|связ\w+ между|влияни\w+|последстви\w+'),
        ('exploratory', 'zh', '为什么|为何|解释|比较|区别|差异|关系|影响|如何演变'),
        ('exploratory', 'ja', 'なぜ|どうして|説明|比較|違い|関係|影響|経緯'),
        ('time', 'en', 'when|since|until|before|after|during|currently|today|now|former(ly)?|'
            'previous(ly)?|as of|how long'),
        ('time', 'de', 'wann|seit|bis|vor|nach|während|derzeit|heute|jetzt|früher\w*|ehemalig\w*|wie lange'),
        ('time', 'fr', 'quand|depuis|jusqu.\w*|avant|après|pendant|actuellement|aujourd.hui|maintenant|ancien\w*'),
        ('time', 'es', 'cuándo|desde|hasta|antes|después|durante|actualmente|hoy|ahora'),
        ('time', 'it', 'quando|dal|fino a|prima|dopo|durante|attualmente|oggi|adesso'),
        ('time', 'pt', 'quando|desde|até|antes|depois|durante|atualmente|hoje|agora'),
        ('time', 'nl', 'wanneer|sinds|tot|voor|na|tijdens|momenteel|vandaag|nu|vroeger'),
        ('time', 'ru', 'когда|с какого|до|после|во время|сейчас|сегодня|раньше'),
        ('time', 'zh', '什么时候|何时|自从|之前|之后|目前|现在|哪一年'),
        ('time', 'ja', 'いつ|以来|以前|以後|現在|何年')
    ) as w (feature, language, pattern)
$function$;
comment on function graphrag._route_words() is 'Wording by which mode auto knows what a question wants.';

create function graphrag._wording(question text)
    returns table (feature text, word text)
    language sql immutable parallel safe rows 3
as $function$
-- One example of each feature, the first in the question. One expression a feature and kind of script: a session keeps
-- some dozens compiled, and to compile them takes longer than to match.
    select distinct on (w.feature) w.feature, m.found[1]
    from (
        select
            r.feature,
            r.language in ('zh', 'ja') as is_run_together,
            string_agg(r.pattern, '|' order by r.language, r.pattern) as pattern
        from graphrag._route_words() as r
        group by 1, 2
    ) as w
    cross join lateral regexp_match(
        graphrag._lower(left(question, 4000)),
        format(case when w.is_run_together then '(%s)' else '\m(%s)\M' end, w.pattern)
    ) as m (found)
    where m.found is not null
    order by w.feature, w.is_run_together
$function$;
comment on function graphrag._wording(text) is 'What the wording of a question tells, each with the word that tells it.';

create function graphrag._features(question text, filter graphrag._filter)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- What there was to know when the read believes it to be: so the past is routed as it was.
declare
    _entities bigint[] := array(
        select n.id from graphrag._entities_by_name(question, filter) as n order by n.rank, n.id limit 20
    );
    _year text := substring(question from '\m(?:1[0-9]{3}|20[0-9]{2})(?:-[01][0-9])?\M');
begin
    return jsonb_strip_nulls(jsonb_build_object(
        'entities', graphrag._names_of(_entities, filter),
        'relations', graphrag._relations_asked(question, _entities, filter),
        'has_graph', graphrag._has_graph(filter),
        'has_reports', exists (select from graphrag._communities_at(filter)),
        'time', _year
    )) || (select coalesce(jsonb_object_agg(w.feature, w.word), '{}') from graphrag._wording(question) as w
            where w.feature <> 'time' or _year is null);
end
$function$;
comment on function graphrag._features(text, graphrag._filter) is 'What mode auto sees in a question: entities that the graph knows, relations, dates, wording.';

create function graphrag._names_of(entities bigint[], filter graphrag._filter)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
begin
    return (
        select coalesce(jsonb_agg(v.name order by n.no), '[]')
        from unnest(entities) with ordinality as n (id, no)
        join entity as e on e.id = n.id
        join entity_version as v on v.entity = e.id and graphrag._believed(v.born, v.died, e.space, filter)
    );
end
$function$;
comment on function graphrag._names_of(bigint[], graphrag._filter) is 'What entities are called.';

create function graphrag._relations_asked(question text, entities bigint[], filter graphrag._filter)
    returns jsonb
    language plpgsql stable parallel safe
as $function$
-- Predicates of the vocabulary, and of the newest facts of the entities named, that share a word with the rest of the
-- question.
declare
    _config regconfig := (graphrag._setting('text_search_config') #>> '{}')::regconfig;
    _words text[] := array(
        select q.lexeme
        from unnest(graphrag._text_vector(_config, left(question, 4000))) as q
        except
        select t.lexeme
        from jsonb_array_elements_text(graphrag._names_of(entities, filter)) as n (name)
        cross join lateral unnest(graphrag._text_vector(_config, n.name)) as t
    );
begin
    return (
        select coalesce(jsonb_agg(distinct k.predicate), '[]')
        from (
            select p.name as predicate, f.form
            from predicate as p
            cross join unnest(p.name || p.aliases) as f (form)
            union
            select v.predicate, v.predicate
            from graphrag._edges(entities, filter, 50) as e
            join relation_version as v on v.id = e.version
        ) as k
        where tsvector_to_array(graphrag._text_vector(_config, replace(k.form, '_', ' '))) && _words
    );
end
$function$;
comment on function graphrag._relations_asked(text, bigint[], graphrag._filter) is 'The relations that a question asks about.';

create function graphrag._choose_mode(features jsonb)
    returns table (mode text, is_sure boolean, why text)
    language sql immutable parallel safe rows 1
as $function$
-- The first rule that fits.
    select r.mode, r.is_sure, r.why
    from (
        select
            features,
            jsonb_array_length(features -> 'entities') as entities,
            jsonb_array_length(features -> 'relations') as relations,
            features -> 'entities' ->> 0 as entity,
            features -> 'relations' ->> 0 as relation
    ) as f
    cross join lateral (values
        (
            1, (features -> 'has_graph')::boolean is not true, 'naive', true,
            'nothing has been extracted from what is read'
        ),
        (
            2, features ? 'exploratory', 'hybrid', true,
            format('"%s" wants several facts from several sides', features ->> 'exploratory')
        ),
        (
            3, features ? 'themes' and f.entities = 0 and (features -> 'has_reports')::boolean, 'global', true,
            format('"%s" is about all of it, and there are community reports', features ->> 'themes')
        ),
        (
            4, features ? 'themes', 'hybrid', true,
            case
                when f.entities > 0
                    then format('"%s" is about all of it, and "%s" is named', features ->> 'themes', f.entity)
                else format('"%s" is about all of it, and there are no community reports', features ->> 'themes')
            end
        ),
        (
            5, f.entities > 1, 'mix', true,
            format('it names "%s" and "%s"', f.entity, features -> 'entities' ->> 1)
        ),
        (
            6, f.entities > 0 and f.relations > 0, 'mix', true,
            format('it names "%s" and asks about %s', f.entity, f.relation)
        ),
        (
            7, f.entities > 0 and features ? 'time', 'mix', true,
            format('it names "%s" and a time ("%s")', f.entity, features ->> 'time')
        ),
        (
            8,
            features ? 'all' and f.relations = 0 and f.entities = 0 and (features -> 'has_reports')::boolean,
            'global', true,
            format('"%s" is about all of it, and there are community reports', features ->> 'all')
        ),
        (9, f.entities > 0, 'local', false, format('it names "%s" and nothing else that the graph knows', f.entity)),
        (10, f.relations > 0, 'mix', false, format('it asks about %s of nobody that the graph knows', f.relation)),
        (11, true, 'mix', false, 'it names nothing that the graph knows')
    ) as r (no, fits, mode, is_sure, why)
    where r.fits
    order by r.no
    limit 1
$function$;
comment on function graphrag._choose_mode(jsonb) is 'The mode for what is in a question, whether that is sure, and why.';

create function graphrag._route_of(question text, filter graphrag._filter, may_ask boolean)
    returns graphrag._route
    language plpgsql stable parallel safe
as $function$
-- An exploratory question is decomposed where a language model may be asked at all.
declare
    _features jsonb := graphrag._features(question, filter);
    _chosen record;
    _explores boolean;
begin
    select c.mode, c.is_sure, c.why into _chosen from graphrag._choose_mode(_features) as c;
    _explores := _features ? 'exploratory' and _chosen.mode = 'hybrid';
    return row(
        _chosen.mode,
        _chosen.is_sure,
        _explores and coalesce(may_ask, false),
        _chosen.why || case when _explores and may_ask is not true then '; no model is asked for its parts' else '' end,
        _features
    )::graphrag._route;
end
$function$;
comment on function graphrag._route_of(text, graphrag._filter, boolean) is 'Where mode auto sends a question.';

create function graphrag._better_of(
    question text,
    route graphrag._route,
    candidate graphrag._gathered,
    naive graphrag.evidence[]
)
    returns graphrag._gathered
    language plpgsql stable parallel safe
as $function$
-- What covers more of the question; the simpler one, if both cover the same.
declare
    _covered double precision := graphrag._coverage(question, route.features, candidate.evidence);
    _by_naive double precision := graphrag._coverage(question, route.features, naive);
begin
    candidate.route := graphrag._route_json(route) || jsonb_build_object(
        'compared', jsonb_build_object(
            candidate.mode, round(_covered::numeric, 3), 'naive', round(_by_naive::numeric, 3)
        )
    );
    if _covered <= _by_naive then
        candidate.mode := 'naive';
        candidate.evidence := naive;
    end if;
    candidate.route := candidate.route || jsonb_build_object(
        'mode', candidate.mode,
        'why', format(
            '%s; of its terms and entities %s covers %s %%, naive %s %%', route.why, route.mode,
            round(100 * _covered), round(100 * _by_naive)
        )
    );
    return candidate;
end
$function$;
comment on function graphrag._better_of(text, graphrag._route, graphrag._gathered, graphrag.evidence[]) is 'Of the evidence of two modes, the one that covers the question''s terms and entities better.';

create function graphrag._coverage(question text, features jsonb, evidence graphrag.evidence[])
    returns double precision
    language plpgsql stable parallel safe
as $function$
-- The share of the question's terms that occur in what was found, and that of the entities that it names, each half.
declare
    _config regconfig := (graphrag._setting('text_search_config') #>> '{}')::regconfig;
    _found text := (select coalesce(string_agg(e.text, E'\n'), '') from unnest(evidence) as e);
    _has text[] := tsvector_to_array(graphrag._text_vector(_config, _found));
begin
    return (
        select coalesce(avg(c.share), 0)
        from (
            select avg((q.lexeme = any (_has))::integer) as share
            from unnest(graphrag._text_vector(_config, left(question, 4000))) as q
            union all
            select avg(
                (position(graphrag._lower(n.name) in graphrag._lower(_found)) > 0)::integer
            )
            from jsonb_array_elements_text(features -> 'entities') as n (name)
        ) as c
    );
end
$function$;
comment on function graphrag._coverage(text, jsonb, graphrag.evidence[]) is 'How much of a question occurs in evidence, from 0 to 1.';

create function graphrag._route_json(route graphrag._route)
    returns jsonb
    language sql immutable parallel safe
as $function$
    select jsonb_build_object(
        'mode', route.mode,
        'why', route.why,
        'decomposed', route.decomposes,
        'features', route.features - '{has_graph, has_reports}'::text[]
    )
$function$;
comment on function graphrag._route_json(graphrag._route) is 'A route as query() returns it.';

create function graphrag._tell_route(gathered graphrag._gathered)
    returns void
    language plpgsql stable parallel safe
as $function$
begin
    if gathered.route is not null then
        raise notice 'mode auto took "%": %', gathered.mode, gathered.route ->> 'why'
            using detail = format('Seen in the question: %s.', gathered.route -> 'features');
    end if;
end
$function$;
comment on function graphrag._tell_route(graphrag._gathered) is 'Says which mode a question was given, and why.';

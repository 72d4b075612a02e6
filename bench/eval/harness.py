"""One benchmark end to end: index through the queue, ask under several settings, score, compare, count the cost.

    python -m bench.eval.harness longmemeval --path FILE --extraction MODEL@URL --synthesis MODEL@URL

Everything is kept in a database of its own until it is dropped: a run that was stopped goes on where it was. Documents
wait in the queue, answers in the table public.answer. Settings of reading vary over one graph (arms, paired);
settings of indexing need graphs of their own (--repeats, whose spread is reported).
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from bench import datasets
from bench.corpora import RULES
from bench.eval import compare, judge, scoring
from bench.eval.benchmarks import BENCHMARKS, Instance, Question
from bench.measure import Connection, counts, elsewhere, make_database, publish, run_or_skip, value

#: Named settings of reading. The first one asked for is what the others are compared with.
ARMS: dict[str, dict[str, Any]] = {
    "vectors": {"mode": "naive", "realm": "plain"},
    "naive": {"mode": "naive"},
    "mix": {"mode": "mix"},
    "hops": {"mode": "mix", "walk": "hops"},
    "local": {"mode": "local"},
    "top_k 30": {"mode": "mix", "top_k": 30},
    "budget 4000": {"mode": "mix", "budget": 4000},
    "with superseded": {"mode": "mix", "include_superseded": True},
}
DEFAULT_ARMS = ("vectors", "mix", "hops")

#: A chunk k in which nothing was read, or not all of it.
DEGRADED = sql.SQL("(k.failure is not null or k.is_partial or k.extractor is null)")

Score = dict[str, float]
SCORERS: dict[str, Callable[[str, Sequence[str]], Score]] = {
    "span": lambda answer, golds: {
        "score": scoring.contains(answer, golds),
        "f1": scoring.span_f1(answer, golds),
        "exact": scoring.exact(answer, golds),
        "refused": float(scoring.is_refusal(answer)),
    },
    "superlative": lambda answer, golds: {
        "score": scoring.superlative(answer, golds),
        "refused": float(scoring.is_refusal(answer)),
    },
    "elements": lambda answer, golds: (
        _shares(scoring.by_element(answer, golds))
        | {"numeric_f1": scoring.numeric_f1(answer, "; ".join(golds))}
    ),
}


def _shares(found: scoring.Elements) -> Score:
    return {"score": found.correct, "refused": found.refusal, "incorrect": found.incorrect}


class NotReportable(Exception):
    """The run is not whole: the text says what is missing."""


@dataclass(frozen=True)
class Model:
    name: str
    url: str

    @classmethod
    def of(cls, text: str) -> Model:
        name, at, url = text.partition("@")
        if not at or not name or not url:
            raise argparse.ArgumentTypeError(f"{text!r} is not MODEL@URL")
        return cls(name, url)


# ---------------------------------------------------------------- the database
def open_database(name: str, *, fresh: bool) -> Connection:
    """A session in the evaluation's database, made where it is not there yet."""
    make_database(name, keep=not fresh)
    session = psycopg.connect(elsewhere(name), autocommit=True, row_factory=tuple_row)
    prepare(session)
    return session


def prepare(session: Connection) -> None:
    """The extension, and the tables that a run goes on from."""
    session.execute("set client_min_messages = warning")
    session.execute("create extension if not exists graphrag cascade")
    session.execute(
        "create table if not exists public.answer (realm text, question text, arm text, answer text, usage jsonb,"
        " seconds double precision, failure text, primary key (realm, question, arm))"
    )
    session.execute(
        "create table if not exists public.worked (realm text primary key, seconds double precision)"
    )


def create_realm(
    session: Connection,
    realm: str,
    embedding: Model | None,
    extraction: Model | None,
    synthesis: Model | None,
) -> None:
    if value(session, "select to_regnamespace(%s) is not null", [realm]):
        return
    url, model = (embedding.url, embedding.name) if embedding else ("builtin:hash", None)
    session.execute(
        "select graphrag.create_realm(%s, embedding_url => %s, embedding_model => %s)", [realm, url, model]
    )
    for role, chosen in (("extraction", extraction), ("synthesis", synthesis)):
        if chosen:
            session.execute(
                "select graphrag.set_endpoint(%s, %s, %s, api_key => %s, realm => %s)",
                [role, chosen.url, chosen.name, os.environ.get("GRAPHRAG_EVAL_KEY"), realm],
            )


# ---------------------------------------------------------------- indexing
def index(session: Connection, realm: str, instances: Iterable[Instance], *, plain: bool) -> None:
    """Queues what is neither indexed whole nor queued, and works the queue off. `plain`: passages and vectors only."""
    known = set(
        session.execute(
            sql.SQL(
                "select d.space, d.document from {0}.documents as d where not exists (select"
                " from {0}.document as o join {0}.space as s on s.id = o.space"
                " join {0}.document_version as v on v.document = o.id"
                " join {0}.document_chunk as c on c.version = v.id and c.died is null"
                " join {0}.chunk as k on k.id = c.chunk"
                " where s.name = d.space and o.name = d.document and {1})"
                " union select j.space, j.document from {0}.job as j where j.status in ('pending', 'running')"
            ).format(sql.Identifier(realm), DEGRADED)
        ).fetchall()
    )
    for instance in instances:
        for document in instance.documents:
            if (instance.space, document.key) not in known:
                session.execute(
                    "select graphrag.enqueue(%s, document => %s, metadata => %s, published_at => %s, extraction => %s,"
                    " space => %s, realm => %s)",
                    [
                        document.text,
                        document.key,
                        Jsonb(document.metadata),
                        document.published_at,
                        Jsonb([]) if plain else None,
                        instance.space,
                        realm,
                    ],
                )
    start = time.perf_counter()
    session.execute("call graphrag.work(%s)", [realm])
    session.execute(
        "insert into public.worked values (%s, %s) on conflict (realm) do update set"
        " seconds = worked.seconds + excluded.seconds",
        [realm, time.perf_counter() - start],
    )


def preflight(
    session: Connection, realm: str, instances: Sequence[Instance], *, plain: bool
) -> dict[str, int]:
    """What is indexed, document by document. A run that lacks one, or has a degraded chunk, is not reported."""
    expected = {(instance.space, document.key) for instance in instances for document in instance.documents}
    found = set(
        session.execute(
            sql.SQL("select space, document from {}.documents").format(sql.Identifier(realm))
        ).fetchall()
    )
    ((chunks, degraded),) = session.execute(
        sql.SQL(
            "select count(*), count(*) filter (where {1})"
            " from {0}.document_chunk as c join {0}.chunk as k on k.id = c.chunk where c.died is null"
        ).format(sql.Identifier(realm), DEGRADED)
    ).fetchall()
    missing = sorted(expected - found)
    if missing or degraded:
        reasons = session.execute(
            sql.SQL(
                "select distinct reason from (select failure as reason from {0}.chunk union select reason from {0}.job"
                " where status = 'failed') as r where reason is not null limit 3"
            ).format(sql.Identifier(realm))
        ).fetchall()
        raise NotReportable(
            f"realm {realm}: {len(missing)} of {len(expected)} documents missing"
            f" {[' / '.join(map(str, key)) for key in missing[:5]]}, {degraded} of {chunks} chunks degraded;"
            f" reasons: {[reason for (reason,) in reasons]}"
        )
    return {
        "documents": len(expected),
        "chunks": chunks,
        "missing": 0,
        "degraded": 0,
        "passages_only": int(plain),
    }


# ---------------------------------------------------------------- asking
def ask(session: Connection, realm: str, instance: Instance, question: Question, arm: str) -> None:
    """Asks once and keeps the answer. The day of the question and the rules go to the prompt only."""
    done = session.execute(
        "select from public.answer where realm = %s and question = %s and arm = %s and failure is null",
        [realm, question.id, arm],
    ).fetchone()
    if done is not None:
        return
    settings = {"realm": realm, "space": question.space or instance.space, **ARMS[arm]}
    names = [sql.SQL("{} => %s").format(sql.Identifier(name)) for name in settings]
    start = time.perf_counter()
    answer: Any = None
    usage: Any = None
    failure = None
    try:
        ((answer, usage),) = session.execute(
            sql.SQL("select answer, usage from graphrag.query(%s, instructions => %s, {})").format(
                sql.SQL(", ").join(names)
            ),
            [question.text, question.rules, *settings.values()],
        ).fetchall()
    except psycopg.Error as error:
        failure = f"{error.sqlstate}: {error.diag.message_primary}"
    session.execute(
        "insert into public.answer values (%s, %s, %s, %s, %s, %s, %s) on conflict (realm, question, arm) do update set"
        " answer = excluded.answer, usage = excluded.usage, seconds = excluded.seconds, failure = excluded.failure",
        [realm, question.id, arm, answer, Jsonb(usage), time.perf_counter() - start, failure],
    )


def scored(
    session: Connection, realm: str, questions: Sequence[Question], arm: str, judges: judge.Panel | None
) -> list[dict[str, Any]]:
    """The kept answers of an arm with their scores; refuses where one is missing."""
    answers = {
        question: (answer, seconds, usage, failure)
        for question, answer, seconds, usage, failure in session.execute(
            "select question, answer, seconds, usage, failure from public.answer where realm = %s and arm = %s",
            [realm, arm],
        ).fetchall()
    }
    lost = [q.id for q in questions if q.id not in answers or answers[q.id][3] is not None]
    if lost:
        reasons = sorted({answers[i][3] for i in lost if i in answers})[:3]
        raise NotReportable(f"arm {arm}: {len(lost)} questions without an answer; {reasons}")
    rows = []
    for question in questions:
        answer, seconds, usage, _ = answers[question.id]
        row = {"question": question.id, "kind": question.kind, "arm": arm, "seconds": round(seconds, 3)}
        row |= {name: round(one, 4) for name, one in SCORERS[question.scorer](answer, question.golds).items()}
        if judges:
            row["judged"] = float(judges.verdict(question.text, question.golds, answer) == "correct")
        rows.append(row | {"calls": usage.get("calls"), "tokens": _tokens(usage)})
    return rows


def _tokens(usage: dict[str, Any]) -> int | None:
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    return None if read is None or written is None else int(read) + int(written)


# ---------------------------------------------------------------- figures
def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means by kind of question and over all; nothing that identifies a question's text."""
    names = [
        n
        for n in ("score", "f1", "exact", "numeric_f1", "refused", "incorrect", "judged")
        if any(n in r for r in rows)
    ]
    groups = {"all": list(rows)} | {
        kind: [r for r in rows if r["kind"] == kind] for kind in sorted({r["kind"] for r in rows})
    }
    return {
        kind: {"n": len(group)}
        | {
            name: round(sum(r[name] for r in group if name in r) / len(having), 4)
            for name in names
            if (having := [r for r in group if name in r])
        }
        for kind, group in groups.items()
    }


def cost(
    session: Connection, realm: str, documents: int, rows: Sequence[dict[str, Any]], measure: str
) -> dict[str, Any]:
    """Calls, tokens and seconds a document, a question and a correct answer, from `usage`."""
    ((calls, tokens, unknown),) = session.execute(
        sql.SQL(
            "select count(*), sum(input_tokens + coalesce(output_tokens, 0)),"
            " count(*) filter (where input_tokens is null)"
            " from {}.usage where document is not null and question is null"
        ).format(sql.Identifier(realm))
    ).fetchall()
    seconds = value(session, "select seconds from public.worked where realm = %s", [realm])
    right = sum(row[measure] for row in rows)
    asked = {name: sum(row[name] or 0 for row in rows) for name in ("calls", "tokens", "seconds")}
    indexed = {"calls": calls, "tokens": int(tokens or 0), "seconds": seconds}
    return {
        "a document": {name: round(amount / documents, 2) for name, amount in indexed.items()},
        "a question": {name: round(amount / len(rows), 2) for name, amount in asked.items()},
        "a correct answer, indexing included": {
            name: round((asked[name] + indexed[name]) / right, 1) if right else None for name in asked
        },
        "calls of unknown cost": unknown,
    }


# ---------------------------------------------------------------- a run
def evaluate(
    session: Connection,
    instances: Sequence[Instance],
    models: dict[str, Model | None],
    arms: Sequence[str],
    judges: judge.Panel | None = None,
    repeat: int = 1,
) -> dict[str, Any]:
    """Indexes and asks one repeat; the figures. Raises NotReportable."""
    realm = f"graph{repeat}"
    realms = {arm: ARMS[arm].get("realm", realm) for arm in arms}
    checked = {}
    for name in sorted(set(realms.values())):
        plain = name == "plain"
        create_realm(
            session, name, models["embedding"], None if plain else models["extraction"], models["synthesis"]
        )
        index(session, name, instances, plain=plain)
        checked[name] = preflight(session, name, instances, plain=plain)
    asked = [(instance, question) for instance in instances for question in instance.questions]
    for instance, question in asked:  # arm by arm of one question: what slows the machine slows all of them
        for arm in arms:
            ask(session, realms[arm], instance, question, arm)
    questions = [question for _, question in asked]
    measure = "judged" if judges else "score"
    rows = {arm: scored(session, realms[arm], questions, arm, judges) for arm in arms}
    base = [row[measure] for row in rows[arms[0]]]
    return {
        "preflight": checked,
        "arms": {arm: summary(rows[arm]) for arm in arms},
        "compared_with": arms[0],
        "compared_by": measure,
        "paired": {arm: compare.paired(base, [row[measure] for row in rows[arm]]) for arm in arms[1:]},
        "cost": {
            arm: cost(session, realms[arm], checked[realms[arm]]["documents"], rows[arm], measure)
            for arm in arms
        },
        "rows": [row for arm in arms for row in rows[arm]],
    }


def local_model(name: str) -> str | None:
    """MODEL@URL of a local model; None if the local models do not run."""
    url = os.environ.get("GRAPHRAG_MODELS_URL", "").split("\n")[0]
    return f"{name}@{url}" if url else None


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("benchmark", choices=BENCHMARKS)
    parser.add_argument(
        "--path", type=Path, help="the published file or folder (default: under GRAPHRAG_DATA)"
    )
    parser.add_argument("--instances", type=int, help="only so many, evenly spread over the file")
    parser.add_argument("--questions", type=int, help="only so many of an instance, evenly spread")
    parser.add_argument("--arms", default=",".join(DEFAULT_ARMS), help=f"of {', '.join(ARMS)}")
    for role in ("extraction", "synthesis"):
        parser.add_argument(
            f"--{role}",
            type=Model.of,
            default=local_model(RULES),
            help="MODEL@URL (default: the local rules)",
        )
    parser.add_argument(
        "--embedding",
        type=Model.of,
        default=local_model("all-minilm-l6-v2-int8"),
        help="MODEL@URL",
    )
    parser.add_argument(
        "--judge", type=Model.of, action="append", help="MODEL@URL of a judge; give several for a panel"
    )
    parser.add_argument("--repeats", type=int, default=1, help="graphs to index; their spread is reported")
    parser.add_argument("--fresh", action="store_true", help="begin anew instead of going on")
    parser.add_argument("--output", help="name of the file in bench/results (default: eval-BENCHMARK)")
    return parser.parse_args(arguments)


def spread_over(items: Sequence[Any], wanted: int | None) -> list[Any]:
    if not wanted or wanted >= len(items):
        return list(items)
    return [items[no * len(items) // wanted] for no in range(wanted)]


def load(options: argparse.Namespace) -> list[Instance]:
    reader, place = BENCHMARKS[options.benchmark]
    if options.path and not options.path.exists():
        raise datasets.MissingError(f"nothing at {options.path}")
    path = options.path or datasets.folder(place.split("/")[0]) / "/".join(place.split("/")[1:])
    return [
        Instance(i.space, i.documents, tuple(spread_over(i.questions, options.questions)))
        for i in spread_over(list(reader(path)), options.instances)
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    options = parse(arguments)
    instances = load(options)
    arms = [arm.strip() for arm in options.arms.split(",")]
    if unknown := [arm for arm in arms if arm not in ARMS]:
        raise SystemExit(f"no such arm: {unknown}; there are {list(ARMS)}")
    models = {role: getattr(options, role) for role in ("embedding", "extraction", "synthesis")}
    panel = judge.Panel([(m.name, m.url) for m in options.judge]) if options.judge else None
    with open_database(f"graphrag_eval_{options.benchmark}", fresh=options.fresh) as session:
        try:
            runs = [
                evaluate(session, instances, models, arms, panel, no + 1) for no in range(options.repeats)
            ]
        except NotReportable as reason:
            raise SystemExit(
                f"not reportable: {reason}\nRun it again to go on; --fresh begins anew."
            ) from reason
        figures = runs[0]
        if options.repeats > 1:
            measure = "judged" if panel else "score"
            figures["repeats"] = {
                arm: compare.spread([run["arms"][arm]["all"][measure] for run in runs])
                for arm in arms
                if "realm" not in ARMS[arm]
            }
        settings = {
            "models": {role: asdict(m) if m else None for role, m in models.items()},
            "arms": {arm: ARMS[arm] for arm in arms},
            "instances": len(instances),
            "questions": sum(len(i.questions) for i in instances),
            "rules": next(q.rules for i in instances for q in i.questions),
            "judge": panel.description() if panel else None,
            "realm": counts(session, "select name, value from graph1.setting"),
        }
        print(publish(options.output or f"eval-{options.benchmark}", session, settings, figures))


if __name__ == "__main__":
    run_or_skip(main)

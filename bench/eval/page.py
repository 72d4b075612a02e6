# ruff: noqa: E501 - rows of Markdown tables
"""docs/benchmarks.md from the committed JSON of bench/results: `make benchmarks`. A test says whether it is up to date.

Nothing is typed by hand but the notes on what may be compared with what.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.measure import RESULTS

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"

HEAD = """# Benchmarks

Written by `make benchmarks` from the JSON under [bench/results](../bench/results); do not edit. Each table names the file
that it was made of and the command that makes that anew. Speed: [performance.md](performance.md).

**What these figures are.** The machine that measured them has no strong language model. Answers and facts come from
`rules-spacy-not-an-llm`, which are grammar rules and no language model, on small slices; of SmolLM2 no result is stored.
So the tables of answers say that the harness runs from end to end and what it costs,
and **nothing about the answers that a capable model would give**. With an endpoint of yours it is one command:

    make eval-longmemeval EVAL="--path FILE --extraction MODEL@URL --synthesis MODEL@URL --judge MODEL@URL --judge …"

How: [bench/eval/README.md](../bench/eval/README.md).
"""

COMPARABLE = """## What may be compared with what

| figure | comparable with | not comparable with |
|---|---|---|
| LongMemEval, of a file with evidence sessions only | other oracle runs | published results on `longmemeval_s` and `_m`, where the sessions have to be found among others; the slice stored here is such an oracle file |
| LongMemEval by words (no judge) | runs of this harness | published accuracy, which a language model judged; the judges differ between publications too |
| LoCoMo F1 | nothing published, as long as it is of one conversation of ten or a part of the questions; published F1 stems words, this does not | results by a judge |
| ECT-QA | not measured here: the data set is not on the machine. The reader takes the published layout and was tried on a small file made for the test only | the published element-wise rates come from a judge; these are by figures, with a tolerance of 1 % |
| MuSiQue, passages of the question itself | the published setting of 20 paragraphs a question | runs over a pool of all questions' passages, such as the table of evidence below |
| evidence, musique_train | systems given the same 1,890 passages, triples and vectors | other embedding models, other triples |
| evidence, locomo | published recall of evidence turns inside a conversation, by MiniLM | other embedding models; five of ten conversations are here |
| evidence, longmemeval | runs of this harness | published recall on `longmemeval_s` and `_m`: here a session has its evidence turns only, and all questions' sessions are one pool |
| evidence, timeqa | runs with the same pages | published answers from one page; the rules that read the pages find few dated facts |
| other systems | the figures of that one run | milliseconds of other machines; recall on the whole pool, which is harder |
| many clients | the figures of that one run, with its load in mind | idle machines |
| text2kgbench | runs of this harness | published scores: other slices; here names are compared loosely, and subject and object may be exchanged |
| atom_nyt | runs of this harness | published scores, which match by embeddings |
| tokens | runs with the same models | a hosted model's price: the rules count word pieces of MiniLM |

A difference between two arms over one graph is paired: `p` is the exact sign test over the questions whose scores differ.
Graphs differ from one indexing to the next with a model that is not deterministic; such differences mean something only
beside the range of `--repeats`.
"""

TITLES = {
    "eval-longmemeval": "LongMemEval",
    "eval-locomo": "LoCoMo",
    "eval-ectqa": "ECT-QA",
    "eval-musique": "MuSiQue",
}
MEASURES = {
    "score": "right",
    "f1": "F1 of words",
    "exact": "exact",
    "numeric_f1": "F1 of figures",
    "refused": "declined",
    "incorrect": "incorrect",
    "judged": "judged right",
}


def load() -> dict[str, dict[str, Any]]:
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))
    }


def page(results: dict[str, dict[str, Any]]) -> str:
    parts = [HEAD, "## Answers\n"]
    parts += [answers(TITLES[name], name, results[name]) for name in TITLES if name in results]
    absent = [title for name, title in TITLES.items() if name not in results]
    if absent:
        parts.append(f"No result is stored of: {', '.join(absent)}.\n")
    recall = {name: result for name, result in results.items() if name.startswith("recall-")}
    if recall:
        parts.append(evidence(recall))
    for name, shown in (("ablations", ablations), ("concurrency", concurrency), ("peers", peers)):
        if name in results:
            parts.append(shown(results[name]))
    extraction = {name: result for name, result in results.items() if name.startswith("eval-extraction-")}
    if extraction:
        parts.append(facts(extraction))
    if "eval-graph" in results:
        parts.append(graphs(results["eval-graph"]))
    if {"write-carol", "write-text2kg", "write-atom"} <= results.keys():
        parts.append(recorded(results))
    parts += [COMPARABLE, machines(results)]
    return "\n".join(parts)


def table(heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    lines += ["| " + " | ".join(cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def answers(title: str, name: str, result: dict[str, Any]) -> str:
    settings, arms = result["settings"], result["arms"]
    models = settings["models"]
    shown = ", ".join(f"{role} by `{m['name']}`" for role, m in models.items() if m)
    columns = [m for m in MEASURES if any(m in kinds["all"] for kinds in arms.values())]
    kinds = table(
        ["setting", "questions", "n", *(MEASURES[m] for m in columns)],
        (
            [arm if kind == "all" else "", kind, found["n"], *(found.get(m) for m in columns)]
            for arm, by_kind in arms.items()
            for kind, found in by_kind.items()
        ),
    )
    base = result["compared_with"]
    paired = table(
        [f"against `{base}`", "better", "worse", "same", "difference", "p"],
        (
            [arm, p["better"], p["worse"], p["same"], p["difference"], p["sign_test_p"]]
            for arm, p in result["paired"].items()
        ),
    )
    checked = result["preflight"]
    whole = "; ".join(
        f"{c['documents']:,} of {c['documents']:,} documents in `{realm}`, {c['degraded']} of {c['chunks']:,} chunks degraded"
        for realm, c in checked.items()
    )
    graded = "judged by " + ", ".join(settings["judge"]["models"]) if settings["judge"] else "no judge"
    return (
        f"### {title}\n\n`{name}.json` · {settings['instances']} spaces, {settings['questions']} questions ·"
        f" {shown} · {graded}\n\nBefore asking: {whole}.\n\n{kinds}\n{paired}\n{costs(result['cost'])}"
        + (spreads(result["repeats"]) if "repeats" in result else "")
    )


def costs(cost: dict[str, Any]) -> str:
    units = ("a document", "a question", "a correct answer, indexing included")
    return table(
        ["cost", *(f"{name} {unit}" for unit in units for name in ("calls", "tokens", "seconds"))],
        (
            [arm, *(c[unit][name] for unit in units for name in ("calls", "tokens", "seconds"))]
            for arm, c in cost.items()
        ),
    )


def spreads(repeats: dict[str, Any]) -> str:
    return "\n" + table(
        ["repeats of the index", "n", "mean", "range", "values"],
        (
            [arm, r["repeats"], r["mean"], r["range"], " ".join(map(str, r["values"]))]
            for arm, r in repeats.items()
        ),
    )


def evidence(results: dict[str, dict[str, Any]]) -> str:
    return (
        "## Evidence\n\n`recall-*.json` · `make bench-recall` · shares of the gold passages among the first 2, 5 and 10, and of"
        " questions with all of theirs in 10, in percent. *Held out*: the questions that no setting was chosen on. *Gain*: R@5"
        " less that of `naive`, 95 % of paired bootstrap samples. `mix` is the default.\n\n"
        + "\n".join(corpus(result) for result in results.values())
    )


def corpus(result: dict[str, Any]) -> str:
    settings, systems = result["settings"], result["systems"]
    measures = ("R@2", "R@5", "R@10", "all@10")
    rows: list[list[Any]] = [
        [
            f"**{system}**" if system == result["chosen"] else system,
            *(found["all"][m] for m in measures),
            "{} to {}".format(*found["gain over naive, 95 %"]["R@5"]) if system != "naive" else None,
            *(found["held out"][m] for m in measures[1:]),
        ]
        for system, found in systems.items()
    ]
    known = [*result["others"].items(), *([("goal", result["goal"])] if result["goal"] else [])]
    rows += [[f"*{name}*", *(found.get(m) for m in measures), *[None] * 4] for name, found in known]
    contexts = [
        [mode, *(f"{found['passages']} / {found['questions with all']}" for found in by_budget.values())]
        for mode, by_budget in result["context"].items()
    ]
    budgets = [f"{int(b):,}" if b != "0" else "no limit" for b in next(iter(result["context"].values()))]
    apart = result["lexical channel less bm25s"]
    graph = settings["graph"]
    return (
        f"### {settings['corpus']}\n\n`recall-{settings['corpus']}.json` · {settings['questions']:,} questions,"
        f" {settings['passages']:,} passages: {settings['what']} · read by: {graph['read by']};"
        f" {graph['entities']:,} entities, {graph['facts']:,} facts\n\n"
        + table(["system", *measures, "gain", *(f"{m} held out" for m in measures[1:])], rows)
        + f"\nBest on the half that settings are chosen on: **{result['chosen']}**. The lexical channel less bm25s: "
        + ", ".join(f"{name} {number:+}" for name, number in apart.items())
        + " points.\n\nGold passages that stand word for word in the context / questions with all of theirs, percent, by budget"
        " in characters:\n\n" + table(["mode", *budgets], contexts)
    )


def ablations(result: dict[str, Any]) -> str:
    bases = result["settings"]["compared with"]
    rows: list[list[Any]] = []
    for name, found in result["variants"].items():
        cells: list[Any] = [name]
        for measure in ("recall", "relations", "context"):
            one = found[measure]
            against = (
                f"{one['better']} / {one['worse']}, p {one['sign_test_p']:.3g}" if "better" in one else None
            )
            cells += [one["mean"], against]
        rows.append(cells)
    return (
        "## What the parts are worth\n\n`ablations.json` · `make bench-ablations` · musique_train, one thing changed at a time on one"
        " graph. *Recall*: mean of R@2, R@5, R@10; *relations*: gold passages that a relation shown was read in; *context*: gold"
        f" passages in {result['settings']['budget']:,} characters; each with the questions that are better / worse for it and the"
        " sign test. Variants of `hops` are compared with `hops, 2`, which is compared with the default.\n\n"
        + table(
            [
                "variant",
                "recall",
                "better / worse",
                "relations",
                "better / worse",
                "context",
                "better / worse",
            ],
            rows,
        )
        + ("\n" if bases else "")
    )


def concurrency(result: dict[str, Any]) -> str:
    through = result["throughput"]
    rows = [
        [
            clients,
            rate,
            through["times one client"][clients],
            min(r["milliseconds a call"] for r in through["rounds"][clients]),
            " ".join(str(r["load"]) for r in through["rounds"][clients]),
        ]
        for clients, rate in through["calls a second"].items()
    ]
    first = [
        [
            name,
            *(f[n] for n in ("first ms", "third ms", "first over third ms")),
            "yes" if f["loads Python"] else "no",
        ]
        for name, f in result["first call"].items()
    ]
    return (
        "## Many clients, new connections\n\n`concurrency.json` · `make bench-concurrency` · pgbench, `retrieve` with the vector"
        f" given, on musique_train's graph; {result['machine']['cpus']} CPUs; failed calls: {through['failed']:.0f}\n\n"
        + table(["clients", "calls a second", "times one client", "ms a call", "load after each round"], rows)
        + "\n"
        + table(
            ["a new connection's call of", "first, ms", "third, ms", "difference, ms", "loads Python"], first
        )
    )


def peers(result: dict[str, Any]) -> str:
    rows = [
        [
            name,
            *(
                found.get(m)
                for m in ("R@2", "R@5", "R@10", "all@10", "p50 ms", "p95 ms", "times ours", "index s")
            ),
        ]
        for name, found in result["systems"].items()
    ]
    missing = "".join(f"\nNot measured: {name}, {why}\n" for name, why in result["missing"].items())
    return (
        "## Beside other systems\n\n`peers.json` · `make bench-peers` · musique_train, the same passages, triples and vectors in"
        f" one run, turn by turn; {result['what is timed']}\n\n"
        + table(
            ["system", "R@2", "R@5", "R@10", "all@10", "p50, ms", "p95, ms", "times ours", "index, s"], rows
        )
        + missing
    )


def facts(results: dict[str, dict[str, Any]]) -> str:
    rows: list[list[Any]] = []
    for result in results.values():
        for data in ("text2kgbench", "atom_nyt"):
            found = result[data]
            rows.append(
                [
                    f"`{result['settings']['model']['name']}`", data, found["texts"], found["failed texts"],
                    found["given"], found["gold"],
                    *(found[m]["f1"] for m in ("ends", "loose", "start", "end")),
                    round(found["tokens"] / found["texts"], 1), found["seconds a text"],
                ]
            )  # fmt: skip
    return (
        "## Extraction against gold facts\n\n`eval-extraction-*.json` · `make eval-extraction EVAL=\"--model MODEL@URL\"` · F1 of"
        " facts that the gates kept: subject and object; also the predicate, loosely; days of begin and end, of those\n\n"
        + table(
            ["model", "data", "texts", "failed", "facts", "gold", "ends", "with predicate", "begin", "end", "tokens a text",
             "seconds a text"],
            rows,
        )
    )  # fmt: skip


def graphs(result: dict[str, Any]) -> str:
    names = {
        "recorded": "gpt-4o, recorded",
        "imported": "other system, grounded",
        "imported_as_given": "other system, as given",
    }
    rows = [
        [figure, *(result[realm]["figures"][figure] for realm in names)]
        for figure in result["recorded"]["figures"]
    ]
    heads = [
        f"- {title}: "
        + ", ".join(
            f"{predicate} {number}"
            for predicate, number in result[realm]["lists"]["share of facts by the ten commonest predicates"]
        )
        for realm, title in names.items()
    ]
    refused = [
        f"- {title}: {result[realm]['indexed']['records']:,} records brought; "
        + (
            ", ".join(f"{reason} {number}" for reason, number in result[realm]["indexed"]["rejected"].items())
            or "none"
        )
        for realm, title in names.items()
    ]
    return (
        "## Graphs of one novel\n\n`eval-graph.json` · `make eval-graph` · A Christmas Carol; SQL only:"
        " [graph_report.sql](../bench/eval/graph_report.sql). Each chunk is a document here.\n\n"
        + table(["figure", *names.values()], rows)
        + "\nCommonest predicates. Neither format has predicates: the verb of each description stands for one, and"
        " `interacts_with` where there is none.\n\n"
        + "\n".join(heads)
        + "\n\nRefused by gates:\n\n"
        + "\n".join(refused)
        + "\n"
    )


def recorded(results: dict[str, dict[str, Any]]) -> str:
    carol, text, news = (results[name] for name in ("write-carol", "write-text2kg", "write-atom"))
    plain = carol["without_preset"]
    rows = [
        ["christmas_carol", "duplicate entities", plain["duplicate_entities"]],
        ["christmas_carol", "duplicate relations", plain["duplicate_relations"]],
        ["christmas_carol", "pronouns among entities", len(plain["pronouns"])],
        [
            "christmas_carol",
            "short forms of ten main characters that stand apart",
            plain["fragments"]["count"],
        ],
        ["text2kgbench", "share of well-formed triples recovered", text["recovered"]["share"]],
        ["text2kgbench", "precision without gates", text["gates"]["without_gates"]["precision"]],
        ["text2kgbench", "precision with gates", text["gates"]["with_gates"]["precision"]],
        ["text2kgbench", "recall without gates", text["gates"]["without_gates"]["recall"]],
        ["text2kgbench", "recall with gates", text["gates"]["with_gates"]["recall"]],
        ["atom_nyt", "F1 of stated bounds, parsing only", news["periods"]["gold"]["f1"]],
        ["atom_nyt", "growth by a second run's facts", news["second_run_over_first"]["growth"]],
        ["atom_nyt", "share that the first run lacked", news["second_run_over_first"]["share_lacking"]],
    ]
    return (
        "## Recorded answers of models\n\n`write-carol.json`, `write-text2kg.json`, `write-atom.json` · `make bench-write`\n\n"
        + table(["data", "figure", "value"], rows)
    )


def machines(results: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, result in results.items():
        versions = result.get("versions", {})
        machine = result.get("machine", "")
        if isinstance(machine, dict):
            machine = f"{machine['processor']}, {machine['cpus']} CPUs, load {machine['load_1min']}"
        server = str(versions.get("postgresql") or result.get("postgresql") or "").removeprefix("PostgreSQL ")
        rows.append(
            [
                f"`{name}.json`", str(result["date"])[:10], server.split(" ")[0],
                versions.get("vector") or versions.get("pgvector") or result.get("pgvector"),
                versions.get("graphrag") or result.get("graphrag"), machine or None,
            ]
        )  # fmt: skip
    return "## Where and when\n\n" + table(
        ["file", "date", "PostgreSQL", "pgvector", "graphrag", "machine"], rows
    )


def main() -> None:
    text = page(load())
    if "--check" in sys.argv[1:]:
        if PAGE.read_text(encoding="utf-8") != text:
            raise SystemExit("docs/benchmarks.md is stale: make benchmarks")
        return
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()

"""docs/benchmarks.md is what its command makes of the committed results."""

from __future__ import annotations

from bench.eval import page


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(page.load()), "make benchmarks"


def test_a_figure_of_a_result_reaches_the_page() -> None:
    results = page.load()
    graph = results["eval-graph"]
    graph["recorded"]["figures"]["entities"] = 987654.0
    assert "987,654" in page.page(results)

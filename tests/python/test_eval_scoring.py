"""The deterministic scorers of bench/eval, each on worked examples."""

from __future__ import annotations

import pytest

from bench.eval import compare
from bench.eval.figures import Figure, figures, periods
from bench.eval.scoring import (
    Elements,
    asserted,
    by_element,
    contains,
    elements,
    exact,
    is_refusal,
    numeric_f1,
    period_match,
    span_f1,
    superlative,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Free cash flow was $2.3 billion in Q4 2021 [3].", [(2.3e9, "money")]),
        ("In 2021 margins rose to 12.5% [1, 2].", [(12.5, "percent")]),
        ("a loss of $(4.2) million", [(-4.2e6, "money")]),
        ("Revenue fell by -3 percent", [(-3, "percent")]),
        ("1. Widgets: 1,250\n2. Gadgets: 2,021", [(1250, None), (2021, None)]),
        ("$740 million to $760 million", [(740e6, "money"), (760e6, "money")]),
        ("On March 5, 2021 at 10:30 am, in the third quarter of 2021, on 2021-03-05, in 3Q21, FY21", []),
        ("The A320 and 5G networks", []),
        ("$3.3bn, 40k users", [(3.3e9, "money"), (40000, None)]),
        ("EPS of $0.38", [(0.38, "money")]),
    ],
)
def test_figures(text: str, expected: list[tuple[float, str | None]]) -> None:
    assert figures(text) == [Figure(number, kind) for number, kind in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q3 2021, then 2021-q4 and the first quarter of 2022", ["2021-Q3", "2021-Q4", "2022-Q1"]),
        ("It began on 7 May 2023 and ended in June 2024.", ["2023-05-07", "2024-06"]),
        ("3Q21 and Q4'22 and 2020-11", ["2021-Q3", "2022-Q4", "2020-11"]),
        ("fiscal 2019, FY2020", ["2019", "2020"]),
        ("$2021 million and 2,021 people [2021]", []),
        ("March 5th, 2021", ["2021-03-05"]),
    ],
)
def test_periods(text: str, expected: list[str]) -> None:
    assert periods(text) == expected


def test_numeric_f1() -> None:
    gold = "$2 billion, $2.3 billion, and nearly $1.3 billion."
    assert (
        numeric_f1("In Q4 2021 $2.0 billion, in Q1 2022 $2,300 million, in Q2 2022 $1.305bn [4].", gold) == 1
    )
    assert numeric_f1("$2 billion and $2.3 billion", gold) == pytest.approx(0.8)
    assert numeric_f1("$2 billion, $2 billion", "$2 billion") == pytest.approx(2 / 3)
    assert numeric_f1("12.5", "12.5%") == 1
    assert numeric_f1("$12.5", "12.5%") == 0
    assert numeric_f1("102", "100") == 0
    assert numeric_f1("102", "100", tolerance=0.02) == 1


def test_period_match() -> None:
    assert period_match("It was the third quarter of 2021.", "Q3 2021") == 1
    assert period_match("On 5 August 2021", "2021-Q3") == 1
    assert period_match("2021", "2021-Q3") == 0
    assert period_match("Q3 2021 and Q2 2020", "2021-Q3") == pytest.approx(2 / 3)
    assert period_match("never", "2021") == 0


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("Revenue peaked in Q3 2021, compared to $4bn in Q2 2021 [1].", "Revenue peaked in Q3 2021"),
        ("We looked at 2020 and 2021. The highest margin was in 2021 (12% versus 10% in 2020).",
         "The highest margin was in 2021"),
        ("Revenue was 5 in 2020 and 6 in 2021. Therefore the answer is 2021.", "Therefore the answer is 2021."),
        ("Of Q1 and Q2 2020 it was **Q2 2020**, because Q1 2020 was weak.", "Q2 2020"),
        ("Acme.", "Acme."),
        ("", ""),
    ],
)  # fmt: skip
def test_asserted(answer: str, claim: str) -> None:
    assert asserted(answer) == claim


def test_superlative() -> None:
    assert superlative("Revenue peaked in Q3 2021, higher than Q2 2021.", ["Q3 2021"]) == 1
    assert superlative("Revenue peaked in Q2 2021, higher than Q3 2021.", ["Q3 2021"]) == 0
    assert superlative("Acme Corp. had the largest share, ahead of Bolt.", ["Acme Corp"]) == 1
    assert superlative("Bolt had the largest share, ahead of Acme Corp.", ["Acme Corp"]) == 0


def test_spans() -> None:
    assert exact("The Élan plant [1].", ["elan plant"]) == 1
    assert span_f1("Paris, France", ["Paris", "Lyon"]) == pytest.approx(2 / 3)
    assert contains("She moved to New York in May.", ["new york"]) == 1
    assert contains("She moved to York.", ["new york"]) == 0
    assert contains("anything", [""]) == 0


@pytest.mark.parametrize(
    ("answer", "refuses"),
    [
        ("The evidence does not contain the answer.", True),
        ("unanswerable", True),
        ("", True),
        ("I don't know.", True),
        ("The full list is not available, but revenue was $3 million.", False),
        ("The transcripts do not state it for 2020. In 2021 it was $3 million.", False),
        ("Ann founded Acme.", False),
    ],
)
def test_refusal(answer: str, refuses: bool) -> None:
    assert is_refusal(answer) == refuses


def test_by_element() -> None:
    gold = elements("$2 billion, $2.3 billion, $1.3 billion, and $5,100")
    assert gold == ["$2 billion", "$2.3 billion", "$1.3 billion", "$5,100"]
    assert by_element("$2 billion, $2.3 billion and $9 billion", gold) == Elements(0.5, 0.25, 0.25)
    assert by_element("The evidence does not say.", gold) == Elements(0, 1, 0)
    assert by_element("Unanswerable.", ["unanswerable"]) == Elements(1, 0, 0)
    assert by_element("It was $4.", ["unanswerable"]) == Elements(0, 0, 1)
    assert by_element("Acme; Bolt is not mentioned.", ["Acme", "Corvo"]) == Elements(0.5, 0.5, 0)
    assert by_element("Q3 2021", ["2021-Q3", "2022-Q1"]) == Elements(0.5, 0.5, 0)
    found = by_element("Acme, $7", ["Acme", "$8", "Q1 2020"])
    assert found.correct + found.refusal + found.incorrect == pytest.approx(1)


def test_paired() -> None:
    assert compare.sign_test(0, 0) == 1
    assert compare.sign_test(5, 0) == pytest.approx(2 / 32)
    assert compare.sign_test(6, 2) == pytest.approx(2 * (1 + 8 + 28) / 256)
    assert compare.paired([0, 1, 0.5, 0], [1, 1, 0, 1]) == {
        "better": 2, "worse": 1, "same": 1, "difference": 0.375, "sign_test_p": 1.0,
    }  # fmt: skip
    assert compare.spread([0.5, 0.7])["range"] == 0.2

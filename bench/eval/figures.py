"""The figures and the periods that a text states. Neither is taken for the other: 2021 and Q3 are no figures, and a
citation such as [2] is neither."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SCALES = {
    "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "m": 1e6, "mm": 1e6,
    "billion": 1e9, "bn": 1e9, "b": 1e9, "trillion": 1e12, "tn": 1e12,
}  # fmt: skip
_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|"
        "october oct|november nov|december dec".split("|"),
        start=1,
    )
    for name in names.split()
}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_YEAR = r"(?:fiscal(?:\s+year)?\s+|fy\s*)?(?P<year>(?:19|20)\d\d)"

_CITATION = re.compile(r"\[\s*\d{1,6}(?:\s*[,;]\s*\d{1,6})*\s*\]")
_LIST_MARK = re.compile(r"^\s*\d{1,2}[.)]\s+", re.MULTILINE)
#: Ways to write a period, the most exact first: what one has read, the next does not see.
_PERIODS = tuple(
    re.compile(rf"(?<![\w$€£.,-]){pattern}(?![\w%]|[.,-]?\d)", re.IGNORECASE)
    for pattern in (
        r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])-(?P<day>\d\d)",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR}",
        rf"{_YEAR}[\s-]*q(?P<quarter>[1-4])",
        rf"q(?P<quarter>[1-4])(?:\s+of|,)?[\s-]*{_YEAR}",
        r"q(?P<quarter>[1-4])\s*(?:fy|['’])\s*(?P<short>\d\d)",
        r"(?P<quarter>[1-4])q\s*(?P<short>\d\d)",
        rf"(?P<word>{'|'.join(_ORDINALS)})[\s-]+quarter(?:\s+of|,)?\s+{_YEAR}",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])",
        rf"{_YEAR}",
    )
)
#: Chronology without a year, and clock times: no period that could be compared, and no figure.
_LOOSE_TIME = re.compile(
    rf"\b(?:q[1-4]|(?:{'|'.join(_ORDINALS)})[\s-]+quarter|\d{{1,2}}:\d\d(?:\s*[ap]\.?m\.?)?"
    rf"|\d{{1,2}}(?:st|nd|rd|th)|(?:{_MONTH.replace('?P<month>', '?:')})\s+\d{{1,2}}|fy\s*\d\d)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?P<sign>(?<![\w)])[-−–](?=\s?[$€£\d.]))?\s?(?P<money>(?:US|C|A)?[$€£¥]\s?)?"
    r"(?P<paren>\(\s?)?(?P<money2>[$€£¥]\s?)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?P<close>\s?\))?"
    r"(?:\s*(?P<percent>%|percent\b|per cent\b)"
    r"|[\s-]?(?P<scale>thousand|million|billion|trillion|mm|mn|bn|tn|k|m|b)\b)?"
    r"(?P<close2>\s?\))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Figure:
    """A number with its scale applied, and what it counts if the text says so."""

    value: float
    kind: str | None  # "money", "percent", or not said

    def is_near(self, other: Figure, tolerance: float) -> bool:
        """Within a share of the larger one. Of different kinds only where both say theirs."""
        if self.kind and other.kind and self.kind != other.kind:
            return False
        return abs(self.value - other.value) <= tolerance * max(abs(self.value), abs(other.value)) + 1e-9


def figures(text: str) -> list[Figure]:
    """The figures of a text in order, without chronology, citations and the numbers of list items."""
    rest = _LIST_MARK.sub(" ", _CITATION.sub(" ", text))
    for pattern in (*_PERIODS, _LOOSE_TIME):
        rest = pattern.sub(" ; ", rest)
    found = []
    for match in _FIGURE.finditer(rest):
        before = rest[: match.start("digits")][-1:]
        if before.isalpha() or (rest[match.end("digits") :][:1].isalpha() and not match["scale"]):
            continue  # part of a name: A320, 5G
        value = float(match["digits"].replace(",", "")) * _SCALES.get((match["scale"] or "").lower(), 1)
        is_money = bool(match["money"] or match["money2"])
        in_brackets = bool(match["paren"] and (match["close"] or match["close2"]))
        if match["sign"] or (in_brackets and is_money):
            value = -value  # as accountants write a loss
        kind = "percent" if match["percent"] else "money" if is_money else None
        found.append(Figure(round(value, 6), kind))
    return found


def periods(text: str) -> list[str]:
    """The periods of a text as 2021, 2021-Q3, 2021-03 or 2021-03-05, in order of their places, each once."""
    rest = _CITATION.sub(lambda m: " " * len(m[0]), text)
    found: list[tuple[int, str]] = []
    for pattern in _PERIODS:
        for match in pattern.finditer(rest):
            found.append((match.start(), _written(match.groupdict())))
        rest = pattern.sub(lambda m: ";" * len(m[0]), rest)
    return list(dict.fromkeys(period for _, period in sorted(found)))


def _written(parts: dict[str, str | None]) -> str:
    year = parts.get("year") or f"20{parts['short']}"
    quarter = parts.get("quarter") or _ORDINALS.get((parts.get("word") or "").lower())
    month = parts.get("number") or _MONTHS.get((parts.get("month") or "").lower())
    if quarter:
        return f"{year}-Q{quarter}"
    if not month:
        return year
    day = parts.get("day")
    return f"{year}-{int(month):02}" + (f"-{int(day):02}" if day else "")


def matched(given: Sequence[Figure], gold: Sequence[Figure], tolerance: float) -> int:
    """How many gold figures have a given one of their own, each used once; the nearest pairs first."""
    pairs = sorted(
        (abs(a.value - b.value), i, j)
        for i, a in enumerate(given)
        for j, b in enumerate(gold)
        if a.is_near(b, tolerance)
    )
    used_given, used_gold = set[int](), set[int]()
    for _, i, j in pairs:
        if i not in used_given and j not in used_gold:
            used_given.add(i)
            used_gold.add(j)
    return len(used_gold)

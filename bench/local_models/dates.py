"""Periods as English states them: ``since 2010``, ``from May 2019 to 2021``, ``last year``.

A bound keeps its stated precision: ``2010``, ``2021-03``, ``2019-05-05``, ``Q3 2021``, ``44 BCE``.
Days that no calendar has (30 February) and words without a date (``later``) give no period.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = {
    word: number
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())
}
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}

_MONTH = "(?:" + "|".join(f"{name}|{name[:3]}\\.?(?![a-z])" for name in _MONTHS) + ")"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d|20|21)\d\d(?![\d,.]*\d)"
_POINT = (
    rf"(?:\d{{4}}-\d\d-\d\d|{_DAY}(?: of)? {_MONTH},? {_YEAR}|{_MONTH} {_DAY},? {_YEAR}"
    rf"|{_MONTH}(?: of)?,? {_YEAR}"
    rf"|Q[1-4] {_YEAR}|the (?:first|second|third|fourth) quarter of {_YEAR}|\d{{1,4}} BCE?"
    rf"|(?:the )?{_YEAR}s"
    rf"|(?:the (?:start|beginning|end|summer|spring|autumn|winter) of |early |mid-? ?|late )?{_YEAR})"
)
_RELATIVE = (
    r"(?:yesterday|today|(?:earlier )?this (?:year|month)|last (?:year|month)|next (?:year|month)"
    rf"|(?:{'|'.join(_NUMBERS)}|\d+) (?:years?|months?|days?) ago"
    rf"|last (?:{'|'.join(_MONTHS + _WEEKDAYS)}))"
)
_FRAMES = tuple(
    (kind, re.compile(rf"\b(?:{pattern})", re.I))
    for kind, pattern in (
        ("span", rf"from (?P<a>{_POINT}) (?:to|until|till|through) (?P<b>{_POINT})"),
        ("span", rf"between (?P<a>{_POINT}) and (?P<b>{_POINT})"),
        ("span", rf"(?:from )?(?P<a>{_YEAR}) ?[-–—] ?(?P<b>{_YEAR})"),
        (
            "since",
            rf"(?:ever )?(?:since|(?:starting|beginning) (?:in|on)|effective|from|as of) (?P<a>{_POINT})",
        ),
        ("until", rf"(?:until|till|up to|through|to) (?P<b>{_POINT})"),
        ("none", rf"(?:before|by|after|prior to|around|about) (?P<a>{_POINT})"),
        ("at", rf"(?:in|on|during|at|of) (?P<a>{_POINT})"),
        ("span", rf"for (?P<a>{_POINT})"),
        ("since", rf"since (?P<a>{_RELATIVE})"),
        ("until", rf"(?:until|till) (?P<b>{_RELATIVE})"),
        ("at", rf"(?P<a>{_RELATIVE})"),
        ("at", rf"(?:in|on) (?P<a>(?:{_DAY} )?(?:{'|'.join(_MONTHS)})(?: {_DAY})?)(?! ?\d)"),
        ("at", rf"on (?P<a>{'|'.join(_WEEKDAYS)})"),
        (
            "at",
            rf"(?P<a>\d{{4}}-\d\d-\d\d|{_DAY} {_MONTH} {_YEAR}|{_MONTH} {_DAY}, {_YEAR}|{_MONTH} {_YEAR})",
        ),
    )
)


@dataclass(frozen=True)
class Period:
    """Where a text states a period (character offsets) and which; kind ``at`` leaves its end open."""

    start: int
    end: int
    kind: str
    valid_from: str | None
    valid_to: str | None


def periods(text: str, published: date | None = None) -> list[Period]:
    """Every period the text states, in order; relative ones need the date of publication."""
    found: list[Period] = []
    for kind, frame in _FRAMES:
        for match in frame.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in found):
                continue
            found.append(_period(kind, match, published))
    return sorted(found, key=lambda period: period.start)


def _period(kind: str, match: re.Match[str], published: date | None) -> Period:
    """A match as a period; without a bound it still covers its words, so that no shorter frame reads them."""
    groups = match.groupdict()
    first, last = (_bounds(groups.get(name), published) for name in "ab")
    bounds: dict[str, tuple[str | None, str | None]] = {
        "span": (first[0], last[1] if "b" in groups else first[1]),
        "since": (first[0], None),
        "until": (None, last[1]),
        "at": first,
        "none": (None, None),
    }
    return Period(match.start(), match.end(), kind, *bounds[kind])


def _bounds(stated: str | None, published: date | None) -> tuple[str | None, str | None]:
    """First and last unit of one stated point: a decade has two, everything else one."""
    if stated is None:
        return None, None
    words = re.sub(r"\s+", " ", stated.lower().strip())
    if decade := re.fullmatch(r"(?:the )?(\d{3})0s", words):
        return decade[1] + "0", decade[1] + "9"
    point = _absolute(words) or (_relative(words, published) if published else None)
    return point, point


def _absolute(words: str) -> str | None:
    if re.fullmatch(r"\d{1,4} bce?", words):
        return words.rstrip("bce ") + " BCE"
    if quarter := re.fullmatch(r"(?:q(\d)|the (\w+) quarter of) (\d{4})", words):
        return f"Q{quarter[1] or _QUARTERS[quarter[2]]} {quarter[3]}"
    if re.fullmatch(r"\d{4}-\d\d-\d\d", words):
        return _day(*map(int, words.split("-")))
    year = re.search(r"\d{4}", words)
    if year is None:
        return None
    month = _month(words)
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", words)
    if month is None:
        return year[0]
    return _day(int(year[0]), month, int(day[1])) if day else f"{year[0]}-{month:02}"


def _relative(words: str, published: date) -> str | None:
    """``last march``, ``yesterday``, ``two years ago`` as seen from the day of publication."""
    words = words.removeprefix("earlier ")
    step = {"this": 0, "last": -1, "next": 1}
    which, _, unit = words.partition(" ")
    if words in ("yesterday", "today"):
        return (published - timedelta(days=words == "yesterday")).isoformat()
    if which in step and unit == "year":
        return str(published.year + step[which])
    if which in step and unit == "month":
        return _months_from(published, step[which])
    if ago := re.fullmatch(r"(\w+) (year|month|day)s? ago", words):
        return _ago(int(_NUMBERS.get(ago[1], ago[1])), ago[2], published)
    if (weekday := words.split()[-1]) in _WEEKDAYS:
        back = (published.weekday() - _WEEKDAYS.index(weekday)) % 7 or 7 * words.startswith("last")
        return (published - timedelta(days=back)).isoformat()
    return _latest_month(words, published)


def _latest_month(words: str, published: date) -> str | None:
    """A month (and day) without a year: the latest one that had begun when the text was published."""
    month = _month(words)
    if month is None:
        return None
    day = re.search(r"\d{1,2}", words)
    year = published.year - ((month, int(day[0]) if day else 1) > (published.month, published.day))
    return _day(year, month, int(day[0])) if day else f"{year}-{month:02}"


def _ago(count: int, unit: str, published: date) -> str:
    if unit == "year":
        return str(published.year - count)
    return (
        _months_from(published, -count)
        if unit == "month"
        else (published - timedelta(days=count)).isoformat()
    )


def _months_from(day: date, months: int) -> str:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return f"{year}-{month + 1:02}"


def _month(words: str) -> int | None:
    for word in re.findall(r"[a-z]+", words):
        for number, name in enumerate(_MONTHS, 1):
            if word == name or (len(word) == 3 and name.startswith(word)):
                return number
    return None


def _day(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def leading(text: str) -> Iterator[tuple[int, int]]:
    """Spans (start, end) of the periods that open a sentence: ``In 2019 Northwind ...``.

    The parser glues such a year to the name behind it, so the caller blanks it before parsing.
    """
    for opening in re.finditer(r"(?:\A|(?<=[.!?;]\s))(?=[A-Z])", text):
        for _, frame in _FRAMES:
            match = frame.match(text, opening.start())
            if match and re.match(r",?\s+(?=\w)", text[match.end() :]):
                comma = re.match(r",?", text[match.end() :])
                yield match.start(), match.end() + (comma.end() if comma else 0)
                break

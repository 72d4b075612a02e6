"""Sets of points in time as sorted disjoint half-open spans: epoch seconds, with infinities for open ends."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

Span = tuple[float, float]
Spans = tuple[Span, ...]
ALWAYS: Spans = ((-inf, inf),)


def union(spans: Iterable[Span]) -> Spans:
    """The same points in canonical form: sorted, neighbours merged, empty spans gone."""
    merged: list[Span] = []
    for low, high in sorted(span for span in spans if span[0] < span[1]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def subtract(spans: Spans, cut: Span) -> Spans:
    """The points of `spans` outside `cut`."""
    if cut[0] >= cut[1]:
        return spans
    pieces = [piece for low, high in spans for piece in ((low, min(high, cut[0])), (max(low, cut[1]), high))]
    return union(pieces)


def intersect(left: Spans, right: Spans) -> Spans:
    """The points of both."""
    return union((max(a, c), min(b, d)) for a, b in left for c, d in right)

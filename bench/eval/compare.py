"""Paired comparison: the same questions over the same graph, one setting changed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any


def paired(base: Sequence[float], other: Sequence[float]) -> dict[str, Any]:
    """How often the other arm scored better, worse or the same, and how likely so uneven a split is by chance."""
    better = sum(b > a for a, b in zip(base, other, strict=True))
    worse = sum(b < a for a, b in zip(base, other, strict=True))
    return {
        "better": better,
        "worse": worse,
        "same": len(base) - better - worse,
        "difference": round(sum(other) / len(other) - sum(base) / len(base), 4) if base else 0.0,
        "sign_test_p": round(sign_test(better, worse), 4),
    }


def sign_test(better: int, worse: int) -> float:
    """Two-sided, exact; ties say nothing."""
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / 2**n))


def spread(runs: Sequence[float]) -> dict[str, Any]:
    """What repeats of one index-side variant differ by: a difference smaller than this says nothing."""
    return {
        "repeats": len(runs),
        "values": [round(value, 4) for value in runs],
        "mean": round(statistics.fmean(runs), 4),
        "range": round(max(runs) - min(runs), 4),
        "standard_deviation": round(statistics.stdev(runs), 4) if len(runs) > 1 else None,
    }

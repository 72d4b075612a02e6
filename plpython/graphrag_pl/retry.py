"""Which failures are worth another attempt, and how long to wait before it."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC

from graphrag_pl import errors

_SECONDS = re.compile(r"-?\d+(\.\d*)?")
#: Seconds; who asks for more means no other thing.
_LONGEST_ASKED = 10.0**9
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 20.0
_TRANSIENT = frozenset({408, 409, 425, 429})
#: Not implemented, HTTP version not supported: nor will it be in a moment.
_LACKING = frozenset({501, 505})
#: Says more of the server's state than of the request: a 500 may be one prompt's own.
BUSY = frozenset({429, 502, 503, 504, 529})
#: The model, not the request or the account, may be what the server refuses.
_OF_THE_MODEL = frozenset({403, 404})


@dataclass
class CallError(Exception):
    """Why one attempt failed.

    `may_retry`: the same request may succeed later. `may_fail_over`: another model of the same server may
    serve it. `is_of_server`: no other request to this server would fare better now (nothing listens, the
    key is refused).
    """

    code: str
    message: str
    detail: str | None = None
    hint: str | None = None
    status: int | None = None
    may_retry: bool = False
    may_fail_over: bool = False
    is_of_server: bool = False
    retry_after: float | None = None


def error_of_status(
    status: int,
    reason: str,
    error_code: str | None,
    headers: Mapping[str, str],
    now: Callable[[], float] = time.time,
) -> CallError:
    """What an HTTP status other than 2xx means. An exhausted quota comes as 429, but waiting does not
    refill it."""
    is_quota = error_code in ("insufficient_quota", "billing_hard_limit_reached")
    may_pass = status in _TRANSIENT or (status >= 500 and status not in _LACKING)
    may_retry = may_pass and not is_quota
    return CallError(
        code=errors.REFUSED,
        message=f"answered HTTP {status}",
        detail=reason[:500] or None,
        status=status,
        may_retry=may_retry,
        may_fail_over=may_retry or status in _OF_THE_MODEL,
        is_of_server=is_quota or status == 401,
        retry_after=retry_after(headers, now) if may_retry else None,
    )


def retry_after(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """Seconds that the server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        if _SECONDS.fullmatch(value.strip()):
            return min(max(0.0, float(value) * unit), _LONGEST_ASKED)
        # Dates are rare, and reading them loads half of the package email.
        from email.utils import parsedate_to_datetime

        try:
            date = parsedate_to_datetime(value)
            return max(0.0, date.replace(tzinfo=date.tzinfo or UTC).timestamp() - now())
        except (ValueError, OverflowError):
            continue
    return None


def backoff(
    failures: int, asked: float | None = None, uniform: Callable[[float, float], float] = random.uniform
) -> float:
    """Seconds to wait after that many failures: full jitter below a bound that doubles, never less than was
    asked."""
    bound = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(failures - 1, 16))
    return max(uniform(0.0, bound), asked or 0.0)

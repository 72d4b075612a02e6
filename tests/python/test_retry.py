"""Which statuses are worth another attempt, and the wait before it."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from graphrag_pl.retry import backoff, error_of_status, retry_after


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_transient(status: int) -> None:
    assert error_of_status(status, "", [], {}).may_retry


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422, 501, 505])
def test_final(status: int) -> None:
    assert not error_of_status(status, "", [], {}).may_retry


@pytest.mark.parametrize(
    ("status", "codes"),
    [
        (429, ["insufficient_quota"]),
        (429, ["429", "insufficient_quota"]),
        (429, ["billing_not_active"]),
        (429, ["exceeded_current_quota_error"]),
        (402, []),
    ],
)
def test_quota_is_not_a_blip(status: int, codes: list[str]) -> None:
    error = error_of_status(status, "", codes, {"retry-after": "1"})
    assert (error.may_retry, error.may_fail_over, error.is_of_server) == (False, False, True)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "5"}, 5),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-5"}, 0),
        ({"retry-after-ms": "250", "retry-after": "5"}, 0.25),
        ({"retry-after": formatdate(1030, usegmt=True)}, 30),
        ({"retry-after": formatdate(900, usegmt=True)}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": " 7 "}, 7),
        ({"retry-after": "3."}, 3),
        ({"retry-after": "99999999999"}, 10**9),
        ({"retry-after": "9" * 400}, 10**9),
        ({"retry-after-ms": "9" * 400}, 10**9),
        ({"retry-after": "-" + "9" * 400}, 0),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:10 -0000"}, 30),
        ({"retry-after": "Thu, 01 Jan 1970 02:17:10 +0200"}, 30),
        ({"retry-after": "Mon, 01 Jan 1900 00:00:00 GMT"}, 0),
        ({"retry-after": "Mon, 99 Foo 2024 99:99:99 GMT"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "\u0665"}, 5),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=lambda: 1000.0) == seconds


def test_a_date_in_thousands_of_years_is_long() -> None:
    wait = retry_after({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"})
    assert wait is not None
    assert wait > 10**9


def test_backoff_doubles_up_to_a_bound() -> None:
    bounds = [backoff(n, uniform=lambda _, high: high) for n in (1, 2, 3, 7, 1000)]
    assert bounds == [0.5, 1, 2, 20, 20]


def test_backoff_is_full_jitter() -> None:
    waits = [backoff(4) for _ in range(200)]
    assert min(waits) < 1
    assert max(waits) > 3
    assert all(0 <= wait <= 4 for wait in waits)


def test_backoff_is_never_shorter_than_asked() -> None:
    assert backoff(1, 30.0) == 30

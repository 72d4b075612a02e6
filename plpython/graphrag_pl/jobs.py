"""The worker behind `graphrag.work`: claim a job, commit; read its chunks a batch a transaction; write.

What a job is, whether it is still this worker's and what becomes of it, SQL decides. Here is the order of the
steps, and that no transaction, and so no snapshot, is open while a server thinks.
"""

from __future__ import annotations

import json
import math
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from graphrag_pl import errors
from graphrag_pl.committing import Argument, Committing, Session
from graphrag_pl.contradictions import find_contradictions
from graphrag_pl.database import Memory, rows
from graphrag_pl.embedding import embed
from graphrag_pl.extraction import extract
from graphrag_pl.text import to_json

_CANCELLED = "57014"
#: The lease is extended this often while it runs.
_RENEWALS = 3
#: Texts that are embedded between two looks at whether the job is still this worker's.
_TEXTS = 512
#: Jobs that a bulk load does in one transaction, at most.
_TOGETHER = 64


@dataclass(frozen=True)
class Limits:
    """Arguments of work(); intervals as PostgreSQL writes them."""

    max_jobs: int | None
    max_seconds: float | None
    max_attempts: int
    retry_after: str
    lease: str
    bulk: bool = False


@dataclass(frozen=True)
class Job:
    """A job that this worker has claimed."""

    id: int
    attempt: int
    operation: str
    alone: bool = True


class NotHeldError(Exception):
    """Another worker has taken the job, or a later change its place: there is nothing left to do or to note."""


@errors.relaying
def work(plpy: Session, memory: Memory, realm: str | None, limits: Limits) -> None:
    """Jobs one after another, until none is due or a limit is reached. A job's failure is the job's.

    In bulk the vector indexes are away meanwhile. A worker that dies leaves them away: the next one builds them, also
    where it finds nothing left to do.
    """
    worker = Worker(plpy, realm, limits)
    worker.begin()
    if limits.bulk and worker.has_jobs():
        worker.change_indexes("drop_vector_indexes")
    ends_at = time.monotonic() + (math.inf if limits.max_seconds is None else limits.max_seconds)
    done = 0
    while (limits.max_jobs is None or done < limits.max_jobs) and time.monotonic() < ends_at:
        most = _TOGETHER if limits.max_jobs is None else min(_TOGETHER, limits.max_jobs - done)
        jobs = worker.claim_many(most) if limits.bulk else worker.claim()
        if not jobs:
            break
        for job in _do_together(worker, jobs):
            worker.take(job)
            try:
                _run(worker, memory, is_doubtful=len(jobs) > 1)
            except NotHeldError:
                worker.commit()
            except Exception as error:  # a bug in here is no reason to stop the queue
                worker.fail(error)
                if errors.sqlstate_of(error) == _CANCELLED:
                    raise
        done += len(jobs)
    if limits.bulk:
        worker.settle()


def _do_together(worker: Worker, jobs: Sequence[Job]) -> list[Job]:
    """Does the jobs that can share their transactions; the others are to be done one by one, and so are all if one of
    them fails."""
    together = [job for job in jobs if not job.alone]
    if len(together) < 2:
        return list(jobs)
    worker.together = together
    try:
        alone = _index_together(worker, together)
    except Exception as error:
        if errors.sqlstate_of(error) == _CANCELLED:
            for job in jobs:
                worker.take(job)
                worker.fail(error)
            raise
        worker.rollback()
        worker.warning(
            f"{len(together)} jobs are done one by one, because together they failed", detail=str(error)
        )
        return list(jobs)
    finally:
        worker.together = []
    return [job for job in jobs if job.alone or job.id in alone]


def _index_together(worker: Worker, jobs: Sequence[Job]) -> set[int]:
    """Indexes the documents of jobs: all planned and gated in one transaction, embedded, written in another. Answers
    which of them could not even be prepared. A text that several documents have is embedded once; what that cost is
    told with the last of them."""
    worker.enter()
    ids = Argument("bigint[]", [job.id for job in jobs])
    found = rows(worker, "select * from graphrag._prepare_batch($1)", jobs=(ids.type, ids.value))
    worker.commit()
    attempts = {job.id: job.attempt for job in jobs}
    planned = [row for row in found if row["plan"] is not None]
    if planned:
        worker.begin_count()
        texts = list(dict.fromkeys(text for row in planned for text in row["texts"]))
        vectors: list[str] = []
        for start in range(0, len(texts), _TEXTS):
            worker.enter()
            vectors += embed(worker, texts[start : start + _TEXTS], None, planned[-1]["key"])
            worker.while_waiting()
        worker.enter()
        worker.value(
            "select graphrag._finish_batch($1, $2, $3, $4, $5, $6, $7)",
            Argument("bigint[]", [row["job"] for row in planned]),
            Argument("integer[]", [attempts[row["job"]] for row in planned]),
            Argument("graphrag._document_plan[]", [row["plan"] for row in planned]),
            Argument("jsonb[]", [row["gated"] for row in planned]),
            Argument("text[]", texts),
            Argument("text[]", vectors),
            Argument("text", worker.count()),
        )
        worker.commit()
    return {row["job"] for row in found if row["plan"] is None}


def _run(worker: Worker, memory: Memory, is_doubtful: bool) -> None:
    """The job that the worker has taken; doubtful: it may have ended, or have been lost, since it was claimed."""
    if is_doubtful:
        worker.enter()
        worker.hold()
        worker.commit()
    if worker.operation == "index":
        _index(worker, memory)
    else:
        worker.enter()
        worker.value("select graphrag._finish_delete($1, $2)", worker.job, worker.attempt)
        worker.commit()


def _index(worker: Worker, memory: Memory) -> None:
    worker.enter()
    planned = rows(worker, "select * from graphrag._plan_job($1)", job=("bigint", worker.job.value))
    worker.commit()
    if not planned:
        return
    plan = Argument("graphrag._document_plan", planned[0]["plan"])
    reading = _read(worker, memory, plan, planned[0]["reading"])
    worker.enter()
    found = json.loads(
        worker.value("select graphrag._gate_job($1, $2, $3)::text", plan, reading, worker.is_last_attempt)
    )
    vectors = _embed(worker, [text["body"] for text in found["texts"]], planned[0]["key"])
    texts = [{**text, "vec": vector} for text, vector in zip(found["texts"], vectors, strict=True)]
    worker.enter()
    prepared = Argument(
        "jsonb",
        worker.value(
            "select graphrag._prepared($1, $2)",
            Argument("jsonb", to_json(found["chunks"])),
            Argument("jsonb", to_json(texts)),
        ),
    )
    prepared = _judge(worker, memory, plan, prepared, planned[0]["key"])
    worker.value("select graphrag._finish_index($1, $2, $3, $4)", worker.job, worker.attempt, plan, prepared)
    worker.commit()


def _judge(worker: Worker, memory: Memory, plan: Argument, prepared: Argument, document: str) -> Argument:
    """What is prepared, with the contradictions that a model finds."""
    questions = worker.value("select graphrag._contradictions_to_ask($1, $2)::text", plan, prepared)
    if questions == "[]":
        return prepared
    answer = None if questions is None else find_contradictions(worker, memory, questions, document)
    return Argument(
        "jsonb",
        worker.value(
            "select graphrag._take_contradictions($1, $2, $3)", plan, prepared, Argument("jsonb", answer)
        ),
    )


def _read(worker: Worker, memory: Memory, plan: Argument, reading: str) -> Argument:
    """The reading with an answer for every chunk, each batch of them committed as it comes."""
    state = Argument("jsonb", reading)
    total = len(json.loads(reading)["todo"])
    left = total
    while left:
        worker.enter()
        worker.hold(total, total - left)
        request = json.loads(worker.value("select graphrag._next_request($1, $2)::text", plan, state))
        batch = extract(worker, memory, to_json(request["chunks"]), json.dumps(request["context"]))
        state = Argument(
            "jsonb",
            worker.value(
                "select graphrag._take_answers($1, $2, $3)::text", plan, state, Argument("jsonb", batch)
            ),
        )
        worker.commit()
        left = len(json.loads(state.value)["todo"])
    worker.enter()
    worker.hold(total, total)
    worker.commit()
    return state


def _embed(worker: Worker, texts: Sequence[str], document: str) -> list[str]:
    vectors: list[str] = []
    for start in range(0, len(texts), _TEXTS):
        worker.enter()
        worker.hold()
        vectors += embed(worker, texts[start : start + _TEXTS], None, document)
        worker.commit()
    return vectors


class Worker(Committing):
    """A database handle that commits while servers think, and holds a job."""

    def __init__(self, plpy: Session, realm: str | None, limits: Limits) -> None:
        super().__init__(plpy, realm, "work")
        self._limits = limits
        self._lease = Argument("interval", limits.lease)
        self._renew_every = 0.0
        self._renew_at = math.inf
        self.together: Sequence[Job] = []
        self.operation = ""
        self.job = Argument("bigint", None)
        self.attempt = Argument("integer", None)
        self.is_last_attempt = Argument("boolean", None)

    def begin(self) -> None:
        super().begin()
        seconds = self.value("select extract(epoch from $1::interval)::float8", self._lease)
        self._renew_every = seconds / _RENEWALS
        self.commit()

    def while_waiting(self) -> None:
        if time.monotonic() < self._renew_at:
            return
        self.enter()
        if not self.together:
            self.hold()
            return
        self.value(
            "select graphrag._hold_batch($1, $2, $3)",
            Argument("bigint[]", [job.id for job in self.together]),
            Argument("integer[]", [job.attempt for job in self.together]),
            self._lease,
        )
        self._renew_at = time.monotonic() + self._renew_every

    # ------------------------------------------------------------ a bulk load
    def has_jobs(self) -> bool:
        self.enter()
        found = self.value("select exists (select from job where ended_at is null)")
        self.commit()
        return bool(found)

    def settle(self) -> None:
        """What a bulk load leaves to its end."""
        self.enter()
        self.value("select graphrag._settle_terms()")
        self.commit()
        self.change_indexes("build_vector_indexes")

    def change_indexes(self, function: str) -> None:
        """By its own transaction: a lock on all texts is not to be kept."""
        self.enter()
        self.value(f"select graphrag.{function}($1)", Argument("text", self._realm))
        self.commit()

    # ------------------------------------------------------------ the job
    def claim(self) -> list[Job]:
        """A job that was due, and is now this worker's; none is, if the list is empty."""
        return self._claimed("select to_jsonb(array_remove(array[graphrag._claim_job($1, $2)], null))::text")

    def claim_many(self, most: int) -> list[Job]:
        """Jobs that were due: some to be done together, or one alone, which is the last then."""
        return self._claimed("select graphrag._claim_batch($1, $2, $3)::text", Argument("integer", most))

    def _claimed(self, query: str, *more: Argument) -> list[Job]:
        self.begin_count()
        self.enter()
        claimed = self.value(query, self._lease, Argument("integer", self._limits.max_attempts), *more)
        self.commit()
        self._renew_at = time.monotonic() + self._renew_every
        return [Job(**job) for job in json.loads(claimed)]

    def take(self, job: Job) -> None:
        """This is the job that is being done."""
        self.begin_count()
        self.operation = job.operation
        self.job = Argument("bigint", job.id)
        self.attempt = Argument("integer", job.attempt)
        self.is_last_attempt = Argument("boolean", job.attempt >= self._limits.max_attempts)

    def begin_count(self) -> None:
        """What calls of servers cost is counted by the job."""
        self._call, self._tally = str(uuid.uuid4()), ""
        self._is_in = False

    def count(self) -> str:
        """What the calls since begin_count() have cost, as SQL keeps it."""
        return str(self.value("select current_setting('graphrag.tally', true)") or "")

    def hold(self, chunks: int | None = None, chunks_done: int | None = None) -> None:
        """Extend the lease and note the progress. Raises NotHeldError if the job is not to be gone on with."""
        held = self.value(
            "select graphrag._hold_job($1, $2, $3, $4, $5)",
            self.job,
            self.attempt,
            self._lease,
            Argument("integer", chunks),
            Argument("integer", chunks_done),
        )
        if held != "held":
            raise NotHeldError(held)
        self._renew_at = time.monotonic() + self._renew_every

    def fail(self, error: Exception) -> None:
        """Undo what is not committed, and note why."""
        self.rollback()
        self.enter()
        sqlstate, detail = errors.sqlstate_of(error), errors.detail_of(error)
        message = errors.message_of(error) if sqlstate else repr(error)
        self.value(
            "select graphrag._fail_job($1, $2, $3, $4, $5, $6)",
            self.job,
            self.attempt,
            Argument("text", sqlstate or "XX000"),
            Argument("text", f"{message}: {detail}" if detail else message),
            Argument("integer", self._limits.max_attempts),
            Argument("interval", self._limits.retry_after),
        )
        self.commit()

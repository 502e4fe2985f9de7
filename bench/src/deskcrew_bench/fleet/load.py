"""The load of many runs on their database, simulated: what each of them asks of it, at the times at which it would.

A few processes stand for all runs, each with its connections, as a pooler would have them. Times are from when a statement
was due, so one that waits for others before it takes as long as its run would wait.
"""

from __future__ import annotations

import heapq
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import Literal

from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import RoleReplied, RunStarted
from deskcrew.journal.leases import SECONDS, renew
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.submissions import Submissions, version
from deskcrew.ways_in.fleet.tasks import Submission, Task
from deskcrew.ways_in.fleet.work import EVERY
from deskcrew.ways_in.running.messages import Start
from deskcrew_bench.figure import Figure, summarise

PROCESSES = 8
PROMPT = 4000
"""Characters of the blob of each commit."""
Kind = Literal["commit", "renewal", "check"]
RATES: dict[Kind, float] = {"commit": 0.4, "renewal": 3 / SECONDS, "check": 1 / EVERY}
"""How often a run does it, a second: a turn of ten seconds has four commits."""
PATIENCE = 60.0
"""Seconds in which all processes must have begun."""


@dataclass(frozen=True, slots=True)
class _Share:
    """What one process stands for: ``runs`` of a submission from number ``first`` on, for so many seconds."""

    settings: Settings
    submission: str
    first: int
    runs: int
    seconds: float


def simulated(folder: Path, address: str, *, runs: Sequence[int], seconds: float) -> Iterator[tuple[str, Figure]]:
    """For each number of runs, the milliseconds that a statement of one takes, beside those with the first number. The
    rows stay in the database."""
    settings = Settings(data=folder / "data", models=folder / "models", config=folder / "config", database=address)
    first: list[float] = []
    for number in runs:
        taken, due = _measured(settings, number, seconds)
        first = first or taken
        told = (
            f"{number:,} runs, {sum(RATES.values()) * number:,.0f} statements a second, {len(taken) / due:.0%} of them done"
        )
        yield told, summarise(taken, "ms", alternative=f"{runs[0]:,} runs", against=first)


def _measured(settings: Settings, runs: int, seconds: float) -> tuple[list[float], int]:
    """Milliseconds of each statement that was done, and how many were due."""
    submissions = Submissions(settings)
    request = RunRequest(task="", model="scripted:none", crew="solo", desktop="none", mode="automatic")
    submission = Submission(start=Start(request=request), version=version())
    name = submissions.add(submission, [Task(task="Do it.")] * runs)
    submissions.cancel(name)  # no fleet begins them
    submissions.store.close()
    each = -(-runs // PROCESSES)
    shares = [_Share(settings, name, at, min(each, runs - at), seconds) for at in range(0, runs, each)]
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, context.Pool(len(shares)) as pool:
        together = manager.Barrier(len(shares))
        found = pool.starmap(_played, [(share, together) for share in shares], chunksize=1)
    return [one for taken, _ in found for one in taken], sum(due for _, due in found)


def _schedule(share: _Share) -> list[tuple[float, Kind]]:
    """When what is due, in seconds from the start."""
    kinds: list[list[tuple[float, Kind]]] = [
        [(number / (rate * share.runs), kind) for number in range(int(rate * share.runs * share.seconds))]
        for kind, rate in RATES.items()
    ]
    return list(heapq.merge(*kinds))


def _played(share: _Share, together: Barrier) -> tuple[list[float], int]:
    """As :func:`_measured`, for the runs of one process."""
    schedule = _schedule(share)
    submissions = Submissions(share.settings)
    database = submissions.store.database
    journal = submissions.store.create(
        RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    )
    taken: list[float] = []
    with journal.claimed() as lease:
        assert lease is not None
        blob = os.urandom(PROMPT // 2).hex()
        together.wait(PATIENCE)
        began = time.monotonic()
        for at, (due, kind) in enumerate(schedule):
            if time.monotonic() - began > share.seconds + 1:
                break
            time.sleep(max(began + due - time.monotonic(), 0))
            if kind == "commit":
                said = journal.blob(f"{at}{blob}")
                journal.append(RoleReplied(role="Operator", reply={"message": f"reply {at}"}, raw=said))
                journal.commit()
            elif kind == "renewal":
                renew(database, journal.run, lease.fence)
            else:
                submissions.going(f"{share.submission}-{share.first + 1 + at % share.runs:05}", None)
            taken.append((time.monotonic() - began - due) * 1000)
    submissions.store.close()
    return taken, len(schedule)

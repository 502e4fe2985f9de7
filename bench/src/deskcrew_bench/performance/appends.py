"""What an append to the journal takes on a server that many machines share, beside a file and beside the disk.

Writers are threads, each at a run of its own. Between two commits a model is waited for, which is a pause here. A commit is
one event with a prompt as its blob, as before an operation.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from deskcrew.facts.events import RoleReplied, RunStarted
from deskcrew.journal.store import Store
from deskcrew_bench.figure import Figure, summarise

PROMPT = 4000
"""Characters of the blob of each commit."""
STARTED = RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")


@dataclass(frozen=True, slots=True)
class Appends:
    """``figure``: milliseconds, beside a file's; ``besides``: without waiting for the server's disk; ``disk``: of this disk
    to synchronise one page. Medians."""

    figure: Figure
    besides: float
    disk: float


def measure(folder: Path, address: str, *, writers: int, samples: int, pause: float) -> Appends:
    """Milliseconds from an event to its being durable, ``samples`` of each of ``writers``, with ``pause`` seconds between
    two. Its runs stay at the address."""
    path = folder / "journal.db"
    shared = _appended(lambda: Store(path, address=address), writers, samples, pause)
    besides = _appended(lambda: Store(path, address=address, durable=False), writers, samples, pause)
    file = _appended(lambda: Store(path), writers, samples, pause)
    figure = summarise(shared, "ms", alternative="the same into a file of SQLite", against=file)
    return Appends(figure, statistics.median(besides), statistics.median(_synchronised(folder / "page", samples)))


def _appended(opened: Callable[[], Store], writers: int, samples: int, pause: float) -> list[float]:
    opened().close()  # makes the tables
    with ThreadPoolExecutor(writers) as pool:
        every = [pool.submit(_one, opened(), number / writers * pause, samples, pause) for number in range(writers)]
        return [taken for one in every for taken in one.result()]


def _one(store: Store, late: float, samples: int, pause: float) -> list[float]:
    journal = store.create(STARTED)
    taken: list[float] = []
    with journal.claimed():
        time.sleep(late)
        for number in range(samples):
            blob = os.urandom(PROMPT // 2).hex()
            began = time.perf_counter()
            journal.append(RoleReplied(role="Operator", reply={"message": f"reply {number}"}, raw=journal.blob(blob)))
            journal.commit()
            taken.append((time.perf_counter() - began) * 1000)
            time.sleep(pause)
    if problems := journal.verify():
        raise AssertionError(f"what was measured is not whole: {problems[0]}")
    store.close()
    return taken


def _synchronised(file: Path, samples: int) -> list[float]:
    taken: list[float] = []
    with file.open("wb", buffering=0) as stream:
        for _ in range(samples):
            stream.write(os.urandom(8192))
            began = time.perf_counter()
            os.fdatasync(stream.fileno())
            taken.append((time.perf_counter() - began) * 1000)
    return taken

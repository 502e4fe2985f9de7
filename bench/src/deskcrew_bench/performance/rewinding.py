"""How long going back takes, and appending to the journal, beside what the disk itself takes."""

from __future__ import annotations

import os
import sqlite3
import statistics
import time
from pathlib import Path

from deskcrew.engine import rewind
from deskcrew.environments.save_point import SavePoints
from deskcrew.facts.events import Event, Observed, RoleCalled, RoleReplied, RunStarted, Saved
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew_bench.figure import Figure, summarise

EVENTS, FILES, FOLDERS = 1000, 2000, 40
CHANGED = 10
"""Files that differ from what is gone back to: bringing those back is counted apart."""


def going_back(folder: Path, *, samples: int = 9) -> Figure:
    """Milliseconds from opening the journal of a run of 1,000 events with a workspace of 2,000 files until it stands at a
    reply in its middle, nothing having changed; beside the same with ten files that differ."""
    workspace = folder / "workspace"
    for place in range(FILES):
        file = workspace / f"folder-{place % FOLDERS}" / f"file-{place}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{place}\n" * 40)
    store = Store(folder / "journal.db")
    started = RunStarted(task="t", crew="c", model="m", mode="automatic", workspace=str(workspace), desktop="none")
    journal = store.create(started, run="measured")
    points = SavePoints(workspace, journal.blob, journal.read_blob)
    middle = _filled(journal, points)
    settled = [_back(store, workspace, middle) for _ in range(samples)]
    differing: list[float] = []
    for number in range(samples):
        for place in range(CHANGED):
            (workspace / f"folder-{place}" / f"file-{place}.txt").write_text(f"changed {number}")
        differing.append(_back(store, workspace, middle))
    store.close()
    return summarise(settled, "ms", alternative=f"with {CHANGED} files that differ", against=differing)


def _filled(journal: Journal, points: SavePoints) -> int:
    """Grow the run to its length. Returns the number of the reply in its middle."""
    taken = points.take()
    journal.append(Saved(manifest=taken.digest, files=len(taken.manifest.entries)))
    middle = 0
    while len(journal.events) < EVENTS:
        journal.append(Observed(observation=journal.blob("{}")))
        called = journal.append(RoleCalled(role="Operator", model="m"))
        replied = journal.append(RoleReplied(role="Operator", reply={"message": f"reply {called.number}"}), cause=called)
        middle = middle or (replied.number if replied.number > EVENTS // 2 else 0)
    journal.commit()
    return middle


def _back(store: Store, workspace: Path, number: int) -> float:
    began = time.perf_counter()
    journal = store.journal("measured")
    points = SavePoints(workspace, journal.blob, journal.read_blob)
    rewind.go_back(journal, rewind.to_reply(journal, number, points), points, say="otherwise")
    return (time.perf_counter() - began) * 1000


def appending(folder: Path, *, samples: int = 200) -> Figure:
    """Milliseconds to append one event and commit it, besides the disk's own synchronising; beside a bare INSERT under the
    same settings of the database, synchronising and all."""
    durable, relaxed = (_appended(folder / f"{name}.db", samples, durable=name == "durable") for name in ("durable", "not"))
    bare = _bare(folder / "bare.db", samples)
    sync = statistics.median(durable) - statistics.median(relaxed)
    told = f"a bare synchronous INSERT (the journal's own synchronising takes {sync:.2f} ms)"
    return summarise(relaxed, "ms", alternative=told, against=bare)


def _appended(path: Path, samples: int, *, durable: bool) -> list[float]:
    store = Store(path, durable=durable)
    started = RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    journal = store.create(started)
    taken: list[float] = []
    for number in range(samples):
        began = time.perf_counter()
        last: Event = journal.append(RoleReplied(role="Operator", reply={"message": f"reply {number}"}))
        journal.commit()
        taken.append((time.perf_counter() - began) * 1000)
        assert last.number == number + 2
    store.close()
    return taken


def _bare(path: Path, samples: int) -> list[float]:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE t (a TEXT)"):
        connection.execute(statement)
    text = os.urandom(400).hex()
    taken: list[float] = []
    for _ in range(samples):
        began = time.perf_counter()
        connection.execute("INSERT INTO t VALUES (?)", (text,))
        taken.append((time.perf_counter() - began) * 1000)
    connection.close()
    return taken

"""Stores what a run teaches in memory once it has ended, and withdraws it if it turns out wrong."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path, PurePosixPath

import anyio
import anyio.to_thread
from yaml import YAMLError

from deskcrew.errors import JournalError, UsageError
from deskcrew.facts.json_values import JsonObject
from deskcrew.journal.branches import undoing
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory.factory import embedder_of
from deskcrew.learning.memory.inferring import inferred
from deskcrew.learning.memory.lessons import lessons, secret_in
from deskcrew.learning.memory.recollection import Recollection
from deskcrew.learning.memory.store import Memory, MemoryFailure
from deskcrew.learning.skills import front_matter
from deskcrew.settings import Settings

WRONG, OPEN, OVER = "the run turned out wrong", "the run goes on", "the run is not done"
UNDID = "the run was undone"


def memory_of(settings: Settings, journal: Journal | None = None) -> Memory:
    """The user's memory, not opened yet. ``journal``: an open journal, whose connection can be shared; the memory is then
    that of the person who started its run, no matter who continues it."""
    if journal is None:
        return Memory.of(settings, embedder_of(settings.memory))
    begun = journal.state.started
    person = begun.person if begun is not None else None
    return Memory.of(settings, embedder_of(settings.memory), journal.database, person)


@asynccontextmanager
async def remembering(
    recalls: bool, journal: Journal, settings: Settings, tell: Callable[[str], None]
) -> AsyncGenerator[Recollection | None]:
    """Provide long-term memory during a run, and store what the run teaches at its end. ``recalls``: whether the run recalls
    anything; if not, yields None and stores nothing.

    A memory that cannot be used is reported with ``tell``, and does not stop the run.
    """
    if not recalls:
        yield None
        return
    memory = memory_of(settings, journal)
    begun = journal.state.started
    place = begun.workspace if begun is not None else ""

    def open_memory() -> None:
        if remembers(journal):
            catch_up(memory, settings, tell)
            begin(memory, journal)

    async def tried(do: Callable[[], object]) -> None:
        try:
            await anyio.to_thread.run_sync(do)
        except MemoryFailure as error:
            tell(str(error))

    try:
        await tried(open_memory)
        yield Recollection(memory, journal.run, place, tell)
    finally:
        with anyio.CancelScope(shield=True):
            await tried(lambda: settle(memory, journal, settings))
            memory.close()


def settle(memory: Memory, journal: Journal, settings: Settings) -> bool:
    """Make memory contain exactly what the run teaches in its current state: after its end, and after its outcome changed.
    Idempotent. Returns False if there is nothing to settle: the run was imported, is not over, or must not be remembered.

    Raises MemoryFailure if memory cannot be used; then nothing is stored, and the next process that opens memory stores it
    (:func:`catch_up`).
    """
    state = journal.state
    if not remembers(journal) or state.outcome is None or state.outcome.resumable:
        return False
    heads, now = _heads(journal), round(time.time(), 3)
    kinds = {name: str(head.get("kind", "")) for name, head in heads.items()}
    amends = {name: str(head["amends"]) for name, head in heads.items() if "amends" in head}
    found = lessons(journal, kinds, amends, created=now)
    if settings.memory.scope == "workspace" and state.started is not None:
        place = state.started.workspace
        found = [entry.model_copy(update={"scope": "workspace", "place": place}) for entry in found]
    known = {fact.situation for fact in memory.all(kind="fact")}
    own = state.started is not None and Path(state.started.workspace).is_relative_to(settings.data)
    proposals = inferred(journal, created=now, named=not own)
    found += [fact for fact in proposals if fact.situation not in known and not secret_in(journal, fact)]
    memory.settle(journal.run, found, WRONG if state.outcome.status == "failed" else OVER)
    return True


def _heads(journal: Journal) -> dict[str, JsonObject]:
    """The front matter of each role's recorded file, by role. Raises JournalError if the journal lacks a file."""
    assert journal.state.started is not None
    files = ((PurePosixPath(name), digest) for name, digest in journal.state.started.files.items())
    texts = {name.stem: journal.read_blob(digest).decode() for name, digest in files if name.parent.name == "roles"}
    return {name: front_matter.split(text)[0] for name, text in texts.items()}


def remembers(journal: Journal) -> bool:
    """Whether the run may be remembered: its settings say so, it was not imported, and no text was redacted."""
    begun = journal.state.started
    wanted = begun is not None and begun.settings.memory == "on"
    return wanted and not journal.redacted and not journal.imported()


def begin(memory: Memory, journal: Journal) -> None:
    """Withdraw what the run taught until it has ended. Called when it begins, continues, or is rewound or undone."""
    if remembers(journal):
        memory.begin(journal.run, OPEN if undoing(journal.events) is None else UNDID)


def settle_again(journal: Journal, settings: Settings) -> None:
    """Call :func:`settle` after a person judged, rewound or undid a run; one that has no outcome any more teaches nothing.
    Raises MemoryFailure if memory cannot be used."""
    memory = memory_of(settings, journal)
    try:
        if not settle(memory, journal, settings):
            begin(memory, journal)
    finally:
        memory.close()


def catch_up(memory: Memory, settings: Settings, tell: Callable[[str], None]) -> None:
    """Settle the runs whose process ended before it could. Raises MemoryFailure if memory cannot be used."""
    if not (waiting := memory.unsettled()):
        return
    store = Store.of(settings)
    for run in store.left(waiting):
        if not store.has(run):  # removed since
            memory.settle(run, [], OVER)
            continue
        try:
            settle(memory, store.journal(run), settings)
        except (JournalError, UsageError, YAMLError) as error:
            memory.settle(run, [], OVER)
            tell(f"nothing is remembered of run {run}: {error}")

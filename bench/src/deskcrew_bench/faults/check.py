"""What must hold after a process was killed, and after another one went on with its run."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.recorded import recorded_crew, role_kinds
from deskcrew.errors import UsageError
from deskcrew.facts.events import ActionInterrupted, ActionStarted, Event, RoleCalled
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store, exists
from deskcrew.learning.memory.keeping import catch_up, memory_of
from deskcrew.learning.memory.lessons import lessons
from deskcrew.settings import Settings
from deskcrew_bench.faults.kind import LOG, Kind
from deskcrew_bench.faults.runs import GUIDANCE
from deskcrew_bench.sending_back import first_reply, send_back

Found = dict[str, object]
NEAREST = 9
"""Entries of a role that are looked through for one that must be among them."""
HALF_WRITTEN = ".deskcrew-*"
"""Names of what is written beside its place before it is renamed."""


def settings_in(folder: Path, database: str = "") -> Settings:
    return Settings(data=folder / "data", models=folder / "models", config=folder / "config", database=database)


def turn_back(journal: Journal, folder: Path) -> None:
    """Reject the first reply of the role that greeted wrongly, with a sentence."""
    first = first_reply(journal, "FileManager")
    assert first is not None
    with journal.claimed():
        send_back(journal, first, folder / "work", say=GUIDANCE)


def examine(kind: Kind, folder: Path, committed: Path, database: str = "") -> Found:
    """Go on with a run that was killed, and check. Returns what is wrong, by category; all empty when nothing is."""
    wrong: dict[str, list[str]] = {"lost": [], "doubled": [], "broken": [], "ended": [], "leftovers": []}
    settings = settings_in(folder, database)
    told = [line.split() for line in committed.read_text().splitlines()] if committed.exists() else []
    if not _runs(settings):
        if told:
            wrong["lost"].append("the run is not in the journal, although its first event was committed")
        _begin(kind, folder, settings)
    before = Store.of(settings).journal("last")
    rows = _rows(settings, before.run)
    wrong["broken"] += before.verify()
    ids = {str(row[1]): str(row[0]) for row in rows}
    wrong["lost"] += [f"event {number} has to be on disk and is not there" for number, id in told if ids.get(number) != id]
    _count(kind, folder, wrong["doubled"])
    if _to_rewind(kind, before) and set(_log(folder)) != set(before_rewind(kind)):
        wrong["lost"].append("files were brought back before the rewind was recorded")
    try:
        after = _go_on(kind, folder, settings, before)
    except UsageError as error:
        wrong["leftovers"].append(str(error))
        return dict(wrong)
    now = _rows(settings, before.run)
    if now[: len(rows)] != rows:
        wrong["lost"].append("what was in the journal before is not there as it was")
    again = Store.of(settings).journal(before.run)
    wrong["broken"] += after.verify()
    if again.state != after.state:
        wrong["broken"].append("folding the journal gives another state")
    if after is not before:
        _order(before, after, wrong["doubled"])
    _count(kind, folder, wrong["doubled"])
    _end(kind, folder, after, wrong["ended"])
    if kind.remembered:
        _remembered(after, settings, wrong)
    wrong["leftovers"] += [f"half-written: {path.name}" for path in (folder / "work").rglob(HALF_WRITTEN)]
    return dict(wrong)


def _runs(settings: Settings) -> int:
    return len(Store.of(settings).runs()) if exists(settings) else 0


def _rows(settings: Settings, run: str) -> list[tuple[object, ...]]:
    """The run's events as they are on the disk."""
    query = "SELECT id, number, parent, header, digest, body FROM events WHERE run = :run ORDER BY number"
    database = Store.of(settings).database
    with database.reading() as connection:
        return list(database.rows(connection, query, {"run": run}))


def _begin(kind: Kind, folder: Path, settings: Settings) -> None:
    """Nothing had come to be: whoever wanted it asks again."""
    model, human = kind.model(folder), kind.person()
    anyio.run(lambda: session.run(kind.request(folder), settings, model=model, human=human))


def _go_on(kind: Kind, folder: Path, settings: Settings, before: Journal) -> Journal:
    """The run, gone on with as a person would; ``before`` itself where there is nothing left to do."""
    if _to_rewind(kind, before):
        turn_back(before, folder)
    elif before.state.outcome is not None:
        return before
    model, human = kind.model(folder), kind.person()
    wanted = kind.request(folder)

    def change(request: RunRequest) -> RunRequest:
        return replace(request, mode=wanted.mode)

    return anyio.run(lambda: session.resume(before.run, settings, change=change, model=model, human=human))


def _to_rewind(kind: Kind, journal: Journal) -> bool:
    """Whether the rewind of this run has not come to be."""
    return kind.before == "rewound" and not any(event.body.type == "rewound" for event in journal.all)


def before_rewind(kind: Kind) -> tuple[str, ...]:
    """What the log held when the run had ended for the first time."""
    return tuple(line.replace("Moin", "Hello") for line in kind.lines)


def _order(before: Journal, after: Journal, wrong: list[str]) -> None:
    """An action whose end nobody saw is noted as that, and nobody acts before a role was asked."""
    known = {event.id for event in before.all}
    later = [event for event in after.events if event.id not in known]
    open_ = before.state.under_way
    if open_ is not None and not any(_notes(event, open_) for event in later):
        wrong.append(f"the action of event {open_.number} was not seen to end, and is not noted as interrupted")
    acts = next((event for event in later if isinstance(event.body, RoleCalled | ActionStarted)), None)
    if acts is not None and isinstance(acts.body, ActionStarted):
        wrong.append(f"event {acts.number} acts before a role was asked")


def _notes(event: Event, open_: Event) -> bool:
    return isinstance(event.body, ActionInterrupted) and event.header.cause == open_.id


def _remembered(journal: Journal, settings: Settings, wrong: dict[str, list[str]]) -> None:
    """Whoever opens memory next finds in it what the run teaches, once, and can find it by its words."""
    memory = memory_of(settings)
    try:
        catch_up(memory, settings, wrong["ended"].append)
        memory.index()
        found = Counter(entry.situation for entry in memory.all() if entry.run == journal.run)
        taught = lessons(journal, role_kinds(recorded_crew(journal)), created=0.0)
        wrong["lost"] += [f"it does not remember {entry.id}" for entry in taught if entry.situation not in found]
        wrong["doubled"] += [f"it remembers {text!r:.60} {times} times" for text, times in found.items() if times > 1]
        for entry in taught:
            by_meaning = [hit for hit, _ in memory.by_meaning(entry.situation, entry.role, NEAREST)]
            for how, hits in (("words", memory.by_words(entry.situation, entry.role, NEAREST)), ("meaning", by_meaning)):
                if entry.id not in {hit.id for hit in hits}:
                    wrong["broken"].append(f"{entry.id} is not found by its {how}")
    finally:
        memory.close()
    if settings.database:
        return
    with closing(sqlite3.connect(settings.remembered)) as connection:
        said = [row[0] for row in connection.execute("PRAGMA integrity_check")]
    wrong["broken"] += [f"memory: {line}" for line in said if line != "ok"]


def _log(folder: Path) -> Counter[str]:
    path = folder / "work" / LOG
    return Counter(path.read_text().split()) if path.exists() else Counter()


def _count(kind: Kind, folder: Path, wrong: list[str]) -> None:
    wrong += [f"{line} was done {times} times" for line, times in _log(folder).items() if times > 1]


def _end(kind: Kind, folder: Path, after: Journal, wrong: list[str]) -> None:
    outcome = after.state.outcome
    if outcome is None or outcome.status != kind.ends or outcome.answer != kind.answer:
        wrong.append(f"it ended {outcome.status}: {outcome.why} {outcome.answer}" if outcome else "it did not end")
    if missing := set(kind.lines) - set(_log(folder)):
        wrong.append(f"not done: {', '.join(sorted(missing))}")
    if more := set(_log(folder)) - set(kind.lines):
        wrong.append(f"done besides: {', '.join(sorted(more))}")
    for name, text in kind.files.items():
        path = folder / "work" / name
        found = path.read_text() if path.exists() else None
        if found != text:
            wrong.append(f"{name} holds {found!r:.60}")

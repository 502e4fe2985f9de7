"""A process that ends at any event leaves a journal to go on from, and nothing is done twice."""

# ruff: noqa: ASYNC220 - nothing else runs while a process is waited for
from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from deskcrew.actions.action import Result
from deskcrew.engine import session
from deskcrew.engine.steps import executing
from deskcrew.facts import events as e
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support import chore
from support.crew import bodies, go_on, settings_in
from support.folders import written
from support.sampling import sampled
from support.servers import PostgresServer
from support.waiting import LATEST, all_end, until

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("words_only")]

EVENTS = 66
"""The chore has no more events than this; :func:`test_the_chore` says when that is no longer so."""


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


async def begin(folder: Path, killed_at: int) -> None:
    """The chore, ended at an event."""

    def watch(event: e.Event, journal: Journal) -> None:
        if event.number == killed_at:
            raise Killed

    settings, model = settings_in(folder), chore.crew_in(folder)
    await session.run(chore.request_in(folder), settings, watch=watch, model=model)


async def finish(folder: Path) -> Journal:
    """Go on with the only run there is and check what holds wherever it was ended."""
    settings = settings_in(folder)
    before = Store.of(settings).journal("last")
    assert before.verify() == []
    ended = [body.operation for body in bodies(before, e.ActionFinished) if body.ok]
    open_ = before.state.action
    journal = await go_on(chore.request_in(folder), settings, before.run, chore.crew_in(folder))

    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer, outcome.verified_by) == ("done", "42", "judge"), outcome
    assert journal.events[: len(before.events)] == before.events
    assert journal.verify() == []
    again = RunState()
    for event in journal.events:
        again.apply(event)
    assert again == journal.state
    assert sorted((folder / "work/log.txt").read_text().split()) == sorted(chore.LINES)
    later = journal.events[len(before.events) :]
    started = [x.body.operation for x in later if isinstance(x.body, e.ActionStarted)]
    assert not [operation for operation in ended if operation in started], "done again"
    if open_ is not None:
        assert later[0].body.type == "action_interrupted"
        assert later[0].header.cause == open_.id
        asked = next(x for x in later if isinstance(x.body, e.RoleCalled | e.ActionStarted))
        assert isinstance(asked.body, e.RoleCalled), "the role is asked before anything is done"
    return journal


async def test_the_chore(tmp_path: Path) -> None:
    await begin(tmp_path, 0)
    journal = Store(settings_in(tmp_path).journal).journal("last")
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert EVENTS - 8 < len(journal.events) <= EVENTS
    finished = bodies(journal, e.ActionFinished)
    assert [body.ok for body in finished] == [True, False, True, True, True]
    assert sorted((tmp_path / "work/log.txt").read_text().split()) == sorted(chore.LINES)


@pytest.mark.parametrize(("number", "kept"), sampled(list(itertools.product(range(1, EVENTS), (True, False))), 8))
async def test_ended_at_an_event(tmp_path: Path, number: int, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """``kept``: the journal is cut right after this event; else it ends with what had been committed, as after SIGKILL."""
    with monkeypatch.context() as patch:
        if not kept:
            patch.setattr(Journal, "close", lambda self: None)
        try:
            await begin(tmp_path, number)
        except Killed:
            pass
        else:
            return  # the chore has fewer events
    before = Store(settings_in(tmp_path).journal).journal("last")
    assert len(before.events) == number if kept else len(before.events) <= number
    await finish(tmp_path)


@pytest.mark.parametrize("done_before", [True, False], ids=["done", "not-done"])
@pytest.mark.parametrize("nth", sampled(range(5), 2))
async def test_ended_within_an_action(tmp_path: Path, nth: int, done_before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the action happened is not known to the engine; the role looks, and it happens once."""
    perform, count = executing.perform, iter(range(100))

    def dying(*arguments: Any) -> Result:
        mine = next(count) == nth
        if mine and not done_before:
            raise Killed
        result = perform(*arguments)
        if mine:
            raise Killed
        return result

    with monkeypatch.context() as patch:
        patch.setattr(executing, "perform", dying)
        patch.setattr(Journal, "close", lambda self: None)
        with pytest.raises(Killed):
            await begin(tmp_path, 0)
    journal = await finish(tmp_path)
    assert len(bodies(journal, e.ActionInterrupted)) == 1


async def test_the_start_of_an_action_is_on_disk_before_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    perform, path = executing.perform, settings_in(tmp_path).journal
    seen: list[str] = []

    def looking(*arguments: Any) -> Result:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            query = "SELECT body FROM events ORDER BY number DESC LIMIT 1"
            seen.append(connection.execute(query).fetchone()[0])
        return perform(*arguments)

    monkeypatch.setattr(executing, "perform", looking)
    await begin(tmp_path, 0)
    assert len(seen) == 5
    assert all('"type":"action_started"' in body for body in seen)


def killed(folder: Path, mode: str) -> int:
    """The exit code of the chore in a process of its own."""
    command = [sys.executable, "-W", "error", chore.__file__, str(folder), mode]
    return subprocess.run(command, capture_output=True, check=False, timeout=LATEST).returncode


@pytest.mark.fault
@pytest.mark.parametrize("number", sampled([20, 2, 9, 27, 38, 50], 1))
async def test_a_killed_process(tmp_path: Path, number: int) -> None:
    assert killed(tmp_path, str(number)) == -signal.SIGKILL
    await finish(tmp_path)


@pytest.fixture
def server(postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """What the journals of these settings are on."""
    monkeypatch.setenv("DESKCREW_DATABASE", postgres.journal())
    return postgres


@pytest.mark.fault
@pytest.mark.parametrize("number", sampled([9, 2, 20, 27, 38, 50], 1))
async def test_a_killed_process_whose_journal_is_on_a_server(tmp_path: Path, number: int, server: PostgresServer) -> None:
    assert killed(tmp_path, str(number)) == -signal.SIGKILL
    await finish(tmp_path)
    assert not settings_in(tmp_path).journal.exists()


@pytest.mark.fault
@pytest.mark.parametrize("number", sampled([30, 3, 12, 21, 45, 60], 1))
async def test_a_server_that_crashes_in_the_middle_of_a_run(tmp_path: Path, number: int, server: PostgresServer) -> None:
    """The run goes on when it is there again, and knows of nothing."""

    def watch(event: e.Event, journal: Journal) -> None:
        if event.number == number:
            server.stop("immediate")
            server.start()

    await session.run(chore.request_in(tmp_path), settings_in(tmp_path), watch=watch, model=chore.crew_in(tmp_path))
    journal = await finish(tmp_path)
    assert len(bodies(journal, e.ActionStarted)) == 5


@pytest.mark.fault
@pytest.mark.deep
async def test_a_process_killed_while_a_program_runs(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, chore.__file__, str(tmp_path), "sleep"])
    log = tmp_path / "work/log.txt"
    assert until(lambda: written(tmp_path, log.name))
    below = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert below, "no program was running"
    assert all_end(below), "programs of the crew outlived it"
    journal = await finish(tmp_path)
    assert len(bodies(journal, e.ActionInterrupted)) == 1

"""What a node does with a run: real runs whose journal is on a server, killed, moved, asked, cancelled."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.human.responder import meant
from deskcrew.facts.events import ActionStarted, RunResumed
from deskcrew.journal.store import Store
from deskcrew.ways_in.fleet import remote_person, work
from deskcrew.ways_in.fleet.remote_person import QUESTION, RESPONSE
from deskcrew.ways_in.fleet.submissions import Submissions
from deskcrew.ways_in.fleet.tasks import Task
from deskcrew.ways_in.fleet.work import perform
from fleet.conftest import Fleet
from support.required import usual
from support.waiting import LATEST, until


def shell(command: str, *, last: bool = False) -> dict[str, Any]:
    operation = {"function": "run_shell", "command": command}
    return {"operations": [operation], "branch": "RoleTaskFinish" if last else "Continue"}


PERFORM = """
import json, sys
from deskcrew.ways_in.fleet.work import perform
from deskcrew.settings import Settings
perform(Settings.model_validate_json(sys.argv[1]), sys.argv[2], "node")
"""


def begun(fleet: Fleet, run: str) -> subprocess.Popen[bytes]:
    """A process that is at the run."""
    return subprocess.Popen([sys.executable, "-c", PERFORM, fleet.settings.model_dump_json(), run])


def killed_at(fleet: Fleet, run: str, reached: Callable[[], object]) -> None:
    process = begun(fleet, run)
    try:
        assert until(lambda: reached() or process.poll() is not None)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait(LATEST)


def test_files_come_from_where_the_submission_says_and_go_there(fleet: Fleet) -> None:
    given, results = fleet.folder / "given", fleet.folder / "results"
    given.mkdir()
    (given / "a.txt").write_text("one\n")
    model = fleet.script(shell("wc -l < a.txt > lines.txt; ls", last=True))
    (run,) = fleet.submit(Task(task="Count the lines."), model=model, workspace=str(given), results=str(results))
    perform(fleet.settings, run, "node")
    assert (results / run / "lines.txt").read_text().strip() == "1"
    assert [path.name for path in given.iterdir()] == ["a.txt"]
    row = fleet.row(run)
    assert (row.state, row.node, row.begun) == ("unverified", "node", 1)
    store = fleet.submissions.store
    assert store.verified(run).problems == ()
    assert not (fleet.settings.data / "workspaces" / run).exists()
    assert [line.split(":")[0] for line in fleet.log(run)] == ["begins", "has ended"]
    (line,) = fleet.submissions.status()
    assert line.tokens > 0
    perform(fleet.settings, run, "another node")
    assert store.journal(run).all[-1].id == store.verified(run).head
    assert fleet.row(run).begun == 1


def test_what_is_wrong_with_a_run_is_its_end(fleet: Fleet) -> None:
    (run,) = fleet.submit(Task(task="Do it.", workspace="/nowhere/at/all"))
    perform(fleet.settings, run, "node")
    assert fleet.row(run).state == "failed"
    assert "There is no folder /nowhere/at/all" in fleet.row(run).why
    assert not fleet.submissions.store.has(run)


@pytest.mark.deep
@pytest.mark.fault
@pytest.mark.parametrize("moved", [False, True], ids=["the same machine", "another machine"])
def test_a_run_whose_process_was_killed_goes_on_from_its_journal(fleet: Fleet, moved: bool) -> None:
    """On another machine, whose data folder has the same path and other content, its files come from the journal."""
    results = fleet.folder / "results"
    model = fleet.script(shell("echo one >> log.txt"), shell("touch begun; sleep 30"))
    (run,) = fleet.submit(model=model, results=str(results))
    store = fleet.submissions.store

    def in_second() -> bool:
        return store.has(run) and sum(isinstance(e.body, ActionStarted) for e in store.journal(run).events) == 2

    killed_at(fleet, run, in_second)
    script = Path(model.removeprefix("scripted:"))
    script.write_text(json.dumps([shell("echo two >> log.txt", last=True)]))
    if moved:
        fleet.settings.data.rename(fleet.folder / "gone")
        fleet.sql("UPDATE runs SET held_until = 0")
    perform(fleet.settings, run, "another node")
    assert (results / run / "log.txt").read_text() == "one\ntwo\n"
    assert (fleet.row(run).state, fleet.row(run).begun) == ("unverified", 2)
    journal = Store.of(fleet.settings).journal(run)
    assert journal.verify() == []
    assert sum(isinstance(event.body, RunResumed) for event in journal.events) == 1


@pytest.mark.deep
def test_two_who_are_told_to_do_a_run_do_it_once(fleet: Fleet) -> None:
    results = fleet.folder / "results"
    model = fleet.script(shell("sleep 1; echo one >> log.txt", last=True))
    (run,) = fleet.submit(model=model, results=str(results))
    both = [begun(fleet, run) for _ in range(2)]
    assert [process.wait(LATEST) for process in both] == [0, 0]
    assert (results / run / "log.txt").read_text() == "one\n"
    journal = fleet.submissions.store.journal(run)
    assert sum(isinstance(event.body, ActionStarted) for event in journal.events) == 1
    assert fleet.row(run).state == "unverified"


@pytest.mark.deep
def test_a_run_that_is_cancelled_ends_in_order(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "EVERY", 0.1)
    (run,) = fleet.submit(model=fleet.script(shell("touch begun; sleep 60", last=True)))

    def cancel() -> None:
        at_it = Submissions(fleet.settings)
        until(lambda: (fleet.settings.data / "layers").exists() and at_it.store.has(run))
        at_it.cancel(run)
        at_it.store.close()

    other = threading.Thread(target=cancel)
    other.start()
    perform(fleet.settings, run, "node")
    other.join()
    assert fleet.row(run).state == "cancelled"
    outcome = fleet.submissions.store.journal(run).state.outcome
    assert outcome is not None
    assert outcome.status == "stopped"


@pytest.mark.deep
@pytest.mark.parametrize("word", ["yes", "no"])
def test_a_question_outlives_its_process_and_is_answered_from_anywhere(
    fleet: Fleet, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_person, "EVERY", 0.05)
    monkeypatch.setattr(remote_person, "HOLDS", 0.3)
    given, results = fleet.folder / "given", fleet.folder / "results"
    given.mkdir()
    (given / "a.txt").write_text("the user's")
    deletes = {"operations": [{"function": "run_shell", "command": "rm a.txt"}], "branch": "RoleTaskFinish"}
    enough = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    model = fleet.script(deletes, enough)
    place = {"workspace": str(given), "results": str(results)}
    (run,) = fleet.submit(Task(task="Delete a.txt."), model=model, mode="passive", required=usual("Delete a.txt."), **place)
    perform(fleet.settings, run, "node")
    row = fleet.row(run)
    assert row.state == "asking"
    assert fleet.submissions.open(10) == [], "it takes nobody's place while it waits"
    perform(fleet.settings, run, "node")
    assert fleet.row(run).begun == 1
    assert row.question is not None
    question = QUESTION.validate_json(row.question)
    answer = RESPONSE.dump_json(meant(question, word)).decode()
    assert fleet.submissions.answer(run, row.question, answer)
    assert not fleet.submissions.answer(run, row.question, answer), "it is answered"
    perform(fleet.settings, run, "another node")
    assert fleet.row(run).question is None
    assert (fleet.row(run).state == "done") is (word == "yes")
    assert (results / run / "a.txt").exists() is (word == "no")

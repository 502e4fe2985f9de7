"""A person at a pseudo terminal in a real run: questions of active mode, the menu, commands at any time."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.human.questions import OperationQuestion, ReadValue
from deskcrew.facts import events as e
from deskcrew.facts.verdict import EXIT_CODES
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.person import shown
from deskcrew.ways_in.schedules.changing import meant_by
from deskcrew.ways_in.schedules.schedule import Schedules
from support.crew import bodies
from support.waiting import LATEST

PLAN = {"subtasks": [{"goal": "write hello", "role": "FileManager"}], "question": ""}
SLOW = "import time; open('begun', 'w').close(); time.sleep(1.5)"


def writing(file: str) -> dict[str, Any]:
    return {"operations": [{"function": "write_file", "file_path": file, "text": "hello"}], "branch": "RoleTaskFinish"}


class Session:
    """`deskcrew run` on a terminal of its own."""

    def __init__(
        self,
        folder: Path,
        replies: list[Any],
        *options: str,
        environment: dict[str, str] | None = None,
        task: str = 'Write "hello" into hello.txt.',
        required: tuple[str, ...] = ("--require", "file_contains hello.txt hello"),
        command: tuple[str, ...] = ("run",),
        within: tuple[str, ...] = (),
    ) -> None:
        self.data, self.work = folder / "data", folder / "work"
        self.work.mkdir(exist_ok=True)
        script = folder / "script.json"
        script.write_text(json.dumps(replies))
        program = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", *command, task]
        program += ["--data", str(self.data), "--workspace", str(self.work), "--desktop", "none"]
        program += ["--model", f"scripted:{script}", *required, *options]
        self._fork([*within, *program], environment or {})

    def _fork(self, command: list[str], environment: dict[str, str]) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update({"COLUMNS": "150", **environment})
            os.execvp(command[0], command)
        self.raw, self._seen = "", 0
        self.code: int | None = None

    def until(self, text: str, seconds: float = LATEST) -> None:
        """Read until ``text`` is shown after what was waited for before."""
        end = time.monotonic() + seconds
        while text not in self.said[self._seen :]:
            assert self.read(end - time.monotonic()), f"no {text!r} in:\n{self.said}"
        self._seen = self.said.index(text, self._seen) + len(text)

    def read(self, seconds: float = LATEST) -> bool:
        """Read what comes next; False when nothing does in time, or the program has ended."""
        if not select.select([self.terminal], [], [], max(0, seconds))[0]:
            return False
        try:
            chunk = os.read(self.terminal, 4096)
        except OSError:
            return False
        self.raw += chunk.decode(errors="replace")
        return bool(chunk)

    @property
    def said(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw)

    def type(self, line: str) -> None:
        os.write(self.terminal, line.encode() + b"\n")

    def end(self) -> Journal:
        """Read to the end and return the run."""
        self.ends()
        return Store(self.data / "journal.db").journal("last")

    def ends(self) -> None:
        """Read to the end."""
        while self.read():
            pass
        self._await_end()

    def closed(self) -> Journal:
        """Close the window of the terminal, wait for the end, and return the run."""
        os.close(self.terminal)
        self.terminal = os.open(os.devnull, os.O_RDONLY)
        self._await_end()
        return Store(self.data / "journal.db").journal("last")

    def _await_end(self) -> None:
        deadline = time.monotonic() + LATEST
        while (found := os.waitpid(self.pid, os.WNOHANG)) == (0, 0):
            assert time.monotonic() < deadline, f"it does not end:\n{self.said}"
            time.sleep(0.05)
        _, status = found
        self.code = os.waitstatus_to_exitcode(status)

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.terminal)[3] & termios.ECHO)


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """None outlives its test."""
    begun: list[Session] = []
    yield begun
    for each in begun:
        if each.code is None:
            os.kill(each.pid, signal.SIGKILL)
            os.waitpid(each.pid, 0)
        os.close(each.terminal)


def begin(sessions: list[Session], *arguments: Any, **more: Any) -> Session:
    sessions.append(Session(*arguments, **more))
    return sessions[-1]


def test_what_a_small_model_understood_is_changed_value_by_value(
    sessions: list[Session], own_settings: Path, tmp_path: Path
) -> None:
    (folder := own_settings / "config/deskcrew").mkdir(parents=True, exist_ok=True)
    (folder / "models.toml").write_text(
        '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
    )
    (work := tmp_path / "work").mkdir()
    (work / "sales.csv").write_text("Region,Amount\nNorth,120\nSouth,80\nWest,200\n")
    task = "Sort the regions in sales.csv, the biggest amounts first."
    run = begin(sessions, tmp_path, [{"column": "Region"}], task=task, required=())
    run.until("result: sales sorted.csv  (not in your words)")
    run.until("e = change the values]")
    run.type("e")
    run.until("source (sales.csv) [sales.csv]")
    run.type("")
    run.until("column (Region, Amount) [Region]")
    run.type("Price")
    run.until("column cannot be 'Price'. It may be: Region, Amount")
    run.until("column (Region, Amount) [Region]")
    run.type("/")
    run.until("e = change the values]")
    run.type("e")
    run.until("source (sales.csv) [sales.csv]")
    run.type("")
    run.until("column (Region, Amount) [Region]")
    run.type("Amount")
    run.until("order (ascending, descending) [descending, - for none]")
    for asked in ("", "then (Region, Amount) [", "then_order (ascending, descending) [", "sheet [", "where ["):
        run.until(asked)
        run.type("")
    run.until("result [sales sorted.csv]")
    run.type("sales.csv")
    run.until("there is already a file 'sales.csv'")
    run.until("result [sales sorted.csv]")
    run.type("by-amount.csv")
    journal = run.end()
    assert run.code == 0, run.said
    assert (work / "by-amount.csv").read_text() == "Region,Amount\nWest,200\nNorth,120\nSouth,80\n"
    assert bodies(journal, e.Understood)[-1].edited == ("column", "result")


@pytest.mark.parametrize(
    ("given", "allowed"),
    [("b.csv, A.csv", True), ("*.csv", True), ("b.csv, c.csv", False), ("c.csv", False), ("a, b.csv", True)],
)
def test_a_value_may_be_what_there_is(given: str, allowed: bool) -> None:
    assert ReadValue(name="files", value="", choices=("a.csv", "b.csv", "a, b.csv")).allows(given) is allowed
    assert ReadValue(name="text", value="").allows(given), "there is nothing that it must be"


@pytest.mark.first_case
@pytest.mark.parametrize(("word", "code"), [("y", 0), ("n", 2), ("\x03", 6)])
def test_whoever_makes_a_schedule_says_what_its_task_means(
    sessions: list[Session], own_settings: Path, tmp_path: Path, word: str, code: int
) -> None:
    (folder := own_settings / "config/deskcrew").mkdir(parents=True, exist_ok=True)
    (folder / "models.toml").write_text(
        '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
    )
    (work := tmp_path / "work").mkdir()
    (work / "sales.csv").write_text("Region,Amount\nNorth,120\nSouth,80\nWest,200\n")
    task = "Sort the regions in sales.csv, the biggest amounts first."
    every = begin(sessions, tmp_path, [{"column": "Amount"}], command=("every", "9:00"), task=task, required=())
    every.until("result: sales sorted.csv  (not in your words)")
    every.type(word)
    every.ends()
    assert every.code == code, every.said
    settings = Settings(data=every.data, config=folder)
    listed = [meant_by(each, settings) for each in Schedules(settings).all()]
    assert [each.skill for each in listed if each is not None] == (["sort-table"] if word == "y" else [])
    assert len(listed) == (word == "y")
    assert [path.name for path in work.iterdir()] == ["sales.csv"]


@pytest.mark.deep
def test_active_mode_on_a_terminal(sessions: list[Session], tmp_path: Path) -> None:
    """The plan is accepted, a reply is guided, the next one's operation is accepted."""
    run = begin(sessions, tmp_path, [PLAN, writing("wrong.txt"), writing("hello.txt")], "--mode", "active")
    run.until("reply of Planner")
    run.until("Enter or y accepts")
    run.type("")
    run.until("wrong.txt")
    run.until("Enter or y accepts")
    run.type("no, call it hello.txt")
    run.until("Enter or y accepts")
    run.type("y")
    run.until("Allow it? [Y/n")
    run.type("foo")
    run.until("To tell it to the role: guide foo")
    run.until("Allow it? [Y/n")
    run.type("help")
    run.until("any sentence")
    run.until("Allow it? [Y/n")
    run.type("")
    journal = run.end()
    assert run.code == 0, run.said
    assert [(b.kind, b.role, b.text) for b in bodies(journal, e.HumanSaid)] == [
        ("guide", "FileManager", "no, call it hello.txt")
    ]
    assert [path.name for path in run.work.iterdir()] == ["hello.txt"]


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("within", "ends"),
    # Told of it, it may find that nobody answers any more before it is told.
    [((), {"stopped", "failed"}), (("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"), {"failed"})],
    ids=["told of it", "not told of it"],
)
def test_a_run_ends_when_the_window_is_closed_in_which_it_asks(
    sessions: list[Session], tmp_path: Path, within: tuple[str, ...], ends: set[str]
) -> None:
    run = begin(sessions, tmp_path, [PLAN, writing("hello.txt")], "--mode", "active", within=within)
    run.until("Enter or y accepts")
    journal = run.closed()
    assert journal.state.outcome is not None
    assert journal.state.outcome.status in ends
    assert run.code == EXIT_CODES[journal.state.outcome.status]
    assert not (run.work / "hello.txt").exists()


@pytest.mark.deep
def test_an_operation_is_edited_in_the_editor(sessions: list[Session], tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i s/wrong.txt/hello.txt/ $1\n")
    editor.chmod(0o755)
    environment = {"EDITOR": str(editor), "VISUAL": ""}
    run = begin(sessions, tmp_path, [PLAN, writing("wrong.txt")], "--mode", "active", environment=environment)
    for answer in ("", ""):
        run.until("Enter or y accepts")
        run.type(answer)
    run.until("Allow it?")
    run.type("e")
    journal = run.end()
    assert run.code == 0, run.said
    assert len(bodies(journal, e.OperationProposed)) == 2
    assert [path.name for path in run.work.iterdir()] == ["hello.txt"]


@pytest.mark.deep
def test_enter_holds_the_run_and_shows_a_menu(sessions: list[Session], tmp_path: Path) -> None:
    """In automatic mode; what is held back is shown; an unknown word says what there is; the plan is shown and changed; then
    the run goes on."""
    slow = {"subtasks": [{"goal": g, "role": r} for g, r in (("wait", "Programmer"), ("write hello", "FileManager"))]}
    codes = [{"function": "run_python_code", "code": code} for code in (SLOW, "print(6 * 7)")]
    waits = {"operations": codes, "branch": "RoleTaskFinish"}
    replies = [slow | {"question": ""}, waits, writing("hello.txt")]
    run = begin(sessions, tmp_path, replies, "--require", "file_exists begun")
    run.until("Run Python")
    run.type("")
    run.until("Pausing after this step (Programmer: Run Python")
    run.until("The run is paused")
    run.until("Programmer is about to do this:")
    run.until("Run Python: print(6 * 7)")
    run.until("> ")
    assert run.echoes
    run.type("frobnicate")
    run.until("Type help")
    run.type("plan")
    run.until("write hello")
    run.until("> ")
    run.type("take over")
    run.until("no desktop that could be taken over")
    run.type("plan edit 2 write hello again")
    run.until("write hello again")
    run.until("> ")
    run.type("resume")
    journal = run.end()
    assert run.code == 0, run.said
    assert [b.kind for b in bodies(journal, e.HumanSaid)] == ["pause", "resume"]
    assert [b.by for b in bodies(journal, e.PlanPatched)] == ["Planner", "human"]


def test_a_command_is_typed_while_the_run_goes_on(sessions: list[Session], tmp_path: Path) -> None:
    """What is typed does not stand in the spinner's line, and the terminal is left as it was."""
    waits = {"operations": [{"function": "run_python_code", "code": SLOW}], "branch": "Continue"}
    plan = {"subtasks": [{"goal": "wait", "role": "Programmer"}], "question": ""}
    run = begin(sessions, tmp_path, [plan, waits])
    run.until("Run Python")
    assert not run.echoes
    run.type("stop")
    journal = run.end()
    assert run.code == 6, run.said
    assert [b.kind for b in bodies(journal, e.HumanSaid)] == ["stop"]
    assert run.echoes
    assert run.said.count("stop (after this step)") == 1


TOLD = """import sys
from pathlib import Path
from deskcrew.engine.request import RunRequest
from deskcrew.ways_in.cli.options import settings_with
from deskcrew.ways_in.cli.watched import perform
data, script = map(Path, sys.argv[1:])
request = RunRequest(task="wait", model=f"scripted:{script}", desktop="none")
sys.exit(perform(request, settings_with(data), json=False, told=lambda event, look: [event.body.type])[0])"""


class Watched(Session):
    """A run that is told as a story, as the demo is."""

    def _fork(self, command: list[str], environment: dict[str, str]) -> None:
        script = command[command.index("--model") + 1].removeprefix("scripted:")
        super()._fork([sys.executable, "-c", TOLD, str(self.data), script], environment)


def test_enter_alone_does_not_hold_a_run_that_is_told_as_a_story(sessions: list[Session], tmp_path: Path) -> None:
    waits = {"operations": [{"function": "run_python_code", "code": SLOW}], "branch": "RoleTaskFinish"}
    sessions.append(run := Watched(tmp_path, [{"requirements": [], "context": [1], "question": ""}, waits]))
    run.until("action_started")
    run.type("")
    run.until("run_finished")
    assert bodies(run.end(), e.HumanSaid) == []


@pytest.mark.parametrize(("intention", "told"), [("to tidy up", ""), ("", "It has run.")])
def test_a_reason_is_the_roles_own_and_the_engines_words_are_not_called_one(intention: str, told: str) -> None:
    operation = e.Operation(function="write_file", params={"file_path": "a.txt"})
    text = shown(OperationQuestion(role="Clerk", subtask="1", operation=operation, intention=intention, told=told)).plain
    assert ("as Clerk says: to tidy up" in text) == bool(intention)
    assert ("reason" in text) == bool(intention)
    assert told in text


def with_one_reply(sessions: list[Session], folder: Path) -> Session:
    looks = {"operations": [{"function": "run_python_code", "code": "print(6 * 7)"}], "branch": "Continue"}
    options = ("--crew", "solo", "--mode", "passive", "--limit", "replies=1")
    return begin(sessions, folder, [looks, writing("hello.txt")], *options)


def test_who_is_at_the_terminal_is_asked_for_more_of_what_is_used_up(sessions: list[Session], tmp_path: Path) -> None:
    run = with_one_reply(sessions, tmp_path)
    run.until("The limit of 1 replies is used up. Go on with as many again?")
    run.until("[y/N] ")
    run.type("perhaps")
    run.until("'perhaps' is not an answer here.")
    run.until("[y/N] ")
    run.type("y")
    run.until("you: continue, up to 2 replies")
    journal = run.end()
    assert run.code == 0, run.said
    assert [body.limit for body in bodies(journal, e.LimitRaised)] == [2]


def test_enter_alone_grants_no_more_and_the_end_says_how_to_go_on(sessions: list[Session], tmp_path: Path) -> None:
    run = with_one_reply(sessions, tmp_path)
    run.until("[y/N] ")
    run.type("")
    journal = run.end()
    assert run.code == 4, run.said
    assert f"deskcrew resume {journal.run} --limit replies=2" in " ".join(run.said.split())

"""`deskcrew` alone on a pseudo terminal: tasks, questions about them, corrections, and what is said while it works."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import anyio
import pytest

from cli.test_person import PLAN, SLOW, Session, writing
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.skills.recognising import recognised, unnamed
from deskcrew.ways_in.cli import asked, talk
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.named_here import NamedFiles, given_in_words, slip_here
from deskcrew.ways_in.cli.person import Person
from deskcrew.ways_in.cli.terminal import Terminal

COMMAND = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()"]


class Talk(Session):
    """`deskcrew` alone. The replies of its runs are in a file, which a test writes anew between two of them."""

    def __init__(self, folder: Path) -> None:
        self.data, self.script = folder / "data", folder / "script.json"
        self._fork(COMMAND, {"DESKCREW_DATA": str(self.data), "DESKCREW_MODEL": f"scripted:{self.script}"})

    def until(self, text: str, seconds: float = 60) -> None:
        super().until(text, seconds)

    def replies(self, *replies: Any) -> None:
        self.script.write_text(json.dumps(replies))

    @property
    def runs(self) -> list[Journal]:
        """All runs, the first one first."""
        store = Store(self.data / "journal.db")
        return [store.journal(row.id) for row in reversed(store.runs())]

    def says(self, line: str, *answers: str) -> None:
        """Say something, answer what it asks, and wait until the next thing can be said."""
        self.until("\n> ")
        self.type(line)
        for prompt in answers:
            self.until(prompt)
            self.type("y")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Talk]:
    begun = Talk(tmp_path)
    yield begun
    if begun.code is None:
        os.kill(begun.pid, signal.SIGKILL)
        os.waitpid(begun.pid, 0)
    os.close(begun.terminal)


def made(journal: Journal) -> Path:
    assert journal.state.started is not None
    return Path(journal.state.started.workspace)


def test_a_task_questions_about_it_what_comes_then_and_what_was_wrong(session: Talk) -> None:
    session.until("exit leaves")
    session.replies(PLAN, writing("hello.txt"))
    session.says('/run --approve --desktop none "Write hello into hello.txt."')
    session.until("see again")
    (first,) = session.runs
    assert (made(first) / "hello.txt").read_text() == "hello"

    session.says("What did you do?")
    session.until('Write "hello" into hello.txt')
    session.until(f"created  {made(first) / 'hello.txt'}")
    session.says("what did it cost?")
    session.until("2 model calls")
    session.says("Where are the files?")
    session.until(str(made(first)))
    assert len(session.runs) == 1, "questions about a run are no runs"

    session.replies(PLAN, writing("more.txt"))
    session.says("Then write hello into more.txt, please")
    session.until(f"It continues run {first.run}")
    session.until("see again")
    first, second = session.runs
    assert second.state.started is not None
    assert [each.run for each in second.state.started.earlier] == [first.run]
    assert made(second) == made(first)
    assert second.state.started.mode == "passive"

    session.replies(PLAN, writing("other.txt"))
    session.says("no, call it other.txt", "Go back?")
    session.until("see again")
    first, second = session.runs
    assert not (made(second) / "more.txt").exists(), "the work that was wrong is undone"
    assert (made(second) / "other.txt").exists()
    assert (made(second) / "hello.txt").exists(), "what was right before it is not"
    assert [each.text for each in second.state.guidance] == ["no, call it other.txt"]

    session.replies()
    session.says("and put it into French")
    session.until("outcome")
    session.says("undo")
    session.until("changed no files. It continues this run:")
    session.until(f"Run {second.run}: Then write hello into more.txt")
    session.until("other.txt")
    for neither in ("  ", "maybe"):
        session.until("Go back? [Y/n]")
        session.type(neither)
        session.until("Type y or n.")
    session.until("Go back?")
    assert (made(second) / "other.txt").exists(), "only a clear yes undoes"
    session.type("y")
    session.until("was put back")
    assert not (made(second) / "other.txt").exists()
    session.replies(PLAN, writing("new.txt"))
    session.says("Write hello into new.txt")
    session.until("see again")
    third = session.runs[3]
    assert third.state.started is not None
    assert not third.state.started.earlier, "nothing follows a run that was undone"

    session.says("exit")
    session.ends()
    assert session.code == 0


def test_a_sentence_while_it_works_is_heard_and_stop_ends_the_run_not_the_session(session: Talk) -> None:
    plan = {**PLAN, "subtasks": [{"goal": "write hello", "role": "Programmer"}]}
    slow = {"operations": [{"function": "run_python_code", "code": SLOW}], "branch": "Continue"}
    last = {
        "operations": [{"function": "run_python_code", "code": "open('hello.txt', 'w').write('hello')"}],
        "branch": "RoleTaskFinish",
    }
    session.replies(plan, slow, last)
    session.says('/run --desktop none "Write hello into hello.txt."')
    session.until("import time")
    session.type("use small letters only")
    session.until("> use small letters only (after this step)")
    session.until("see again")
    (run,) = session.runs
    assert [each.text for each in run.state.guidance] == ["use small letters only"]

    session.replies(plan, slow, slow, slow)
    session.says("write it again")
    session.until("import time")
    session.type("stop")
    session.until("stopped by you")
    session.says("stop")
    session.until("No run is in progress")
    session.replies(plan, slow, slow, slow)
    session.says("and once more")
    session.until("import time")
    os.write(session.terminal, b"\x03")
    session.until("stopped by you")
    session.says("resume")
    session.until("import time")
    os.write(session.terminal, b"\x03")
    session.until("stopped by you")
    session.until("\n> ")
    for _ in range(10):  # what is pressed before it reads again belongs to the run
        os.write(session.terminal, b"\x03")
        if not session.read(2):
            assert os.waitpid(session.pid, os.WNOHANG) == (0, 0), f"it ended at the prompt:\n{session.said[-2000:]}"
        if "exit or Ctrl-D leaves" in session.said:
            break
    else:
        pytest.fail(f"Ctrl-C at the prompt was not heard:\n{session.said[-2000:]}")
    while session.read(2):
        pass  # an end of input that comes before it reads again is lost, as in any shell
    os.write(session.terminal, b"\x04")
    session.ends()
    assert session.code == 0


def test_what_came_too_late_to_be_heard_is_known() -> None:
    class Typed:
        lines = iter(["use small letters only", "pause", None])

        async def line(self) -> str | None:
            return next(self.lines)

    person = Person(console(), nullcontext, cast("Terminal", Typed()), lambda: None)
    anyio.run(person.listen)
    assert person.unheard() == ["use small letters only"]


def test_what_is_wrong_is_said_and_the_session_goes_on(session: Talk) -> None:
    session.says("frobnicate")
    session.until("alone is not a task")
    session.says("no, the other one")
    session.until("There is no run")
    session.says("/rnu x")
    session.until("Did you mean 'run'")
    session.says("what did you do?")  # of no run: it is a task, and the script is not there
    session.until("script.json")
    session.says("/log last")
    session.until("There are no runs")
    session.says("quit")
    session.ends()
    assert session.code == 0


def test_without_a_terminal_it_shows_the_help(tmp_path: Path) -> None:
    ended = subprocess.run(COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    assert "Usage: deskcrew" in ended.stdout


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("remove the last line of notes.txt", ("run", "--follow-up=R", "--", "remove the last line of notes.txt")),
        ("No duplicates may remain", ("run", "--follow-up=R", "--", "No duplicates may remain")),
        ("-x is the name of the file", ("run", "--follow-up=R", "--", "-x is the name of the file")),
        ("sort a.csv --workspac ..", ("run", "--follow-up=R", "--workspac", "..", "--", "sort a.csv")),
        ("sort a -- and b", ("run", "--follow-up=R", "--", "sort a -- and b")),
        ("no: the other file", ("rewind", "R", "N", "--say=no: the other file")),
        ("Not that one, b.txt", ("rewind", "R", "N", "--say=Not that one, b.txt")),
        ("/undo", ("undo", "R")),
        ("log", ("log", "R")),
        ('deskcrew rewind 0101 4 --say "not so"', ("rewind", "0101", "4", "--say", "not so")),
        ("/log 0101 --all", ("log", "0101", "--all")),
    ],
)
def test_what_a_line_means(run: Journal, line: str, command: tuple[str, ...]) -> None:
    first = next(event.number for event in run.events if isinstance(event.body, e.RoleReplied))
    here = tuple(word.replace("=R", f"={run.run}") if word != "R" else run.run for word in command)
    assert talk.meant(line, run, mine=True).command == tuple(str(first) if word == "N" else word for word in here)


def test_a_session_works_on_copies_of_what_is_named_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sales.csv").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    session = Talk(tmp_path)
    session.replies()
    session.says("Sort sales.csv by a.")
    session.until("It gets copies of sales.csv.")
    session.until("outcome")
    session.says("exit")
    session.ends()
    assert session.code == 0
    os.close(session.terminal)
    assert (made(session.runs[0]) / "sales.csv").read_text() == "a\n"


def test_files_that_are_named_are_given_along_as_copies(tmp_path: Path) -> None:
    here, other, there = tmp_path / "here", tmp_path / "other", tmp_path / "there"
    for folder in (here, other, there):
        folder.mkdir()
    for folder in (here, other):
        (folder / "sales.csv").write_text("a\n")

    assert given_in_words("Sort sales.csv by a", here) == NamedFiles(files=(here / "sales.csv",))
    assert given_in_words("Sort the sales by a", here) == NamedFiles()
    assert slip_here("Sort slaes.csv by a", here) == f"There is no file named slaes.csv in {here}. Nearest: sales.csv."
    assert slip_here("Write june.csv", here) == slip_here("Sort sales.csv by a", here) == ""
    assert given_in_words(f"Sort {other}/sales.csv, please.", here) == NamedFiles(files=(other / "sales.csv",))
    assert given_in_words(f"Sort what is in {other}.", here) == NamedFiles(folder=other)
    assert given_in_words("Sort sales.csv by a", here, there) == NamedFiles(files=(here / "sales.csv",))
    (there / "sales.csv").write_text("c\n")
    assert given_in_words("Sort sales.csv by a", here, there) == NamedFiles(), "that run has its own"


def test_a_new_session_begins_anew_unless_it_says_also(run: Journal) -> None:
    assert talk.meant("write a note", run, mine=False).command == ("run", "--approve", "--", "write a note")
    assert talk.meant("also write a note", run, mine=False).command[1] == f"--follow-up={run.run}"
    with pytest.raises(UsageError, match="no run"):
        talk.meant("no, b.txt", None, mine=False)


@pytest.mark.parametrize(
    "line",
    [
        "What did Anna pay in May?",
        "Where is the largest file of the folder photos?",
        "why is the total of June lower than that of May?",
        "Do it again with all files",
        "What files are in the folder?",
        "What does it cost?",
        "Can you do this?",
        "Is it true?",
        "How many lines has notes.txt?",
    ],
)
def test_a_question_about_the_work_is_a_task(run: Journal, line: str) -> None:
    assert asked.answer(line, run) is None


@pytest.mark.parametrize(
    "line", ["What can you do?", "who are you?", "what can you do", "help me", "Hello", "hi, can you help?"]
)
def test_a_question_about_nothing_is_told_what_can_be_done_here_and_begins_no_run(
    own_settings: Path, tmp_path: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked.about_nothing(line)
    assert talk.Talk(lambda words: pytest.fail(f"it was taken for {words}"), console()).hear(line)
    tasks, *kinds, questions, skills = capsys.readouterr().out.splitlines()
    assert tasks.startswith("Tasks")
    assert [each.split()[0] for each in kinds] == [kind.split()[0] for kind in talk.CHORES]
    assert "what did it cost?" in questions
    assert re.search(r"Skills: \d\d ship", skills)


def test_each_chore_that_is_told_is_that_of_a_skill() -> None:
    meanings = SentenceEmbedder()
    vectors = meanings.embed([unnamed(chore) for chore in talk.CHORES.values()])
    near = [recognised(vector, meanings.name) for vector in vectors]
    assert [max(each, key=each.__getitem__) for each in near if max(each.values()) > 1] == [
        "sort-table",
        "count-rows",
        "replace-text-in-document",
        "merge-pdfs",
        "rename-photos-by-date",
        "sort-files-into-folders",
        "unpack-archive",
        "calendar-to-table",
    ]


@pytest.mark.parametrize(
    "line", ["Can you do this?", "Is it true?", "What did you do?", "Where is it?", "?", "Do it again", "Help me sort it"]
)
def test_what_refers_to_something_is_no_question_about_nothing(line: str) -> None:
    assert not asked.about_nothing(line)


@pytest.mark.parametrize(
    "line",
    [
        "why?",
        "Why did you do that?",
        "what happened?",
        "how much did it cost",
        "Where did you put the files?",
        "is it proven?",
    ],
)
def test_a_question_about_the_run_is_answered(run: Journal, line: str) -> None:
    assert asked.answer(line, run) is not None

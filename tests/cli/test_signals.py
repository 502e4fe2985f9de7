"""Ctrl-C: once ends the run as stopped with exit code 6, twice ends the program at once. In processes of their own."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from support.sampling import sampled
from support.waiting import LATEST

PROGRAM = """
import sys, time
import anyio
from deskcrew.engine import attempts
from deskcrew.facts import events as e
from deskcrew.ways_in.cli import main
from deskcrew.journal.store import Store
from deskcrew.facts.verdict import Outcome

async def run(request, settings, *, watch, human, notice, lend):
    mode = request.task
    if mode == "early":
        print("ready", file=sys.stderr, flush=True)
        await anyio.sleep(60)
    journal = Store(settings.journal).create(e.RunStarted(
        task=mode, crew="c", model="m", mode="automatic", workspace="w", desktop="none"), run="stopped-run")
    journal.watchers.append(lambda event: watch(event, journal))
    watch(journal.events[0], journal)
    journal.append(e.RoleCalled(role="Planner"))
    journal.commit()
    if mode == "approve":
        from deskcrew.engine.human.questions import OperationQuestion
        operation = e.Operation(function="run_shell", params={"command": "ls"})
        said = await human.ask(OperationQuestion(
            role="R", subtask="1", operation=operation, needed=True, risk="write", why="a rule"))
        said = getattr(said, "allowed", said)
        journal.append(e.HumanSaid(kind="answer", text=repr(said)))
        journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="human")))
        journal.close()
        return journal
    print("ready", file=sys.stderr, flush=True)
    try:
        if mode == "blocked":
            while True:
                time.sleep(0.01)
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        if mode == "stubborn":
            with anyio.CancelScope(shield=True):
                await anyio.sleep(60)
        if mode != "silent":
            journal.append(e.RunFinished(outcome=Outcome(status="stopped", why="stopped by the user")))
        raise
    finally:
        journal.close()

attempts.run = run
main(sys.argv[1:])
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def started(program: Path, data: Path) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes of this test; none outlives it."""
    running: list[subprocess.Popen[str]] = []
    yield running
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def begin(started: list[subprocess.Popen[str]], program: Path, data: Path, mode: str, *more: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(program), "run", mode, "--data", str(data), *more],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    started.append(process)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line == "ready\n", line + process.stderr.read()
    return process


def end(process: subprocess.Popen[str], seconds: float = 90) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


@pytest.mark.parametrize("number", sampled([signal.SIGINT, signal.SIGTERM], 1))
def test_once_stops_in_order(
    started: list[subprocess.Popen[str]], program: Path, data: Path, number: signal.Signals
) -> None:
    process = begin(started, program, data, "wait")
    process.send_signal(number)
    code, out, err = end(process)
    assert code == 6, err
    assert "Stopping" in out
    assert "stopped by you" in out
    assert "Traceback" not in err
    journal = Store(data / "journal.db").journal("stopped-run")
    assert isinstance(journal.events[-1].body, e.RunFinished)
    assert journal.verify() == []


@pytest.mark.deep
def test_json_of_a_stopped_run(started: list[subprocess.Popen[str]], program: Path, data: Path) -> None:
    process = begin(started, program, data, "wait", "--json")
    process.send_signal(signal.SIGINT)
    code, out, _ = end(process)
    assert code == 6
    assert (json.loads(out)["outcome"], json.loads(out)["exit_code"]) == ("stopped", 6)


@pytest.mark.deep
def test_stopped_before_the_run_began(started: list[subprocess.Popen[str]], program: Path, data: Path) -> None:
    process = begin(started, program, data, "early", "--json")
    process.send_signal(signal.SIGINT)
    code, out, _ = end(process)
    assert code == 6
    assert json.loads(out)["run"] is None
    assert json.loads(out)["outcome"] == "stopped"


@pytest.mark.deep
def test_a_run_that_could_not_write_its_end(started: list[subprocess.Popen[str]], program: Path, data: Path) -> None:
    process = begin(started, program, data, "silent", "--json")
    process.send_signal(signal.SIGINT)
    code, out, _ = end(process)
    assert code == 6
    assert json.loads(out)["outcome"] == "stopped"


@pytest.mark.parametrize("mode", sampled(["blocked", "stubborn"], 1))
def test_twice_ends_at_once(started: list[subprocess.Popen[str]], program: Path, data: Path, mode: str) -> None:
    """Also when the event loop hangs: the second signal needs nothing of it."""
    process = begin(started, program, data, mode, "--json")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    code, out, err = end(process, 30)  # by itself it would sleep for 60
    assert code == 6
    told = json.loads(out)
    assert (told["run"], told["outcome"], told["exit_code"]) == ("stopped-run", "stopped", 6)
    assert "Ended at once" in err
    assert Store(data / "journal.db").journal("stopped-run").events[0].body.type == "run_started"


def on_a_terminal(program: Path, data: Path, typed: bytes, *, early: bytes = b"") -> tuple[int, str]:
    """The program on a pseudo terminal with --approve: ``early`` is typed before it asks, ``typed`` after."""
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, str(program), "run", "approve", "--approve", "--data", str(data)])
    if early:
        os.write(descriptor, early)
    said = b""
    deadline = time.monotonic() + LATEST
    asked = False
    while time.monotonic() < deadline:
        try:
            chunk = os.read(descriptor, 4096)
        except OSError:
            break
        if not chunk:
            break
        said += chunk
        if not asked and b"Allow it?" in said:
            asked = True
            time.sleep(0.3)
            os.write(descriptor, typed)
    _, status = os.waitpid(pid, 0)
    os.close(descriptor)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said.decode(errors="replace"))
    return os.waitstatus_to_exitcode(status), plain


@pytest.mark.parametrize(
    ("typed", "answer"),
    sampled([(b"Yes\n", "True"), (b"\n", "False"), (b"\x04", "None")], 1),
)
@pytest.mark.deep
def test_approving_on_a_terminal(program: Path, data: Path, typed: bytes, answer: str) -> None:
    code, said = on_a_terminal(program, data, typed)
    assert code == 0, said
    assert "run_shell" in said
    assert "command = ls" in said
    journal = Store(data / "journal.db").journal("stopped-run")
    assert [x.body.text for x in journal.events if isinstance(x.body, e.HumanSaid)] == [answer]


@pytest.mark.deep
def test_what_is_neither_yes_nor_no_is_asked_again(program: Path, data: Path) -> None:
    _, said = on_a_terminal(program, data, b"sure\nn\n")
    assert "is not an answer here" in said
    assert Store(data / "journal.db").journal("stopped-run").events[2].body.text == "False"  # type: ignore[union-attr]


@pytest.mark.deep
def test_what_was_typed_before_the_question_allows_nothing(program: Path, data: Path) -> None:
    _, said = on_a_terminal(program, data, b"n\n", early=b"y\ny\n")
    assert Store(data / "journal.db").journal("stopped-run").events[2].body.text == "False", said  # type: ignore[union-attr]


@pytest.mark.deep
def test_ctrl_c_while_a_question_is_open(program: Path, data: Path) -> None:
    code, said = on_a_terminal(program, data, b"\x03")
    assert code == 6, said
    assert "Stopping" in said

"""Runs that are going on in other processes: listed, watched, answered and stopped from another terminal."""

# ruff: noqa: ASYNC220, ASYNC222, ASYNC240 - nothing else goes on in a test

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from deskcrew.engine.human.questions import Accepted, Approval, HelpQuestion, OperationQuestion, ReplyQuestion
from deskcrew.engine.human.responder import meant
from deskcrew.errors import UsageError
from deskcrew.facts.events import HumanSaid, Operation
from support.folders import written
from support.runs import There, own_runtime, there
from support.sampling import sampled
from support.waiting import LATEST

__all__ = ["own_runtime", "there"]

DESKCREW = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()"]
SLEEP = "import time; open('begun', 'w').close(); time.sleep(6)"
DELETES = [
    {"operations": [{"function": "run_shell", "command": "rm a.txt"}], "branch": "RoleTaskFinish"},
    {"operations": [], "branch": "Interrupt", "problem": "enough"},
]
WAITS = [
    # Several, each other than the one before: on a slow machine the first may be ended by the sandbox before all is asked.
    {"operations": [{"function": "run_python_code", "code": f"{SLEEP}  # {n}"}], "branch": "Continue"}
    for n in range(10)
]


def deskcrew(there: There, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*DESKCREW, *arguments, "--data", str(there.settings.data)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LATEST, stdin=subprocess.DEVNULL, check=False)


def status(there: There) -> str:
    return json.loads(deskcrew(there, "runs", "--json").stdout)["runs"][0]["status"]


async def until(wanted: Any) -> None:
    with anyio.fail_after(LATEST):
        while not wanted():  # noqa: ASYNC110 - nothing tells of it
            await anyio.sleep(0.05)


async def asked(there: There) -> str:
    (there.folder / "work").mkdir()
    (there.folder / "work/a.txt").write_text("kept")
    run = await there.begin(DELETES, task="Delete a.txt.", mode="passive")
    await there.question(run)
    return run


@pytest.mark.deep
@pytest.mark.anyio
@pytest.mark.parametrize(("word", "left"), sampled([("yes", False), ("no", True)], 1))
async def test_a_question_is_answered_without_attaching(there: There, word: str, left: bool) -> None:
    run = await asked(there)
    assert status(there) == "asking"
    said = deskcrew(there, "answer", run, word)
    assert (said.returncode, said.stderr) == (0, "")
    assert "Run the command: rm a.txt" in said.stdout
    await there.ended(run)
    assert (there.folder / "work/a.txt").exists() is left
    again = deskcrew(there, "answer", run, word)
    assert again.returncode == 2
    assert "is not running" in again.stderr
    assert status(there) not in ("asking", "running")


@pytest.mark.deep
@pytest.mark.anyio
async def test_a_run_of_any_process_is_stopped_in_order(there: There) -> None:
    run = await there.begin(WAITS, task="Wait.")
    await until((there.folder / "work/begun").exists)
    assert status(there) == "running"
    said = deskcrew(there, "stop", run)
    assert (said.returncode, said.stderr) == (0, "")
    outcome = there.journal(run).state.outcome
    assert outcome is not None
    assert outcome.status == "stopped"
    assert not there.runs.busy(run)
    assert deskcrew(there, "stop", run).returncode == 2


@pytest.mark.deep
@pytest.mark.anyio
async def test_a_run_of_a_terminal_is_reached_as_well(there: There) -> None:
    """`deskcrew run` in one process; listed and stopped by others."""
    script = there.folder / "replies.json"
    script.write_text(json.dumps(WAITS))
    work = there.folder / "work"
    work.mkdir()
    command = [*DESKCREW, "run", "Wait.", "--crew", "solo", "--desktop", "none", "--model", f"scripted:{script}"]
    command += ["--workspace", str(work), "--data", str(there.settings.data)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as going_on:
        try:
            await until(lambda: written(there.folder, "begun"))
            assert status(there) == "running"
            said = deskcrew(there, "stop", "last")
            assert (said.returncode, said.stderr) == (0, "")
            assert going_on.wait(LATEST) == 6
        finally:
            going_on.kill()
    assert status(there) == "stopped"
    assert sorted(path.name for path in Path(os.environ["XDG_RUNTIME_DIR"]).glob("deskcrew/runs/*")) == ["gate"]


@pytest.mark.anyio
async def test_whoever_attaches_sees_the_story_and_answers(there: There) -> None:
    run = await asked(there)
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["COLUMNS"] = "150"
        os.execv(sys.executable, [*DESKCREW, "attach", run, "--data", str(there.settings.data)])
    said, end = "", time.monotonic() + LATEST
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            said += os.read(terminal, 1 << 16).decode(errors="replace")
        except OSError:
            break  # it has ended
        if "Allow it?" in said and "\x00" not in said:
            os.write(terminal, b"y\n")
            said = said.replace("Allow it?", "\x00")
    _, code = os.waitpid(pid, 0)
    os.close(terminal)
    assert "Delete a.txt." in said
    assert "Run the command: rm a.txt" in said
    assert os.waitstatus_to_exitcode(code) == 0, said
    assert not (there.folder / "work/a.txt").exists()


def test_what_a_word_means() -> None:
    operation = OperationQuestion(role="R", subtask="1", operation=Operation(function="run_shell"))
    reply, help_ = ReplyQuestion(role="R", reply={}), HelpQuestion(role="R", question="Which?")
    assert meant(operation, "Yes") == Approval(allowed=True)
    assert meant(operation, "n") == Approval(allowed=False)
    assert meant(operation, "use b") == HumanSaid(kind="guide", text="use b", role="R")
    assert meant(reply, "ok") == Accepted()
    reading = reply.model_copy(update={"reading": "Add up june.csv."})
    assert (meant(reading, "yes"), meant(reading, "no")) == (Accepted(), Approval(allowed=False))
    assert meant(help_, "no") == HumanSaid(kind="answer", text="no")
    for question, text in ((reply, "no"), (operation, "  ")):
        with pytest.raises(UsageError):
            meant(question, text)

"""Runs in processes of their own: begun, asked, answered, stopped, killed and gone on with by whoever comes."""

# ruff: noqa: ASYNC220, ASYNC221, ASYNC240 - nothing else goes on in a test

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest

from deskcrew.engine.following import request_after
from deskcrew.engine.human.human import mode_of
from deskcrew.engine.human.questions import Accepted, Approval, Response
from deskcrew.engine.request import request_of
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.settings import Limits
from deskcrew.ways_in.running import Again, Alive, RewindPlace, RunChanges, Runs
from deskcrew.ways_in.running.files import files_of, runs_folder
from support.crew import bodies, done
from support.folders import written
from support.runs import There, processes
from support.sampling import sampled
from support.waiting import LATEST, all_end

pytestmark = pytest.mark.anyio

TASK = 'Write "hello" into hello.txt.'
SLEEP = "import time; open('begun', 'w').close(); time.sleep(600)"
YES = Approval(allowed=True)


def doing(*operations: dict[str, Any], branch: str = "RoleTaskFinish") -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch}


def write(text: str = "hello") -> dict[str, Any]:
    return {"function": "write_file", "file_path": "hello.txt", "text": text}


WRITES = [doing(write())]
DELETES = [doing({"function": "run_shell", "command": "rm a.txt"}), doing(branch="Interrupt") | {"problem": "enough"}]
WAITS = [doing({"function": "run_python_code", "code": SLEEP})]


def to_delete(there: There) -> None:
    """What the guard asks about."""
    (there.folder / "work").mkdir()
    (there.folder / "work/a.txt").write_text("kept")


def answer_to(alive: Alive) -> Response:
    assert alive.question is not None
    return {"operation": YES, "reply": Accepted(), "help": HumanSaid(kind="answer", text="I do not know.")}[
        alive.question.question.type
    ]


async def say_yes(there: There, run: str, runs: Runs | None = None) -> None:
    """Answer everything that is asked until the run ends."""
    runs = runs or there.runs
    with anyio.fail_after(LATEST):
        async with aclosing(runs.follow(run)) as states:
            async for alive in states:
                if alive.question is not None:
                    assert (await runs.answer(run, alive.question.id, answer_to(alive))).ok


async def sleeping(there: There) -> None:
    """Wait until the run's program sleeps. What it wrote before lies in its layer until it has ended."""
    with anyio.fail_after(LATEST):
        while not written(there.folder, "begun"):  # noqa: ASYNC110 - nothing tells of it
            await anyio.sleep(0.02)


@pytest.mark.deep
async def test_a_run_needs_nobody(there: There) -> None:
    notices: list[str] = []
    run = there.known(await there.runs.start(there.request(WRITES, task=TASK), notice=notices.append))
    assert "checking the sandbox" in notices
    journal = await there.ended(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert journal.verify() == []
    assert [path.name for path in runs_folder().iterdir()] == ["gate"], "nothing is left"
    assert await there.runs.alive(run) is None
    told = await there.runs.say(run, HumanSaid(kind="pause"))
    assert (told.ok, told.text) == (False, "This run is not in progress.")


@pytest.mark.deep
async def test_nobody_else_can_come_in(there: There) -> None:
    run = await there.begin(WRITES, task=TASK, mode="active")
    await there.question(run)
    path = files_of(runs_folder(), there.settings.journal, run).socket
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with pytest.raises(UsageError, match="running in another process"):
        await there.runs.resume(run)
    await say_yes(there, run)


async def test_a_question_waits_for_whoever_comes(there: There) -> None:
    """The program that started the run is killed; another one is told the question, and answers it."""
    script = there.folder / "server.py"
    script.write_text(
        "import sys, anyio\n"
        "from deskcrew.ways_in.running.messages import Job\n"
        "from deskcrew.ways_in.running import Runs\n"
        "job = Job.model_validate_json(sys.stdin.read())\n"
        "async def main():\n"
        "    print(await Runs(job.settings).start(job.task.request), flush=True)\n"
        "    await anyio.sleep_forever()\n"
        "anyio.run(main)\n"
    )
    request = there.request(WRITES, task=TASK, mode="active")
    from deskcrew.ways_in.running.messages import Job, Start

    job = Job(task=Start(request=request), settings=there.settings, folder=runs_folder(), name="unused")
    with subprocess.Popen([sys.executable, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(job.model_dump_json())
        server.stdin.close()
        run = there.known(await anyio.to_thread.run_sync(lambda: server.stdout.readline().strip()))  # type: ignore[union-attr]
        asked = await there.question(run)
        server.kill()
    alive = await there.runs.alive(run)
    assert alive is not None
    assert alive.question == asked.question, "it is the same question"
    assert os.getsid(alive.pid) == alive.pid, "it is in a session of its own"
    await say_yes(there, run, Runs(there.settings))
    journal = await there.ended(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    assert done(journal) == ["write_file"]


@pytest.mark.deep
async def test_only_the_first_answer_counts(there: There) -> None:
    run = await there.begin(WRITES, task=TASK, mode="active")
    others = Runs(there.settings)
    reply = (await there.question(run)).question
    assert reply is not None
    first = await there.runs.answer(run, reply.id, Accepted())
    second = await others.answer(run, reply.id, HumanSaid(kind="stop"))
    assert (first.ok, second.ok) == (True, False)
    assert "no longer open" in second.text
    operation = (await there.until(run, lambda alive: alive.question is not None and alive.question.id != reply.id)).question
    assert operation is not None
    told = []
    async with anyio.create_task_group() as tasks:

        async def answered(runs: Runs, answer: Approval) -> None:
            told.append((await runs.answer(run, operation.id, answer)).ok)

        tasks.start_soon(answered, there.runs, YES)
        tasks.start_soon(answered, others, Approval(allowed=False, why="no"))
    assert sorted(told) == [False, True]
    await say_yes(there, run)
    journal = await there.ended(run)
    assert [body.by for body in bodies(journal, e.OperationApproved, e.OperationDenied)] == ["human"]


@pytest.mark.deep
async def test_an_answer_has_to_fit(there: There) -> None:
    to_delete(there)
    run = await there.begin(DELETES, task="Delete a.txt.", mode="passive")
    asked = (await there.question(run)).question
    assert asked is not None
    assert not (await there.runs.answer(run, asked.id, Accepted())).ok, "accepting is no approval"
    refused = await there.runs.answer(run, asked.id, Approval(allowed=True, scope="app"))
    assert (refused.ok, "only" in refused.text) == (False, True)
    assert (await there.question(run)).question == asked
    assert (await there.runs.answer(run, asked.id, Approval(allowed=False))).ok
    journal = await there.ended(run)
    assert done(journal) == ["run_shell"], "over a layer, of which nothing landed"
    assert (there.folder / "work/a.txt").exists()


def raw(there: There, run: str) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(LATEST)
    made.connect(str(files_of(runs_folder(), there.settings.journal, run).socket))
    return made


@pytest.mark.deep
async def test_rubbish_does_no_harm(there: There) -> None:
    run = await there.begin(WRITES, task=TASK, mode="active")
    asked = await there.question(run)

    def rubbish() -> list[dict[str, Any]]:
        replies: list[dict[str, Any]] = []
        silent = raw(there, run)
        for sent in (
            b"\x00\xff\xfe\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b'{"type":"answer"}\n',
            b"[" * 100_000 + b"\n",
            b"null\n",
        ):
            with raw(there, run) as connection:
                connection.sendall(sent)
                replies.append(json.loads(connection.makefile().readline()))
        with raw(there, run) as connection:  # half a message, and gone
            connection.sendall(b'{"type":"stop"')
        with raw(there, run) as connection:  # does not wait for what it asked for
            connection.sendall(b'{"type":"alive","follow":true}\n')
        with raw(there, run) as connection, pytest.raises(OSError, match=r"Broken pipe|reset"):
            connection.sendall(b"x" * (64 << 20))  # no end of it
        silent.close()
        return replies

    replies = await anyio.to_thread.run_sync(rubbish)
    assert [reply["ok"] for reply in replies] == [False] * 5
    alive = await there.runs.alive(run)
    assert alive is not None
    assert alive.question == asked.question
    await say_yes(there, run)
    journal = await there.ended(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"


@pytest.mark.deep
async def test_killed_while_it_asks_and_gone_on_with(there: There) -> None:
    run = await there.begin(WRITES, task=TASK, mode="active")
    asked = (await there.question(run)).question
    (process,) = processes(there.runs, run)
    process.send_signal(signal.SIGKILL)
    psutil.wait_procs([process], timeout=LATEST)
    left = files_of(runs_folder(), there.settings.journal, run)
    assert left.socket.exists(), "nobody could clear up"
    assert await there.runs.alive(run) is None
    assert not there.runs.busy(run)
    assert not (await there.runs.say(run, HumanSaid(kind="stop"))).ok
    there.known(await there.runs.resume(run, RunChanges(mode="active")))
    again = (await there.question(run)).question
    assert asked is not None
    assert again is not None
    assert again.id != asked.id
    assert not (await there.runs.answer(run, asked.id, Accepted())).ok, "that one is gone with its process"
    await say_yes(there, run)
    journal = await there.ended(run)
    assert done(journal) == ["write_file"]
    assert journal.verify() == []


@pytest.mark.deep
async def test_a_socket_that_was_left_is_nobody_and_goes(there: There) -> None:
    left = files_of(runs_folder(), there.settings.journal, "0101-000000-abcd").socket
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(left))
        listening.listen()
    assert await there.runs.alive("0101-000000-abcd") is None
    await there.ended(await there.begin(WRITES, task=TASK))
    assert not left.exists()


@pytest.mark.deep
async def test_two_runs_at_once(there: There) -> None:
    names = [
        await there.begin([doing(write(text))], task=f'Write "{text}" into hello.txt.', mode="active", workspace=None)
        for text in ("one", "two")
    ]
    one, two = [(await there.question(run)).question for run in names]
    assert one is not None
    assert two is not None
    assert not (await there.runs.answer(names[1], one.id, Accepted())).ok
    for run, text in zip(names, ("one", "two"), strict=True):
        await say_yes(there, run)
        journal = await there.ended(run)
        assert journal.state.started is not None
        assert Path(journal.state.started.workspace, "hello.txt").read_text() == text


@pytest.mark.deep
async def test_what_is_wrong_with_a_request_is_told_to_who_made_it(there: There, monkeypatch: pytest.MonkeyPatch) -> None:
    request = there.request(WRITES)
    with pytest.raises(UsageError, match=r"no file .*nowhere\.txt to attach"):
        await there.runs.start(replace(request, attachments=(there.folder / "nowhere.txt",)))
    with pytest.raises(UsageError, match="nonsense"):
        await there.runs.start(replace(request, model="nonsense:model"))
    with pytest.raises(UsageError, match=r"no secret 'mail'|passphrase") as failed:
        await there.runs.start(request, secrets=("mail",))
    assert failed.value.hint
    with pytest.raises(UsageError, match="no run"):
        await there.runs.resume("0101-000000-abcd")
    script = there.folder / "not-python"
    script.write_text("#!/bin/sh\necho it fell over\n")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    with pytest.raises(EnvironmentFailure, match="ended before the run had begun: it fell over"):
        await there.runs.start(request)


@pytest.mark.deep
@pytest.mark.machine
async def test_a_full_runtime_folder_is_told(there: There, own_runtime: Path) -> None:
    small = own_runtime / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "nr_inodes=4,mode=0700", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        for name in ("a", "b", "c"):
            (small / name).touch()
        with pytest.raises(EnvironmentFailure, match="cannot be used: No space left"):
            await Runs(there.settings, folder=small).start(there.request(WRITES))
        (small / "a").unlink()  # room for the log, and for nothing else
        with pytest.raises(EnvironmentFailure, match="cannot be used: No space left"):
            await Runs(there.settings, folder=small).start(there.request(WRITES))
    finally:
        # Lazily: the process that told it may not have gone yet.
        subprocess.run(["umount", "--lazy", str(small)], check=True)


def test_a_folder_that_cannot_be_had_is_told(own_runtime: Path) -> None:
    (own_runtime / "file").touch()
    with pytest.raises(EnvironmentFailure, match="cannot be created"):
        runs_folder(own_runtime / "file" / "runs")
    (own_runtime / "link").symlink_to(own_runtime)
    with pytest.raises(EnvironmentFailure, match="not a folder of yours"):
        runs_folder(own_runtime / "link")
    with pytest.raises(EnvironmentFailure, match="too long for a socket"):
        runs_folder(own_runtime / ("x" * 100))


@pytest.mark.deep
async def test_stopping_breaks_off_what_is_going_on(there: There) -> None:
    run = await there.begin(WAITS, task=TASK)
    await sleeping(there)
    (process,) = processes(there.runs, run)
    below = process.children(recursive=True)
    assert below
    assert (await there.runs.stop(run)).ok
    assert not there.runs.busy(run)
    journal = there.journal(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "stopped"
    assert all_end(below)
    assert not (await there.runs.stop(run)).ok


@pytest.mark.deep
async def test_a_process_that_is_ended_by_the_system_ends_its_run(there: There) -> None:
    run = await there.begin(WAITS, task=TASK)
    await sleeping(there)
    processes(there.runs, run)[0].send_signal(signal.SIGTERM)
    journal = await there.ended(run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "stopped"


@pytest.mark.deep
async def test_back_with_a_sentence_while_it_goes_on(there: There) -> None:
    run = await there.begin([doing(write("wrong")), doing(branch="Interrupt") | {"problem": "enough"}], task=TASK)
    await there.ended(run)
    wrong = next(event.number for event in there.journal(run).events if isinstance(event.body, e.RoleReplied))
    place = RewindPlace(event=wrong, say="It is hello.")
    back = await anyio.to_thread.run_sync(there.runs.look_back, run, place)
    assert back.files is not None
    assert "hello.txt" in back.files.summary()
    assert (there.folder / "work/hello.txt").exists(), "looking moves nothing"
    script = there.request(WAITS).model
    there.known(await there.runs.rewind(run, place, RunChanges(model=script)))
    await sleeping(there)
    assert not (there.folder / "work/hello.txt").exists()
    # And once more, from the middle of what goes on now.
    there.known(await there.runs.rewind(run, place, RunChanges(model=there.request(WRITES).model)))
    journal = await there.ended(run)
    assert [body.guidance for body in bodies(journal, e.Rewound)] == ["It is hello."]
    assert (there.folder / "work/hello.txt").read_text() == "hello"
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    with pytest.raises(UsageError, match="need an event"):
        await there.runs.rewind(run, RewindPlace(say="no event"))
    assert await there.runs.rewind(run, RewindPlace()) == run, "it goes back to where the run had an end"
    assert await there.runs.alive(run) is None


@pytest.mark.deep
async def test_modes_and_limits_stay_when_a_run_goes_on(there: There) -> None:
    ends = [doing(branch="Interrupt") | {"problem": "enough"}]
    begun = await there.begin(ends, task=TASK, mode="passive", modes=(("Worker", "automatic"),), limits=Limits(operations=7))
    journal = await there.ended(begun)
    reply = next(event.number for event in journal.events if isinstance(event.body, e.RoleReplied))
    for changes, mode, operations in (
        (RunChanges(), "passive", 7),
        (RunChanges(mode="active", limits=Limits(operations=9)), "active", 9),
        (RunChanges(), "active", 9),
        (RunChanges(mode="automatic"), "automatic", 9),
        (RunChanges(modes=(("Worker", "active"),)), "automatic", 9),
    ):
        run = there.known(await there.runs.rewind(begun, RewindPlace(event=reply), changes))
        if mode == "active" or changes.modes:  # then it asks, and waits
            await there.runs.stop(run)
        journal = await there.ended(run)
        resumed = [event.body for event in journal.events if isinstance(event.body, e.RunResumed)]
        assert resumed[-1].settings.limits["operations"] == operations
        assert mode_of(journal.state) == mode, changes
    assert request_of(journal).mode == "automatic"
    assert request_of(journal).modes == (("Worker", "active"),)
    follows = request_after(run, there.settings)
    assert (follows.mode, follows.limits.operations) == ("automatic", 9)


@pytest.mark.deep
async def test_who_leaves_is_waited_for_where_the_mode_asks(there: There) -> None:
    asks = await there.begin(WRITES, task=TASK, mode="active", workspace=None)
    goes = await there.begin(WRITES, task=TASK, mode="automatic", workspace=None)
    asked = await there.question(asks)  # and nobody is connected any more
    journal = await there.ended(goes)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    alive = await there.runs.alive(asks)
    assert alive is not None
    assert alive.question == asked.question
    await say_yes(there, asks)


@pytest.mark.parametrize("limit", sampled(["patience", "the run's time"], 1))
@pytest.mark.deep
async def test_nobody_there_is_a_no_in_the_end(there: There, limit: str) -> None:
    runs = Runs(there.settings, patience=0.2 if limit == "patience" else None)
    limits = Limits(seconds=None if limit == "patience" else 2.0)
    to_delete(there)
    run = there.known(await runs.start(there.request(DELETES, task="Delete a.txt.", mode="passive", limits=limits)))
    journal = await there.ended(run)
    assert [body.by for body in bodies(journal, e.OperationDenied)] == ["nobody"]
    assert (there.folder / "work/a.txt").read_text() == "kept"


@pytest.mark.deep
async def test_words_wait_are_taken_up_or_refused_with_words(there: There) -> None:
    run = await there.begin([*WAITS, doing(write("hello"))], task=TASK, mode="active")
    asked = (await there.question(run)).question
    assert asked is not None
    assert (await there.runs.say(run, HumanSaid(kind="resume"))).ok, "said to the question"
    alive = await there.until(run, lambda alive: alive.notes and alive.question is not None)
    assert alive.notes[0].text == "The run is not paused."
    assert alive.question is not None
    assert alive.question.id != asked.id
    assert (await there.runs.say(run, HumanSaid(kind="pause"))).ok
    await there.until(run, lambda alive: alive.held == "pause")
    assert there.journal(run).state.held == "pause", "whoever looks can see it"
    assert (await there.runs.say(run, HumanSaid(kind="mode", text="automatic"))).ok
    assert (await there.runs.say(run, HumanSaid(kind="resume"))).ok
    await sleeping(there)
    assert (await there.runs.say(run, HumanSaid(kind="guide", text="Not so slow."))).ok
    alive = await there.runs.alive(run)
    assert alive is not None
    assert [said.type for said in alive.waiting] == ["human_said"], "it waits until the program has ended"
    assert (await there.runs.stop(run)).ok


@pytest.mark.deep
async def test_done_again_on_a_live_desktop(there: There) -> None:
    run = await there.begin(WRITES, task=TASK, workspace=None)
    await there.ended(run)
    again = there.known(await there.runs.begin(Again(run=run)))
    journal = await there.ended(again)
    assert again != run
    assert done(journal) == ["write_file"]
    assert journal.state.started is not None
    assert journal.state.started.crew == "replay"

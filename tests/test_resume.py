"""What can happen to a run from outside, and going on with it: a full disk, a model or a display that goes, Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from rich.console import Console
from tests.environments.linux.conftest import needs_desktop

from cli.conftest import Cli, cli
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.branches import branches
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import ending
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile, Text
from deskcrew.models.profiles import Facts
from deskcrew.models.reference import Reference
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.ending import panel
from deskcrew_bench.faults.runs import CHORE, EDITOR
from support.crew import bodies, by_role, settings_in
from support.folders import written
from support.required import required, usual
from support.sampling import sampled
from support.waiting import LATEST

if TYPE_CHECKING:
    from deskcrew.models.pydantic_ai import PydanticAIModel

__all__ = ["cli"]
pytestmark = pytest.mark.anyio

Watch = Callable[[e.Event, Journal], None]


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


def at(number: int, do: Callable[[], None]) -> Watch:
    """Something that happens when the event of that number is written, once."""
    left = [number]

    def watch(event: e.Event, journal: Journal) -> None:
        if left and event.number >= left[0]:
            left.clear()
            do()

    return watch


def ended_well(folder: Path, journal: Journal) -> None:
    """The chore is done, every line of its log is there once, and the record is whole."""
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer) == ("done", "42"), outcome
    assert sorted((folder / "work/log.txt").read_text().split()) == sorted(CHORE.lines)
    assert journal.verify() == []
    again = RunState()
    for event in journal.events:
        again.apply(event)
    assert again == journal.state


# A full disk


@contextlib.contextmanager
def tmpfs(folder: Path) -> Iterator[Callable[[bool], None]]:
    """Have ``folder`` be a disk of its own; what comes fills it, or makes room again."""
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], check=False).returncode
    ):
        pytest.skip("needs root, to mount a small disk")

    def fill(full: bool) -> None:
        filler = folder / "filler"
        if not full:
            filler.unlink()
            return
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            for _ in range(4096):  # four times what fits: should it be no disk of its own any more, none else is filled
                file.write(b"\0" * 4096)

    try:
        yield fill
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextlib.contextmanager
def largest_file(folder: Path) -> Iterator[Callable[[bool], None]]:
    """No file may grow any more: what the disk of one who is no root can be made to do."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(full: bool) -> None:
        now = max(path.stat().st_size for path in folder.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (now + 100, before[1]) if full else before)

    try:
        yield fill
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.first_case
@pytest.mark.fault
@pytest.mark.machine
@pytest.mark.parametrize("disk", [tmpfs, largest_file])
@pytest.mark.parametrize("number", sampled([3, 12, 24, 41, 56], 2))
async def test_a_full_disk(tmp_path: Path, number: int, disk: Any) -> None:
    settings = settings_in(tmp_path)
    settings.data.mkdir()
    with disk(settings.data) as full:
        with pytest.raises(JournalError) as failed:
            await session.run(
                CHORE.request(tmp_path), settings, model=CHORE.model(tmp_path), watch=at(number, lambda: full(True))
            )
        assert failed.value.hint
        if disk is tmpfs:
            assert "disk is full" in str(failed.value)
        full(False)
        before = Store(settings.journal).journal("last")
        assert before.verify() == []
        assert before.state.outcome is None
        after = await session.resume("last", settings, model=CHORE.model(tmp_path))
        assert after.events[: len(before.events)] == before.events
        ended_well(tmp_path, after)


# A model server that goes away


class Server:
    """A Chat Completions server on this machine that answers as the chore's crew does, until it is gone."""

    def __init__(self, folder: Path) -> None:
        roles = CHORE.roles(folder / "work")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = "\n".join(message["content"] for message in asked["messages"])
                role = self.role(asked["response_format"]["json_schema"]["schema"]["properties"], text)
                told, first, texts = text.partition("\nText 1:\n")  # what a reader is asked about
                reply = roles[role](Call(role, (Text(told, "task"), Text(first[1:] + texts, "volatile")), max_tokens=1))
                message = {"role": "assistant", "content": json.dumps(reply)}
                choice = {"index": 0, "finish_reason": "stop", "message": message}
                body = {"id": "x", "object": "chat.completion", "created": 1, "model": "stub", "choices": [choice]}
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def role(self, fields: dict[str, Any], text: str) -> str:
                named = {"subtasks": "Planner", "sources": "FinalAnswer", "texts": "Reader"}
                programmer = "Your part: Add up" in text
                decides = "Programmer" if programmer else "FileManager"
                return next((role for field, role in named.items() if field in fields), decides)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def model(self) -> PydanticAIModel:
        from deskcrew.models.pydantic_ai import ApiKey, Repeats, connect

        return connect(
            "http://stub/v1#m",
            Reference("server", "m", f"http://127.0.0.1:{self._server.server_port}/v1"),
            facts=Facts(profile=Profile(name="stub", scripted=True), output="native"),
            key=ApiKey("secret", "DESKCREW_API_KEY"),
            repeats=Repeats(1, 0.0),
        )

    def end(self) -> None:
        """Nobody listens there any more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.mark.parametrize("number", sampled([7, 20, 40], 1))
async def test_the_model_server_goes_away(tmp_path: Path, number: int) -> None:
    settings = settings_in(tmp_path)
    server = Server(tmp_path)
    failed = await session.run(CHORE.request(tmp_path), settings, model=server.model(), watch=at(number, server.end))
    assert failed.state.outcome is not None
    assert (failed.state.outcome.status, failed.state.outcome.reason) == ("failed", "model")
    again = await session.resume("last", settings, model=server.model())
    assert again.state.outcome is not None
    assert again.state.outcome.reason == "model", "it is still away"
    other = Server(tmp_path)
    try:
        done = await session.resume("last", settings, model=other.model())
    finally:
        other.end()
    assert done.events[: len(failed.events)] == failed.events
    assert len(bodies(done, e.RunFinished)) == 3
    assert len(branches(done)) == 1, "it goes on where it was"
    ended_well(tmp_path, done)


# A display that goes away


@pytest.mark.deep
@pytest.mark.desktop
@pytest.mark.fault
@pytest.mark.parametrize(
    "when",
    [e.ActionFinished, e.Observed],
    ids=["before-it-is-looked-at", "when-it-was-seen"],
)
async def test_the_display_goes_away(tmp_path: Path, when: type[Any]) -> None:
    needs_desktop()
    settings = settings_in(tmp_path)

    def watch(event: e.Event, journal: Journal) -> None:
        typed = [x for x in bodies(journal, e.ActionFinished) if x.operation.function == "keyboard_input"]
        if typed and isinstance(event.body, when) and not bodies(journal, e.RunResumed) and not journal.state.stop:
            below = psutil.Process().children(recursive=True)
            for process in below:
                if process.name() == "Xvfb":
                    process.kill()

    failed = await session.run(EDITOR.request(tmp_path), settings, model=EDITOR.model(tmp_path), watch=watch)
    assert failed.state.outcome is not None
    assert (failed.state.outcome.status, failed.state.outcome.reason) == ("failed", "environment")
    assert (tmp_path / "work/note.txt").read_text() == ""
    model = EDITOR.model(tmp_path)
    done = await session.resume("last", settings, model=model)
    (resumed,) = bodies(done, e.RunResumed)
    assert resumed.reopened == ("Text Editor (Mousepad) note.txt",)
    # What nobody had looked at yet cannot be put back; what was seen is typed again.
    assert ("not saved" in " ".join(resumed.lost)) is (when is e.ActionFinished)
    told = model.calls[0].text()
    assert ("The desktop was started again" in told) is (when is e.ActionFinished)
    assert "note.txt - Mousepad" in told, "the program is open again"
    assert done.state.outcome is not None
    assert done.state.outcome.status == "done"
    assert (tmp_path / "work/note.txt").read_text() == "harvest", "what was not saved was typed again, once"
    assert done.verify() == []


# Ctrl-C

WAITS = "import time; open('begun', 'w').close(); time.sleep(600)"


@pytest.mark.fault
def test_stopped_by_the_user_and_resumed(cli: Cli, tmp_path: Path) -> None:
    work, replies = tmp_path / "work", tmp_path / "replies.json"
    work.mkdir()
    plan = {"subtasks": [{"goal": "wait", "role": "Programmer"}]}
    waiting = {"operations": [{"function": "run_python_code", "code": WAITS}], "branch": "RoleTaskFinish"}
    replies.write_text(json.dumps([plan, waiting]))
    where = ["--data", str(tmp_path / "data")]
    command = [
        "run",
        'Write "here" into out.txt.',
        "--workspace",
        str(work),
        "--desktop",
        "none",
        "--model",
        f"scripted:{replies}",
        "--require",
        "file_contains out.txt here",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", *command, *where],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + LATEST
    while not written(tmp_path, "begun"):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=LATEST) == 6

    code = "open('out.txt', 'w').write('here'); print('here')"
    writes = {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}
    replies.write_text(json.dumps([writes]))
    done = cli("resume", "last", "--json", *where)
    assert done.code == 0, done.err
    assert done.json["outcome"] == "done"
    journal = Store(tmp_path / "data/journal.db").journal("last")
    (interrupted,) = bodies(journal, e.ActionInterrupted)
    assert interrupted.operation.params["code"] == WAITS
    assert cli("verify", "last", *where).code == 0
    refused = cli("resume", "last", *where)
    assert refused.code == 2
    assert "has ended (done)" in refused.err
    assert "deskcrew rewind" in refused.err


# What is dropped, and what is refused


async def test_operations_of_an_old_decision_are_not_done(tmp_path: Path) -> None:
    """The first of three was done when the process ended; whoever is asked then wants something else."""

    def write(name: str) -> dict[str, Any]:
        return {"function": "write_file", "file_path": name, "text": name}

    def settings() -> Settings:
        return settings_in(tmp_path)

    def watch(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, e.Judged) and event.body.scope == "effect":
            raise Killed

    plan = {"subtasks": [{"goal": "write", "role": "FileManager"}]}
    three = {"operations": [write("a.txt"), write("b.txt"), write("c.txt")], "branch": "RoleTaskFinish"}
    end = {"function": "write_file", "file_path": "end.txt", "text": "over"}
    one = {"operations": [end], "branch": "RoleTaskFinish"}
    (tmp_path / "work").mkdir()
    task = 'Write "over" into end.txt.'
    wanted = required("file_contains end.txt over", "file_contains a.txt a.txt")
    request = RunRequest(
        task=task, model="scripted:x", workspace=tmp_path / "work", desktop="none", required=wanted, crew="planned"
    )
    with pytest.raises(Killed):
        await session.run(request, settings(), model=by_role(Planner=plan, FileManager=three), watch=watch)
    before = Store(settings().journal).journal("last")
    assert before.state.phase == "execute"
    assert before.state.decision is not None
    assert [operation.params["file_path"] for operation in before.state.decision.operations] == ["b.txt", "c.txt"]
    done = await session.resume("last", settings(), model=by_role(FileManager=one))
    assert done.state.outcome is not None
    assert done.state.outcome.status == "done"
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["a.txt", "end.txt"]


@pytest.mark.first_case
@pytest.mark.parametrize("half", ["half.txt", "folder/half.txt"])
async def test_a_half_written_file_does_not_stay(tmp_path: Path, half: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends between writing a file beside its place and giving it its name."""

    def dying(source: Any, target: Any, **more: Any) -> None:
        if Path(target).name == Path(half).name:
            raise Killed
        rename(source, target, **more)

    rename = os.replace
    plan = {"subtasks": [{"goal": "write", "role": "FileManager"}]}
    write = {"function": "write_file", "file_path": half, "text": "all of it"}
    model = by_role(Planner=plan, FileManager={"operations": [write], "branch": "RoleTaskFinish"})
    (tmp_path / "work").mkdir()
    task = f'Write "all of it" into {half}.'
    request = RunRequest(
        task=task, model="scripted:x", workspace=tmp_path / "work", desktop="none", required=usual(task), crew="planned"
    )
    with monkeypatch.context() as patch:
        patch.setattr("deskcrew.actions.files.os.replace", dying)
        patch.setattr("deskcrew.actions.files._remove", lambda _: None)  # a killed process tidies nothing up
        with pytest.raises(Killed):
            await session.run(request, settings_in(tmp_path), model=model)
    beside = list((tmp_path / "work").rglob(".deskcrew-*"))
    assert len(beside) == 1
    done = await session.resume("last", settings_in(tmp_path), model=model)
    assert done.state.outcome is not None
    assert done.state.outcome.status == "done"
    assert not list((tmp_path / "work").rglob(".deskcrew-*"))


@pytest.mark.parametrize(
    ("outcome", "told"),
    [(Outcome(status="failed", reason="model"), True), (Outcome(status="failed", reason="gave_up"), False)],
)
def test_the_closing_panel_says_that_a_run_can_be_gone_on_with(outcome: Outcome, told: bool) -> None:
    header = e.Header(run="r", number=1, parent=None, time=0, type="run_finished")
    event = e.Event(id="1", header=header, digest="", body=e.RunFinished(outcome=outcome))
    out = Console(width=120)
    with out.capture() as captured:
        out.print(panel("r", [event]))
    assert ("deskcrew resume r" in captured.get()) == told


RESUMED = e.RunResumed(version="1", model="m")


@pytest.mark.parametrize(
    ("outcome", "goes_on"),
    [
        (Outcome(status="failed", reason="model"), True),
        (Outcome(status="failed", reason="environment"), True),
        (Outcome(status="denied", reason="model"), True),
        (Outcome(status="stopped"), True),
        (Outcome(status="failed", reason="gave_up"), False),
        (Outcome(status="failed", reason="bound:operations"), True),
        (Outcome(status="failed", reason="bound:repairs"), False),
        (Outcome(status="failed", reason="infeasible"), False),
        (Outcome(status="denied", reason="gave_up"), False),
        (Outcome(status="unverified"), False),
        (Outcome(status="done"), False),
    ],
)
async def test_which_ends_are_gone_on_from(tmp_path: Path, outcome: Outcome, goes_on: bool) -> None:
    settings = settings_in(tmp_path)
    (tmp_path / "work").mkdir()
    begun = e.RunStarted(
        task="t", crew="solo", model="m", mode="automatic", workspace=str(tmp_path / "work"), desktop="none"
    )
    journal = Store(settings.journal).create(begun)
    reason = outcome.reason or "stopped"
    journal.append(e.Judged(scope="goal", verdict=Verdict(kind="stop", reason=reason, why="why"), by="rules"))
    journal.append(e.RunFinished(outcome=outcome))
    journal.commit()
    assert ending(journal.events) == outcome
    if not goes_on:
        with pytest.raises(UsageError, match="has ended"):
            await session.resume(journal.run, settings, model=by_role())
        return
    journal.append(RESUMED)
    assert journal.state.outcome is None
    assert journal.state.stop is None
    assert journal.state.messages == (), "it is none of the crew's business"
    assert journal.state.phase == "plan"
    assert ending(journal.events) is None
    assert branches(journal)[0].outcome is None


def test_what_the_crew_itself_brought_about_still_stops_the_run() -> None:
    state = RunState()
    store = [e.Judged(scope="goal", verdict=Verdict(kind="stop", reason="gave_up", why="why"), by="rules"), RESUMED]
    for number, body in enumerate(store, 1):
        header = e.Header(run="r", number=number, parent=None, time=0, type=body.type)
        state.apply(e.Event(id=str(number), header=header, digest="", body=body))
    assert state.phase == "finish"


def test_the_command_that_the_end_names_goes_on_with_more(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    looks = {"operations": [{"function": "run_python_code", "code": "print(6 * 7)"}], "branch": "Continue"}
    write = {"function": "write_file", "file_path": "a.txt", "text": "a"}
    script = tmp_path / "script.json"
    script.write_text(json.dumps([looks, {"operations": [write], "branch": "RoleTaskFinish"}]))
    data = ("--data", str(tmp_path / "data"))
    task = ("run", "Write a into a.txt.", "--desktop", "none", "--crew", "solo", "--workspace", str(tmp_path / "work"))
    wants = ("--model", f"scripted:{script}", "--require", "file_contains a.txt a", "--limit", "replies=1")
    ended = cli(*task, *wants, *data)
    assert ended.code == 4
    run = Store(tmp_path / "data/journal.db").journal("last").run
    named = f"deskcrew resume {run} --limit replies=2"
    assert named in " ".join(ended.out.split())
    more = cli(*named.split()[1:], *data, "--limit", "replies=3", "--json")
    assert (more.code, more.json["left"]["replies"]) == (0, 0), "the script begins again with its first reply"

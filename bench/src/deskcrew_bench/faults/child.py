"""The processes that ``deskcrew bench faults`` kills: ``python -m deskcrew_bench.faults.child``.

Reads one job a line from standard input, forks a process for each, and writes what came of it as one line. Forking spares
starting Python a thousand times; it is done before this process has any thread. What a killed process leaves behind
becomes a child of this one (PR_SET_CHILD_SUBREAPER), so that nothing can outlive it unseen.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import importlib
import json
import os
import select
import signal
import sqlite3
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import anyio
import psutil
from sqlalchemy import Connection, Engine, event

from deskcrew.actions import sandbox
from deskcrew.engine import session
from deskcrew.engine.steps import executing
from deskcrew.facts.events import ActionStarted, Body, Event
from deskcrew.facts.observation import Frozen
from deskcrew.journal import journal
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew_bench.faults.check import examine, settings_in, turn_back
from deskcrew_bench.faults.kind import Kind
from deskcrew_bench.faults.runs import KINDS

LATER = (
    "anyio._backends._asyncio",
    "deskcrew.environments.marks",
    "deskcrew.environments.virtual",
    "deskcrew.models.factory",
    "sqlalchemy.dialects.sqlite",
)
"""What a run imports when it needs it: here before, so that no job does it again and all are of one version."""
HUNG = 120.0
"""Seconds after which a process counts as hanging."""
VANISH = 10.0
"""Seconds that what a killed process had started gets to end."""
DELAYS = (0.0, 0.01, 0.03, 0.05, 0.08)
"""Seconds after a program was started at which to kill."""
CHANGES = frozenset(
    {
        "os.chmod",
        "os.link",
        "os.mkdir",
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.symlink",
        "os.truncate",
        "os.utime",
        "subprocess.Popen",
    }
)
"""Audit events of what changes the world: the middle of an action, and of bringing a workspace back."""
COMMITTED = "committed"
"""The file beside the journal into which a run says what must be on disk: the last event of each commit, and, whenever an
action is done, the event that says that it is."""
JOURNAL, MEMORY = "the journal", "memory"
PR_SET_CHILD_SUBREAPER = 36
HELD = 1 << 16
"""Bytes of blobs that wait for a commit, in runs to be killed: less than usual, so that some are written before it."""


class Job(Frozen):
    """One process. ``do``: ``run`` the kind, to be killed at the moment of number ``at``, or whose name begins with it
    (None: not at all, and tell the moments); ``first``: the run that such a one is to go on with; ``resume`` and check.
    ``database``: the address of a server, '' is a file."""

    kind: str
    folder: str
    do: Literal["first", "run", "resume"]
    at: int | str | None = None
    database: str = ""


@dataclass
class Moments:
    """Places at which this process can be killed, numbered from 0 in the order in which it comes by."""

    at: int | str | None
    armed: bool = False
    acting: int = 0
    """The thread whose changes count."""
    dying: bool = False
    """It will be killed in a moment, whatever it does."""
    started: bytes = b""
    """Number and id of the event that the last action began with."""

    def __post_init__(self) -> None:
        self.names: list[str] = []
        self._lock = threading.Lock()

    def come_by(self, name: str, delay: float = 0.0) -> None:
        if not self.armed:
            return
        with self._lock:
            number = len(self.names)
            self.names.append(name)
            if number == self.at or (isinstance(self.at, str) and name.startswith(self.at)):
                self._die(delay)

    def _die(self, delay: float) -> None:
        if delay:
            self.dying = True
            threading.Timer(delay, die_with_programs_running).start()
        else:
            os.kill(os.getpid(), signal.SIGKILL)


def die_with_programs_running() -> None:
    """Be killed while the crew's program is at it: it is halted first, so that it does not just happen to end in time."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.name().startswith("python"):
                process.suspend()
    os.kill(os.getpid(), signal.SIGKILL)


def watch_all(moments: Moments, folder: Path) -> None:
    """Have this process come by a moment wherever something is written, and whenever something is done."""
    told = os.open(folder / COMMITTED, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    setattr(journal, "HELD", HELD)  # noqa: B010 - on purpose, in a process that is about to be killed
    _watch_events(moments, told)
    _watch_statements(moments)
    _watch_actions(moments, told)
    _watch_changes(moments)


def _watch_events(moments: Moments, told: int) -> None:
    append, commit = Journal.append, Journal.commit

    def appending(self: Journal, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        moments.come_by(f"before event {len(self.all) + 1} ({body.type})")
        added = append(self, body, lane=lane, cause=cause)
        if isinstance(body, ActionStarted):
            moments.started = f"{added.number} {added.id}\n".encode()
        moments.come_by(f"after event {added.number} ({body.type}), before it is committed")
        return added

    def committing(self: Journal) -> None:
        commit(self)
        os.write(told, f"{self.all[-1].number} {self.all[-1].id}\n".encode())
        moments.come_by(f"after the commit of event {self.all[-1].number}")

    setattr(Journal, "append", appending)  # noqa: B010
    setattr(Journal, "commit", committing)  # noqa: B010


def _watch_statements(moments: Moments) -> None:
    """Before whatever changes a database: a file tells what it does, and of a server the statements are known."""

    def tell(what: str, statement: str) -> None:
        words = statement.split(None, 3)
        if words and words[0] not in ("SELECT", "PRAGMA", "WITH"):
            moments.come_by(f"in {what}, before {' '.join(words[:3])}")

    def connected(connection: Any, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            ((_, _, file),) = connection.execute("PRAGMA database_list").fetchall()
            what = MEMORY if Path(file).name == "memory.db" else JOURNAL
            connection.set_trace_callback(lambda statement: tell(what, statement))

    def executing(connection: Connection, _: object, statement: str, *more: object) -> None:
        if connection.dialect.name == "postgresql":
            connection.info["what"] = MEMORY if "memory_" in statement else JOURNAL
            tell(connection.info["what"], statement)

    def committing(connection: Connection) -> None:
        if connection.dialect.name == "postgresql":
            tell(connection.info.get("what", JOURNAL), "COMMIT")

    event.listen(Engine, "connect", connected)
    event.listen(Engine, "before_cursor_execute", executing)
    event.listen(Engine, "commit", committing)


def _watch_actions(moments: Moments, told: int) -> None:
    perform, pump = executing.perform, sandbox.Pump.run
    counted = iter(range(1, 1000))

    def performing(*arguments: Any) -> Any:
        number, name = next(counted), arguments[0].function
        os.write(told, moments.started)
        moments.come_by(f"action {number} ({name}), its start on disk")
        moments.acting = threading.get_ident()
        result = perform(*arguments)
        moments.acting = 0
        moments.come_by(f"action {number} ({name}), done, before its end is recorded")
        return result

    def pumping(*arguments: Any) -> None:
        for delay in DELAYS:
            moments.come_by(f"{delay:g} s after a program was started", delay)
        pump(*arguments)

    setattr(executing, "perform", performing)  # noqa: B010
    setattr(sandbox.Pump, "run", pumping)  # noqa: B010


def _watch_changes(moments: Moments) -> None:
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT

    def changed(name: str, arguments: tuple[Any, ...]) -> None:
        if moments.acting != threading.get_ident():
            return
        opened = name == "open" and isinstance(arguments[2], int) and arguments[2] & writing
        # Groups are waited for until they can be removed: how often is no two times the same.
        if (opened or name in CHANGES) and not str(arguments[0]).startswith("/sys/"):
            moments.come_by(f"before {name} {str(arguments[0])[-40:]}")

    sys.addaudithook(changed)


def run(kind: Kind, job: Job, folder: Path) -> dict[str, object]:
    """The process that is killed. Returns only where it was not: the moments that it came by."""
    moments = Moments(job.at)
    watch_all(moments, folder)
    settings, model, human = settings_in(folder, job.database), kind.model(folder), kind.person()
    if kind.before == "rewound":
        anyio.run(lambda: session.run(kind.request(folder), settings, model=model))
    moments.armed = True
    if kind.before == "rewound":
        moments.acting = threading.get_ident()
        turn_back(Store.of(settings).journal("last"), folder)
        moments.acting = 0
    if kind.before and job.do != "first":
        anyio.run(lambda: session.resume("last", settings, model=model, human=human))
    else:
        anyio.run(lambda: session.run(kind.request(folder), settings, model=model, human=human))
    moments.armed = False
    if moments.dying:
        time.sleep(HUNG)
    return {"moments": moments.names}


def work(job: Job, result: int) -> None:
    """What a forked process does."""
    kind, folder = KINDS[job.kind], Path(job.folder)
    folder.mkdir(parents=True, exist_ok=True)
    log = os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    faulthandler.enable(file=2)
    told = folder / COMMITTED
    made = examine(kind, folder, told, job.database) if job.do == "resume" else run(kind, job, folder)
    os.write(result, json.dumps(made).encode())


def forked(job: Job) -> dict[str, object]:
    """Do one job in a process of its own. ``signal``: what killed it; ``left``: processes that outlived it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            work(job, writing)
            code = 0
        finally:
            if code:
                sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            os._exit(code)
    os.close(writing)
    told = _all_of(reading, HUNG)
    if told is None:
        os.kill(child, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    made: dict[str, object] = json.loads(told) if told else {}
    made["hung"] = told is None
    made["signal"] = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    made["code"] = os.waitstatus_to_exitcode(status)
    made["left"] = left_over()
    return made


def _all_of(descriptor: int, seconds: float) -> bytes | None:
    """What is written until the other end is closed; None when that takes too long."""
    deadline, told = time.monotonic() + seconds, b""
    while True:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return None
        chunk = os.read(descriptor, 1 << 16)
        if not chunk:
            return told
        told += chunk


def left_over() -> list[str]:
    """Wait for what the last process had started. Returns the names of what does not end by itself, and ends it."""
    deadline = time.monotonic() + VANISH
    while alive := psutil.Process().children(recursive=True):
        _reap()
        if time.monotonic() > deadline:
            names = [_name(process) for process in alive]
            for process in alive:
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
            return [name for name in names if name]
        time.sleep(0.005)
    return []


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _name(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:120]
    except psutil.NoSuchProcess:
        return ""


def serve() -> None:
    """One job after the other, until standard input ends."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no subreaper")
    for name in LATER:
        importlib.import_module(name)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this closes its input
    for line in sys.stdin:
        print(json.dumps(forked(Job.model_validate_json(line))), flush=True)


if __name__ == "__main__":
    serve()

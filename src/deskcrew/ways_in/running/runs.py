"""The interface to runs in processes of their own, for a web server or any other program.

What a run did is read from its journal. Its process is asked only for what is not in the journal yet: an open question,
waiting interventions, and whether it is alive at all.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import anyio
from anyio.abc import ByteStream
from anyio.streams.buffered import BufferedByteReceiveStream, BufferedByteStream
from pydantic import BaseModel, ValidationError

from deskcrew.engine.confirming import confirm
from deskcrew.engine.human.questions import Response, Said
from deskcrew.engine.request import RunRequest
from deskcrew.engine.rewind import Return, go_back, leaving, to_start, undoable
from deskcrew.engine.workshop.trying import confirmed
from deskcrew.errors import (
    ConfigError,
    DeskcrewError,
    EnvironmentFailure,
    JournalError,
    JournalUnreachable,
    ModelFailure,
    UnknownError,
    UsageError,
)
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.removing import Removed, remove
from deskcrew.journal.store import Store
from deskcrew.learning.memory.keeping import settle_again
from deskcrew.learning.skills.trials import Trials
from deskcrew.settings import Settings
from deskcrew.ways_in.running.files import RunFiles, files_named, files_of, new_name, runs_folder
from deskcrew.ways_in.running.messages import (
    LONGEST_LINE,
    REPLIED,
    REPORT,
    Again,
    Alive,
    AnswerGiven,
    AskAlive,
    Begun,
    Connect,
    Failed,
    Job,
    Notice,
    Replied,
    Report,
    Resume,
    Rewind,
    RewindPlace,
    RunChanges,
    Say,
    Start,
    Stop,
    Task,
    Teach,
    Told,
    Try,
    send,
)
from deskcrew.ways_in.running.removing import Learned, forget, taught
from deskcrew.ways_in.running.rewinding import place_back, points_again

Tell = Callable[[str], None]

SECONDS_TO_REPLY = 10.0
"""Seconds within which a run's process must answer: it never waits for a model or a program before answering."""
SECONDS_TO_STOP = 30.0
"""Seconds within which a process must end after being told to stop: it has to end programs and close a desktop."""
AS_IT_BEGAN = RunChanges()
NOT_GOING_ON = "This run is not in progress."
_TOLD = (UsageError, UnknownError, ConfigError, EnvironmentFailure, ModelFailure, JournalError, JournalUnreachable)
KINDS = {kind.__name__: kind for kind in _TOLD}


class Runs:
    """The runs of one data folder. It has no state: any number of instances, in any process, see the same runs."""

    def __init__(
        self,
        settings: Settings,
        *,
        folder: Path | None = None,
        patience: float | None = None,
        store: Store | None = None,
    ) -> None:
        """``folder``: where sockets and logs are, None for the user's runtime folder; ``patience``: see ``Job``; ``store``:
        the settings' store, if it is already open. Raises EnvironmentFailure if the folder cannot be created."""
        self._settings, self._folder, self._patience = settings, runs_folder(folder), patience
        self._opened = store

    # Starting

    async def start(
        self,
        request: RunRequest,
        *,
        secrets: tuple[str, ...] = (),
        notice: Tell | None = None,
        folder: Path | None = None,
    ) -> str:
        """Begins a run and returns its name once it is in the journal, which takes a few seconds with a virtual
        desktop.

        The run then continues even if the caller ends, and attachments have been copied. ``secrets``: names of secrets that
        it may type, in addition to the request's; ``notice``: called with messages that say what it is waiting for;
        ``folder``: the project whose roles and actions are used, None for the current one. Raises what ``session.run``
        raises before a run has begun. If cancelled, the run may begin nevertheless.
        """
        names = tuple(dict.fromkeys((*secrets, *(secret.name for secret in request.secrets))))
        return await self._begin(Start(request=replace(request, secrets=()), secrets=names), notice, folder)

    async def resume(self, run: str, changes: RunChanges = AS_IT_BEGAN, *, notice: Tell | None = None) -> str:
        """Continues a run. Returns and raises as :meth:`start` does; also UsageError if another process works on it."""
        return await self._begin(Resume(run=run, changes=changes), notice)

    async def rewind(
        self, run: str, place: RewindPlace, changes: RunChanges = AS_IT_BEGAN, *, notice: Tell | None = None
    ) -> str:
        """Goes back to an earlier place in a run, and continues from there. A running run is stopped first. Returns and
        raises as :meth:`start` does."""
        if await self.alive(run) is not None and not (stopped := await self.stop(run)).ok:
            raise UsageError(stopped.text)
        return await self._begin(Rewind(run=run, place=place, changes=changes), notice)

    async def begin(self, task: Again | Teach | Try, *, folder: Path | None = None) -> str:
        """Repeats a run, records a demonstration or tries a skill. ``folder``, and what is returned and raised: as for
        :meth:`start`."""
        return await self._begin(task, None, folder)

    def look_back(self, run: str, place: RewindPlace) -> Return:
        """What :meth:`rewind` would do, without changing anything. Blocking: reads the workspace. Raises UsageError if the
        run cannot go back there."""
        journal = self._store.journal(run)
        return place_back(journal, place, points_again(journal, self._settings), self._store)

    def look_undo(self, run: str) -> Return:
        """What :meth:`undo` would do if it left alone what somebody else changed. Changes nothing. Blocking: reads the
        workspace. Raises UsageError if the run cannot be undone."""
        journal = self._own(run)
        undoable(journal)
        points = points_again(journal, self._settings)
        return leaving(journal, to_start(journal, points), points, self._store)

    def undo(self, run: str, keep: Collection[str] = ()) -> tuple[str, ...]:
        """Restores the workspace as it was before the run, except for the paths in ``keep``. Returns what could not be
        restored, one line each. Blocking. Raises UsageError if the run cannot be undone or a process works on it, what
        restoring raises, and MemoryFailure if the files are back but memory could not be updated."""
        journal = self._own(run)
        undoable(journal)
        with journal.claimed():
            points = points_again(journal, self._settings)
            _, lost = go_back(journal, to_start(journal, points, keep=keep), points)
            journal.close()
            settle_again(journal, self._settings)
        return lost

    def taught(self, run: str) -> Learned:
        """What the run taught. Blocking. Raises MemoryFailure or ConfigError if memory cannot be used."""
        return taught({run}, self._settings)

    def remove(self, run: str, *, keep_learned: bool = False) -> Removed:
        """Deletes the run with its whole record and, unless ``keep_learned``, what it taught. Blocking. Raises UsageError if
        a process works on it."""
        gone = remove(self._store, [run])
        if not keep_learned:
            forget({run}, self._settings)
        return gone

    def confirm(self, run: str, *, holds: bool, requirement: str = "", why: str = "") -> Outcome:
        """Records a person's judgement of an ended run, or of one ``requirement``, and returns the run's new outcome.
        Blocking. Raises UsageError if the run cannot be judged or a process works on it, and MemoryFailure if the judgement
        was recorded but memory could not be updated."""
        journal = self._store.journal(run)
        with journal.claimed():
            outcome = confirm(journal, holds=holds, requirement=requirement, why=why)
            journal.close()
            if not holds:
                Trials(self._settings.data).take_back(run, outcome.why)
            elif outcome.status == "done":
                confirmed(journal, self._settings)
            settle_again(journal, self._settings)
        return outcome

    # Asking

    async def alive(self, run: str) -> Alive | None:
        """The state that the run's process reports; None if no reachable process works on it. ``run``: its full name, here
        and below. Raises EnvironmentFailure if the process does not answer."""
        replied = await self._asked(run, AskAlive())
        return replied if isinstance(replied, Alive) else None

    async def follow(self, run: str) -> AsyncGenerator[Alive]:
        """Yields the state of :meth:`alive`, and again whenever it changes. Ends when the process has ended; yields nothing
        if there is none. Close it (``contextlib.aclosing``) in the task that reads it."""
        async with self._connected(run) as stream:
            if stream is None:
                return
            lines = BufferedByteReceiveStream(stream)
            try:
                await send(stream, AskAlive(follow=True))
                while isinstance(replied := await _reply(lines), Alive):
                    yield replied
            except (anyio.IncompleteRead, anyio.BrokenResourceError):
                return

    def busy(self, run: str) -> bool:
        """Whether any process works on the run, including one that cannot be reached."""
        return self._store.busy(run)

    def asking(self) -> Sequence[str]:
        """The runs with an open question that can be answered while no process has them; on one machine none. Blocking."""
        return ()

    def last_line(self, run: str) -> str:
        """The last line of the process's log, which after a crash is the error; '' if there is none."""
        return self._files(run).last_line()

    # Saying

    async def say(self, run: str, said: Said) -> Told:
        """Intervenes: guide, switch, mode, pause, resume, take over, hand back, stop after this step, change the plan.
        If a question is open, this answers it. The result is not ``ok`` if the run is not running."""
        return await self._told(run, Say(said=said))

    async def answer(self, run: str, question: str, answer: Response) -> Told:
        """Answers the question with that id. The result is not ``ok`` if the question is no longer open, or the answer
        does not fit."""
        return await self._told(run, AnswerGiven(question=question, answer=answer))

    async def stop(self, run: str) -> Told:
        """Ends the run gracefully, like Ctrl-C, and waits until its process has ended."""
        told = await self._told(run, Stop())
        with anyio.move_on_after(SECONDS_TO_STOP) as waiting:
            async with aclosing(self.follow(run)) as states:
                async for _ in states:
                    continue  # until it has ended
        return Told(ok=False, text="It is still shutting down.") if waiting.cancelled_caught else told

    async def connect(self, run: str, *, hands: bool = False, desk: int = 1) -> ByteStream:
        """A connection to a virtual desktop of the run that speaks RFB (VNC), the server first. ``hands``: with mouse
        and keyboard, while a person has taken over; ``desk``: the desktop's number. Raises UsageError, worded for the
        person, if it cannot be shown."""
        try:
            stream = await anyio.connect_unix(self._files(run).socket)
        except (ConnectionRefusedError, FileNotFoundError):
            raise UsageError(NOT_GOING_ON) from None
        connected = False
        both = BufferedByteStream(stream)
        try:
            with anyio.fail_after(SECONDS_TO_REPLY):
                await send(stream, Connect(hands=hands, desk=desk))
                told = await _reply(both)
            if not isinstance(told, Told) or not told.ok:
                raise UsageError(told.text if isinstance(told, Told) else NOT_GOING_ON)
            connected = True
            return both
        except (TimeoutError, anyio.IncompleteRead, anyio.BrokenResourceError):
            raise UsageError(NOT_GOING_ON) from None
        finally:
            if not connected:
                await stream.aclose()

    # Implementation

    @cached_property
    def _store(self) -> Store:
        return self._opened or Store.of(self._settings)

    def _own(self, run: str) -> Journal:
        """The journal of a run whose workspace is here. Raises UsageError for any other."""
        if self._store.row(run).imported or not self._store.here(run):
            raise UsageError(f"The folder of run {run} is on another machine.", hint="It can be restored only there.")
        return self._store.journal(run)

    def _files(self, run: str) -> RunFiles:
        return files_of(self._folder, self._settings.journal, run)

    @asynccontextmanager
    async def _connected(self, run: str) -> AsyncGenerator[ByteStream | None]:
        """A connection to the run's process; None if there is none."""
        try:
            stream = await anyio.connect_unix(self._files(run).socket)
        except (ConnectionRefusedError, FileNotFoundError):
            yield None
            return
        async with stream:
            yield stream

    async def _asked(self, run: str, asked: BaseModel) -> Replied | None:
        """The reply of a run's process; None if there is none, or it is just ending."""
        async with self._connected(run) as stream:
            if stream is None:
                return None
            try:
                with anyio.fail_after(SECONDS_TO_REPLY):
                    await send(stream, asked)
                    return await _reply(BufferedByteReceiveStream(stream))
            except (anyio.IncompleteRead, anyio.BrokenResourceError):
                return None
            except TimeoutError:
                raise EnvironmentFailure(f"The process of run {run} does not answer.", hint="Try again.") from None

    async def _told(self, run: str, asked: BaseModel) -> Told:
        replied = await self._asked(run, asked)
        return replied if isinstance(replied, Told) else Told(ok=False, text=NOT_GOING_ON)

    async def _begin(self, task: Task, notice: Tell | None, folder: Path | None = None) -> str:
        job = Job(task=task, settings=self._settings, folder=self._folder, name=new_name(), patience=self._patience)
        # -P prevents imports from the user's current folder.
        command = [sys.executable, "-P", "-m", "deskcrew.ways_in.running.process"]
        async with await anyio.open_process(command, stderr=subprocess.STDOUT, cwd=folder) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                await process.stdin.send(job.model_dump_json().encode())
                await process.stdin.aclose()
            except anyio.BrokenResourceError:
                pass  # it has ended; what it printed says why
            return await _begun(BufferedByteReceiveStream(process.stdout), files_named(self._folder, job.name), notice)


async def _begun(reports: BufferedByteReceiveStream, files: RunFiles, notice: Tell | None) -> str:
    """The run's name, once its process reports that the run has begun. Raises the error that prevented that."""
    printed = ""
    while True:
        try:
            line = await reports.receive_until(b"\n", LONGEST_LINE)
        except anyio.IncompleteRead:
            why = files.last_line() or printed or "the reason is unknown"
            hint = "Either this is a bug in Deskcrew, or the system killed it. Please report it with this line."
            raise EnvironmentFailure(f"The run's process ended before the run had begun: {why}.", hint=hint) from None
        match _report(line):
            case Begun() as begun:
                return begun.run
            case Failed() as failed:
                raise KINDS.get(failed.kind, DeskcrewError)(failed.text, hint=failed.hint)
            case Notice() as told:
                if notice is not None:
                    notice(told.text)
            case None:
                printed = line.decode(errors="replace").strip() or printed


def _report(line: bytes) -> Report | None:
    """The report in a line; None if something else printed it."""
    try:
        return REPORT.validate_json(line)
    except ValidationError:
        return None


async def _reply(stream: BufferedByteReceiveStream) -> Replied | None:
    """The next message; None if it is not a reply."""
    try:
        return REPLIED.validate_json(await stream.receive_until(b"\n", LONGEST_LINE))
    except ValidationError:
        return None

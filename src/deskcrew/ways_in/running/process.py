"""A run's own process: ``python -m deskcrew.ways_in.running.process``, which reads its job from standard input.

It first detaches into a session of its own, and reports on standard output when the run has begun. From then on it is
independent of the process that started it, and ends with the run. Clients connect to its socket.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace

import anyio
import anyio.to_thread
from pydantic import BaseModel

from deskcrew.engine import attempts, rewind, session
from deskcrew.engine.request import request_of, secrets_of, usable_skill
from deskcrew.errors import DeskcrewError, EnvironmentFailure
from deskcrew.facts.events import YOURS, Event, LimitRaised
from deskcrew.journal.branches import branch_named
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.memory.keeping import settle_again
from deskcrew.ways_in.running.files import Socket, files_named
from deskcrew.ways_in.running.messages import (
    Again,
    Begun,
    Failed,
    Job,
    Notice,
    Resume,
    Rewind,
    RunChanges,
    Start,
    Teach,
    Try,
)
from deskcrew.ways_in.running.reachable import Hooks, Reachable
from deskcrew.ways_in.running.rewinding import allowed, changing, place_back, points_again


class Reports:
    """Sends messages to the process that started this one, until the run has begun. That process may have ended."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def tell(self, report: BaseModel) -> None:
        if self._descriptor is not None:
            with suppress(BrokenPipeError):
                os.write(self._descriptor, report.model_dump_json().encode() + b"\n")

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class Process:
    """One job and its clients. Must be created in its event loop."""

    def __init__(self, job: Job, reports: Reports, listening: Socket) -> None:
        self._job, self._reports, self._doing = job, reports, anyio.CancelScope()
        self._reachable = Reachable(job.settings, listening, self._doing.cancel, job.patience)
        self._remote, self._listener = self._reachable.remote, self._reachable.listener
        self._hooks = Hooks(watch=self._watch, human=self._remote, lend=self._reachable.lent)
        self._seconds: float | None = None

    async def run(self) -> None:
        """Does the job. An error that a person can act on is reported; any other is raised and logged."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._reachable.serve)
            tasks.start_soon(self._heed_signals)
            try:
                with self._doing:
                    await self._do()
            except DeskcrewError as error:
                self._reports.tell(Failed(kind=type(error).__name__, text=str(error), hint=error.hint))
                print(f"{type(error).__name__}: {error.whole}", file=sys.stderr)
            tasks.cancel_scope.cancel()

    async def _heed_signals(self) -> None:
        """Handles signals: the first ends the run gracefully, the second ends the process."""
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                if self._doing.cancel_called:
                    os._exit(6)
                self._listener.stopping()

    async def _do(self) -> None:
        match self._job.task:
            case Start() as task:
                await self._start(task)
            case Resume() as task:
                await self._resume(task.run, task.changes)
            case Rewind() as task:
                await self._rewind(task)
            case Again() as task:
                await self._again(task)
            case Teach() as task:
                await self._teach(task)
            case Try() as task:
                await self._try(task)

    async def _start(self, task: Start) -> None:
        settings = self._job.settings
        request = replace(task.request, secrets=allowed(settings, task.secrets))
        self._seconds = request.limits.seconds
        await attempts.run(request, settings, notice=self._notice, **self._hooks)

    async def _resume(self, run: str, changes: RunChanges) -> None:
        settings = self._job.settings
        journal = Store.of(settings).journal(run)
        change = changing(changes, journal, settings)
        self._seconds = change(request_of(journal)).limits.seconds
        await attempts.resume(journal.run, settings, change=change, notice=self._notice, **self._hooks)

    async def _rewind(self, task: Rewind) -> None:
        """Rewinds and continues; invalid changes are reported before anything is moved."""
        settings, place = self._job.settings, task.place
        store = Store.of(settings)
        journal = store.journal(task.run)
        with journal.claimed():
            points = points_again(journal, settings)
            back = await anyio.to_thread.run_sync(place_back, journal, place, points, store)
            over = rewind.ended(journal, back)
            if not over:
                request = changing(task.changes, journal, settings)(request_of(journal))
                await session.check(journal, request, settings)
            await anyio.to_thread.run_sync(
                lambda: rewind.go_back(journal, back, points, say=place.say, switch=place.role, words_of=place.words_of)
            )
            journal.close()
        if over:
            await anyio.to_thread.run_sync(settle_again, journal, settings)
            self._reports.tell(Begun(run=journal.run, ended=True))
        else:
            await self._resume(journal.run, task.changes)

    async def _again(self, task: Again) -> None:
        from deskcrew.engine.replay.live import LiveRequest, replay_live, request_again

        settings = self._job.settings
        source = Store.of(settings).journal(task.run)
        head = branch_named(source, task.branch).head if task.branch is not None else None
        request = replace(
            request_again(source, settings), mode=task.mode, secrets=allowed(settings, sorted(secrets_of(source)))
        )
        self._seconds = request.limits.seconds
        await replay_live(
            source, head, LiveRequest(request, task.sets, task.hand_over), settings, notice=self._notice, **self._hooks
        )

    async def _teach(self, task: Teach) -> None:
        from deskcrew.engine.workshop.teaching import teach

        await teach(task.request, self._job.settings, notice=self._notice, **self._hooks)

    async def _try(self, task: Try) -> None:
        from deskcrew.engine.replay.live import LiveRequest
        from deskcrew.engine.workshop.fitting import GivenFiles
        from deskcrew.engine.workshop.trying import chosen, request_for, try_skill

        settings = self._job.settings
        skill = usable_skill(task.skill, settings, self._notice)
        values = chosen(skill, task.params, GivenFiles(task.workspace, task.attachments))
        request = request_for(skill, settings, values)
        request = replace(
            request,
            workspace=task.workspace,
            attachments=task.attachments,
            desktop="virtual" if request.desktop in YOURS else request.desktop,
            mode=task.mode,
            secrets=allowed(settings, skill.method.provenance.secrets),
        )
        self._seconds = request.limits.seconds
        await try_skill(skill, values, LiveRequest(request), settings, notice=self._notice, **self._hooks)

    def _notice(self, text: str) -> None:
        self._reports.tell(Notice(text=text))
        self._remote.doing = text

    def _watch(self, event: Event, journal: Journal) -> None:
        """Called with every event. From the first on, the run can be reached by its name, and the process that started this
        one may exit."""
        self._remote.doing, begins = "", self._listener.journal is None
        self._reachable.watch(event, journal)
        if begins:
            self._remote.until = None if self._seconds is None else anyio.current_time() + self._seconds
            self._reports.tell(Begun(run=journal.run))
            self._reports.close()
        if isinstance(event.body, LimitRaised) and event.body.budget == "seconds":
            self._remote.until = anyio.current_time() + event.body.limit


def main() -> None:
    """Entry point: detach, then do the job from standard input."""
    given = sys.stdin.buffer.read()
    if os.fork():
        # Not sys.exit, because the child shares our buffers and must be the only one to run exit handlers.
        os._exit(0)
    os.setsid()
    # Programs that the run starts must not inherit it: the starting process waits for it to be closed.
    reports = Reports(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3))
    try:
        do(Job.model_validate_json(given), reports)
    except DeskcrewError as error:
        reports.tell(Failed(kind=type(error).__name__, text=str(error), hint=error.hint))


def do(job: Job, reports: Reports) -> None:
    """Does the job with a log instead of a terminal. Raises EnvironmentFailure if the runtime folder cannot be used."""
    files = files_named(job.folder, job.name)
    files.take_output()
    try:
        listening = Socket(files)
    except EnvironmentFailure:
        files.drop_empty_log()
        raise

    async def run() -> None:
        await Process(job, reports, listening).run()

    try:
        anyio.run(run)
    finally:
        listening.close()
    listening.files.drop_empty_log()  # not after an error, whose traceback is still to be written there


if __name__ == "__main__":
    main()

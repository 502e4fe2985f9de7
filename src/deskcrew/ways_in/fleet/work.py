"""What a node does with a run: start it, or continue it from its journal, and store how it ended.

If another process is executing the run, the node waits until that process is gone; a run that has ended is not executed
again. So it does no harm to hand a run over twice.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from pathlib import Path

import anyio
import anyio.to_thread
from filelock import FileLock

from deskcrew.engine import attempts
from deskcrew.engine.request import RunRequest, make_data_folder, remove_workspace
from deskcrew.errors import DeskcrewError, EnvironmentFailure, JournalError, UsageError
from deskcrew.facts.events import Event, RoleCalled, Saved
from deskcrew.facts.liveness import write_private
from deskcrew.journal import leases
from deskcrew.journal.journal import Journal, events_of
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet import places
from deskcrew.ways_in.fleet.pacing import limited
from deskcrew.ways_in.fleet.remote_person import RemotePerson
from deskcrew.ways_in.fleet.submissions import RunTurn, Submissions
from deskcrew.ways_in.running.rewinding import allowed

EVERY = 2.0
"""Seconds between two checks of whether a run is to continue."""
FOLDER = "fleet"
"""The folder in the data folder for what a node needs for a fleet's runs, besides their workspaces."""


def perform(settings: Settings, run: str, node: str) -> None:
    """Execute a run of a submission, and store how it ended. Blocking. Raises JournalError if database or blobs cannot be
    used: then call it again. An error of the run itself is stored as its end."""
    submissions = Submissions(settings)
    try:
        if (turn := submissions.begin(run, node)) is not None:
            anyio.run(_done, settings, submissions, turn, node)
    finally:
        submissions.store.close()


async def _done(settings: Settings, submissions: Submissions, turn: RunTurn, node: str) -> None:
    await _Work(settings, submissions, turn, node).do()


class _Work:
    """Executes a run's turn on a node. Must be created in its event loop."""

    def __init__(self, settings: Settings, submissions: Submissions, turn: RunTurn, node: str) -> None:
        self._submissions, self._turn, self._node = submissions, turn, node
        self._settings = settings.of(turn.asked.submission.person)
        self._run, self._store = turn.run, submissions.store
        self._request: RunRequest = turn.asked.request
        self._journal: Journal | None = None
        self._lines: deque[str] = deque()
        self._scope = anyio.CancelScope()

    async def do(self) -> None:
        if not await self._alone():
            return
        failure = await self._attempt()
        if isinstance(failure, UsageError) and await anyio.to_thread.run_sync(self._store.has, self._run):
            await anyio.sleep(EVERY)  # another process may have taken it just before, and be about to say so
            if not await self._alone():
                return
            failure = await self._attempt()
        if isinstance(failure, JournalError):
            raise failure
        try:
            await anyio.to_thread.run_sync(self._end, failure)
        finally:
            with suppress(JournalError):
                await anyio.to_thread.run_sync(self._flush)

    async def _attempt(self) -> DeskcrewError | None:
        """Start or continue the run until it ends or is cancelled. Returns why that failed, or None."""
        failure: DeskcrewError | None = None
        self._scope = anyio.CancelScope()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._heed)
            with self._scope:
                try:
                    await self._carry_out()
                except DeskcrewError as error:
                    failure = error
            tasks.cancel_scope.cancel()
        return failure

    async def _alone(self) -> bool:
        """Wait until no other process is executing the run. False if one still is."""
        ends = time.monotonic() + 2 * leases.SECONDS
        while await anyio.to_thread.run_sync(self._store.busy, self._run):
            if time.monotonic() > ends:
                return False
            await anyio.sleep(EVERY / 2)
        return True

    async def _carry_out(self) -> None:
        """Start or continue the run; does nothing if it has ended."""
        secrets = allowed(self._settings, self._turn.asked.submission.start.secrets)
        asked = replace(self._request, secrets=secrets, policy=self._policy(), workspace=self._folder, copy=False)
        if not await anyio.to_thread.run_sync(self._store.has, self._run):
            self._tell("begins")
            await anyio.to_thread.run_sync(self._fetch)
            async with self._model(asked) as model:
                await attempts.run(
                    asked, self._settings, watch=self._watch, human=self._person(), model=model, notice=None, run=self._run
                )
            return
        journal = await anyio.to_thread.run_sync(self._store.journal, self._run)
        ended = journal.state.outcome
        if ended is not None and not (ended.resumable and self._turn.answered):
            return
        self._tell(f"continues after event {len(journal.all)}")
        if not any(events_of(journal, Saved)):
            await anyio.to_thread.run_sync(self._fetch)  # its process died before there was a save point
        mode = {"mode": asked.mode, "modes": asked.modes, "secrets": secrets}
        async with self._model(asked) as model:
            await attempts.resume(
                self._run,
                self._settings,
                change=lambda begun: replace(begun, **mode),  # type: ignore[arg-type]
                watch=self._watch,
                human=self._person(),
                model=model,
            )

    def _end(self, failure: DeskcrewError | None) -> None:
        """Store how the run ended, and write its results to their address. Does nothing if it waits for a person, or another
        process has taken it over. ``failure``: why it could not start or continue."""
        if not self._store.has(self._run):
            state, why = ("cancelled", "") if failure is None else ("failed", failure.whole)
            self._tell(f"could not begin: {why}" if why else "was cancelled")
            self._submissions.end(self._run, state, why)
            self._clear()
            return
        journal = self._store.journal(self._run)
        ended, spent = journal.state.outcome, journal.state.spent
        if ended is None:
            if failure is not None and not self._store.busy(self._run):
                self._tell(f"cannot continue: {failure}")
                self._submissions.end(self._run, "failed", failure.whole, spent)
            return
        row = self._submissions.row(self._run)
        if ended.status == "stopped" and row is not None and row.question is not None and row.state in ("asking", "waiting"):
            self._submissions.going(self._run, spent)
            self._clear()
            return
        why = ended.why
        if target := self._turn.asked.places.results:
            try:
                if left_out := places.put(journal, target):
                    self._tell(f"{left_out} files could not be kept, and are not in {target}")
            except EnvironmentFailure as error:
                why = f"{why} Its files are in the journal only: {error}".strip()
                self._tell(str(error))
        self._tell(f"has ended: {ended.status}")
        self._submissions.end(self._run, ended.status, why, spent)
        self._clear()

    def _model(self, request: RunRequest) -> AbstractAsyncContextManager[Model | None]:
        """The request's model with its rate limited; None if that is not limited."""
        return limited(request.model, self._settings, self._submissions.reserve, self._tell)

    def _person(self) -> RemotePerson:
        return RemotePerson(self._submissions, self._run, keep=self._keep, let_go=self._scope.cancel, tell=self._tell)

    async def _heed(self) -> None:
        """End the run cleanly once it is cancelled. Ignores a database that does not answer: the run itself notices."""
        told = 0
        while True:
            with suppress(JournalError):
                await anyio.to_thread.run_sync(self._flush)
                spent = self._journal.state.spent if self._journal is not None else None
                news = spent if spent is not None and spent.calls != told else None
                if not await anyio.to_thread.run_sync(self._submissions.going, self._run, news):
                    self._scope.cancel()
                    return
                told = news.calls if news is not None else told
            await anyio.sleep(EVERY)

    def _watch(self, event: Event, journal: Journal) -> None:
        self._journal = journal
        if isinstance(event.body, RoleCalled):
            journal.commit()  # a model takes its time, and whoever looks from elsewhere sees what is in the journal

    def _keep(self) -> None:
        if self._journal is not None:
            self._journal.commit()

    def _tell(self, text: str) -> None:
        self._lines.append(text)

    def _flush(self) -> None:
        while self._lines:
            self._submissions.tell(self._run, self._node, self._lines[0])
            self._lines.popleft()

    # Its files.

    @property
    def _folder(self) -> Path:
        return self._settings.data / "workspaces" / self._run

    def _fetch(self) -> None:
        """Create the workspace atomically, with the files at the submission's address."""
        make_data_folder(self._settings)
        self._own.mkdir(exist_ok=True, mode=0o700)
        self._folder.parent.mkdir(exist_ok=True, mode=0o700)
        part = self._folder.with_name(f".{self._run}.part")
        with FileLock(self._own / f"{self._run}.lock"):
            remove_workspace(part)
            remove_workspace(self._folder)
            part.mkdir(mode=0o700)
            if address := self._turn.asked.places.workspace:
                places.fetch(address, part, self._settings)
            part.rename(self._folder)

    def _policy(self) -> Path | None:
        """A file with the submission's policy; None if the node's own applies."""
        text = self._turn.asked.submission.policy
        if text is None:
            return None
        make_data_folder(self._settings)
        self._own.mkdir(exist_ok=True, mode=0o700)
        file = self._own / f"policy-{hashlib.sha256(text.encode()).hexdigest()[:16]}.toml"
        write_private(file, text)
        return file

    @property
    def _own(self) -> Path:
        return self._settings.data / FOLDER

    def _clear(self) -> None:
        """Remove the run's files on this node: the journal has them all."""
        (self._own / f"{self._run}.lock").unlink(missing_ok=True)
        remove_workspace(self._folder)

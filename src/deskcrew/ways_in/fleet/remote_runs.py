"""Runs on a fleet's nodes, with the same interface as local runs: they are answered and stopped through the database."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from pathlib import Path

import anyio.to_thread

from deskcrew.engine.human.questions import Response, Said
from deskcrew.errors import UsageError
from deskcrew.journal.removing import Removed
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.remote_person import QUESTION, RESPONSE
from deskcrew.ways_in.fleet.submissions import GOING_ON, Submissions, SubmittedRow
from deskcrew.ways_in.running import Alive, RewindPlace, RunChanges, Runs, Told
from deskcrew.ways_in.running.messages import Pending, RunNote
from deskcrew.ways_in.running.remote import NO_LONGER, unfit
from deskcrew.ways_in.running.runs import AS_IT_BEGAN, NOT_GOING_ON, Tell

NOT_THERE = "A run on a node of the fleet can only be answered and stopped."
SOON = "It continues as soon as a node has room."


class FleetRuns(Runs):
    """The runs of this machine, and those of the fleet whose database the settings name."""

    async def alive(self, run: str) -> Alive | None:
        here = await super().alive(run)
        row = await self._row(run) if here is None else None
        return _alive(row) if row is not None else here

    async def say(self, run: str, said: Said) -> Told:
        if await self._on_a_node(run) is not None:
            return Told(ok=False, text=NOT_THERE)
        return await super().say(run, said)

    async def answer(self, run: str, question: str, answer: Response) -> Told:
        row = await self._on_a_node(run)
        if row is None:
            return await super().answer(run, question, answer)
        if row.question is None or _id(row.question) != question:
            return Told(ok=False, text=NO_LONGER)
        if wrong := unfit(QUESTION.validate_json(row.question), answer):
            return Told(ok=False, text=wrong)
        given = RESPONSE.dump_json(answer).decode()
        done = await anyio.to_thread.run_sync(self._submissions.answer, run, row.question, given)
        return Told(ok=done, text="" if done else NO_LONGER)

    async def stop(self, run: str) -> Told:
        if await self._on_a_node(run) is None:
            return await super().stop(run)
        done = await anyio.to_thread.run_sync(self._submissions.cancel, run)
        return Told(ok=done > 0, text="" if done else NOT_GOING_ON)

    async def rewind(
        self, run: str, place: RewindPlace, changes: RunChanges = AS_IT_BEGAN, *, notice: Tell | None = None
    ) -> str:
        """Same as for a run on this machine. Raises UsageError while a node still has the run."""
        if await self._on_a_node(run) is not None:
            raise UsageError(f"A node of the fleet is executing run {run}.", hint="Stop it, and go back once it has ended.")
        return await super().rewind(run, place, changes, notice=notice)

    def undo(self, run: str, keep: Collection[str] = ()) -> tuple[str, ...]:
        """Same as for a run on this machine. Raises UsageError while a node still has the run."""
        self._off_the_nodes(run)
        return super().undo(run, keep)

    def remove(self, run: str, *, keep_learned: bool = False) -> Removed:
        """Same as for a run on this machine. Raises UsageError while a node still has the run."""
        self._off_the_nodes(run)
        return super().remove(run, keep_learned=keep_learned)

    def _off_the_nodes(self, run: str) -> None:
        """Raise UsageError if a node has the run, or will have it. Blocking."""
        row = self._submissions.row(run)
        if row is not None and row.state in GOING_ON:
            raise UsageError(f"Run {run} belongs to a node of the fleet.", hint="Stop it, and try again once it has ended.")

    def asking(self) -> Sequence[str]:
        return self._submissions.asking()

    @property
    def _submissions(self) -> Submissions:
        return Submissions(self._settings, self._store)

    async def _row(self, run: str) -> SubmittedRow | None:
        """The state of a run that a node has, or will have; None for any other run."""
        row = await anyio.to_thread.run_sync(self._submissions.row, run)
        return row if row is not None and row.state in GOING_ON else None

    async def _on_a_node(self, run: str) -> SubmittedRow | None:
        """The state of a run that only a node has; None for any other run, also one of a process on this machine."""
        return await self._row(run) if await super().alive(run) is None else None


def runs_of(settings: Settings, folder: Path | None = None, store: Store | None = None) -> Runs:
    """The runs of the settings' journal, wherever they are executed. ``folder``, ``store``: see :class:`Runs`."""
    return (FleetRuns if settings.database else Runs)(settings, folder=folder, store=store)


def _alive(row: SubmittedRow) -> Alive:
    asked = row.question if row.state == "asking" else None
    pending = Pending(id=_id(asked), question=QUESTION.validate_json(asked), since=0) if asked is not None else None
    notes = (RunNote(number=1, time=0, text=SOON),) if row.state == "waiting" else ()
    return Alive(run=row.run, pid=0, node=row.node, question=pending, notes=notes, stopping=row.state == "cancelling")


def _id(question: str) -> str:
    """The id of a question, a hash of it: an answer counts only for the question as it was shown."""
    return hashlib.sha256(question.encode()).hexdigest()[:16]

"""Lanes: parts of a plan that are worked on at once (F4), and the floor, which one of them has at a time.

A model or a person is waited for by all of them together; whatever is done, seen and written is done by the lane that has
the floor. So the journal has one writer, and its order is the order in which things happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

import anyio

from deskcrew import events as e
from deskcrew.errors import PlanError
from deskcrew.journal.records import Correction, Decision, Turn
from deskcrew.plan import Subtask
from deskcrew.verdict import Verdict

T = TypeVar("T")


@dataclass(slots=True)
class LaneState:
    """What each lane has of its own in the fold. A run that works on one part at a time has one of these."""

    wants_plan: bool = True
    problem: str = ""
    decision: Decision | None = None
    proposed: e.OperationProposed | None = None
    action: e.Event | None = None
    """An action that started and has not ended."""
    finished_action: e.Event | None = None
    """An action that ended and was not judged yet."""
    failed: str = ""
    """The subtask of an operation that failed or was denied, while nothing has come of that."""
    appeal: Verdict | None = None
    """A request for another plan, while nobody has decided on it."""
    stop: Verdict | None = None
    asking: Verdict | None = None
    judgement: str = ""
    reviewed: str = ""
    """The reviewer's words on the last operation, which the next prompt shows where no later verdict says more (C9)."""
    message: str = ""
    malformed: str = ""
    """What was wrong with the last reply; '' when it was well formed."""
    malformed_by: str = ""
    cut: int = 0
    """Replies in a row that ended at their limit of tokens."""
    format_errors: int = 0
    correction: Correction | None = None
    called: int = 0
    """Number of the event with which a role was last asked."""
    replied: Turn | None = None
    """The last reply."""
    fresh: bool = False
    """Nothing has come of the last reply yet."""
    unchanged: Counter[str] = field(default_factory=lambda: Counter[str]())
    """How often an operation was proposed since anything last changed."""
    barred: bool = False
    """An operation was denied, and nothing has been done since."""
    evidence: e.Evidence | None = None
    meanwhile: tuple[str, ...] = ()
    """Files that other lanes have changed since this one's role last looked at them or was told."""
    clash: tuple[str, ...] = ()
    """Those of them that the operation names which was proposed last."""


@dataclass(slots=True)
class Lanes(LaneState):
    """The lanes of a run. What is a lane's own is that of the lane which has the ``floor``; that of all others is kept
    ``aside``, by lane, '' for what no lane does."""

    lanes: dict[str, Subtask] = field(default_factory=dict[str, Subtask])
    """The parts that are worked on at once, by their ids, as they were when that began: one that is done, or not the same
    any more, is in no lane."""
    floor: str = ""
    aside: dict[str, LaneState] = field(default_factory=dict[str, LaneState])

    def known(self, label: str) -> str:
        """The lane that the label of an event stands for; '' for none that is open."""
        return label if label in self.lanes else ""

    def enter(self, lane: str) -> None:
        """Give a lane the floor; what is no open lane stands for all that no lane does."""
        lane = self.known(lane)
        if lane != self.floor:
            self.aside[self.floor] = self._own()
            self._become(self.aside.pop(lane))
            self.floor = lane

    def open(self, parts: Iterable[Subtask]) -> None:
        """Open a lane for each of these parts. Raises PlanError where there is one already."""
        for part in parts:
            if not part.id or part.id in self.lanes:
                raise PlanError(f"Subtask {part.id!r} can have no lane of its own.")
            self.lanes[part.id] = part
            self.aside[part.id] = replace(self._own(), decision=None, unchanged=Counter[str](), meanwhile=())
        self._become(LaneState(wants_plan=False))

    def close(self, lane: str) -> None:
        """End a lane. What its part leaves behind is what the run goes on from, as after a part that was done alone."""
        del self.lanes[lane]
        if lane != self.floor:
            del self.aside[lane]
            return
        left, self.meanwhile = self.aside.pop(""), ()
        self.floor, self.barred, self.wants_plan = "", self.barred or left.barred, self.wants_plan or left.wants_plan
        self.problem = " ".join(dict.fromkeys(filter(None, (left.problem, self.problem))))

    def _own(self) -> LaneState:
        return LaneState(**{each.name: getattr(self, each.name) for each in fields(LaneState)})

    def _become(self, lane: LaneState) -> None:
        for each in fields(LaneState):
            setattr(self, each.name, getattr(lane, each.name))


class Floor:
    """Who may go on: one lane at a time, and who has waited longest is next.

    A lane has the floor from a model's reply to the next question to a model or a person, with all the operations in
    between. Without lanes nobody waits for it.
    """

    def __init__(self, state: Callable[[], Lanes]) -> None:
        """``state``: returns the journal's, which is another one after a rewind."""
        self._state = state
        self.there: list[str] = []
        """Lanes that have begun to take part, and have not ended."""
        self.waiting: list[str] = []
        self.holder = ""
        """The lane that has it; '' while nobody has."""
        self._over = False
        """A lane ended by what ends the run: nothing more is to happen before the others hear of it."""
        self._changed = anyio.Event()

    def clear(self) -> None:
        """Nobody is there: lanes are about to begin."""
        self.there.clear()
        self._over = False

    @asynccontextmanager
    async def held(self, lane: str) -> AsyncGenerator[None]:
        """The floor, for a lane that is ``there``, until it ends."""
        try:
            await self._take(lane)
            yield
        except BaseException as error:
            self._over = self._over or not isinstance(error, anyio.get_cancelled_exc_class())
            raise
        finally:
            self.there.remove(lane)
            self._leave(lane)

    async def outside(self, wait: Callable[[], Awaitable[T]]) -> T:
        """What ``wait`` waits for outside of the run. Other lanes go on meanwhile, but not while an action is under way:
        what it does could not be told from what they do."""
        state = self._state()
        if state.floor not in self.there or state.action is not None:
            return await wait()
        return await self._without(state.floor, wait)

    async def _without(self, lane: str, wait: Callable[[], Awaitable[T]]) -> T:
        self._leave(lane)
        try:
            return await wait()
        finally:
            await self._take(lane)

    def next(self) -> str:
        """Whose turn it is of those that wait; '' for nobody's yet."""
        return self.waiting[0] if self.waiting else ""

    async def _take(self, lane: str) -> None:
        self.waiting.append(lane)
        self._tell()  # whoever decides who is next may have waited for this one
        try:
            while self._over or self.holder or self.next() != lane:
                await self._changed.wait()
            self.holder = lane
        finally:
            self.waiting.remove(lane)
        self._state().enter(lane)

    def _leave(self, lane: str) -> None:
        if self.holder == lane:
            self.holder = ""
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

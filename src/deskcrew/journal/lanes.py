"""Lanes: parts of a plan that are worked on at once (F4), each with a state of its own in the fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from deskcrew import events as e
from deskcrew.errors import PlanError
from deskcrew.journal.records import Correction, Decision, Turn
from deskcrew.plan import Subtask
from deskcrew.verdict import Verdict


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
    desks: dict[str, int] = field(default_factory=dict[str, int])
    """The numbers of the desktops or browsers that lanes were given, also after their end: whoever needs what was done there
    goes on there."""
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

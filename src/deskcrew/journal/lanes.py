"""Lanes: subtasks that are worked on concurrently (F4), each with a state of its own in the fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from deskcrew.errors import PlanError
from deskcrew.facts import events as e
from deskcrew.facts.messages import Message
from deskcrew.facts.plan import Subtask
from deskcrew.facts.verdict import Verdict
from deskcrew.journal.records import Correction, Decision, Turn


@dataclass(slots=True)
class LaneState:
    """A lane's own part of the run's state. A run that works on one subtask at a time has only one."""

    wants_plan: bool = True
    messages: tuple[Message, ...] = ()
    """Messages to roles that have not been used yet."""
    decision: Decision | None = None
    proposed: e.OperationProposed | None = None
    action: e.Event | None = None
    """The action that has started and not ended."""
    finished_action: e.Event | None = None
    """The action that has ended and not been judged."""
    failed: str = ""
    """The subtask of an operation that failed or was denied, until somebody has reacted to that."""
    appeal: Verdict | None = None
    """A request for another plan that has not been decided on."""
    stop: Verdict | None = None
    asking: Verdict | None = None
    malformed: str = ""
    """What was wrong with the last reply; '' if it was well formed."""
    malformed_by: str = ""
    cut: int = 0
    """Consecutive replies that were cut off at their token limit."""
    format_errors: int = 0
    correction: Correction | None = None
    called: int = 0
    """Number of the event with which a role was last called."""
    replied: Turn | None = None
    """The last reply."""
    fresh: bool = False
    """Whether the last reply has had no effect yet."""
    unchanged: Counter[str] = field(default_factory=lambda: Counter[str]())
    """How often an operation was proposed since anything last changed."""
    stalled: int = 0
    """How many decisions in a row have changed nothing and found out nothing new."""
    barred: bool = False
    """Whether an operation was denied, and nothing has been done since."""
    evidence: e.Evidence | None = None
    meanwhile: tuple[str, ...] = ()
    """Files that other lanes have changed since this lane's role last saw them or was told about the changes."""
    clash: tuple[str, ...] = ()
    """Files in ``meanwhile`` that the latest proposed operation names."""


@dataclass(slots=True)
class Lanes(LaneState):
    """The lanes of a run. The fields of :class:`LaneState` hold the state of the lane that has the ``floor``; ``aside`` has
    the states of all others, by lane, '' for work outside any lane."""

    lanes: dict[str, Subtask] = field(default_factory=dict[str, Subtask])
    """The subtasks that are worked on concurrently, by id, as they were when their lanes were opened. A subtask that is
    done, or has changed, has no lane."""
    desks: dict[str, int] = field(default_factory=dict[str, int])
    """The numbers of the desktops or browsers that lanes were given, kept after the lanes end, because subtasks that
    need their results continue there."""
    floor: str = ""
    aside: dict[str, LaneState] = field(default_factory=dict[str, LaneState])

    def known(self, label: str) -> str:
        """The open lane that an event's label names; '' if there is none."""
        return label if label in self.lanes else ""

    def enter(self, lane: str) -> None:
        """Give a lane the floor. A label that names no open lane means work outside any lane."""
        lane = self.known(lane)
        if lane != self.floor:
            self.aside[self.floor] = self._own()
            self._become(self.aside.pop(lane))
            self.floor = lane

    def open(self, parts: Iterable[Subtask]) -> None:
        """Open a lane for each of these subtasks. Raises PlanError if one has a lane already."""
        for part in parts:
            if not part.id or part.id in self.lanes:
                raise PlanError(f"Subtask {part.id!r} can have no lane of its own.")
            self.lanes[part.id] = part
            self.aside[part.id] = replace(self._own(), decision=None, unchanged=Counter[str](), meanwhile=())
        self._become(LaneState(wants_plan=False))

    def close(self, lane: str) -> None:
        """End a lane. The run continues from the lane's state, as after a subtask that was done alone."""
        del self.lanes[lane]
        if lane != self.floor:
            del self.aside[lane]
            return
        left, self.meanwhile = self.aside.pop(""), ()
        self.floor, self.barred, self.wants_plan = "", self.barred or left.barred, self.wants_plan or left.wants_plan
        self.messages = tuple(dict.fromkeys((*left.messages, *self.messages)))

    def _in(self, lane: str) -> LaneState:
        """The state of a lane."""
        return self if lane == self.floor else self.aside[lane]

    def _own(self) -> LaneState:
        return LaneState(**{each.name: getattr(self, each.name) for each in fields(LaneState)})

    def _become(self, lane: LaneState) -> None:
        for each in fields(LaneState):
            setattr(self, each.name, getattr(lane, each.name))

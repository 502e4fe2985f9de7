"""The timeline of a run: who did what, and for how long. It has one lane for each role, and one for the person; if several
subtasks are worked on at once, one for each role and subtask.

A lane holds bars in chronological order: waiting for the model, executing, waiting for the person. A run's idle time is cut
out, so that a night between two steps is no wider than any other break.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deskcrew.facts import events as e
from deskcrew.journal.reading import Reading, Track
from deskcrew.journal.records import BY_RULE, HUMAN
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.text import counted, one_line, seconds
from deskcrew.ways_in.report.text import number as count
from deskcrew.ways_in.web.screen import words

Say = Callable[[int, e.Operation], str]
"""Returns an operation in words, from the number of its event and the operation."""
Kind = Literal["model", "rule", "done", "failed", "person", "paused"]
KINDS: dict[Kind, str] = {
    "model": "waiting for the model",
    "rule": "decided by a rule",
    "done": "operation done",
    "failed": "operation failed or denied",
    "person": "waiting for you",
    "paused": "paused, or in your hands",
}
"""The kinds of bar, with their text in the legend."""
YOU = "You"
TYPES = frozenset(
    {
        "run_started",
        "lanes_opened",
        "role_called",
        "role_replied",
        "operation_proposed",
        "operation_approved",
        "operation_denied",
        "action_started",
        "action_finished",
        "action_interrupted",
        "human_said",
        "understood",
        "rewound",
        "run_resumed",
        "run_finished",
        "attempts_shown",
        "confirmed",
        "run_interrupted",
    }
)
ROW, TOP, BREAK, LEAST = 34, 24, 18, 3
"""In pixels: the height of a lane and of the axis above the lanes, the width of a break, the minimum width of a bar."""
NARROWEST, WIDEST, ROOM = 900, 30_000, 14
"""In pixels: the minimum and maximum width of a timeline, and the average space for a bar."""
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400)
"""Possible seconds between two ticks of the axis; the first that leaves room for their labels is used."""
TICK = 90


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar. ``number``: the event that it links to; ``x``, ``width``: in pixels; ``told``: its description."""

    number: int
    x: float
    width: float
    kind: Kind
    told: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane. ``y``: its upper edge, in pixels; ``told``: its contents in words."""

    name: str
    told: str
    y: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Timeline:
    """A timeline. ``ticks``: positions and labels on the axis; ``breaks``: where time was cut out, both in pixels;
    ``kinds``: the kinds of bar that occur."""

    width: int
    height: int
    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, str], ...]
    breaks: tuple[float, ...]
    kinds: tuple[tuple[Kind, str], ...]


@dataclass(slots=True)
class _Span:
    """A bar whose place on the page is not known yet. ``start``, ``end``: seconds of work since the run began."""

    number: int
    start: float
    end: float
    kind: Kind
    told: str


@dataclass(slots=True)
class _TimelineBars:
    """What was collected from the events. ``clock``: the Unix time of the beginning; idle time moves it forward."""

    clock: float
    lanes: dict[str, list[_Span]] = field(default_factory=dict[str, list[_Span]])
    at_once: set[str] = field(default_factory=set[str])
    """The subtasks that are, or were, worked on at once."""
    cuts: list[float] = field(default_factory=list[float])

    def row(self, role: str, event: e.Event) -> str:
        """The name of the lane for a role's event."""
        part = event.header.lane
        return f"{role}, part {part}" if part in self.at_once else role

    def add(self, lane: str, number: int, start: float, end: float, kind: Kind, said: str) -> None:
        begun = max(start - self.clock, 0.0)
        self.lanes.setdefault(lane, []).append(_Span(number, begun, max(end - self.clock, begun), kind, said))


def timeline(reading: Reading, track: Track) -> Timeline:
    """The timeline of a branch. Blocking."""
    told = _gathered(
        reading.events([place.number for place in reading.on(track, TYPES)]),
        lambda number, operation: words(reading, track, number, operation),
    )
    bars = sum(len(spans) for spans in told.lanes.values())
    whole = max((span.end for spans in told.lanes.values() for span in spans), default=0.0) or 1.0
    wide = min(max(NARROWEST, bars * ROOM), WIDEST)
    scale = wide / whole
    lanes = tuple(
        Lane(name, _summary(spans), TOP + at * ROW, tuple(_placed(span, scale, told.cuts) for span in spans))
        for at, (name, spans) in enumerate(sorted(told.lanes.items(), key=lambda lane: lane[0] == YOU))
    )
    step = next((step for step in STEPS if step * scale >= TICK), STEPS[-1])
    ticks = tuple((_x(at, scale, told.cuts), _clock(at)) for at in range(0, int(whole) + 1, step))
    breaks = tuple(cut * scale + at * BREAK for at, cut in enumerate(told.cuts))
    present = {span.kind for spans in told.lanes.values() for span in spans}
    return Timeline(
        width=int(wide + len(told.cuts) * BREAK) + TICK,
        height=TOP + len(lanes) * ROW,
        lanes=lanes,
        ticks=ticks,
        breaks=breaks,
        kinds=tuple((kind, meaning) for kind, meaning in KINDS.items() if kind in present),
    )


def _gathered(events: Sequence[e.Event], say: Say) -> _TimelineBars:
    told = _TimelineBars(clock=events[0].header.time if events else 0.0)
    called: dict[str, e.Event] = {}
    begun: e.Event | None = None
    role, before, held = "", told.clock, 0.0
    for event in events:
        now, number = event.header.time, event.number
        match event.body:
            case e.LanesOpened() as body:
                told.at_once |= {*body.subtasks}
            case e.RoleCalled() as body:
                called[told.row(body.role, event)] = event
            case e.RoleReplied() as body:
                role = told.row(body.role, event)
                _reply(told, event, body, called.pop(role, None))
            case e.OperationProposed() as body:
                role = told.row(body.role, event)
            case e.OperationApproved(by="human"):
                told.add(YOU, number, before, now, "person", "You allowed an operation")
            case e.OperationDenied() as body:
                if body.by == "human":
                    told.add(YOU, number, before, now, "person", "You denied an operation")
                told.add(role or body.by, number, now, now, "failed", f"Denied: {one_line(body.why) or body.rule}")
            case e.ActionStarted():
                begun = event
            case e.ActionFinished() as body if begun is not None:
                _action(told, begun, event, body, say)
                begun = None
            case e.HumanSaid() as body:
                if body.kind in ("resume", "hand_back") and held:
                    told.add(YOU, number, held, now, "paused", f"Paused for {seconds(now - held)}")
                    held = 0.0
                else:
                    told.add(YOU, number, before, now, "person", one_line(render.lines(event)[0].plain))
                    held = now if body.kind in ("pause", "take_over") else held
            case e.Understood() as body:
                theirs = body.by == "human" and body.said is None
                lane, kind = (YOU, "person") if theirs or not role else (role, "rule")
                told.add(lane, number, before if theirs else now, now, kind, one_line(render.understood(body).plain, 200))
            case e.RunResumed() | e.Rewound() | e.Confirmed() | e.AttemptsShown():
                told.cuts.append(max(before - told.clock, 0.0))
                told.clock += max(now - before, 0.0)
                held, begun = 0.0, None
                called.clear()
            case _:
                pass
        before = now
    for name, call in called.items():
        told.add(name, call.number, call.header.time, before, "model", f"{one_line(name, 40)} has not replied")
    return told


def _reply(told: _TimelineBars, event: e.Event, body: e.RoleReplied, call: e.Event | None) -> None:
    who, now = one_line(body.role, 40), event.header.time
    if body.model in BY_RULE:
        return told.add(told.row(body.role, event), event.number, now, now, "rule", f"{who}: decided by a rule")
    if body.model == HUMAN:
        return told.add(YOU, event.number, now, now, "person", f"You replied for {who}")
    start = call.header.time if call is not None else now - body.seconds
    said = f"{who}: model call, {seconds(now - start)}, {count(body.usage.input)} tokens in, {count(body.usage.output)} out"
    said += "; malformed" if body.reply is None else ""
    told.add(told.row(body.role, event), event.number, start, now, "model", said)


def _action(told: _TimelineBars, begun: e.Event, event: e.Event, body: e.ActionFinished, say: Say) -> None:
    assert isinstance(begun.body, e.ActionStarted)
    start, end = begun.header.time, event.header.time
    said = f"{one_line(say(begun.number, begun.body.operation), 120)}, {seconds(end - start)}"
    said += "" if body.ok else f"; failed: {one_line(body.error or body.text, 120)}"
    told.add(told.row(begun.body.role, begun), begun.number, start, end, "done" if body.ok else "failed", said)


def _placed(span: _Span, scale: float, cuts: Sequence[float]) -> Bar:
    start, end = _x(span.start, scale, cuts), _x(span.end, scale, cuts)
    return Bar(
        span.number, round(start, 1), round(max(end - start, LEAST), 1), span.kind, f"{_clock(span.start)} {span.told}"
    )


def _x(at: float, scale: float, cuts: Iterable[float]) -> float:
    return round(at * scale + BREAK * sum(cut < at for cut in cuts), 1)


def _summary(spans: Sequence[_Span]) -> str:
    """The contents of a lane in words: the number and total duration of each kind of bar."""
    told: list[str] = []
    for kind, thing in (("model", "model call"), ("done", "operation"), ("failed", "failure"), ("person", "wait")):
        those = [span for span in spans if span.kind == kind]
        if those:
            told.append(f"{counted(len(those), thing)}, {seconds(sum(span.end - span.start for span in those))}")
    return "; ".join(told) or counted(len(spans), "decision")


def _clock(value: float) -> str:
    whole = int(value)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"

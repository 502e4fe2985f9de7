"""The view model of a run's page: its state, plan, cost, and what it is waiting for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from deskcrew.engine import limits as bounds
from deskcrew.engine.roles.recorded import crew_of, doing
from deskcrew.engine.roles.role import PROTOCOL
from deskcrew.engine.roles.role_kinds import KINDS, KindName
from deskcrew.errors import ConfigError, JournalError, UsageError
from deskcrew.facts import events as e
from deskcrew.facts.plan import Plan, Subtask
from deskcrew.facts.verdict import REJECTED, BudgetName, Outcome
from deskcrew.journal.reading import Reading, Track
from deskcrew.journal.records import Spent, repeating, touched
from deskcrew.journal.store import RunRow, Store
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.settings import Limits
from deskcrew.ways_in.report.operations import not_done
from deskcrew.ways_in.report.render import ASKS
from deskcrew.ways_in.report.text import money, number
from deskcrew.ways_in.report.totals import skill_worked, without_outcome
from deskcrew.ways_in.running import Alive
from deskcrew.ways_in.web.screen import chosen
from deskcrew.ways_in.web.wording import unless_task

KEPT = 32
"""The maximum number of runs kept in memory; the least recently used is dropped first."""
ANSWERS = ("role_replied", "human_said", "run_interrupted", "run_resumed", "rewound", "run_finished")
"""Types of events that end the wait for an earlier call's reply."""
PartState = Literal["done", "now", "next"]


class Readings:
    """A cache of the runs that were opened. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Reading] = OrderedDict()

    def of(self, run: str) -> Reading:
        """The run with that full id, as it is now. Raises UsageError if there is none."""
        self._store.row(run)  # it may have been removed
        with self._lock:
            reading = self._kept.pop(run, None) or self._store.reading(run)
            self._kept[run] = reading
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        reading.refresh()
        return reading


@dataclass(frozen=True, slots=True)
class SubtaskView:
    """A subtask and its status."""

    subtask: Subtask
    state: PartState


@dataclass(frozen=True, slots=True)
class Thinking:
    """A role whose model was called and has not replied yet. ``doing``: what it is doing; ``since``: Unix seconds."""

    role: str
    doing: str
    since: float


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run at the end of one branch. ``status``: one word; ``modes``: the current mode by role, '' for all other roles;
    ``seconds``: seconds since it began, without idle time; ``moving``: whether a process is executing it; ``kinds``: the
    kind of each role; ``clock``: the Unix time from which its seconds would count had it never been idle, 0 if it is not
    moving; ``thinking``: the call that has no reply yet."""

    row: RunRow
    started: e.RunStarted
    track: Track
    count: int
    status: str
    outcome: Outcome | None
    choice: e.Choice | None
    """The comparison of attempts that this branch ended with, or that selected it."""
    plan: Plan
    parts: tuple[SubtaskView, ...]
    goal: e.GoalSet | None
    modes: Mapping[str, str]
    spending: Mapping[str, Spent]
    operations: int
    denied: int
    not_done: tuple[str, ...]
    """What was denied and never carried out, in words and with the reason."""
    seconds: float
    branches: int
    redacted: bool
    moving: bool
    current: bool
    kinds: Mapping[str, KindName]
    clock: float
    thinking: Thinking | None
    objection: e.Confirmed | None
    """The person's judgement that the task or a requirement does not hold; None unless that decided the outcome."""
    limits: Limits
    counted: float
    """The seconds that count towards its limit of seconds."""
    unanswered: bool
    """Whether it has ended, and models were called but none answered."""
    starting: bool
    """Whether no role was called and nothing was to be done yet."""
    due: tuple[str, ...]
    """The operations that were chosen but not begun, in words; only while a person has paused the run."""
    rejected: tuple[int, ...] = ()
    """The numbers of the events that rejected a claim that all was done."""
    spoiled: tuple[str, ...] = ()
    """The spoiled copies that the check rejected, in words."""
    skilled: bool = False
    """Whether the program of a skill did the work, so that what the run says is its remark."""
    undone: e.Rewound | None = None
    """The undo of what this branch did, with which the run ends."""
    repeats: bool = False
    """Whether it repeats a skill or another run, and no crew has taken over: only a crew can continue it."""
    kept: tuple[str, ...] = ()
    """The files of this branch that an undo left alone, because somebody else has changed them."""

    @property
    def mode(self) -> str:
        """The mode of every role that has none of its own."""
        return self.modes[""]

    @property
    def asks(self) -> str:
        """The mode of the role that asks most."""
        return next((mode for mode in reversed(ASKS) if mode in self.modes.values()), self.mode)

    @property
    def spent(self) -> str:
        """What the run has cost so far, and its limit, in words."""
        if self.unanswered:
            return "unknown: no model answered"
        if self.cost is None:
            return f"unknown, {number(self.tokens)} tokens"
        return self.charge if self.limits.money is None else f"{self.charge} of {money(self.limits.money)}"

    @property
    def left(self) -> str:
        """What is left of budgets that are nearly used up, other than cost, in words; '' once it has ended."""
        untold = any(each.untold for each in self.spending.values())
        used: dict[BudgetName, float | None] = {
            "replies": max((each.calls for each in self.spending.values()), default=0),
            "operations": self.operations,
            "tokens": None if untold else self.tokens,
            "seconds": self.counted,
        }
        return "" if self.outcome else bounds.nearly_used_up(bounds.set_budgets(used, self.limits).values())

    @property
    def charge(self) -> str:
        """What the run has cost so far, in words."""
        return money(self.cost) if self.calls or self.outcome or not self.moving else "nothing yet"

    @property
    def next(self) -> str:
        """What the crew does next, in words."""
        now = next((part.subtask for part in self.parts if part.state == "now"), None)
        if now is not None:
            return f"{now.role}: {now.goal}" if now.role else f"a role is chosen for: {now.goal}"
        return "the result is checked" if self.parts else "the plan is made"

    @property
    def goals(self) -> dict[str, str]:
        """The goal of each subtask, by id."""
        return {part.subtask.id: unless_task(part.subtask.goal, self.started) for part in self.parts}

    @property
    def roles(self) -> list[str]:
        """The roles that can be given guidance."""
        return [name for name, kind in self.kinds.items() if kind in PROTOCOL["guidance"]]

    @property
    def supported(self) -> bool:
        """Whether the answer rests on something that was read or computed, or was confirmed, and nobody objected."""
        return self.outcome is not None and self.objection is None and self.outcome.supported

    @property
    def able(self) -> list[str]:
        """The roles that can be asked instead of another."""
        return [name for name, kind in self.kinds.items() if KINDS[kind].switch != "other"]

    @property
    def calls(self) -> int:
        return sum(each.calls for each in self.spending.values())

    @property
    def tokens(self) -> int:
        return sum(each.tokens for each in self.spending.values())

    @property
    def cost(self) -> float | None:
        """US dollars; None if the price of a call is unknown."""
        if self.unanswered:
            return None
        known = [each.cost for each in self.spending.values() if each.cost is not None]
        return sum(known) if len(known) == len(self.spending) else None

    @property
    def used_up(self) -> bool:
        """Whether it ended because a budget was used up: the person who continues it is asked to raise the limit."""
        return self.outcome is not None and self.outcome.continuable and not self.outcome.resumable

    @property
    def can_resume(self) -> bool:
        """Whether the run can be continued where it stopped."""
        shown = self.started.crew == TAUGHT  # by a person, and nobody else can go on with it
        return self._unfinished and not (shown or self.repeats)

    @property
    def can_begin_again(self) -> bool:
        """Whether the run was begun to use a skill, did not end by itself, and has to be begun anew."""
        return self._unfinished and self.repeats and bool(self.started.repeated_skill)

    @property
    def _unfinished(self) -> bool:
        over = self.outcome is not None and not self.outcome.continuable
        return self.current and not (self.moving or over or self.row.imported or self.status == "undone")


def shown(reading: Reading, row: RunRow, alive: Alive | None, *, busy: bool = False, head: int = 0) -> ShownRun:
    """A run at the event ``head``, 0 for the latest. ``alive``: the state that its process reports; ``busy``: whether any
    process is executing it. Raises UsageError if there is no such event."""
    track, undone = _branch(reading, head)
    if not track.head:
        raise UsageError(f"Run {row.id} has no events.")
    first = reading.event(track.spans[0].start)
    assert isinstance(first.body, e.RunStarted)
    at = track.head
    current = at == reading.count
    ended = _outcome(reading, track)
    held = _held(reading, track)
    moving = current and (alive is not None or busy)
    going = moving and ended is None
    goal = reading.last(track, at, "goal_set")
    plan = _plan(reading, track)
    seconds = _at_work(reading, track, first)
    spending = reading.spending(track)
    limits, counted = _limits(reading, track)
    word = (
        without_outcome("start") if undone else _status(reading, at, ended, held, alive if current else None, moving=moving)
    )
    return ShownRun(
        row=row,
        started=first.body,
        track=track,
        count=reading.count,
        status=word,
        outcome=ended,
        choice=_choice(reading, track),
        plan=plan,
        parts=_parts(plan, _lanes(reading, track), over=ended is not None),
        goal=goal.body if goal is not None and isinstance(goal.body, e.GoalSet) else None,
        modes=_modes(reading, track, first.body),
        spending=spending,
        operations=reading.how_many(track, "action_started"),
        denied=reading.how_many(track, "operation_denied"),
        not_done=not_done(_decided(reading, track)) if reading.how_many(track, "operation_denied") else (),
        seconds=seconds,
        branches=len(reading.leaves()),
        redacted=reading.any_redacted,
        moving=moving,
        current=current,
        kinds=_kinds(reading, first.body),
        clock=reading.event(track.head).header.time - seconds if going else 0.0,
        thinking=_thinking(reading, track, first.body) if going and (alive is None or alive.question is None) else None,
        objection=_objection(reading, track, ended),
        limits=limits,
        counted=counted,
        unanswered=not going and not spending and reading.how_many(track, "role_called") > 0,
        starting=not any(reading.how_many(track, type) for type in ("role_called", "operation_proposed", "run_finished")),
        undone=undone,
        kept=_kept(reading, track, undone) if undone else (),
        repeats=repeating(_on(reading, track, "run_started", "run_resumed")) is not None,
        spoiled=_spoiled(reading, track),
        skilled=skill_worked(_on(reading, track, "run_started", "understood")),
        due=chosen(reading, track) if word == "paused" else (),
        rejected=tuple(place.number for place in reading.on(track, {"judged"}) if place.judged == "goal replan"),
    )


def _on(reading: Reading, track: Track, *types: str) -> list[e.Event]:
    """The events of these types on a branch, oldest first."""
    return reading.events([place.number for place in reading.on(track, {*types})])


def _kinds(reading: Reading, started: e.RunStarted) -> Mapping[str, KindName]:
    """The kinds of a crew's roles, read once; empty if its files were left out of an import."""

    def read() -> Mapping[str, KindName]:
        with suppress(JournalError, ConfigError):
            crew = crew_of(started, reading.read_blob, "")
            return {name: crew.roles[name].kind for name in crew.members}
        return {}

    return reading.once(_kinds, None, read)


def _thinking(reading: Reading, track: Track, started: e.RunStarted) -> Thinking | None:
    """The last role that was called and has not replied; calls are on disk before the model runs."""
    lanes = _lanes(reading, track)
    answered = set[str]()
    for event in reading.back(track, track.head, ("role_called", *ANSWERS)):
        lane = event.header.lane
        if isinstance(event.body, e.RoleCalled) and lane not in answered:
            return Thinking(event.body.role, doing(started, reading.read_blob, event.body.role), event.header.time)
        if lane not in lanes:
            return None  # what no lane does is done while none waits
        answered.add(lane)
    return None


def _status(reading: Reading, at: int, ended: Outcome | None, held: str, alive: Alive | None, *, moving: bool) -> str:
    if alive is not None and alive.question is not None:
        return "asks"
    if moving and ended is None:
        return {"pause": "paused", "take_over": "taken over"}.get(held, "running")
    if ended is not None:
        return ended.word
    back = _back(reading, at)
    body = back.body if back is not None else None
    return without_outcome((body.to or body.type) if isinstance(body, e.Rewound) else reading.place(at).type)


def _outcome(reading: Reading, track: Track) -> Outcome | None:
    last = reading.last(track, track.head, "run_finished", "run_resumed", "rewound")
    if last is None or not isinstance(last.body, e.RunFinished):
        undone = last is not None and isinstance(last.body, e.Rewound) and last.body.undo
        last = reading.last(track, track.head, "run_finished", "run_resumed") if undone else None
    if last is None or not isinstance(last.body, e.RunFinished):
        return None
    return last.body.outcome


def _branch(reading: Reading, head: int) -> tuple[Track, e.Rewound | None]:
    """The branch that ends in event ``head``, 0 for the current one; if all that it did was undone since, that branch with
    the undo, which has nothing to show."""
    at, undone = reading.count, None
    while at and (back := _back(reading, at)) and isinstance(back.body, e.Rewound) and back.body.to:
        at, undone = back.number - 1, undone or back.body
    return (reading.track(at), undone) if head in (0, at, reading.count) else (reading.track(head), None)


def _back(reading: Reading, at: int) -> e.Event | None:
    """The rewind that the branch ending in event ``at`` ends with; None if it does not end with one."""
    last = reading.place(at)
    of = last.parent if last.type == "saved" and last.parent else at  # its save point is a part of it
    return reading.event(of) if reading.place(of).type == "rewound" else None


def _kept(reading: Reading, track: Track, undone: e.Rewound) -> tuple[str, ...]:
    own = touched(reading.events([place.number for place in reading.on(track, {"observed"})]))
    return tuple(path for path in undone.kept if path in own)


def _decided(reading: Reading, track: Track) -> list[e.Event]:
    types = {"operation_proposed", "operation_denied", "changes_found", "sends_found", "action_started", "action_finished"}
    return reading.events([place.number for place in reading.on(track, types)])


def _spoiled(reading: Reading, track: Track) -> tuple[str, ...]:
    proof = reading.last(track, track.head, "proved")
    return proof.body.rejected if proof is not None and isinstance(proof.body, e.Proved) else ()


def _choice(reading: Reading, track: Track) -> e.Choice | None:
    last = reading.last(track, track.head, "attempts_compared", "rewound", "run_resumed")
    match last.body if last is not None else None:
        case e.AttemptsCompared(choice=choice) | e.Rewound(choice=choice):
            return choice
        case _:
            return None


def _objection(reading: Reading, track: Track, outcome: Outcome | None) -> e.Confirmed | None:
    if outcome is None or outcome.reason != REJECTED:
        return None
    said = (event.body for event in reading.back(track, track.head, ("confirmed",)))
    return next((body for body in said if isinstance(body, e.Confirmed) and not body.holds), None)


def _held(reading: Reading, track: Track) -> str:
    for event in reading.back(track, track.head, ("human_said", "run_resumed")):
        body = event.body
        if isinstance(body, e.RunResumed):
            return ""
        if isinstance(body, e.HumanSaid) and body.kind in ("pause", "take_over", "resume", "hand_back"):
            return body.kind
    return ""


def _limits(reading: Reading, track: Track) -> tuple[Limits, float]:
    """The run's current limits, and the seconds that count towards them."""
    found: list[e.Event] = []
    for event in reading.back(track, track.head, ("run_started", "run_resumed", "limit_raised")):
        found.insert(0, event)
        if isinstance(event.body, e.RunStarted | e.RunResumed) and event.body.settings.limits:
            break
    seconds = bounds.seconds_of([*found, reading.event(track.head)])
    with suppress(ValidationError):  # it may be from elsewhere, or older than a limit
        return bounds.limits_of(found), seconds
    return Limits(), seconds


def _modes(reading: Reading, track: Track, started: e.RunStarted) -> Mapping[str, str]:
    """The current modes, by role; '' for all other roles."""
    set_: dict[str, str] = {}
    for event in reading.back(track, track.head, ("human_said",)):
        if isinstance(event.body, e.HumanSaid) and event.body.kind == "mode":
            set_.setdefault(event.body.role or "", event.body.text)
    return {"": started.mode} | set_


def _plan(reading: Reading, track: Track) -> Plan:
    patched = reading.last(track, track.head, "plan_patched")
    if patched is None or not isinstance(patched.body, e.PlanPatched):
        return Plan()
    plan = patched.body.plan
    for id in reading.accepted(track, patched.number):
        if any(subtask.id == id for subtask in plan.subtasks):
            plan = plan.done(id)
    return plan


def _lanes(reading: Reading, track: Track) -> frozenset[str]:
    """The subtasks for which lanes were opened, by id."""
    opened = (event.body for event in reading.back(track, track.head, ("lanes_opened",)))
    return frozenset(lane for body in opened if isinstance(body, e.LanesOpened) for lane in body.subtasks)


def _parts(plan: Plan, lanes: Collection[str], *, over: bool) -> tuple[SubtaskView, ...]:
    """The subtasks with their states. ``lanes``: subtasks that are worked on at once, besides the first that is ready."""
    ready = None if over else plan.ready

    def state(subtask: Subtask) -> PartState:
        now = subtask == ready or (subtask.id in lanes and not over)
        return "done" if subtask.status == "done" else "now" if now else "next"

    return tuple(SubtaskView(subtask, state(subtask)) for subtask in plan.subtasks)


def _at_work(reading: Reading, track: Track, first: e.Event) -> float:
    """Seconds between the first event and the last, without the idle time before each continuation."""
    total = reading.event(track.head).header.time - first.header.time
    for event in reading.back(track, track.head, ("run_resumed", "rewound", "attempts_shown")):
        before = reading.place(event.number).parent
        if before:
            total -= max(event.header.time - reading.event(before).header.time, 0.0)
    return max(total, 0.0)

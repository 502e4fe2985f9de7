"""The live display of a run: what a person must read of it as it happens, and a spinner with the elapsed time while
something is in progress. ``deskcrew log`` tells all of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.text import Text

from deskcrew.engine import limits as bounds
from deskcrew.engine.roles.recorded import doing
from deskcrew.environments.desk import Desk
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract
from deskcrew.facts.observation import Frozen, Observation
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import BY_RULE, RULES
from deskcrew.settings import Limits
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.operations import Looks, in_words
from deskcrew.ways_in.report.text import model_shown, money, one_line, seconds

_INDENT: dict[type[Frozen], int] = {
    e.OperationProposed: 2,
    e.OperationApproved: 4,
    e.OperationDenied: 4,
    e.ActionFinished: 4,
    e.ActionInterrupted: 4,
    e.Observed: 4,
}


OPERATING = e.OperationProposed | e.ActionStarted | e.ActionInterrupted
"""Events whose lines show an operation, and so need the observation that it was decided from."""


STOP = "(Ctrl-C stops it)"
Told = Callable[[e.Event, Observation | None], list[RenderableType]]
"""The lines for an event and the observation that its operation was decided from."""


class Waiting:
    """A line that shows what the run is waiting for, with a spinner, the seconds so far, and how to ``stop`` it. ``text``
    None: it is not waiting."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, stop: str = STOP) -> None:
        self.text: str | None = None
        self._last = ""
        self._clock, self._stop = clock, stop
        self._since, self._spent = clock(), ""
        self._spinner = Spinner("dots")

    def start(self, text: str | None, spent: str = "") -> None:
        """Show ``text``, or nothing if None. ``spent``: what the run has cost so far, in words. The seconds continue if the
        text is that of the last wait."""
        if text is not None and text != self._last:
            self._last, self._since = text, self._clock()
        self.text, self._spent = text, spent

    def __rich__(self) -> RenderableType:
        if self.text is None:
            return Text()
        passed = self._clock() - self._since
        self._spinner.update(text=Text(f"{self.text}  {seconds(passed)}{self._spent}  {self._stop}", style="dim"))
        return self._spinner


class LiveView:
    """The ``watch`` of a run. ``spinner``: False for pipes and files, where it only prints lines; ``raw``: show operations
    as function and parameters; ``told``: returns what to print for an event, instead of the usual lines; ``stop``: what
    Ctrl-C does, in words."""

    def __init__(
        self,
        console: Console,
        *,
        spinner: bool,
        raw: bool = False,
        told: Told | None = None,
        stop: str = STOP,
    ) -> None:
        self.journal: Journal | None = None
        """The journal of the watched run, from its first event on; also set if the run was cancelled."""
        self.watchers: list[Callable[[e.Event, Journal], None]] = []
        """Further callbacks for each event."""
        self.lend: Callable[[Desk], None] = lambda _: None
        """Called with the run's desk, to show it to people who watch from elsewhere."""
        self.console, self.raw, self.told = console, raw, told
        self._looks: Looks | None = None
        self._lanes: frozenset[str] = frozenset()
        self._read: e.Event | None = None
        """The event that says how the task was understood. It is held back, since the question about it says it in full."""
        self._limits = Limits()
        self._waiting = Waiting(stop=stop)
        self._live = Live(self._waiting, console=console, transient=True, refresh_per_second=8) if spinner else None

    def __enter__(self) -> LiveView:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._waiting.start(None)
        if self._live is not None:
            self._live.stop()

    def __call__(self, event: e.Event, journal: Journal) -> None:
        if self.journal is None or self._looks is None:
            if self.told is None:
                body = journal.state.started
                who = f"  crew {body.crew}, model {model_shown(body.model)}, desktop {body.desktop}" if body else ""
                self.console.print(Text(f"run {journal.run}{who}", style="dim"))
            self._looks = Looks(journal)
        self.journal = journal
        for watcher in self.watchers:
            watcher(event, journal)
        look = self._looks.before(event) if isinstance(event.body, OPERATING) else None
        if isinstance(event.body, e.LanesOpened):
            self._lanes |= {*event.body.subtasks}
        lane = event.header.lane if event.header.lane in self._lanes else ""
        read, self._read = self._read, None
        if self.told is None and self._live is not None and isinstance(event.body, e.Understood) and not event.body.by:
            self._read = event
        else:
            if read is not None and not _answered(event):
                self._print(shown(read))
            self._print(self.told(event, look) if self.told else shown(event, look, raw=self.raw, lane=lane))
        if isinstance(event.body, e.RunStarted | e.RunResumed):
            self._limits = bounds.limits_of(journal.all)
        self._waiting.start(waits_for(event, journal, look), self._spent(journal))

    def _spent(self, journal: Journal) -> str:
        """What the run has cost so far, and what is left of other budgets that are nearly used up."""
        state, took = journal.state, bounds.seconds_of(journal.events)
        cost, found = state.spent.cost, bounds.budgets(state, self._limits, took)
        limit = found.pop("money", None)
        told = f"  {money(cost)} {f'of {money(limit.limit)}' if limit is not None else 'so far'}" if cost else ""
        left = bounds.nearly_used_up(found.values())
        return f"{told}  left: {left}" if left else told

    def _print(self, lines: list[RenderableType]) -> None:
        for line in lines:
            self.console.print(line)

    def say(self, text: str) -> None:
        """Print a line between the events."""
        self.console.print(Text(text, style="yellow"))

    def notice(self, text: str) -> None:
        """Show what is being waited for before the first event. Text that ends in a full stop is printed as a line."""
        if text.endswith("."):
            self.say(one_line(text, 600))
            return
        self._waiting.start(one_line(text, 100))

    @contextmanager
    def paused(self) -> Generator[None]:
        """Hide the spinner, so that a person can type."""
        if self._live is None:
            yield
            return
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()


def shown(event: e.Event, look: Observation | None = None, *, raw: bool = False, lane: str = "") -> list[RenderableType]:
    """The lines of an event as the live display prints them. ``raw``: all of them, and operations by function and
    parameters; ``lane``: its lane."""
    body = event.body
    if isinstance(body, e.RunFinished) or not (raw or _matters(body)):
        return []
    indent = _INDENT.get(type(body), 0)
    if isinstance(body, e.Judged):
        indent = {"effect": 4, "subtask": 2}.get(body.scope, 0)
    lines = render.lines(event, look, raw=raw) if raw else render.brief(event, look)
    if lane and lines:
        lines[0] = Text.assemble((f"{one_line(lane, 12)} ", "bold cyan"), lines[0])
    return [Padding(line, (0, 0, 0, indent), expand=False) for line in lines]


def _matters(body: e.Body) -> bool:
    """Whether a person who watches must read of the event; the log has the rest."""
    match body:
        case e.GoalSet(contract=Contract() as contract):  # that of a skill only repeats the reading
            return any(each.quotes or each.stated for each in contract.requirements) or bool(contract.missed)
        case e.RoleReplied():
            return body.reply is None or body.model not in BY_RULE
        case e.PlanPatched():
            return body.by != RULES or len(body.plan.subtasks) > 1
        case e.Judged(verdict=verdict):
            return verdict.kind != "continue" and (verdict.kind != "accept" or body.by != "rules")
        case e.OperationApproved():
            return body.by != "policy"
        case e.ActionFinished():
            return not body.ok
        case e.ChangesFound():
            return bool(body.losses)
        case e.Observed():
            return body.fresh is not None and bool(body.fresh.lost)
        case _:
            return not (isinstance(body, e.HumanSaid) and body.kind == "mode")


def _answered(event: e.Event) -> bool:
    """Whether the event is a person's answer to a question."""
    return isinstance(event.body, e.HumanSaid) or (
        isinstance(event.body, e.Understood) and event.body.by == "human" and event.body.said is None
    )


def waits_for(event: e.Event, journal: Journal, look: Observation | None = None) -> str | None:
    """What a run is waiting for after an event, in words; None if it is waiting for nothing."""
    match event.body:
        case e.RoleCalled() as body:
            begun = journal.state.started
            does = doing(begun, journal.read_blob, body.role) if begun is not None else "thinking"
            return f"{one_line(body.role, 40)} is {does}"
        case e.ActionStarted() as body:
            return f"{one_line(body.role, 40)}: {one_line(in_words(body.operation, look), 60)}"
        case e.LookingAgain():
            return "checking again whether it was saved"
        case _:
            return None

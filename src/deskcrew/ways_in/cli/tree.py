"""The tree that ``deskcrew log`` prints: the run, then stretches of one subtask, replies, operations and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.text import Text
from rich.tree import Tree

from deskcrew.facts import events as e
from deskcrew.facts.observation import Observation
from deskcrew.journal.branches import JournalBranch
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.operations import in_words
from deskcrew.ways_in.report.text import money, number, one_line, seconds
from deskcrew.ways_in.report.totals import style_of

Look = Callable[[e.Event], Observation | None]
"""Returns the last observation before an event."""


@dataclass(slots=True)
class _TreePlace:
    """Where the next line goes: below the run, a stretch of one subtask, a reply, or an operation."""

    subtask: str | None = None
    stretch: Tree | None = None
    reply: Tree | None = None
    operation: Tree | None = None


class _Builder:
    """Adds events to the tree, one after the other. Events of lanes are shown below their subtask, as if nothing else had
    happened meanwhile; the numbers show the real order."""

    def __init__(self, root: Tree, plan: dict[str, str], look: Look, *, raw: bool) -> None:
        self._root = root
        self._at = _TreePlace()
        self._lanes: dict[str, _TreePlace] = {}
        self._plan, self._look, self._raw = plan, look, raw

    def add(self, event: e.Event) -> None:
        operates = isinstance(event.body, e.OperationProposed | e.ActionInterrupted)
        lines = render.lines(event, self._look(event) if operates else None, raw=self._raw)
        body = event.body
        if isinstance(body, e.PlanPatched):
            self._plan.update((subtask.id, subtask.goal) for subtask in body.plan.subtasks)
        if isinstance(body, e.LanesOpened):
            self._lanes |= {lane: _TreePlace() for lane in body.subtasks}
        if not lines:
            return
        alone, self._at = self._at, self._lanes.get(event.header.lane, self._at)
        self._hang(event, lines)
        if event.header.lane in self._lanes:
            self._at = alone

    def _hang(self, event: e.Event, lines: Sequence[Text]) -> None:
        body = event.body
        place = self._place(event)
        node = place.add(Text.assemble((f"#{event.number} ", "dim"), lines[0]))
        for line in lines[1:]:
            node.add(line)
        if isinstance(body, e.RoleReplied):
            self._at.reply, self._at.operation = node, None
        elif isinstance(body, e.OperationProposed):
            self._at.operation = node

    def words(self, event: e.Event, operation: e.Operation) -> str:
        """An operation in words, or raw, as this tree shows operations."""
        return render.operation(operation).plain if self._raw else in_words(operation, self._look(event))

    def _place(self, event: e.Event) -> Tree:
        match event.body:
            case (
                e.RunStarted()
                | e.GoalSet()
                | e.Understood()
                | e.PlanPatched()
                | e.LanesOpened()
                | e.RunFinished()
                | e.RunInterrupted()
            ):
                return self._leave()
            case e.Rewound() | e.RunResumed() | e.Confirmed() | e.AttemptsShown() | e.AttemptsCompared():
                return self._leave()
            case e.Judged(scope="goal" | "answer"):
                return self._leave()
            case e.RoleReplied(subtask=None):
                return self._leave()
            case e.RoleReplied() | e.Judged(scope="subtask"):
                return self._stretch_of(event)
            case e.OperationProposed():
                stretch = self._stretch_of(event)
                return self._at.reply or stretch
            case _:
                return self._at.operation or self._at.reply or self._at.stretch or self._root

    def _leave(self) -> Tree:
        """Go back to the run itself: what follows belongs to no subtask."""
        self._at.subtask = self._at.stretch = self._at.reply = self._at.operation = None
        return self._root

    def _stretch_of(self, event: e.Event) -> Tree:
        subtask = getattr(event.body, "subtask", None) or event.header.lane
        at = self._at
        if at.stretch is None or subtask != at.subtask:
            goal = self._plan.get(subtask, "")
            self._leave()
            at.subtask = subtask
            title = Text.assemble((f"subtask {one_line(subtask, 12)} ", "bold"), one_line(goal, 160))
            at.stretch = self._root.add(title)
        return at.stretch


def tree(
    run: str,
    branches: Sequence[JournalBranch],
    *,
    when: str,
    hidden: bool = False,
    look: Look = lambda _: None,
    raw: bool = False,
) -> Tree:
    """The tree of a whole run: its events, or a branch of the tree for each of its branches. ``hidden``: also show hidden
    branches; ``look``: for the names of controls; ``raw``: show operations as function and parameters."""
    root = Tree(Text.assemble(("run ", "bold"), (run, "bold"), f"  {when}"), guide_style="dim")
    plan: dict[str, str] = {}

    def grow(node: Tree, events: Sequence[e.Event], *, whole: bool = True) -> None:
        _grow(node, events, _Builder(node, plan, look, raw=raw), whole=whole)

    if len(branches) == 1:
        grow(root, branches[0].events)
        return root
    for branch in branches:
        if branch.hidden and not hidden:
            shared = _shared(branch, branches)
            rest = "; other branches share this part of it:" if shared else ""
            node = root.add(Text(f"branch {branch.number} is hidden: --all shows it{rest}", style="dim"))
            grow(node, shared, whole=False)
        else:
            grow(root.add(heading(branch)), branch.events)
    return root


def _shared(branch: JournalBranch, branches: Sequence[JournalBranch]) -> Sequence[e.Event]:
    """The events of a hidden branch that other, shown branches share."""
    last = max((_reach(other, branch, branches) for other in branches if not other.hidden), default=-1)
    return [event for event in branch.events if event.number <= last]


def _reach(other: JournalBranch, branch: JournalBranch, branches: Sequence[JournalBranch]) -> int:
    """The number of the last event of ``branch`` that ``other`` shares; -1 if there is none."""
    at: JournalBranch | None = other
    while at is not None and at.left is not None:
        left = at.left
        at = next((each for each in branches if any(event.number == left for event in each.events)), None)
        if at is branch:
            return left
    return -1


def heading(branch: JournalBranch) -> Text:
    """The line for a branch: where it began, how it ended, what it cost."""
    text = Text.assemble(("branch ", "bold"), (str(branch.number), "bold"))
    if branch.label:
        text.append(f"  {one_line(branch.label, 80)!r}", style="bold cyan")
    if branch.left is not None:
        text.append(f"  after #{branch.left}")
    outcome = branch.outcome
    text.append("  ").append(outcome.word if outcome else "no end", style=style_of(outcome) if outcome else "yellow")
    spent = branch.spent
    calls = f"{spent.calls} model call{'s' if spent.calls != 1 else ''}"
    text.append(
        f"  {calls}, {number(spent.tokens)} tokens, {money(spent.cost)}, {seconds(spent.seconds)} of model time",
        style="dim",
    )
    return text.append("  (current)" if branch.current else "", style="green")


def _grow(root: Tree, events: Sequence[e.Event], builder: _Builder, *, whole: bool) -> None:
    """Add events below a node. ``whole``: at the end, name an action or a call whose end was not recorded."""
    for event in events:
        builder.add(event)
    if not whole:
        return
    if events and isinstance(events[-1].body, e.ActionStarted):
        what = one_line(builder.words(events[-1], events[-1].body.operation), 120)
        root.add(Text(f"#{events[-1].number} {what} started; no end was recorded", style="yellow"))
    if events and isinstance(events[-1].body, e.RoleCalled):
        root.add(
            Text(
                f"#{events[-1].number} {one_line(events[-1].body.role, 40)} was asked; no reply was recorded", style="yellow"
            )
        )

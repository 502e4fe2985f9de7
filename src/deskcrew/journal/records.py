"""What the fold keeps: replies with their results, what was found out, what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deskcrew import events as e
from deskcrew.verdict import Branch, Outcome

RULES = "rules"
"""Who made a plan, or gave a reply, that no model was asked for."""
HUMAN = "human"
"""``RoleReplied.model`` of a reply that a person wrote in a role's place."""
UNASKED = frozenset({HUMAN, RULES})
"""The same of replies for which no model was asked."""


@dataclass(slots=True)
class Done:
    """An operation that was tried, as short-term memory tells it.

    ``reads``: workspace files its result rests on; ``files``: those that were new or different when it had been done.
    """

    operation: e.Operation
    ok: bool
    text: str
    event: str
    verdict: str = ""
    number: int = 0
    exit_code: int | None = None
    reads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(slots=True)
class Turn:
    """One reply of a role with what came of it."""

    number: int
    role: str
    subtask: str | None
    reply: dict[str, object]
    done: list[Done] = field(default_factory=lambda: list[Done]())
    because: str = ""
    """Of a plan: why it was wanted in place of the one before."""
    undone: tuple[e.Operation, ...] = ()
    """Operations that were dropped after one that failed, was not let through or brought a surprise; ``undone_why``: what
    that was."""
    undone_why: str = ""


@dataclass(slots=True)
class Decision:
    """The reply that is being carried out. ``operations``: those not tried yet."""

    event: str
    role: str
    subtask: str
    branch: Branch
    operations: list[e.Operation]
    total: int
    problem: str = ""
    answer: str = ""
    skipped: int = 0
    """Operations that were not done because what they would do is done already."""


@dataclass(slots=True)
class Collected:
    """Something the crew found out from the world: a program's output, a file's content, text read from a window.

    ``event``: id of the event that shows it; ``reads``: workspace files it rests on. Model text is marked ``claimed``.
    ``web``: what a search service found.
    ``seen``: what stood on the screen; prompts show that as the screen, so that the fold collects none.
    """

    event: str
    number: int
    role: str
    subtask: str | None
    kind: Literal["output", "content", "web", "information", "answer", "seen"]
    text: str
    reads: tuple[str, ...] = ()

    @property
    def claimed(self) -> bool:
        return self.kind in ("information", "answer")


@dataclass(slots=True)
class Correction:
    """What a person wants otherwise, for the role that is asked next: the last part of its prompt (C36).

    ``said``: its own reply that was rejected, '' where another role is asked in its place; ``guidance``: the person's words,
    '' where it is only to try again. ``number``: of the event that asks, so that trying again is not the same attempt.
    """

    role: str
    said: str
    guidance: str
    number: int


@dataclass(frozen=True, slots=True)
class Guidance:
    """What a person told a role (None: all of them), and while which subtask was due ('' where none was)."""

    text: str
    role: str | None = None
    subtask: str = ""


@dataclass(slots=True)
class Spent:
    """Totals over the branch. ``cost`` None: at least one call's price is unknown; ``untold``: calls whose tokens are."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    untold: int = 0
    cost: float | None = 0.0
    model_seconds: float = 0.0


def touched(events: Iterable[e.Event]) -> dict[str, Literal["created", "changed", "deleted"]]:
    """What became of each workspace file between the first observation and the last; nothing of one that came and went."""
    files: dict[str, Literal["created", "changed", "deleted"]] = {}
    for event in events:
        if not isinstance(event.body, e.Observed):
            continue
        evidence = event.body.evidence
        for path in evidence.files_created:
            files[path] = "changed" if files.get(path) == "deleted" else "created"
        for path in evidence.files_changed:
            files.setdefault(path, "changed")
        for path in evidence.files_deleted:
            if files.pop(path, "") != "created":
                files[path] = "deleted"
    return files


def look_of(newest_first: Iterable[e.Event], lane: str) -> e.Event | None:
    """The last look of these events that shows where a lane works: at the desktop or browser where that lane looked last.
    None where there was none."""
    newest: dict[int, e.Event] = {}
    for event in newest_first:
        if isinstance(event.body, e.Observed):
            newest.setdefault(event.body.desk, event)
            if event.header.lane == lane:
                return newest[event.body.desk]
    return newest.get(e.OWN_DESK)


def code_of(turns: Sequence[Turn], subtask: str) -> list[Done]:
    """The Python code that a part was done by: what ran to its end in the last reply that had any of it run, and nothing
    that was tried before (W17)."""
    own = (turn for turn in reversed(turns) if turn.subtask == subtask)
    found = ([each for each in turn.done if each.ok and each.operation.function == "run_python_code"] for turn in own)
    return next((ran for ran in found if ran), list[Done]())


def model_replies(events: Iterable[e.Event]) -> list[e.RoleReplied]:
    """What models replied, oldest first: nothing that a person wrote or a rule said in a role's place."""
    return [event.body for event in events if isinstance(event.body, e.RoleReplied) and event.body.model not in UNASKED]


def ending(events: Sequence[e.Event]) -> Outcome | None:
    """How the run ended whose events these are, oldest first; None where it has not, or went on after it."""
    last = next((x.body for x in reversed(events) if isinstance(x.body, e.RunFinished | e.RunResumed)), None)
    return last.outcome if isinstance(last, e.RunFinished) else None

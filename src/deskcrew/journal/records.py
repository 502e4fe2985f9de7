"""The records that the fold keeps: replies with their results, findings and costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from deskcrew.facts import events as e
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.messages import Message
from deskcrew.facts.run_settings import Repetition
from deskcrew.facts.verdict import Branch, Outcome

RULES = "rules"
"""The author of a plan or reply that was made without calling a model."""
HUMAN = "human"
"""``RoleReplied.model`` of a reply that a person wrote in a role's place."""
BY_RULE = frozenset({RULES, "reflex"})
"""The values of ``RoleReplied.model`` for which neither a model nor a person was asked; the second is from old versions."""
UNASKED = BY_RULE | {HUMAN}
"""The values of ``RoleReplied.model`` for which no model was called."""
REPLAY = "replay"
"""The crew's name in a run that repeats another run's steps, and the author of its plan."""


@dataclass(slots=True)
class Done:
    """An operation that was tried, as short-term memory shows it.

    ``reads``: workspace files, or the page, that its result is based on; ``files``: files that were new or different
    afterwards.
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
    """One reply of a role with its results."""

    number: int
    role: str
    subtask: str | None
    reply: JsonObject
    done: list[Done] = field(default_factory=lambda: list[Done]())
    because: str = ""
    """For a plan: why it was requested in place of the previous plan."""
    undone: tuple[e.Operation, ...] = ()
    """Operations that were dropped because one before them failed, was denied or had an unexpected effect."""
    undone_why: str = ""
    heard: tuple[Message, ...] = ()
    """The messages that this reply has used."""


@dataclass(slots=True)
class Decision:
    """The reply that is being carried out. ``operations``: the operations not tried yet."""

    event: str
    role: str
    subtask: str
    branch: Branch
    operations: list[e.Operation]
    total: int
    problem: str = ""
    answer: str = ""


@dataclass(slots=True)
class Collected:
    """Something the crew found out from the world: a program's output, a file's content, text read from a window.

    ``event``: id of the event that shows it; ``kind``: ``web`` is the results of a search service, ``seen`` text on the
    screen, which prompts show anyway, so the fold collects none; ``reads``: workspace files that it is based on;
    ``outdated``: one of those files has changed since, or, of an answer, the operations in the same reply have failed or
    shown something, which its writer could not know; ``rejected``: a model that checked the work sent it back.
    """

    event: str
    number: int
    role: str
    subtask: str | None
    kind: Literal["output", "content", "web", "information", "answer", "seen"]
    text: str
    reads: tuple[str, ...] = ()
    outdated: bool = False
    rejected: bool = False

    @property
    def claimed(self) -> bool:
        return self.kind in ("information", "answer")


def reject(collected: Iterable[Collected], subtask: str | None, action: str = "") -> None:
    """Mark the findings of a subtask whose work is sent back as rejected; with ``action`` (an event's id), only that
    action's. What was read or searched stays valid, however wrong the work is."""
    for found in collected:
        of_it = found.event == action if action else found.subtask == subtask
        found.rejected = found.rejected or (of_it and found.kind in ("output", "information", "answer"))


def accepted(collected: Iterable[Collected]) -> list[Collected]:
    """The findings, without those of work that was sent back, and without outdated answers."""
    return [found for found in collected if not (found.rejected or (found.claimed and found.outdated))]


@dataclass(slots=True)
class Correction:
    """A person's correction for the role that is called next: the last part of its prompt (C36).

    ``said``: the role's rejected reply, '' if another role is called in its place; ``guidance``: the person's words, '' for
    a plain retry; ``number``: the correcting event's, so that a retry is not the same attempt; ``own``: the crew's words.
    """

    role: str
    said: str
    guidance: str
    number: int
    own: bool = False


@dataclass(slots=True)
class Spent:
    """The totals of some model calls. ``cost``: US dollars, None if any call's price is unknown; ``untold``: the calls with
    an unknown number of tokens."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    untold: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def add(self, input: int | None, output: int | None, cached: int | None, cost: float | None, seconds: float) -> None:
        """Count one more call. None: not known."""
        self.calls += 1
        self.input += input or 0
        self.output += output or 0
        self.cached += cached or 0
        self.untold += input is None or output is None
        self.cost = None if self.cost is None or cost is None else self.cost + cost
        self.seconds += seconds


def last_reading(events: Sequence[e.Event]) -> e.SkillUse | None:
    """What a small model last took the task for; None if it did not."""
    return read.use if (read := e.latest(events, e.Understood)) is not None else None


def repeating(events: Sequence[e.Event]) -> Repetition | None:
    """What a run repeats, as long as no crew has taken over: only a crew can continue it."""
    begun = e.latest(events, e.RunStarted, e.RunResumed)
    return begun.settings.replay if isinstance(begun, e.RunStarted) else None


def touched(events: Iterable[e.Event]) -> dict[str, Literal["created", "changed", "deleted"]]:
    """What happened to each workspace file from the first observation to the last. Temporary files are left out."""
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


def renamed(events: Iterable[e.Event]) -> dict[str, str]:
    """The old paths of files that operations moved, by their new paths. A move is an operation that names two paths of which
    one was then deleted and the other created."""
    operation: e.Operation | None = None
    moved: dict[str, str] = {}
    for event in events:
        if isinstance(event.body, e.ActionFinished):
            operation = event.body.operation
        elif isinstance(event.body, e.Observed) and operation is not None:
            named = {text for name in e.PATHS if isinstance(text := operation.params.get(name), str)}
            gone = named.intersection(event.body.evidence.files_deleted)
            come = named.intersection(event.body.evidence.files_created)
            if len(gone) == len(come) == 1:
                old = gone.pop()
                moved[come.pop()] = moved.pop(old, old)
            operation = None
    return moved


def look_of(newest_first: Iterable[e.Event], lane: str) -> e.Event | None:
    """The latest observation, among these events, of the desktop or browser that the lane last looked at, else of the run's
    own; None if there is none."""
    newest: dict[int, e.Event] = {}
    for event in newest_first:
        if isinstance(event.body, e.Observed):
            newest.setdefault(event.body.desk, event)
            if event.header.lane == lane:
                return newest[event.body.desk]
    return newest.get(e.OWN_DESK)


def code_of(turns: Sequence[Turn], subtask: str) -> list[Done]:
    """The Python code that completed a subtask: what succeeded in the last reply that ran any code, without earlier attempts
    (W17)."""
    own = (turn for turn in reversed(turns) if turn.subtask == subtask)
    found = ([each for each in turn.done if each.ok and _is_code(each)] for turn in own)
    return next((ran for ran in found if ran), list[Done]())


def _is_code(done: Done) -> bool:
    return done.exit_code is not None and "code" in done.operation.params


def model_replies(events: Iterable[e.Event]) -> list[e.RoleReplied]:
    """The models' replies, oldest first, without replies that a person or a rule gave in a role's place."""
    return [event.body for event in events if isinstance(event.body, e.RoleReplied) and event.body.model not in UNASKED]


def ending(events: Sequence[e.Event]) -> Outcome | None:
    """The outcome of the run with these events, oldest first; None if it has not ended, or was continued afterwards."""
    last = e.latest(events, e.RunFinished, e.RunResumed)
    return last.outcome if isinstance(last, e.RunFinished) else None

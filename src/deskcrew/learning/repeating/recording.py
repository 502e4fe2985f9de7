"""A recorded branch: its executed operations, each with the observations before and after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from deskcrew.errors import UsageError
from deskcrew.facts.events import (
    OWN_DESK,
    ActionFinished,
    ActionStarted,
    ConsentRead,
    Event,
    GoalSet,
    Judged,
    Observed,
    Operation,
    OperationApproved,
    OperationProposed,
    PlanPatched,
    Proved,
    Rewound,
    RunResumed,
    RunStarted,
    Saved,
)
from deskcrew.facts.observation import Observation
from deskcrew.facts.plan import Subtask
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.records import ending


@dataclass(frozen=True, slots=True)
class Step:
    """One operation that was done. ``number``: of the event that ended it.

    ``before``: the observation in which its label was meant; ``after``: the last one before the next operation, when the
    screen had settled. ``held``: it did what it meant. ``output``: all that it returned.
    """

    number: int
    role: str
    subtask: str
    operation: Operation
    intention: str
    before: Observed | None
    after: Observed | None
    held: bool
    exit_code: int | None = None
    output: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded branch, as far as doing it again needs it. ``subtasks``: of the plan it ended with; ``read_blob``: the
    bytes of a digest that it names."""

    run: str
    started: RunStarted
    steps: tuple[Step, ...]
    goal: GoalSet
    subtasks: tuple[Subtask, ...]
    answer: str
    files: str
    """Blob of the manifest of the workspace's first save point; '' where there is none."""
    read_blob: Callable[[str], bytes] = field(repr=False)
    program: str = ""
    """The Verifier's code that looked at the end, where there was any."""
    ordered: bool = False
    """Whether something was done unasked because the task's own words ordered it."""
    words: tuple[str, str] = ("event", "run")
    """How a step is described, and what is repeated."""
    sealed: bool = False
    """Whether it is a program that is part of the package: where that breaks off, it is for what it was given."""

    @property
    def named(self) -> str:
        """What is repeated, in words."""
        return f"{self.words[1]} {self.run}"

    def place(self, step: Step) -> str:
        """The position of a step, in words."""
        return f"{self.words[0]} {step.number} of {self.named}"

    def observation(self, look: Observed | None) -> Observation:
        """The observation itself, without its picture; an empty one for None."""
        if look is None:
            return Observation()
        return Observation.model_validate_json(self.read_blob(look.observation))

    def picture(self, look: Observed | None) -> bytes | None:
        """PNG of the screen at that observation, None where there was none."""
        return self.read_blob(look.screenshot) if look is not None and look.screenshot else None


def recording(journal: Journal, head: Event | None = None) -> Recording:
    """The branch that ends at ``head`` (None: the run's current one).

    Raises UsageError where nothing was done in it, or its texts were taken out.
    """
    path = path_to(journal.all, head) if head is not None else list(journal.events)
    gone = next((event for event in path if event.id in journal.redacted), None)
    if gone is not None:
        told = f"Run {journal.run} cannot be done again: its texts were removed (event {gone.number})."
        raise UsageError(told, hint="Ask for an export without --redact-text.")
    if any(isinstance(event.body, Observed) and event.body.desk != OWN_DESK for event in path):
        told = f"Run {journal.run} worked at several desktops or browsers at once, and is done again at one."
        raise UsageError(told, hint="Have the task done once with --lanes 1, and repeat that run.")
    started = journal.state.started
    assert started is not None
    found = steps(path)
    found = tuple(_with_output(step, path, journal) for step in found)
    if not found:
        hint = f"`deskcrew log {journal.run}` shows what it did; --branch names another branch."
        raise UsageError(f"Run {journal.run} has no operations that could be repeated.", hint=hint)
    bodies = [event.body for event in path]
    goal = next((body for body in reversed(bodies) if isinstance(body, GoalSet)), GoalSet())
    proved = next((body for body in reversed(bodies) if isinstance(body, Proved)), None)
    program = journal.read_blob(proved.program).decode() if proved is not None and proved.program else ""
    ended = ending(path)
    saved = next((body.manifest for body in bodies if isinstance(body, Saved)), "")
    answer = ended.answer if ended is not None else ""
    ordered = any(isinstance(body, OperationApproved) and body.by == "consent" for body in bodies)
    ordered = ordered or any(isinstance(body, ConsentRead) and body.consents for body in bodies)
    return Recording(journal.run, started, found, goal, _subtasks(path), answer, saved, journal.read_blob, program, ordered)


def steps(path: Sequence[Event]) -> tuple[Step, ...]:
    """The operations of a branch that are done again, in order, without their full outputs.

    Those that worked, and those that worked and changed something without doing what they meant: what came after was done on
    the screen that they left.
    """
    found: list[Step] = []
    look: Observed | None = None
    before: Observed | None = None
    intention, cause, over = "", "", True
    for event in path:
        match event.body:
            case Observed() as body:
                look = body
                if found and not over:
                    found[-1] = replace(found[-1], after=body)
            case OperationProposed() as body:
                intention = body.intention
            case ActionStarted():
                before, cause, over = look, "", True
            case RunResumed() | Rewound():
                over = True  # another desktop
            case ActionFinished(ok=True) as body:
                cause, over = event.id, False
                found.append(
                    Step(
                        number=event.number,
                        role=body.role,
                        subtask=body.subtask,
                        operation=body.operation,
                        intention=intention,
                        before=before,
                        after=None,
                        held=True,
                        exit_code=body.exit_code,
                        output=body.text,
                    )
                )
            case Judged(scope="effect") as body if found and event.header.cause == cause and body.verdict.kind != "continue":
                if found[-1].after is None or found[-1].after.evidence.empty:
                    found.pop()
                else:
                    found[-1] = replace(found[-1], held=False)
                cause = ""
            case _:
                pass
    return tuple(found)


def _with_output(step: Step, path: Sequence[Event], journal: Journal) -> Step:
    body = next(event.body for event in path if event.number == step.number)
    assert isinstance(body, ActionFinished)
    return replace(step, output=journal.read_blob(body.output).decode(errors="replace") if body.output else body.text)


def _subtasks(path: Sequence[Event]) -> tuple[Subtask, ...]:
    """Of the last plan, each with whether it was done in the end."""
    plan: tuple[Subtask, ...] = ()
    done: set[str] = set()
    for event in path:
        match event.body:
            case PlanPatched() as body:
                plan = body.plan.subtasks
            case Judged(scope="subtask") as body if body.verdict.kind == "accept" and body.subtask:
                done.add(body.subtask)
            case _:
                pass
    return tuple(s.model_copy(update={"status": "done"}) if s.id in done else s for s in plan)

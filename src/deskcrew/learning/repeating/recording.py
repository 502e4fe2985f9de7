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
    """One operation that was done. ``number``: that of the event that ended it.

    ``before``: the observation that its label refers to; ``after``: the last observation before the next operation, when the
    screen had settled; ``held``: whether it had the intended effect; ``output``: everything that it returned.
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
    """The parts of a recorded branch that repeating it needs. ``subtasks``: those of its last plan; ``read_blob``: returns
    the bytes of a digest that it names."""

    run: str
    started: RunStarted
    steps: tuple[Step, ...]
    goal: GoalSet
    subtasks: tuple[Subtask, ...]
    answer: str
    files: str
    """Blob of the manifest of the workspace's first save point; '' if there is none."""
    read_blob: Callable[[str], bytes] = field(repr=False)
    program: str = ""
    """The Verifier's code of the checks; '' if there was none."""
    ordered: bool = False
    """Whether something was done without approval because the task's own words ordered it."""
    words: tuple[str, str] = ("event", "run")
    """What a step and the whole recording are called in messages."""
    sealed: bool = False
    """Whether it is a program in the package: if that fails, the reason is the input."""

    @property
    def named(self) -> str:
        """What is repeated, in words, such as ``run ID``."""
        return f"{self.words[1]} {self.run}"

    def place(self, step: Step) -> str:
        """The position of a step, in words."""
        return f"{self.words[0]} {step.number} of {self.named}"

    def observation(self, look: Observed | None) -> Observation:
        """The observation of an event, without its picture; an empty observation for None."""
        if look is None:
            return Observation()
        return Observation.model_validate_json(self.read_blob(look.observation))

    def picture(self, look: Observed | None) -> bytes | None:
        """The PNG of the screen at an observation; None if there is none."""
        return self.read_blob(look.screenshot) if look is not None and look.screenshot else None


def recording(journal: Journal, head: Event | None = None) -> Recording:
    """The recording of the branch that ends at ``head`` (None: the run's current branch).

    Raises UsageError if nothing was done in it, if its texts were removed, or if it used several desktops or browsers.
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
    """The operations of a branch that are repeated, in order, without their full outputs.

    These are the operations that worked, even those that did not have the intended effect but changed something, since later
    operations were done on the screen that they left.
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
    """The subtasks of the last plan, each with whether it was done in the end."""
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

"""A role uses a skill: the skill's steps become replies of the role, one after another, each through executor, guard and
review.

A function that a crew made is one step, and what it ensures is checked after it. So every step is in the journal like any
operation, and a replay of the run needs no skill. If a step does not fit, the role is told which and why, and goes on by
itself. A task that differs from a skill's own only in its values needs no role to choose the skill.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import anyio.to_thread
from pydantic import ValidationError

from deskcrew.actions.action import Action, Gesture
from deskcrew.actions.executor import explain
from deskcrew.actions.windows import find_window as named_window
from deskcrew.engine.context import Run
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.view import operation_text
from deskcrew.engine.steps.approving import locate
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.pointing import points_of, window_at
from deskcrew.errors import ActionError
from deskcrew.evidence.caller import Case
from deskcrew.evidence.others import changed_by_others
from deskcrew.evidence.probes import ProbeResult, tried
from deskcrew.evidence.proof import by_checks
from deskcrew.evidence.states import END, START, State, States
from deskcrew.evidence.typed import Side
from deskcrew.facts.events import (
    ActionFinished,
    ActionStarted,
    Judged,
    Operation,
    OperationDenied,
    PlanPatched,
    Proved,
    RoleReplied,
    Saved,
    latest,
    newest_first,
)
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Observation
from deskcrew.facts.plan import Plan, chain
from deskcrew.facts.verdict import NO_CHECK, NO_FIT, UNREADABLE, UNUSABLE, Branch, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES, Decision
from deskcrew.learning.repeating.effects import difference
from deskcrew.learning.repeating.goals import goal_again, told_again
from deskcrew.learning.repeating.matching import Missing, find_control, find_focus, find_in_front, find_window, told
from deskcrew.learning.repeating.recording import Recording, Step
from deskcrew.learning.repeating.values import Replacing, Unclear
from deskcrew.learning.skills.functions import damage, refusal
from deskcrew.learning.skills.requesting import MISFIT
from deskcrew.learning.skills.skill import PART, WORKSPACE, Skill
from deskcrew.learning.skills.underway import Underway
from deskcrew.learning.skills.wording import values_in

PATIENCE, LOOKS = 10.0, 5
"""Seconds, and observations, to wait for the screen to become as recorded."""


async def begin(run: Run, decision: Decision, operation: Operation) -> None:
    """Begin the skill that ``operation`` names. The rest of the reply is dropped, as it was decided before that."""
    journal = run.record.journal
    skill = run.prompting.skills[operation.function]
    try:
        given = run.surroundings.actions[operation.function].params.model_validate(operation.params).model_dump()
    except ValidationError as error:
        run.record.judge(decision.subtask, "repair", f"{operation.function}: {explain(error)}.")
        return
    if file := _missing(run.surroundings, skill, given):
        run.record.judge(decision.subtask, "repair", f"{operation.function}: there is no file {file!r}.")
        return
    branch = decision.branch if len(decision.operations) == 1 else Branch.CONTINUE
    try:
        run.record.skill = underway(journal, skill, given, decision.role, decision.subtask, branch)
    except ValueError as error:
        run.record.judge(decision.subtask, "repair", f"{operation.function}: {error}.")
        return
    await go_on(run, decision.role)


def recognise(prompting: Prompting) -> bool:
    """Whether the whole task is a skill's own with other values. If so, the skill is begun with its proven goal and plan,
    and nobody is asked what is wanted, who does it, and when it is done."""
    record = prompting.record
    state = record.state
    if state.plan.subtasks or state.contract is not None or state.guidance:
        return False
    for name, skill in prompting.skills.items():
        origin = skill.method.provenance
        its_own = skill.method.steps and not origin.ordered  # a function was made for no task in particular
        given = values_in(state.task, skill.method) if its_own else None
        agent = agent_for(record, name)
        if given is None or not agent or _missing(prompting.surroundings, skill, given):
            continue
        take_over(
            prompting.record,
            replace(underway(record.journal, skill, given, agent, PART, Branch.ROLE_TASK_FINISH), whole=True, own=True),
        )
        return True
    return False


def take_over(record: Record, doing: Underway) -> None:
    """Let a skill do the whole task: record its proven goal and plan; its steps are due next."""
    record.journal.append(goal_again(doing.skill.method.goal, doing.values.text))
    patch = chain([record.state.task], roles=[doing.recording.steps[0].role], first=int(PART))
    why = f"as in skill {doing.skill.name}"
    record.journal.append(PlanPatched(by=RULES, why=why, patch=patch, plan=Plan().patched(patch)))
    record.skill = doing


def agent_for(record: Record, name: str) -> str:
    """The first agent that may do the skill whose action has this name; '' if none."""
    able = iter(record.crew.pool)
    return next((each for each in able if name in record.crew.roles[each].domain), "")


def _missing(surroundings: Surroundings, skill: Skill, given: Mapping[str, str]) -> str:
    """A file that a skill needs and that is missing; '' if none is."""
    there = {entry.path for entry in surroundings.now.files}
    needed = (given[each.name] for each in skill.method.parameters if each.given)
    return next((file for file in needed if file not in there), "")


def underway(
    journal: Journal,
    skill: Skill,
    given: Mapping[str, str],
    role: str,
    subtask: str,
    branch: Branch,
) -> Underway:
    """A skill that is about to begin; see :class:`Underway`. Raises ValueError for values that a function cannot be called
    with."""
    started = journal.state.started
    assert started is not None
    sets = {each.value: str(given[each.name]) for each in skill.method.parameters}
    if skill.method.function is not None:
        skill, sets = skill.written_out(given), dict[str, str]()
    values = Replacing(skill.values, sets, paths={WORKSPACE: started.workspace})
    return Underway(skill, skill.recording(role), values, subtask, branch, given)


async def go_on(run: Run, role: str) -> bool:
    """Propose, in the role's place, the next step of the skill that is under way; after the last step, the branch for which
    it was used. False if the skill is over: the role is due."""
    doing, state = run.record.skill, run.record.state
    assert doing is not None
    turn, subtask = state.turn, state.subtask
    elsewhere = subtask is None or subtask.id != doing.subtask or doing.claimed
    if elsewhere or (doing.place and (turn is None or turn.number != doing.number)):
        run.record.skill, run.record.answer = None, ""  # somebody has other plans by now
        return False
    again = Repeated(doing.recording, doing.values, PATIENCE, LOOKS)
    try:
        if doing.place and not await _compared(run.surroundings, doing, again):
            run.record.skill = None  # it was not allowed, or refused: that has been said
            return False
        if doing.place == len(doing.recording.steps):
            return _over(run, doing, role)
        operation = await _next(run.prompting, doing, again, role)
    except Stopped as stopped:
        if stopped.mismatch is None:
            run.record.skill = None  # what it wrote was not allowed: that is no fault of the skill's
        else:
            _misfit(run, doing, stopped.mismatch)
        return False
    doing.place, doing.before = doing.place + 1, run.surroundings.now
    _reply(run.record.journal, doing, role, [operation], Branch.CONTINUE)
    return True


def _over(run: Run, doing: Underway, role: str) -> bool:
    """End a skill whose steps all had the recorded effect. False if the role is due."""
    _look_for(run.record.journal, doing)
    if doing.whole:
        run.record.answer = told_again(doing.values.typed, doing.skill.method.answer)
    if run.noting is not None:
        run.noting.fits(doing.skill, doing.given, whole=doing.own)
    if doing.branch == Branch.CONTINUE:
        run.record.skill = None
        return False
    doing.claimed = True
    _reply(run.record.journal, doing, role, [], doing.branch)
    return True


def _look_for(journal: Journal, doing: Underway) -> None:
    """If the skill does the whole task, record what must hold and the program that checks it, with the values known by
    now."""
    if not doing.whole:
        return
    method, values = doing.skill.method, doing.values
    goal = goal_again(method.goal, values.text, values.typed)
    if goal.contract != journal.state.contract:
        journal.append(goal)
    if program := told_again(values.code, method.program):
        journal.append(Proved(program=journal.blob(program)))


def _reply(journal: Journal, doing: Underway, role: str, operations: list[Operation], branch: Branch) -> None:
    """Reply on the role's behalf."""
    reply: JsonObject = {"operations": [each.model_dump(mode="json") for each in operations], "branch": str(branch)}
    raw = journal.blob(json.dumps(reply, ensure_ascii=False))
    body = RoleReplied(role=role, subtask=doing.subtask, reply=reply, raw=raw, model=RULES)
    doing.number = journal.append(body, lane=doing.subtask).number


async def _next(prompting: Prompting, doing: Underway, again: Repeated, role: str) -> Operation:
    """The operation of the next step, aimed at the present screen. Raises Stopped if it does not fit there."""
    step = doing.recording.steps[doing.place]
    action = prompting.actions_of(prompting.record.crew.roles[role]).get(step.operation.function)
    if action is None:
        raise Stopped(Mismatch(step, f"{step.operation.function} to be possible", "it is not possible now"))
    return await again.aim(prompting.surroundings, step, action, doing.recording.observation(step.before))


async def _compared(surroundings: Surroundings, doing: Underway, again: Repeated) -> bool:
    """Whether the last step was done. Raises Stopped if it was, but had another effect than recorded."""
    step = doing.recording.steps[doing.place - 1]
    since = [event.body for event in surroundings.record.journal.events if event.number > doing.number]
    finished = next((body for body in since if isinstance(body, ActionFinished)), None)
    if finished is None:
        return False
    await again.compared(surroundings, step, finished, doing.recording.observation(step.before), doing.before)
    if doing.skill.method.function is not None:
        await _ensured(surroundings, doing, step)
    elif surroundings.actions[step.operation.function].learnt:
        text = surroundings.record.journal.read_blob(finished.output).decode(errors="replace")
        doing.values.learn(step.number, step.output, text)
    return True


async def _ensured(surroundings: Surroundings, doing: Underway, step: Step) -> None:
    """Raise Stopped if what a function ensures does not hold after it. Checks save points, as a replay does."""
    journal = surroundings.record.journal
    contract = doing.recording.goal.contract
    if contract is None:
        return
    saved = [(event.number, event.body.manifest) for event in journal.events if isinstance(event.body, Saved)]
    before = next((digest for number, digest in reversed(saved) if number < doing.number), saved[0][1])
    start, end = (Manifest.from_bytes(journal.read_blob(digest)) for digest in (before, saved[-1][1]))
    states = States(start, end, journal.read_blob)

    def looked() -> list[ProbeResult]:
        with tempfile.TemporaryDirectory(prefix="deskcrew-skill-") as folder:
            after, earlier = states.lay_out([State(END, end.by_path), State(START, start.by_path)], Path(folder))
            side = Side(after, earlier, surroundings.now)
            found = [by_checks(each, side) for each in contract.requirements if each.checks]
            wanted = [each.id for each in contract.requirements if each.probed]
            if wanted:
                with surroundings.sandbox.over(Path(folder)) as sandbox:
                    report = tried(sandbox, doing.recording.program, wanted, earlier, [Case(after)])
                found += report.rows[0].values()
            return found

    found = await anyio.to_thread.run_sync(looked)
    wrong = sorted((each for each in found if each.holds is not True), key=lambda each: each.holds is None)
    if wrong:
        reason = "mismatch" if wrong[0].holds is False or wrong[0].unseen else NO_CHECK
        raise Stopped(Mismatch(step, "what it ensures to hold", wrong[0].read, after=True, reason=reason))


def refused(skill: Skill, journal: Journal) -> str:
    """What a skill's function said against its values in its last call; '' if nothing. That is not the skill's fault."""
    last = latest(journal.events, ActionFinished) if skill.method.function is not None else None
    return _refusal(last, journal, sealed=skill.shipped).said if last is not None else ""


class _Refusal(NamedTuple):
    """What a function said against its values; '' if nothing. ``reason``: of the run that ends with it."""

    said: str
    reason: str = "mismatch"


def _refusal(last: ActionFinished, journal: Journal, *, sealed: bool) -> _Refusal:
    """A ``sealed`` function was tested before it shipped: if it breaks off, that is because of the file that it read
    last."""
    output = journal.read_blob(last.output).decode(errors="replace").strip()
    said = refusal(output)
    if said or not sealed or not last.exit_code:
        return _Refusal(said)
    raised, colon, why = output.rpartition("\n")[2].partition(": ")
    if raised == MemoryError.__name__ and last.reads:
        return _Refusal(f"for {last.reads[-1]} its program needs more memory than it may use")
    if damaged := damage(output, last.reads):
        return _Refusal(damaged, UNREADABLE)
    return _Refusal(f"it cannot go on with {last.reads[-1]}: {why}" if colon and last.reads else last.error)


def return_said(record: Record) -> str:
    """What a skill's function said about what it did; '' if the run uses none, or it failed."""
    started = record.state.started
    repeats = started.settings.replay if started is not None else None
    uses = record.skill is not None and record.skill.skill.method.function is not None
    if not uses and not (repeats is not None and repeats.program):
        return ""
    last = latest(record.journal.events, ActionFinished)
    return record.journal.read_blob(last.output).decode(errors="replace").strip() if last is not None and last.ok else ""


def note_request(run: Run, finished: ActionFinished) -> None:
    """Record a mismatch, which costs as any does, if a skill's request was not answered as its description says."""
    if finished.exit_code != MISFIT or finished.operation.function not in run.surroundings.actions:
        return
    for skill in run.record.crew.skills:
        if skill.method.request is not None and skill.action == finished.operation.function:
            run.prompting.unfit.add(skill.digest)
            if run.noting is not None:
                run.noting.misfit(skill, finished.error)


def _misfit(run: Run, doing: Underway, mismatch: Mismatch) -> None:
    """Report where a skill stopped and why. It is not offered again in this run; its score falls if that was its fault."""
    journal = run.record.journal
    words = mismatch.words(doing.recording)
    run.record.skill = None
    run.prompting.unfit.add(doing.skill.digest)
    _look_for(journal, doing)
    if run.prompting.skills_only:
        other = UNUSABLE if mismatch.refused else NO_FIT
        reason = other if mismatch.reason == "mismatch" else mismatch.reason
        run.record.stop(Verdict(kind="stop", reason=reason, why=words))
    else:
        run.record.judge(doing.subtask, "continue", f"The skill did not fit here. {words} Go on without it.")
    changed = changed_by_others(journal.events, journal.read_blob)
    if run.noting is not None and not changed and not refused(doing.skill, journal):
        run.noting.misfit(doing.skill, words)


FOUND_LENGTH, WORDED_LENGTH = 400, 80
"""The maximum characters of what was found, and of the operation that it is about."""
UNAIMED = frozenset[Gesture]({"keys", "type", "scroll", "menu", "close"})
"""Gestures that, if they name no control or window, go to what is in front."""
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where the screen was not as recorded. ``step`` None: at the end. ``label``: recorded label of the control that was
    meant; ``after``: whether the observation after the operation shows it, not the one before; ``refused``: what a skill's
    function said against its values; ``reason``: of the run that ends with it."""

    step: Step | None
    expected: str
    found: str
    label: str | None = None
    after: bool = False
    refused: str = ""
    reason: str = "mismatch"

    def words(self, recording: Recording) -> str:
        """The mismatch, in words for a person."""
        if self.reason == UNREADABLE:
            return f"{self.refused}."
        if self.reason == NO_CHECK:
            broke = shorten(self.found, FOUND_LENGTH).removesuffix(".")
            return f"The check of {recording.run} could not be run, so nobody knows whether what it made is right ({broke})."
        if self.refused:
            return f"{recording.run} cannot use these values: {self.refused.removesuffix('.')}."
        where = "At the end"
        if self.step is not None:
            place = recording.place(self.step)
            where = f"{place[0].upper()}{place[1:]} ({worded(recording, self.step)})"
        return f"{where}: expected {self.expected}; found {shorten(self.found, FOUND_LENGTH).removesuffix('.')}."


class Stopped(Exception):
    """Raised to leave a step that cannot be repeated. ``mismatch`` None: the guard or a person said no."""

    def __init__(self, mismatch: Mismatch | None) -> None:
        super().__init__()
        self.mismatch = mismatch


@dataclass
class Repeated:
    """Aims recorded steps at the present screen. ``patience``: seconds to wait for the screen to become as recorded;
    ``looks``: the maximum number of observations meanwhile, None: as many as there is time for."""

    recording: Recording
    values: Replacing
    patience: float
    looks: int | None = None

    async def aim(self, surroundings: Surroundings, step: Step, action: Action, then: Observation) -> Operation:
        """The operation with new values and the present label of its control. Raises Stopped if it cannot be aimed."""
        try:
            operation = self.values.operation(step.operation)
        except Unclear as unclear:
            raise Stopped(Mismatch(step, "results that can be told", str(unclear), step.operation.control)) from unclear
        if action.needs == "points":
            return await self._pointed(surroundings, step, operation, then)
        if action.needs != "desktop":
            return operation
        forms, label = self.values.forms, step.operation.control
        if label and action.control != "none":
            admits = action.admits
            control = await self.until(surroundings, step, lambda now: find_control(label, then, now, forms, admits))
            return operation.model_copy(update={"control": control.label})
        named = action.naming("windows")
        title = str(step.operation.params.get(named[0]) or "") if named else ""
        if title:
            try:
                meant = named_window(then.windows, title)
            except ActionError:
                return operation
            window = await self.until(surroundings, step, lambda now: find_window(meant, now, forms))
            return operation.model_copy(update={"params": {**operation.params, named[0]: window.title}})
        if action.gesture in UNAIMED:
            await self.until(surroundings, step, lambda now: find_in_front(then, now, forms))
        if action.gesture == "type":
            await self.until(surroundings, step, lambda now: find_focus(then, now, forms))
        return operation

    async def _pointed(self, surroundings: Surroundings, step: Step, operation: Operation, then: Observation) -> Operation:
        """The operation with its points moved to where their control, or their window, is now."""
        points, forms = points_of(operation.function, operation.params), self.values.forms
        label = step.operation.control
        was, window = then.control(label) if label else None, window_at(points[0], then) if points else None
        if was is not None:
            before, after = (
                was.box,
                (await self.until(surroundings, step, lambda now: find_control(was.label, then, now, forms, ()))).box,
            )
        elif window is not None:
            before, after = (
                window.box,
                (await self.until(surroundings, step, lambda now: find_window(window, now, forms))).box,
            )
        else:
            return operation
        shifts = {"x": after.x - before.x, "y": after.y - before.y}
        moved = {
            name: operation.params[name] + shifts[name[-1]]
            for name in ("x", "y", "to_x", "to_y")
            if name in operation.params
        }
        try:
            return await locate(surroundings, operation.model_copy(update={"params": {**operation.params, **moved}}))
        except ActionError as error:
            raise Stopped(Mismatch(step, "the point to lie in the picture", str(error), label)) from error

    async def compared(
        self, surroundings: Surroundings, step: Step, finished: ActionFinished, then: Observation, before: Observation
    ) -> None:
        """Raise Stopped if a step's effect is not of the recorded kind. Waits for late windows."""
        journal = surroundings.record.journal
        label = step.operation.control
        if isinstance(latest(journal.events, ActionStarted, OperationDenied), OperationDenied):
            raise Stopped(None)  # nothing that it wrote was kept
        if finished.exit_code != step.exit_code:
            said, reason = _refusal(finished, journal, sealed=self.recording.sealed)
            if said and "skill" in self.recording.words:
                raise Stopped(Mismatch(step, "values that it can use", said, refused=said, reason=reason))
            raise Stopped(
                Mismatch(step, f"exit code {step.exit_code}", f"{finished.exit_code}: {finished.error or finished.text}")
            )
        if not finished.ok:
            raise Stopped(Mismatch(step, "it to work, as it did then", finished.error or finished.text, label))
        judged = next(each for each in newest_first(journal.events, Judged) if each.scope == "effect")
        if step.held and judged.verdict.kind != "continue":
            raise Stopped(Mismatch(step, "it to do what it did then", judged.verdict.why, label, after=True))
        if step.before is None or step.after is None:
            return
        was = (then, self.recording.observation(step.after))
        forms = self.values.forms
        await self.until(surroundings, step, lambda now: difference(was, (before, now), forms), after=True)

    async def until(
        self, surroundings: Surroundings, step: Step, look: Callable[[Observation], Found | Missing], *, after: bool = False
    ) -> Found:
        """What ``look`` finds on this screen or one that comes within bounded time. Raises Stopped if nothing is found."""
        desktop, deadline = surroundings.desk.desktop, time.monotonic() + self.patience
        found, looks = look(surroundings.now), 0
        while isinstance(found, Missing):
            left = deadline - time.monotonic()
            if desktop is None or left <= 0 or looks == self.looks:
                raise Stopped(Mismatch(step, found.expected, found.found, step.operation.control, after))
            wait = desktop.wait
            await anyio.to_thread.run_sync(wait, min(left, 2.0), abandon_on_cancel=True)
            await surroundings.look()
            found, looks = look(surroundings.now), looks + 1
        return found


def worded(recording: Recording, step: Step) -> str:
    """A step's operation in words, with its control by name, as the label belongs to another screen."""
    control = recording.observation(step.before).control(step.operation.control or "")
    plain = operation_text(step.operation.model_copy(update={"control": None}), WORDED_LENGTH)
    return f"{plain} on {told(control)}" if control else plain

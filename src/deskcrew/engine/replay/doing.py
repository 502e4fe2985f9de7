"""Repeats recorded operations in order, with the run's own guard, limits and sandbox, without a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from deskcrew.engine import limits as bounds
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.record import Record
from deskcrew.engine.steps.answering import end_repeated
from deskcrew.engine.steps.approving import approve
from deskcrew.engine.steps.ending import ended
from deskcrew.engine.steps.executing import act
from deskcrew.engine.steps.reviewing import review
from deskcrew.engine.steps.using_skills import FOUND_LENGTH, Mismatch, Repeated, Stopped, worded
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import EnvironmentFailure, LimitReached
from deskcrew.facts.events import ActionFinished, Operation, OperationDenied, OperationProposed, PlanPatched, newest_first
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.plan import Plan, PlanPatch
from deskcrew.facts.verdict import Branch, Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import REPLAY, Decision
from deskcrew.learning.repeating.goals import goal_again, told_again
from deskcrew.learning.repeating.recording import Recording, Step
from deskcrew.learning.repeating.values import Replacing

PATIENCE = 10.0
"""Seconds to wait for the screen to become as recorded."""


@dataclass
class Doing:
    """Drives a run that repeats recorded operations.

    ``mismatched``: what to do when the screen is not as recorded; it returns the outcome. ``patience``: seconds to wait
    for the screen each time.
    """

    recording: Recording
    values: Replacing
    mismatched: Callable[[Run, Mismatch], Awaitable[Outcome | None]]
    patience: float = PATIENCE

    @property
    def _again(self) -> Repeated:
        return Repeated(self.recording, self.values, self.patience)

    async def until_done(self, run: Run) -> Outcome | None:
        """Observe, record the goal and plan, repeat all operations, then check the goal."""
        record, journal = run.record, run.record.journal
        state = record.state
        try:
            await self._begin(run.surroundings)
            for place, step in enumerate(self.recording.steps):
                self._accept(record, place)
                await run.authorization.human_turn()
                if state.stop is not None:
                    break
                bounds.check(state, record.limits, record.seconds)
                await self._step(run, step)
                journal.commit()
            else:
                self._accept(record, len(self.recording.steps))
                await self._end(run.authorization)
        except Stopped as stopped:
            if stopped.mismatch is not None:
                self._want(journal)
                return await self.mismatched(run, stopped.mismatch)
            if state.stop is None:
                denied = next(newest_first(journal.events, OperationDenied))
                record.stop(Verdict(kind="stop", reason="gave_up", why=f"The operation was denied: {denied.why}"))
        except (LimitReached, EnvironmentFailure) as failure:
            record.stop_for(failure)
        return await ended(run)

    async def _begin(self, surroundings: Surroundings) -> None:
        await surroundings.look()
        recording, journal, new = self.recording, surroundings.record.journal, self.values.text
        journal.append(goal_again(recording.goal, new))
        todo = (s.model_copy(update={"status": "todo", "goal": new(s.goal)}) for s in recording.subtasks)
        patch = PlanPatch(add=tuple(todo))
        why = f"as in {recording.named}"
        journal.append(PlanPatched(by=REPLAY, why=why, patch=patch, plan=Plan().patched(patch)))

    def _accept(self, record: Record, place: int) -> None:
        """Close the subtasks that were done in the recorded run and of which no step is left."""
        left = {step.subtask for step in self.recording.steps[place:]}
        for subtask in self.recording.subtasks:
            if subtask.status != "done" or subtask.id in left:
                return
            now = next((each for each in record.state.plan.subtasks if each.id == subtask.id), None)
            if now is not None and now.status != "done":
                record.judge(subtask.id, "accept")

    async def _end(self, authorization: Authorization) -> None:
        await authorization.surroundings.look()
        plan = authorization.record.state.plan
        if not plan.finished:
            still = next(s for s in plan.subtasks if s.status != "done")
            raise Stopped(Mismatch(None, "all parts done", f"the recorded run ended before this one was: {still.goal}"))
        self._want(authorization.record.journal)
        await end_repeated(
            authorization,
            told_again(self.values.typed, self.recording.answer),
            told_again(self.values.code, self.recording.program),
        )

    def _want(self, journal: Journal) -> None:
        """Record the goal again with values that were computed since, for the crew that takes over or the final checks."""
        goal = goal_again(self.recording.goal, self.values.text, self.values.typed)
        if goal.contract != journal.state.contract:
            journal.append(goal)

    async def _step(self, run: Run, step: Step) -> None:
        record, surroundings = run.record, run.surroundings
        action = surroundings.actions.get(step.operation.function)
        if action is None:
            raise Stopped(Mismatch(step, f"{step.operation.function} to be possible", "this run has no such action"))
        bounds.may_act(record.state, record.limits)
        if surroundings.seen is None or surroundings.desk.desktop is not None:
            await surroundings.look()
        then = self.recording.observation(step.before)
        operation = await self._again.aim(surroundings, step, action, then)
        before = surroundings.now
        finished = await self._done(run, step, operation)
        await self._again.compared(surroundings, step, finished, then, before)
        if action.learnt:
            text = record.journal.read_blob(finished.output).decode(errors="replace")
            self.values.learn(step.number, step.output, text)

    async def _done(self, run: Run, step: Step, operation: Operation) -> ActionFinished:
        """Propose an operation, have it authorized, execute it, and judge its effect."""
        journal, state = run.record.journal, run.record.state
        intention = f"as {self.recording.place(step)}"
        body = OperationProposed(role=step.role, subtask=step.subtask, operation=operation, intention=intention)
        while True:
            proposed = journal.append(body, lane=step.subtask)
            decision = Decision(proposed.id, step.role, step.subtask, Branch.CONTINUE, [operation], 1)
            if (approved := await approve(run, decision, proposed)) is not None:
                break
            if state.barred or state.stop is not None:
                raise Stopped(None)
            await run.authorization.human_turn()  # it was left for later
        await act(run, decision, approved)
        finished = state.finished_action
        assert finished is not None
        assert isinstance(finished.body, ActionFinished)
        await review(run)
        return finished.body


def done_so_far(recording: Recording, mismatch: Mismatch) -> str:
    """What the crew that takes over is told: what of the open subtask is done, and what is not as recorded."""
    steps = recording.steps
    place = steps.index(mismatch.step) if mismatch.step else len(steps)
    worked = place + 1 if mismatch.after else place
    part = mismatch.step.subtask if mismatch.step else ""
    done = [worded(recording, step) for step in steps[:worked] if step.subtask == part]
    said = "A recorded run was done again up to here, in your place. "
    said += f"Done of this part: {'; '.join(done)}. " if done else "Nothing of this part is done. "
    wanted = f"Next was to be {worded(recording, mismatch.step)}. " if mismatch.step and not mismatch.after else ""
    found = shorten(mismatch.found, FOUND_LENGTH)
    return f"{said}{wanted}Then expected {mismatch.expected}, but found {found}. Go on from the screen as it is."

"""A recorded step on the screen as it is now: aimed at the control that was meant, and compared with what it did then."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio.to_thread

from deskcrew.actions.action import Action
from deskcrew.actions.windows import find_window as named_window
from deskcrew.environments.pointing import points_of, window_at
from deskcrew.errors import ActionError
from deskcrew.events import ActionFinished, Judged, Operation
from deskcrew.excerpts import shorten
from deskcrew.observation import Observation
from deskcrew.repeating.effects import difference
from deskcrew.repeating.matching import Missing, find_control, find_focus, find_in_front, find_window, told
from deskcrew.repeating.recording import Recording, Step
from deskcrew.repeating.values import Replacing, Unclear
from deskcrew.roles.view import operation_text
from deskcrew.run import Run
from deskcrew.steps.aiming import aimed

FOUND_LENGTH = 400
UNAIMED = frozenset({"hotkey", "keyboard_input", "scroll", "choose_menu", "close_window"})
"""Actions that, where they name no control or window, go to what is in front."""
TITLED = frozenset({"switch_window", "close_window"})
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where the screen was not as recorded. ``step`` None: at the end. ``label``: recorded label of the control that was
    meant; ``after``: it shows in the observation after the operation, not before it."""

    step: Step | None
    expected: str
    found: str
    label: str | None = None
    after: bool = False

    def words(self, recording: Recording) -> str:
        """All of it, for a person."""
        where = "At the end"
        if self.step is not None:
            place = recording.place(self.step)
            where = f"{place[0].upper()}{place[1:]} ({worded(recording, self.step)})"
        return f"{where}: expected {self.expected}; found {shorten(self.found, FOUND_LENGTH)}."


class Stopped(Exception):
    """Raised in here to leave a step. ``mismatch`` None: the guard or a person said no."""

    def __init__(self, mismatch: Mismatch | None) -> None:
        super().__init__()
        self.mismatch = mismatch


@dataclass
class Repeated:
    """Finds recorded steps again. ``patience``: seconds that the screen is given to become what it was; ``looks``: how often
    it is looked at meanwhile, None: as often as there is time for."""

    recording: Recording
    values: Replacing
    patience: float
    looks: int | None = None

    async def aimed(self, run: Run, step: Step, action: Action, then: Observation) -> Operation:
        """The operation with new values, and the label of its control as it is called now."""
        try:
            operation = self.values.operation(step.operation)
        except Unclear as unclear:
            raise Stopped(Mismatch(step, "results that can be told", str(unclear), step.operation.control)) from unclear
        if action.needs == "points":
            return await self._pointed(run, step, operation, then)
        if action.needs != "desktop":
            return operation
        forms, label = self.values.forms, step.operation.control
        if label and action.control != "none":
            admits = action.admits
            control = await self.until(run, step, lambda now: find_control(label, then, now, forms, admits))
            return operation.model_copy(update={"control": control.label})
        title = str(step.operation.params.get("title") or "") if action.name in TITLED else ""
        if title:
            try:
                meant = named_window(then.windows, title)
            except ActionError:
                return operation
            window = await self.until(run, step, lambda now: find_window(meant, now, forms))
            return operation.model_copy(update={"params": {**operation.params, "title": window.title}})
        if action.name in UNAIMED:
            await self.until(run, step, lambda now: find_in_front(then, now, forms))
        if action.name == "keyboard_input":
            await self.until(run, step, lambda now: find_focus(then, now, forms))
        return operation

    async def _pointed(self, run: Run, step: Step, operation: Operation, then: Observation) -> Operation:
        """The operation with its points where the control, or the window, that they lay in is now."""
        points, forms = points_of(operation.function, operation.params), self.values.forms
        label = step.operation.control
        was, window = then.control(label) if label else None, window_at(points[0], then) if points else None
        if was is not None:
            before, after = (
                was.box,
                (await self.until(run, step, lambda now: find_control(was.label, then, now, forms, ()))).box,
            )
        elif window is not None:
            before, after = window.box, (await self.until(run, step, lambda now: find_window(window, now, forms))).box
        else:
            return operation
        shifts = {"x": after.x - before.x, "y": after.y - before.y}
        moved = {
            name: operation.params[name] + shifts[name[-1]]
            for name in ("x", "y", "to_x", "to_y")
            if name in operation.params
        }
        try:
            return await aimed(run, operation.model_copy(update={"params": {**operation.params, **moved}}))
        except ActionError as error:
            raise Stopped(Mismatch(step, "the point to lie in the picture", str(error), label)) from error

    async def compared(self, run: Run, step: Step, finished: ActionFinished, then: Observation, before: Observation) -> None:
        """Raise Stopped where what it did is not of the kind of what it did then. Late windows are waited for."""
        label = step.operation.control
        if finished.exit_code != step.exit_code:
            raise Stopped(
                Mismatch(step, f"exit code {step.exit_code}", f"{finished.exit_code}: {finished.error or finished.text}")
            )
        if not finished.ok:
            raise Stopped(Mismatch(step, "it to work, as it did then", finished.error or finished.text, label))
        judged = next(
            event.body
            for event in reversed(run.journal.events)
            if isinstance(event.body, Judged) and event.body.scope == "effect"
        )
        if step.held and judged.verdict.kind != "continue":
            raise Stopped(Mismatch(step, "it to do what it did then", judged.verdict.why, label, after=True))
        if step.before is None or step.after is None:
            return
        was = (then, self.recording.observation(step.after))
        forms = self.values.forms
        await self.until(run, step, lambda now: difference(was, (before, now), forms), after=True)

    async def until(
        self, run: Run, step: Step, look: Callable[[Observation], Found | Missing], *, after: bool = False
    ) -> Found:
        """What ``look`` finds, on this screen or one that comes within bounded time. Raises Stopped."""
        desktop, deadline = run.desk.desktop, time.monotonic() + self.patience
        found, looks = look(run.now), 0
        while isinstance(found, Missing):
            left = deadline - time.monotonic()
            if desktop is None or left <= 0 or looks == self.looks:
                raise Stopped(Mismatch(step, found.expected, found.found, step.operation.control, after))
            wait = desktop.wait
            await anyio.to_thread.run_sync(wait, min(left, 2.0), abandon_on_cancel=True)
            await run.look()
            found, looks = look(run.now), looks + 1
        return found


def worded(recording: Recording, step: Step) -> str:
    """An operation with its control by name: its label is of another screen."""
    control = recording.observation(step.before).control(step.operation.control or "")
    plain = operation_text(step.operation.model_copy(update={"control": None}))
    return f"{plain} on {told(control)}" if control else plain

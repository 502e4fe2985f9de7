"""Points of a screenshot: what an observation has there.

A point stands for what it hits. Whoever judges, shows or executes an operation on a point asks here what that is, and gets
the same answer from the same observation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from deskcrew.environments.drawn import CANVAS
from deskcrew.errors import ActionError
from deskcrew.facts.events import Grounded, Operation
from deskcrew.facts.observation import Box, Control, Identity, Observation, Window, identity_of

CLICK, DRAG, SCROLL = "click_point", "drag_point", "scroll_point"
POINTING = frozenset({CLICK, DRAG, SCROLL})
"""Actions that have points among their parameters."""
HOLDERS = frozenset({"document", "section"})
"""Roles of containers that can be scrolled."""
AWAY = "out of view"
ASIDE, ABOVE = 5.0, 2.5
"""How far from a line of text a point may be, sideways and vertically, in heights of the line, and still belong to it: a
painted button is larger than its words."""
LEAST_ASIDE, LEAST_ABOVE = 48, 32
"""The minimum of that distance in pixels."""
_NAMED = 200
"""The maximum number of characters of the text that identifies a point."""


class Point(NamedTuple):
    """A point of the screen, in pixels from its top left corner."""

    x: int
    y: int


class Aim(NamedTuple):
    """What an observation has at a point: the control, None if there is none, and the window."""

    point: Point
    control: Control | None
    window: Window | None


class Grounder(Protocol):
    """A model that turns words into a point of a picture."""

    @property
    def name(self) -> str:
        """The model string in the settings."""
        ...

    async def point(self, picture: bytes, words: str) -> Grounded:
        """Where in a picture (PNG) the described thing is. Raises ModelFailure if the model gives no answer."""
        ...


def points_of(function: str, params: Mapping[str, Any]) -> tuple[Point, ...]:
    """The points that an operation acts on, in order; empty if it names none, or they are not numbers."""
    if function not in POINTING:
        return ()
    names = (("x", "y"), ("to_x", "to_y")) if function == DRAG else (("x", "y"),)
    found = [(params.get(across), params.get(down)) for across, down in names]
    return tuple(Point(x, y) for x, y in found if isinstance(x, int) and isinstance(y, int))


def aims_of(operation: Operation, seen: Observation) -> tuple[Aim, ...]:
    """What is at the points of an operation; empty if it has none, or they are outside the screen."""
    try:
        return tuple(aim(point, seen) for point in points_of(operation.function, operation.params))
    except ActionError:
        return ()


def target_of(operation: Operation, seen: Observation) -> Control | None:
    """The control that an operation acts on: the one at its point; else the one it names, or the focused one."""
    if operation.function in POINTING:
        return next((each.control for each in aims_of(operation, seen)), None)
    return seen.control(operation.control or seen.focus or "")


def aim(point: Point, seen: Observation) -> Aim:
    """What is at a point. Raises ActionError, worded for the model, for one outside the screen."""
    screen = seen.screen
    if screen is None:
        raise ActionError("There is no picture of a screen to point at.")
    if not (0 <= point.x < screen.width and 0 <= point.y < screen.height):
        size = f"{screen.width} x {screen.height}"
        raise ActionError(f"The picture has {size} pixels; {point.x}, {point.y} lies outside of it.")
    control = next(iter(controls_at(point, seen)), None)
    if control is None:
        return Aim(point, None, window_at(point, seen))
    return Aim(point, control, seen.window(control.window))


def window_at(point: Point, seen: Observation) -> Window | None:
    """The topmost window at a point."""
    return next((window for window in seen.windows if window.box.contains(*point)), None)


def controls_at(point: Point, seen: Observation) -> tuple[Control, ...]:
    """The controls at a point, the innermost first: those of the topmost window there, and those that extend beyond their
    own, such as the entries of an open menu."""
    window = window_at(point, seen)
    top = window.id if window is not None else None
    boxes = {each.id: each.box for each in seen.windows}
    there = [
        one
        for one in seen.controls
        if one.box.contains(*point)
        and one.role not in HOLDERS
        and AWAY not in one.states
        and (one.window == top or not (one.window in boxes and boxes[one.window].contains(*one.box.centre)))
    ]
    return tuple(sorted(there, key=lambda one: one.box.width * one.box.height))


def words_at(point: Point, seen: Observation) -> tuple[str, ...]:
    """The texts at a point and near it, the closest first, unless they belong to another control."""
    scale = seen.screen.scale if seen.screen is not None else 1.0
    close = [(gap, line.text) for line in seen.lines if (gap := _gap(point, line.box, scale)) is not None]
    return tuple(dict.fromkeys(text for _, text in sorted(close)))


def _gap(point: Point, box: Box, scale: float) -> float | None:
    """Pixels between a point and a line of text, None if it is too far away to belong to it."""
    across = max(box.x - point.x, 0, point.x - (box.x + box.width - 1))
    down = max(box.y - point.y, 0, point.y - (box.y + box.height - 1))
    aside, above = max(ASIDE * box.height, LEAST_ASIDE * scale), max(ABOVE * box.height, LEAST_ABOVE * scale)
    return (across**2 + down**2) ** 0.5 if across <= aside and down <= above else None


def painted(control: Control | None) -> bool:
    """Whether what is at a point is known from the picture alone: no control, or a canvas."""
    return control is None or control.role == CANVAS


def identity_at(aimed: Aim, seen: Observation) -> Identity:
    """What identifies a point: its control or, if it is painted, the text there."""
    if not painted(aimed.control):
        return identity_of(aimed.control, aimed.window)
    known = identity_of(aimed.control, aimed.window)
    name = " | ".join(filter(None, (known.name, *words_at(aimed.point, seen))))
    return known.model_copy(update={"role": known.role or "point", "name": name[:_NAMED]})


def check(was: Aim, now: Observation) -> Aim:
    """What is at a point now. Raises ActionError if that has changed."""
    there = aim(was.point, now)
    if _known(there) != _known(was):
        control = there.control
        what = f'{control.role} "{control.name}"' if control is not None else "nothing that is known"
        raise ActionError(f"At {was.point.x}, {was.point.y} there is now {what}. Look again.")
    return there


def _known(aimed: Aim) -> tuple[object, ...]:
    control, window = aimed.control, aimed.window
    own = (control.label, control.role, control.name) if control is not None else ()
    return (*own, window.id if window is not None else None)


def past(dragged: Box, target: Box, middle: tuple[float, float], scale: float = 1) -> tuple[float, float]:
    """Where to drop something on ``target``: in its ``middle`` or, if both have about the same size, like entries of a list,
    a quarter of the target further: an entry takes another's place only past its middle. ``scale``: screen pixels, the unit
    of boxes, per unit of ``middle``."""
    if not (0.5 < dragged.height / max(1, target.height) < 2 and 0.5 < dragged.width / max(1, target.width) < 2):
        return middle

    def on(apart: int, size: int) -> float:
        return 0 if abs(apart) < size / 2 else (size if apart > 0 else -size) / 4 / scale

    (x, y), (left, top) = target.centre, dragged.centre
    return middle[0] + on(x - left, target.width), middle[1] + on(y - top, target.height)

"""Actions on points of the picture: a last resort for a window that is painted, so that no control describes its contents.

A point inside a control is an operation on this control: ``engine/steps/approving.py`` names it in the proposal, and guard,
driver and history treat it as such.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from deskcrew.actions.action import Action, Params, Result, Scene
from deskcrew.actions.asked import SHORT, Asked
from deskcrew.actions.effects import changed, scrolled
from deskcrew.actions.params import Fixed
from deskcrew.actions.windows import click_words, desktop, way_words
from deskcrew.environments.pointing import CLICK, DRAG, SCROLL, Point, aim
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control

DESCRIBED = "click_described"
LARGEST = 32_767
"""The largest coordinate that an X screen has."""


class PointParams(Params):
    x: int = Field(ge=0, le=LARGEST, description="Pixels from the left edge of the picture.")
    y: int = Field(ge=0, le=LARGEST, description="Pixels from its upper edge.")


class ClickPointParams(PointParams):
    button: Annotated[Literal["left", "right", "middle"], Fixed()] = Field("left", description="Mouse button.")
    double: bool = Field(False, description="Click twice, quickly.")


class DragPointParams(PointParams):
    to_x: int = Field(ge=0, le=LARGEST, description="Where to let go: pixels from the left edge.")
    to_y: int = Field(ge=0, le=LARGEST, description="The same from the upper edge.")


class ScrollPointParams(PointParams):
    wheel_dist: int = Field(
        ge=-30, le=30, description="Notches of the mouse wheel: positive scrolls up, negative down; usually 3 to 9."
    )


class DescribedParams(Params):
    what: str = Field(
        min_length=1, max_length=500, description="What to click, so that it cannot be taken for anything else."
    )
    button: Literal["left", "right", "middle"] = Field("left", description="Mouse button.")
    double: bool = Field(False, description="Click twice, quickly.")


def click_point(scene: Scene, params: ClickPointParams, control: Control | None) -> Result:
    """Click at a point of the picture: only where nothing listed is what you mean."""
    there = aim(Point(params.x, params.y), scene.observation)
    desktop(scene).click_at(there, button=params.button, double=params.double)
    return Result(ok=True)


def drag_point(scene: Scene, params: DragPointParams, control: Control | None) -> Result:
    """Drag with the mouse from one point of the picture to another, to draw or move what is painted."""
    start, end = Point(params.x, params.y), Point(params.to_x, params.to_y)
    if start == end:
        raise ActionError("Both points are the same, which drags nothing.")
    desktop(scene).drag_along(aim(start, scene.observation), aim(end, scene.observation))
    return Result(ok=True)


def scroll_point(scene: Scene, params: ScrollPointParams, control: Control | None) -> Result:
    """Turn the mouse wheel at a point of the picture."""
    if params.wheel_dist == 0:
        raise ActionError("wheel_dist is 0, which scrolls nothing; give e.g. -5 for down.")
    desktop(scene).scroll_at(aim(Point(params.x, params.y), scene.observation), params.wheel_dist)
    return Result(ok=True)


def click_described(scene: Scene, params: DescribedParams, control: Control | None) -> Result:
    """Click what you describe: another model finds it in the picture. Only where nothing listed is what you mean."""
    raise ActionError("What is described has to be found in the picture first.")  # as engine/steps/approving.py does


def _at(asked: Asked) -> str:
    """The thing at the point, and the coordinates."""
    point, thing = ", ".join(asked.line(name, 12) for name in ("x", "y")), asked.thing()
    return f"{thing} at {point}" if thing else f"at {point}"


ACTIONS = (
    Action(
        CLICK, ClickPointParams, click_point, "write", "lasting", "points", postcondition=changed,
        gesture="point", worded=lambda asked: f"{click_words(asked)} {_at(asked)}",
    ),
    Action(
        DRAG, DragPointParams, drag_point, "write", "lasting", "points", postcondition=changed, gesture="drag",
        worded=lambda asked: f"Drag {_at(asked)} to {asked.line('to_x', 12)}, {asked.line('to_y', 12)}",
    ),
    Action(
        SCROLL, ScrollPointParams, scroll_point, "read", "none", "points", postcondition=scrolled,
        gesture="scroll", worded=lambda asked: f"Scroll {_at(asked)}{way_words(asked)}",
    ),
    Action(
        DESCRIBED, DescribedParams, click_described, "write", "lasting", "grounding", postcondition=changed,
        worded=lambda asked: f"{click_words(asked)} {asked.quoted('what', SHORT)}, to be found in the picture",
    ),
)  # fmt: skip

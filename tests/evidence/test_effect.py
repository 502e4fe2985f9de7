"""What opens or closes by itself: whether the rest of a decision still fits the screen."""

from __future__ import annotations

import pytest

from deskcrew.actions import builtin
from deskcrew.evidence.effect import surprise
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Observation, Window

GAME = Window(id=1, title="Game", app="game", active=True, box=Box(x=0, y=0, width=9, height=9))
OTHER = Window(id=2, title="Notes", app="notes", active=True, box=Box(x=0, y=0, width=9, height=9))
CLICK = Operation(function="click_point", params={"x": 1, "y": 1})


@pytest.mark.parametrize(
    ("before", "after", "following", "on_screen", "fits"),
    [
        ((GAME,), (), Operation(function="run_shell"), False, True),
        ((GAME,), (OTHER,), Operation(function="run_shell"), False, False),
        ((GAME,), (), Operation(function="wait_for_loading"), True, True),
        ((GAME,), (), Operation(function="click_input", control="3"), True, False),
        ((GAME, OTHER.model_copy(update={"active": False})), (OTHER,), Operation(function="hotkey"), True, False),
    ],
)
def test_what_is_not_done_on_the_screen_fits_whatever_has_closed(
    before: tuple[Window, ...], after: tuple[Window, ...], following: Operation, on_screen: bool, fits: bool
) -> None:
    action = builtin()["click_input"]
    told = surprise(action, CLICK, Observation(windows=before), Observation(windows=after), following, on_screen=on_screen)
    assert (told == "") == fits

"""What failed again and again in the same way, and is not offered any more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deskcrew.coaching.offers import offered
from deskcrew.events import Operation
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.situation import Situation

SAVE = Operation(function="click_input", control="4")
OTHER = Operation(function="click_input", control="5")
TYPES = Operation(function="keyboard_input", control="4", params={"keys": "a"})


def situation(part: str, *tried: tuple[Operation, bool | None]) -> Situation:
    """None: it was refused, since it had just been done in the same way."""
    turns = [
        SimpleNamespace(subtask="1", done=[SimpleNamespace(operation=each, ok=ok)], reply={})
        if ok is not None
        else SimpleNamespace(subtask="1", done=[], reply={"operations": [each.model_dump(mode="json")]})
        for each, ok in tried
    ]
    newest_first: Any = tuple(reversed(turns))
    core: Any = {"click_input": object(), "keyboard_input": object()}
    subtask = Subtask(id="1", goal=part, role="Operator")
    return Situation(
        subtask=subtask,
        now=Observation(),
        programs=(),
        turns=newest_first,
        repairs=0,
        doubted=False,
        made=frozenset(),
        domain=core | {"drag": object()},
        core=core,
        text_of=str,
    )


@pytest.mark.parametrize(
    ("tried", "left"),
    [
        ([(SAVE, False), (SAVE, False)], {"keyboard_input"}),
        ([(SAVE, False), (OTHER, False)], {"click_input", "keyboard_input"}),
        ([(SAVE, False), (SAVE, True)], {"click_input", "keyboard_input"}),
        ([(SAVE, False)], {"click_input", "keyboard_input"}),
        ([(SAVE, False), (SAVE, False), (TYPES, True)], {"click_input", "keyboard_input"}),
        ([(SAVE, False), (SAVE, None)], {"keyboard_input"}),
        ([(SAVE, None), (SAVE, None)], {"click_input", "keyboard_input"}),
        ([(SAVE, True), (SAVE, None)], {"click_input", "keyboard_input"}),
    ],
)
def test_what_failed_twice_alike_is_not_offered_again(tried: list[tuple[Operation, bool | None]], left: set[str]) -> None:
    assert offered(situation("Save it.", *tried)).keys() == left


def test_a_small_model_is_offered_what_its_part_calls_by_its_name() -> None:
    drags = situation("Drag the smaller box into the larger one.")
    assert offered(drags).keys() == {"click_input", "keyboard_input", "drag"}
    assert offered(situation("Read about dragons.")).keys() == {"click_input", "keyboard_input"}

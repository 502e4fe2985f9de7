"""What failed again and again in the same way, and is not offered any more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deskcrew.events import Operation
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.steps.offering import offered

SAVE = Operation(function="click_input", control="4")
OTHER = Operation(function="click_input", control="5")
TYPES = Operation(function="keyboard_input", control="4", params={"keys": "a"})


def run(*tried: tuple[Operation, bool | None]) -> Any:
    """None: it was refused, since it had just been done in the same way."""
    turns = [
        SimpleNamespace(subtask="1", done=[SimpleNamespace(operation=each, ok=ok)], reply={})
        if ok is not None
        else SimpleNamespace(subtask="1", done=[], reply={"operations": [each.model_dump(mode="json")]})
        for each, ok in tried
    ]
    state = SimpleNamespace(turns=turns)
    actions = {"click_input": object(), "keyboard_input": object()}
    return SimpleNamespace(
        journal=SimpleNamespace(state=state),
        actions_of=lambda role: actions,
        domain_of=lambda role: actions | {"drag": object()},
        small=lambda role: role == "small",
        now=Observation(),
        on_page=False,
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
    part: Any = Subtask(id="1", goal="Save it.", role="Operator")
    small: Any = "small"
    assert offered(run(*tried), small, part).keys() == left
    large: Any = "large"
    assert offered(run(*tried), large, part).keys() == {"click_input", "keyboard_input"}


def test_a_small_model_is_offered_what_its_part_calls_by_its_name() -> None:
    part: Any = Subtask(id="1", goal="Drag the smaller box into the larger one.", role="Operator")
    small: Any = "small"
    assert offered(run(), small, part).keys() == {"click_input", "keyboard_input", "drag"}
    other: Any = Subtask(id="1", goal="Read about dragons.", role="Operator")
    assert offered(run(), small, other).keys() == {"click_input", "keyboard_input"}

"""Operations on points are judged by what lies there and by what is written there, at least as strictly as any click."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, Line, Observation, Screen, Window
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.policy import Policy

WINDOW = Window(id=1, title="Board", app="board", box=Box(x=0, y=0, width=800, height=600), active=True)


def control(name: str, place: tuple[int, int, int, int], role: str = "button", **more: Any) -> Control:
    x, y, width, height = place
    box = Box(x=x, y=y, width=width, height=height)
    return Control(
        label=more.pop("label", name or role), role=role, name=name, box=box, window=1, operations=("click",), **more
    )


def line(text: str, x: int, y: int) -> Line:
    return Line(text=text, box=Box(x=x, y=y, width=100, height=20), read=True)


def ruled(
    tmp_path: Path, operation: Operation, *controls: Control, lines: tuple[Line, ...] = (), **more: Any
) -> GuardDecision:
    seen = Observation(
        screen=Screen(width=800, height=600),
        windows=(WINDOW,),
        controls=controls,
        lines=lines,
        focus=more.pop("focus", None),
    )
    scene = Scene(Workspace(tmp_path), Sandbox(tmp_path), None, seen)
    policy = more.pop("policy", None) or Policy.default()
    return Guard(policy, more.pop("kind", "virtual")).decide(operation, builtin()[operation.function], scene)


def click(x: int, y: int, **params: Any) -> Operation:
    return Operation(function="click_point", params={"x": x, "y": y, **params})


def test_a_point_of_nothing_known_is_an_unknown_click(tmp_path: Path) -> None:
    ruling = ruled(tmp_path, click(400, 300))
    assert (ruling.effect, ruling.risk) == ("allow", "unknown")
    assert ruled(tmp_path, click(400, 300), kind="real").effect == "ask"


def test_a_point_is_not_what_has_the_keyboard(tmp_path: Path) -> None:
    send = control("Send", (10, 10, 80, 30))
    ruling = ruled(tmp_path, click(400, 300), send, focus="Send")
    assert ruling.risk == "unknown"
    assert ruling.bound.target is not None
    assert ruling.bound.target.name == ""


def test_a_point_in_a_button_is_this_button_whatever_it_is_said_to_be(tmp_path: Path) -> None:
    send, back = control("Send", (100, 100, 80, 30)), control("Back", (300, 100, 80, 30))
    ruling = ruled(tmp_path, click(110, 110).model_copy(update={"control": "Back"}), send, back)
    assert (ruling.effect, ruling.risk) == ("ask", "send")
    assert ruling.bound.target is not None
    assert (ruling.bound.target.role, ruling.bound.target.name) == ("button", "Send")
    assert ruled(tmp_path, click(310, 110), send, back).effect == "allow"


def test_of_two_buttons_at_a_point_the_graver_counts(tmp_path: Path) -> None:
    play, delete = control("Play", (120, 110, 40, 20)), control("Delete account", (100, 100, 200, 60))
    assert ruled(tmp_path, click(130, 115), play, delete).risk == "destroy"


@pytest.mark.parametrize(
    ("text", "risk"), [("Send", "send"), ("Jetzt kaufen", "spend"), ("$49.99", "spend"), ("Eliminar", "destroy")]
)
def test_words_painted_at_a_point_or_close_to_it_count(tmp_path: Path, text: str, risk: str) -> None:
    canvas = control("", (0, 0, 800, 600), "canvas")
    for point in ((150, 110), (60, 140), (290, 100)):
        ruling = ruled(tmp_path, click(*point), canvas, lines=(line(text, 100, 100),))
        assert (ruling.effect, ruling.risk) == ("ask", risk), point
        assert repr(text) in ruling.why
    assert ruled(tmp_path, click(600, 500), canvas, lines=(line(text, 100, 100),)).risk == "unknown"


def test_both_ends_of_a_drag_count(tmp_path: Path) -> None:
    drag = Operation(function="drag_point", params={"x": 50, "y": 300, "to_x": 140, "to_y": 110})
    assert ruled(tmp_path, drag, lines=(line("Empty Trash", 100, 100),)).risk == "destroy"
    assert ruled(tmp_path, drag, control("Delete", (100, 100, 80, 30))).risk == "destroy"


def test_turning_the_wheel_is_reading(tmp_path: Path) -> None:
    turn = Operation(function="scroll_point", params={"x": 110, "y": 110, "wheel_dist": -3})
    assert ruled(tmp_path, turn, control("Send", (100, 100, 80, 30))).risk == "read"


DENIES = """
[[rules]]
name = "{name}"
effect = "deny"
{condition}
"""


@pytest.mark.parametrize("condition", ['action = "click_input"', 'control = "Roll*"'])
def test_what_forbids_a_click_forbids_it_by_its_point(tmp_path: Path, condition: str) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(DENIES.format(name="no", condition=condition))
    policy = Policy.load(file)
    ruling = ruled(tmp_path, click(150, 110), lines=(line("Roll dice", 100, 100),), policy=policy)
    assert (ruling.effect, ruling.rule) == ("deny", "no")


def test_the_middle_button_pastes_at_a_point_too(tmp_path: Path) -> None:
    terminal = control("Terminal", (0, 0, 800, 600), "terminal", value="$ ")
    plain, pasted = ruled(tmp_path, click(5, 5), terminal), ruled(tmp_path, click(5, 5, button="middle"), terminal)
    assert (plain.risk, pasted.risk) == ("write", "unknown")


def test_a_painted_place_is_bound_to_its_words(tmp_path: Path) -> None:
    canvas = control("", (0, 0, 800, 600), "canvas", label="7")
    target = ruled(tmp_path, click(150, 110), canvas, lines=(line("Send", 100, 100),)).bound.target
    assert target is not None
    assert (target.role, target.name, target.window) == ("canvas", "Send", "Board")

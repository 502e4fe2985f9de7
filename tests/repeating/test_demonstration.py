"""What hands did and what was seen meanwhile, as operations. With real hands on real desktops: tests/workshop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from deskcrew.environments.person_input import Gesture, Key, Press, WheelTurn
from deskcrew.facts.observation import Box, Control, Observation, Screen, Window
from deskcrew.learning.repeating.demonstration import Demonstration, Look, Shown, slug

NOTES = Window(id=1, title="Notes", app="notes", box=Box(x=0, y=0, width=400, height=400), active=True)
OTHER = Window(id=2, title="Other", app="other", box=Box(x=500, y=0, width=300, height=400))


def control(label: str, role: str, name: str, top: int, **more: Any) -> Control:
    box = Box(x=10, y=top, width=100, height=20)
    return Control.model_validate({"label": label, "role": role, "name": name, "box": box, "window": 1, **more})


FIELD = control("1", "text field", "User", 10, value="", operations=("type",))
WORD = control("2", "password field", "Pass word", 40, operations=("type",))
AREA = control("3", "text area", "", 200, value="", operations=("type",))
COLOUR = control("4", "combo box", "Colour", 70, value="red", operations=("select",), options=("red", "blue"))
SAVE = control("5", "button", "Save", 100, operations=("click",))


def seen(focus: str = "1", windows: Sequence[Window] = (NOTES, OTHER), **values: str) -> Observation:
    """A look at a window with all of these; ``values``: of controls, by ``c`` and their label."""
    controls = (
        each.model_copy(update={"value": values.get(f"c{each.label}", each.value)})
        for each in (FIELD, WORD, AREA, COLOUR, SAVE)
    )
    screen = Screen(width=800, height=400)
    return Observation(screen=screen, windows=tuple(windows), controls=tuple(controls), focus=focus)


def shown(*course: Observation | Gesture | Sequence[Gesture]) -> list[Shown]:
    """A look a second, and gestures half a second after the look before them."""
    first, *rest = course
    assert isinstance(first, Observation)
    clock = 10.0
    demonstration = Demonstration(Look(clock - 1, clock - 0.9, first))
    for each in rest:
        if isinstance(each, Observation):
            clock += 1
            demonstration.saw(Look(clock, clock + 0.1, each))
        else:
            demonstration.did(each if isinstance(each, Sequence) else [each])
    return demonstration.taken(clock + 9, over=True)


def at(clock: float, text: str = "", name: str = "", held: tuple[str, ...] = ()) -> Key:
    return Key(clock, text, name, held)


def typed(clock: float, text: str) -> list[Gesture]:
    return [at(clock + number / 100, letter) for number, letter in enumerate(text)]


def pressed(clock: float, control: Control, **more: Any) -> Press:
    return Press(clock, control.box.centre, more.pop("button", "left"), control.box.centre)


def told(found: list[Shown]) -> list[tuple[str, str | None, dict[str, Any]] | str]:
    operations = (each.operation for each in found)
    return [
        (operation.function, operation.control, operation.params) if operation is not None else each.why
        for operation, each in zip(operations, found, strict=True)
    ]


def test_a_click_before_typing_is_part_of_it() -> None:
    found = shown(seen("3"), pressed(10.5, FIELD), seen("1"), typed(11.5, "Ann"), seen("1", c1="Ann"))
    assert told(found) == [("keyboard_input", "1", {"keys": "Ann"})]


def test_a_tab_between_fields_is_part_of_the_typing() -> None:
    course = (typed(10.5, "x"), seen("3", c3="x"), at(11.5, name="tab", held=("shift",)), seen("1", c3="x"))
    found = shown(seen("3"), *course, typed(12.5, "Ann"), seen("1", c3="x", c1="Ann"))
    assert [each[:2] for each in told(found)] == [("keyboard_input", "3"), ("keyboard_input", "1")]


def test_what_took_the_place_of_a_text_clears_it() -> None:
    found = shown(seen("1", c1="Bob"), typed(10.5, "Ann"), seen("1", c1="Ann"))
    assert told(found) == [("keyboard_input", "1", {"keys": "Ann", "clear": True})]
    found = shown(seen("1", c1="Bob"), typed(10.5, "by"), seen("1", c1="Bobby"))
    assert told(found) == [("keyboard_input", "1", {"keys": "by"})]


def test_slips_are_mended_and_enter_sends() -> None:
    keys = [*typed(10.5, "Anx"), at(10.6, name="backspace"), at(10.7, "n"), at(10.8, name="return")]
    assert told(shown(seen("1"), keys, seen("1", c1=""))) == [("keyboard_input", "1", {"keys": "Ann", "click_enter": True})]


def test_enter_begins_a_line_where_there_are_lines() -> None:
    keys = [*typed(10.5, "a"), at(10.6, name="return"), at(10.7, "b")]
    assert told(shown(seen("3"), keys, seen("3", c3="a\nb"))) == [("keyboard_input", "3", {"keys": "a\nb"})]


def test_a_password_is_left_out() -> None:
    (found,) = shown(seen("2"), typed(10.5, "s3cret!"), seen("2"))
    assert told([found]) == [("keyboard_input", "2", {"keys": "{{secret:pass_word}}"})]
    assert found.unsaid == "s3cret!"
    assert "s3cret!" not in repr(found)


@pytest.mark.parametrize("later", [seen("2"), seen("5"), seen("1")])
def test_what_went_nobody_knows_where_is_left_out(later: Observation) -> None:
    """Typed at once after Tab: whoever looked before saw the field that had the focus then."""
    keys = [*typed(10.5, "Ann"), at(10.55, name="tab"), *typed(10.6, "s3cret!"), at(10.7, name="tab")]
    found = shown(seen("1"), keys, later.model_copy(update={"controls": seen("1", c1="Ann").controls}))
    assert told(found)[0] == ("keyboard_input", "1", {"keys": "Ann"})
    assert "s3cret!" not in str(told(found))
    assert "s3cret!" in [each.unsaid for each in found]


def test_two_presses_are_a_double_click_and_two_slow_ones_are_not() -> None:
    twice = [pressed(10.5, SAVE), pressed(10.7, SAVE)]
    assert told(shown(seen(), twice, seen())) == [("click_input", "5", {"double": True})]
    slow = shown(seen(), pressed(10.5, SAVE), seen(), pressed(11.5, SAVE, button="right"), seen())
    assert told(slow) == [("click_input", "5", {}), ("click_input", "5", {"button": "right"})]


def test_a_choice_is_what_was_chosen_however() -> None:
    by_mouse = shown(seen(), pressed(10.5, COLOUR), seen(), Press(11.5, (20, 120), "left", (20, 120)), seen(c4="blue"))
    by_keys = [pressed(10.5, COLOUR), at(10.6, name="down"), at(10.7, name="return")]
    wanted = [("select_option", "4", {"option": "blue"})]
    assert told(by_mouse) == wanted
    assert told(shown(seen(), by_keys, seen(c4="blue"))) == wanted
    assert shown(seen(), [pressed(10.5, COLOUR), at(10.6, name="escape")], seen()) == []


def test_windows_are_closed_and_brought_forward_by_their_frames() -> None:
    frame = Press(10.5, (450, 5), "left", (450, 5))
    assert told(shown(seen(), frame, seen(windows=(NOTES,)))) == [("close_window", None, {"title": "Other"})]
    other = (OTHER.model_copy(update={"active": True}), NOTES.model_copy(update={"active": False}))
    assert told(shown(seen(), frame, seen(windows=other))) == [("switch_window", None, {"title": "Other"})]
    assert shown(seen(), frame, seen()) == [], "what changed nothing is nothing"


@pytest.mark.parametrize("early", [False, True], ids=["looks take three seconds", "the first is too early"])
def test_on_a_busy_machine_a_look_that_began_between_two_things_tells_them_apart(early: bool) -> None:
    """A dialog was closed and, two seconds later, a key pressed, while looks take seconds; or one began and ended while the
    dialog was still there."""
    dialog = Window(id=3, title="Find", app="notes", box=Box(x=500, y=0, width=200, height=200), dialog=True)
    with_dialog, without = seen(windows=(dialog, NOTES)), seen()
    demonstration = Demonstration(Look(7.0, 10.0, with_dialog))
    demonstration.did([pressed(10.2, SAVE), at(12.4, name="s", held=("ctrl",))])
    if early:
        demonstration.saw(Look(10.3, 10.6, with_dialog))
    demonstration.saw(Look(10.7, 13.5, without))
    demonstration.saw(Look(13.6, 16.6, without))
    press, save = demonstration.taken(30.0, over=True)
    assert press.operation is not None
    assert save.operation is not None
    assert (press.operation.function, save.operation.function) == ("click_input", "hotkey")
    assert (press.before, press.after) == (with_dialog, without), "closing it is what the press did"
    assert save.before == without, "a key was pressed without the dialog"


def test_what_was_pressed_is_what_was_there_before_though_a_look_was_under_way() -> None:
    """A dialog opened at once, and a button of it was pressed, which closed it while somebody looked."""
    cancel = control("9", "button", "Cancel", 100, operations=("click",))
    without = seen()
    with_dialog = without.model_copy(update={"controls": (cancel,)})
    demonstration = Demonstration(Look(9.0, 9.5, without))
    demonstration.did([pressed(10.0, SAVE), pressed(11.0, cancel)])
    for began, ended, looked in ((10.1, 10.6, with_dialog), (10.7, 11.2, without), (11.3, 11.8, without)):
        demonstration.saw(Look(began, ended, looked))
    opens, closes = demonstration.taken(30.0, over=True)
    assert closes.operation is not None
    assert (closes.operation.control, closes.before) == ("9", with_dialog), "SAVE is where it was"
    assert opens.after == with_dialog


def test_keys_and_wheel() -> None:
    course = (
        at(10.5, name="s", held=("ctrl",)),
        seen(),
        [WheelTurn(11.5, (20, 20), -1), WheelTurn(11.6, (20, 20), -1)],
        seen(),
    )
    assert told(shown(seen(), *course)) == [("hotkey", None, {"keys": ["ctrl", "s"]}), ("scroll", None, {"wheel_dist": -2})]


def test_what_cannot_be_done_again_says_so() -> None:
    dragged = Press(10.5, (20, 20), "left", (200, 200))
    assert "dragged" in str(told(shown(seen(), dragged, seen()))[0])
    blank = Press(10.5, (300, 350), "left", (300, 350))
    assert "tells nothing" in str(told(shown(seen(), blank, seen(c1="other")))[0])


def test_names_of_fields_are_names_of_parameters() -> None:
    assert [slug(name) for name in ("Invoice No.:", "2nd", "Größe", "")] == ["invoice_no", "", "groe", ""]

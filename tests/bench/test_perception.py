"""What differs between a next look and a first look is named: a figure that is refused says why."""

from __future__ import annotations

from deskcrew.facts.observation import Box, Control, Observation, Screen
from deskcrew_bench.performance.perception import differences

BOX = Box(x=0, y=0, width=10, height=10)


def control(label: str, name: str, **fields: object) -> Control:
    return Control.model_validate({"label": label, "role": "button", "name": name, "box": BOX, "window": 1, **fields})


def look(*controls: Control, focus: str | None = None) -> Observation:
    return Observation(screen=Screen(width=20, height=20), windows=(), controls=controls, focus=focus)


def test_other_labels_are_no_difference() -> None:
    assert differences(look(control("1", "Save"), focus="1"), look(control("7", "Save"), focus="7")) == []


def test_a_field_is_told_with_both_values() -> None:
    wrong = differences(look(control("1", "Save", value="a")), look(control("1", "Save", value="b")))
    assert wrong == ["value of button 'Save': next look 'a', first look 'b'"]


def test_a_control_that_only_one_look_has_is_told() -> None:
    both = control("1", "Save")
    more, less = look(both, control("2", "Open")), look(both)
    assert ["only the next look has" in one and "Open" in one for one in differences(more, less)] == [True]
    assert ["only the first look has" in one and "Open" in one for one in differences(less, more)] == [True]


def test_controls_of_one_name_are_compared_in_their_order() -> None:
    first = (control("1", "Cell", value="a"), control("2", "Cell", value="b"))
    second = (control("1", "Cell", value="a"), control("2", "Cell", value="c"))
    assert differences(look(*first), look(*second)) == ["value of button 'Cell': next look 'b', first look 'c'"]


def test_focus_and_order_are_told() -> None:
    one, two = control("1", "Save"), control("2", "Open")
    assert differences(look(one, two, focus="1"), look(one, two, focus="2")) == [
        "focus: next look \"('button', 'Save')\", first look \"('button', 'Open')\""
    ]
    assert differences(look(one, two), look(two, one)) == ["the order of the controls"]

"""What words have done on a page: all of it where every word is understood, and nothing where one is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deskcrew.observation import Box, Control, ControlOperation, Observation, Window
from deskcrew.roles.page_orders import last_press, obeyed

PAGE = Window(id=1, title="A page", app="Chromium", box=Box(x=0, y=0, width=500, height=300), active=True, url="http://a/")
OPERATIONS: dict[str, tuple[ControlOperation, ...]] = {
    "text field": ("click", "type"),
    "password field": ("click", "type"),
    "date editor": ("click", "type"),
    "check box": ("click", "toggle"),
    "combo box": ("select",),
}


def page(*controls: str, text: str = "", options: Sequence[str] = ()) -> Observation:
    """A page of controls, each ``kind:name`` or ``kind:name=state``; fields may have ``=value``."""
    made: list[Control] = []
    for number, control in enumerate(controls, 1):
        role, _, rest = control.partition(":")
        name, _, further = rest.partition("=")
        field = role.endswith(("field", "editor", "area"))
        made.append(
            Control(
                label=str(number), role=role, name=name, window=1, box=Box(x=9, y=20 * number, width=60, height=16),
                value=further if field else None, states=(further,) if further and not field else (),
                operations=OPERATIONS.get(role, ("click",)), options=tuple(options) if role == "combo box" else (),
            )
        )  # fmt: skip
    return Observation(windows=(PAGE,), controls=tuple(made), text=text)


def said(part: str, seen: Observation, before: Sequence[str] = ()) -> list[str] | None:
    """The operations in short, ``...`` at the end where there is more to come."""
    found = obeyed(part, seen, before)
    if found is None:
        return None
    told = [
        f"{each.control}{''.join(f' {value}' for name, value in each.params.items() if name in ('keys', 'option'))}"
        for each in found.operations
    ]
    return [*told, "..."] if found.more else told


@pytest.mark.parametrize(
    ("part", "controls", "wanted"),
    [
        ('Press the "Send" button.', ("button:Send", "button:Cancel"), ["1"]),
        ("Click Send and then press Close.", ("button:Close", "button:Send"), ["2", "1"]),
        ('Close the window by clicking the "x".', ("button:Close",), ["1"]),
        ("Tick a, c and press Order.", ("check box:a", "check box:b", "check box:c", "button:Order"), ["1", "3", "4"]),
        ("Tick milk and press Order.", ("check box:milk=checked", "button:Order"), ["2"]),
        ("Tick nothing and press Order.", ("check box:milk=checked", "button:Order"), ["1", "2"]),
        ("Tick nuts and raisins.", ("check box:nuts and raisins", "check box:nuts"), ["1"]),
        ('Type "Ann" into the text field and submit.', ("text field:", "button:Submit"), ["1 Ann", "2"]),
        ('Type "Ann" in capital letters into the field.', ("text field:",), ["1 ANN"]),
        ('Enter "Ann" into the text field.', ("text field:=Ann",), []),
        ('Enter the pin "12" into both text fields.', ("password field:A", "password field:B"), ["1 12", "2 12"]),
        (
            'Enter the name "Ann" and the town "Ulm" into the text fields and press Save when done.',
            ("text field:Town", "text field:Name:", "button:Save"),
            ["2 Ann", "1 Ulm", "3"],
        ),
        ("Enter 5:30 PM as the time and press OK.", ("date editor:", "button:OK"), ["1 5:30 PM", "2"]),
        ("Focus on the 2nd text field.", ("text field:a", "text field:b"), ["2"]),
        ("Choose Ulm and press Go.", ("combo box:Town", "button:Go"), ["1 Ulm", "2"]),
    ],
)  # fmt: skip
def test_orders_that_are_understood_are_done_in_their_order(part: str, controls: tuple[str, ...], wanted: list[str]) -> None:
    assert said(part, page(*controls, options=("Bonn", "Ulm"))) == wanted


@pytest.mark.parametrize(
    ("part", "controls"),
    [
        ('Press the "Send" button.', ("button:Cancel",)),
        ("Press OK.", ("button:OK", "button:OK")),
        ("Tick the healthy ones and press Order.", ("check box:milk", "button:Order")),
        ('Type "Ann" into the text field.', ("text field:a", "text field:b")),
        ("Type your age into the text field.", ("text field:",)),
        ('Enter an item that sounds like "Pa".', ("text field:",)),
        ('Type "Ann" into the text field and make it bold.', ("text field:",)),
        ("Drag milk onto Order.", ("check box:milk", "button:Order")),
        ("Focus on the 3rd text field.", ("text field:a", "text field:b")),
        ("Press OK unless it is red.", ("button:OK",)),
    ],
)
def test_where_a_word_is_not_understood_nothing_is_said(part: str, controls: tuple[str, ...]) -> None:
    assert said(part, page(*controls)) is None


def test_values_are_read_where_the_words_say() -> None:
    table = page("text field:", "button:OK", text="Colour | red\nSize | 12\nWeight | 3 | kg")
    assert said("Enter the value of size into the text field and press OK.", table) == ["1 12", "2"]
    assert said("Enter the value of weight into the text field.", table) is None
    assert said("Type the text above into the field.", page("text field:", text="abc")) == ["1 abc"]
    assert said("Type the text above into the field.", page("text field:", text="abc\ndef")) is None


def test_what_is_not_in_sight_is_looked_for_in_what_is_folded() -> None:
    shut = page("tab:One", "tab:Two")
    assert said('Find and click on the link "more".', shut) == ["1", "..."]
    opened = page("tab:One=expanded", "tab:Two")
    assert said('Find and click on the link "more".', opened, ["1"]) == ["2", "..."]
    assert said('Find and click on the link "more".', page("tab:One", "tab:Two=expanded", "link:more"), ["1", "2"]) == ["3"]
    assert said('Find and click on the link "more".', page("tab:One", "tab:Two"), ["1", "2"]) is None


def test_all_that_is_folded_is_opened_before_it_goes_on() -> None:
    part = "Expand the section below and press Save."
    assert said(part, page("tab:One", "tab:Save", "button:Save")) == ["1", "..."]
    assert said(part, page("tab:One=expanded", "tab:Save", "button:Save")) == ["3"]


def test_a_date_is_chosen_in_the_calendar_that_its_field_opens() -> None:
    part = "Choose 03/09/2021 as the date and press Book."
    assert said(part, page("text field:Date:", "button:Book")) == ["1", "..."]
    may = page("text field:Date:", "link:Prev", "link:Next", "link:9", text="May 2021")
    assert said(part, may, ["1"]) == ["2", "2", "..."]
    march = page("text field:Date:", "link:Prev", "link:Next", "link:9", text="March2021")
    assert said(part, march, ["1"]) == ["4", "..."]
    assert said(part, page("text field:Date:=03/09/2021", "button:Book"), ["1", "4"]) == ["2"]
    assert said(part, page("text field:Date:", "button:Book"), ["1"]) is None, "no calendar opened"
    assert said("Choose 02/30/2021 as the date.", page("text field:Date:")) is None, "there is no such day"
    assert said(part, page("text field:Date:", "link:9", "link:9", text="March 2021"), ["1"]) is None, "two of them"


def test_shapes_are_counted_by_their_words() -> None:
    drawn = ("shape:small red circle", "shape:large red square", "shape:small red square")
    numbers = ("button:0", "button:1", "button:2", "button:3")
    assert said("How many red items are there?", page(*drawn, *numbers)) == ["7"]
    assert said("How many small red squares are there?", page(*drawn, *numbers)) == ["5"]
    assert said("How many red mice are there?", page(*drawn, *numbers)) is None
    assert said("How many red items are there?", page(*drawn)) is None, "there is nothing to answer with"


@pytest.mark.parametrize(
    ("part", "controls", "wanted"),
    [
        ("Set the slider to 5 and hit Submit.", ("button:Submit", "button:Reset"), "1"),
        ("Fill in what is missing and submit when done.", ("text field:a", "button:Submit"), "2"),
        ("Search for films about dogs.", ("text field:Title", "button:Search", "link:Search help"), "2"),
        ("Set the slider to 5 and hit Submit.", ("button:Submit", "button:Submit"), None),
        ("Set the slider to 5 and hit Submit.", ("button:Save",), None),
        ("Press Submit and set the slider to 5.", ("button:Submit",), None),
        ("Write down what it costs.", ("button:Book", "button:Search"), None),
        ("How much is it?", ("button:How",), None),
    ],
)
def test_what_is_pressed_when_all_else_is_done(part: str, controls: Sequence[str], wanted: str | None) -> None:
    found = last_press(part, page(*controls))
    assert (found.label if found is not None else None) == wanted

"""Orders for sliders, dragging, lists, suggestions, and for what is one of several."""

from __future__ import annotations

import pytest

from deskcrew.observation import Box, Control, ControlOperation, Observation, Window
from deskcrew.roles.page_orders import obeyed

PAGE = Window(id=1, title="A page", app="Chromium", box=Box(x=0, y=0, width=500, height=300), active=True, url="http://a/")
TYPES: tuple[ControlOperation, ...] = ("click", "type")
CAN: dict[str, tuple[ControlOperation, ...]] = {"slider": ("set",), "text field": TYPES, "text area": TYPES}


def page(*controls: str, text: str = "") -> Observation:
    """Controls, each ``kind:name`` or ``kind:name=value``, under one another; what is large stands to the right."""
    made: list[Control] = []
    for number, control in enumerate(controls, 1):
        role, _, rest = control.partition(":")
        name, _, value = rest.partition("=")
        large = name.startswith("large")
        box = Box(x=100 * number, y=0, width=90, height=90) if large else Box(x=9, y=20 * number, width=16, height=16)
        made.append(
            Control(
                label=str(number), role=role, name=name, window=1, box=box, value=value or None,
                operations=CAN.get(role, ("click",)),
            )
        )  # fmt: skip
    return Observation(windows=(PAGE,), controls=tuple(made), text=text)


def said(part: str, seen: Observation, *before: str) -> list[str] | None:
    found = obeyed(part, seen, before)
    if found is None:
        return None
    told = [
        " ".join([each.function.partition("_")[0], each.control or "", *map(str, each.params.values())])
        for each in found.operations
    ]
    return [*told, "..."] if found.more else told


LIST = ("list item:Anna", "list item:Ben", "list item:Cleo")
SHAPES = ("shape:small red circle", "shape:small blue square", "shape:large black rectangle", "button:Submit")


@pytest.mark.parametrize(
    ("part", "controls", "wanted"),
    [
        ("Select 5 with the slider and press OK.", ("slider:=2", "button:OK"), ["set 1 5.0", "click 2"]),
        ("Select 2 with the slider and press OK.", ("slider:=2", "button:OK"), ["click 2"]),
        ("Set the sliders to the combination [5,-1].", ("slider:=0", "slider:=-1"), ["set 1 5.0"]),
        ("Move the volume slider to 7.", ("slider:Brightness=1", "slider:Volume=1"), ["set 2 7.0"]),
        ("Tick the 2nd checkbox.", ("check box:", "check box:", "check box:"), ["click 2"]),
        ("Click the last button.", ("button:a", "button:b"), ["click 2"]),
        ("Select all the shades of red.", ("button:red", "button:blue", "button:red"), ["click 1", "click 3"]),
        ("Drag Cleo up by one position.", LIST, ["drag 3 2"]),
        ("Drag Anna down by two positions.", LIST, ["drag 1 3"]),
        ("Drag Anna to the bottom.", LIST, ["drag 1 3"]),
        ("Drag Cleo to the 1st position.", LIST, ["drag 3 1"]),
        ('Drag "Ben" onto Bin.', (*LIST, "button:Bin"), ["drag 2 4"]),
        ("Drag all red shapes into the black box and press Submit.", SHAPES, ["drag 1 3", "click 4"]),
        ("Drag the red circle into the black box.", SHAPES, ["drag 1 3"]),
        (
            "Drag all circles into the left box, and everything else into the right box.",
            (*SHAPES[:3], "shape:large black rectangle"),
            ["drag 1 3", "drag 2 4"],
        ),
        ("Sort the numbers in increasing order.", ("list item:5", "list item:-2", "list item:3"), ["drag 2 1", "..."]),
        ("Sort the numbers in descending order.", ("list item:5", "list item:3", "list item:-2"), []),
        ('Enter an item that starts with "Bra".', ("text field:Country",), ["keyboard 1 Bra True", "..."]),
        ("Click on the center of the circle.", ("shape:white circle", "shape:red square"), ["click 1"]),
    ],
)  # fmt: skip
def test_gestures_that_are_understood_are_done(part: str, controls: tuple[str, ...], wanted: list[str]) -> None:
    assert said(part, page(*controls)) == wanted


@pytest.mark.parametrize(
    ("part", "controls"),
    [
        ("Select 5 with the slider.", ("slider:=2", "slider:=3")),
        ("Set the sliders to 1 and 2.", ("slider:=2",)),
        ("Tick the 4th checkbox.", ("check box:", "check box:")),
        ("Select all the shades of pink.", ("button:red",)),
        ("Drag Anna up by one position.", LIST),
        ("Drag Zoe to the top.", LIST),
        ("Drag all pleasant shapes into the black box.", SHAPES),
        ("Drag the circle into the black box.", ("shape:red circle", "shape:blue circle", *SHAPES[2:])),
        ("Drag Ben into the left box.", (*LIST, *(f"shape:large {colour} rectangle" for colour in ("red", "blue", "grey")))),
        ("Sort the numbers in increasing order.", ("list item:5", "list item:x")),
        ('Enter an item that starts with "Bra".', ("text field:a", "text field:b")),
    ],
)  # fmt: skip
def test_what_is_not_there_once_is_not_guessed(part: str, controls: tuple[str, ...]) -> None:
    assert said(part, page(*controls)) is None


def test_what_is_suggested_is_taken_once_it_is_there() -> None:
    part = 'Choose an item that starts with "Bra" and ends with "il".'
    assert said(part, page("text field:=Bra", "list item:Brasil", "list item:Bratislava"), "1") == ["click 2", "..."]
    assert said(part, page("text field:=Brasil"), "1", "2") == []
    assert said(part, page("text field:=Bra"), "1") == ["wait ", "..."]
    assert said(part, page("text field:=Bra"), "1", "") is None  # nothing of the kind was suggested


def test_a_text_of_an_editor_gets_its_style() -> None:
    editor = page("button:bold", "button:italic", "text area:=Red and blue.", "button:Save")
    assert said('Make "blue" bold and press Save.', editor) == ["select 3 blue", "click 1", "click 4"]
    assert said("With the editor, give the text Red, the style italics.", editor) == ["select 3 Red", "click 2"]
    assert said("Give the text Red, the style bold.", page("text area:=Red, blue.", "button:bold")) == [
        "select 1 Red,",
        "click 2",
    ]
    assert said("Make green bold.", editor) is None
    assert said("Make blue underlined.", editor) is None


def test_fields_are_filled_in_from_a_table_beside_them() -> None:
    part = "Enter the value that corresponds with each label into the form and press OK."
    table = page("text field:Gender:", "text field:Colour:", "button:OK", text="Colour | aqua\nGender | Male\nYear | 2011")
    assert said(part, table) == ["keyboard 1 Male True", "keyboard 2 aqua True", "click 3"]
    assert said(part, page("text field:Size:", "button:OK", text="Colour | aqua")) is None

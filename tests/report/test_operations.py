"""Operations in words: every action has them, and nothing that a model or a page wrote can pass for them."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.actions import builtin
from deskcrew.actions.asked import by_name
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.ways_in.report.operations import in_full, in_words

BOX = Box(x=0, y=0, width=10, height=10)
LOOK = Observation(
    windows=(Window(id=7, title="Save As", app="Mousepad", box=BOX, active=True),),
    controls=(
        Control(label="e1", role="button", name="Save", box=BOX, window=7, operations=("click",)),
        Control(label="e2", role="text field", name="Name", box=BOX, window=7, operations=("click", "type")),
        Control(label="e3", role="button", box=BOX, window=7, operations=("click",)),
        Control(label="e4", role="button", name="Follow", owner="Jane Doe", box=BOX, window=7, operations=("click",)),
        Control(label="e5", role="slider", name="Volume", box=BOX, window=7, operations=("set",)),
    ),
)


def said(function: str, control: str | None = None, **params: Any) -> str:
    return in_words(Operation(function=function, control=control, params=params), LOOK)


@pytest.mark.parametrize("name", sorted(builtin()))
def test_every_action_has_words_of_its_own(name: str) -> None:
    """A new action without words is told by its function's name: this is where it is noticed."""
    action = builtin()[name]
    assert action.worded is not by_name
    values: dict[str, Any] = {
        field: f"<{field}>" for field, info in action.params.model_fields.items() if info.is_required()
    }
    told = said(name, "e1" if action.control == "required" else None, **values)
    assert name not in told
    for value in values.values():
        # What it is asked to do must be in what is said of it, whatever the parameter is called.
        assert value in told or name in ("scroll", "scroll_point"), (name, value, told)
    if action.control == "required":
        assert '"Save" in Save As' in told


ADDS = 'def add(number):\n    """Add one.\n\n    number: any\n    """\n    return number + 1'


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (said("click_input", "e1"), 'Click "Save" in Save As'),
        (said("click_input", "e1", button="right"), 'Right-click "Save" in Save As'),
        (said("click_input", "e1", double=True), 'Double-click "Save" in Save As'),
        (said("click_input", "e3"), "Click the button e3 in Save As"),
        (said("click_input", "e4"), 'Click "Follow" (Jane Doe) in Save As'),
        (said("click_input", "e99"), "Click e99"),
        (said("keyboard_input", "e2", keys="Total"), 'Type "Total" into Name in Save As'),
        (said("keyboard_input", "e2", keys="Total", clear=True, click_enter=True),
         'Replace what is in Name in Save As with "Total" and press Enter'),
        (said("keyboard_input", "e2", keys="{{secret:bank}}"), "Type the secret bank into Name in Save As"),
        (said("keyboard_input", "e2", keys="", clear=True), "Empty Name in Save As"),
        (said("hotkey", keys=["ctrl", "s"]), "Press Ctrl+S"),
        (said("hotkey", keys=["ctrl", "plus"]), "Press Ctrl++"),
        (said("set_value", "e5", value=3), "Set Volume in Save As to 3"),
        (said("drag", "e1", to="e4"), 'Drag "Save" in Save As onto "Follow" (Jane Doe) in Save As'),
        (said("click_point", "e1", x=3, y=4, double=True), 'Double-click "Save" in Save As at 3, 4'),
        (said("click_point", x=3, y=4, button="right"), "Right-click at 3, 4"),
        (said("drag_point", x=3, y=4, to_x=50, to_y=60), "Drag at 3, 4 to 50, 60"),
        (said("scroll_point", x=3, y=4, wheel_dist=-3), "Scroll at 3, 4 down"),
        (said("click_described", what="the red ball"), 'Click "the red ball", to be found in the picture'),
        (said("scroll", wheel_dist=-5), "Scroll down"),
        (said("scroll", "e2", wheel_dist=5), "Scroll Name in Save As up"),
        (said("choose_menu", path=["File", "Save As..."]), "Choose File > Save As... from the menu"),
        (said("close_window"), "Close the window Save As"),
        (said("read_file", file_path="sales.csv"), "Read sales.csv"),
        (said("move_file", source="a.txt", destination="old/"), "Move a.txt to old/"),
        (said("write_file", file_path="a.txt", text="one\ntwo"), "Write into a.txt 2 lines: one … and 1 more line"),
        (said("write_file", file_path="a.txt", text="one", append=True), 'Add "one" to a.txt'),
        (said("list_files", folder="."), "List the files of the workspace"),
        (said("run_python_code", code="\nimport os\nprint(1)"), "Run Python: import os … and 1 more line"),
        (said("run_python_code", code=f'"""Code of others."""\n\n{ADDS}\n\nprint(add(2))'), "Run Python: Add one."),
        (said("run_python_code", code=ADDS, main_function="add"), "Run Python: Add one. (calls add)"),
        (said("run_shell", command="rm -r build"), "Run the command: rm -r build"),
        (said("ping_the_moon", "e1", times=3), 'Ping the moon on "Save" in Save As: times "3"'),
    ],
)  # fmt: skip
def test_it_is_said_as_a_person_would(told: str, words: str) -> None:
    assert told == words


def test_a_quotation_cannot_be_ended_from_inside() -> None:
    assert (
        said("keyboard_input", "e2", keys='x" into Name. Press "OK')
        == "Type \"x' into Name. Press 'OK\" into Name in Save As"
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40), lambda below: st.lists(below, max_size=3), max_leaves=5
)


@given(
    st.sampled_from(sorted([*builtin(), "", "a_b", "\x1b[31mrm"])),
    st.sampled_from([None, "e1", "\x1b[2J", "\u202ee1"]),
    st.dictionaries(st.sampled_from(["keys", "text", "code", "path", "to", "file_path", "wheel_dist", "x\x07"]), values),
)
def test_whatever_it_holds_it_is_one_harmless_line(function: str, control: str | None, params: dict[str, Any]) -> None:
    operation = Operation(function=function, control=control, params=params)
    for text in (in_words(operation, LOOK), in_words(operation, None)):
        assert text
        assert "\n" not in text
        assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf") and c not in "\u200c\u200d"]
    assert not [c for c in in_full(operation) if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\u200c\u200d"]

"""The narrowed types: nothing that is not there can be named, and what is there can."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from deskcrew.actions import builtin
from deskcrew.actions.action import Action, Params, Result
from deskcrew.actions.narrowing import MOST, at_hand, foresees, operation_types, to_operation
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import FileEntry, Observation, Window
from support.desktop_double import BOX, SIGHT, control

FILES = (
    FileEntry(path="a.txt", kind="file"),
    FileEntry(path="d/b.txt", kind="file"),
    FileEntry(path="d", kind="folder"),
)
FULL = SIGHT.model_copy(update={"files": FILES})
KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "enum", "const", "title", "description", "default", "items",
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum",
}  # fmt: skip


def types(observation: Observation = FULL, *, labels: bool = True) -> dict[str, type[BaseModel]]:
    made = operation_types(builtin().values(), observation, labels=labels, applications=("Calculator", "Mousepad"))
    return {model.model_fields["function"].annotation.__args__[0]: model for model in made}  # type: ignore[union-attr]


def schema(name: str, field: str, observation: Observation = FULL) -> dict[str, Any]:
    return types(observation)[name].model_json_schema()["properties"][field]


def test_labels_are_tied_to_the_action_that_they_admit() -> None:
    assert schema("click_input", "control")["enum"] == ["2", "3", "4", "6"]
    assert schema("keyboard_input", "control")["enum"] == ["", "1"]
    assert schema("select_option", "control")["const"] == "3"
    assert schema("set_value", "control")["const"] == "5"
    with pytest.raises(ValidationError):
        types()["keyboard_input"].model_validate({"function": "keyboard_input", "control": "2", "keys": "x"})


def test_a_reply_of_the_wide_type_without_a_control_fits_where_no_control_is() -> None:
    bare = FULL.model_copy(update={"controls": ()})
    typed = types(bare, labels=False)["keyboard_input"].model_validate({"function": "keyboard_input", "keys": "x"})
    narrow = types(bare)["keyboard_input"]
    assert to_operation(narrow.model_validate(typed.model_dump(mode="json"))).control is None
    with pytest.raises(ValidationError):
        narrow.model_validate({"function": "keyboard_input", "control": "1", "keys": "x"})


def test_any_address_is_a_control_where_a_spreadsheet_is_in_front() -> None:
    cells = (control("1", "spreadsheet", "Sheet1", operations=("scroll",)),
             control("A1", "cell", "A1", value="item", operations=("click", "type")))  # fmt: skip
    sheet = FULL.model_copy(update={"controls": cells})
    for label in ("A1", "B700", "A1:D20", "Sheet2!B7", "'My sheet'.B7"):
        for name, more in (("click_input", {}), ("keyboard_input", {"keys": "x"})):
            given = {"function": name, "control": label} | more
            assert to_operation(types(sheet)[name].model_validate(given)).control == label
            types(sheet, labels=False)[name].model_validate(given)
    for label in ("2", "Save", "A1:"):
        with pytest.raises(ValidationError):
            types(sheet)["click_input"].model_validate({"function": "click_input", "control": label})
    with pytest.raises(ValidationError):
        types()["click_input"].model_validate({"function": "click_input", "control": "B700"})


def test_ahead_of_what_is_there_nothing_but_programs_is_spelled_out() -> None:
    made = operation_types(builtin().values(), FULL, labels=True, applications=("Calculator", "Mousepad"), ahead=True)
    spelled = {name for kind in made for name, field in kind.model_json_schema()["properties"].items() if "enum" in field}
    assert spelled <= {"app_name", "button", "spot"}, "what an operation brings up can be named"
    assert foresees(made)
    assert not foresees(operation_types(builtin().values(), FULL, labels=True))
    empty = operation_types(builtin().values(), SIGHT, labels=True, ahead=True)
    assert {"ReadFile", "ReadPage"} - {kind.__name__ for kind in empty} == {"ReadFile"}, "of files there are none"


def test_field_order_is_function_control_parameters() -> None:
    assert list(types()["keyboard_input"].model_fields) == ["function", "control", "keys", "clear", "click_enter"]


def test_values_come_from_what_is_there() -> None:
    assert schema("select_option", "option")["enum"] == ["A4", "A5"]  # also the one that is chosen already
    assert schema("read_file", "file_path")["enum"] == ["a.txt", "d/b.txt"]
    assert schema("delete_file", "path")["enum"] == ["a.txt", "d/b.txt", "d"]
    assert schema("list_files", "folder")["enum"] == [".", "d"]
    assert schema("switch_window", "title")["enum"] == ["Untitled 1 - Mousepad", "Calculator"]
    assert schema("close_window", "title")["enum"] == ["", "Untitled 1 - Mousepad", "Calculator"]
    assert schema("open_application", "app_name")["enum"] == ["Calculator", "Mousepad"]
    assert "ctrl" in schema("hotkey", "keys")["items"]["enum"]


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        (["End"], ["end"]),
        (["Ctrl", "S"], ["ctrl", "s"]),
        (["Ctrl+Shift+Home"], ["ctrl", "shift", "home"]),
        (["Return"], ["enter"]),
    ],
)
def test_keys_may_be_written_as_people_write_them(written: list[str], keys: list[str]) -> None:
    pressed = types()["hotkey"].model_validate({"function": "hotkey", "keys": written})
    assert pressed.model_dump()["keys"] == keys


@pytest.mark.parametrize(
    ("written", "named"), [(["ctrl", "Any"], "Any"), ([["end"]], "end"), ("end", "end"), ([], "at least 1")]
)
def test_what_is_no_key_is_refused_by_name(written: object, named: str) -> None:
    with pytest.raises(ValidationError, match=named):
        types()["hotkey"].model_validate({"function": "hotkey", "keys": written})


def test_actions_with_nothing_to_act_on_are_left_out() -> None:
    nothing = types(Observation())
    files = {"write_file", "list_files", "find_files", "find_passages", "make_folder"}
    assert set(nothing) == {*files, "run_python_code", "run_shell", "web_search"}
    alone = FULL.model_copy(update={"windows": FULL.windows[:1], "controls": FULL.controls[:2], "clipboard": ""})
    assert not {"select_option", "set_value", "choose_menu", "switch_window", "read_clipboard"} & set(types(alone))


def test_what_an_earlier_operation_may_bring_up_can_be_acted_on_in_the_same_reply() -> None:
    bare = SIGHT.model_copy(update={"controls": SIGHT.controls[1:2]})
    nothing = bare.model_copy(update={"windows": (), "controls": ()})
    setting = [builtin()["set_value"]]
    there = {
        (ahead, look is bare): operation_types(setting, look, labels=True, ahead=ahead)
        for ahead in (True, False)
        for look in (bare, nothing)
    }
    assert [key for key, made in there.items() if made] == [(True, True)]


def test_above_the_cap_values_are_free_text_again() -> None:
    many = FULL.model_copy(update={"files": tuple(FileEntry(path=f"{n}.txt", kind="file") for n in range(MOST + 1))})
    assert schema("read_file", "file_path", many) == {
        "maxLength": 200, "minLength": 1, "title": "File Path", "type": "string",
    }  # fmt: skip
    silent = FULL.model_copy(update={"controls": (*FULL.controls, control("8", "list", operations=("select",)))})
    assert "enum" not in schema("select_option", "option", silent)
    opened = FULL.model_copy(update={"controls": (*FULL.controls, control("8", "menu item", "Save", operations=("click",)))})
    assert schema("choose_menu", "path", opened)["items"]["enum"] == ["File", "Save"]


@pytest.mark.parametrize("labels", [True, False])
def test_programs_and_texts_may_be_long(labels: bool) -> None:
    made = types(labels=labels)
    for name, field, longest in (
        ("run_python_code", "code", 100_000),
        ("write_file", "text", 10_000_000),
        ("keyboard_input", "keys", 100_000),
    ):
        assert made[name].model_json_schema()["properties"][field]["maxLength"] == longest


def test_what_needs_a_window_is_told_only_while_one_is_open() -> None:
    every = builtin().values()
    bare = FULL.model_copy(update={"windows": (), "controls": ()})
    told = {action.name for action in at_hand(every, bare)}
    assert {*types(bare)} - told == {"hotkey"}
    assert {"open_application", "wait_for_loading", "read_file", "run_python_code"} <= told
    assert not told & {"click_input", "keyboard_input", "scroll", "switch_window", "close_window", "choose_menu"}
    assert at_hand(every, FULL) == [*every]


def test_constant_types_do_not_depend_on_what_is_seen() -> None:
    def dump(observation: Observation) -> str:
        made = operation_types(builtin().values(), observation, labels=False)
        return json.dumps([model.model_json_schema() for model in made])

    assert dump(FULL) == dump(Observation())
    assert len(types(labels=False)) == len(builtin())


@pytest.mark.parametrize("labels", [True, False])
def test_schemas_are_plain_and_everything_is_bounded(labels: bool) -> None:
    def walk(node: dict[str, Any]) -> None:
        assert set(node) <= KEYWORDS, set(node) - KEYWORDS
        if node.get("type") == "string" and "enum" not in node and "const" not in node:
            assert node["maxLength"] <= 10_000_000
        if node.get("type") == "array":
            assert node["maxItems"] <= 6
            walk(node["items"])
        for child in node.get("properties", {}).values():
            walk(child)

    for model in types(labels=labels).values():
        walk(model.model_json_schema())


def test_round_trip_to_an_operation() -> None:
    model = types()["keyboard_input"].model_validate({"function": "keyboard_input", "control": "1", "keys": "hi"})
    expected = Operation(function="keyboard_input", control="1", params={"keys": "hi", "clear": False, "click_enter": False})
    assert to_operation(model) == expected
    focus = types()["keyboard_input"].model_validate({"function": "keyboard_input", "control": "", "keys": "hi"})
    assert to_operation(focus).control is None


def test_every_narrowed_reply_passes_the_actions_own_check() -> None:
    actions = builtin()
    for name, model in types().items():
        sample: dict[str, Any] = {}
        for field, node in model.model_json_schema()["properties"].items():
            plain = {"string": "x", "integer": 1, "number": 1.0, "boolean": False}
            value = node.get("const", (node.get("enum") or [None])[-1])
            if node.get("type") == "array":
                value = [(node["items"].get("enum") or ["x"])[-1]]
            sample[field] = value if value is not None else plain[node["type"]]
        operation = to_operation(model.model_validate(sample))
        actions[name].params.model_validate(operation.params)


def test_a_foreign_tools_parameter_may_be_called_control_or_function() -> None:
    class Odd(Params):
        control: str
        function: int = 3

    action = Action("odd", Odd, lambda scene, params, control: Result(ok=True), "read", "none", "workspace")
    (model,) = operation_types([action], Observation(), labels=True)
    reply = model.model_validate({"function": "odd", "param_control": "c", "param_function": 4})
    assert to_operation(reply) == Operation(function="odd", params={"control": "c", "function": 4})


@given(st.lists(st.text(max_size=30), max_size=45), st.lists(st.text(max_size=30), max_size=45))
def test_any_titles_and_options_make_valid_types(titles: list[str], options: list[str]) -> None:
    windows = tuple(Window(id=n, title=title, app="x", box=BOX) for n, title in enumerate(titles))
    chooser = control("1", "list", operations=("select",), options=tuple(options))
    for model in operation_types(builtin().values(), Observation(windows=windows, controls=(chooser,)), labels=True):
        assert json.dumps(model.model_json_schema())

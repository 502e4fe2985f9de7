"""A secret goes into a field of a program it is bound to, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Box, Observation, Screen, Window
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault
from support.canary import CANARY, VALUE, told_in
from support.desktop_double import BOX, RecordingDesktop, control

ONLINE = Secret("shop", "value of the shop", Binding(hosts=("shop.example.org",)))
SEEN = Observation(
    screen=Screen(width=100, height=100),
    windows=(
        Window(id=1, title="Log in", app="Canary-Mail", box=BOX, active=True),
        Window(id=2, title="Notes", app="mousepad", box=BOX),
        Window(id=3, title="crew@deskcrew", app="canary-xterm", box=BOX),
        Window(id=4, title="Nameless", app="", box=BOX),
    ),
    controls=(
        control("1", "text field", "Account", value="", operations=("click", "type")),
        control("2", "password field", "Password", operations=("click", "type")),
        control("3", "button", "Save", operations=("click",)),
        control("4", "text area", "Text", window=2, operations=("type",)),
        control("5", "terminal", "", window=3, operations=("type",)),
        control("6", "text field", "", window=3, operations=("type",)),
        control("7", "text field", "", window=4, operations=("type",)),
        control("8", "combo box", "Kind", operations=("select",), options=("{{secret:mail}}",)),
    ),
)


class Desk:
    """Something to do an operation on."""

    def __init__(self, folder: Path, focus: str | None = None, secrets: tuple[Secret, ...] = (CANARY, ONLINE)) -> None:
        self.desktop = RecordingDesktop()
        self.vault = Vault(secrets)
        self.folder = folder
        seen = SEEN.model_copy(update={"focus": focus})
        self.scene = Scene(Workspace(folder), Sandbox(folder), self.desktop, seen, self.vault)

    def do(self, function: str, label: str | None = None, **params: Any) -> Any:
        return execute(Operation(function=function, control=label, params=params), builtin(), self.scene)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize("label", ["1", "2"])
def test_it_is_typed_into_a_field_of_its_program(desk: Desk, label: str) -> None:
    desk.desktop.read_back = f"ann {VALUE}"
    result = desk.do("keyboard_input", label, keys="ann {{secret:mail}}", click_enter=True)
    assert result.ok
    assert desk.desktop.calls == [("type_text", label, f"ann {VALUE}", False, True)]
    assert result.text == "It reads now: ann [secret mail]"
    assert list(desk.vault.filled) == [(1, label)]


def test_without_a_control_it_is_the_focused_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path, focus="1")
    assert desk.do("keyboard_input", keys="{{ secret: mail }}").ok
    assert desk.desktop.calls == [("type_text", "1", VALUE, False, False)]


@pytest.mark.parametrize(
    ("label", "keys", "told"),
    [
        ("4", "{{secret:mail}}", "is in a window of mousepad"),
        ("5", "{{secret:mail}}", "terminal"),
        ("6", "{{secret:mail}}", "terminal"),
        ("7", "{{secret:mail}}", "an unknown application"),
        ("1", "{{secret:shop}}", "not typed into windows"),
        ("1", "{{secret:bank}}", "There is no secret 'bank'; there are: mail, shop"),
        ("1", "{{secret:mail}} {{secret:bank}}", "There is no secret 'bank'"),
        ("1", "{{secret}}", "is written {{secret:NAME}}"),
        ("1", "{{secret:mail", "is written {{secret:NAME}}"),
        (None, "{{secret:mail}}", "name the control"),
    ],
)
def test_where_it_does_not_go(desk: Desk, label: str | None, keys: str, told: str) -> None:
    result = desk.do("keyboard_input", label, keys=keys)
    assert not result.ok
    assert told in result.error
    assert desk.desktop.calls == []
    assert desk.vault.filled == {}


@pytest.mark.parametrize(
    ("function", "label", "params"),
    [
        ("run_python_code", None, {"code": "print('{{secret:mail}}')"}),
        ("run_python_code", None, {"code": "1", "main_function": "{{secret:mail}}"}),
        ("run_shell", None, {"command": "echo {{secret:mail}} > told"}),
        ("write_file", None, {"file_path": "a.txt", "text": "{{secret:mail}}"}),
        ("write_file", None, {"file_path": "{{secret:mail}}.txt", "text": "x"}),
        ("read_file", None, {"file_path": "{{secret:mail}}"}),
        ("copy_file", None, {"source": "{{secret:mail}}", "destination": "b"}),
        ("move_file", None, {"source": "a", "destination": "{{secret:mail}}"}),
        ("make_folder", None, {"folder": "{{secret:mail}}"}),
        ("list_files", None, {"folder": "{{secret:mail}}"}),
        ("find_files", None, {"pattern": "{{secret:mail}}"}),
        ("delete_file", None, {"path": "{{secret:mail}}"}),
        ("write_clipboard", None, {"text": "{{secret:mail}}"}),
        ("open_application", None, {"app_name": "{{secret:mail}}"}),
        ("open_application", None, {"app_name": "Mousepad", "file": "{{secret:mail}}"}),
        ("choose_menu", None, {"path": ["File", "{{secret:mail}}"]}),
        ("select_option", "8", {"option": "{{secret:mail}}"}),
        ("switch_window", None, {"title": "{{secret:mail}}"}),
        ("close_window", None, {"title": "{{secret:mail}}"}),
        ("hotkey", None, {"keys": ["ctrl", "a"], "text": "{{secret:mail}}"}),
    ],
)
def test_no_other_parameter_takes_one(desk: Desk, function: str, label: str | None, params: dict[str, Any]) -> None:
    result = desk.do(function, label, **params)
    assert not result.ok
    assert "keyboard_input" in result.error
    assert told_in(result.model_dump_json().encode()) == []
    assert desk.desktop.calls == []
    assert list(desk.folder.iterdir()) == []


def test_no_text_parameter_was_forgotten() -> None:
    """Whoever adds a parameter that takes secrets must have meant it."""
    from deskcrew.actions.params import Fillable

    marked = {
        (action.name, name)
        for action in builtin().values()
        for name, field in action.params.model_fields.items()
        if any(isinstance(mark, Fillable) for mark in field.metadata)
    }
    assert marked == {("keyboard_input", "keys")}


def test_a_run_without_secrets_says_so(tmp_path: Path) -> None:
    result = Desk(tmp_path, secrets=()).do("keyboard_input", "1", keys="{{secret:mail}}")
    assert "the user gave none to this run" in result.error


def test_results_and_errors_come_back_without_values(desk: Desk) -> None:
    (desk.folder / "told.txt").write_text(f"it is {VALUE}")
    assert desk.do("read_file", file_path="told.txt").text == "it is [secret mail]"
    desk.desktop.text = VALUE
    assert desk.do("read_clipboard").text == "[secret mail]"
    (desk.folder / "c4n@ry").mkdir()
    refused = desk.do("read_file", file_path=VALUE)
    assert not refused.ok
    assert told_in(refused.error.encode()) == []


@pytest.mark.parametrize(
    ("function", "params", "told"),
    [
        ("drag_point", {"x": 20, "y": 20, "to_x": 620, "to_y": 20}, "Nothing is dragged out of a window"),
        ("click_point", {"x": 620, "y": 20, "button": "middle"}, "Nothing is pasted while another window holds a secret"),
    ],
)
def test_no_value_leaves_its_window_by_points(desk: Desk, function: str, params: dict[str, Any], told: str) -> None:
    assert desk.do("keyboard_input", "1", keys="{{secret:mail}}").ok
    places = (Box(x=0, y=0, width=400, height=300), Box(x=600, y=0, width=400, height=300))
    windows = tuple(
        one.model_copy(update={"box": place}) for one, place in zip(desk.scene.observation.windows, places, strict=False)
    )
    seen = desk.scene.observation.model_copy(
        update={"windows": windows, "controls": (), "screen": Screen(width=1000, height=300)}
    )
    desk.scene = replace(desk.scene, observation=seen)
    result = desk.do(function, **params)
    assert not result.ok
    assert told in result.error

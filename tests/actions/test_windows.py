"""Desktop actions against a desktop that records, their postconditions, and the executor's answers to mistakes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin, keys
from deskcrew.actions.action import Finding, Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Observation
from support.desktop_double import SIGHT, RecordingDesktop, control

Do = Callable[..., Result]
Judge = Callable[..., Finding]


@pytest.mark.parametrize(
    ("function", "aimed", "params", "call"),
    [
        ("click_input", "2", {"button": "right", "double": True}, ("click", "2", "right", True)),
        ("keyboard_input", "1", {"keys": "hi", "clear": True}, ("type_text", "1", "hi", True, False)),
        ("keyboard_input", None, {"keys": "hi", "click_enter": True}, ("type_text", None, "hi", False, True)),
        ("hotkey", None, {"keys": ["Control", "S"]}, ("press", ("ctrl", "s"))),
        ("hotkey", None, {"keys": ["Ctrl+Shift+Return"]}, ("press", ("ctrl", "shift", "enter"))),
        ("hotkey", None, {"keys": "f5"}, ("press", ("f5",))),
        ("scroll", "1", {"wheel_dist": -5}, ("scroll", "1", -5)),
        ("wait_for_loading", None, {"seconds": 2}, ("wait", 2.0)),
        ("select_option", "3", {"option": "a5"}, ("select", "3", "A5")),
        ("set_value", "5", {"value": 7}, ("set_value", "5", 7.0)),
        ("choose_menu", None, {"path": ["File", "Save"]}, ("menu", ("File", "Save"))),
        ("write_clipboard", None, {"text": "x"}, ("set_clipboard", "x")),
        ("open_application", None, {"app_name": "mousepad"}, ("open_application", "Mousepad", None)),
        ("open_application", None, {"app_name": "MOUSEPAD", "file": "/workspace/n.txt"},
         ("open_application", "Mousepad", "n.txt")),
    ],
)  # fmt: skip
def test_action_reaches_the_driver(
    do: Do, desktop: RecordingDesktop, function: str, aimed: str | None, params: dict[str, Any], call: tuple[Any, ...]
) -> None:
    assert do(function, aimed, **params).ok
    assert desktop.calls == [call]


def test_hotkey_types_and_presses_enter_afterwards(do: Do, desktop: RecordingDesktop) -> None:
    do("hotkey", keys=["ctrl", "l"], text="example.org", click_enter=True)
    do("hotkey", keys=["alt", "f2"], click_enter=True)
    assert desktop.calls == [
        ("press", ("ctrl", "l")), ("type_text", None, "example.org", False, True),
        ("press", ("alt", "f2")), ("press", ("enter",)),
    ]  # fmt: skip


def test_windows_are_found_by_title(do: Do, desktop: RecordingDesktop) -> None:
    assert do("switch_window", title="calc").ok
    assert do("close_window").ok
    assert do("close_window", title="Calculator").ok
    assert [call[0] for call in desktop.calls] == ["activate_window", "close_window", "close_window"]
    assert [call[1] for call in desktop.calls] == [2, 1, 2]
    assert "'Calculator'" in do("switch_window", title="Browser").error
    assert "Several" in do("switch_window", title="c").error or "Calculator" in do("switch_window", title="c").text


@pytest.mark.parametrize(
    ("function", "aimed", "params", "words"),
    [
        ("fly", None, {}, "There is no action 'fly'"),
        ("click_input", None, {}, "needs a control"),
        ("click_input", "99", {}, "Control '99' has gone; there are: 2 button 'Save'"),
        ("click_input", "7", {}, "not possible on 7 button 'Off'"),
        ("keyboard_input", "2", {"keys": "x"}, "there are: 1 text area 'Text'"),
        ("click_input", "2", {"button": "side"}, "button: Input should be 'left', 'right' or 'middle'"),
        ("click_input", "2", {"speed": 3}, "speed: Extra inputs are not permitted"),
        ("keyboard_input", "1", {}, "keys: Field required"),
        ("hotkey", None, {"keys": ["hyper"]}, "there is no key 'hyper'"),
        ("hotkey", None, {"keys": []}, "keys: "),
        ("hotkey", None, {"keys": [3]}, "keys.0: "),
        ("scroll", None, {"wheel_dist": 0}, "scrolls nothing"),
        ("scroll", None, {"wheel_dist": 1000}, "less than or equal to 30"),
        ("select_option", "3", {"option": "B9"}, "there are: 'A4', 'A5'"),
        ("open_application", None, {"app_name": "Photoshop"}, "There is no application 'Photoshop'"),
        ("open_application", None, {"app_name": "Mousepad", "file": "no/such/n.txt"}, "folder"),
    ],
)
def test_mistakes_are_answered_in_one_line(
    do: Do, desktop: RecordingDesktop, function: str, aimed: str | None, params: dict[str, Any], words: str
) -> None:
    result = do(function, aimed, **params)
    assert not result.ok
    assert words in result.error
    assert "\n" not in result.error
    assert desktop.calls == []


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (ActionError("Control 2 has gone."), "has gone"),
        (PermissionError(13, "Permission denied"), "permission denied"),
        (OSError(28, "No space left on device"), "disk is full"),
        (TimeoutError(), "took too long"),
    ],
)
def test_no_mistake_escapes_from_a_driver(
    do: Do, desktop: RecordingDesktop, monkeypatch: pytest.MonkeyPatch, raised: Exception, words: str
) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise raised

    monkeypatch.setattr(desktop, "click", fail, raising=False)
    assert words in do("click_input", "2").error


def test_environment_failure_passes_through(do: Do, desktop: RecordingDesktop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise EnvironmentFailure("The display died.")

    monkeypatch.setattr(desktop, "click", fail, raising=False)
    with pytest.raises(EnvironmentFailure):
        do("click_input", "2")


def test_without_a_desktop_its_actions_say_so(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    scene = Scene(workspace, Sandbox(workspace.root), None, Observation())
    for action in builtin().values():
        if action.needs == "desktop":
            assert "no desktop" in execute(Operation(function=action.name), builtin(), scene).error


def test_every_action_tells_what_it_does() -> None:
    actions = builtin()
    assert {"click_input", "keyboard_input", "hotkey", "scroll", "wait_for_loading", "open_application", "run_python_code",
            "read_file"} <= set(actions)  # fmt: skip
    for action in actions.values():
        assert action.summary.endswith(".")
        assert all(info.description for info in action.params.model_fields.values()), action.name
        assert (action.risk == "read") == (action.effect == "none")
        assert (action.control == "none") == (not action.admits)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Ctrl", ("ctrl",)),
        ("Return", ("enter",)),
        ("ctrl++", ("ctrl", "plus")),
        ("PgDn", ("pagedown",)),
        (" ", ("space",)),
        ("+", ("plus",)),
        ("A", ("a",)),
    ],
)
def test_key_names(said: str, meant: tuple[str, ...]) -> None:
    assert keys.normalise(said) == meant


def look(**changes: dict[str, Any]) -> Observation:
    """SIGHT with controls changed: ``look(_1={"value": "x"})``."""
    controls = [c.model_copy(update=changes.get(f"_{c.label}", {})) for c in SIGHT.controls]
    return SIGHT.model_copy(update={"controls": tuple(controls)})


def test_click_that_changed_nothing_did_not_hold(judge: Judge) -> None:
    assert judge("click_input", "2", {}, SIGHT, SIGHT) == Finding(held=False, why="nothing changed on the screen")
    assert judge("click_input", "4", {}, SIGHT, look(_4={"states": ("checked",)})).why == "it is now checked"
    checked, focused = look(_4={"states": ("checked",)}), look(_4={"states": ("focused",)})
    assert judge("click_input", "4", {}, checked, focused).why == "it is now focused, no longer checked"
    assert judge("click_input", "4", {}, SIGHT, look(_4={"states": ("focused",)})) == Finding(
        held=False, why="it only got the focus, and is still off: the click was not taken up"
    )
    beside = look(_4={"states": ("focused",)}, _1={"value": "other"})
    assert judge("click_input", "4", {}, SIGHT, beside).held is True, "something else came of it"
    assert judge("click_input", "2", {}, SIGHT, SIGHT, Result(ok=False, error="hangs")).held is False


def test_a_click_that_had_nothing_to_change_is_done(judge: Judge) -> None:
    focused = SIGHT.model_copy(update={"focus": "1"})
    chosen = look(_4={"role": "tab", "states": ("selected",), "operations": ("click", "select")})
    field = look(_1={"operations": ("click", "type")}).model_copy(update={"focus": "1"})
    assert judge("click_input", "1", {}, field, field) == Finding(
        held=True, why="nothing changed on the screen: it had the focus already"
    )
    assert judge("click_input", "4", {}, chosen, chosen).why == "nothing changed on the screen: it was selected already"
    assert judge("click_input", "4", {"button": "right"}, chosen, chosen).held is False
    assert judge("click_input", "2", {}, focused, focused).held is False
    ticked = look(_4={"states": ("checked",)})
    assert judge("click_input", "4", {}, ticked, ticked).held is False, "a second click takes a check box back"


SHEET = Observation(
    windows=SIGHT.windows,
    controls=(
        control("1", "spreadsheet", "Sheet1", operations=("scroll",)),
        control("A1", "cell", "A1", value="item", operations=("click", "type")),
    ),
    focus="A1",
)


def test_any_cell_of_a_spreadsheet_in_front_is_a_control() -> None:
    far, many = SHEET.control("$b$700"), SHEET.control("'My sheet'!A1:D20")
    assert far is not None
    assert many is not None
    assert (far.label, far.role, far.value, far.operations) == ("B700", "cell", None, ("click", "type"))
    assert (many.label, many.role, many.window) == ("'My sheet'.A1:D20", "range", 1)
    assert SHEET.control("a1") is SHEET.controls[1]
    assert SHEET.control("B") is None
    assert SIGHT.control("B700") is None
    other = SHEET.model_copy(
        update={"windows": tuple(one.model_copy(update={"active": one.id == 2}) for one in SHEET.windows)}
    )
    assert other.control("B700") is None, "another window is in front"


def test_what_is_typed_into_cells_is_judged_by_what_landed(judge: Judge) -> None:
    table = {"keys": "a\tb\nc\t1,000"}

    def read(text: str) -> Result:
        return Result(ok=True, text=f"It reads now: {text}")

    for label in ("B700", "Sheet2.B2:C3", "A1", None):
        whole = judge("keyboard_input", label, table, SHEET, SHEET, read("a\tb\nc\t1000"))
        assert (whole.held, whole.why) == (True, "4 of 4 cells hold what was typed")
    partly = judge("keyboard_input", "B700", table, SHEET, SHEET, read("a\tb\ncat\t1000"))
    assert (partly.held, partly.why) == (False, "3 of 4 cells hold what was typed; B701 shows 'cat', not 'c'")
    formula = judge("keyboard_input", "C1", {"keys": "=1+1"}, SHEET, SHEET, read("2"))
    assert (formula.held, formula.why) == (True, "1 of 1 cell holds what was typed; C1 shows '2'")
    assert judge("click_input", "A1:B2", {}, SHEET, SHEET, Result(ok=True, text="item")).held is True


def test_typing_is_judged_by_what_the_field_reads(judge: Judge) -> None:
    typed = {"keys": "Hello  world"}
    assert judge("keyboard_input", "1", typed, SIGHT, look(_1={"value": "Hello world"})).held is True
    assert judge("keyboard_input", "1", typed, SIGHT, look(_1={"value": "Hell"})).held is False
    assert judge("keyboard_input", "1", typed, SIGHT, SIGHT).held is False
    read = Result(ok=True, text="It reads now: Hello  world")
    assert judge("keyboard_input", "1", typed, SIGHT, SIGHT, read).held is True
    assert judge("keyboard_input", "1", {"keys": "1000"}, SIGHT, look(_1={"value": "1,000.00"})).held is True
    assert judge("keyboard_input", "1", {"keys": "", "clear": True}, look(_1={"value": "x"}), SIGHT).held is True
    for date, held in (("3 April 2026", True), ("03.04.2026", True), ("03/04/2026", False), ("03.05.2026", False)):
        assert judge("keyboard_input", "1", {"keys": date}, SIGHT, look(_1={"value": "2026-04-03"})).held is held
    enter = {"keys": "query", "click_enter": True}
    assert judge("keyboard_input", "1", enter, SIGHT, look(_2={"name": "Results"})).held is True


def test_other_postconditions(judge: Judge) -> None:
    assert judge("hotkey", None, {"keys": ["ctrl", "c"]}, SIGHT, SIGHT).held is None
    assert judge("scroll", "1", {"wheel_dist": -3}, SIGHT, SIGHT).held is False
    assert judge("select_option", "3", {"option": "A5"}, SIGHT, look(_3={"value": "A5"})).held is True
    assert judge("select_option", "3", {"option": "A5"}, SIGHT, SIGHT).held is False
    assert judge("select_option", "3", {"option": "A4"}, SIGHT, SIGHT) == Finding(
        held=True, why="nothing changed on the screen: it was chosen already"
    )
    wider = look(_3={"options": ("A4", "A4 landscape"), "value": "A4 landscape"})
    assert judge("select_option", "3", {"option": "A4"}, wider, wider) == Finding(
        held=False, why="it shows 'A4 landscape', not 'A4': the choice was not taken up"
    )
    assert judge("set_value", "5", {"value": 7}, SIGHT, look(_5={"value": "7.0"})).held is True
    assert judge("set_value", "5", {"value": 7}, SIGHT, SIGHT).held is False
    assert judge("open_application", None, {"app_name": "x"}, SIGHT, SIGHT).held is False
    one, two = SIGHT.windows
    switched = SIGHT.model_copy(
        update={"windows": (one.model_copy(update={"active": False}), two.model_copy(update={"active": True}))}
    )
    assert judge("open_application", None, {"app_name": "x"}, SIGHT, switched).held is True
    assert judge("switch_window", None, {"title": "calculator"}, SIGHT, switched).held is True
    assert judge("switch_window", None, {"title": "calculator"}, SIGHT, SIGHT).held is False
    loaded = tuple(w.model_copy(update={"title": "Loaded by now"}) if w.active else w for w in switched.windows)
    after = switched.model_copy(update={"windows": loaded})
    assert judge("switch_window", None, {"title": "calculator"}, SIGHT, after).held is True, "another title, the same window"
    assert judge("close_window", None, {}, SIGHT, SIGHT.model_copy(update={"windows": (two,)})).held is True
    asks = SIGHT.model_copy(update={"windows": (*SIGHT.windows, one.model_copy(update={"id": 9, "title": "Save changes?"}))})
    assert "Save changes?" in judge("close_window", None, {}, SIGHT, asks).why
    copied = SIGHT.model_copy(update={"clipboard": "x"})
    assert [judge("write_clipboard", None, {"text": text}, SIGHT, after).held
            for text, after in (("x", copied), ("y", copied), ("x", SIGHT))] == [True, False, None]  # fmt: skip


def test_password_that_cannot_be_read_back_is_not_settled(judge: Judge) -> None:
    field = control("1", "password field", "Password", value="", operations=("type",))
    before = Observation(controls=(field,))
    after = Observation(controls=(field.model_copy(update={"value": "•••"}),))
    assert judge("keyboard_input", "1", {"keys": "abc"}, before, after).held is None

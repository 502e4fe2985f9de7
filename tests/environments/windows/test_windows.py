"""The Windows desktop by contract, over recorded trees: what is observed, what is ordered, what is refused.

The trees are assembled from Microsoft's documentation, and none of this was tried on Windows.
"""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from deskcrew.actions.keys import KEYS
from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.environments.expecting import Expected
from deskcrew.environments.labels import Labels
from deskcrew.environments.windows import desktop as windows
from deskcrew.environments.windows.desktop import WindowsDesktop
from deskcrew.environments.windows.keys import codes_of
from deskcrew.environments.windows.looking import ROLES, observed
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Control, Identity, Observation
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew_windows_agent.automation import PATTERNS
from support.crew import bodies, settings_in
from support.windows_machine import TREES, RecordedMachine, remote_of


def on(name: str, **more: Any) -> tuple[WindowsDesktop, RecordedMachine]:
    machine = RecordedMachine(name, **more)
    return WindowsDesktop(remote_of(machine)), machine


def only(seen: Observation, role: str, name: str, owner: str = "") -> Control:
    (found,) = [one for one in seen.controls if (one.role, one.name) == (role, name) and owner in one.owner]
    return found


@pytest.mark.parametrize("name", ["notepad", "calculator", "settings"])
def test_the_trees_say_what_they_are_and_use_documented_types_and_patterns(name: str) -> None:
    about = json.loads((TREES / f"{name}.json").read_text())["about"]
    assert "Nobody recorded it on a machine" in about
    for window in RecordedMachine(name).look().windows:
        for element in (window.root, *window.root.below()):
            assert {*element.patterns} <= {*PATTERNS.get(element.type, ())}, element.name


@pytest.mark.parametrize(
    ("tree", "role", "name", "operations", "value", "states"),
    [
        ("wine_notepad", "menu", "File", ("click",), None, ()),
        ("wine_notepad", "text area", "", ("click", "type", "scroll"), "", ()),
        ("wine_winecfg", "tab", "Applications", ("click", "select"), None, ("selected",)),
        ("wine_winecfg", "combo box", "Windows 10", ("click", "select"), "Windows 10", ()),
        ("wine_winecfg", "button", "Apply", (), None, ("disabled",)),
        ("wine_regedit", "tree item", "HKEY_USERS", ("click", "select"), None, ()),
        ("wine_regedit", "tree item", "My Computer", ("click", "select"), None, ("selected", "expanded")),
        ("qt_form", "text field", "Name", ("click", "type"), "hello", ()),
        ("qt_form", "password field", "Password", ("click", "type"), None, ()),
        ("qt_form", "number field", "Age", ("set",), "0", ()),
        ("qt_form", "check box", "Agree", ("click", "toggle"), None, ()),
        ("qt_form", "list item", "Letter 2", ("click", "select"), None, ()),
    ],
)
def test_what_programs_on_wine_told_is_read(
    tree: str, role: str, name: str, operations: tuple[str, ...], value: str | None, states: tuple[str, ...]
) -> None:
    control = only(on(tree)[0].observe(), role, name)
    assert (control.operations, control.value, control.states) == (operations, value, states)


def test_windows_are_observed_in_their_order_with_their_texts() -> None:
    desktop, _ = on("notepad")
    seen = desktop.observe(screenshot=True)
    assert [(one.title, one.app, one.active) for one in seen.windows] == [
        ("Untitled - Notepad", "notepad", True),
        ("Downloads", "explorer", False),
        ("Report (Not Responding)", "report", False),
        ("Mail", "olk", False),
    ]
    assert [one.responding for one in seen.windows] == [True, True, False, True]
    assert seen.text == "Ln 1, Col 1\nUTF-8"
    assert seen.screen is not None
    assert (seen.screen.width, seen.screen.height, seen.screen.scale) == (1280, 800, 1.25)
    assert seen.screenshot is not None
    assert Image.open(io.BytesIO(seen.screenshot)).size == (1280, 800)
    # Neither a window's frame, nor a closed menu, nor what is in a minimized window.
    told = [(one.role, one.name) for one in seen.controls]
    assert told == [
        ("text area", "Text Editor"), ("menu", "File"), ("menu", "Format"), ("menu", "Help"), ("button", "Refresh"),
    ]  # fmt: skip
    assert seen.focus == only(seen, "text area", "Text Editor").label


@pytest.mark.parametrize(
    ("role", "name", "operations", "value", "states"),
    [
        ("check box", "Night light", ("click", "toggle"), None, ()),
        ("check box", "All screens", ("click", "toggle"), None, ("partly checked",)),
        ("radio button", "Light", ("click", "toggle"), None, ("checked",)),
        ("slider", "Brightness", ("set",), "40", ()),
        ("number field", "Copies", ("set",), "1", ()),
        ("combo box", "Scale", ("click", "select"), "100 %", ()),
        ("text field", "Name", ("click", "type"), "Ada", ()),
        ("text field", "Number", (), "17", ()),
        ("password field", "Password", ("click", "type"), None, ()),
        ("button", "Apply", (), None, ("disabled",)),
        ("toggle button", "Pin", ("click", "toggle"), None, ("pressed",)),
        ("link", "Privacy statement", ("click",), None, ()),
        ("progress bar", "Storage", (), "62.5", ()),
        ("image", "Portrait", (), None, ()),
        ("tab", "Drives", ("click", "select"), None, ("selected",)),
        ("tree item", "C:", ("click", "select"), None, ()),
        ("tree", "Drives", ("scroll",), None, ()),
        ("document", "What is new", (), "Widgets are new.", ()),
    ],
)
def test_a_control_has_the_engines_words(
    role: str, name: str, operations: tuple[str, ...], value: str | None, states: tuple[str, ...]
) -> None:
    found = only(on("settings")[0].observe(), role, name)
    assert (found.operations, found.value, found.states) == (operations, value, states)


def test_what_several_are_called_is_told_apart_and_options_are_named() -> None:
    seen = on("settings")[0].observe()
    assert only(seen, "button", "Reset", "Account") != only(seen, "button", "Reset", "Storage")
    assert only(seen, "combo box", "Scale").options == ("100 %", "125 %", "150 %")
    assert "Some settings are managed by your organization." in seen.text


def test_a_look_is_a_function_of_the_tree_and_labels_stay() -> None:
    machine = RecordedMachine("settings")
    labels = Labels()
    first, _ = observed(machine.look(), labels)
    assert observed(machine.look(), labels)[0] == first == observed(machine.look(), Labels())[0]
    machine.state["windows"][0]["root"]["children"].pop(0)  # "Display" has gone
    after, _ = observed(machine.look(), labels)
    assert {one.label: one.name for one in after.controls}.items() < {one.label: one.name for one in first.controls}.items()
    assert {*ROLES} >= {*PATTERNS}


def test_a_sum_is_pressed_by_its_names() -> None:
    def reacts(machine: RecordedMachine, name: str) -> None:
        if name == "Equals":
            next(one for one in machine.all() if one.get("name", "").startswith("Display is"))["name"] = "Display is 12"

    desktop, machine = on("calculator", reacts=reacts)
    seen = desktop.observe()
    for name in ("Five", "Plus", "Seven", "Equals"):
        desktop.click(only(seen, "button", name))
    assert machine.calls == [("invoke", "Five"), ("invoke", "Plus"), ("invoke", "Seven"), ("invoke", "Equals")]
    assert "Display is 12" in desktop.observe().text


def test_text_is_typed_and_read_back() -> None:
    desktop, machine = on("notepad")
    area = only(desktop.observe(), "text area", "Text Editor")
    assert desktop.type_text(area, "Grüße\n") == "Grüße\n"
    assert desktop.type_text(area, "und mehr") == "Grüße\nund mehr"
    assert desktop.type_text(area, "neu", clear=True, enter=True) == "neu"
    assert machine.calls[-1] == ("press", 0x0D)
    assert desktop.type_text(None, "!") == ""
    assert only(desktop.observe(), "text area", "Text Editor").value == "neu!"
    settings, machine = on("settings")
    assert settings.type_text(only(settings.observe(), "password field", "Password"), "geheim") == ""
    assert ("set value", "Password", "geheim") not in machine.calls
    with pytest.raises(ActionError, match="cannot be typed into"):
        settings.type_text(only(settings.observe(), "text field", "Number"), "18")


def test_what_has_a_pattern_is_operated_by_it() -> None:
    desktop, machine = on("settings")
    desktop.click(only(desktop.observe(), "check box", "Night light"))
    desktop.click(only(desktop.observe(), "radio button", "Dark"))
    desktop.select(only(desktop.observe(), "combo box", "Scale"), "125 %")
    desktop.select(only(desktop.observe(), "tab", "Drives"), "folders")
    desktop.set_value(only(desktop.observe(), "slider", "Brightness"), 70)
    desktop.click(only(desktop.observe(), "tree item", "C:"))
    seen = desktop.observe()
    assert only(seen, "check box", "Night light").states == ("checked",)
    assert (only(seen, "radio button", "Dark").states, only(seen, "radio button", "Light").states) == (("checked",), ())
    assert only(seen, "combo box", "Scale").value == "125 %"
    assert "expanded" not in only(seen, "combo box", "Scale").states, "its list was closed again"
    assert only(seen, "tab", "Folders").states == ("selected",)
    assert only(seen, "slider", "Brightness").value == "70"
    assert only(seen, "tree item", "C:").states == ("selected",)
    with pytest.raises(ActionError, match=r"no option '90 %'\. Options: 100 %, 125 %, 150 %"):
        desktop.select(only(seen, "combo box", "Scale"), "90 %")
    machine.calls.clear()
    desktop.click(only(desktop.observe(), "button", "Reset", "Account"), button="right")
    desktop.scroll(only(desktop.observe(), "tree", "Drives"), -3)
    assert machine.calls == [("click", 510, 282, "right", 1), ("wheel", 220, 480, -3)]


def test_a_value_that_is_not_taken_is_said() -> None:
    desktop, machine = on("settings")
    slider = only(desktop.observe(), "slider", "Brightness")
    machine.named("Brightness")["read_only"] = True
    with pytest.raises(ActionError, match="no number that can be set"):
        desktop.set_value(slider, 70)


def test_a_menu_is_gone_through_step_by_step() -> None:
    saved = list[str]()
    desktop, machine = on("notepad", reacts=lambda machine, name: saved.append(name))
    desktop.observe()
    desktop.menu(("File", "Save As"))
    assert saved == ["Save As...\tCtrl+Shift+S"]
    machine.named("File")["expanded"] = "collapsed"
    for name in ("New\tCtrl+N", "Save\tCtrl+S", "Save As...\tCtrl+Shift+S", "Page Setup...", "Exit"):
        machine.named(name)["offscreen"] = True
    desktop.menu(("Format", "Word Wrap"))
    assert machine.named("Word Wrap")["toggled"] == "on"
    with pytest.raises(ActionError, match=r"no 'Print' in the menu File\. Entries: New Ctrl"):
        desktop.menu(("File", "Print"))
    assert machine.calls[-1] == ("press", 0x1B)
    with pytest.raises(ActionError, match=r"no 'Tools' in the menu bar\. Entries: File, Format, Help"):
        desktop.menu(("Tools",))


def test_what_has_gone_changed_or_hangs_is_not_acted_on() -> None:
    desktop, machine = on("settings")
    seen = desktop.observe()
    with pytest.raises(ActionError, match="disabled"):
        desktop.click(only(seen, "button", "Apply"))
    machine.named("Name")["name"] = "Other name"
    with pytest.raises(ActionError, match="has changed: it is now"):
        desktop.type_text(only(seen, "text field", "Name"), "x")
    machine.state["windows"][0]["root"]["children"].pop(0)
    with pytest.raises(ActionError, match="has gone"):
        desktop.click(only(seen, "check box", "Night light"))
    machine.state["windows"][0]["responding"] = False
    with pytest.raises(ActionError, match="not responding"):
        desktop.press(("ctrl", "s"))
    assert machine.calls == []


def test_a_window_that_is_not_the_approved_one_is_not_acted_on() -> None:
    desktop, machine = on("notepad")
    area = only(desktop.observe(), "text area", "Text Editor")
    approved = Identity(role="text area", name="Text Editor", window="Untitled - Notepad", app="notepad")
    machine.state["windows"][0]["root"]["name"] = "bank.txt - Notepad"
    desktop.expect(Expected(area, approved))
    with pytest.raises(ActionError, match=r"its title was 'Untitled - Notepad', now 'bank\.txt - Notepad'"):
        desktop.type_text(area, "x")
    assert machine.calls == []


def test_what_lies_behind_is_brought_forward_before_the_mouse_is_used() -> None:
    desktop, machine = on("notepad")
    button = only(desktop.observe(), "button", "Refresh")
    desktop.click(button, double=True)
    assert machine.calls == [("bring forward", 1002), ("click", 40, 25, "left", 2)]
    machine.stubborn = True
    with pytest.raises(ActionError, match='did not let "Untitled - Notepad" come to the front'):
        desktop.activate_window(1001)
    machine.stubborn = False
    desktop.activate_window(1004)  # minimized
    assert desktop.observe().windows[0].title == "Mail"


def test_programs_are_opened_and_windows_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    desktop, _ = on("notepad")
    assert desktop.applications() == ("Calculator", "Notepad", "Notepad++", "Word")
    assert desktop.open_application("calc.exe") == "Calculator"
    seen = desktop.observe()
    assert seen.windows[0].title == "Calculator"
    desktop.close_window(seen.windows[0].id)
    assert desktop.observe().windows[0].title == "Untitled - Notepad"
    with pytest.raises(ActionError, match="Applications here: Calculator"):
        desktop.open_application("Paint")
    with pytest.raises(ActionError, match="Open the program, then the file"):
        desktop.open_application("Notepad", "a.txt")
    monkeypatch.setattr(windows, "OPENING", 0.2)
    with pytest.raises(ActionError, match="no window of it has opened"):
        desktop.open_application("Word")
    with pytest.raises(ActionError, match="Window 77 has gone"):
        desktop.close_window(77)


def test_keys_clipboard_and_what_is_refused() -> None:
    desktop, machine = on("notepad")
    seen = desktop.observe()
    desktop.press(("ctrl", "plus"))
    assert machine.calls == [("press", 0x11, 0x10, 0xBB)]
    for key in KEYS:
        assert all(0 < code < 256 for code in codes_of((key,)))
    with pytest.raises(ActionError, match="no key 'hyper'"):
        desktop.press(("hyper",))
    desktop.set_clipboard("kept")
    assert desktop.clipboard() == "kept"
    desktop.forget_copies(lambda text: "secret" in text)
    assert desktop.clipboard() == "kept"
    desktop.forget_copies(lambda text: "kept" in text)
    assert desktop.clipboard() == ""
    with pytest.raises(ActionError, match="no text can be selected"):
        desktop.select_text(only(seen, "text area", "Text Editor"), "x", "text")
    desktop.close()
    desktop.close()
    assert machine.calls.count(("close",)) == 1
    with pytest.raises(EnvironmentFailure, match="has been closed"):
        desktop.observe()


def test_a_tree_that_was_cut_off_says_so() -> None:
    desktop, machine = on("notepad")
    machine.state["cut"] = True
    assert "more in the windows than was read" in desktop.observe().note


def test_a_menu_that_is_a_window_of_its_own_belongs_to_its_programs() -> None:
    desktop, machine = on("notepad")
    box = {"x": 950, "y": 300, "width": 200, "height": 24}
    entry = {"type": "MenuItem", "key": [7, 2], "name": "Paste", "box": box, "patterns": ["Invoke"]}
    menu = {"type": "Menu", "key": [7, 1], "name": "Context", "box": box, "children": [entry]}
    machine.state["windows"].insert(0, {"id": 9, "app": "notepad", "pid": 11, "root": menu})
    seen = desktop.observe()
    assert seen.windows[0].title == "Untitled - Notepad"
    pasted = only(seen, "menu item", "Paste")
    assert (pasted.window, pasted.box) == (1001, Box(**box))


def test_an_item_that_a_long_list_has_not_made_yet_is_found_and_chosen() -> None:
    desktop, machine = on("settings")
    scale = machine.named("Scale")
    scale["patterns"].append("ItemContainer")
    scale["virtual"] = [
        {"type": "ListItem", "key": [9, number], "name": f"{number} %", "patterns": ["SelectionItem"]}
        for number in (300, 400)
    ]
    desktop.select(only(desktop.observe(), "combo box", "Scale"), "400 %")
    assert ("select", "400 %") in machine.calls
    with pytest.raises(ActionError, match=r"no option '90 %'\. Options: 100 %, 125 %, 150 %, 400 %"):
        desktop.select(only(desktop.observe(), "combo box", "Scale"), "90 %")


def test_a_program_with_an_administrators_rights_is_said_to_be_out_of_reach() -> None:
    desktop, machine = on("notepad")
    machine.state["windows"][1]["reachable"] = False
    assert (
        desktop.observe().note
        == "explorer runs as administrator, and only an agent that does so, too, can read and operate it."
    )


def test_a_secret_may_go_to_programs_that_only_administrators_can_change() -> None:
    desktop, machine = on("notepad")
    machine.state["windows"][0]["program"] = "C:\\Windows\\notepad.exe"
    assert [desktop.program_of_window(window) for window in (1001, 1002, 77)] == ["C:\\Windows\\notepad.exe", "", ""]


@pytest.mark.anyio
async def test_a_run_works_on_it_and_asks_before_each_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop, machine = on("notepad")
    monkeypatch.setattr(windows, "connect_windows", lambda at, workspace: desktop)
    asked = list[OperationQuestion]()

    async def yes(question: OperationQuestion) -> Approval:
        asked.append(question)
        return Approval(allowed=True)

    def types(call: Call) -> dict[str, Any]:
        found = re.search(r'^(\S+) text area "Text Editor"', call.text(), flags=re.MULTILINE)
        assert found, call.text()
        typing = {"function": "keyboard_input", "control": found.group(1), "keys": "Good morning"}
        return {"operations": [typing], "branch": "RoleTaskFinish"}

    request = RunRequest(
        task='Type "Good morning" into Notepad.', model="scripted:x", workspace=tmp_path / "work", crew="solo",
        desktop="windows", at="stdio:agent", mode="passive",
    )  # fmt: skip
    enough = {"operations": [], "branch": "NeedHumanHelp", "problem": "enough"}
    model = ScriptedModel([types, *[enough] * 12])
    journal = await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(operation=yes))
    (finished,) = bodies(journal, e.ActionFinished)
    assert finished.ok
    assert finished.text == "It reads now: Good morning"
    assert machine.named("Text Editor")["value"] == "Good morning"
    assert len(asked) == 1, "it is the user's own desktop"
    assert machine.calls[-1] == ("close",)
    started = journal.state.started
    assert started is not None
    assert (started.desktop, started.applications[0]) == ("windows", "Calculator")

"""Windows programs in the rig of ``tools/windows-rig``: skipped where it is not set up."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskcrew.environments.windows.desktop import WindowsDesktop, connect_windows
from deskcrew.facts.observation import Control
from support.windows_rig import FOLDER, READING, TOOLS, Rig, rig

pytestmark = [pytest.mark.deep, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("windows")) as made:
        yield made


def test_windows_python_has_what_the_agent_needs(windows: Rig) -> None:
    program = """
import json, sys
import comtypes, PIL.ImageGrab, psutil, pydantic, uiautomation, websockets
print(json.dumps([sys.platform, sys.version_info[:2]]))
"""
    assert json.loads(windows.python(program)) == ["win32", [3, 11]]


def test_what_goes_through_a_pipe_arrives_as_it_was(windows: Rig) -> None:
    every = bytes(range(256)) * 1000
    program = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    assert windows.python(program, every) == every


def test_a_picture_shows_the_whole_display(windows: Rig) -> None:
    program = "import json; from PIL import ImageGrab; print(json.dumps(ImageGrab.grab().size))"
    assert json.loads(windows.python(program)) == [1280, 800]


def test_what_is_typed_arrives_in_a_program_and_is_seen(windows: Rig) -> None:
    program = """
import ctypes, json, time
import uiautomation
from PIL import ImageGrab
user = ctypes.windll.user32
def until(answer):
    for _ in range(300):
        if found := answer():
            return found
        time.sleep(0.1)
    raise SystemExit("It did not come.")
notepad = until(lambda: user.FindWindowW("Notepad", None))
edit = until(lambda: user.FindWindowExW(notepad, None, "Edit", None))
uiautomation.SwitchToThisWindow(notepad)
until(lambda: user.GetForegroundWindow() == notepad)
before = ImageGrab.grab().tobytes()
for character in "Grüße":
    uiautomation.SendUnicodeChar(character)
text = ctypes.create_unicode_buffer(50)
until(lambda: user.SendMessageW(edit, 0x0D, 50, text) == 5)
until(lambda: ImageGrab.grab().tobytes() != before)
print(json.dumps(text.value))
user.PostMessageW(notepad, 0x10, 0, 0)
until(lambda: user.FindWindowW("#32770", None))
uiautomation.PressKey(0x4E), uiautomation.ReleaseKey(0x4E)
"""
    with windows.running("notepad.exe"):
        assert json.loads(windows.python(program)) == "Grüße"


patched = pytest.mark.skipif(
    not (FOLDER / "uia").exists(),
    reason="The rig has Wine's own UI Automation, which tells too little: tools/windows-rig/build-uia patches it.",
)
BUTTON, COMBO_BOX, LIST_ITEM, MENU_BAR, MENU_ITEM, TAB_ITEM, TREE_ITEM, DOCUMENT, WINDOW = (
    50000, 50003, 50007, 50010, 50011, 50019, 50024, 50030, 50032,
)  # fmt: skip


@patched
def test_the_agent_writes_into_a_program_and_takes_an_entry_of_its_menu(
    windows: Rig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in windows.environment.items():
        monkeypatch.setenv(name, value)
    source = TOOLS.parents[1] / "windows-agent/src"
    program = f"import sys; sys.path.insert(0, 'Z:{source}'); from deskcrew_windows_agent.__main__ import main; main()"
    at = "stdio:" + shlex.join([str(TOOLS / "wine-python"), "-c", program])
    with connect_windows(at, tmp_path) as desktop, windows.running("notepad.exe"):
        desktop.type_text(control(desktop, "text area"), "Grüße\nund mehr")
        assert control(desktop, "text area").value == "Grüße\nund mehr"
        desktop.menu(("Help", "About Notepad"))
        desktop.click(control(desktop, "button", "OK"))
        (window,) = desktop.observe().windows
        desktop.close_window(window.id)


def control(desktop: WindowsDesktop, role: str, name: str = "") -> Control:
    """The first control of a role whose name begins so, once it is there."""
    while not (found := [one for one in desktop.observe().controls if one.role == role and one.name.startswith(name)]):
        desktop.wait(0.5)
    return found[0]


@patched
def test_a_toolkit_with_accessibility_of_its_own_is_read_and_operated(windows: Rig) -> None:
    program = """
form = window("Qt Form")
inside = {(one.CachedControlType, one.CachedName): one for one in elements(form)}
seen = list(inside)
does(inside[core.UIA_EditControlTypeId, "Name"], "Value").SetValue("Ada")
does(inside[core.UIA_CheckBoxControlTypeId, "Agree"], "Toggle").Toggle()
does(inside[core.UIA_ButtonControlTypeId, "Send"], "Invoke").Invoke()
window("Sent Ada red 0 True")
print(json.dumps(seen))
"""
    with windows.running(str(FOLDER / "python/python.exe"), str(TOOLS / "qt_form.py")):
        seen = json.loads(windows.python(READING + program, seconds=250))
    assert seen[0] == [WINDOW, "Qt Form"]
    assert [LIST_ITEM, "Letter 2"] in seen
    assert [TAB_ITEM, "Tree"] in seen


@patched
def test_a_plain_menu_is_read_and_operated(windows: Rig) -> None:
    program = """
notepad = window(kind="Notepad")
uiautomation.SwitchToThisWindow(notepad)
until(lambda: user.GetForegroundWindow() == notepad)
seen = told(notepad)
does(named(notepad, "MenuItem", "Help"), "ExpandCollapse").Expand()
menu = window(kind="#32768")
item = until(lambda: named(menu, "MenuItem", "About Notepad"))
does(item, "Invoke").Invoke()
dialog = window("About Notepad")
does(until(lambda: named(dialog, "Button", "OK")), "Invoke").Invoke()
user.PostMessageW(notepad, 0x10, 0, 0)
print(json.dumps(seen))
"""
    with windows.running("notepad.exe"):
        seen = json.loads(windows.python(READING + program, seconds=250))
    assert seen[0] == [WINDOW, "Untitled - Notepad"]
    assert seen[1:4] == [[MENU_BAR, ""], [MENU_ITEM, "File"], [MENU_ITEM, "Edit"]]
    assert DOCUMENT in [kind for kind, _ in seen]


@patched
def test_plain_tabs_lists_and_combo_boxes_are_read_and_operated(windows: Rig) -> None:
    program = """
settings = window("Wine configuration")
seen = told(settings)
does(named(settings, "ListItem", "Windows 7"), "SelectionItem").Select()
until(lambda: named(settings, "ComboBox", "Windows 7"))
does(named(settings, "TabItem", "About"), "SelectionItem").Select()
until(lambda: not named(settings, "ComboBox", "Windows 7"))
does(named(settings, "Button", "Cancel"), "Invoke").Invoke()
print(json.dumps(seen))
"""
    with windows.running("winecfg.exe"):
        seen = json.loads(windows.python(READING + program, seconds=250))
    assert [COMBO_BOX, "Windows 10"] in seen
    assert [LIST_ITEM, "Default Settings"] in seen
    assert [BUTTON, "Apply"] in seen


@patched
def test_a_plain_tree_is_read_and_operated(windows: Rig) -> None:
    program = """
registry = window("Registry Editor")
users = until(lambda: named(registry, "TreeItem", "HKEY_CURRENT_USER"))
seen = told(registry)
does(users, "ExpandCollapse").Expand()
software = until(lambda: named(registry, "TreeItem", "Environment"))
does(software, "SelectionItem").Select()
until(lambda: named(registry, "ListItem", "TEMP"))
user.PostMessageW(registry, 0x10, 0, 0)
print(json.dumps(seen))
"""
    with windows.running("regedit.exe"):
        seen = json.loads(windows.python(READING + program, seconds=250))
    assert [TREE_ITEM, "My Computer"] in seen
    assert [TREE_ITEM, "HKEY_USERS"] in seen

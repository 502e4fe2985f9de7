"""A text editor on a virtual desktop: looking, typing, menus, dialogs, clipboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, only

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.errors import ActionError

pytestmark = pytest.mark.desktop

STRANGE = "Ещё Жизнь — ñ ü ß “quotes” αβγδε 東京 漢字かな交じり文 한국어 ✓ 😀🎉 abcABC!@#"


def test_what_can_be_used_is_named_in_plain_words(editor: LinuxDesktop) -> None:
    observation = editor.observe()
    assert [one.name for one in observation.controls if one.role == "menu"] == [
        "File", "Edit", "Search", "View", "Document", "Help",
    ]  # fmt: skip
    area = only(observation, "text area")
    assert "type" in area.operations
    assert observation.focus == area.label
    assert observation.active_window is not None
    assert "Mousepad" in observation.active_window.title
    assert observation.active_window.responding


def test_labels_stay_when_nothing_changes(editor: LinuxDesktop) -> None:
    first, second = editor.observe(), editor.observe()
    assert [one.label for one in first.controls] == [one.label for one in second.controls]
    assert first is second


@pytest.mark.parametrize("line", ["plain ASCII, 123", STRANGE, "two\nlines\tand a tab"])
def test_typing_into_a_control_is_read_back_exactly(editor: LinuxDesktop, line: str) -> None:
    area = only(editor.observe(), "text area")
    assert editor.type_text(area, line, clear=True) == line
    assert only(editor.observe(), "text area").value == line
    assert only(editor.observe(), "text area").label == area.label


def test_typing_with_the_keyboard_is_read_back_exactly(editor: LinuxDesktop) -> None:
    area = only(editor.observe(), "text area")
    editor.type_text(area, "", clear=True)
    assert editor.type_text(None, STRANGE) == STRANGE
    assert editor.type_text(None, "new", clear=True, enter=True).rstrip("\n") == "new"


def test_the_clipboard_holds_what_was_put_there(editor: LinuxDesktop) -> None:
    editor.set_clipboard(STRANGE)
    assert editor.clipboard() == STRANGE
    area = only(editor.observe(), "text area")
    editor.type_text(area, "", clear=True)
    editor.press(("ctrl", "v"))
    observation = await_look(editor, lambda seen: only(seen, "text area").value == STRANGE)
    editor.press(("ctrl", "a"))
    editor.press(("ctrl", "x"))
    editor.observe()
    assert editor.clipboard() == STRANGE
    assert observation.control(area.label) is not None


def test_an_unknown_key_is_refused(editor: LinuxDesktop) -> None:
    with pytest.raises(ActionError, match="no key 'hyperspace'"):
        editor.press(("hyperspace",))


def test_a_menu_entry_that_is_not_there_names_those_that_are(editor: LinuxDesktop) -> None:
    with pytest.raises(ActionError, match=r"no 'Fill' in the menu bar.*File, Edit"):
        editor.menu(("Fill", "Save"))
    with pytest.raises(ActionError, match=r"no 'Explode' in the menu File.*Save As"):
        editor.menu(("File", "Explode"))
    assert not [one for one in editor.observe().controls if one.role == "menu item"]


def test_an_open_menu_shows_its_entries(editor: LinuxDesktop) -> None:
    editor.click(only(editor.observe(), "menu", "Edit"))
    entries = [one.name for one in editor.observe().controls if one.role == "menu item"]
    assert "Paste" in entries
    editor.press(("escape",))
    assert not [one for one in editor.observe().controls if one.role == "menu item"]


def test_saving_through_the_dialog(editor: LinuxDesktop, workspace: Path) -> None:
    editor.type_text(only(editor.observe(), "text area"), "saved by hand", clear=True)
    editor.menu(("File", "Save As..."))
    dialog = await_look(editor, lambda seen: bool(seen.active_window and seen.active_window.title == "Save As"))
    assert dialog.active_window is not None
    assert dialog.active_window.dialog
    # What lies behind a modal dialog cannot be used and is not offered.
    assert {one.window for one in dialog.controls} == {dialog.active_window.id}
    name = only(dialog, "text field", "Name:")
    assert editor.type_text(name, "hand.txt", clear=True) == "hand.txt"
    editor.click(only(editor.observe(), "button", "Save"))
    after = await_look(editor, lambda seen: len(seen.windows) == 1)
    assert "hand.txt" in after.windows[0].title
    assert (workspace / "hand.txt").read_text() == "saved by hand"
    with pytest.raises(ActionError, match="has gone"):
        editor.click(name)


@pytest.mark.parametrize("way", ["typed with enter", "then the key", "all by keyboard"])
def test_enter_saves_in_a_dialog_as_it_does_for_a_person(editor: LinuxDesktop, workspace: Path, way: str) -> None:
    """The dialog allows Save only a moment after the name was typed, and ignores Enter until then."""
    file = f"{way.replace(' ', '-')}.txt"
    area = only(await_look(editor, lambda seen: any(one.role == "text area" for one in seen.controls)), "text area")
    editor.type_text(area, way, clear=True)
    editor.menu(("File", "Save As..."))
    dialog = await_look(editor, lambda seen: bool(seen.active_window and seen.active_window.title == "Save As"))
    name = only(dialog, "text field", "Name:")
    if way == "all by keyboard":
        editor.type_text(None, file, clear=True, enter=True)
    else:
        editor.type_text(name, file, clear=True, enter=way == "typed with enter")
    if way == "then the key":
        editor.press(("enter",))
    after = await_look(editor, lambda seen: len(seen.windows) == 1)
    assert file in after.windows[0].title
    assert (workspace / file).read_text() == way


def test_files_in_a_dialog_can_be_chosen(editor: LinuxDesktop, workspace: Path) -> None:
    (workspace / "second.txt").write_text("two")
    editor.menu(("File", "Open..."))
    dialog = await_look(editor, lambda seen: any(one.name == "second.txt" for one in seen.controls))
    editor.click(only(dialog, "list item", "second.txt"), double=True)
    await_look(editor, lambda seen: any(one.value == "two" for one in seen.controls))


def test_check_boxes_number_fields_and_combo_boxes(editor: LinuxDesktop) -> None:
    editor.menu(("Edit", "Preferences..."))
    observation = await_look(editor, lambda seen: any(one.role == "check box" for one in seen.controls))
    box = only(observation, "check box", "Long line margin at column:")
    before = "checked" in box.states
    editor.click(box)
    observation = editor.observe()
    assert ("checked" in only(observation, "check box", box.name).states) is not before
    number = next(one for one in observation.controls if one.role == "number field")
    editor.set_value(number, 72)
    assert (editor.observe().control(number.label) or number).value == "72"
    tab = only(observation, "tab", "Editor")
    editor.click(tab)
    observation = editor.observe()
    assert "selected" in only(observation, "tab", "Editor").states
    combo = next(one for one in observation.controls if one.role == "combo box")
    with pytest.raises(ActionError, match=r"has no option 'Nonsense'\. Options: "):
        editor.select(combo, "Nonsense")
    assert combo.value in combo.options
    other = next(one for one in combo.options if one != combo.value)
    editor.select(combo, other)
    assert (editor.observe().control(combo.label) or combo).value == other
    window = observation.active_window
    assert window is not None
    editor.close_window(window.id)
    observation = await_look(editor, lambda seen: all(one.id != window.id for one in seen.windows))
    with pytest.raises(ActionError, match="has gone"):
        editor.click(box)
    with pytest.raises(ActionError, match="has gone"):
        editor.activate_window(window.id)

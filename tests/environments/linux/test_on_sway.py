"""The user's own desktop in a session of sway, with its real programs."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.environments.linux.conftest import await_look, only

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.real import connect_real
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts import events as e
from deskcrew.facts.observation import Control
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.required import usual
from support.sway_rig import sway_session, tell, x11_display

pytestmark = [pytest.mark.deep, pytest.mark.desktop]


@pytest.fixture(scope="module")
def variables() -> Iterator[dict[str, str]]:
    with sway_session() as started:
        tell(started, "create_output")
        yield started


@pytest.fixture
def desktop(variables: dict[str, str], tmp_path: Path) -> Iterator[LinuxDesktop]:
    with closing(connect_real(tmp_path, environment=variables)) as connected:
        yield connected
        for process in {window.pid for window in connected.screenful.windows}:
            assert process
            os.kill(process, signal.SIGKILL)
        await_look(connected, lambda seen: not seen.windows)


def area(desktop: LinuxDesktop) -> Control:
    return only(desktop.observe(), "text area")


def test_an_editor_is_looked_at_and_worked_with(desktop: LinuxDesktop, tmp_path: Path) -> None:
    """Typed by the interface and by keys, a menu by hand, a dialog, a picture, the clipboard, a drag and the wheel."""
    assert desktop.open_application("Mousepad") == "Text Editor (Mousepad)"
    [window] = desktop.observe().windows
    assert (window.app, window.active) == ("mousepad", True)
    assert desktop.program_of_window(window.id) == "/usr/bin/mousepad"
    desktop.type_text(area(desktop), "Größe", clear=True)
    desktop.press(("ctrl", "end"))
    assert desktop.type_text(None, " привет, {}~ €日本") == "Größe привет, {}~ €日本"

    desktop.click(only(desktop.observe(), "menu", "File"))
    assert only(desktop.observe(), "menu item", "Save As...").box.y > only(desktop.observe(), "menu", "File").box.y
    desktop.press(("esc",))
    assert not [one for one in desktop.observe().controls if one.role == "menu item"]

    desktop.menu(("File", "Save As..."))
    dialog = await_look(desktop, lambda seen: any(one.dialog for one in seen.windows))
    name = only(dialog, "text field", "Name")
    desktop.type_text(name, str(tmp_path / "saved.txt"), clear=True)
    desktop.click(only(desktop.observe(), "button", "Save"))
    await_look(desktop, lambda seen: len(seen.windows) == 1)
    assert (tmp_path / "saved.txt").read_text() == "Größe привет, {}~ €日本"

    desktop.set_clipboard("held ü")
    assert desktop.clipboard() == "held ü"
    desktop.press(("ctrl", "a"))
    desktop.press(("ctrl", "v"))
    assert area(desktop).value == "held ü"
    desktop.forget_copies(lambda text: "held" in text)
    assert desktop.clipboard() == ""

    lines = "\n".join(f"line {number}" for number in range(300))
    desktop.type_text(area(desktop), lines, clear=True)
    desktop.press(("ctrl", "home"))
    before = picture(desktop)
    desktop.scroll(area(desktop), -10)
    assert picture(desktop) != before
    box = area(desktop).box
    desktop.input.drag((box.x + 3, box.y + 30), (box.x + 300, box.y + 30))
    desktop.press(("ctrl", "c"))
    desktop.observe()
    assert re.fullmatch(r"line \d\d", desktop.clipboard()), desktop.clipboard()


def picture(desktop: LinuxDesktop) -> bytes:
    shot = desktop.observe(screenshot=True).screenshot
    assert shot is not None
    shown = Image.open(io.BytesIO(shot))
    assert shown.size == (2560, 800), "both screens"
    return shown.tobytes()


@pytest.mark.parametrize(("program", "app"), [("Galculator", "galculator"), ("Calculator", "org.gnome.Calculator")])
def test_a_place_is_where_it_is_drawn(desktop: LinuxDesktop, variables: dict[str, str], program: str, app: str) -> None:
    """Buttons of GTK3 and GTK4, pressed with the mouse: in a tile, floating, and on a second screen."""
    desktop.open_application(program)
    [number] = [one.id for one in desktop.observe().windows if one.app == app]
    for arrangement in ("floating disable", "floating enable", "move output right", "move output left"):
        tell(variables, f"[con_id={number}] {arrangement}; [con_id={number}] focus")
        desktop.wait(0.5)
        for key in ("7", "3"):
            controls = [one for one in desktop.observe().controls if one.window == number]
            button = next(one for one in controls if one.name == key and "button" in one.role)
            desktop.input.click(*button.box.centre)
        await_look(desktop, lambda seen: any("73" in (one.value or "") for one in seen.controls), 5)
        desktop.press(("esc",))


def test_a_spreadsheet_is_filled_in(desktop: LinuxDesktop, tmp_path: Path) -> None:
    desktop.open_application("LibreOffice Calc")
    desktop.menu(("Format", "Cells..."))
    await_look(desktop, lambda seen: any(one.dialog for one in seen.windows))
    desktop.press(("esc",))
    await_look(desktop, lambda seen: len(seen.windows) == 1)
    for cell, text in (("A1", "2"), ("A2", "3"), ("A3", "=A1*A2")):
        found = desktop.find_cell(cell)
        assert found is not None
        desktop.type_text(found, text, enter=True)
    sum_ = desktop.find_cell("A3")
    assert sum_ is not None
    assert sum_.value == "6"
    b2 = desktop.find_cell("B2")
    assert b2 is not None
    desktop.click(b2)
    assert only(desktop.observe(), "text field", "Name Box").value == "B2"


def test_a_window_of_x11_is_seen_too(desktop: LinuxDesktop, variables: dict[str, str]) -> None:
    desktop.session.start(["env", "GDK_BACKEND=x11", f"DISPLAY={x11_display(variables)}", "mousepad", "--disable-server"])
    seen = await_look(desktop, lambda seen: any(one.role == "text area" for one in seen.controls))
    assert desktop.program_of_window(seen.windows[0].id) == ""
    control = only(seen, "text area")
    desktop.input.click(*control.box.centre)
    assert desktop.type_text(None, "Typed Ж") == "Typed Ж"
    desktop.click(only(desktop.observe(), "menu", "Edit"))
    assert only(desktop.observe(), "menu item", "Select All")
    desktop.press(("esc",))


@pytest.mark.anyio
async def test_a_run_ends_with_proof(variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def label(call: Call, what: str) -> str:
        found = re.search(rf"^(\S+) {what}", call.text("volatile"), flags=re.MULTILINE)
        assert found, call.text("volatile")
        return found.group(1)

    def writes(call: Call) -> dict[str, Any]:
        typing = {"function": "keyboard_input", "control": label(call, "text area"), "keys": "good morning"}
        return {"operations": [typing, {"function": "choose_menu", "path": ["File", "Save As..."]}], "branch": "Continue"}

    def saves(call: Call) -> dict[str, Any]:
        name = {
            "function": "keyboard_input",
            "keys": str(tmp_path / "work" / "note.txt"),
            "control": label(call, 'text field "Name"'),
        }
        button = {"function": "click_input", "control": label(call, 'button "Save"')}
        return {"operations": [{**name, "clear": True}, button], "branch": "RoleTaskFinish"}

    async def yes(question: OperationQuestion) -> Approval:
        return Approval(allowed=True)

    task = 'Write "good morning" into note.txt.'
    opens = {"operations": [{"function": "open_application", "app_name": "Text Editor (Mousepad)"}], "branch": "Continue"}
    model = ScriptedModel([opens, writes, saves, saves])
    request = RunRequest(
        task=task, model="scripted:x", workspace=tmp_path / "work", crew="solo", mode="passive", desktop="real",
        required=usual(task),
    )  # fmt: skip
    journal = await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(operation=yes))
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done", (outcome, [body.error for body in bodies(journal, e.ActionFinished)])
    assert (tmp_path / "work/note.txt").read_text() == "good morning"
    assert journal.verify() == []


def test_a_locked_screen_is_said(variables: dict[str, str], tmp_path: Path) -> None:
    """By the name of the program that locks it."""
    shutil.copy("/bin/sleep", tmp_path / "swaylock")
    with subprocess.Popen([tmp_path / "swaylock", "60"]) as locker:
        try:
            with pytest.raises(EnvironmentFailure, match="locked"):
                connect_real(tmp_path, environment=variables)
        finally:
            locker.terminate()


def test_a_session_that_has_ended_is_said(tmp_path: Path) -> None:
    with sway_session() as variables:
        desktop = connect_real(tmp_path, environment=variables)
        with suppress(EnvironmentFailure):
            tell(variables, "exit")
        with closing(desktop), pytest.raises(EnvironmentFailure):
            await_look(desktop, lambda seen: False)

"""The agent itself on Windows' programs, in the rig: real windows, mouse and keyboard. Skipped where there is no rig."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import xcffib
import xcffib.xtest

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.environments.windows.desktop import WindowsDesktop, connect_windows
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts import events as e
from deskcrew.facts.observation import Observation
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.windows_rig import TOOLS, Rig, rig

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]
THERE = """
import ctypes, time
for _ in range(600):
    if ctypes.windll.user32.FindWindowW("Notepad", None):
        break
    time.sleep(0.1)
time.sleep(1)
"""
SOURCE = Path(__file__).parents[3] / "windows-agent" / "src"


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("windows")) as made:
        yield made


@pytest.fixture
def notepad(windows: Rig, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    """Notepad in front, and an environment in which the agent can be started."""
    for name in ("WINDOWS_RIG", "WINEPREFIX", "DISPLAY"):
        monkeypatch.setenv(name, windows.environment[name])
    with windows.running("notepad.exe"):
        windows.python(THERE, seconds=120)
        yield windows
        subprocess.run([TOOLS / "wine", "wineboot", "-k"], env=windows.environment, check=False, capture_output=True)
        time.sleep(3)


def agent(*arguments: str) -> str:
    program = (
        f"import sys; sys.path.insert(0, r'Z:{SOURCE}'); "
        "from deskcrew_windows_agent.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    return "stdio:" + shlex.join([str(TOOLS / "wine-python"), "-c", program, *arguments])


def labelled(seen: str, role: str) -> str:
    found = re.findall(rf"^(\S+) {role}\b", seen, flags=re.MULTILINE)
    assert found, seen
    return found[-1]  # what is before the screen is an example


def types(role: str, text: str, *, enter: bool = False) -> Callable[[Call], dict[str, Any]]:
    def reply(call: Call) -> dict[str, Any]:
        typing = {"function": "keyboard_input", "control": labelled(call.text(), role), "keys": text, "clear": True}
        return {"operations": [typing | {"click_enter": enter}], "branch": "Continue"}

    return reply


SAVES = {"operations": [{"function": "hotkey", "keys": ["ctrl", "s"]}], "branch": "Continue"}
ENOUGH = {"operations": [], "branch": "NeedHumanHelp", "problem": "enough"}


async def yes(question: OperationQuestion) -> Approval:
    return Approval(allowed=True)


def wanted(tmp_path: Path, *arguments: str) -> RunRequest:
    return RunRequest(
        task='Type "Good morning" into Notepad and save it as note.txt.', model="scripted:x", crew="solo",
        workspace=tmp_path / "work", desktop="windows", at=agent(*arguments), mode="passive",
    )  # fmt: skip


@pytest.mark.anyio
async def test_a_run_types_into_notepad_and_what_it_saves_is_in_the_workspace(notepad: Rig, tmp_path: Path) -> None:
    (folder := tmp_path / "there").mkdir()
    steps = [
        types("text area", "Good morning"),
        SAVES,
        types("text field", f"Z:{folder}\\note.txt".replace("/", "\\"), enter=True),
    ]
    journal = await session.run(
        wanted(tmp_path, "--folder", f"Z:{folder}"),
        settings_in(tmp_path),
        model=ScriptedModel([*steps, *[ENOUGH] * 12]),
        human=PythonResponder(operation=yes),
    )
    done = bodies(journal, e.ActionFinished)
    assert [each.ok for each in done] == [True] * 3, [each.text for each in done]
    assert done[0].text == "It reads now: Good morning"
    assert (tmp_path / "work" / "note.txt").read_text() == "Good morning"


@pytest.mark.anyio
@pytest.mark.fault
async def test_a_run_whose_agent_is_killed_ends_and_goes_on_with_a_new_one(notepad: Rig, tmp_path: Path) -> None:
    def killed(call: Call) -> dict[str, Any]:
        found = subprocess.run(["pgrep", "-f", rf"python\.exe -c .*{SOURCE}"], capture_output=True, text=True, check=True)
        for process in found.stdout.split():
            os.kill(int(process), signal.SIGKILL)
        return types("text area", "Good morning")(call)

    settings = settings_in(tmp_path)
    journal = await session.run(
        wanted(tmp_path), settings, model=ScriptedModel([killed] * 12), human=PythonResponder(operation=yes)
    )
    assert journal.state.outcome is not None
    assert (journal.state.outcome.status, journal.state.outcome.reason) == ("failed", "environment")
    again = await session.resume(
        journal.run,
        settings,
        model=ScriptedModel([types("text area", "Good morning"), *[ENOUGH] * 12]),
        human=PythonResponder(operation=yes),
    )
    assert [each.text for each in bodies(again, e.ActionFinished) if each.ok] == ["It reads now: Good morning"]


def in_notepad(desktop: WindowsDesktop) -> Observation:
    seen = desktop.observe()
    assert "notepad" in {window.app for window in seen.windows}
    assert not any("Deskcrew" in window.title for window in seen.windows), "the banner is the agent's own"
    return seen


def test_a_dialog_is_a_window_of_its_own_and_closes(notepad: Rig, tmp_path: Path) -> None:
    with connect_windows(agent(), tmp_path) as desktop:
        area = next(each for each in in_notepad(desktop).controls if each.role == "text area")
        assert desktop.type_text(area, "Grüße\nzwei") == "Grüße\nzwei"
        desktop.press(("ctrl", "s"))
        desktop.wait(5)
        seen = desktop.observe()
        assert seen.active_window is not None
        assert (seen.active_window.title, seen.active_window.dialog) == ("Save As", True)
        desktop.click(next(each for each in seen.in_front if each.name == "Cancel"))
        desktop.wait(3)
        assert "Save As" not in {window.title for window in desktop.observe().windows}
        desktop.set_clipboard("Grüße")
        assert desktop.clipboard() == "Grüße"
        assert desktop.program_of_window(seen.windows[-1].id).casefold().endswith("notepad.exe")


def test_what_a_menu_opens_and_a_list_offers_is_chosen(notepad: Rig, tmp_path: Path) -> None:
    with connect_windows(agent(), tmp_path) as desktop:
        desktop.activate_window(in_notepad(desktop).windows[0].id)
        with pytest.raises(ActionError, match=r"no 'Print it' in the menu File\. Entries: New, "):
            desktop.menu(("File", "Print it"))
        desktop.menu(("File", "Save As..."))
        desktop.wait(5)
        kinds = next(each for each in desktop.observe().in_front if "All files (*.*)" in each.options)
        desktop.select(kinds, "All files (*.*)")
        chosen = next(each for each in desktop.observe().in_front if each.label == kinds.label)
        assert (kinds.value, chosen.value) == ("Text files (*.txt)", "All files (*.*)")


def test_the_person_at_the_machine_ends_it_by_holding_escape(notepad: Rig, tmp_path: Path) -> None:
    screen = xcffib.connect(display=notepad.environment["DISPLAY"])
    root, keys = screen.get_setup().roots[0].root, screen(xcffib.xtest.key)
    with connect_windows(agent(), tmp_path) as desktop:
        area = next(each for each in in_notepad(desktop).controls if each.role == "text area")
        desktop.click(area)
        for kind in (2, 3):  # pressed, and released
            keys.FakeInput(kind, 9, 0, root, 0, 0, 0)
            screen.flush()
            time.sleep(2.5)
        with pytest.raises(EnvironmentFailure, match="has ended it") as caught:
            desktop.observe()
        assert "resume" in caught.value.hint
    screen.disconnect()


def test_a_report_names_types_and_nothing_of_what_windows_say(notepad: Rig) -> None:
    done = subprocess.run(shlex.split(agent("--report").removeprefix("stdio:")), capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert [window["app"] for window in told["windows"]] == ["notepad"]
    assert told["windows"][0]["types"]["Document"] == 1
    assert "Untitled" not in done.stdout.decode()

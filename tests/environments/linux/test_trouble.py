"""What goes wrong on a real desktop: hangs, deaths, windows on top of each other, a killed engine."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import psutil
import pytest
from tests.environments.linux.conftest import await_look, desktop_in, needs_desktop, only, program_of, stopped

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import ActionError, EnvironmentFailure
from support.waiting import LATEST, all_end, until

pytestmark = pytest.mark.desktop


def sandbox_of(desktop: LinuxDesktop) -> DesktopSandbox:
    return cast(DesktopSandbox, desktop.session)


def test_a_program_that_hangs_does_not_hang_us(editor: LinuxDesktop) -> None:
    editor.open_application("Galculator")
    observation = await_look(editor, lambda seen: any(one.name == "sqrt" for one in seen.controls))
    seven = only(observation, "toggle button", "7")
    with stopped(program_of(sandbox_of(editor).pid, "galculator")):
        editor.acted()
        started = time.monotonic()
        editor.display.changes += 1
        observation = editor.observe()
        assert time.monotonic() - started < LATEST
        hung = {window.app: window.responding for window in observation.windows}
        assert hung["Galculator"] is False
        assert hung["Mousepad"] is True
        assert any(one.role == "text area" for one in observation.controls)
        started = time.monotonic()
        editor.observe()
        assert time.monotonic() - started < LATEST
        with pytest.raises(ActionError, match=r"has gone|not responding"):
            editor.click(seven)
    observation = await_look(editor, lambda seen: all(window.responding for window in seen.windows))
    editor.click(only(observation, "toggle button", "7"))


def test_a_registry_of_programs_that_hangs_hides_none_that_is_known(editor: LinuxDesktop) -> None:
    assert any(one.role == "text area" for one in editor.observe().controls)
    with stopped(program_of(sandbox_of(editor).pid, "at-spi2-regis")):
        editor.display.changes += 1
        assert any(one.role == "text area" for one in editor.observe().controls)
    editor.display.changes += 1
    assert any(one.role == "text area" for one in editor.observe().controls)


def test_controls_under_another_window_are_not_offered(editor: LinuxDesktop) -> None:
    observation = editor.observe()
    front, back = observation.windows[:2]
    editor.activate_window(back.id)
    after = editor.observe()
    assert after.windows[0].id == back.id
    assert after.active_window is not None
    assert after.active_window.id == back.id
    for control in after.controls:
        if control.window == front.id:
            x, y = control.box.centre
            assert not back.box.contains(x, y) or control.box.intersection(back.box) != control.box


def test_a_window_closing_under_us(editor: LinuxDesktop) -> None:
    observation = editor.observe()
    calculator = next(window for window in observation.windows if window.app == "Galculator")
    button = next(one for one in observation.controls if one.window == calculator.id and one.role == "toggle button")
    program_of(sandbox_of(editor).pid, "galculator").kill()
    with pytest.raises(ActionError, match="gone"):
        editor.click(button)
    observation = await_look(editor, lambda seen: len(seen.windows) == 1)
    assert all(one.window != calculator.id for one in observation.controls)


def test_an_unknown_application_names_those_there_are(editor: LinuxDesktop) -> None:
    with pytest.raises(ActionError, match=r"no application 'Photoshop'.*Applications here: .*Mousepad"):
        editor.open_application("Photoshop")
    assert any("Mousepad" in name for name in editor.applications())


def test_a_file_that_is_not_there(editor: LinuxDesktop) -> None:
    with pytest.raises(ActionError, match=r"no file 'nowhere\.txt'"):
        editor.open_application("Mousepad", "nowhere.txt")
    with pytest.raises(ActionError, match="Galculator opens no files"):
        editor.open_application("Galculator", ".")


def test_two_desktops_at_once(editor: LinuxDesktop, tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as other:
        other.open_application("Mousepad")
        theirs, ours = only(other.observe(), "text area"), only(editor.observe(), "text area")
        other.type_text(theirs, "theirs", clear=True)
        editor.type_text(ours, "ours", clear=True)
        assert only(other.observe(), "text area").value == "theirs"
        assert only(editor.observe(), "text area").value == "ours"


def test_a_display_that_dies_is_an_environment_failure(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        desktop.observe()
        program_of(sandbox_of(desktop).pid, "Xvfb").kill()
        time.sleep(0.3)
        with pytest.raises(EnvironmentFailure, match="display has died"):
            desktop.observe()
    with pytest.raises(EnvironmentFailure, match="closed"):
        desktop.observe()
    desktop.close()


def test_nothing_is_left_after_closing(tmp_path: Path) -> None:
    desktop = desktop_in(tmp_path)
    sandbox = sandbox_of(desktop)
    family = psutil.Process(sandbox.pid).children(recursive=True)
    desktop.close()
    assert all_end(family)
    assert not sandbox.run.path.exists()


def test_without_the_programs_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    monkeypatch.setenv("PATH", str(empty))
    with pytest.raises(EnvironmentFailure, match="xvfb") as caught:
        start_virtual(tmp_path)
    assert "sudo apt install" in caught.value.hint


def test_a_sandbox_that_is_refused_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    refusing = programs / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    with pytest.raises(EnvironmentFailure, match="No permissions") as caught:
        start_virtual(tmp_path)
    assert "deskcrew doctor" in caught.value.hint


def test_the_workspace_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="not a folder"):
        start_virtual(tmp_path / "nowhere")


ENGINE = """
import sys, time
from pathlib import Path
from deskcrew.environments.virtual import start_virtual
desktop = start_virtual(Path(sys.argv[1]))
desktop.open_application("Mousepad")
print(desktop.session.run.path, desktop.session.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.fault
@pytest.mark.deep
def test_a_killed_engine_leaves_nothing(tmp_path: Path) -> None:
    needs_desktop()
    engine = subprocess.Popen([sys.executable, "-c", ENGINE, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert engine.stdout is not None
    path, pid = engine.stdout.readline().split()
    family = [psutil.Process(int(pid)), *psutil.Process(int(pid)).children(recursive=True)]
    engine.kill()
    engine.wait()
    engine.stdout.close()
    assert all_end(family)
    # Whoever opens the next desktop removes what was left, this test or another run.
    with contextlib.closing(desktop_in(tmp_path)):
        assert not Path(path).exists()


def test_programs_cannot_leave_the_sandbox(desktop: LinuxDesktop, workspace: Path) -> None:
    script = "id -u; cat /etc/shadow; ls /root; touch /usr/x; ls /sys/class/net; env; touch made"
    sandbox_of(desktop).start(["/bin/sh", "-c", f"({script}) >out.txt 2>&1; mv out.txt seen.txt"])
    assert until((workspace / "seen.txt").exists)
    said = (workspace / "seen.txt").read_text()
    assert said.startswith("1000\n")
    assert "No such file" in said
    assert "Read-only file system" in said
    assert "eth0" not in said
    assert str(Path.home()) not in said or Path.home() == Path("/root")
    assert (workspace / "made").stat().st_uid == os.getuid()
    assert shutil.which("bwrap")

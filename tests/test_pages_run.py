"""Runs on a virtual desktop with a browser in it: what only pages have is offered while there is one, and at no other
time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.facts.observation import Observation
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, offered, settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.desktop,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
PAGE = """<!doctype html><title>Lamp shop</title><h1>Lamps</h1><label>Pieces <input id=n></label>
<button onclick="out.textContent = 'Price: ' + 12 * n.value + ' euros'">Show price</button><p id=out></p>"""
PAGES_ONLY = {"open_url", "go_back", "find_text", "read_page", "upload_file", "download_file", "hover", "drag"}


def label(call: Call, what: str) -> str:
    """The label of the first control of a prompt that is described so."""
    found = re.search(rf"^(\S+) {what}", call.text(), flags=re.MULTILINE)
    assert found, f"no {what} in the prompt:\n{call.text('volatile')}"
    return found.group(1)


@pytest.mark.deep
async def test_a_page_is_worked_on_in_its_window_and_the_run_replays_equal(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    needs_desktop()
    folder.mkdir()
    (folder / "lamps.html").write_text(PAGE)

    def opens(call: Call) -> dict[str, Any]:
        assert "Write the known age of Bo into age.txt" in call.text("stable")
        start = {"function": "open_application", "app_name": "Chromium Web Browser", "file": "lamps.html"}
        return {"operations": [start], "branch": "Continue"}

    def fills(call: Call) -> dict[str, Any]:
        assert "Put the known age of Bo into the Age box" in call.text("stable")
        assert 'at "file:///workspace/lamps.html"' in call.text()
        typed = {"function": "keyboard_input", "control": label(call, 'text field "Pieces"'), "keys": "3"}
        press = {"function": "click_input", "control": label(call, 'button "Show price"')}
        return {"operations": [typed, press, {"function": "read_page"}], "branch": "Continue"}

    def closes(call: Call) -> dict[str, Any]:
        assert "Price: 36 euros" in call.text()
        return {"operations": [{"function": "close_window", "title": "Lamp shop - Chromium"}], "branch": "Continue"}

    def writes(call: Call) -> dict[str, Any]:
        said = {"function": "write_file", "file_path": "price.txt", "text": "36 euros"}
        return {"operations": [said], "branch": "RoleTaskFinish"}

    model = ScriptedModel([opens, fills, closes, writes])
    request = RunRequest(task="Write the price to price.txt.", model="scripted:x", workspace=folder, crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=model)
    first, filled, closed, last = ({*names} for names in offered(journal, "Worker"))
    assert all(names >= PAGES_ONLY for names in (filled, closed))
    assert not (first | last) & (PAGES_ONLY | {"click_input", "keyboard_input", "close_window"}), "no window is open"
    assert all({"open_application", "read_file"} <= names for names in (first, last))
    finished = bodies(journal, e.ActionFinished)
    assert [body.ok for body in finished] == [True] * len(finished)
    assert any("Price: 36 euros" in body.text for body in finished if body.operation.function == "read_page")
    looks = [Observation.model_validate_json(journal.read_blob(body.observation)) for body in bodies(journal, e.Observed)]
    assert any(window.page is not None for look in looks for window in look.windows)
    again = await replay(journal)
    assert again.difference is None
    assert again.prompts == len(model.calls)

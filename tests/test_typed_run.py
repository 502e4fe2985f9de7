"""What a field holds once something was typed into it: a page may cut it, or put something else there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.models.client import Call
from support.crew import bodies
from test_browser_run import label, run

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
PAGE = """<!doctype html><title>Order</title>{field}<label>Note <input id=note></label>
<button onclick="out.textContent = 'saved ' + n.value">Save</button><p id=out></p>"""
FIELDS = {
    "cut": "<label>Pieces <input id=n maxlength=1></label>",
    "full": "<label>Pieces <input id=n maxlength=1 value=1></label>",
    "masked": "<label>Pieces <input id=n oninput=\"value = value.replace(/[^0-5]/g, '')\"></label>",
    "late": "<label>Pieces <input id=n oninput=\"setTimeout(() => value = '1', 60)\"></label>",
    "drawn anew": """<div id=root></div><script>let held = '';
      function draw() { root.innerHTML = `<label>Pieces <input id=n value="${held}"></label>`;
        n.oninput = () => { held = n.value.slice(0, 1); requestAnimationFrame(draw) } }
      draw()</script>""",
    "left": '<label>Pieces <input id=n type=number onchange="value = Math.min(10, value)"></label>',
}
"""Fields that do not keep "16"; the last one only once it is left."""
WRITTEN_OTHERWISE = {
    "grouped": ("1000", "<label>Pieces <input id=n onchange=\"value = Number(value).toLocaleString('en')\"></label>"),
    "short": ("16.50", '<label>Pieces <input id=n onchange="value = Number(value)"></label>'),
}
ENDS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "enough"}


async def filled(folder: Path, server: HTTPServer, field: str, keys: str, *, clear: bool) -> tuple[list[str], str]:
    """The operations that were done of a reply that types, fills in a note and saves; and the next prompt."""
    server.expect_request("/order").respond_with_data(PAGE.replace("{field}", field), content_type="text/html")
    prompts: list[str] = []

    def fills(call: Call) -> dict[str, Any]:
        kind = "number" if 'number field "Pieces"' in call.text() else "text"
        pieces = label(call, f'{kind} field "Pieces"')
        typed = {"function": "keyboard_input", "control": pieces, "keys": keys, "clear": clear}
        note = {"function": "keyboard_input", "control": label(call, 'text field "Note"'), "keys": "soon"}
        save = {"function": "click_input", "control": label(call, 'button "Save"')}
        return {"operations": [typed, note, save], "branch": "Continue"}

    def looks(call: Call) -> dict[str, Any]:
        prompts.append(call.text())
        return ENDS

    journal, _ = await run(folder, "Order 16 pieces.", fills, looks, url=f"http://127.0.0.1:{server.port}/order")
    return [body.operation.function for body in bodies(journal, e.ActionFinished)], prompts[0]


@pytest.mark.first_case
@pytest.mark.parametrize("how", list(FIELDS))
async def test_what_a_field_does_not_keep_is_told_before_it_is_saved(
    tmp_path: Path, httpserver: HTTPServer, how: str
) -> None:
    done, prompt = await filled(tmp_path, httpserver, FIELDS[how], "16", clear=how != "full")
    assert "click_input" not in done, "nothing is saved with it"
    assert ("reads '10' now, and no longer '16'" if how == "left" else "it reads '1', not what was typed") in prompt


@pytest.mark.first_case
@pytest.mark.parametrize("how", list(WRITTEN_OTHERWISE))
async def test_what_a_field_only_writes_otherwise_is_kept(tmp_path: Path, httpserver: HTTPServer, how: str) -> None:
    keys, field = WRITTEN_OTHERWISE[how]
    done, prompt = await filled(tmp_path, httpserver, field, keys, clear=True)
    assert done == ["keyboard_input", "keyboard_input", "click_input"]
    assert "no longer" not in prompt
    assert "not what was typed" not in prompt

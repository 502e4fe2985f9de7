"""A reply may go on with what its own operations bring up, by its name; a number whose control was put anew is found."""

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
    pytest.mark.usefixtures("soon"),
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
TEAM = """<!doctype html><title>Team</title><button id=who onclick="open_()">Choose a person</button><ul id=list></ul>
<div id=rows></div><p id=out></p><script>
function open_() { setTimeout(() => {
  list.innerHTML = ['Ann', 'Bo', 'Bo'].map((n, i) =>
    `<li><button onclick="pick('${n}${i}')">${n}</button></li>`).join('') + '<li><button>Close</button></li>' }, LATE) }
function pick(n) { out.textContent += ' picked ' + n; list.innerHTML = ''; draw() }
function draw() { rows.innerHTML = '<table>' + ['Mail', 'Post'].map(r =>
  `<tr><td>${r}</td><td><button onclick="out.textContent += ' added ${r}'">Add</button></td></tr>`).join('') + '</table>' }
draw()</script>"""
PRESS: dict[str, Any] = {"function": "hotkey", "keys": ["tab"]}
ENDS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "enough"}


def click(control: str) -> dict[str, Any]:
    return {"function": "click_input", "control": control}


async def worked(tmp_path: Path, httpserver: HTTPServer, *then: str, late: int = 0) -> tuple[list[str], str, str]:
    """What clicks came to: on the button that opens the list, and then on what is called so, ``Add`` for the number that
    the button of the row Post had; what the page says; and the next prompt."""
    httpserver.expect_request("/team").respond_with_data(TEAM.replace("LATE", str(late)), content_type="text/html")
    prompts: list[str] = []

    def clicks(call: Call) -> dict[str, Any]:
        row = label(call, 'button "Add" in "Post"')
        named = [click(row if name == "Add" else name) for name in then]
        return {"operations": [click(label(call, 'button "Choose a person"')), *named], "branch": "Continue"}

    def looks(call: Call) -> dict[str, Any]:
        prompts.append(call.text("volatile"))
        return ENDS

    journal, _ = await run(tmp_path, "Choose.", clicks, looks, url=f"http://127.0.0.1:{httpserver.port}/team")
    done = [f"{body.operation.function} {body.ok}" for body in bodies(journal, e.ActionFinished)]
    return done, prompts[0].partition("Text: ")[2].partition("\n")[0], prompts[0]


@pytest.mark.first_case
@pytest.mark.parametrize("name", ["Ann", 'button "Ann"', "ann"])
async def test_what_an_operation_brings_up_is_named_in_the_same_reply(
    tmp_path: Path, httpserver: HTTPServer, name: str
) -> None:
    done, page, _ = await worked(tmp_path, httpserver, name, late=300)
    assert done == ["click_input True"] * 2
    assert "picked Ann0" in page


async def test_a_number_is_that_of_the_same_control_after_its_page_has_put_it_anew(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    done, page, _ = await worked(tmp_path, httpserver, "Ann", "Add")
    assert done == ["click_input True"] * 3
    assert "picked Ann0 added Post" in page


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Bo", '2 controls are called "Bo"'),
        ("Eve", 'is called "Eve" now'),
        ("Clos", 'is called "Clos" now'),
    ],
)
async def test_a_name_that_is_not_there_or_not_alone_is_refused_and_told(
    tmp_path: Path, httpserver: HTTPServer, name: str, told: str
) -> None:
    done, page, prompt = await worked(tmp_path, httpserver, name, "Ann")
    assert done == ["click_input True"]
    assert "picked" not in page
    assert told in prompt.replace("'", '"')


TABS = """<!doctype html><title>Tabs</title><button id=a>Open</button>
<button onclick="out.textContent += ' added'">Add</button><p id=out></p><script>a.onclick = () => {}</script>"""


async def test_a_click_that_changes_nothing_stops_only_what_names_no_control_of_its_own(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/tabs").respond_with_data(TABS, content_type="text/html")
    prompts: list[str] = []

    def clicks(call: Call) -> dict[str, Any]:
        again = click(label(call, 'button "Open"'))
        return {"operations": [again, again, click("Add"), again, again, PRESS], "branch": "Continue"}

    def looks(call: Call) -> dict[str, Any]:
        prompts.append(call.text("volatile"))
        return ENDS

    journal, _ = await run(tmp_path, "Add.", clicks, looks, url=f"http://127.0.0.1:{httpserver.port}/tabs")
    done = [body.operation.function for body in bodies(journal, e.ActionFinished)]
    assert done == ["click_input"] * 5, "the key would go wherever the focus is"
    assert "added" in prompts[0]
    assert "nothing changed on the screen" in prompts[0]


ASKED = """<!doctype html><title>Visits</title>
<p style="height:500px">Ann, 3 May</p><button onclick="go()">Cancel visit</button>
<div id=veil style="position:fixed;inset:0;display:none"><div style="margin:99px;background:white">{shown}</div></div>
<script>const go = async () => {{ {sends}; veil.style.display = 'block' }}</script>"""
TWO = "Are you sure? <button>Keep it</button> <button onclick=\"veil.style.display='none'\">Confirm</button>"


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("shown", "sends", "again"),
    [
        (TWO, "", True),
        ("Done. <button>OK</button>", "", False),
        (TWO, "await fetch('/', {method: 'POST', body: '1'})", False),
    ],
    ids=["asked", "told", "sent"],
)
async def test_a_part_is_not_finished_while_the_page_asks_whether_to_do_it(
    tmp_path: Path, httpserver: HTTPServer, shown: str, sends: str, again: bool
) -> None:
    page = ASKED.format(shown=shown, sends=sends)
    httpserver.expect_request("/").respond_with_data(page, content_type="text/html")
    prompts: list[str] = []

    def presses(call: Call) -> dict[str, Any]:
        return {"operations": [click(label(call, 'button "Cancel visit"'))], "branch": "RoleTaskFinish"}

    def insists(call: Call) -> dict[str, Any]:
        prompts.append(call.text("volatile"))
        return {"operations": [], "branch": "RoleTaskFinish"}

    await run(tmp_path, "Cancel the visit.", presses, insists, url=f"http://127.0.0.1:{httpserver.port}/")
    assert ['nothing has been sent since: "Keep it", "Confirm". Answer it' in each for each in prompts] == [True] * again

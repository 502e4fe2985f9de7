"""What was taken away on a page without an order: "Disable X", and the page has nothing but "Remove"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import OTHER, bodies, settings_in
from test_besides import OPEN

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("soon"),
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]

PAGE = """<!doctype html><title>Devices</title><h1>Devices</h1><ul id=list></ul><script>
let devices = {devices};
function row(d) {{ return `<li>${{d}} <button onclick="drop('${{d}}')">{button}</button></li>` }}
function show() {{ list.innerHTML = devices.map(row).join('') }}
function drop(d) {{ devices = devices.filter(each => each != d); show(); {keeping} }}
show()</script>"""
DEVICES = '["Boiler", "Pump", "Fan"]'
KEPT = {
    "by the service": "fetch('/devices', {method: 'POST', body: JSON.stringify({devices})})",
    "by the page": "localStorage.devices = JSON.stringify(devices)",
    "by nobody": "",
}
"""Who keeps it that a device is gone, and how the page tells them."""
PROBE = """
import json

def requirement_1(before, after):
    there = any(c["owner"].startswith("Pump") or "Pump" in c["name"] for c in after["controls"]) or "Pump" in after["text"]
    others = after["text"].count("Boiler") == 1 and after["text"].count("Fan") == 1
    sent = [json.loads(each["fields"]["devices"]) for each in after["sent"]]
    return not there and others and sent == [["Boiler", "Fan"]] * SENT, f"gone: {not there}, {sent}"
"""
"""A Verifier that takes an entry which is gone for one which is disabled."""
FINISH: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
WITHDRAWS = {"kind": "withdraw", "where": "", "texts": ["Pump"]}


def contract(says: str) -> dict[str, Any]:
    return {"requirements": [{"parts": [1], "says": says, "seen_by": "screen", "files": []}], "context": [], "question": ""}


def removing(call: Call) -> dict[str, Any]:
    lines = call.text("volatile").splitlines()
    buttons = [line for line in lines if 'button "Remove' in line or 'button "Take out' in line]
    label = next((line for line in buttons if "Pump" in line), buttons[1]).split()[0]
    return {"operations": [{"function": "click_input", "control": label}], "branch": "Continue"}


async def worked(
    folder: Path,
    server: HTTPServer,
    task: str,
    *orders: dict[str, Any],
    kept: str = "by the service",
    page: str = PAGE,
    button: str = "Remove",
    probe: str = PROBE,
    lets: str = OPEN,
) -> tuple[Outcome, Journal, list[Call]]:
    devices = [DEVICES]

    def opened(_: Request) -> Response:
        there = f"JSON.parse(localStorage.devices || '{DEVICES}')" if kept == "by the page" else devices[-1]
        said = page.format(devices=there, keeping=KEPT[kept], button=button)
        return Response(said, content_type="text/html")

    def posted(request: Request) -> Response:
        devices.append(json.dumps(request.get_json(force=True)["devices"]))
        return Response("{}")

    server.expect_request("/devices", method="GET").respond_with_handler(opened)
    server.expect_request("/devices", method="POST").respond_with_handler(posted)
    policy = folder / "open.toml"
    policy.write_text(lets)
    waiting: dict[str, list[Any]] = {
        "Planner": [{"subtasks": [{"goal": task, "role": "Operator"}]}] * 5,
        "Operator": [removing, *[FINISH] * 30],
        "ContractWriter": [contract("Pump is disabled, and no other device")],
        "Verifier": [{"code": probe.replace("SENT", "1" if kept == "by the service" else "0")}] * 9,
        "OrderMatcher": [OTHER] * 9,
        "ConsentReader": [{"ordered": [{"quotes": [task], **each} for each in orders]}] * 3,
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role].pop(0)
        return reply(call) if callable(reply) else reply

    model = ScriptedModel([says] * 60, profile=Profile(name="scripted", context=128_000, contracts=True))
    url = f"http://127.0.0.1:{server.port}/devices"
    request = RunRequest(
        task=task, model="scripted:", workspace=folder / "work", desktop="browser", url=url, policy=policy, crew="planned"
    )
    journal = await session.run(request, settings_in(folder), model=model)
    if kept == "by the service":
        assert devices[1:] == ['["Boiler", "Fan"]'], "it is removed from the service's own store"
    outcome = journal.state.outcome
    assert outcome is not None
    return outcome, journal, model.calls


@pytest.mark.first_case
@pytest.mark.parametrize("kept", list(KEPT))
async def test_an_entry_that_is_gone_is_no_proof_that_it_was_changed(
    tmp_path: Path, httpserver: HTTPServer, kept: str
) -> None:
    outcome, journal, calls = await worked(tmp_path, httpserver, "Disable the device Pump.", kept=kept)
    approved = bodies(journal, e.OperationApproved)
    assert [(each.risk, each.by) for each in approved] == [("destroy", "policy")], "nobody was asked"
    assert outcome.status == "unverified", outcome
    assert (outcome.proofs[0].holds, outcome.proofs[0].unkept) == (None, True), "its own check says yes, which is no proof"
    assert "although the task does not order it: button 'Remove'" in outcome.why
    assert len(outcome.unordered) == 1
    (reader,) = [call for call in calls if call.role == "ConsentReader"]
    assert "Boiler" not in reader.text(), "it is shown the user's words alone"
    again = await replay(journal)
    assert again.difference is None, again.difference


async def test_what_the_task_orders_to_be_taken_away_is_done(tmp_path: Path, httpserver: HTTPServer) -> None:
    outcome, _, _ = await worked(tmp_path, httpserver, "Remove the device Pump.", WITHDRAWS)
    assert (outcome.status, outcome.unordered) == ("done", ()), outcome.why


async def test_the_users_words_are_read_while_the_verifier_is_asked(tmp_path: Path, httpserver: HTTPServer) -> None:
    outcome, journal, _ = await worked(tmp_path, httpserver, "Remove the device Pump.", WITHDRAWS)
    assert outcome.status == "done", outcome.why
    at = [
        (body.role, type(body)) for event in journal.events if isinstance(body := event.body, e.RoleCalled | e.RoleReplied)
    ]
    called = at.index(("Verifier", e.RoleCalled))
    assert at[-1] == ("Verifier", e.RoleReplied)
    assert {role for role, _ in at[called + 1 : -1]} == {"ConsentReader"}
    again = await replay(journal)
    assert again.equal, again.difference


async def test_words_that_the_user_did_not_write_order_nothing(tmp_path: Path, httpserver: HTTPServer) -> None:
    invented = {**WITHDRAWS, "quotes": ["Remove the device Pump."]}
    outcome, _, _ = await worked(tmp_path, httpserver, "Disable the device Pump.", invented)
    assert outcome.status == "unverified", outcome.why
    assert outcome.unordered


TABLE = PAGE.replace("<ul id=list></ul>", "<table><tr><th>Device<th>Room<tbody id=list></tbody></table>").replace(
    """`<li>${{d}} <button onclick="drop('${{d}}')">{button}</button></li>`""",
    """`<tr><td>${{d}}<td>Cellar<td><button onclick="drop('${{d}}')">{button}</button></tr>`""",
)
CARDS = (
    PAGE.replace("<ul id=list></ul>", "<p id=many></p><div id=list></div>")
    .replace(
        """`<li>${{d}} <button onclick="drop('${{d}}')">{button}</button></li>`""",
        """`<div><h2>${{d}}</h2><p>It is on</p><button onclick="drop('${{d}}')">{button}</button></div>`""",
    )
    .replace("function show() {{", "function show() {{ many.textContent = devices.length + ' devices'; ")
)
COUNTED = PROBE.replace("and sent ==", "and '2 devices' in after['text'] and sent ==")
SENDS = """
[[rules]]
name = "sending-here"
effect = "allow"
risk = ["send"]
place = ["virtual"]
"""
"""A policy under which nobody is asked about what is sent, but about what removes."""
PAGES = {"list": (PAGE, PROBE), "table": (TABLE, PROBE), "cards": (CARDS, COUNTED)}


@pytest.mark.first_case
@pytest.mark.parametrize("how", list(PAGES))
async def test_whatever_the_button_says_an_entry_that_is_gone_is_no_proof(
    tmp_path: Path, httpserver: HTTPServer, how: str
) -> None:
    """No table knows this button's words."""
    page, probe = PAGES[how]
    task = "Disable the device Pump."
    outcome, journal, calls = await worked(tmp_path, httpserver, task, page=page, button="Take out", probe=probe, lets=SENDS)
    assert "destroy" not in [each.risk for each in bodies(journal, e.OperationApproved)]
    assert outcome.status == "unverified", outcome
    assert "had only been taken away: 'Pump" in outcome.why, outcome.why
    told = [call.text() for call in calls if call.role == "Verifier"]
    assert "had only been taken away" in told[1], "its writer is told, and may look at something else"
    again = await replay(journal)
    assert again.difference is None, again.difference


async def test_the_same_button_is_right_where_the_task_orders_that(tmp_path: Path, httpserver: HTTPServer) -> None:
    outcome, _, _ = await worked(
        tmp_path, httpserver, "Take out the device Pump.", {**WITHDRAWS}, button="Take out", lets=SENDS
    )
    assert outcome.status == "done", outcome.why


MOVED = PAGE.replace("<ul id=list></ul>", "<ul id=list></ul><h2>Switched off</h2><ul id=off></ul>").replace(
    "list.innerHTML =",
    "let all = ['Boiler', 'Pump', 'Fan'].filter(d => !devices.includes(d));"
    "off.innerHTML = all.map(d => `<li>${{d}} is off</li>`).join(''); list.innerHTML =",
)
LOOKING = """
import json

def requirement_1(before, after):
    sent = [json.loads(each["fields"]["devices"]) for each in after["sent"]]
    there = [each["owner"] for each in after["controls"] if each["owner"]]
    lines = after["text"].splitlines()
    moved = "Pump is off" in lines and "Pump" not in lines and there == ["Boiler", "Fan"]
    return moved and sent == [there], f"looked where it is: {there}"
"""


async def test_an_entry_that_is_shown_elsewhere_in_its_new_state_is_proof(tmp_path: Path, httpserver: HTTPServer) -> None:
    outcome, _, _ = await worked(
        tmp_path, httpserver, "Disable the device Pump.", page=MOVED, button="Take out", probe=LOOKING, lets=SENDS
    )
    assert outcome.status == "done", outcome.why

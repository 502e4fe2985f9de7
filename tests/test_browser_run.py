"""Runs whose desktop is a browser: the loop, its rules and its guard do not know the difference."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from deskcrew.engine import rewind, session
from deskcrew.engine.request import RunRequest, request_of
from deskcrew.engine.steps.ending import UNCHECKED
from deskcrew.environments.browser import browsing
from deskcrew.environments.browser.launch import program
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.journal.exporting import export
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.killing import kill_browsers

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
SHOP = """<!doctype html><title>Lamp shop</title><h1>Lamps</h1><form onsubmit="return show()">
<label>Colour <select id=c><option>red<option>blue</select></label> <label>Pieces <input id=n type=number value=1>
</label><button>Show price</button></form><p id=out></p><a href="/list.csv" download>Price list</a>
<script>function show() {
out.textContent = 'Price: ' + (c.value == 'blue' ? 12 : 9) * n.value + ' euros'; return false }</script>"""


@pytest.fixture
def shop(httpserver: HTTPServer) -> str:
    httpserver.expect_request("/lamps").respond_with_data(SHOP, content_type="text/html")
    listed = Response("lamp,price\nblue,12\n", headers={"Content-Disposition": "attachment; filename=list.csv"})
    httpserver.expect_request("/list.csv").respond_with_handler(lambda _: listed)
    return f"http://127.0.0.1:{httpserver.port}/lamps"


def label(call: Call, what: str) -> str:
    """The label of the first control of a prompt that is described so."""
    found = re.search(rf"^(\S+) {what}", call.text(), flags=re.MULTILINE)
    assert found, f"no {what} in the prompt:\n{call.text('volatile')}"
    return found.group(1)


async def run(folder: Path, task: str, *replies: Any, **request_: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(replies)
    given = {"crew": "solo", "desktop": "browser"} | request_
    request = RunRequest(task=task, model="scripted:x", workspace=folder / "work", **{"crew": "planned", **given})
    return await session.run(request, settings_in(folder), model=model), model


async def test_a_page_is_opened_filled_in_and_read(tmp_path: Path, shop: str) -> None:
    def fills(call: Call) -> dict[str, Any]:
        assert f'"Lamp shop" of "Chromium" at "{shop}"' in call.text("volatile")
        choose = {"function": "select_option", "control": label(call, 'combo box "Colour"'), "option": "blue"}
        pieces = label(call, 'number field "Pieces"')
        count = {"function": "keyboard_input", "control": pieces, "keys": "3", "clear": True}
        press = {"function": "click_input", "control": label(call, 'button "Show price"')}
        return {"operations": [choose, count, press], "branch": "Continue"}

    def tells(call: Call) -> dict[str, Any]:
        assert "Price: 36 euros" in call.text("volatile")
        return {"operations": [], "answer": "36 euros", "branch": "RoleTaskFinish"}

    def answers(call: Call) -> dict[str, Any]:
        found = re.search(r"^(\d+): 36 euros", call.text("volatile"), flags=re.MULTILINE)
        assert found
        return {"answer": "36 euros", "sources": [found.group(1)], "branch": "Continue", "problem": ""}

    task = "Choose the colour blue and 3 pieces, press Show price and tell what the price is."
    plan = {"subtasks": [{"goal": "Find out what the price is", "role": "Worker"}], "question": "What is the price?"}
    journal, _ = await run(tmp_path, task, plan, fills, tells, answers, crew="planned", url=shop)
    ended = list(bodies(journal, e.ActionFinished))
    assert [body.ok for body in ended] == [True, True, True]
    begun = request_of(journal)
    assert (begun.desktop, begun.url) == ("browser", shop)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer, outcome.why) == ("unverified", "36 euros", UNCHECKED)
    assert outcome.sources


GIFT = """<!doctype html><title>Order</title><label><input type=checkbox onchange="to.disabled = !checked">A gift</label>
<label>For <input id=to disabled oninput="out.textContent = 'for ' + to.value"></label><p id=out></p>"""


async def test_what_is_disabled_may_be_used_in_the_reply_that_enables_it(tmp_path: Path, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/order").respond_with_data(GIFT, content_type="text/html")

    def fills(call: Call) -> dict[str, Any]:
        tick = {"function": "click_input", "control": label(call, 'check box "A gift"')}
        name = {"function": "keyboard_input", "control": label(call, 'text field "For"'), "keys": "Bo"}
        return {"operations": [tick, name], "branch": "RoleTaskFinish"}

    ends = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    url = f"http://127.0.0.1:{httpserver.port}/order"
    journal, _ = await run(tmp_path, "It is a gift for Bo.", fills, ends, url=url)
    ended = [(body.operation.function, body.ok) for body in bodies(journal, e.ActionFinished)]
    assert ended == [("click_input", True), ("keyboard_input", True)]


STEPS = """<!doctype html><title>Wheel</title><p id=out>none</p><script>let at = 0;
onkeydown = (event) => { if (event.key === 'ArrowDown') at++; if (event.key === 'Enter') out.textContent = `number ${at}`; };
</script>"""


async def test_a_key_that_moves_may_be_pressed_as_often_as_there_are_places(tmp_path: Path, httpserver: HTTPServer) -> None:
    """What it moves may show nothing of it; other keys are not pressed again where nothing changed."""
    httpserver.expect_request("/wheel").respond_with_data(STEPS, content_type="text/html")
    down, enter, other = ({"function": "hotkey", "keys": [key]} for key in ("Down", "Enter", "F2"))
    moves = {"operations": [down, down, down, down, down, enter], "branch": "Continue"}

    def presses(call: Call) -> dict[str, Any]:
        assert "number 5" in call.text("volatile")
        return {"operations": [other, other], "branch": "Continue"}

    ends = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    url = f"http://127.0.0.1:{httpserver.port}/wheel"
    journal, model = await run(tmp_path, "Take the fifth.", moves, presses, ends, url=url)
    assert [body.operation.params["keys"] for body in bodies(journal, e.ActionFinished)].count(["f2"]) == 1
    assert "was just done in the same way" in model.calls[-1].text()


@pytest.mark.deep
async def test_a_file_that_a_page_hands_over_is_evidence(tmp_path: Path, shop: str) -> None:
    def downloads(call: Call) -> dict[str, Any]:
        press = {"function": "download_file", "control": label(call, 'link "Price list"')}
        return {"operations": [press], "branch": "RoleTaskFinish"}

    journal, _ = await run(tmp_path, "Download the price list to list.csv.", downloads, url=shop)
    assert (tmp_path / "work" / "list.csv").read_text() == "lamp,price\nblue,12\n"
    finished = bodies(journal, e.ActionFinished)[0]
    assert finished.ok
    looks = bodies(journal, e.Observed)
    assert any("list.csv" in look.evidence.files_created for look in looks)


@pytest.mark.deep
async def test_hosts_that_are_not_allowed_are_not_reached(tmp_path: Path, shop: str) -> None:
    elsewhere = {"operations": [{"function": "open_url", "url": "https://elsewhere.example/x"}], "branch": "Continue"}
    journal, _ = await run(
        tmp_path, "Open the page elsewhere.", elsewhere, {"operations": [], "branch": "Interrupt"}, url=shop
    )
    assert [body.risk for body in bodies(journal, e.OperationDenied)] == ["network"]
    assert bodies(journal, e.ActionStarted) == []


async def test_what_is_wrong_with_a_request_is_said_before_anything_starts(tmp_path: Path, shop: str) -> None:
    with pytest.raises(UsageError, match="Only a browser"):
        await run(tmp_path, "Look.", desktop="none", url=shop)
    with pytest.raises(UsageError, match="cannot be the name"):
        await run(tmp_path, "Look.", session="../x")
    with pytest.raises(UsageError, match="page cannot be opened"):
        await run(tmp_path, "Look.", url="javascript:alert(1)")


@pytest.mark.deep
async def test_a_file_that_was_not_attached_is_told_how_to(tmp_path: Path) -> None:
    page = tmp_path / "form.html"
    page.write_text("<title>Form</title>")
    with pytest.raises(UsageError, match="cannot be opened") as failed:
        await run(tmp_path, "Look at it.", url=str(page))
    assert f"--attach={page} --url=form.html" in failed.value.hint


RULES = """[[rules]]
name = "a-page-of-ours"
effect = "allow"
risk = ["read", "write"]
action = ["click_input"]
"""
COUNTER = """<!doctype html><title>Count</title><button onclick="const r = new XMLHttpRequest();
r.open('POST', '/count', false); r.send(); this.textContent = 'Counted'">Count</button>
<button onclick="this.textContent = 'Thanked'">Thank</button>"""


@pytest.mark.deep
async def test_a_browser_killed_in_mid_action_says_what_to_do_and_nothing_is_done_twice(
    tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "ACT_SECONDS", 60.0)  # however busy the machine, the click lasts until the browser ends
    counted: list[int] = []

    def count(_: Any) -> Response:
        counted.append(kill_browsers())
        return Response("counted")

    httpserver.expect_request("/", method="GET").respond_with_data(COUNTER, content_type="text/html")
    httpserver.expect_request("/count", method="POST").respond_with_handler(count)
    (tmp_path / "rules.toml").write_text(RULES)

    def both(call: Call) -> dict[str, Any]:
        press = [{"function": "click_input", "control": label(call, f'button "{name}"')} for name in ("Count", "Thank")]
        return {"operations": press, "branch": "RoleTaskFinish"}

    task, url = "Press Count and Thank.", f"http://127.0.0.1:{httpserver.port}/"
    broken, _ = await run(tmp_path, task, both, url=url, policy=tmp_path / "rules.toml")
    assert len(counted) == 1
    assert counted[0]
    outcome = broken.state.outcome
    assert (outcome.status, outcome.reason) == ("failed", "environment")
    assert outcome.why.startswith("The browser has ended")
    assert "`deskcrew resume` continues" in outcome.why
    asked: list[str] = []

    def looks(call: Call) -> dict[str, Any]:
        asked.append(call.text())
        return {"operations": [], "branch": "Interrupt", "problem": "That is all."}

    journal = await session.resume("last", settings_in(tmp_path), model=ScriptedModel([looks]))
    assert len(counted) == 1, "what was going on is not done again without being asked for"
    assert [body.operation.control for body in bodies(journal, e.ActionStarted)] == ["1"], "nor what was to come after it"
    assert len(bodies(journal, e.ActionInterrupted)) + len(bodies(journal, e.ActionFinished)) == 1
    assert 'button "Count"' in asked[0], "there is a browser again, with the page"
    assert "interrupted" in asked[0]
    assert journal.verify() == []


MEMBERS = """<!doctype html><title>Club</title><p id=who></p><form method=post><button>Enter</button></form>
<script>who.textContent = document.cookie ? 'Welcome back, visit ' + (localStorage.visits = 1 + +(localStorage.visits || 0))
: 'Nobody is logged in'</script>"""


@pytest.mark.deep
async def test_who_goes_on_is_logged_in_as_they_were_then(tmp_path: Path, httpserver: HTTPServer) -> None:
    """After the end of a process, and after going back to before it logged in."""
    httpserver.expect_request("/", method="GET").respond_with_data(MEMBERS, content_type="text/html")
    entered = Response(status=303, headers={"Location": "/", "Set-Cookie": "who=m4711; Path=/"})
    httpserver.expect_request("/", method="POST").respond_with_handler(lambda _: entered)
    seen: list[str] = []

    def enters(call: Call) -> dict[str, Any]:
        seen.append(call.text("volatile"))
        press = {"function": "click_input", "control": label(call, 'button "Enter"')}
        return {"operations": [press], "branch": "Continue"}

    def looks(call: Call) -> dict[str, Any]:
        seen.append(call.text("volatile"))
        return {"operations": [], "branch": "Interrupt", "problem": "That is all."}

    def ends(call: Call) -> Any:
        seen.append(call.text("volatile"))
        raise KeyError("the process ends here")

    with pytest.raises(KeyError):
        await run(tmp_path, "Enter the club and look around.", enters, ends, url=f"http://127.0.0.1:{httpserver.port}/")
    settings = settings_in(tmp_path)
    journal = await session.resume("last", settings, model=ScriptedModel([looks]))
    assert "Nobody is logged in" in seen[0]
    assert "Welcome back, visit 1" in seen[1]
    assert "Welcome back, visit 2" in seen[2], "the cookie and what the page keeps are there again"
    kept = [*(settings.data / "stored" / journal.run).iterdir()]
    assert kept
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in kept)
    export(journal, tmp_path / "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as exported:
        assert not [name for name in exported.namelist() if b"m4711" in exported.read(name)]
    points = session.points_of(tmp_path / "work", journal)
    first = next(event for event in journal.events if isinstance(event.body, e.RoleReplied))
    with journal.claimed():
        rewind.go_back(journal, rewind.to_reply(journal, first.number, points), points)
    await session.resume("last", settings, model=ScriptedModel([looks]))
    assert "Nobody is logged in" in seen[3]
    remove(Store(settings.journal), [journal.run])
    assert not (settings.data / "stored" / journal.run).exists()


async def test_who_only_looked_about_or_pointed_is_shown_the_page_itself(tmp_path: Path, shop: str) -> None:
    """What a page tells in words may not be enough, which only who reads it can know."""

    def presses(call: Call) -> dict[str, Any]:
        press = {"function": "click_input", "control": label(call, 'button "Show price"')}
        return {"operations": [press], "branch": "Continue"}

    looks = {"operations": [{"function": "read_page"}, {"function": "find_text", "text": "Sofas"}], "branch": "Continue"}
    points = {"operations": [{"function": "click_point", "x": 60, "y": 40}], "branch": "Continue"}
    ends = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    journal, _ = await run(tmp_path, "Show the price.", looks, presses, points, ends, url=shop)
    shown = [[part.kind for part in body.parts].count("image") for body in bodies(journal, e.RoleCalled)]
    assert shown == [0, 2, 0, 2], "plain, and with its controls marked"

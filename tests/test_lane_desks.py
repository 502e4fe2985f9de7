"""Lanes with a browser each: parts that work on pages are done side by side, each where it is looked at."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew import events as e
from deskcrew import session
from deskcrew.environments.browser.launch import program
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from deskcrew.replay.replay import replay
from deskcrew.report.operations import Looks
from deskcrew.request import RunRequest
from deskcrew.settings import DeskCounts
from support.crew import bodies, by_role, settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
FRUITS = ("apples", "pears")


class Killed(BaseException):
    """Stands for the end of the process: nothing in the engine catches it."""


@pytest.fixture
def shop(httpserver: HTTPServer) -> str:
    """A page for each fruit, with a button by which it is ordered; who has ordered, has a cookie."""

    def answer(request: Request) -> Response:
        fruit, had = request.path.strip("/"), ",".join(sorted(request.cookies)) or "nothing"
        script = f"onclick=\"document.cookie='{fruit}=1'; document.title='{fruit} ordered'\""
        body = f"<!doctype html><title>{fruit}</title><p>Had: {had}</p><button {script}>Order {fruit}</button>"
        return Response(body, content_type="text/html")

    for path in (*FRUITS, "basket"):
        httpserver.expect_request(f"/{path}").respond_with_handler(answer)
    return f"http://127.0.0.1:{httpserver.port}"


def fruit_of(call: Call) -> str:
    return re.findall(r"Your part: (?:order|look at) (\w+)", call.text())[0]


class Ordering:
    """Opens the page of its part, presses the button there, and says that it is done. ``asked``: of whom, with what each was
    shown of the screen."""

    def __init__(self, shop: str) -> None:
        self.shop = shop
        self.asked: list[tuple[str, str]] = []

    def __call__(self, call: Call) -> dict[str, Any]:
        fruit, shown = fruit_of(call), call.text("volatile")
        self.asked.append((fruit, shown))
        if f'"{fruit} ordered"' in shown or (f"/{fruit}" in shown.split("Had: ")[0] and fruit == "basket"):
            return {"operations": [], "branch": "RoleTaskFinish"}
        button = re.search(rf'^(\S+) button "Order {fruit}"', shown, flags=re.MULTILINE)
        press = {"function": "click_input", "control": button.group(1)} if button else None
        go = {"function": "open_url", "url": f"{self.shop}/{fruit}"}
        return {"operations": [press or go], "branch": "Continue"}


def ordering(shop: str) -> tuple[Ordering, ScriptedModel]:
    order = Ordering(shop)
    subtasks: list[dict[str, Any]] = [{"goal": f"order {fruit}", "role": "Searcher", "needs": []} for fruit in FRUITS]
    subtasks.append({"goal": "look at basket", "role": "Searcher", "needs": ["1", "2"]})
    return order, by_role(None, Planner={"subtasks": subtasks, "question": ""}, Searcher=order)


async def ordered(folder: Path, shop: str, model: ScriptedModel, *, browsers: int = 2, **more: Any) -> Journal:
    request = RunRequest(
        task="Order apples and pears.",
        model="scripted:x",
        workspace=folder / "work",
        desktop="browser",
        url=f"{shop}/basket",
        lanes=2,
    )
    settings = settings_in(folder).model_copy(update={"desks": DeskCounts(browsers=browsers)})
    return await session.run(request, settings, model=model, **more)


async def equal(journal: Journal) -> None:
    again = await replay(journal)
    assert again.equal, again.difference
    assert again.events == len(journal.events)


@pytest.mark.deep
async def test_two_parts_on_pages_have_a_browser_each(tmp_path: Path, shop: str) -> None:
    order, model = ordering(shop)
    journal = await ordered(tmp_path, shop, model)
    assert journal.state.plan.finished
    opened = bodies(journal, e.LanesOpened)
    assert [(body.subtasks, body.desks) for body in opened] == [(("1", "2"), {"2": 2})]
    assert {"desks": 2}.items() <= bodies(journal, e.RunStarted)[0].settings.items()
    # Each sees its own browser, which began at the page of the run's.
    for fruit, other in (FRUITS, FRUITS[::-1]):
        shown = [text for asked, text in order.asked if asked == fruit]
        assert f"{shop}/basket" in shown[0]
        assert not [text for text in shown if f"/{other}" in text]
    looks = [(event.header.lane, event.body.desk) for event in journal.events if isinstance(event.body, e.Observed)]
    assert {look for look in looks if look[0] in ("1", "2")} == {("1", 1), ("2", 2)}
    # What needs them goes on where the last of them was done, with what both have stored.
    basket = [text for asked, text in order.asked if asked == "basket"]
    assert f"{shop}/pears" in basket[0]
    assert "Had: apples,pears" in basket[-1]
    assert looks[-1][1] == 2
    # What was pressed is told by the look of the lane in which it was.
    told = Looks(journal)
    pressed: dict[str, str] = {}
    for event in journal.events:
        if isinstance(event.body, e.OperationProposed) and event.body.operation.control:
            look = told.before(event)
            assert look is not None
            control = look.control(event.body.operation.control)
            assert control is not None
            pressed[event.header.lane] = control.name
    assert pressed == {"1": "Order apples", "2": "Order pears"}
    await equal(journal)


@pytest.mark.deep
async def test_with_one_browser_they_take_turns(tmp_path: Path, shop: str) -> None:
    _, model = ordering(shop)
    journal = await ordered(tmp_path, shop, model, browsers=1)
    assert journal.state.plan.finished
    assert not bodies(journal, e.LanesOpened)
    assert {body.desk for body in bodies(journal, e.Observed)} == {1}


@pytest.mark.deep
async def test_a_run_that_was_killed_goes_on_in_all_its_browsers(tmp_path: Path, shop: str) -> None:
    """Also with what was stored only in the one that a lane had."""

    def watch(event: e.Event, journal: Journal) -> None:
        ordered_there = isinstance(event.body, e.Judged) and event.header.lane == "2" and event.body.scope == "effect"
        if ordered_there and done_in(journal, "2") == ["open_url", "click_input"]:
            raise Killed

    _, model = ordering(shop)
    with pytest.raises(Killed):
        await ordered(tmp_path, shop, model, watch=watch)
    before = Store.of(settings_in(tmp_path)).journal("last")
    assert {body.desk for body in bodies(before, e.Observed)} == {1, 2}
    order, again = ordering(shop)
    after = await session.resume(before.run, settings_in(tmp_path), model=again)
    assert after.state.plan.finished
    reopened = bodies(after, e.RunResumed)[0].reopened
    assert f"{shop}/pears" in reopened
    assert "Had: apples,pears" in [text for asked, text in order.asked if asked == "basket"][-1]
    assert after.verify() == []
    await equal(after)


def done_in(journal: Journal, lane: str) -> list[str]:
    return [
        event.body.operation.function
        for event in journal.events
        if isinstance(event.body, e.ActionFinished) and event.header.lane == lane
    ]

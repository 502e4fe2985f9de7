"""Lanes with a browser each: parts that work on pages are done side by side, each where it is looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from tests.test_kept import PAGE, Diary, label, row, served
from werkzeug import Request, Response

from deskcrew.engine import session
from deskcrew.engine.human.questions import Approval, OperationQuestion
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments import loading_anew
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import DeskCounts
from deskcrew.ways_in.report.operations import Looks
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
    return order, by_role(None, Planner={"subtasks": subtasks}, Searcher=order)


async def ordered(folder: Path, shop: str, model: ScriptedModel, *, browsers: int = 2, **more: Any) -> Journal:
    request = RunRequest(
        task="Order apples and pears.",
        model="scripted:x",
        workspace=folder / "work",
        desktop="browser",
        url=f"{shop}/basket",
        lanes=2,
        crew="planned",
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
    assert bodies(journal, e.RunStarted)[0].settings.desks == 2
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


# -- what each of them sent is looked at again where it was sent

KEEPS = "Add the entry apples at 14:00. Add the entry pears at 15:00."
WHEN = {"apples": "14:00", "pears": "15:00"}
KEPT_PROBE = """
def requirement_{number}(before, after):
    lines = [line for page in (after, *after["pages"]) for line in page["text"].splitlines()]
    shown = [line for line in lines if line.startswith("{fruit} at")]
    sent = [each["fields"] for each in after["sent"] if each["method"] == "POST" and each["fields"].get("what") == "{fruit}"]
    right = sent == [{{"what": "{fruit}", "when": "{when}"}}]
    return right and {{*shown}} == {{"{fruit} at {when}"}}, f"{{shown}}, {{sent}}"
"""


@dataclass
class Baskets(Diary):
    """A page for each fruit with its entries. ``loses``: fruits of which it keeps nothing, and says that it has."""

    loses: tuple[str, ...] = ()

    def take(self, entry: dict[str, str]) -> dict[str, str]:
        self.posts += 1
        if entry["what"] not in self.loses:
            self.entries.append(entry)
        return {"message": "Your entry was saved"}

    def page(self, path: str, session: str = "") -> str:
        fruit = path.strip("/")
        rows = "".join(f"<li>{row(entry)}</li>" for entry in self.entries if entry["what"] == fruit)
        return PAGE.format(rows=rows, more="").replace("<h1>Diary", f"<h1>Diary of {fruit}")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("loses", "proven"), [((), [True, True]), (("pears",), [True, False]), (("apples",), [False, True])]
)
async def test_what_a_lane_sent_is_looked_at_again_in_its_own_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loses: tuple[str, ...], proven: list[bool]
) -> None:
    monkeypatch.setattr(loading_anew, "PAUSES", (0.0, 0.2, 0.4))
    baskets = Baskets(entries=[], loses=loses)
    requirements = [
        {"parts": [number], "says": f"There is an entry {fruit} at {WHEN[fruit]}", "seen_by": "screen", "files": []}
        for number, fruit in enumerate(FRUITS, 1)
    ]
    probes = "".join(
        KEPT_PROBE.format(number=number, fruit=fruit, when=WHEN[fruit]) for number, fruit in enumerate(FRUITS, 1)
    )
    entered: list[str] = []
    with served(baskets) as url:

        def enters(call: Call) -> dict[str, Any]:
            fruit, shown = fruit_of(call), call.text("volatile")
            if fruit not in entered and f"Diary of {fruit}" not in shown:
                return {"operations": [{"function": "open_url", "url": f"{url}/{fruit}"}], "branch": "Continue"}
            if fruit in entered:
                return {"operations": [], "branch": "RoleTaskFinish"}
            entered.append(fruit)
            typed = [
                {"function": "keyboard_input", "control": label(call, f'text field "{name}"'), "keys": keys}
                for name, keys in (("What", fruit), ("When", WHEN[fruit]))
            ]
            pressed = {"function": "click_input", "control": label(call, 'button "Save entry"')}
            return {"operations": [*typed, pressed], "branch": "Continue"}

        model = by_role(
            Profile(name="scripted", context=128_000, contracts=True),
            Planner={"subtasks": [{"goal": f"order {fruit}", "role": "Searcher", "needs": []} for fruit in FRUITS]},
            Searcher=enters,
            ContractWriter={"requirements": requirements},
            Verifier={"code": probes},
            Reviewer={"analyze": "", "verdict": "continue", "judgement": ""},
        )
        request = RunRequest(
            task=KEEPS, model="scripted:x", workspace=tmp_path / "work", desktop="browser", url=f"{url}/", lanes=2,
            mode="passive", crew="planned",
        )  # fmt: skip
        settings = settings_in(tmp_path).model_copy(update={"desks": DeskCounts(browsers=2)})
        journal = await session.run(request, settings, model=model, human=PythonResponder(operation=allows))
    assert bodies(journal, e.LanesOpened)[0].desks == {"2": 2}
    assert baskets.posts == 2
    looks = {body.fresh.address: (body.desk, body.fresh.lost) for body in bodies(journal, e.Observed) if body.fresh}
    assert looks == {f"{url}/apples": (1, ""), f"{url}/pears": (2, "")}
    outcome = journal.state.outcome
    assert outcome is not None
    assert [proof.holds for proof in outcome.proofs] == proven
    assert outcome.status == ("done" if all(proven) else "failed"), outcome
    await equal(journal)


async def allows(_: OperationQuestion) -> Approval:
    return Approval(allowed=True)

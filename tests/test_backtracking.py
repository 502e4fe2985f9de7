"""A crew that goes back by itself: to the earliest reply that was wrong, with the world as it was before it, and never past
what cannot be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from starlette.testclient import TestClient
from werkzeug import Request, Response

from deskcrew.engine import attempts, session
from deskcrew.engine.human.questions import Approval
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.journal.branches import branches
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Profile
from deskcrew.settings import Limits
from deskcrew.ways_in.cli import main
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from support.crew import By, bodies, by_role, settings_in

pytestmark = pytest.mark.anyio

TASK = "Write the sum of the amounts in costs.csv to total.txt."
COSTS = "item,amount,tax\nrope,19.50,1\nlamp,23,2\n"
CONTRACT: dict[str, Any] = {
    "requirements": [
        {
            "parts": [1],
            "says": "total.txt holds the sum",
            "seen_by": "checks",
            "files": ["total.txt", "sum.json"],
            "checks": [
                {"kind": "file_is", "target": "total.txt", "text": "42.50"},
                {"kind": "file_is", "target": "sum.json", "text": "42.5"},
            ],
        }
    ]
}
ONE_FILE: dict[str, Any] = {
    "requirements": [
        CONTRACT["requirements"][0]
        | {"files": ["total.txt"], "checks": [{"kind": "file_is", "target": "total.txt", "text": "42.50"}]}
    ]
}
LOOKS = {"code": "def requirement_1(start, end):\n    return (end / 'total.txt').read_text() == '42.50', 'the total'"}
CREW = 'name = "mine"\ndescription = "Goes back."\npool = ["Worker"]\nplanner = ""\nassigns = []\nreview = "rules"\n{more}'
SUMS = (
    "import csv, json; rows = csv.DictReader(open('costs.csv')); "
    "json.dump(sum(float(r['{column}']) for r in rows), open('sum.json', 'w'))"
)
WRITES = "import json; open('total.txt', 'w').write(format(json.load(open('sum.json')), '.2f'))"
TAX, AMOUNT = "Sum the column amount, not tax.", "the column is amount"


def step(code: str, branch: str = "Continue") -> dict[str, Any]:
    return {"operations": [{"function": "run_python_code", "code": code}], "branch": branch}


def worker(call: Call) -> Mapping[str, Any]:
    """Sums the wrong column until it is told which, in one reply, and writes it in the next."""
    if "- sum.json" in call.text("task"):
        return step(WRITES, "RoleTaskFinish")
    right = "was undone: " + TAX in call.text("volatile")
    return step(SUMS.format(column="amount" if right else "tax") + ("" if right else "; open('scratch.tmp', 'w')"))


def tracing(call: Call) -> Mapping[str, Any]:
    """Names the first reply that is shown."""
    first = call.text("volatile").partition("The replies:\n")[2].split()[0]
    return {"why": "It summed the taxes.", "reply": first, "guidance": TAX}


def crew(asked: list[Call] | None = None, back: By = tracing, work: By = worker, **more: Any) -> Any:
    def heard(by: By) -> By:
        def reply(call: Call) -> Any:
            (asked if asked is not None else []).append(call)
            return by(call)

        return reply

    profile = Profile(name="scripted", context=128_000, contracts=True)
    roles = {"ContractWriter": CONTRACT, "Verifier": LOOKS} | more
    return by_role(profile, Worker=heard(work), Backtracker=heard(back), **roles)


def request(folder: Path, more: str = 'backtracker = "Backtracker"\n', **given: Any) -> RunRequest:
    crews, work = settings_in(folder).config / "crews", folder / "work"
    crews.mkdir(parents=True, exist_ok=True)
    (crews / "mine.toml").write_text(CREW.format(more=more))
    work.mkdir(exist_ok=True)
    (work / "costs.csv").write_text(COSTS)
    usual = {"task": TASK, "model": "scripted:none", "crew": "mine", "workspace": work, "desktop": "none"}
    return RunRequest(**(usual | given))


def names(folder: Path) -> set[str]:
    return {path.name for path in (folder / "work").iterdir()}


def found(journal: Journal) -> list[e.FaultFound]:
    return [event.body for event in journal.all if isinstance(event.body, e.FaultFound)]


def status(journal: Journal) -> str:
    assert journal.state.outcome is not None
    return journal.state.outcome.status


async def test_it_goes_back_to_the_reply_that_was_wrong_and_on_from_the_files_of_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Call] = []
    journal = await attempts.run(request(tmp_path), settings_in(tmp_path), model=crew(asked))
    assert status(journal) == "done"
    assert names(tmp_path) == {"costs.csv", "sum.json", "total.txt"}, "what the wrong reply left is gone"
    assert [call.role for call in asked] == ["Worker", "Worker", "Backtracker", "Worker", "Worker"]
    trail = asked[2].text("volatile")
    assert "total.txt" in trail.partition("The replies:")[0], "what is wrong is told"
    assert "-> " in trail
    assert "scratch.tmp" in trail
    [fault] = found(journal)
    assert (fault.role, fault.guidance) == ("Worker", TAX)
    [back] = bodies(journal, e.Rewound)
    assert (back.words_of, back.faults, back.guidance) == ("crew", 1, TAX)
    assert [branch.current for branch in branches(journal)] == [False, True]
    assert Store.of(settings_in(tmp_path)).journal(journal.run).verify() == []
    for branch in branches(journal):
        assert (await replay(journal, branch.head)).difference is None
    monkeypatch.setenv("DESKCREW_DATA", str(settings_in(tmp_path).data))
    with pytest.raises(SystemExit):
        main(["log", journal.run, "--all"])
    told = capsys.readouterr().out
    assert "looked back: reply" in told
    assert "goes back: Worker is asked again" in told
    access = Access(b"k" * 32)
    origin = "http://127.0.0.1:8700"
    with TestClient(
        create_app(settings_in(tmp_path), access, [origin], folder=tmp_path / "sockets"), base_url=origin
    ) as web:
        web.get("/enter", params={"token": access.link()})
        assert "goes back:" in web.get(f"/runs/{journal.run}").text


async def test_where_all_goes_well_nobody_looks_back(tmp_path: Path) -> None:
    asked: list[Call] = []

    def right(call: Call) -> Mapping[str, Any]:
        return step(f"{SUMS.format(column='amount')}\n{WRITES}", "RoleTaskFinish")

    journal = await attempts.run(request(tmp_path), settings_in(tmp_path), model=crew(asked, work=right))
    assert status(journal) == "done"
    assert [call.role for call in asked] == ["Worker"]
    assert not found(journal)


@pytest.mark.parametrize("less", [(), ("backtracker",)], ids=["in a crew without", "switched off"])
async def test_a_crew_without_it_repairs_forward(tmp_path: Path, less: tuple[str, ...]) -> None:
    asked: list[Call] = []
    given = {"without": less} if less else {"more": ""}
    journal = await attempts.run(request(tmp_path, **given), settings_in(tmp_path), model=crew(asked))
    assert "Backtracker" not in {call.role for call in asked}
    assert not found(journal)
    assert (tmp_path / "work" / "scratch.tmp").exists()


async def test_it_goes_on_from_where_it_is_if_no_reply_is_to_be_taken_back(tmp_path: Path) -> None:
    def none(call: Call) -> Mapping[str, Any]:
        return {"why": "One line puts it right.", "reply": "none"}

    def mends(call: Call) -> Mapping[str, Any]:
        wrong = "- sum.json" not in call.text("task")
        return step(SUMS.format(column="tax" if wrong else "amount") + f"\n{WRITES}", "RoleTaskFinish")

    journal = await attempts.run(request(tmp_path), settings_in(tmp_path), model=crew(back=none, work=mends))
    assert status(journal) == "done"
    assert [(fault.reply, fault.why) for fault in found(journal)] == [(0, "One line puts it right.")]
    assert len(branches(journal)) == 1
    assert (await replay(journal)).difference is None


async def test_it_looks_back_twice_in_a_run_and_no_more(tmp_path: Path) -> None:
    asked: list[Call] = []

    def never(call: Call) -> Mapping[str, Any]:
        return step(f"{SUMS.format(column='tax')}\n{WRITES}", "RoleTaskFinish")

    journal = await attempts.run(request(tmp_path), settings_in(tmp_path), model=crew(asked, work=never))
    assert status(journal) == "failed"
    assert [call.role for call in asked].count("Backtracker") == 2
    assert len(branches(journal)) == 3
    for branch in branches(journal):
        assert (await replay(journal, branch.head)).difference is None


async def test_what_was_used_on_the_branch_that_is_left_counts_against_the_limits(tmp_path: Path) -> None:
    limits = Limits(operations=5, tokens=100_000, seconds=500)
    journal = await attempts.run(request(tmp_path, limits=limits), settings_in(tmp_path), model=crew())
    assert status(journal) == "done"
    [resumed] = bodies(journal, e.RunResumed)
    left = Limits.model_validate(resumed.settings.limits)
    assert left.operations == 3
    assert left.seconds is not None
    assert left.seconds < 500


async def test_a_run_that_died_before_it_went_back_does_so_when_it_is_resumed(tmp_path: Path) -> None:
    journal = await session.run(request(tmp_path), settings_in(tmp_path), model=crew())
    assert journal.state.phase == "back"
    assert "scratch.tmp" in names(tmp_path)
    journal = await attempts.resume(journal.run, settings_in(tmp_path), model=crew())
    assert status(journal) == "done"
    assert "scratch.tmp" not in names(tmp_path)


async def test_where_somebody_else_changed_a_file_meanwhile_it_repairs_forward_and_says_why(tmp_path: Path) -> None:
    asked: list[Call] = []

    def meanwhile(call: Call) -> Mapping[str, Any]:
        if "- sum.json" in call.text("task"):
            (tmp_path / "work" / "mine.txt").write_text("a person's own")
            return {
                "operations": [{"function": "make_folder", "folder": "kept"}, *step(WRITES)["operations"]],
                "branch": "RoleTaskFinish",
            }
        return worker(call)

    journal = await attempts.run(request(tmp_path), settings_in(tmp_path), model=crew(asked, work=meanwhile))
    assert "Backtracker" not in {call.role for call in asked}
    assert "somebody else changed mine.txt" in found(journal)[0].why
    assert (tmp_path / "work" / "mine.txt").read_text() == "a person's own"


async def test_a_crew_that_does_not_get_on_looks_back_before_it_gives_up(tmp_path: Path) -> None:
    def stuck(call: Call) -> Mapping[str, Any]:
        if "was undone" in call.text("volatile"):
            return step(f"{SUMS.format(column='amount')}\n{WRITES}", "RoleTaskFinish")
        return step("print('the same')")

    limits = Limits(stalls=2)
    journal = await attempts.run(request(tmp_path, limits=limits), settings_in(tmp_path), model=crew(work=stuck))
    assert status(journal) == "done"
    assert "changed nothing" in found(journal)[0].wrong


async def test_a_checker_that_sends_work_back_has_it_looked_back(tmp_path: Path) -> None:
    def mentor(call: Call) -> Mapping[str, Any]:
        right = (tmp_path / "work" / "sum.json").read_text() == "42.5"
        return {
            "observation": "sum.json",
            "why": "" if right else "These are the taxes.",
            "verdict": "accept" if right else "repair",
        }

    more = 'backtracker = "Backtracker"\nchecker = "Mentor"\n'
    journal = await attempts.run(request(tmp_path, more), settings_in(tmp_path), model=crew(Mentor=mentor))
    assert status(journal) == "done"
    assert [fault.wrong for fault in found(journal)] == ["These are the taxes."]


@pytest.fixture
def shop(httpserver: HTTPServer) -> HTTPServer:
    pages = {"/old": "Price list of last year: 7", "/new": "Price list: 9"}
    for path, text in pages.items():
        httpserver.expect_request(path).respond_with_data(f"<title>Shop</title><p>{text}</p>", content_type="text/html")
    form = '<title>Order</title><form method="post" action="/sent"><input type="submit" value="Send order"></form>'
    httpserver.expect_request("/form").respond_with_data(form, content_type="text/html")

    def sent(_: Request) -> Response:
        return Response("<title>Sent</title><p>Thank you</p>", content_type="text/html")

    httpserver.expect_request("/sent", method="POST").respond_with_handler(sent)
    return httpserver


def on_pages(first: Callable[[Call], dict[str, Any]], shop: HTTPServer) -> By:
    """Opens a page, writes what it takes for the price, and does it right once told that the page was the wrong one."""

    def work(call: Call) -> Mapping[str, Any]:
        told = call.text("volatile")
        if "was undone" in told:
            return {"operations": [{"function": "open_url", "url": shop.url_for("/new")}], "branch": "Continue"}
        price = "9" if "Price list: 9" in told else "7" if "last year" in told or "Thank you" in told else ""
        if price:
            write = {"function": "write_file", "file_path": "total.txt", "text": "42.50" if price == "9" else price}
            return {"operations": [write], "branch": "RoleTaskFinish"}
        return first(call)

    return work


async def test_a_browser_is_at_its_page_of_then_again(tmp_path: Path, shop: HTTPServer) -> None:
    def opens(call: Call) -> dict[str, Any]:
        return {"operations": [{"function": "open_url", "url": shop.url_for("/old")}], "branch": "Continue"}

    there = request(tmp_path, desktop="browser", url=shop.url_for("/form"), hosts=(f"127.0.0.1:{shop.port}",))
    asked: list[Call] = []
    journal = await attempts.run(
        there, settings_in(tmp_path), model=crew(asked, work=on_pages(opens, shop), ContractWriter=ONE_FILE)
    )
    assert status(journal) == "done"
    again = asked[[call.role for call in asked].index("Backtracker") + 1]
    assert "Send order" in again.text("volatile"), "the page that was open before the wrong reply"


async def test_past_what_a_page_sent_it_does_not_go_back(tmp_path: Path, shop: HTTPServer) -> None:
    def sends(call: Call) -> dict[str, Any]:
        line = next((line for line in call.text("volatile").splitlines() if "Send order" in line), "")
        click = {"function": "click_input", "control": line.partition(" ")[0]}
        return {"operations": [click] if line else [], "branch": "Continue" if line else "RoleTaskFinish"}

    there = request(
        tmp_path, desktop="browser", url=shop.url_for("/form"), hosts=(f"127.0.0.1:{shop.port}",), mode="passive"
    )
    asked: list[Call] = []

    def none(call: Call) -> Mapping[str, Any]:
        (shown,) = [line for line in call.text("volatile").splitlines() if "cannot be taken back" in line]
        assert "Worker" in shown
        return {"why": "It was sent.", "reply": "none"}

    journal = await attempts.run(
        there,
        settings_in(tmp_path),
        model=crew(asked, back=none, work=on_pages(sends, shop), ContractWriter=ONE_FILE),
        human=PythonResponder(operation=lambda _: Approval(allowed=True)),
    )
    assert len([1 for sent, _ in shop.log if sent.method == "POST"]) == 1
    assert found(journal)
    assert len(branches(journal)) == 1

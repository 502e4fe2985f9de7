"""A contract that is asked about is shown as in the terminal, and changed in a form."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.engine.human.questions import ReplyQuestion
from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from deskcrew.models.recorded import RecordedReply, keep
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.person import shown
from support.crew import bodies
from support.waiting import until
from web.browsing import overflowing
from web.pressing import Hall, hall

pytestmark = pytest.mark.timeout(600)
TASK = "Copy a.txt to b.txt. Say how long it is. Thanks!"
COPY: dict[str, Any] = {
    "parts": [1],
    "says": "b.txt is a copy of a.txt",
    "seen_by": "checks",
    "checks": [{"kind": "same_as", "target": "b.txt", "text": "a.txt"}],
}
LONG: dict[str, Any] = {"parts": [2], "says": "The user is told how long it is", "seen_by": "answer", "files": ["a.txt"]}
REPLY: dict[str, Any] = {"requirements": [COPY, LONG], "context": [3], "question": "How long is a.txt?"}
SCRIPT = {"hx-request": "true"}
"""A script of the page sends it, and puts the response into the page."""
AS_IT_WAS: dict[str, Any] = {
    "says": [COPY["says"], LONG["says"], "", ""],
    "seen_by": ["checks", "answer", "probe", "probe"],
    "files": ["", "a.txt", "", ""],
    "part": ["1", "1"],
    "check": ["1.1"],
    "told": REPLY["question"],
}


def recorded(folder: Path) -> str:
    """The model string of recorded replies that begin with the contract."""
    keep(folder / "replies.json", [RecordedReply(role="ContractWriter", reply=json.dumps(REPLY))])
    return "recorded:replies.json"


@pytest.fixture
def asked(
    person: TestClient, settings: Settings, tmp_path: Path, own_runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[str]:
    """The address of the question about the contract of a real run that waits for its answer."""
    monkeypatch.chdir(tmp_path)
    form = {"task": TASK, "model": recorded(tmp_path), "crew": "solo", "mode": "passive", "desktop": "none"}
    place = person.post("/start", data=form).headers["hx-redirect"]
    assert until(lambda: "/answers/" in person.get(place).text)
    (where, *_) = re.findall(r'hx-post="([^"]+/answers/[^"]+/contract)"', person.get(place).text)
    yield where
    person.post(f"{place}/stop")


def agreed(settings: Settings, where: str) -> e.GoalSet:
    store = Store(settings.journal)
    run = where.split("/")[2]
    assert until(lambda: bodies(store.journal(run), e.GoalSet))
    return bodies(store.journal(run), e.GoalSet)[-1]


def test_it_reads_as_in_the_terminal(person: TestClient, asked: str) -> None:
    page = person.get(asked.partition("/answers/")[0]).text
    question = html.unescape(re.sub("<[^>]*>", "", page.partition('id="question"')[2].partition("<details>")[0]))
    terminal = shown(ReplyQuestion(role="ContractWriter", reply=REPLY | {"requirements": whole()}, contract=True)).plain
    for line in terminal.strip().splitlines()[1:]:
        assert re.sub(r"^\s*\d+\. ", "", line).strip().replace("  (", " (") in question
    assert "b.txt is what a.txt was at the start, byte by byte" in question
    assert "Of the files only b.txt may change." in question
    assert "As JSON" not in page.partition('id="question"')[2].partition("</section>")[0]


def whole() -> list[dict[str, Any]]:
    usual: dict[str, Any] = {"files": [], "checks": [], "stays": False}
    return [usual | each for each in REPLY["requirements"]]


def test_it_is_reworded_shortened_and_added_to(person: TestClient, settings: Settings, asked: str) -> None:
    form = AS_IT_WAS | {
        "says": ["b.txt is a.txt in capitals", LONG["says"], "a.txt is as it was", ""],
        "seen_by": ["probe", "answer", "probe", "probe"],
        "files": ["b.txt\r\n c d.txt \r\n", "a.txt", "", ""],
        "check": [],
        "stays": ["3"],
        "drop": ["2"],
        "told": "",
    }
    answer = person.post(asked, data=form, headers=SCRIPT)
    assert "Sent." in answer.text
    contract = agreed(settings, asked).contract
    assert contract is not None
    assert contract.by == "human"
    assert [(each.says, each.seen_by, each.files, each.stays) for each in contract.requirements] == [
        ("b.txt is a.txt in capitals", "probe", ("b.txt", "c d.txt"), False),
        ("a.txt is as it was", "probe", (), True),
    ]
    assert contract.question == ""
    assert contract.missed == (), "what was removed on purpose is not said to be missing"


@pytest.mark.first_case
@pytest.mark.parametrize("headers", [SCRIPT, {}])
def test_left_as_it_is_it_is_what_was_proposed(
    person: TestClient, settings: Settings, asked: str, headers: dict[str, str]
) -> None:
    answer = person.post(asked, data=AS_IT_WAS, headers=headers, follow_redirects=False)
    assert answer.status_code == (200 if headers else 303)
    contract = agreed(settings, asked).contract
    assert contract is not None
    assert [each.says for each in contract.requirements] == [COPY["says"], LONG["says"]]
    assert contract.requirements[0].checks[0].kind == "same_as"
    assert contract.requirements[1].quotes == ("Say how long it is.",)


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"says": ["  ", LONG["says"], "", ""]}, "says-1", "Say what must hold"),
    ({"check": []}, "seen-1", "It has no rules."),
    ({"seen_by": ["guess", "answer", "probe", "probe"]}, "seen-1", "Choose how it is verified."),
    ({"told": ""}, "told", "Say what you want to be told."),
    ({"drop": ["2"]}, "told", "no requirement is verified by the answer"),
    ({"drop": ["1", "2"], "told": ""}, "contract", "No requirement would be left."),
    ({"says": [COPY["says"], LONG["says"], "x", ""], "part": ["7", "1"]}, "part-3", "Choose the part of the task"),
    (
        {"seen_by": ["reading", "answer", "probe", "probe"], "files": ["**/*", "", "", ""]},
        "files-1",
        "what is common to their names",
    ),
    ({"says": ["x"]}, "contract", "Reload the page."),
    ({"check": ["1.x"]}, "seen-1", "It has no rules."),
]


def test_what_cannot_be_used_is_said_at_its_field(person: TestClient, asked: str) -> None:
    place = asked.partition("/answers/")[0]
    page = person.get(place).text
    for changed, field, said in WRONG:
        answer = person.post(asked, data=AS_IT_WAS | changed, headers=SCRIPT)
        assert (answer.status_code, answer.headers.get("hx-retarget")) == (400, f"#error-{field}"), changed
        assert said in html.unescape(answer.text)
        assert f'id="error-{field}"' in page
    assert "/answers/" in person.get(place).text, "it is asked still"


def test_a_contract_that_is_no_longer_asked_about_is_not_agreed_to(
    person: TestClient, settings: Settings, asked: str
) -> None:
    assert "Sent." in person.post(asked, data=AS_IT_WAS, headers=SCRIPT).text
    agreed(settings, asked)
    assert "Sent." not in person.post(asked, data=AS_IT_WAS, headers=SCRIPT).text
    assert person.post(asked, data=AS_IT_WAS).status_code == 400, "a page of its own says so, without scripts"


@pytest.fixture(scope="module")
def there_browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("agree")) as made:
        yield made


@pytest.mark.deep
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_it_is_changed_in_a_browser(there_browser: Hall, width: str) -> None:
    there = there_browser
    recorded(there.folder)
    with there.page(width, quiet=True) as page:  # browsers complain of what is refused
        run = there.begin(page, [], task=TASK, model="recorded:replies.json", mode="passive")
        ask = page.locator(".ask")
        expect(ask).to_contain_text("Of the files only b.txt may change.")
        ask.get_by_text("Change it", exact=True).click()
        assert overflowing(page) <= 0
        first = ask.get_by_role("group", name="Requirement 1", exact=True)
        says = first.get_by_label("What must hold")
        says.fill("")
        ask.get_by_role("button", name="Continue with this").click()
        expect(first.get_by_role("alert").first).to_contain_text("Say what must hold")
        expect(says).to_be_focused()
        expect(says).to_have_attribute("aria-invalid", "true")
        says.fill("b.txt holds what a.txt does")
        ask.get_by_role("group", name="Requirement 2", exact=True).get_by_label("Remove it").check()
        ask.get_by_label("What you want to be told").fill("")
        ask.get_by_role("button", name="Continue with this").click()
        expect(page.locator(".ask")).to_have_count(0)
        page.goto(f"{there.origin}/runs/{run}")
        page.get_by_text("What counts as done").click()
        expect(page.locator("#plan .goal-checks, #plan")).to_contain_text(["b.txt holds what a.txt does"])

"""A claim that was rejected is said where a run is looked at first, and long names keep no page from fitting a phone."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract, Proof, Requirement, Strength
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.report.text import model_shown
from web.browsing import overflowing
from web.pressing import Hall, hall
from web.test_gallery import look

LONG = "recorded:/usr/lib/python3.11/site-packages/deskcrew/ways_in/demo/a-folder-with-a-long-name/replies.json"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("claims")) as made:
        yield made


def test_a_rejected_claim_is_said_at_the_top_with_its_event(person: TestClient) -> None:
    place = look(person, "rejected")
    page = person.get(place).text
    head = page.partition('id="head"')[2].partition("</section>")[0]
    (number,) = re.findall(rf'<a href="{place}\?event=(\d+)">event \d+</a>', head)
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", head))
    assert f"1 claim was rejected (event {number}), then repaired." in words
    (line,) = re.findall(rf'<li id="e{number}".*?</li>', page, re.S)
    said = re.sub("<[^>]*>", "", line)
    assert "the claim that all is done was rejected: a new plan is made (by rule) - " in said
    assert "the whole task" not in said


def test_a_call_that_no_model_answered_is_not_free(person: TestClient, settings: Settings) -> None:
    begun = e.RunStarted(task="t", crew="default", model="m", mode="automatic", workspace="w", desktop="none")
    store = Store(settings.journal)
    journal = store.create(begun, run="one")
    journal.append(e.RoleCalled(role="Planner", parts=()))
    journal.append(e.RunFinished(outcome=Outcome(status="failed", why="it is not there.")))
    journal.close()
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", person.get("/runs/one").text))
    assert "Cost: unknown: no model answered" in words
    assert "free" not in words


def test_what_was_never_repaired_is_not_said_to_be(person: TestClient, settings: Settings) -> None:
    begun = e.RunStarted(task="t", crew="planned", model="m", mode="automatic", workspace="w", desktop="none")
    wrong = e.Judged(scope="goal", verdict=Verdict(kind="replan", why="it is not there."), by="rules")
    ended = e.RunFinished(outcome=Outcome(status="failed", reason="bound:replans", why="it is not there."))
    store = Store(settings.journal)
    journal = store.create(begun, run="one")
    for body in (wrong, wrong, ended):
        journal.append(body)
    journal.close()
    head = person.get("/runs/one").text.partition('id="head"')[2].partition("</section>")[0]
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", head))
    assert "2 claims were rejected (event 2, event 3)." in words
    assert "repaired" not in words


def test_the_sentence_of_the_task_is_said_once(person: TestClient, settings: Settings) -> None:
    task = "Sort the rows of a table by one of its columns (source: sales.csv; column: Amount)"
    begun = e.RunStarted(task=task, crew="default", model="m", mode="automatic", workspace="w", desktop="none")
    contract = Contract(requirements=(Requirement(id="1", says=f"{task}."), Requirement(id="2", says="No row is lost")))
    plan = Plan(subtasks=(Subtask(id="1", goal=task, role="Solo"),))
    proof = Proof(requirement="1", says=f"{task}.", holds=True, by="probe")
    store = Store(settings.journal)
    journal = store.create(begun, run="one")
    journal.append(e.GoalSet(contract=contract))
    journal.append(e.PlanPatched(by="rules", patch=PlanPatch(), plan=plan))
    journal.append(e.RoleReplied(role="Solo", model="m", reply={"subtasks": [1, 2], "branch": "Continue"}))
    journal.append(e.RunFinished(outcome=Outcome(status="done", proofs=(proof,))))
    journal.close()
    body = person.get("/runs/one").text.partition("<body")[2]
    assert body.count(task) == 1
    words = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", body))
    assert "Goal: The whole task; No row is lost" in words
    assert "Solo subtasks: 2" in words, "a reply without a sentence is no empty line"


def test_the_spoiled_copies_are_one_click_away(person: TestClient, settings: Settings) -> None:
    begun = e.RunStarted(task="t", crew="default", model="m", mode="automatic", workspace="w", desktop="none")
    strength = Strength(tried={"undone": 2}, loose=("a.csv, line 3 not added",))
    journal = Store(settings.journal).create(begun, run="one")
    journal.append(e.Proved(states=4, strength=strength, rejected=("a.csv, line 2 not added",)))
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="rules", strength=strength)))
    journal.close()
    ((summary, copies),) = re.findall(
        r"<details[^>]*><summary>([^<]*spoiled[^<]*)</summary>(.*?)</details>", person.get("/runs/one").text
    )
    assert summary.startswith("To see whether the check can fail, it was also run on 2 copies")
    assert re.findall("<li>(.*?)</li>", copies) == ["accepted: a.csv, line 3 not added", "rejected: a.csv, line 2 not added"]


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (LONG, "recorded replies"),
        ("scripted:/home/ann/replies.json", "scripted:replies.json"),
        ("local:/home/ann/models/a.gguf", "local:a.gguf"),
        ("local:qwen", "local:qwen"),
        ("openai:gpt-5-mini", "openai:gpt-5-mini"),
        ("http://127.0.0.1:9/v1#org/name", "http://127.0.0.1:9/v1#org/name"),
    ],
)
def test_a_model_is_called_by_a_short_name(name: str, short: str) -> None:
    assert model_shown(name) == short


@pytest.mark.timeout(300)
def test_on_a_phone_the_list_of_runs_is_no_wider_than_the_screen(there: Hall) -> None:
    store = Store(there.folder / "data" / "journal.db")
    for number, (model, crew) in enumerate((("m", "solo"), (LONG, "planned"), (f"http://127.0.0.1:9/{'v' * 90}", "solo"))):
        body = e.RunStarted(task="t" * 90, crew=crew, model=model, mode="automatic", workspace="w", desktop="none")
        store.create(body, run=f"run-{number}").close()
    store.close()
    with there.page("phone") as page:
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(there.origin)
        expect(page.get_by_role("combobox", name="Model")).to_be_visible()
        assert overflowing(page) == 0
        search = page.get_by_role("searchbox").bounding_box()
        assert search is not None
        assert search["x"] + search["width"] <= 390
        expect(page.locator(".runs")).to_contain_text("recorded replies")
        expect(page.locator("body")).not_to_contain_text("site-packages")
        page.goto(f"{there.origin}/runs/run-1")
        assert overflowing(page) == 0
        expect(page.locator("#head .meta").first).to_contain_text("recorded replies")

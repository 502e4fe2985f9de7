"""The pages that are only read, and the policy tried on an operation."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.actions import builtin
from deskcrew.engine.following import earlier
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from support.waiting import LATEST


def make(
    settings: Settings, run: str, task: str, outcome: str | Outcome | None = None, crew: str = "planned", where: str = "w"
) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task=task, crew=crew, model="m", mode="automatic", workspace=where, desktop="none")
    journal = store.create(begun, run=run)
    if outcome is not None:
        ended = {"status": outcome, "why": "so"} if isinstance(outcome, str) else outcome
        journal.append(e.RunFinished(outcome=Outcome.model_validate(ended)))
    journal.close()
    store.close()


def runs(text: str) -> list[str]:
    return re.findall(r'class="run" href="/runs/([^"]+)"', text)


def test_runs_are_searched_and_filtered(person: TestClient, settings: Settings) -> None:
    assert "No runs yet" in person.get("/").text
    make(settings, "one", "Count the 100% of lines", "failed")
    make(settings, "two", "Count the words", "stopped")
    make(settings, "six", "Rename photos")
    assert runs(person.get("/").text) == ["six", "two", "one"]
    assert runs(person.get("/", params={"q": "count"}).text) == ["two", "one"]
    assert runs(person.get("/", params={"q": "100% count"}).text) == ["one"]
    assert runs(person.get("/", params={"q": "si"}).text) == ["six"]
    assert runs(person.get("/", params={"show": "failed"}).text) == ["one"]
    assert runs(person.get("/", params={"show": "open"}).text) == ["six"]
    assert "No matching runs" in person.get("/", params={"q": "nothing of it"}).text
    assert runs(person.get("/", params={"skip": 1}).text) == ["two", "one"]


def test_of_runs_that_are_not_done_the_list_says_why(person: TestClient, settings: Settings) -> None:
    make(settings, "one", "Count", "failed")
    make(settings, "two", "Count", "done")
    make(settings, "six", "Count")
    journal = Store(settings.journal).journal("six")
    with journal.claimed():
        journal.append(e.RunInterrupted(error="the machine went down"))
    journal.close()
    page = person.get("/").text
    assert re.findall(r'<span class="reason">([^<]*)</span>', page) == ["The machine went down", "So"]


def test_a_run_that_asks_for_one_role_is_not_said_never_to_ask(person: TestClient, settings: Settings) -> None:
    make(settings, "one", "Count")
    assert "<span>never asks</span>" in person.get("/runs/one").text
    journal = Store(settings.journal).journal("one")
    with journal.claimed():
        journal.append(e.HumanSaid(kind="mode", text="passive", role="SkillChooser"))
    journal.close()
    page = person.get("/runs/one").text
    assert "<span>asks when it matters</span>" in page
    assert '<input type="hidden" name="mode" value="automatic">' in page, "all others go on as before"


def test_long_lists_are_fetched_a_page_at_a_time(person: TestClient, settings: Settings) -> None:
    for number in range(51):
        make(settings, f"r{number:02}", "t")
    first = person.get("/").text
    assert len(runs(first)) == 50
    (more,) = re.findall(r'hx-get="([^"]+skip=50)"', first)
    assert runs(person.get(more.replace("&amp;", "&")).text) == ["r00"]


def test_every_role_action_and_rule_can_be_read(person: TestClient) -> None:
    for crew in ("planned", "cola", "solo"):
        assert person.get("/roles", params={"crew": crew}).status_code == 200
    assert "Programmer" in person.get("/roles").text
    actions = person.get("/actions").text
    assert [name for name in builtin() if f'id="{name}"' not in actions] == []
    assert "qwen" in person.get("/models").text
    assert 'id="writing-inside"' in person.get("/policy").text


@pytest.mark.parametrize(
    ("asked", "decided"),
    [
        ({"action": "run_shell", "params": "command=sudo ls"}, "You would be asked"),
        ({"action": "write_file", "params": "file_path=a.txt\r\ntext=hello"}, "did not exist before the run: allow"),
        ({"action": "write_file", "params": "file_path=a.txt\r\ntext=hello\r\nappend=true"}, "Allowed"),
        ({"action": "click_input", "control": "Delete", "role": "button", "app": "thunar"}, "You would be asked"),
    ],
)
def test_the_policy_is_tried_on_an_operation(person: TestClient, asked: dict[str, str], decided: str) -> None:
    assert decided in person.post("/policy", data=asked).text


def test_the_policy_is_tried_on_an_action_of_the_users_own(person: TestClient, settings: Settings) -> None:
    folder = settings.config / "actions"
    folder.mkdir(parents=True)
    shutil.copy(Path(__file__).parents[2] / "examples" / "actions" / "replace_text.py", folder)
    assert ">replace_text</option>" in person.get("/policy").text
    asked = {"action": "replace_text", "params": "file_path=a.txt\r\nold=x\r\nnew=y"}
    assert "Allowed" in person.post("/policy", data=asked).text


def test_what_is_no_operation_is_told_in_words(person: TestClient) -> None:
    answer = person.post("/policy", data={"action": "fly"}, headers={"hx-request": "true"})
    assert answer.status_code == 400
    assert answer.headers["hx-retarget"] == "#trouble"
    assert "fly" in answer.text


def test_a_run_that_is_not_going_on_can_be_told_nothing(person: TestClient, settings: Settings) -> None:
    make(settings, "one", "t", "stopped")
    answer = person.post("/runs/one/say", data={"kind": "pause"})
    assert "trouble" in answer.text
    assert person.post("/runs/one/say", data={"kind": "guide", "text": " "}).status_code == 400
    assert person.post("/runs/one/say", data={"kind": "edit"}).status_code == 422


def test_a_run_goes_out_as_a_file_and_comes_back(person: TestClient, settings: Settings) -> None:
    make(settings, "one", "A task", "failed")
    file = person.get("/runs/one/export")
    assert file.headers["content-type"] == "application/zip"
    answer = person.post("/import", files={"file": ("one.zip", file.content)})
    assert "already here" in answer.text
    assert 'href="/runs/one"' in answer.text
    store = Store(settings.journal)
    remove(store, ["one"])
    store.close()
    answer = person.post("/import", files={"file": ("one.zip", file.content)})
    assert answer.headers["hx-redirect"] == "/runs/one"
    for name, content in (("mine.zip", b"no zip"), ("mine.zip", file.content[:-40])):
        wrong = person.post("/import", files={"file": (name, content)})
        assert wrong.status_code == 400
        assert f"{name} cannot be imported" in wrong.text
        assert "/tmp" not in wrong.text


def test_a_run_goes_on_with_a_person_taking_part_as_before(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="active", workspace="w", desktop="none")
    journal = store.create(begun, run="one")
    journal.append(e.RunInterrupted(error="the machine went down"))
    journal.close()
    store.close()
    page = person.get("/runs/one").text
    (form,) = re.findall(r'<form hx-post="/runs/one/resume".*?</form>', page, re.DOTALL)
    assert '<input type="hidden" name="mode" value="active">' in form


def test_what_the_crew_says_is_shown_apart_from_what_was_proven_and_told_to_the_next_run(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    said = "plan.TMP <b>was left</b> alone"
    proof = Proof(requirement="1", says="the folder is tidy", holds=True, by="rules")
    ended = Outcome(status="done", verified_by="rules", said=said, proofs=(proof,))
    make(settings, "one", "Tidy up", ended, crew="solo", where=str(tmp_path))
    page = person.get("/runs/one").text
    (shown,) = re.findall(r'<p class="said tiny">.*?</p>', page)
    outcome = page.partition('class="outcome"')[2]
    places = [outcome.index(each) for each in ("Done, verified by checks", "the folder is tidy", "nobody checked it")]
    assert places == sorted(places), "what was proven comes first"
    assert "nobody checked it:</span> plan.TMP &lt;b&gt;was left&lt;/b&gt; alone" in shown
    assert 'class="answer"' not in page
    (before,) = earlier(RunRequest(task="And now", model="m", workspace=tmp_path, follows="one", crew="planned"), settings)
    assert before.answer == said


def test_a_check_that_failed_is_called_wrong_and_one_that_is_open_holds_or_does_not(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    proofs = (
        Proof(requirement="1", says="it is tidy", holds=False, by="rules"),
        Proof(requirement="2", says="it is new", holds=None),
    )
    ended = Outcome(status="unverified", why="1 does not hold", proofs=proofs)
    make(settings, "one", "Tidy up", ended, crew="solo", where=str(tmp_path))
    wrong, open_ = re.findall(r'<form class="word".*?</form>', person.get("/runs/one").text, re.DOTALL)[:2]
    assert re.findall(r">([^<]+)</button>", wrong) == ["The check is wrong: it holds"]
    assert re.findall(r">([^<]+)</button>", open_) == ["It holds", "It does not"]


def test_runs_are_found_by_what_came_of_them_and_what_was_done(person: TestClient, settings: Settings) -> None:
    make(settings, "one", "Add up", "failed")
    store = Store(settings.journal)
    for run, crew, answer in (("two", "solo", "It is 42 %"), ("six", "planned", "")):
        begun = e.RunStarted(task="Add up", crew=crew, model=crew, mode="automatic", workspace="w", desktop="none")
        journal = store.create(begun, run=run)
        said = e.Operation(function="write_file", params={"file_path": f"{run}.txt", "text": 'a "quoted" word'})
        journal.append(e.OperationProposed(role="Worker", subtask="1", operation=said))
        journal.append(e.RunFinished(outcome=Outcome(status="done", answer=answer, why="all checks hold")))
        journal.close()
    store.close()

    def found(**asked: str) -> list[str]:
        return sorted(runs(person.get("/", params=asked).text))

    assert found(q="42 %") == ["two"]
    assert found(q="checks hold") == ["six", "two"]
    assert found(q="two.txt") == []
    assert found(q="two.txt", deeds="true") == ["two"]
    assert found(q='"quoted"', deeds="true") == ["six", "two"]
    assert found(q="run_started", deeds="true") == []
    assert found(crew="solo") == ["two"]
    assert found(crew="planned", show="done") == ["six"]
    assert found(model="m") == ["one"]
    assert 'All <span class="count">1</span>' in person.get("/", params={"q": "42 %"}).text


@pytest.mark.deep
def test_a_run_that_has_ended_is_gone_on_with_from_its_page(
    person: TestClient, settings: Settings, tmp_path: Path, own_runtime: Path
) -> None:
    script = tmp_path / "says.json"
    script.write_text(json.dumps([{"operations": [], "branch": "Interrupt", "problem": "enough"}]))
    (tmp_path / "work").mkdir()
    begun = e.RunStarted(
        task="Add up",
        crew="solo",
        model=f"scripted:{script}",
        mode="automatic",
        workspace=str(tmp_path / "work"),
        desktop="none",
    )
    store = Store(settings.journal)
    journal = store.create(begun, run="one")
    assert "Now also" not in person.get("/runs/one").text, "it has not ended"
    journal.append(e.RunFinished(outcome=Outcome(status="done", answer="It is 42 %", why="so")))
    journal.close()
    page = person.get("/runs/one").text
    (form,) = re.findall(r'<div id="follow".*?</form>', page, re.DOTALL)
    assert 'action="/runs/one/follow"' in form
    assert '<label for="follow-task">' in form
    assert person.post("/runs/one/follow", data={"task": " "}).status_code == 400
    answer = person.post("/runs/one/follow", data={"task": "Now also write it down"})
    assert answer.status_code == 303, answer.text
    place = answer.headers["location"]
    other_run = place.removeprefix("/runs/")
    other = store.journal(other_run).state.started
    assert other is not None
    assert (other.task, other.follows, other.earlier[-1].answer) == ("Now also write it down", "one", "It is 42 %")
    assert (other.workspace, other.model) == (begun.workspace, begun.model)
    assert f'href="{place}"' in person.get("/runs/one").text
    assert 'href="/runs/one">Add up</a>' in person.get(place).text
    latest = time.monotonic() + LATEST
    while Store(settings.journal).busy(other_run):
        assert time.monotonic() < latest
        time.sleep(0.05)
    scripted = person.post(f"{place}/follow", data={"task": "And this"}, headers={"hx-request": "true"})
    last = store.journal(scripted.headers["hx-redirect"].removeprefix("/runs/")).state.started
    assert last is not None
    assert [run.task for run in last.earlier] == ["Add up", "Now also write it down"]
    remove(store, ["one"])
    assert "which is not here" in person.get(place).text
    store.close()


def test_the_menu_has_at_most_six_entries_and_leads_to_every_page(person: TestClient) -> None:
    def links(page: str, label: str) -> list[str]:
        return re.findall('<a href="([^"]+)"', page.partition(f'aria-label="{label}"')[2].partition("</nav>")[0])

    entries = links(person.get("/").text, "Pages")
    assert len(entries) <= 6
    beside = {address for entry in entries for address in links(person.get(entry).text, "Beside this one")}
    assert {*entries, *beside} == {
        "/",
        "/schedules",
        "/skills",
        "/memory",
        "/notes",
        "/roles",
        "/actions",
        "/policy",
        "/models",
        "/settings",
    }

"""A person objects to a run that is done: that is shown, it teaches nothing, and their words go on with the next run."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import anyio
import pytest
from starlette.testclient import TestClient

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from deskcrew.learning.memory.store import Memory
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.settings import Settings
from support.required import required
from support.waiting import until
from web.pressing import plan, writes

WHY = "it should be <b>Hallo</b>"


def did(settings: Settings, folder: Path) -> str:
    """A real run that wrote what its task quotes, is done, and taught something; its id."""
    path = folder / "script.json"
    replies = [plan("write hello.txt"), writes("hello.txt", "Hello", branch="RoleTaskFinish"), *[writes("b", "c")] * 3]
    path.write_text(json.dumps(replies))
    (folder / "work").mkdir()
    request = RunRequest(
        task='Write "Hello" into hello.txt.',
        model=f"scripted:{path}",
        workspace=folder / "work",
        desktop="none",
        memory="on",
        required=required("file_contains hello.txt Hello"),
        crew="planned",
    )
    journal = anyio.run(session.run, request, settings)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done"
    return journal.run


def head(person: TestClient, run: str) -> str:
    page = person.get(f"/runs/{run}").text.partition('<header id="head"')[2].partition("</header>")[0]
    return html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page)))


def taught(settings: Settings) -> list[str]:
    memory = Memory.of(settings)
    found = [entry.verdict for entry in memory.all()]
    memory.close()
    return found


@pytest.mark.first_case
@pytest.mark.parametrize("scripts", [False, True])
def test_what_a_person_objects_to_is_no_success_for_anybody(
    person: TestClient, settings: Settings, tmp_path: Path, scripts: bool
) -> None:
    run = did(settings, tmp_path)
    trials = Trials(settings.data)
    trials.add("ab" * 32, Trial(run=run, input="i", done=True))
    assert "This is not right" in head(person, run)
    assert "proven" in taught(settings)
    headers = {"hx-request": "true"} if scripts else {}
    answer = person.post(f"/runs/{run}/object", data={"why": WHY}, headers=headers)
    assert answer.status_code == (204 if scripts else 303)
    assert answer.headers["hx-redirect" if scripts else "location"] == f"/runs/{run}"
    outcome = Store(settings.journal).journal(run).state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("failed", "rejected")
    shown = head(person, run)
    assert shown.count(WHY) == 2, "it is said once, and once of what does not hold"
    assert f"You objected: {WHY}" in shown
    assert "objected" in shown
    for of, line in (("", True), ("objected", True), ("failed", False)):
        page = person.get("/", params={"show": of}).text
        assert ('<span class="status" data-status="objected">objected</span>' in page) is line, "it is so called in the list"
    assert "This is not right" not in shown
    assert WHY not in person.get(f"/runs/{run}").text, "it is shown as text"
    assert "proven" not in taught(settings)
    assert not trials.of("ab" * 32)[-1].done


@pytest.mark.parametrize("given", [{}, {"why": "  "}])
def test_an_objection_without_words_is_none(person: TestClient, settings: Settings, given: dict[str, str]) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="passive", workspace="w", desktop="none")
    journal = store.create(begun, run="one")
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="rules")))
    journal.close()
    answer = person.post("/runs/one/object", data=given, headers={"hx-request": "true"})
    assert (answer.status_code, answer.headers["hx-retarget"]) == (400, "#error-why")
    assert "Say what is not right." in answer.text
    outcome = store.journal("one").state.outcome
    assert outcome is not None
    assert outcome.status == "done"
    store.close()


def test_an_objection_may_be_to_one_requirement(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="passive", workspace="w", desktop="none")
    journal = store.create(begun, run="one")
    proofs = tuple(Proof(requirement=id, says=f"what {id} says", holds=True, by="probe") for id in ("1", "2"))
    journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="probe", proofs=proofs)))
    journal.close()
    assert '<option value="2">2: what 2 says</option>' in person.get("/runs/one").text
    assert person.post("/runs/one/object", data={"why": "no", "requirement": "9"}).status_code == 400
    person.post("/runs/one/object", data={"why": "two rows are missing", "requirement": "2"})
    assert "You objected to requirement 2: two rows are missing" in head(person, "one")
    outcome = store.journal("one").state.outcome
    assert outcome is not None
    assert [proof.holds for proof in outcome.proofs] == [True, False]
    store.close()


def test_the_words_go_on_with_a_run_that_follows(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    run = did(settings, tmp_path)
    answer = person.post(f"/runs/{run}/object", data={"why": "it should be Hallo", "then": "go_on"})
    assert answer.status_code == 303, answer.text
    after = answer.headers["location"].removeprefix("/runs/")
    assert after != run
    begun = Store(settings.journal).journal(after).state.started
    assert begun is not None
    assert begun.follows == run
    assert begun.task == "This is not right: it should be Hallo\nPut it right."
    assert begun.workspace == str(tmp_path / "work")
    assert begun.earlier[-1].status == "failed"
    assert "it should be Hallo" in begun.earlier[-1].why
    assert f"/runs/{after}" in person.get(f"/runs/{run}").text
    assert person.post(f"/runs/{after}/stop").status_code in (200, 303, 400)  # it may have ended by now
    assert until(lambda: not Store(settings.journal).busy(after))


def test_only_an_answer_with_a_source_is_shown_large(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="passive", workspace="w", desktop="none")
    for run, told in {
        "source": {"status": "unverified", "sources": ("a",)},
        "proven": {"status": "done", "verified_by": "human"},
        "nothing": {"status": "unverified"},
    }.items():
        journal = store.create(begun, run=run)
        journal.append(e.RunFinished(outcome=Outcome.model_validate({"answer": "22", **told})))
        journal.close()
        large = '<p class="answer">22</p>' in person.get(f"/runs/{run}").text
        assert large == (run != "nothing")
    assert "nothing that it read or computed supports it: 22" in head(person, "nothing")
    store.close()

"""What the pages say where they could leave a person to guess: read through the application."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.engine.human.questions import EDITED
from deskcrew.engine.request import RunRequest, workspace_of
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.contract import Strength
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.wording import ended, spoken
from support.bodies import started


@pytest.mark.parametrize(
    ("action", "params", "heading"),
    [
        ("read_file", "file_path=/etc/shadow", "Refused: outside the workspace"),
        ("write_file", "file_path=../a.txt\r\ntext=hello", "Refused: outside the workspace"),
        ("read_file", "file_path=notes.txt", "Allowed"),
    ],
)
def test_a_path_that_cannot_be_used_is_not_called_allowed(
    person: TestClient, action: str, params: str, heading: str
) -> None:
    answer = person.post("/policy", data={"action": action, "params": params}).text
    assert f"<h2>{heading}</h2>" in answer
    assert ("verdict good" in answer) == (heading == "Allowed")


@pytest.mark.parametrize(
    ("kind", "words"), [("take_over", "put off: you took over"), ("pause", "put off: you paused"), ("guide", "not done")]
)
def test_what_became_of_an_operation_is_told_where_somebody_came_between(
    person: TestClient, settings: Settings, kind: e.SayKind, words: str
) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="active", workspace="w", desktop="none")
    journal = store.create(begun, run="one")

    def proposed(path: str, intention: str = "") -> int:
        operation = e.Operation(function="write_file", params={"file_path": path, "text": "x"})
        return journal.append(
            e.OperationProposed(role="Worker", subtask="1", operation=operation, intention=intention)
        ).number

    def line(number: int) -> str:
        (found,) = re.findall(rf'<li id="e{number}".*?</li>', person.get("/runs/one").text)
        return found

    journal.append(e.RoleReplied(role="Worker", subtask="1", reply={"branch": "Continue"}))
    changed = proposed("a.txt")
    journal.commit()
    assert 'data-state="busy"' in line(changed)
    by_hand = proposed("b.txt", EDITED)
    journal.append(e.HumanSaid(kind=kind, text="wait"))
    journal.close()
    store.close()
    assert "you changed it" in line(changed)
    assert 'data-state="plain"' in line(changed)
    assert "changed by you" not in line(changed)
    assert "changed by you" in line(by_hand)
    assert words in line(by_hand)


def test_done_by_a_weak_check_is_listed_as_such(person: TestClient, settings: Settings) -> None:
    journal = Store(settings.journal).create(started("x"))
    journal.append(e.RunFinished(outcome=Outcome(status="done", strength=Strength(loose=("a.txt, changed",)))))
    journal.close()
    assert '<span class="status" data-status="unverified">done (weak check)</span>' in person.get("/").text


def test_a_new_file_is_shown_with_the_name_that_it_would_get(person: TestClient) -> None:
    page = person.get("/skills/sort-table").text
    assert 'placeholder="for example may.csv"' in page
    assert 'placeholder="for example may sorted.csv"' in page


def test_how_a_run_ended_is_said_once_and_in_words_of_the_page() -> None:
    assert ended(Outcome(status="stopped", why="stopped by the user")) == ("Stopped by you.", "")
    assert ended(Outcome(status="stopped", why="wrong file")) == ("Stopped by you.", "Wrong file.")
    words, why = ended(Outcome(status="denied", why="local gave no answer within 60 s"))
    assert words.endswith("not allowed.")
    assert why.startswith("Local")
    words, why = ended(Outcome(status="unverified", why="look at it and settle it (`deskcrew confirm`), or give --check"))
    assert why == "Look at it and settle it (“It holds” on the run's page), or give “A program that checks it”."


def test_no_command_line_is_talked_on_the_pages_of_a_task(person: TestClient, settings: Settings) -> None:
    blank = person.post("/start", data={"task": " ", "desktop": "none"})
    assert blank.status_code == 400
    assert "Say what is to be done." in blank.text
    gone = person.get("/runs/none")
    assert (gone.status_code, person.get("/skills/none").status_code) == (404, 404)
    for answer in (blank, gone):
        assert "deskcrew r" not in answer.text
    store = Store(settings.journal)
    for desktop, heading in (("none", "With files and programs"), ("virtual", "On a live desktop")):
        told = {"task": "t", "crew": "solo", "model": "m", "mode": "active", "workspace": "w", "desktop": desktop}
        store.create(e.RunStarted.model_validate(told), run=desktop).close()
        assert f"<h2>{heading}</h2>" in person.get(f"/runs/{desktop}/replay").text
    store.close()


def test_another_role_goes_on_only_where_one_is_named(person: TestClient) -> None:
    answer = person.post("/runs/one/say", data={"kind": "switch"})
    assert answer.status_code == 400
    assert "Choose which role is to continue." in answer.text


@pytest.mark.usefixtures("own_runtime")
def test_a_start_that_is_refused_leaves_no_folder(
    person: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("OPENAI_API_KEY", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    script = tmp_path / "says.json"
    script.write_text("[]")
    refused = ({"desktop": "none", "model": "openai:m"}, {"desktop": "real", "model": f"scripted:{script}"})
    for form, field in zip(refused, ("model", "send"), strict=True):
        data = {"task": "t", "crew": "solo", **form}
        answer = person.post("/start", data=data, headers={"hx-request": "true"})
        assert answer.status_code >= 400
        assert answer.headers["hx-retarget"] == f"#error-{field}"
    twice = [("files", ("a.txt", "1")), ("files", ("a.txt", "2"))]
    assert person.post("/start", data={"task": "t", "desktop": "none"}, files=twice).status_code == 400
    assert list((settings.data / "workspaces").glob("*")) == []


def test_attachments_of_one_name_leave_no_folder_and_no_folder_of_a_person_is_taken(
    settings: Settings, tmp_path: Path
) -> None:
    files = tuple(tmp_path / folder / "a.txt" for folder in ("one", "two"))
    for file in files:
        file.parent.mkdir()
        file.write_text(str(file))
    request = RunRequest(task="t", attachments=files, crew="planned")
    with pytest.raises(UsageError, match="not attached"):
        workspace_of(request, settings)
    assert list((settings.data / "workspaces").glob("*")) == []
    own = tmp_path / "own"
    own.mkdir()
    with pytest.raises(UsageError, match="not attached"):
        workspace_of(replace(request, workspace=own), settings)
    assert own.is_dir()


def test_a_reply_that_is_asked_about_is_told_in_words() -> None:
    operation = {"function": "write_file", "file_path": "a.txt", "text": "1", "append": False, "control": ""}
    reply = {"thought_process": ["first a", ""], "operations": [operation], "branch": "RoleTaskFinish", "problem": ""}
    assert spoken(reply) == [
        ("Thought process", ["first a"]),
        ("Operations", ['Write "1" into a.txt']),
        ("So it", ["says its subtask is finished"]),
    ]
    planned = {"subtasks": [{"goal": "add it up", "role": "Programmer", "after": ["1", "2"]}], "branch": "Continue"}
    assert spoken(planned) == [("Subtasks", ["add it up  role: Programmer  after: 1, 2"])]
    assert spoken({"branch": "Continue", "operations": []}) == []

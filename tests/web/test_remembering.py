"""The page of long-term memory: listed, searched, declared, changed, forgotten, exported."""

from __future__ import annotations

import json
from typing import Any

import lxml.html
import pytest
from starlette.testclient import TestClient

from deskcrew.learning.memory.entry import CORRECTED, Entry
from deskcrew.learning.memory.inferring import PENDING
from deskcrew.learning.memory.store import Memory
from deskcrew.settings import Settings


def kept(settings: Settings, id: str, situation: str, **more: object) -> Entry:
    values = {"id": id, "role": "Programmer", "situation": situation, "verdict": "proven", "created": 1.0, **more}
    entry = Entry.model_validate(values)
    memory = Memory(settings.remembered)
    memory.add(entry)
    memory.close()
    return entry


def all_of(settings: Settings) -> list[Entry]:
    memory = Memory(settings.remembered)
    try:
        return memory.all(withdrawn=True)
    finally:
        memory.close()


@pytest.fixture
def episode(settings: Settings) -> Entry:
    more = {"decision": "run_shell wc -l", "run": "0317", "reply": 7, "origins": ("page http://shop.example/",)}
    return kept(settings, "aaaaaaaaaaaa", "Count the lines of <b>may</b>.txt", **more)


def test_an_entry_tells_what_it_says_and_what_it_came_from(person: TestClient, episode: Entry) -> None:
    text = person.get("/memory").text
    assert "Count the lines of &lt;b&gt;may&lt;/b&gt;.txt" in text
    assert "run_shell wc -l" in text
    assert 'href="/runs/0317?event=7"' in text
    assert "Had read: page http://shop.example/" in text


def test_code_of_several_lines_is_folded_and_written_as_it_is(person: TestClient, settings: Settings) -> None:
    code = 'print("a < b")\nprint(2)'
    operation = {"function": "run_python_code", "code": code, "skill": "sort-table"}
    reply = json.dumps({"operations": [operation], "branch": "Continue"}, separators=(",", ":"))
    kept(settings, "cccccccccccc", "Sort it", decision=f"understood as sort-table: source=may.csv\n{reply}")
    page: Any = lxml.html.fromstring(person.get("/memory").text)
    (card,) = page.xpath("//article[@id='entry-cccccccccccc']")
    steps, folded = card.xpath("pre"), card.xpath("details[summary='Its code']/pre")
    assert [each.text for each in steps] == ['understood as sort-table: source=may.csv\nrun_python_code skill="sort-table"']
    assert [each.text for each in folded] == [code]
    assert "done as read" in card.text_content()


def test_entries_are_searched_and_filtered(person: TestClient, settings: Settings, episode: Entry) -> None:
    kept(settings, "bbbbbbbbbbbb", "Rename photos", withdrawn="the run was wrong")
    assert person.post("/memory", data={"text": "Invoices are kept in papers"}).headers["hx-redirect"] == "/memory"

    def shown(**asked: str) -> list[bool]:
        text = person.get("/memory", params=asked).text
        return [words in text for words in ("Count the lines", "Rename photos", "Invoices are kept in papers<")]

    assert shown() == [True, False, True]
    assert shown(q="LINES count") == [True, False, False]
    assert shown(show="facts") == [False, False, True]
    assert shown(show="episodes") == [True, False, False]
    assert shown(show="withdrawn") == [False, True, False]
    assert "Nothing remembered matches" in person.get("/memory", params={"q": "zebra"}).text


def test_many_entries_come_a_page_at_a_time(person: TestClient, settings: Settings) -> None:
    for number in range(51):
        kept(settings, f"{number:012x}", f"chore {number:02}!", created=float(number))
    first = person.get("/memory").text
    assert first.count("chore ") >= 50
    assert "chore 00!" not in first
    rest = person.get("/memory", params={"skip": 50}, headers={"hx-request": "true"}).text
    assert "chore 00!" in rest
    assert "<html" not in rest


def test_a_correction_is_the_persons_and_outweighs(person: TestClient, settings: Settings, episode: Entry) -> None:
    answer = person.post(f"/memory/{episode.id}/edit", data={"text": "read_file, and count"})
    assert "read_file, and count" in answer.text
    (entry,) = all_of(settings)
    assert (entry.decision, entry.verdict, entry.weight) == ("read_file, and count", "corrected", CORRECTED)


@pytest.mark.parametrize("text", ["", "x" * 100_000])
def test_what_cannot_be_said_is_told_beside_the_field(person: TestClient, settings: Settings, text: str) -> None:
    answer = person.post("/memory", data={"text": text}, headers={"hx-request": "true"})
    assert answer.status_code == 400
    assert answer.headers["hx-retarget"] == "#error-text"
    assert all_of(settings) == []


def test_a_fact_of_a_folder_that_is_not_there_is_refused(person: TestClient, settings: Settings) -> None:
    given = {"text": "It is blue", "scope": "workspace", "workspace": "/no/such/folder"}
    answer = person.post("/memory", data=given, headers={"hx-request": "true"})
    assert answer.headers["hx-retarget"] == "#error-workspace"
    assert all_of(settings) == []


def test_what_is_forgotten_is_gone(person: TestClient, settings: Settings, episode: Entry) -> None:
    assert "Forgotten" in person.post(f"/memory/{episode.id}/forget").text
    assert all_of(settings) == []
    assert person.post(f"/memory/{episode.id}/forget").status_code == 400


def test_all_that_stands_is_exported(person: TestClient, settings: Settings, episode: Entry) -> None:
    person.post("/memory", data={"text": "We write dates as 2026-11-25", "scope": "shared"})
    lines = [json.loads(line) for line in person.get("/memory/export").text.splitlines()]
    assert {line["situation"] for line in lines} == {episode.situation, "We write dates as 2026-11-25"}
    (shared,) = [json.loads(line) for line in person.get("/memory/export", params={"shared": "1"}).text.splitlines()]
    assert shared["scope"] == "shared"


def test_what_a_run_proposes_is_kept_or_declined(person: TestClient, settings: Settings) -> None:
    more = {"kind": "fact", "verdict": "proposed", "withdrawn": PENDING, "run": "0317", "reply": 7}
    for id, text in (("aaaaaaaaaaaa", "Letters are kept in <i>papers</i>."), ("bbbbbbbbbbbb", "Lists are kept in lists.")):
        kept(settings, id, text, **more)
    page = person.get("/memory").text
    assert "Letters are kept in &lt;i&gt;papers&lt;/i&gt;." in page
    assert 'href="/runs/0317?event=7"' in page
    assert "Letters are kept" in person.post("/memory/aaaaaaaaaaaa/accept").text
    assert "Declined." in person.post("/memory/bbbbbbbbbbbb/decline").text
    assert [(each.situation, each.verdict) for each in all_of(settings)] == [
        ("Letters are kept in <i>papers</i>.", "declared")
    ]
    assert "Proposed" not in person.get("/memory").text
    declared = all_of(settings)[0].id
    assert person.post(f"/memory/{declared}/accept").status_code == 400, "it waits for nobody"

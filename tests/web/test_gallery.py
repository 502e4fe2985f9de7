"""Recorded runs that come with Deskcrew are looked at, by those who have none yet, and nothing can be done with them."""

from __future__ import annotations

import html
import re
import zipfile

import pytest
from starlette.testclient import TestClient

from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.gallery import FOLDER, GALLERY

ENDED = {"rejected": "done", "altered": "failed", "expenses": "done"}
LARGEST = 2_000_000
"""The largest size of a recorded run, in bytes: everybody downloads all of them."""


def look(person: TestClient, name: str) -> str:
    """Look at a recorded run, as its button does; the address of its page."""
    answer = person.post(f"/gallery/{name}")
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_who_has_no_run_yet_is_led_to_them(person: TestClient) -> None:
    assert 'href="/gallery">Look at a recorded run' in person.get("/").text
    page = person.get("/gallery").text
    assert re.findall(r'<form method="post" action="/gallery/([a-z]+)">', page) == [each.name for each in GALLERY]
    assert "Nothing happens when you look" in page
    look(person, GALLERY[0].name)
    assert 'href="/gallery">Recorded runs' in person.get("/").text, "who has one finds the others as well"


@pytest.mark.first_case
@pytest.mark.parametrize("name", [each.name for each in GALLERY])
def test_it_is_shown_as_recorded_and_nothing_can_be_done_with_it(person: TestClient, settings: Settings, name: str) -> None:
    place = look(person, name)
    page = person.get(place).text
    run = place.removeprefix("/runs/")
    main = page.partition("<main")[2]
    assert "Recorded: this run was imported." in main
    assert f'data-status="{ENDED[name]}"' in main
    assert ENDED[name] != "done" or "<li>rejected: " in main, "which spoiled copies the check was tried on"
    assert re.findall(r'(?:hx-post|action)="([^"]+)"', main) == [f"{place}/follow"] * 2, "but a run of one's own may follow"
    for what, data in (("undo", {}), ("object", {"why": "no"}), ("rewind", {"event": "9"}), ("resume", {})):
        answer = person.post(f"{place}/{what}", data=data)
        assert answer.status_code == 400, what
    store = Store(settings.journal)
    assert store.verified(run).problems == ()
    assert store.row(run).imported
    store.close()
    assert look(person, name) == place, "it is here already"
    assert person.get("/").text.count('class="run"') == 1


def test_a_failed_one_says_in_words_what_failed_and_ticks_nothing_that_was_not_proven(person: TestClient) -> None:
    page = html.unescape(person.get(look(person, "altered")).text)
    said = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", page.partition('class="outcome"')[2].partition("</section>")[0]))
    assert "Failed: 2 of 3 requirements did not hold; no plan led to the goal, and the limit on plans was reached." in said
    assert "replans" not in said
    assert said.index("Failed: ") < said.index("nobody checked it"), "what was proven comes first"
    parts = re.findall(r'<li data-state="done"([^>]*)>', page)
    assert parts
    assert all("data-doubtful" in each for each in parts)
    assert "Word the task differently" in said


def test_its_story_can_be_read(person: TestClient) -> None:
    place = look(person, "expenses")
    page = html.unescape(person.get(place).text)
    assert "What counts as done" in page
    assert "checked by a program" in page
    for number in re.findall(r'<li id="e(\d+)"', page)[:12]:
        assert person.get(f"{place}/events/{number}").status_code == 200
    assert person.get(f"{place}/timeline").status_code == 200


@pytest.mark.parametrize("name", [each.name for each in GALLERY])
def test_it_is_small_and_tells_nothing_of_the_machine_that_it_was_made_on(name: str) -> None:
    file = FOLDER / f"{name}.zip"
    assert file.stat().st_size < LARGEST
    places: set[bytes] = set()
    with zipfile.ZipFile(file) as held:
        for each in held.namelist():
            places.update(re.findall(rb"(?<![\w.])/(?:home|root|work|Users|mnt|srv)/[\w./-]+", held.read(each)))
    assert places == set()


@pytest.mark.parametrize("name", ["nothing", "..%2f..%2fpolicy", "expenses.zip"])
def test_there_are_no_others(person: TestClient, name: str) -> None:
    assert person.post(f"/gallery/{name}").status_code == 404

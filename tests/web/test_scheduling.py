"""The page of schedules: they are set up, shown, switched off and on, and removed. Keeping them is tests/schedules."""

from __future__ import annotations

import html
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from starlette.testclient import TestClient

from deskcrew.settings import Settings
from deskcrew.ways_in.schedules.schedule import Schedule, Schedules
from support.waiting import LATEST
from web.test_pages import make

Found = TypeVar("Found")
GIVEN = {"task": "Add <b>it</b> up.", "when": "mon 9:00", "desktop": "none", "model": "ollama:any"}


def kept(settings: Settings) -> list[Schedule]:
    return Schedules(settings).all()


def add(person: TestClient, **given: str) -> None:
    answer = person.post("/schedules/new", data=GIVEN | given)
    assert answer.headers["hx-redirect"] == "/schedules", answer.text


def test_one_is_set_up_as_the_command_line_does_it(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    assert "The list is empty" in person.get("/schedules").text
    assert person.get("/schedules/new").status_code == 200
    work = tmp_path / "work"
    work.mkdir()
    add(person, workspace=str(work), hosts="example.org", seconds="60", missed="skip")
    (schedule,) = kept(settings)
    request = schedule.start.request
    assert (schedule.when, schedule.missed, schedule.folder) == ("mon 9:00", "skip", Path.cwd())
    assert (request.mode, request.desktop, request.workspace, request.hosts) == ("automatic", "none", work, ("example.org",))
    assert (request.task, request.model, request.limits.seconds) == (GIVEN["task"], "ollama:any", 60)
    page = person.get("/schedules").text
    assert "Add &lt;b&gt;it&lt;/b&gt; up." in page
    assert "No scheduler is running" in page
    with Schedules(settings).kept():
        assert "No scheduler is running" not in person.get("/schedules").text


def test_what_must_hold_is_part_of_it(person: TestClient, settings: Settings) -> None:
    add(person, require="file_contains a.txt 3\r\n", program="#!/bin/sh\r\ngrep -q 3 a.txt\r\n")
    required = kept(settings)[0].start.request.required
    assert required is not None
    checked, run = required.requirements
    assert checked.checks[0].words == "a.txt contains '3'"
    assert run.program is not None
    assert run.program.text == "#!/bin/sh\ngrep -q 3 a.txt\n"
    assert not required.whole


def test_it_tells_when_it_is_next_and_how_the_last_run_ended(person: TestClient, settings: Settings) -> None:
    add(person)
    make(settings, "0317", "Add it up.", "failed")
    schedules, (schedule,) = Schedules(settings), kept(settings)
    page = person.get("/schedules").text
    assert "not done yet" in page
    assert " 09:00" in page
    standing = schedules.standing(schedule)
    schedules.stands(schedule.id, standing.model_copy(update={"run": "0317", "told": False}))
    assert '<a href="/runs/0317">going on</a>' in person.get("/schedules").text
    schedules.stands(schedule.id, standing.model_copy(update={"run": "0317", "outcome": "failed"}))
    assert '<a href="/runs/0317">failed</a>' in person.get("/schedules").text
    schedules.stands(schedule.id, standing.model_copy(update={"run": "gone", "outcome": "removed"}))
    assert "/runs/gone" not in person.get("/schedules").text


def test_it_is_switched_off_and_on_and_removed_and_nothing_of_that_by_reading(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    (old := tmp_path / "old.csv").write_text("1")
    add(person, when="", files=f"{tmp_path}/*.csv")
    (schedule,) = kept(settings)
    assert list(schedule.there) == [str(old)]
    address = f"/schedules/{schedule.id}"
    for place in ("switch?on=false", "remove"):
        assert person.get(f"{address}/{place}").status_code == 405
    assert person.post(f"{address}/switch", data={"on": "false"}).headers["hx-redirect"] == "/schedules"
    assert kept(settings)[0].off
    assert "not while it is off" in person.get("/schedules").text
    (come := tmp_path / "come.csv").write_text("1")
    assert person.post(f"{address}/switch", data={"on": "true"}).status_code == 204
    assert set(Schedules(settings).standing(kept(settings)[0]).files) == {str(old), str(come)}
    assert "when a file arrives" in person.get("/schedules").text
    assert person.post(f"{address}/remove").status_code == 204
    assert kept(settings) == []
    assert person.post(f"{address}/remove").status_code == 400


@pytest.mark.parametrize(
    ("given", "field", "told"),
    [
        ({"when": ""}, "when", "either when, or for which files"),
        ({"files": "/inbox/*.pdf"}, "when", "either when, or for which files"),
        ({"when": "soon"}, "when", "is not a time"),
        ({"when": "", "files": "*.pdf"}, "files", "full path"),
        ({"task": " "}, "task", "Say what is to be done"),
        ({"workspace": "/no/such/folder"}, "workspace", "There is no folder"),
        ({"crew": "nobody"}, "send", "nobody"),
        ({"secrets": "bank"}, "send", "There is no secret"),
        ({"seconds": "soon"}, "seconds", "Seconds: a number above 0"),
        ({"require": "file_contain a.txt 3"}, "require", "There are: file_exists"),
        ({"program": "grep 3 a.txt"}, "program", "what runs it"),
        ({"contract": "[[requirements]]"}, "contract", "Requirement 1: it needs 'says'"),
    ],
)
def test_what_cannot_be_is_told_beside_its_field(
    person: TestClient, settings: Settings, given: dict[str, str], field: str, told: str
) -> None:
    answer = person.post("/schedules/new", data=GIVEN | given, headers={"hx-request": "true"})
    assert answer.headers["hx-retarget"] == f"#error-{field}", answer.text
    assert told in html.unescape(answer.text)
    assert kept(settings) == []


@pytest.mark.usefixtures("own_runtime")
@pytest.mark.parametrize("do", ["accept", "edit"])
def test_whoever_makes_it_is_shown_what_a_small_model_understood_and_says_whether_that_is_meant(
    person: TestClient, settings: Settings, tmp_path: Path, do: str
) -> None:
    settings.config.mkdir(parents=True, exist_ok=True)
    small = '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
    settings.config.joinpath("models.toml").write_text(small)
    (work := tmp_path / "work").mkdir()
    (work / "sales.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    (script := tmp_path / "says.json").write_text('[{"column": "Amount"}]')
    given = {"task": "Sort sales.csv, the biggest amounts first.", "model": f"scripted:{script}", "workspace": str(work)}
    place = person.post("/schedules/new", data=GIVEN | {"crew": "solo"} | given).headers["hx-redirect"]
    (schedule,) = kept(settings)
    assert place == f"/runs/{schedule.asked_in}"
    assert "not confirmed" in person.get("/schedules").text
    button = until(lambda: re.search(rf'"{place}/answers/([^"]+)"', person.get(place).text))
    fields = re.findall(r'name="name" value="([^"]+)">.*?name="value" value="([^"]*)"', person.get(place).text)
    assert ("column", "Amount") in fields
    values = {"name": [name for name, _ in fields], "value": [value for _, value in fields]} if do == "edit" else {}
    assert person.post(f"{place}/answers/{button[1]}", data={"do": do, **values}).status_code < 400
    until(lambda: "confirmed</a> on" in person.get("/schedules").text)
    assert "not confirmed" not in person.get("/schedules").text
    assert [path.name for path in work.iterdir()] == ["sales.csv"]


def until(wanted: Callable[[], Found | None]) -> Found:
    deadline = time.monotonic() + LATEST
    while not (found := wanted()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


def test_none_works_on_the_persons_own_screen(person: TestClient, settings: Settings) -> None:
    assert person.post("/schedules/new", data=GIVEN | {"desktop": "real"}).status_code == 422
    assert kept(settings) == []

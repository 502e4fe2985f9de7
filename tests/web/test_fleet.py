"""Pages of runs that a fleet's node executes: they ask here, are answered and stopped here, and their files are here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.ways_in.fleet.tasks import Task
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from fleet.conftest import Fleet, fleet
from support.waiting import LATEST, until
from web.conftest import ORIGIN

__all__ = ["fleet"]

PERFORM = """
import sys
from deskcrew.ways_in.fleet import remote_person
from deskcrew.ways_in.fleet.work import perform
from deskcrew.settings import Settings
remote_person.HOLDS = float(sys.argv[3])
perform(Settings.model_validate_json(sys.argv[1]), sys.argv[2], "node-7")
"""
ASKS = [
    {"operations": [{"function": "run_shell", "command": "echo one > made.txt"}], "branch": "Continue"},
    {"operations": [{"function": "run_shell", "command": "echo two > made.txt"}], "branch": "RoleTaskFinish"},
]


@contextmanager
def at_it(fleet: Fleet, run: str, holds: float = 600) -> Generator[subprocess.Popen[bytes]]:
    """A process of a node, which is another machine than the web application's."""
    command = [sys.executable, "-c", PERFORM, fleet.settings.model_dump_json(), run, str(holds)]
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.kill()
        process.wait(LATEST)


@pytest.fixture
def person(fleet: Fleet, own_runtime: Path, tmp_path: Path) -> Iterator[TestClient]:
    """Somebody at the web application of a machine with a data folder of its own."""
    here = fleet.settings.model_copy(update={"data": tmp_path / "here"})
    access = Access(b"k" * 32)
    with TestClient(create_app(here, access, [ORIGIN]), base_url=ORIGIN, follow_redirects=False) as client:
        assert client.get("/enter", params={"token": access.link()}).status_code == 200
        client.headers["origin"] = ORIGIN
        yield client


def submitted(fleet: Fleet) -> tuple[str, str]:
    """A run that asks before each operation, and its page."""
    (run,) = fleet.submit(Task(task="Do it."), model=fleet.script(*ASKS), mode="active")
    return run, f"/runs/{run}"


def question(person: TestClient, page: str) -> str:
    """Where the page's question is answered."""
    found: list[str] = []

    def there() -> bool:
        found[:] = re.findall(r'hx-post="([^"]+/answers/[^"]+)"', person.get(page).text)
        return bool(found)

    assert until(there)
    return found[0]


def accept_all(fleet: Fleet, person: TestClient, run: str, process: subprocess.Popen[bytes]) -> int:
    """Accept whatever the run asks until its process has ended; how often it asked."""
    answered = set[str]()
    while process.poll() is None:
        where = question(person, f"/runs/{run}") if fleet.row(run).state == "asking" else ""
        if where and where not in answered:
            assert f"/runs/{run}" in person.get("/", params={"show": "asks"}).text
            assert person.post(where, data={"do": "accept"}).status_code == 303
            answered.add(where)
    assert process.wait(LATEST) == 0
    return len(answered)


@pytest.mark.deep
def test_an_answer_reaches_the_node_and_its_files_are_here(fleet: Fleet, person: TestClient) -> None:
    run, page = submitted(fleet)
    with at_it(fleet, run) as process:
        assert accept_all(fleet, person, run, process) >= 2
    assert fleet.row(run).state == "unverified"
    assert 'data-status="unverified"' in person.get(page).text
    assert not (fleet.settings.data / "workspaces" / run).exists()
    assert person.get(f"{page}/files/made.txt").text == "two\n"
    assert person.get(f"{page}/files/nothing.txt").status_code == 404


@pytest.mark.deep
def test_a_run_that_has_made_room_is_answered_and_goes_on(fleet: Fleet, person: TestClient) -> None:
    run, page = submitted(fleet)
    with at_it(fleet, run, holds=0.5) as process:
        assert process.wait(LATEST) == 0
    where = question(person, page)
    assert page in person.get("/").text
    assert "Pause" not in person.get(page).text
    stale = where[:-1] + ("0" if where[-1] != "0" else "1")
    assert "no longer open" in person.post(stale, data={"do": "accept"}, headers={"hx-request": "true"}).text
    assert fleet.row(run).state == "asking"
    assert person.post(where, data={"do": "accept"}).status_code == 303
    assert fleet.row(run).state == "waiting"
    assert "as soon as a node has room" in person.get(page).text
    with at_it(fleet, run) as process:
        assert accept_all(fleet, person, run, process) >= 1
    assert fleet.row(run).state == "unverified"


@pytest.mark.deep
def test_a_run_on_a_node_is_stopped_from_its_page(fleet: Fleet, person: TestClient) -> None:
    run, page = submitted(fleet)
    with at_it(fleet, run) as process:
        question(person, page)
        assert "On node node-7" in person.get(page).text
        assert "can only be answered and stopped" in person.post(f"{page}/say", data={"kind": "pause"}).text
        assert person.post(f"{page}/stop", headers={"hx-request": "true"}).status_code == 204
        assert process.wait(LATEST) == 0
    assert fleet.row(run).state == "cancelled"
    assert 'data-status="stopped"' in person.get(page).text

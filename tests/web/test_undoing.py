"""A folder put back as it was before a run, and a run deleted: shown first, then done, without a script in the page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.engine import session
from deskcrew.engine.following import request_after
from deskcrew.engine.request import RunRequest
from deskcrew.facts import events as e
from deskcrew.journal.exporting import export
from deskcrew.journal.store import Store
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.store import Memory
from deskcrew.learning.skills.trials import Trial, Trials
from deskcrew.settings import Settings
from web.pressing import Hall, hall, plan, writes


def wrote(settings: Settings, folder: Path, name: str, *, after: str = "") -> str:
    """A real run that wrote a file, or one that followed it; its id."""
    path = folder / f"script-{name}.json"
    path.write_text(json.dumps([plan(f"write {name}"), writes(name, "made", branch="RoleTaskFinish")]))
    (folder / "work").mkdir(exist_ok=True)
    task, model = f"Write {name}.", f"scripted:{path}"
    request = RunRequest(task=task, model=model, workspace=folder / "work", desktop="none", crew="planned")
    if after:
        more: dict[str, Any] = {"follows": after}
        request = RunRequest(
            task=task,
            model=model,
            workspace=request_after(after, settings).workspace,
            desktop="none",
            **{"crew": "planned", **more},
        )
    return anyio.run(session.run, request, settings).run


def told(page: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.partition("<main")[2])))


def seen(page: str) -> str:
    (found,) = re.findall(r'name="seen" value="([^"]+)"', page)
    return found


def test_what_would_be_put_back_is_shown_and_put_back_with_the_work_of_a_run_that_followed(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    first = wrote(settings, tmp_path, "a.txt")
    second = wrote(settings, tmp_path, "b.txt", after=first)
    assert f'href="/runs/{first}/undo"' in person.get(f"/runs/{first}").text
    (reply, *_) = re.findall(r'<li id="e(\d+)" class="line" data-kind="reply"', person.get(f"/runs/{first}").text)
    preview = person.get(f"/runs/{first}/rewind", params={"event": reply}).text
    assert f"what run {second} did afterwards (Write b.txt.)" in re.sub("<[^>]*>", "", preview), "also of any going back"
    page = person.get(f"/runs/{first}/undo").text
    assert "a.txt is deleted" in told(page)
    assert "b.txt is deleted" in told(page)
    assert "Write b.txt." in told(page).partition("Undone with it")[2]
    assert (work / "a.txt").exists(), "looking changes nothing"
    done = person.post(f"/runs/{first}/undo", data={"seen": seen(page)})
    assert "What the run changed was put back" in told(done.text)
    assert list(work.iterdir()) == []
    page = person.get(f"/runs/{first}").text
    assert 'data-status="undone"' in page
    assert "What this run changed was put back. The result below is what it was before that." in told(page)
    for begins in ('id="plan"', 'id="story"', 'id="files"'):
        assert "a.txt" in page.partition(begins)[2].partition("</section>")[0], "all that it did can still be seen"
    assert "Operations 1" in told(page)
    assert f'href="/runs/{first}/files/a.txt"' not in page
    assert "Continue</button>" not in page, "nothing waits"
    assert 'data-status="undone"' in person.get("/").text
    assert 'data-status="undone"' not in person.get("/", params={"show": "open"}).text, "nothing of it goes on"
    assert 'data-status="undone"' in person.get("/", params={"show": "undone"}).text
    assert f'href="/runs/{first}/undo"' not in page, "there is nothing left to put back"
    assert person.get(f"/runs/{first}/undo").status_code == 400


def test_what_changed_since_it_was_shown_is_shown_before_it_is_put_back(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    run = wrote(settings, tmp_path, "a.txt")
    page = person.get(f"/runs/{run}/undo").text
    (tmp_path / "work" / "mine.txt").write_text("by hand")
    for given in (seen(page), ""):
        answer = person.post(f"/runs/{run}/undo", data={"seen": given})
        assert "Something changed since you looked." in answer.text
        assert "mine.txt" in told(answer.text).partition("Left as they are")[2]
        assert (tmp_path / "work" / "mine.txt").exists()
    person.post(f"/runs/{run}/undo", data={"seen": seen(answer.text), "everything": "true"})
    assert list((tmp_path / "work").iterdir()) == []


def test_what_somebody_edited_is_said_and_kept(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    run = wrote(settings, tmp_path, "a.txt")
    edited = tmp_path / "work" / "a.txt"
    assert "changed after this run ended" not in person.get(f"/runs/{run}").text
    edited.write_text("by hand")
    assert "a.txt was changed after this run ended" in person.get(f"/runs/{run}").text
    page = person.get(f"/runs/{run}/undo").text
    (tmp_path / "work" / "mine.txt").write_text("never touched by the run")
    page = person.get(f"/runs/{run}/undo").text
    assert (
        "a.txt"
        in told(page).partition("You, another program or another run changed these files during the run or after it.")[2]
    )
    assert "those that were not there before the run are deleted" in told(page)
    assert "Changed by somebody else" not in page, "it may have been the person who reads this"
    done = person.post(f"/runs/{run}/undo", data={"seen": seen(page)})
    assert done.status_code == 400
    assert "Nothing was put back: you, another program or another run changed a.txt." in done.text
    assert edited.read_text() == "by hand"
    assert 'data-status="undone"' not in person.get(f"/runs/{run}").text, "what put nothing back is no undo"


def test_a_renamed_file_is_one_line(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    path, work = tmp_path / "script.json", tmp_path / "work"
    work.mkdir()
    (work / "old.txt").write_text("kept")
    moves = {"function": "move_file", "source": "old.txt", "destination": "new.txt"}
    path.write_text(json.dumps([{"operations": [moves], "branch": "RoleTaskFinish"}]))
    task, model = "Rename old.txt to new.txt.", f"scripted:{path}"
    request = RunRequest(task=task, model=model, crew="solo", workspace=work, desktop="none")
    page = told(person.get(f"/runs/{anyio.run(session.run, request, settings).run}/undo").text)
    assert "Files new.txt gets its old name old.txt Put it back" in " ".join(page.split())


def test_a_run_of_another_machine_and_one_at_work_are_not_put_back(
    person: TestClient, settings: Settings, tmp_path: Path
) -> None:
    run = wrote(settings, tmp_path, "a.txt")
    store = Store(settings.journal)
    journal = store.journal(run)
    mark = seen(person.get(f"/runs/{run}/undo").text)
    with journal.claimed():
        assert person.post(f"/runs/{run}/undo", data={"seen": mark}).status_code == 400
        assert (tmp_path / "work" / "a.txt").exists()
    export(journal, tmp_path / "one.zip")
    person.post(f"/runs/{run}/remove")
    store.close()
    with (tmp_path / "one.zip").open("rb") as file:
        person.post("/import", files={"file": ("one.zip", file)})
    assert "undo" not in person.get(f"/runs/{run}").text
    answer = person.get(f"/runs/{run}/undo")
    assert answer.status_code == 400
    assert "on another machine" in answer.text
    assert (tmp_path / "work" / "a.txt").exists()


@pytest.mark.first_case
@pytest.mark.parametrize("keep", [False, True])
def test_a_run_is_deleted_with_what_it_taught_and_its_folder_stays(
    person: TestClient, settings: Settings, tmp_path: Path, keep: bool
) -> None:
    run = wrote(settings, tmp_path, "a.txt")
    memory = Memory.of(settings)
    for verdict, text in (("corrected", "Look twice."), ("declared", "My car is red.")):
        told_ = {"id": verdict, "situation": text, "run": run, "verdict": verdict, "created": 1.0}
        memory.add(Entry.model_validate(told_))
    trials = Trials(settings.data)
    trials.add("ab" * 32, Trial(run=run, input="i", done=True))
    before = len(memory.all(withdrawn=True))
    page = told(person.get(f"/runs/{run}/remove").text)
    assert str(tmp_path / "work") in page.partition("Stays")[2]
    assert f"{before - 1} " in page.partition("what it taught:")[2][:6]
    assert "1 result of skills" in page
    assert Store(settings.journal).has(run), "looking changes nothing"
    answer = person.post(f"/runs/{run}/remove", data={"keep_learned": "true"} if keep else {})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert not Store(settings.journal).has(run)
    assert run not in person.get("/").text
    assert [entry.situation for entry in memory.all(withdrawn=True) if entry.verdict == "declared"] == ["My car is red."]
    assert (len(memory.all(withdrawn=True)) == before) == keep
    assert bool(trials.of("ab" * 32)) == keep
    memory.close()
    assert (tmp_path / "work" / "a.txt").read_text() == "made"


def test_a_run_at_work_is_not_deleted(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    begun = e.RunStarted(task="t", crew="solo", model="m", mode="active", workspace="w", desktop="none")
    journal = store.create(begun, run="one")
    with journal.claimed():
        page = person.get("/runs/one/remove").text
        assert "Stop the run first." in page
        assert "<form method" not in page.partition("<main")[2]
        assert person.post("/runs/one/remove").status_code == 400
        assert store.has("one")
    journal.close()
    store.close()


def test_nobody_elses_page_undoes_or_deletes(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    run = wrote(settings, tmp_path, "a.txt")
    mark = seen(person.get(f"/runs/{run}/undo").text)
    for what in ("undo", "remove"):
        for origin in ("http://evil.example", None):
            headers = {"origin": origin} if origin else {}
            del person.headers["origin"]
            assert person.post(f"/runs/{run}/{what}", data={"seen": mark}, headers=headers).status_code == 403
            person.headers["origin"] = "http://127.0.0.1:8700"
    assert (tmp_path / "work" / "a.txt").exists()


@pytest.fixture
def hall_of(settings: Settings, tmp_path: Path, own_runtime: Path) -> Generator[tuple[Hall, str]]:
    """A server with a browser on it, over the data of a run that wrote a file; the run's id."""
    run = wrote(settings, tmp_path, "a.txt")  # before the browser, whose loop would be in the way
    with hall(tmp_path) as made:
        yield made, run


@pytest.mark.deep
@pytest.mark.timeout(600)
def test_a_browser_without_scripts_objects_puts_back_and_deletes(hall_of: tuple[Hall, str], tmp_path: Path) -> None:
    there, run = hall_of
    with there.page() as first:
        state = first.context.storage_state()
        page = there.browser.new_context(storage_state=state, java_script_enabled=False).new_page()
        page.goto(f"{there.origin}/runs/{run}")
        page.get_by_text("This is not right…").click()
        page.get_by_label("It is not right because").fill("It is the wrong file.")
        page.get_by_role("button", name="Only object").click()
        expect(page.locator("#head")).to_contain_text("You objected: It is the wrong file.")
        page.locator(".outcome").get_by_role("link", name="Put everything back…").click()  # beside the result, in no menu
        expect(page.locator("main")).to_contain_text("a.txt is deleted")
        page.get_by_role("button", name="Put it back").click()
        expect(page.get_by_role("heading", name="What the run changed was put back")).to_be_visible()
        assert list((tmp_path / "work").iterdir()) == []
        page.get_by_role("link", name="Back to the run").click()
        page.get_by_role("button", name="More").click()
        page.get_by_role("link", name="Delete this run…").click()
        page.get_by_role("button", name="Delete it").click()
        expect(page.get_by_role("heading", name="No runs yet")).to_be_visible()
        page.get_by_role("link", name="Look at a recorded run").click()
        page.get_by_role("button", name="Look at it").last.click()
        expect(page.locator("#head")).to_contain_text("Recorded: this run was imported.")
        page.context.close()


@pytest.mark.timeout(300)
def test_what_was_put_back_is_taken_back_on_the_page_of_the_run(hall_of: tuple[Hall, str], tmp_path: Path) -> None:
    there, run = hall_of
    with there.page() as page:
        page.goto(f"{there.origin}/runs/{run}/undo")
        page.get_by_role("button", name="Put it back").click()
        page.get_by_role("link", name="Back to the run").click()
        expect(page.get_by_role("region", name="Undone")).to_contain_text("What this run changed was put back.")
        assert list((tmp_path / "work").iterdir()) == []
        page.get_by_role("button", name="Take that back").click()
        expect(page.locator("#head .status")).to_have_text("unverified")
        assert [each.name for each in (tmp_path / "work").iterdir()] == ["a.txt"]

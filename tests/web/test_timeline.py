"""The timeline of a run: what stands in it, how it is gone through with keys, and a long one."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from support.at_once import two_at_once
from support.crew import settings_in
from web.pressing import Hall, hall

BEGUN = e.RunStarted(task="Do it", crew="solo", model="m", mode="active", workspace="w", desktop="none")
EVIL = '"><script>alert(1)</script>'


def turn(journal: Journal, role: str, path: str, *, ok: bool = True, human: bool = False) -> None:
    """A role is asked, replies, and has a file written: six events."""
    operation = e.Operation(function="write_file", params={"file_path": path, "text": "x"})
    journal.append(e.RoleCalled(role=role, subtask="1"))
    journal.append(e.RoleReplied(role=role, subtask="1", reply={"branch": "Continue"}, model="m"))
    journal.append(e.OperationProposed(role=role, subtask="1", operation=operation))
    journal.append(e.OperationApproved(rule="r", risk="write", by="human" if human else "policy"))
    journal.append(e.ActionStarted(role=role, subtask="1", operation=operation, effect="write"))
    did = e.ActionFinished(role=role, subtask="1", operation=operation, ok=ok, text="done", seconds=0.1)
    journal.append(did if ok else did.model_copy(update={"error": "disk full"}))


def lanes(page: str) -> list[tuple[str, list[tuple[str, str, int]]]]:
    """Of each lane its name, and of each bar its kind, its words and the event that it leads to."""
    found: list[tuple[str, list[tuple[str, str, int]]]] = []
    for name, content in re.findall(r'<g class="lane" role="group" aria-label="([^"]*?):.*?">(.*?)</g>', page, re.S):
        bars = re.findall(r'event=(\d+)[^"]*" aria-label="([^"]*)".*?data-kind="(\w+)"', content)
        found.append((name, [(kind, words, int(number)) for number, words, kind in bars]))
    return found


def test_there_is_a_lane_for_each_role_and_one_for_the_person(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    journal = store.create(BEGUN, run="one")
    turn(journal, "Planner", "a.txt")
    turn(journal, EVIL, "b.txt", human=True)
    turn(journal, "Planner", "c.txt", ok=False)
    journal.append(e.HumanSaid(kind="guide", text="The other file."))
    journal.close()
    store.close()
    answer = person.get("/runs/one/timeline")
    assert "<script>alert" not in answer.text
    assert " style=" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    found = dict(lanes(answer.text))
    assert list(found) == ["Planner", "&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "You"]
    assert [kind for kind, _, _ in found["Planner"]] == ["model", "done", "model", "failed"]
    assert [number for _, _, number in found["Planner"]] == [3, 6, 15, 18]
    assert "into a.txt" in found["Planner"][1][1]
    assert "disk full" in found["Planner"][3][1]
    assert [(kind, number) for kind, _, number in found["You"]] == [("person", 11), ("person", 20)]
    # Each leads to what happened there.
    for _, bars in found.items():
        for _, _, number in bars:
            assert person.get("/runs/one", params={"event": number}).status_code == 200


def test_what_was_understood_and_the_yes_are_in_it(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    journal = store.create(BEGUN, run="one")
    turn(journal, "SkillChooser", "a.txt")
    read = e.Understood(skill="sort-table", values={}, words="Sort may.csv")
    journal.append(read)
    journal.append(read.model_copy(update={"by": "human"}))
    journal.close()
    store.close()
    found = dict(lanes(person.get("/runs/one/timeline").text))
    assert [(kind, number) for kind, _, number in found["SkillChooser"]][-1] == ("rule", 8)
    assert "understood as: Sort may.csv" in found["SkillChooser"][-1][1]
    ((kind, words, number),) = found["You"]
    assert (kind, "you: yes, that is what is wanted" in words, number) == ("person", True, 9)


def test_nights_are_cut_out_and_a_run_that_has_just_begun_has_nothing_yet(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    journal = store.create(BEGUN, run="one")
    journal.close()
    assert "Nothing has happened yet." in person.get("/runs/one/timeline").text
    journal = store.journal("one")
    turn(journal, "Worker", "a.txt")
    journal.append(e.RunResumed(model="m"))
    turn(journal, "Worker", "b.txt")
    journal.close()
    store.close()
    assert person.get("/runs/one/timeline").text.count('<g class="break">') == 1


def test_a_long_run_is_shown_whole(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    journal = store.create(BEGUN, run="long")
    for number in range(400):
        turn(journal, f"Role{number % 4}", f"{number}.txt", human=number % 10 == 0)
    assert len(journal.all) > 2000
    journal.close()
    store.close()
    found = lanes(person.get("/runs/long/timeline").text)
    assert [name for name, _ in found] == ["Role0", "Role1", "Role2", "Role3", "You"]
    assert [len(bars) for _, bars in found] == [200, 200, 200, 200, 40]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("timeline")) as made:
        yield made


@pytest.mark.deep
@pytest.mark.timeout(300)
def test_arrow_keys_go_from_bar_to_bar_and_enter_opens_what_happened(there: Hall) -> None:
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run="keys")
    turn(journal, "Planner", "a.txt")
    turn(journal, "Worker", "b.txt")
    journal.close()
    store.close()
    with there.page() as page:
        page.goto(f"{there.origin}/runs/keys")
        page.get_by_role("link", name="Timeline").click()
        bars = page.locator(".lane a")
        expect(bars).to_have_count(4)
        # Bars of one lane lie side by side, and in lanes below one another.
        boxes = [bar.bounding_box() for bar in page.locator(".lane .span").all()]
        assert all(box is not None and box["height"] <= 30 for box in boxes)
        assert boxes[0] is not None
        assert boxes[2] is not None
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[2]["y"]
        bars.nth(0).focus()
        page.keyboard.press("ArrowRight")
        expect(bars.nth(1)).to_be_focused()
        page.keyboard.press("ArrowDown")
        expect(bars.nth(2)).to_be_focused()
        page.keyboard.press("ArrowRight")
        expect(bars.nth(3)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#inspector [data-chosen]")).to_contain_text('Write "x" into b.txt')


def test_parts_that_are_worked_on_at_once_have_a_lane_each(person: TestClient, settings: Settings) -> None:
    store = Store(settings.journal)
    journal = store.create(BEGUN, run="one")
    numbers = two_at_once(journal)
    journal.close()
    store.close()
    found = dict(lanes(person.get("/runs/one/timeline").text))
    assert {name: [(kind, number) for kind, _, number in bars] for name, bars in found.items()} == {
        "FileManager, part 2": [("model", numbers["replied 2"]), ("done", numbers["proposed 2"] + 2)],
        "FileManager, part 1": [("model", numbers["called 1"])],
    }
    page = person.get("/runs/one").text
    assert page.count('<li data-state="now">') == 2, "both parts of the plan are worked on"

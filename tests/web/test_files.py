"""The files that a run made: shown on its page, downloaded in a real browser, and nothing else given away."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.sync_api import expect
from starlette.testclient import TestClient

from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.web.peeking import peeks
from deskcrew.ways_in.web.run_files import LONGEST, ListedFile, ListedFiles, shown
from deskcrew.ways_in.web.run_view import shown as view
from web.pressing import ASKS, Hall, hall, writes

EVIL = "<img src=x onerror=alert(1)>.txt"
OUTSIDE = ["../secret.txt", "sub/../../secret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "/etc/passwd"]
OUTSIDE += ["%2fetc%2fpasswd", "out", "out/secret.txt", "leaf.txt"]
NO_FILES = ["around/a.html", "fifo", "sub", "sub/", "", "%2e", "a%00b", "%ff", "nothing.txt"]
TURNED = "report\u202etxt.exe"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("files")) as made:
        yield made


@pytest.mark.timeout(600)
@pytest.mark.deep
def test_what_a_run_made_is_listed_while_it_goes_on_and_downloaded(there: Hall) -> None:
    # The last file is gone by the time it is asked for, and browsers complain of that.
    with there.page(quiet=True) as page:
        asks = {**ASKS, "problem": "Shall I go on?"}
        replies = [asks, writes("sub/a b#?%.txt", "first"), writes(EVIL, "1"), writes(TURNED, "2"), ASKS]
        run = there.begin(page, replies, mode="passive")
        files = page.locator("#files")
        expect(page.locator(".ask")).to_contain_text("Shall I go on?")
        expect(files).to_contain_text("No file was changed so far.")
        page.get_by_label("Your answer").fill("Yes.")
        page.get_by_role("button", name="Answer").click()
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        expect(files.locator("li .name")).to_have_text([EVIL, "report\\u202etxt.exe", "sub/a b#?%.txt"])
        expect(files.locator("li").last).to_contain_text("new, 5 bytes")
        workspace = Path(files.locator("code").inner_text())
        kept: list[tuple[str, str]] = []
        for link in files.locator("li a").all():
            with page.expect_download() as begun:
                link.click()
            kept.append((begun.value.suggested_filename, begun.value.path().read_text()))
        assert page.url == f"{there.origin}/runs/{run}"
        # What browsers do not allow in names of files they replace by themselves.
        assert kept[1:] == [("reporttxt.exe", "2"), ("a b#_%.txt", "first")]
        assert (kept[0][0].endswith("txt"), kept[0][1]) == (True, "1")
        (workspace / EVIL).unlink()
        files.locator("li a").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"There is no file {EVIL} in the folder of this run.")


@pytest.mark.deep
@pytest.mark.timeout(600)
def test_what_a_run_moved_and_deleted_is_named(there: Hall, tmp_path: Path) -> None:
    for name in ("stays.txt", "goes.txt", "old.txt"):
        (tmp_path / name).write_text(name)
    code = "import os\nos.rename('old.txt', 'new.txt')\nos.remove('goes.txt')\nprint('done')"
    does = {"operations": [{"function": "run_python_code", "code": code}], "branch": "Continue"}
    with there.page() as page:
        there.begin(page, [does, ASKS], mode="passive", workspace=str(tmp_path))
        expect(page.locator(".ask")).to_contain_text("It would lose goes.txt")
        assert (tmp_path / "goes.txt").exists()
        page.get_by_role("button", name="Allow once").click()
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["new.txt", "stays.txt"]
        listed = page.locator("#files li")
        expect(listed).to_have_count(2)
        expect(listed.filter(has_text="new.txt")).to_contain_text("renamed from old.txt")
        expect(listed.filter(has_text="goes.txt")).to_contain_text("deleted")
        # What is gone cannot be had.
        expect(listed.filter(has_text="goes.txt").locator("a")).to_have_count(0)


@pytest.fixture
def workspace(settings: Settings, tmp_path: Path) -> Path:
    """That of a run called ``made``, with a secret beside it."""
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.html").write_text("<script>alert(1)</script>")
    (tmp_path / "secret.txt").write_text("canary-7318")
    store = Store(settings.journal)
    begun = e.RunStarted(task="x", crew="solo", model="m", mode="passive", workspace=str(folder), desktop="none")
    store.create(begun, run="made").close()
    store.close()
    return folder


def test_a_file_is_given_to_be_kept_and_never_as_a_page(person: TestClient, workspace: Path) -> None:
    answer = person.get("/runs/made/files/sub/a.html")
    assert answer.text == "<script>alert(1)</script>"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''a.html"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "sandbox; default-src 'none'"
    assert int(answer.headers["content-length"]) == len(answer.content)


@pytest.mark.parametrize("path", [*OUTSIDE, *NO_FILES])
def test_nothing_but_a_file_of_the_workspace_is_given(person: TestClient, workspace: Path, path: str) -> None:
    (workspace / "out").symlink_to(workspace.parent)
    (workspace / "leaf.txt").symlink_to(workspace.parent / "secret.txt")
    (workspace / "around").symlink_to("sub")
    os.mkfifo(workspace / "fifo")
    answer = person.get(f"/runs/made/files/{path}")
    assert answer.status_code == 404
    assert "canary-7318" not in answer.text
    assert "root:" not in answer.text


def test_the_folder_of_a_run_that_came_in_a_file_is_not_looked_into(
    person: TestClient, settings: Settings, workspace: Path
) -> None:
    data = person.get("/runs/made/export").content
    store = Store(settings.journal)
    remove(store, ["made"])
    store.close()
    assert person.post("/import", files={"file": ("run.zip", data)}).status_code == 204
    answer = person.get("/runs/made/files/sub/a.html")
    assert answer.status_code == 404
    assert "was imported" in answer.text
    assert "This run was imported" in person.get("/runs/made").text


def test_a_long_path_keeps_its_folder_and_its_ending() -> None:
    assert shown("sub/" + "x" * 300 + ".csv").startswith("sub/xxx")
    assert shown("sub/" + "x" * 300 + ".csv").endswith("xxx.csv")
    assert len(shown("sub/" + "x" * 300 + ".csv")) <= LONGEST


@pytest.mark.timeout(300)
def test_what_was_removed_since_is_said_and_no_link_leads_to_it(there: Hall, tmp_path: Path) -> None:
    with there.page(quiet=True) as page:
        over = writes("stays.txt", "2", "RoleTaskFinish")
        run = there.begin(page, [writes("goes.txt", "1"), over], mode="automatic", workspace=str(tmp_path))
        expect(page.locator("#head .status")).to_have_text("unverified")
        (tmp_path / "goes.txt").unlink()
        page.reload()
        listed = page.locator("#files .made > li")
        expect(listed.filter(has_text="goes.txt")).to_contain_text("new, removed since the run")
        expect(listed.filter(has_text="goes.txt").locator("a")).to_have_count(0)
        expect(listed.filter(has_text="stays.txt").locator("a")).to_have_count(1)
        expect(page.locator("#files")).not_to_contain_text("was changed")
        # Of a page that was open before, the link leads back.
        page.goto(f"{there.origin}/runs/{run}/files/goes.txt")
        page.get_by_role("link", name="Back to the run").click()
        expect(page.locator("#head .status")).to_have_text("unverified")


def test_the_beginning_of_a_workbook_is_a_table_with_dates_as_the_sheet_shows_them(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    sheet.title = "Trips"
    for row in (("Date", "Left at", "km"), (date(2026, 1, 1), datetime(2026, 1, 1, 9, 30), 10.5)):
        sheet.append(row)
    book.save(tmp_path / "trips.xlsx")
    made = ListedFiles(made=(ListedFile("trips.xlsx", "trips.xlsx", "new", 1),), known=True)
    begun = e.RunStarted(task="x", crew="solo", model="m", mode="passive", workspace=str(tmp_path), desktop="none")
    store = Store(tmp_path / "journal.db")
    with closing(store):
        journal = store.create(begun, run="one")
        journal.append(e.RunFinished(outcome=Outcome(status="done", verified_by="rules")))
        journal.close()
        found = peeks(made, view(store.reading("one"), store.row("one"), None))["trips.xlsx"]
    assert found.rows == (("Date", "Left at", "km"), ("2026-01-01", "2026-01-01 09:30:00", "10.5"))
    assert (found.sheet, found.more) == ("Trips", False)

"""A person shows something in the web app: on the live desktop in a real browser, with its mouse and keyboard."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from tests.environments.linux.conftest import needs_desktop

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from support.crew import bodies, settings_in
from web.pressing import Hall, hall

pytestmark = [pytest.mark.desktop, pytest.mark.deep, pytest.mark.timeout(300)]


@pytest.fixture
def there(tmp_path: Path) -> Generator[Hall]:
    needs_desktop()
    with hall(tmp_path) as made:
        yield made


def shown(page: Page) -> str:
    return str(page.locator("[data-view] canvas").evaluate("canvas => canvas.toDataURL()"))


def until_it_changes(page: Page, before: str) -> None:
    changed = "before => document.querySelector('[data-view] canvas').toDataURL() !== before"
    page.wait_for_function(changed, arg=before)
    page.wait_for_timeout(1000)  # as a person takes to see what came


def test_shown_on_the_live_desktop_and_kept(there: Hall, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    with there.page() as page:
        page.goto(f"{there.origin}/skills")
        page.get_by_role("button", name="Teach one").click()
        page.get_by_label("What you show").fill("Note the total")
        page.get_by_label("Programs to open, one per line").fill("Mousepad")
        page.get_by_label("Folder it may change").fill(str(work))
        page.get_by_role("button", name="Begin").click()
        card = page.locator(".desktop")
        expect(card.get_by_role("button", name="Hand back")).to_be_visible(timeout=90_000)
        there.begun.append(page.url.rpartition("/runs/")[2].partition("?")[0])
        page.wait_for_function("() => document.activeElement?.tagName === 'CANVAS'")
        page.wait_for_timeout(2000)
        before = shown(page)
        page.keyboard.type("Total: 42", delay=60)
        until_it_changes(page, before)
        before = shown(page)
        page.keyboard.press("Control+s")
        until_it_changes(page, before)
        page.keyboard.type("report.txt", delay=60)
        page.wait_for_timeout(1000)
        before = shown(page)
        page.keyboard.press("Enter")
        until_it_changes(page, before)
        card.get_by_role("button", name="Hand back").click()
        expect(page.locator("#head .status")).to_have_text("done")
        assert (work / "report.txt").read_text().strip() == "Total: 42"
        page.get_by_role("button", name="More").click()
        page.get_by_role("link", name="Keep it as a skill").click()
        expect(page.get_by_label("Name of Total: 42")).to_have_value("text1")
        page.get_by_label("Name", exact=True).fill("note-total")
        page.get_by_role("button", name="Keep it").click()
        expect(page.get_by_role("heading", name="note-total", level=1)).to_be_visible()
        expect(page.locator(".title .verdict")).to_have_text("2 of 10")
    run = Store(settings_in(tmp_path).journal).journal(there.begun[-1])
    operations = [body.operation for body in bodies(run, e.OperationProposed)]
    functions = ["open_application", "keyboard_input", "hotkey", "keyboard_input"]
    assert [each.function for each in operations] == functions
    assert operations[1].params == {"keys": "Total: 42"}
    assert operations[3].params == {"keys": "report.txt", "click_enter": True}

"""Schedules and notes as a person presses them, in a real browser."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from web.pressing import Hall, hall
from web.test_skills import looks_right

pytestmark = [pytest.mark.timeout(300), pytest.mark.deep]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("lists")) as made:
        yield made


@pytest.mark.parametrize("width", ["wide", "phone"])
def test_a_schedule_is_set_up_switched_off_and_removed(there: Hall, width: str) -> None:
    with there.page(width, quiet=True) as page:
        if width == "phone":
            page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Schedules").click()
        page.get_by_role("link", name="New schedule").first.click()
        looks_right(page)
        page.get_by_label("What should be done?").fill("Add it up.")
        page.get_by_label("Model", exact=True).fill(there.script([]))
        page.get_by_label("At these times").fill("soon")
        page.get_by_text("Files and programs only").click()
        page.get_by_role("button", name="Put it on the list").click()
        expect(page.locator("#error-when")).to_contain_text("is not a time")
        page.get_by_label("At these times").fill("mon-fri 8:30")
        page.get_by_role("button", name="Put it on the list").click()
        card = page.locator("article", has_text="Add it up.")
        expect(card).to_contain_text("08:30")
        looks_right(page)
        card.get_by_role("button", name="Switch off").click()
        expect(card).to_contain_text("not while it is off")
        card.get_by_role("button", name="Switch on").click()
        expect(card).to_contain_text("08:30")
        card.get_by_role("button", name="Remove…").click()
        looks_right(page)
        page.get_by_role("button", name="Remove it").click()
        expect(page.get_by_role("heading", name="The list is empty")).to_be_visible()


@pytest.mark.parametrize("width", ["wide", "phone"])
def test_words_of_a_folder_are_taken_for_ones_own_and_forgotten(there: Hall, width: str, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Dates are written as 2026-11-25.")
    with there.page(width) as page:
        if width == "phone":
            page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="Memory").click()
        page.get_by_role("navigation", name="Beside this one").get_by_role("link", name="Notes").click()
        page.get_by_label("The folder").fill(str(tmp_path))
        page.get_by_role("button", name="Show what it says").click()
        card = page.locator("article", has_text="Dates are written as 2026-11-25.")
        expect(card).to_contain_text("not decided")
        card.get_by_role("button", name="These are mine").click()
        expect(card).to_contain_text("yours")
        looks_right(page)
        page.get_by_role("button", name="Forget").click()
        expect(card).to_contain_text("not decided")
        expect(page.get_by_text("Your decisions so far")).to_have_count(0)

"""What a small model understood is asked where a person looks first; and where no skill fits, the nearest one's form is
linked."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from web.browsing import overflowing
from web.pressing import Hall, hall

pytestmark = pytest.mark.timeout(300)
SMALL = '[[profile]]\nmatch = ["scripted:*"]\nscripted = true\ncontracts = false\nfreely = false\n'
TO_THE_END = "() => document.querySelector('#story').scrollIntoView({ block: 'end', behavior: 'instant' })"


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    folder = tmp_path_factory.mktemp("first")
    (folder / "config").mkdir()
    (folder / "config/models.toml").write_text(SMALL)
    with hall(folder) as made:
        yield made


def laid_out(folder: Path) -> str:
    (folder / "sales.csv").write_text("Region,Amount\nNorth,120\nWest,200\n")
    return str(folder)


@pytest.mark.first_case
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_what_was_understood_is_asked_at_the_top_of_the_page(there: Hall, width: str, tmp_path: Path) -> None:
    with there.page(width) as page:
        task = "Sort sales.csv, the biggest amounts first."
        there.begin(page, [{"column": "Amount"}], mode="passive", task=task, workspace=laid_out(tmp_path))
        question = page.locator("#question .question")
        expect(question).to_contain_text("Is that what you want?")
        box, below = question.bounding_box(), page.locator(".columns").bounding_box()
        head = page.locator("#head").bounding_box()
        assert box is not None
        assert below is not None
        assert head is not None
        assert head["y"] + head["height"] <= box["y"] + 1, "it follows the task"
        assert box["y"] + box["height"] <= below["y"] + 1, "and covers nothing"
        assert overflowing(page) == 0
        page.evaluate(TO_THE_END)
        expect(page.get_by_role("button", name="Yes")).to_be_in_viewport()


def test_where_no_skill_fits_the_form_of_the_nearest_is_linked(there: Hall, tmp_path: Path) -> None:
    with there.page() as page:
        task = "Sort sales.csv by Amount but not the North."
        run = there.begin(page, [], mode="passive", task=task, workspace=laid_out(tmp_path))
        expect(page.locator("#head")).to_contain_text("no skill fits this task")
        page.get_by_role("link", name="If you mean sort-table, give its values").click()
        expect(page).to_have_url(f"{there.origin}/skills/sort-table?like={run}")
        expect(page.get_by_label("Or the folder that they are in")).to_have_value(str(tmp_path))

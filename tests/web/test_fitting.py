"""Names of any length and direction, menus and tables in a real browser: nothing is out of sight or turned around."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deskcrew.facts import events as e
from deskcrew.facts.contract import Strength
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store
from support.bodies import started
from support.crew import settings_in
from web.browsing import overflowing
from web.pressing import ASKS, Hall, hall, writes

pytestmark = pytest.mark.timeout(600)
TURNED = "report\u202etxt.exe"
SEEN = "report\\u202etxt.exe"
WIDTH = """select => {
  const pen = document.createElement("canvas").getContext("2d"), style = getComputedStyle(select);
  pen.font = style.font;
  const widest = Math.max(...[...select.options].map(option => pen.measureText(option.text).width));
  const arrow = 20;
  return select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow - widest;
}"""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("fitting")) as made:
        yield made


def test_a_long_status_in_the_list_does_not_cover_the_task(there: Hall) -> None:
    journal = Store(settings_in(there.folder).journal).create(started("Add it up"))
    journal.append(e.RunFinished(outcome=Outcome(status="done", strength=Strength(loose=("a.txt, changed",)))))
    journal.close()
    with there.page() as page:
        status = page.locator(".run .status", has_text="weak check").bounding_box()
        task = page.locator(".run .task", has_text="Add it up").bounding_box()
        assert status is not None
        assert task is not None
        assert status["x"] + status["width"] < task["x"]


def hidden_sideways(page: Page, selector: str) -> int:
    """Pixels of the widest of these elements that only scrolling to the side would show."""
    return int(
        page.locator(selector).evaluate_all("all => Math.max(...all.map(each => each.scrollWidth - each.clientWidth))")
    )


@pytest.mark.deep
@pytest.mark.parametrize("width", ["wide", "phone"])
def test_names_of_attachments_fit_and_hide_nothing(there: Hall, width: str, tmp_path: Path) -> None:
    names = ["x" * 196 + ".txt", TURNED, "a\x01b\nc.txt"]
    for name in names:
        (tmp_path / name).write_text("1")
    with there.page(width) as page:
        page.goto(f"{there.origin}/start")
        page.get_by_label("Files it needs").set_input_files([tmp_path / name for name in names])
        chosen = page.locator(".chosen li")
        expect(chosen).to_have_count(3)
        expect(chosen.nth(0)).to_have_text(names[0])
        expect(chosen.nth(1)).to_have_text(SEEN)
        expect(chosen.nth(2)).to_have_text("a␁b␊c.txt")
        assert overflowing(page) == 0
        assert chosen.nth(0).evaluate("each => each.scrollWidth > each.clientWidth")
        assert chosen.nth(0).evaluate("each => getComputedStyle(each).textOverflow") == "ellipsis"
        assert chosen.nth(1).locator("bdi").evaluate("each => getComputedStyle(each).unicodeBidi") == "isolate"


@pytest.mark.deep
def test_a_line_shows_what_would_turn_it_around(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [writes(TURNED, "1"), ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        text = page.locator(".line[data-kind=operation] .text").first
        expect(text).to_contain_text(SEEN)
        assert "\u202e" not in page.content()
        pieces = text.locator("span")
        assert set(pieces.evaluate_all("all => all.map(each => getComputedStyle(each).unicodeBidi)")) == {"isolate"}


@pytest.mark.deep
def test_menus_leave_their_button_free_and_choices_are_read_whole(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [ASKS, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.get_by_role("button", name="Guide").click()
        assert page.get_by_label("When it asks you").evaluate(WIDTH) >= 0
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#head .status")).to_have_text("stopped")
        more, menu = page.get_by_role("button", name="More"), page.locator("#more")
        more.click()
        expect(menu).to_be_visible()
        button, box = more.bounding_box(), menu.bounding_box()
        assert button is not None
        assert box is not None
        assert box["y"] >= button["y"] + button["height"] or box["y"] + box["height"] <= button["y"]
        # Pressed again it closes the menu: nothing lies over it.
        more.click()
        expect(menu).not_to_be_visible()


@pytest.mark.deep
def test_on_a_phone_tables_are_read_without_going_sideways(there: Hall) -> None:
    with there.page("phone") as page:
        page.goto(f"{there.origin}/policy")
        about = page.locator(".rules td.wrap").first
        expect(about).to_be_visible()
        assert hidden_sideways(page, ".rules .table") == 0
        run = there.begin(page, [ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.goto(f"{there.origin}/runs/{run}/branches")
        for name in ("Tokens", "Model time", "Money"):
            expect(page.locator(f".branches td[data-name='{name}']")).to_be_visible()
        assert hidden_sideways(page, ".table.card") == 0
        assert overflowing(page) == 0


@pytest.mark.deep
def test_a_question_can_be_folded_to_see_what_lies_under_it(there: Hall) -> None:
    with there.page("phone") as page:
        there.begin(page, [ASKS], mode="passive")
        question, answer = page.locator("#question .question"), page.get_by_label("Your answer")
        expect(answer).to_be_visible()
        heading = page.locator(".ask > summary")
        heading.click()
        expect(answer).not_to_be_visible()
        box = question.bounding_box()
        assert box is not None
        assert box["height"] < 100
        heading.focus()
        page.keyboard.press("Enter")
        expect(answer).to_be_visible()
        assert overflowing(page) == 0


LINES = "\n".join(f"line {number}" for number in range(60))
LAST_ROW = """() => {
  const box = document.querySelector('#question .question'), rows = [...box.querySelectorAll('.operation dd')];
  rows.at(-1).scrollIntoView({ block: 'end', behavior: 'instant' });
  return [rows.at(-1).getBoundingClientRect().bottom, box.querySelector('.ask > div > form').getBoundingClientRect().top];
}"""


@pytest.mark.parametrize("size", [(1280, 850), (390, 844)], ids=str)
def test_all_of_a_question_is_seen_by_scrolling_it_and_what_answers_it_stays_in_sight(
    there: Hall, size: tuple[int, int]
) -> None:
    with there.page() as page:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        there.begin(page, [writes("a.txt", LINES)])
        page.get_by_role("button", name="Continue", exact=True).click()
        expect(page.locator(".ask")).to_contain_text("wants to do this")
        assert page.locator(".ask dd pre").evaluate("(text) => text.scrollHeight - text.clientHeight") == 0, (
            "one thing scrolls"
        )
        for button in ("Allow once", "Deny"):
            expect(page.get_by_role("button", name=button)).to_be_in_viewport(ratio=1)
        end, answers = page.evaluate(LAST_ROW)
        assert end <= answers + 1, "the last row is not under the buttons"
        for button in ("Allow once", "Deny"):
            expect(page.get_by_role("button", name=button)).to_be_in_viewport(ratio=1)
        page.locator("#question .question").evaluate("(box) => box.scrollTo(0, box.scrollHeight)")
        expect(page.get_by_role("button", name="Allow once")).to_be_in_viewport(ratio=1)
        assert overflowing(page) == 0

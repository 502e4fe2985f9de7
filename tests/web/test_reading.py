"""Going through what happened with keys and fingers, in a real browser: nothing is lost, and focus is where one was."""

from __future__ import annotations

import re
from collections.abc import Generator

import pytest
from playwright.sync_api import expect

from web.pressing import ASKS, Hall, hall, writes

pytestmark = pytest.mark.timeout(600)
WORK = [writes(f"{number}.txt", "1") for number in range(6)]


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("reading")) as made:
        yield made


@pytest.mark.deep
def test_fast_keys_are_all_counted_and_the_last_line_is_shown(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [*WORK, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        lines = page.locator(".line a")
        page.locator("h1").click()
        for _ in range(6):
            page.keyboard.press("j")
            page.wait_for_timeout(60)
        expect(lines.nth(5)).to_be_focused()
        number = lines.nth(5).locator(".at").inner_text()
        expect(page.locator("#inspector article")).to_have_attribute("data-event", number)
        expect(page).to_have_url(re.compile(f"event={number}$"))
        for _ in range(3):
            page.keyboard.press("k")
        expect(lines.nth(2)).to_be_focused()
        number = lines.nth(2).locator(".at").inner_text()
        expect(page.locator("#inspector article")).to_have_attribute("data-event", number)
        page.keyboard.press("Escape")
        expect(page.locator("#inspector article")).to_have_count(0)
        expect(lines.nth(2)).to_be_focused()
        page.keyboard.press("j")
        expect(lines.nth(3)).to_be_focused()
        # Also where focus was elsewhere meanwhile.
        page.locator("#inspector h2").first.click()
        page.keyboard.press("Escape")
        expect(lines.nth(3)).to_be_focused()
        lines.nth(4).click()
        expect(page.locator("#inspector article")).to_be_visible()
        page.reload()
        page.keyboard.press("Escape")
        expect(lines.nth(4)).to_be_focused()


@pytest.mark.deep
def test_what_was_closed_before_it_came_stays_closed(there: Hall) -> None:
    with there.page() as page:
        there.begin(page, [*WORK, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        line = page.locator(".line a").nth(2)
        line.focus()
        # What counts is what the page shows at any time. What still goes over the network after the page has turned away
        # from it is the browser's affair: a server that is quick enough answers all the same. So the first request is held
        # back in the page until both keys were pressed, and it is waited for until the page is through with it.
        page.evaluate(
            """() => {
              window.shown = [];
              new MutationObserver(() => {
                const at = document.querySelector("#inspector [data-event]")?.dataset.event;
                if (at && at !== window.shown.at(-1)) window.shown.push(at);
              }).observe(document.getElementById("inspector"), { childList: true, subtree: true });
              const fetched = window.fetch;
              window.fetch = (...asked) => {
                window.fetch = fetched;
                return new Promise((go) => { window.go = go; }).then(() => fetched(...asked));
              };
              const through = () => document.body.classList.add("is-through");
              document.addEventListener("htmx:finally:request", through, { once: true });
              for (const key of ["j", "Escape"])
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
              window.go();
            }"""
        )
        expect(page.locator("body.is-through")).to_be_attached()
        expect(page.locator(".line a").nth(3)).to_be_focused()
        page.keyboard.press("k")
        number = line.locator(".at").inner_text()
        expect(page.locator("#inspector article")).to_have_attribute("data-event", number)
        page.keyboard.press("Escape")
        expect(page.locator("#inspector article")).to_have_count(0)
        expect(line).to_be_focused()
        assert page.evaluate("window.shown") == [number]


@pytest.mark.deep
def test_on_a_phone_what_was_tapped_is_gone_to_and_come_back_from(there: Hall) -> None:
    with there.page("phone") as page:
        there.begin(page, [*WORK, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        story, totals = page.locator("#story").bounding_box(), page.locator("#totals").bounding_box()
        assert story is not None
        assert totals is not None
        assert story["y"] + story["height"] <= totals["y"]
        line = page.locator(".line[data-kind=operation] a").last
        line.tap()
        expect(page.locator("#inspector article")).to_be_visible()
        expect(page.locator("#inspector h2").first).to_be_in_viewport()
        page.get_by_role("link", name="Close", exact=True).tap()
        expect(page.locator("#inspector article")).to_have_count(0)
        expect(line).to_be_focused()
        expect(line).to_be_in_viewport()

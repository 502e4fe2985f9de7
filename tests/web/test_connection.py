"""A server that goes away and comes back under an open page, and errors that are over, in a real browser."""

from __future__ import annotations

import socket
from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from web.browsing import browsing, page_of, serving
from web.pressing import ASKS, LOOKS, Hall, hall

pytestmark = pytest.mark.timeout(600)
SENT = "Not sent: the server is not answering."


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("connection")) as made:
        yield made


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.deep
def test_a_page_says_that_the_server_has_gone_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    port = str(free_port())
    with browsing() as browser:
        server = serving(tmp_path, "--port", port)
        link = server.__enter__()
        there = Hall(tmp_path, browser, link)
        gone = False
        try:
            # A browser complains of every request that nobody answers.
            with page_of(browser, "wide", link, quiet=True) as page:
                run = there.begin(page, [ASKS, LOOKS, ASKS], mode="passive")
                expect(page.locator(".ask")).to_contain_text("Which of the two?")
                bar = page.get_by_text("The connection to Deskcrew is lost; trying again…")
                expect(bar).not_to_be_visible()
                server.__exit__(None, None, None)
                gone = True
                expect(bar).to_be_visible()
                page.get_by_label("Your answer").fill("The first.")
                page.get_by_role("button", name="Answer").click()
                expect(page.locator("#trouble")).to_contain_text(SENT)
                # What was typed is still there.
                expect(page.get_by_label("Your answer")).to_have_value("The first.")
                page.get_by_role("button", name="Close").click()
                expect(page.locator("#trouble")).to_be_empty()
                page.get_by_role("button", name="Pause").click()
                expect(page.locator("#trouble")).to_contain_text(SENT)
                server = serving(tmp_path, "--port", port)
                server.__enter__()
                gone = False
                expect(bar).not_to_be_visible()
                page.get_by_role("button", name="Answer").click()
                expect(page.locator(".line[data-kind=person]", has_text="The first.")).to_be_attached()
                expect(page.locator("#trouble")).to_be_empty()
                headers = {"origin": there.origin}
                page.request.post(f"{there.origin}/runs/{run}/stop", headers=headers)
                expect(page.locator("#head .status")).to_have_text("stopped")
        finally:
            if not gone:
                server.__exit__(None, None, None)


@pytest.mark.deep
def test_an_error_stands_beside_its_field_until_that_is_changed(there: Hall) -> None:
    # What cannot be read is refused, and browsers complain of that.
    with there.page(quiet=True) as page:
        there.begin(page, [LOOKS, ASKS, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        page.locator(".line[data-kind=reply] a").first.click()
        page.get_by_text("Go back to before this reply").click()
        page.get_by_label("Operations").fill("many")
        page.get_by_role("button", name="Go back and continue from there").click()
        wrong = page.locator("#error-rewind-operations")
        expect(wrong).to_contain_text("Operations: a whole number from 1")
        expect(page.get_by_label("Operations")).to_have_attribute("aria-invalid", "true")
        expect(page.locator("#trouble")).to_be_empty()
        page.get_by_label("Operations").fill("9")
        expect(wrong).to_be_empty()
        expect(page.get_by_label("Operations")).not_to_have_attribute("aria-invalid", "true")


@pytest.mark.deep
def test_an_error_goes_away_with_the_next_thing_that_goes_well(there: Hall) -> None:
    with there.page(quiet=True) as page:
        there.begin(page, [LOOKS, ASKS, ASKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which of the two?")
        guide = page.locator("#guide")
        for _ in range(2):
            page.get_by_role("button", name="Guide").click()
            guide.get_by_role("button", name="Send").click()
            expect(page.locator("#trouble")).to_contain_text("Say what the role should know.")
            page.keyboard.press("Escape")
            if not _:
                page.get_by_role("button", name="Close").and_(page.locator("#trouble button")).click()
                expect(page.locator("#trouble")).to_be_empty()
        page.get_by_label("Your answer").fill("The first.")
        page.get_by_role("button", name="Answer").click()
        expect(page.locator("#trouble")).to_be_empty()

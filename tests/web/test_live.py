"""A page goes live however slowly its parts come, says when it is not, and keeps no question that is not asked any more."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, Route, expect

from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from support.crew import settings_in
from support.sampling import sampled
from support.waiting import LATEST
from web.pressing import ASKS, LOOKS, Hall, hall

pytestmark = pytest.mark.timeout(600)
BEGUN = e.RunStarted(task="Think", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")
LATE = 0.5
"""Seconds that a script is late: any number that is more than none would do."""


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Generator[Hall]:
    with hall(tmp_path_factory.mktemp("live")) as made:
        yield made


@contextmanager
def going_on(there: Hall, run: str) -> Generator[Journal]:
    """A run that a process is at: ours."""
    store = Store(settings_in(there.folder).journal)
    journal = store.create(BEGUN, run=run)
    with journal.claimed():
        yield journal
    journal.close()
    store.close()


def late(route: Route) -> None:
    time.sleep(LATE)
    route.continue_()


def is_told(page: Page, journal: Journal, what: str, *, within: float = 20_000) -> None:
    """Something is written to the journal, and stands on the page that is open."""
    journal.append(e.RoleReplied(role="Worker", reply={"branch": "Continue", "problem": what}))
    journal.commit()
    expect(page.locator(".line[data-kind=reply]", has_text=what)).to_be_attached(timeout=within)


def scripts(page: Page) -> list[str]:
    return [urljoin(page.url, src) for src in page.locator("script[src]").evaluate_all("them => them.map(it => it.src)")]


@pytest.mark.parametrize("which", sampled(range(4), 1))
@pytest.mark.deep
def test_a_page_goes_live_whichever_of_its_scripts_comes_late(there: Hall, which: int) -> None:
    with going_on(there, f"late{which}") as journal, there.page() as page:
        page.goto(f"{there.origin}/runs/late{which}")
        addresses = scripts(page)
        if which >= len(addresses):
            return  # there are no more of them
        page.route(addresses[which], late)
        page.goto(f"{there.origin}/runs/late{which}")
        is_told(page, journal, "Here it is.")


def cold(there: Hall, loads: int) -> list[float]:
    """Pages in browsers that have never seen this server: the seconds until each went live; one that does not, fails."""
    took: list[float] = []
    with going_on(there, f"cold{loads}"), there.page() as first:
        state = first.context.storage_state()
        for _ in range(loads):
            context = there.browser.new_context(storage_state=state)
            page = context.new_page()
            page.add_init_script(
                "addEventListener('htmx:sse:after:connection', () => document.documentElement.classList.add('is-live'))"
            )
            begun = time.monotonic()
            page.goto(f"{there.origin}/runs/cold{loads}", wait_until="commit")
            page.locator("html.is-live").wait_for(state="attached", timeout=LATEST * 1000)
            took.append(time.monotonic() - begun)
            context.close()
    return took


@pytest.mark.deep
def test_a_few_cold_pages_go_live(there: Hall) -> None:
    assert len(cold(there, 5)) == 5


@pytest.mark.deep
def test_two_hundred_cold_pages_go_live(there: Hall) -> None:
    took = sorted(cold(there, 200))
    print(f"live within {took[0]:.2f} to {took[-1]:.2f} s, median {took[100]:.2f} s")
    assert len(took) == 200


@pytest.mark.deep
def test_a_page_without_its_stream_says_so_and_gets_one(there: Hall) -> None:
    with going_on(there, "held") as journal, there.page() as page:
        # Nobody answers a request, and then somebody does.
        page.route("**/live?*", lambda route: None)
        page.goto(f"{there.origin}/runs/held")
        expect(page.get_by_text("Not live: reconnecting…")).to_be_visible()
        page.unroute("**/live?*")
        is_told(page, journal, "There again.")
        expect(page.get_by_text("Not live: reconnecting…")).not_to_be_visible()


@pytest.mark.deep
def test_a_stale_question_says_so_at_once_and_what_was_answered_is_gone_from_a_page_that_hears_nothing(there: Hall) -> None:
    first, second, third = ({**ASKS, "problem": f"Which {thing}?"} for thing in ("hat", "coat", "shoe"))
    with there.page() as page:
        run = there.begin(page, [first, LOOKS, second, LOOKS, third, LOOKS], mode="passive")
        expect(page.locator(".ask")).to_contain_text("Which hat?")
        # Another page of the same run, whose stream never comes.
        deaf = page.context.new_page()
        deaf.route("**/live?*", lambda route: None)
        deaf.goto(f"{there.origin}/runs/{run}")
        expect(deaf.locator(".ask")).to_contain_text("Which hat?")
        page.get_by_label("Your answer").fill("The red one.")
        page.get_by_role("button", name="Answer").click()
        expect(page.locator(".ask")).to_contain_text("Which coat?")
        deaf.get_by_label("Your answer").fill("The blue one.")
        deaf.get_by_role("button", name="Answer").click()
        expect(deaf.locator("#trouble")).to_contain_text("no longer open")
        expect(deaf.locator(".ask")).to_contain_text("Which coat?")
        deaf.get_by_label("Your answer").fill("The long one.")
        deaf.get_by_role("button", name="Answer").click()
        expect(deaf.locator(".ask")).to_have_count(0)
        expect(deaf.get_by_text("Sent. The crew goes on…")).to_be_visible()
        expect(page.locator(".ask")).to_contain_text("Which shoe?")

"""A run of 100,000 events in a real browser: it opens at its end, scrolls, and its first event is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from deskcrew.journal.store import Store
from deskcrew_bench.performance.long_run import grow
from support.crew import settings_in
from web.browsing import browsing, page_of, serving

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]
EVENTS = 100_000
AT_END = """() => {
  const box = document.querySelector(".story .scroll");
  return box.scrollTop > 0 && box.scrollTop + box.clientHeight > box.scrollHeight - 2;
}"""


def test_a_run_of_100000_events_opens_scrolls_and_is_read_from_its_start(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.data.mkdir()
    store = Store(settings.journal, durable=False)
    grow(store, "long", EVENTS)
    assert store.reading("long").count == EVENTS
    store.close()
    with serving(tmp_path) as link, browsing() as browser, page_of(browser, "wide", link) as page:
        page.goto(f"{link.partition('/enter')[0]}/runs/long")
        box = page.locator(".story .scroll")
        expect(page.locator(f"#e{EVENTS}")).to_be_attached()
        page.wait_for_function(AT_END)
        height = box.evaluate("box => box.scrollHeight")
        box.evaluate("box => box.scrollTop = box.scrollHeight / 2")
        # What is in sight is fetched, and only that: most of the pages stay empty.
        expect(page.locator(".lines.whole .line").first).to_be_attached()
        assert page.locator(".lines.whole:empty").count() > 100
        box.evaluate("box => box.scrollTop = 0")
        first = page.locator(".line a").first
        expect(first).to_contain_text("Plan")
        expect(first).to_be_in_viewport()
        assert box.evaluate("box => box.scrollHeight") == height, "nothing moves when lines come"
        first.click()
        expect(page.locator("#inspector")).to_contain_text("#2")
        page.goto(f"{page.url.partition('?')[0]}?event=1")
        expect(page.locator("#inspector")).to_contain_text("Event #1")

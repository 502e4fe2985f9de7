"""How soon a long run's page is there, and whether it scrolls: a real server, a real browser, a run of 100,000 events.

A sample of the first paint is a server that was just started, and a browser that has been let in: nobody has asked it for a
run's page before. Then that page is loaded again, by the same server. What stands beside it is a short run's page, loaded in
the same way. A sample of the scrolling is the longest that the browser was between two of its frames while all that is in
sight was replaced several times.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from deskcrew.environments.browser.launch import program
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.system_packages import install
from deskcrew.journal.store import Store
from deskcrew_bench.figure import Figure, summarise
from deskcrew_bench.performance.long_run import grow

SHORT = 1000
"""Events of the run that the long one is compared with."""
LATEST = 120_000.0
"""Milliseconds after which a page that has not come counts as broken."""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
SCROLLED = """async () => {
  const box = document.querySelector(".story .scroll"), step = box.clientHeight / 4;
  const frame = () => new Promise(requestAnimationFrame);
  box.scrollTop = box.scrollHeight / 2;
  await frame(); await frame();
  let longest = 0, before = await frame();
  for (let done = 0; done < 120; done++) {
    box.scrollTop -= step;
    const now = await frame();
    longest = Math.max(longest, now - before);
    before = now;
  }
  return longest;
}"""
"""Scrolls from the middle upwards, a quarter of what is in sight each frame; the longest frame in milliseconds."""


@dataclass(frozen=True, slots=True)
class PageFigures:
    """Milliseconds. ``cold``, ``warm``: first contentful paint; ``frame``: the longest frame of a scroll."""

    cold: Figure
    warm: Figure
    frame: Figure


@dataclass(slots=True)
class _Samples:
    cold: list[float]
    warm: list[float]
    frame: list[float]


def measure(*, events: int = 100_000, samples: int = 5) -> PageFigures:
    """Write both runs, and open them. Blocking, about a minute. Raises EnvironmentFailure, with what to install, where there
    is no browser, and where a page does not come."""
    chromium = program()
    if chromium is None:
        raise EnvironmentFailure("No Chromium was found.", hint=install("chromium"))
    with tempfile.TemporaryDirectory(prefix="deskcrew-bench-") as folder:
        data = Path(folder)
        store = Store(data / "journal.db", durable=False)
        grow(store, "long", events)
        grow(store, "short", SHORT)
        store.close()
        with sync_playwright() as playwright:
            # Its own sandbox cannot be had by root, and these pages are ours.
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            try:
                long, short = (_sampled(browser, data, run, samples) for run in ("long", "short"))
            finally:
                browser.close()
    beside = f"a run of {SHORT:,} events"
    return PageFigures(
        cold=summarise(long.cold, f"ms, {events:,} events, the server just started", alternative=beside, against=short.cold),
        warm=summarise(long.warm, f"ms, {events:,} events, loaded again", alternative=beside, against=short.warm),
        frame=summarise(long.frame, "ms, the longest frame of a scroll", alternative=beside, against=short.frame),
    )


def _sampled(browser: Browser, data: Path, run: str, samples: int) -> _Samples:
    taken = _Samples([], [], [])
    for _ in range(samples):
        with _serving(data) as link, _entered(browser, link) as page:
            address = f"{link.partition('/enter')[0]}/runs/{run}"
            taken.cold.append(_paint(page, address))
            taken.warm.append(_paint(page, address))
            taken.frame.append(float(page.evaluate(SCROLLED)))
    return taken


def _paint(page: Page, address: str) -> float:
    page.goto(address, wait_until="load")
    page.wait_for_function(PAINTED)
    found = page.evaluate(PAINTED)
    if not page.locator("#tail .line").count():
        raise EnvironmentFailure("The page of the run does not show its story. No figure.")
    return float(found)


@contextmanager
def _entered(browser: Browser, link: str) -> Generator[Page]:
    """A page with nothing in its caches that was let in."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.set_default_timeout(LATEST)
        page.goto(link)
        page.wait_for_url(lambda address: "/enter" not in address)
        yield page
    finally:
        context.close()


@contextmanager
def _serving(data: Path) -> Generator[str]:
    """``deskcrew serve`` over the journal in ``data``; gives the link that it prints."""
    command = [sys.executable, "-P", "-c", "from deskcrew.ways_in.cli.app import main; main()", "serve", "--port", "0"]
    command += ["--data", str(data)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    try:
        link = next((line.strip() for line in process.stdout if line.strip().startswith("http")), "")
        if not link:
            raise EnvironmentFailure("The server has ended before it said where it is.", hint="deskcrew serve")
        yield link
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()

"""How fast a page is read: a table of controls as shops and offices have it, 500 and 5,000 of them, in a browser of ours.

Before each look a value of the page is changed, and the look must show it; a look that does not gives no figure. It is a
whole look, from asking to the typed observation. The alternative is what Playwright offers agents for the same purpose: a
snapshot of all of the page's accessible tree, taken of the same page right after it.

The same page in Chromium's window on a virtual desktop is read by its own script, or by the accessibility bus. There a key
changes the value, and the look is timed once the window has come to rest.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.environments.linux.desktop import OPEN_SECONDS, LinuxDesktop
from deskcrew.environments.linux.screen.x11 import poll_until
from deskcrew.environments.virtual import start_virtual
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Control, Observation
from deskcrew_bench.figure import Figure, summarise
from deskcrew_bench.performance.perception import timed

ALTERNATIVE = 'aria_snapshot(mode="ai") of the same page'
PER_ROW = 4
SMALL, LARGE = 500, 5000


@dataclass(frozen=True, slots=True)
class PageLooks:
    """Figures for pages of 500 and of 5,000 controls."""

    page: Figure
    large: Figure


def measure(*, samples: int = 9) -> PageLooks:
    """Start a browser and measure. Blocking. Raises EnvironmentFailure, with what to install, where there is none."""
    with tempfile.TemporaryDirectory(prefix="deskcrew-bench-") as folder, start_browser(Path(folder)) as browser:
        return PageLooks(
            page=_measured(browser, Path(folder), SMALL, samples), large=_measured(browser, Path(folder), LARGE, samples)
        )


def _measured(browser: BrowserDesktop, folder: Path, controls: int, samples: int) -> Figure:
    (folder / "page.html").write_text(page(controls), encoding="utf-8")
    browser.open_url("page.html")
    browser.observe()
    looks = [_time_look(browser, sample) for sample in range(samples)]
    others = [timed(lambda: browser.with_page(lambda page: page.aria_snapshot(mode="ai"))) for _ in range(samples)]
    return summarise(looks, f"ms a look at a page of {controls} controls", alternative=ALTERNATIVE, against=others)


def _time_look(browser: BrowserDesktop, sample: int) -> float:
    """Change a value, look, and return the milliseconds of the look. Raises EnvironmentFailure when it saw wrongly."""
    value = str(1000 + sample)
    browser.with_page(lambda page: page.evaluate("value => document.querySelector('input').value = value", value))
    taken = timed(browser.look)
    shown = _first(browser.look())
    seen = shown.value if shown is not None else None
    if seen != value:
        raise EnvironmentFailure(f"A look does not show what the page shows: {seen!r} instead of {value!r}. No figure.")
    return taken


def measure_in_window(*, samples: int = 9) -> Figure:
    """A look at a desktop with Chromium on it, beside one at the same desktop by the accessibility bus alone. Blocking.
    Raises EnvironmentFailure where neither can be had."""
    with tempfile.TemporaryDirectory(prefix="deskcrew-bench-") as folder:
        (Path(folder) / "page.html").write_text(page(SMALL), encoding="utf-8")
        looks, others = (_in_window(Path(folder), samples, pages=pages) for pages in (True, False))
    unit = f"ms a look at a page of {SMALL} controls in Chromium's window on a virtual desktop"
    return summarise(looks, unit, alternative="the same page by the accessibility bus", against=others)


def _in_window(folder: Path, samples: int, *, pages: bool) -> list[float]:
    with start_virtual(folder, pages=pages) as desktop:
        desktop.open_application("chromium", "page.html")
        # The bus tells of a page some time after its window is there.
        field = poll_until(lambda: _first(desktop.observe()), OPEN_SECONDS, desktop.wait)
        if field is None:
            raise EnvironmentFailure("Chromium did not open the page in time. No figure.")
        desktop.type_text(field, "1", clear=True)
        if any(window.page is not None for window in desktop.observe().windows) is not pages:
            raise EnvironmentFailure("The page is not told by what is to be measured. No figure.")
        return [_time_key(desktop, "1" * (sample + 2)) for sample in range(samples)]


def _first(seen: Observation) -> Control | None:
    """The field whose value is changed."""
    return next((control for control in seen.controls if control.name == "Amount 1"), None)


def _time_key(desktop: LinuxDesktop, value: str) -> float:
    """Type a digit that makes a field's value ``value``, look, and return the milliseconds of the look."""
    desktop.input.type("1")
    desktop.wait(1.0)
    taken = timed(desktop.look)
    shown = _first(desktop.look())
    seen = shown.value if shown is not None else None
    if seen != value:
        raise EnvironmentFailure(f"A look does not show what the page shows: {seen!r} instead of {value!r}. No figure.")
    return taken


def page(controls: int) -> str:
    """A table with four controls in each row."""
    rows = "".join(
        f"<tr><td>Item {row}<td><input value={row} aria-label='Amount {row}'><td><select><option>one<option>two</select>"
        f"<td><button>Save {row}</button><td><a href='#{row}'>Details {row}</a></tr>"
        for row in range(1, controls // PER_ROW + 1)
    )
    return f"<!doctype html><title>Stock</title><h1>Stock</h1><table>{rows}</table>"

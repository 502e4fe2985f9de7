"""How fast a page is read: a table of controls as shops and offices have it, 500 and 5,000 of them, in a browser of ours.

Before each look a value of the page is changed, and the look must show it; a look that does not gives no figure. It is a
whole look, from asking to the typed observation. The alternative is what Playwright offers agents for the same purpose: a
snapshot of all of the page's accessible tree, taken of the same page right after it.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from deskcrew.bench.figure import Figure, summarise
from deskcrew.bench.perception import timed
from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.errors import EnvironmentFailure

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
    seen = next((control.value for control in browser.look().controls if control.name == "Amount 1"), None)
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

"""``bench perceive``: what a press shows to be there is compared with what readers list."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.environments.browser.browser import start_browser
from deskcrew_bench.perceive.measure import Judged, Tried, judge, shares, views
from deskcrew_bench.perceive.pressing import View

pytestmark = pytest.mark.deep

PAGE = """<!doctype html><title>Shop</title>
<style>.on { color: red } .button { background: #ccc; border-radius: 4px; padding: 4px; cursor: pointer }</style>
<h1>Shop</h1>
<button onclick="out.textContent = 'bought'">Buy</button>
<p id=plain>Read the terms</p>
<div class=button>Only looks like one</div>
<div class=button id=star>Favourite</div>
<label>Name <input></label>
<p id=out></p>
<script>
document.addEventListener("click", event => {
  if (event.target.id === "plain") out.textContent = "terms";
  if (event.target.id === "star") event.target.classList.toggle("on");
});
</script>"""
APPLICATION = """<!doctype html><title>Two views</title>
<button onclick="main.innerHTML = '<ul>' + '<li><input type=checkbox><b>Another</b>'.repeat(9) + '</ul>'">Second</button>
<main id=main><p>First</p></main>"""


def test_what_a_press_shows_is_operable_whatever_the_markup_says(tmp_path: Path) -> None:
    (tmp_path / "shop.html").write_text(PAGE)
    with start_browser(tmp_path) as browser:
        found = list(judge(View(browser, "shop", "shop.html"), "shop", 20, 1))
    ours = {each.name: each for each in found if isinstance(each, Judged) and each.reader == "deskcrew"}
    assert {"Buy", "Read the terms", "Favourite", "Name"} <= ours.keys()
    assert "Only looks like one" not in ours
    assert ours["Buy"].listed is not None
    assert ours["Buy"].named
    assert ours["Favourite"].told is not None, "pressing it changed its state"
    assert ours["Buy"].told is None
    idle = {each.listed for each in found if isinstance(each, Tried) and each.reader == "deskcrew" and each.idle}
    assert not any("Buy" in each or "Favourite" in each for each in idle)
    (share, other) = shares(found)
    assert share.operable == other.operable >= len(ours)
    assert share.listed <= share.operable
    assert share.characters > 0 < other.characters


def test_another_view_of_an_application_is_what_a_press_led_to(tmp_path: Path) -> None:
    (tmp_path / "two.html").write_text(APPLICATION)
    with start_browser(tmp_path) as browser:
        first, second = views(View(browser, "two", "two.html"), 5, 1)
        assert not first.presses
        assert len(second.presses) == 1
        second.open()
        assert sum("input" in each.path for each in second.candidates()) == 9
        first.open()
        assert not any("input" in each.path for each in first.candidates())

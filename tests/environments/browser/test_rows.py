"""Rows and cards: pressed as a whole although there is more in them, and what tells equal controls in them apart."""

from __future__ import annotations

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.describe import control_line

from .conftest import Site, only

LETTERS = """<style>.row { display: flex; cursor: pointer; padding: 10px }</style>
<div class=row><input type=checkbox><span>Ana</span><span>The roof leaks</span><button title=Archive>×</button></div>
<div class=row><input type=checkbox><span>Bo</span><span>Lunch</span><button title=Archive>×</button></div><p id=said></p>
<script>document.addEventListener('click', event => {
  if (event.target.closest('.row') && !event.target.closest('input,button'))
    said.textContent = 'opened ' + event.target.closest('.row').querySelector('span').textContent })</script>"""


def test_a_row_with_controls_in_it_can_be_pressed_itself(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/letters", LETTERS))
    browser.click(only(browser.observe(), "button", "Bo Lunch"))
    seen = browser.observe()
    assert "opened Bo" in seen.text
    assert not any("checked" in control.states for control in seen.controls)


def test_controls_in_rows_are_told_apart_by_them(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/letters-apart", LETTERS))
    lines = [control_line(control).partition(" ")[2] for control in browser.observe().controls]
    assert 'check box "" in "Ana The roof leaks"' in lines
    assert 'button "Archive" in "Bo Lunch"' in lines


def test_a_name_that_is_a_sign_gives_way_to_what_it_means(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/signs", "<button title='Zoom in'>＋</button><button data-action=remove-line>–</button>"))
    names = [control.name for control in browser.observe().controls]
    assert names[0] == "Zoom in"


def test_a_cell_with_controls_alone_leaves_it_to_its_row_to_say_whose_they_are(browser: BrowserDesktop, site: Site) -> None:
    rows = "".join(f"<tr><td>{city}</td><td><button>Edit</button> <button>Remove</button></td>" for city in ("Oslo", "Bern"))
    browser.open_url(site.page("/places", f"<table><tr><th>City<th>What{rows}</table>"))
    lines = [control_line(control).partition(" ")[2] for control in browser.observe().controls]
    assert [line for line in lines if line.startswith('button "Edit"')] == [
        'button "Edit" in "Oslo Remove"',
        'button "Edit" in "Bern Remove"',
    ]

"""Rows that are pressed as a whole, equal controls told apart, switches that a page made, and what lies under a dialog."""

from __future__ import annotations

import pytest

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.drawn import with_drawn
from deskcrew.facts.observation import Observation

from .conftest import Site, look_until, only

ROWS = """<style>.row {display: flex; gap: 8px; width: 500px; height: 40px; cursor: pointer}</style>
<div class=row data-n=1><input type=checkbox><button>☆</button><span>Ann</span><span>Lunch on Monday</span></div>
<div class=row data-n=2><input type=checkbox><button>☆</button><span>Bo</span><span>The minutes</span></div>
<p id=said></p>
<script>document.addEventListener('click', (e) => {
  const row = e.target.closest('.row');
  const part = e.target.closest('button') ? 'star ' : e.target.closest('input') ? 'box ' : 'row ';
  if (row) said.textContent = part + row.dataset.n;
});</script>"""


def of(seen: Observation, role: str, name: str, owner: str) -> str:
    """The label of the one control of that role, name and owner."""
    found = [c.label for c in seen.controls if (c.role, c.name) == (role, name) and (c.owner or "").startswith(owner)]
    assert len(found) == 1, [(c.role, c.name, c.owner) for c in seen.controls]
    return found[0]


def pressed(browser: BrowserDesktop, label: str) -> str:
    control = browser.observe().control(label)
    assert control is not None
    browser.click(control)
    return browser.observe().text.splitlines()[-1]


def test_a_row_is_a_control_and_so_is_what_is_in_it(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/rows", ROWS))
    seen = browser.observe()
    assert [c.name for c in seen.controls if c.role == "button" and c.name != "☆"] == [
        "Ann Lunch on Monday",
        "Bo The minutes",
    ]
    assert pressed(browser, only(seen, "button", "Bo The minutes").label) == "row 2"
    assert pressed(browser, of(seen, "button", "☆", "Bo")) == "star 2"
    assert pressed(browser, of(seen, "check box", "", "Ann")) == "box 1"


def test_a_press_of_a_row_does_not_land_on_what_is_in_its_middle(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/middle",
            """<div id=row style="cursor:pointer;width:400px;height:40px;position:relative">Ann
            <button style="position:absolute;left:100px;width:200px;height:40px">Delete</button></div><p id=said></p>
            <script>row.onclick = (e) => { said.textContent = e.target.tagName; }</script>""",
        )
    )
    assert pressed(browser, only(browser.observe(), "button", "Ann").label) == "DIV"


def test_equal_buttons_are_told_apart_by_the_card_that_they_are_in(browser: BrowserDesktop, site: Site) -> None:
    card = "<div><div><b>{}</b></div><div><span><button>Edit</button></span><button>Follow</button></div></div>"
    browser.open_url(site.page("/cards", f"<form><h1>All</h1>{card.format('Ann')}{card.format('Bo')}</form>"))
    told = [(c.name, c.owner) for c in browser.observe().controls]
    assert told == [("Edit", "Ann Follow"), ("Follow", "Ann Edit"), ("Edit", "Bo Follow"), ("Follow", "Bo Edit")]


def test_two_buttons_of_a_form_belong_to_the_entry_that_it_stands_in(browser: BrowserDesktop, site: Site) -> None:
    form = (
        "<form method=post action=/x><button name=x value=1>Approve</button> <button name=x value=0>Decline</button></form>"
    )
    entries = "".join(f"<div><dt>{name}<dd>12 May, asked for {form}</div>" for name in ("Elia", "Tommaso"))
    browser.open_url(site.page("/entries", f"<dl>{entries}</dl>"))
    told = [(c.name, c.owner) for c in browser.observe().controls if c.name == "Approve"]
    assert told == [("Approve", "Elia 12 May, asked for Decline"), ("Approve", "Tommaso 12 May, asked for Decline")]
    links = "".join(f"<li><a href=#>{name}</a><button>Delete</button></li>" for name in ("Elia", "Tommaso"))
    browser.open_url(site.page("/links", f"<p>All of them</p><ul>{links}</ul>"))
    told = [(c.name, c.owner) for c in browser.observe().controls if c.name == "Delete"]
    assert told == [("Delete", "Elia"), ("Delete", "Tommaso")]


def test_the_only_card_of_a_column_is_told_and_the_heading_of_a_form_in_a_card(browser: BrowserDesktop, site: Site) -> None:
    card = "<div><b>{}</b><p><button>Next</button> <button>Note</button></p></div>"
    columns = f"<div><h2>Printing</h2>{card.format('Posters')}</div><div><h2>Drying</h2>{card.format('Cards')}</div>"
    browser.open_url(site.page("/columns", f"<main>{columns}</main>"))
    told = [(c.name, c.owner) for c in browser.observe().controls if c.name == "Next"]
    assert told == [("Next", "Printing: Posters Note"), ("Next", "Drying: Cards Note")]
    form = "<section><h2>{}</h2><form><label>Stock <input value=9></label><button>Keep</button> costs 4.90</form></section>"
    browser.open_url(site.page("/articles", f"{form.format('Screws')}{form.format('Glue')}"))
    told = [(c.name, c.owner) for c in browser.observe().controls if c.name == "Keep"]
    assert told == [("Keep", "Screws: Stock costs 4.90"), ("Keep", "Glue: Stock costs 4.90")]


def test_a_number_that_is_a_name_is_no_part_of_the_other_numbers_of_its_row(browser: BrowserDesktop, site: Site) -> None:
    rows = (("2", "Teapot", "27.9", "7", "2"), ("2", "Lamp", "12", "22", "4"))
    cells = "".join(f"<tr><td><a href=#>{n}</a>{''.join(f'<td>{cell}' for cell in rest)}" for n, *rest in rows)
    browser.open_url(site.page("/numbers", f"<table>{cells}</table>"))
    told = [(c.name, c.owner) for c in browser.observe().controls if c.role == "link"]
    assert told == [("2", "Teapot 27.9 7 2"), ("2", "Lamp 12 22 4")]


def test_a_sign_is_called_by_what_the_page_says_of_it(browser: BrowserDesktop, site: Site) -> None:
    named = {
        "<button title='Add a star'>☆</button>": "Add a star",
        "<button title='To the front'>Star</button>": "Star",
        "<button data-action=remove-allergy><svg width=10 height=10></svg></button>": "remove allergy",
        "<button data-testid=btnOpenMenu><svg width=10 height=10></svg></button>": "open menu",
        "<button>☆</button>": "☆",
    }
    browser.open_url(site.page("/signs", "".join(named)))
    assert [(c.role, c.name) for c in browser.observe().controls] == [("button", name) for name in named.values()]


def test_a_nameless_control_says_what_it_stands_beside(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/alone", "<div><div><button data-action=drop-row>×</button></div><span>Ann</span></div>"))
    only(browser.observe(), "button", "×")
    browser.open_url(site.page("/box", "<div><div><input type=checkbox></div><span>Ann</span></div>"))
    of(browser.observe(), "check box", "", "Ann")


def test_a_switch_made_of_boxes_says_whether_it_is_on(browser: BrowserDesktop, site: Site) -> None:
    switch = """<div style="display:flex"><label>{}</label>
    <div class="toggle-switch {}" style="cursor:pointer;width:40px;height:20px"><div class=knob></div></div></div>"""
    browser.open_url(
        site.page(
            "/switches",
            switch.format("Letters", "on")
            + switch.format("Calls", "")
            + """<script>document.onclick = (e) => e.target.closest('.toggle-switch')?.classList.toggle('on')
            </script>""",
        )
    )
    seen = browser.observe()
    assert [(c.role, c.name, c.states) for c in seen.controls] == [
        ("toggle button", "Letters", ("checked",)),
        ("toggle button", "Calls", ()),
    ]
    browser.click(only(seen, "toggle button", "Calls"))
    assert only(browser.observe(), "toggle button", "Calls").states == ("checked",)


DIALOG = """<p>The news of the day</p><button>Top</button><div style="height:1500px"></div><button>Bottom</button>
<div id=veil style="position:fixed;inset:0;background:#0008">{}</div>{}"""
BOX = """<div style="position:fixed;left:100px;top:100px;width:300px;height:200px;background:white">
<p>Sure?</p><button>Yes</button></div>"""


@pytest.mark.parametrize("page", [DIALOG.format(BOX, ""), DIALOG.format("", BOX)], ids=["around", "beside"])
def test_what_lies_under_a_dialog_is_not_told_wherever_it_is(browser: BrowserDesktop, site: Site, page: str) -> None:
    browser.open_url(site.page(f"/veil-{len(page)}-{page.count(BOX)}-{page.index(BOX)}", page))
    seen = browser.observe()
    assert [c.name for c in seen.controls if c.role == "button"] == ["Yes"]
    assert seen.text.splitlines()[0] == "Sure?", "it is read before the page behind it"
    assert "The news of the day" in seen.text


def test_what_shows_through_a_dialog_is_nothing_that_is_painted(browser: BrowserDesktop, site: Site) -> None:
    many = "".join(f"<button>Entry {number}</button> " for number in range(150))
    page = f"""<style>#photo {{height: 400px; background: repeating-linear-gradient(red 0 9px, #000 9px 18px)}}</style>{many}
    <div style="position:fixed;inset:0;background:#0002">
    <div style="position:fixed;left:100px;top:100px;width:900px;background:white">
    <p>Sure?</p><div id=photo></div><button>Yes</button></div></div>"""
    browser.open_url(site.page("/dimmed", page))
    assert [c.name for c in browser.observe().controls if c.role == "button"] == ["Yes"]

    def painted(_: Observation) -> bool:
        seen = browser.observe(screenshot=True)
        assert seen.text == "Sure?"
        return with_drawn(seen, read=False).drawn is not None

    look_until(browser, painted)  # what is in the dialog is
    browser.with_page(lambda page: page.evaluate("photo.remove()"))
    look_until(browser, lambda seen: not painted(seen))


def test_a_page_that_is_fixed_as_a_whole_hides_nothing(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/shell",
            """<div style="position:fixed;inset:0;overflow:auto"><button>In</button><div style="height:1500px"></div>
            <button>Far</button></div>
            <div style="position:absolute;top:50px;left:50px;z-index:2"><button>On top</button></div>""",
        )
    )
    assert [c.name for c in browser.observe().controls if c.role == "button"] == ["In", "Far", "On top"]


def test_a_dialog_that_fades_has_gone_before_the_page_is_looked_at(browser: BrowserDesktop, site: Site) -> None:
    """Three tries: the wait has an end, which a machine that stalls for seconds reaches before the page has moved at all."""
    seen: list[list[str]] = []
    for number in range(3):
        browser.open_url(
            site.page(
                f"/fading-{number}",
                """<button>Under</button><div id=veil style="position:fixed;inset:0;background:#0008;transition:opacity .4s">
                <button onclick="veil.style.opacity=0; setTimeout(() => veil.remove(), 400)">Close</button></div>""",
            )
        )
        browser.click(only(browser.observe(), "button", "Close"))
        seen.append([c.name for c in browser.observe().controls])
        if seen[-1] == ["Under"]:
            return
    pytest.fail(f"what the fading dialog lay over was never told: {seen}")


def test_a_long_row_says_as_text_what_its_name_has_no_room_for(browser: BrowserDesktop, site: Site) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    browser.open_url(site.page("/long", f"<div style='cursor:pointer'>{words}</div>"))
    seen = look_until(browser, lambda seen: bool(seen.controls))
    assert seen.controls[0].name.startswith("word0 word1")
    assert "word39" in seen.text

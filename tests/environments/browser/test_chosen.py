"""Which of several alike is chosen, where only its class or how it is drawn says so, seen by a real browser."""

from __future__ import annotations

import zlib

import pytest

from deskcrew.actions.action import Happening, Result
from deskcrew.actions.windows import CLICK_INPUT, ClickParams
from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.evidence import compare

from .conftest import Site


def buttons(*classes: str, tag: str = "button", style: str = "") -> str:
    made = (f"<{tag} class='{each}'>No{n}</{tag}>" for n, each in enumerate(classes))
    return f"<style>{style}</style><div>{''.join(made)}</div>"


def styled(*styles: str, tag: str = "button", text: str = "") -> str:
    made = (f"<{tag} style='{each};cursor:pointer'>{text or f'No{n}'}</{tag}>" for n, each in enumerate(styles))
    return f"<div>{''.join(made)}</div>"


STAR = "<span onclick='x()' class='star {}'>★</span>"
STARS, ALL = (f"<div>{''.join(map(STAR.format, some))}</div>" for some in (("on", "on", ""), ("on", "on")))
RATED = [f"color:{colour}" for colour in ("gold", "gold", "#ccc", "#ccc")]
SWATCHES = [
    f"width:30px;height:30px;display:inline-block;background:{colour};border:2px solid {edge}"
    for colour, edge in (("red", "#fff"), ("lime", "#fff"), ("blue", "#000"))
]
GREY, BLUE = "background:#eee", "background:#36f"
ITEMS = "<ul><li><a href=/a>No0</a></li><li class=current><a href=/b>No1</a></li></ul>"
TABS = "<div><button role=tab aria-selected=true>No0</button><button role=tab class=active>No1</button></div>"
LONG = "something that goes on for more than sixty signs, as entries do"
OPENS = "<div class='{}'><div onclick=x() class=head>{}</div><div class='{}'><p>More</p></div></div>"


def entries(*classes: str, more: str = "", text: str = LONG) -> str:
    made = (f"<div class='entry {each}' style='cursor:pointer'>No{n} {text}{more}</div>" for n, each in enumerate(classes))
    return f"<div>{''.join(made)}</div>"


def folds(*each: tuple[str, str, str], style: str = "") -> str:
    return f"<style>{style}.gone{{display:none}}</style><div>{''.join(OPENS.format(*some) for some in each)}</div>"


ARROW, TURNED = "No <i class=arrow>▸</i>", "No <i class='arrow {}'>▸</i>"
UPRIGHT = ".arrow{display:inline-block}.r1{transform:rotate(180deg)}.r2{transform:rotate(-90deg)}"
THREE = ".a{background:#f00}.b{background:#0f0}.c{background:#00f}"


@pytest.mark.parametrize(
    ("body", "states"),
    [
        (buttons("chip", "chip active", "chip"), {1: "selected"}),
        (buttons("tab", "tab is-selected", tag="a href=#"), {1: "selected"}),
        (buttons("css-1", "css-2 tabActive", "css-1"), {1: "selected"}),
        (ITEMS, {1: "selected"}),
        (STARS, {0: "selected", 1: "selected"}),
        (STARS + ALL, dict.fromkeys((0, 1, 3, 4), "selected")),
        (ALL, {}),
        (styled(GREY, BLUE, GREY, GREY), {1: "highlighted"}),
        (styled(*SWATCHES, tag="i", text=" "), {2: "highlighted"}),
        (styled(*RATED, tag="span", text="★"), {0: "highlighted", 1: "highlighted"}),
        (buttons("a1", "a2", "a1", style=".a1{background:#eee}.a2{background:#36f}"), {1: "highlighted"}),
        (entries("", "selected", ""), {1: "selected"}),
        (entries("", "active", ""), {1: "selected"}),
        (entries("", "is-selected", "", more="<button>Edit</button>", text=""), {2: "selected"}),
        (buttons("Tab_tab__a1B2c", "Tab_tab__a1B2c Tab_active__x9Yz0"), {1: "selected"}),
        (buttons("_tab_1x2y3_5", "_tab_1x2y3_5 _selected_1x2y3_9"), {1: "selected"}),
        # What unfolds something, by its class or by that of what is around it, by its arrow, or by what it shows.
        (folds(("dropdown", "No0", "menu"), ("dropdown open", "No1", "menu")), {1: "expanded"}),
        (folds(("dropdown", "No0", "menu show")), {0: "expanded"}),
        (folds(("", ARROW, "gone"), ("", TURNED.format("rotated"), "")), {1: "expanded"}),
        (folds(("accordion", "No0", "gone"), ("accordion", "No1", ""), ("accordion", "No2", "gone")), {1: "expanded"}),
        (folds(("", ARROW, ""), ("", TURNED.format("r1"), ""), style=UPRIGHT), {1: "expanded"}),
        (folds(("", ARROW, ""), ("", TURNED.format("r2"), ""), style=UPRIGHT), {0: "expanded"}),
        # Nothing says so of any of these.
        (styled(GREY, BLUE, GREY).replace("<div>", "<div class=form-actions>"), {}),
        (styled(GREY, BLUE, GREY).replace("<button", "<button type=submit", 1), {}),
        (styled(*SWATCHES, tag="i", text=" ").replace("#000;cursor:pointer'> <", "#000;cursor:pointer'>None<"), {}),
        (entries("active", "active", "", ""), {}),
        (folds(("issue", "No0", ""), ("issue open", "No1", "")), {}),
        (folds(("dropdown-menu open", "No0", "")), {}),
        (folds(("select", "No0", "")).replace("head", "btn-open"), {}),
        (
            buttons("go", "go").replace("No0", "<i class='arrow r1'>‹</i>").replace("No1", "<i class=arrow>‹</i>")
            + f"<style>{UPRIGHT}</style>",
            {},
        ),
        (folds(("dropdown", ARROW, ""), ("dropdown", ARROW, "")), {}),
        (f"<div><button>Save</button>{folds(('dropdown open', 'No1', 'menu'))}</div>", {1: "expanded"}),
        ("<ul><li>No0 <button>A</button></li><li class=active>No1 <button>B</button></li></ul>", {}),
        ("<div class='dropdown open'><button>No0</button><button>No1</button><i>x</i></div>", {}),
        (buttons("chip", "chip", "chip"), {}),
        (buttons("active", "active", "active"), {}),
        (buttons("user not-active", "user inactive", "user deselected", "user"), {}),
        (buttons("add-on", "add", "icon-on-left"), {}),
        (buttons("cancel", "primary", style=".primary{background:#36f}"), {}),
        (buttons("a", "b", "c", style=THREE), {}),
        (buttons("tab-1", "tab-2", "tab-3"), {}),
        (TABS, {0: "selected"}),
        ("<div><button class=active disabled>No0</button><button>No1</button></div>", {}),
    ],
)
def test_which_is_chosen_is_told_by_its_class_or_by_how_it_alone_is_drawn(
    browser: BrowserDesktop, site: Site, body: str, states: dict[int, str]
) -> None:
    browser.open_url(site.page(f"/chosen-{zlib.crc32(body.encode())}", body))
    seen = [c for c in browser.observe().controls if c.role != "document"]
    marked = {n: [s for s in c.states if s in ("selected", "highlighted", "expanded")] for n, c in enumerate(seen)}
    assert {n: "".join(some) for n, some in marked.items() if some} == states


def test_what_the_mouse_is_over_is_not_told_as_chosen(browser: BrowserDesktop, site: Site) -> None:
    hovered = buttons("item-1", "item-2", "item-3", style="button:hover{background:#36f}")
    browser.open_url(site.page("/hovered", hovered))
    browser.hover(next(c for c in browser.observe().controls if c.name == "No1"))
    assert not any("highlighted" in c.states for c in browser.observe().controls)


def test_what_was_chosen_is_told_after_the_click_also_where_it_is_drawn_anew(browser: BrowserDesktop, site: Site) -> None:
    body = """<div id=root></div><script>let chosen = 'S';
      const draw = () => { root.innerHTML = '<div>' + ['S', 'M', 'L'].map(size =>
        `<button style="background:${size == chosen ? '#36f' : '#eee'}" onclick="chosen = '${size}'; draw()">` +
        `${size}</button>`
      ).join('') + '</div>' }
      draw()</script>"""
    browser.open_url(site.page("/sizes", body))

    def chosen() -> list[str]:
        return [c.name for c in browser.observe().controls if "highlighted" in c.states]

    assert chosen() == ["S"]
    browser.click(next(c for c in browser.observe().controls if c.name == "L"))
    assert chosen() == ["L"]


DROPPED = """<style>.gone{{display:none}}</style><p id=out>Nothing yet</p>
<div id=box role=combobox tabindex=0 aria-label=Size onclick="list.classList.toggle('gone')">Low</div>
<ul id=list role=listbox class=gone><li role=option onclick="shut(this)">Low<li role=option onclick="shut(this)">High</ul>
<script>const shut = (item) => {{ list.classList.add('gone'); {} }}</script>"""


@pytest.mark.parametrize(
    ("item", "does", "held", "why"),
    [
        ("High", "", False, "the list closed, and combo box 'Size' still shows 'Low': the choice was not taken up"),
        ("Low", "", True, "combo box 'Size' showed it already"),
        ("High", "box.textContent = item.textContent", True, ""),
        ("High", "out.textContent = 'Sorted'", True, ""),
    ],
)
def test_an_item_of_a_list_that_only_closes_the_list_is_not_told_as_chosen(
    browser: BrowserDesktop, site: Site, item: str, does: str, held: bool, why: str
) -> None:
    browser.open_url(site.page(f"/dropped-{zlib.crc32(does.encode())}", DROPPED.format(does)))
    browser.click(next(c for c in browser.observe().controls if c.role == "combo box"))
    before = browser.observe()
    chosen = next(c for c in before.controls if c.name == item and c.role == "list item")
    browser.click(chosen)
    after = browser.observe()
    pressed = ClickParams(button="left", double=False)
    happening = Happening(pressed, chosen, before, after, compare(before, after), Result(ok=True))
    found = CLICK_INPUT.postcondition(happening)
    assert (found.held, found.why) == (held, why)

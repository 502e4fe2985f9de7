"""What pages make of plain elements: sliders with keys, lists whose entries can be dragged, colours to choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.errors import ActionError

from .conftest import Site, only

HANDLE = "<span class='x-handle' tabindex=0 style='display:block;width:12px;height:12px;background:#ccc'></span>"
SLIDES = """<script>
for (const [at, handle] of [...document.querySelectorAll('.x-handle')].entries()) {
  const shown = document.querySelectorAll('.shown')[at];
  handle.addEventListener('keydown', event => {
    const by = {ArrowRight: STEP, ArrowLeft: -STEP}[event.key];
    if (by) shown.textContent = Math.max(-10, Math.min(10, Number(shown.textContent) + by));
  });
}
</script>"""


def slider(value: int) -> str:
    return f"<div class='x-slider' style='width:200px'>{HANDLE}</div><div class=shown>{value}</div>"


@pytest.mark.deep
def test_a_slider_of_a_pages_own_making_is_set_by_its_keys(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/slide", slider(2) + slider(-3) + SLIDES.replace("STEP", "1")))
    first, second = (c for c in browser.observe().controls if c.role == "slider")
    assert (first.value, second.value, first.operations) == ("2", "-3", ("set",))
    browser.set_value(first, -7)
    browser.set_value(second, 10)
    assert [c.value for c in browser.observe().controls if c.role == "slider"] == ["-7", "10"]


@pytest.mark.deep
def test_a_slider_that_cannot_be_set_so_says_what_it_shows(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/steps", slider(0) + SLIDES.replace("STEP", "2")))
    handle = only(browser.observe(), "slider", "")
    with pytest.raises(ActionError, match=r"was set to 5 but shows (4|6)"):
        browser.set_value(handle, 5)
    with pytest.raises(ActionError, match="was set to 99 but shows 10"):
        browser.set_value(handle, 99)


def test_a_slider_by_its_role_alone_is_set(browser: BrowserDesktop, site: Site) -> None:
    script = """<script>document.querySelector('[role=slider]').addEventListener('keydown', event => {
      const by = {ArrowRight: 0.5, ArrowLeft: -0.5}[event.key], bar = event.target;
      if (by) bar.setAttribute('aria-valuenow', Number(bar.getAttribute('aria-valuenow')) + by);
    })</script>"""
    bar = "<div role=slider tabindex=0 aria-label=Volume aria-valuenow=3 style='width:90px;height:9px'></div>" + script
    browser.open_url(site.page("/aria", bar))
    browser.set_value(only(browser.observe(), "slider", "Volume"), 4.5)
    assert only(browser.observe(), "slider", "Volume").value == "4.5"


def test_entries_of_a_list_that_listens_are_told_one_by_one_and_dragged(browser: BrowserDesktop, site: Site) -> None:
    # A drag that selected text would make the next one a drag of that text.
    sorts = """<ul id=list style="margin:0;padding:0;width:120px;user-select:none">
    <li style="height:20px">Anna</li><li style="height:20px">Ben</li><li style="height:20px">Cleo</li></ul><script>
    let held = null;
    list.addEventListener('mousedown', event => { held = event.target });
    document.addEventListener('mouseup', event => {
      // As lists do: it goes before or after that entry of which it is past the middle.
      const on = document.elementFromPoint(event.clientX, event.clientY), box = on.getBoundingClientRect();
      if (held && on !== held && on.tagName === 'LI')
        list.insertBefore(held, event.clientY > box.y + box.height / 2 ? on.nextSibling : on);
      held = null;
    });</script>"""
    browser.open_url(site.page("/sort", sorts))
    browser.observe()
    entries = [c for c in browser.observe().controls if c.role == "list item"]
    assert [c.name for c in entries] == ["Anna", "Ben", "Cleo"]
    browser.drag(entries[2], entries[0])
    assert [c.name for c in browser.observe().controls if c.role == "list item"] == ["Cleo", "Anna", "Ben"]
    entries = [c for c in browser.observe().controls if c.role == "list item"]
    browser.drag(entries[0], entries[1])
    assert [c.name for c in browser.observe().controls if c.role == "list item"] == ["Anna", "Cleo", "Ben"]


@pytest.mark.parametrize(
    ("paint", "name"),
    [
        ("hsl(0 40% 40%)", "red"),
        ("hsl(240 80% 85%)", "blue"),
        ("rgb(30 90 30)", "green"),
        ("#777", "grey"),
        ("#fff", "white"),
    ],
)
def test_what_is_there_for_its_colour_is_called_by_it(browser: BrowserDesktop, site: Site, paint: str, name: str) -> None:
    tile = f"<span onclick='1' style='display:inline-block;width:20px;height:20px;background:{paint}'></span>"
    browser.open_url(site.page(f"/paint{name}", tile))
    assert only(browser.observe(), "button", name).operations == ("click",)


def test_a_shape_that_is_not_filled_is_clicked_in_its_middle(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/ring",
            "<p id=out></p><svg id=area width=200 height=120><circle cx=100 cy=60 r=40 fill=none stroke=black /></svg>"
            "<script>area.onclick = e => out.textContent = [e.offsetX, e.offsetY].map(Math.round).join()</script>",
        )
    )
    ring = next(c for c in browser.observe().controls if c.role == "shape")
    browser.click(ring, button="left", double=False)
    assert browser.observe().text == "100,60"


PICKER = """<div lang=LANGUAGE DIRECTION><label>Leaving <input id=leaving class=datepicker readonly></label>
<div id=box></div></div><script>
let at = new Date(2026, 10, 1);
const turn = by => { at.setMonth(at.getMonth() + by); show() };
const take = day => { at.setDate(day); leaving.value = at.toLocaleDateString("LANGUAGE"); box.innerHTML = "" };
const show = () => {
  const days = new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate();
  const month = at.toLocaleString("LANGUAGE", { month: "long", year: "numeric" });
  box.innerHTML = `ARROWS<br>`;
  const button = day => `<button onclick="take(${day})">${day.toLocaleString("LANGUAGE")}</button>`;
  for (let day = 1; day <= days; day++) box.innerHTML += button(day);
};
leaving.onclick = show;
</script>"""
WORDS = """<a title="%s" onclick="turn(-1)">&lt;</a> ${month} <a title="%s" onclick="turn(1)">&gt;</a>"""
FIRST = """${month} ${at < new Date(2026, 11) ? "" : `<a title=Prev onclick="turn(-1)">&lt;</a>`}
<a title=Next onclick="turn(1)">&gt;</a>"""
SIGNS = """<button onclick="turn(-12)">«</button><button onclick="turn(-1)">‹</button> ${month}
<button onclick="turn(1)">›</button><button onclick="turn(12)">»</button>"""


def picker(language: str, arrows: str) -> str:
    direction = "dir=rtl" if language == "ar-EG" else ""
    return PICKER.replace("LANGUAGE", language).replace("ARROWS", arrows).replace("DIRECTION", direction)


@pytest.mark.parametrize(
    ("language", "arrows", "text", "shown"),
    [
        ("en", WORDS % ("Prev", "Next"), "2027-02-03", "2/3/2027"),
        ("en", WORDS % ("Prev", "Next"), "11/30/2026", "11/30/2026"),
        ("en", WORDS % ("Prev", "Next"), "25 September 2026", "9/25/2026"),
        ("fr", FIRST, "3 janvier 2027", "03/01/2027"),
        ("de", WORDS % ("Zurück", "Vor"), "3. Oktober 2026", "3.10.2026"),
        ("ja", SIGNS, "2026年12月24日", "2026/12/24"),
        ("ar-EG", WORDS % ("السابق", "التالي"), "2026-12-03", "٣\u200f/١٢\u200f/٢٠٢٦"),
    ],
    ids=["on", "now", "back", "from the first month on", "German", "signs", "from right to left"],
)
def test_a_date_is_chosen_in_the_calendar_that_its_field_opens(
    browser: BrowserDesktop, site: Site, language: str, arrows: str, text: str, shown: str
) -> None:
    browser.open_url(site.page(f"/picker-{language}", picker(language, arrows)))
    when = only(browser.observe(), "date editor", "Leaving")
    assert when.operations == ("click", "type")
    assert browser.type_text(when, text) == shown
    assert only(browser.observe(), "date editor", "Leaving").value == shown


def test_a_calendar_that_cannot_be_followed_is_said(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/none", "<label>Date <input readonly class=date></label>"))
    when = only(browser.observe(), "date editor", "Date")
    with pytest.raises(ActionError, match="showed no calendar"):
        browser.type_text(when, "2026-12-01")
    with pytest.raises(ActionError, match="write a date as 2026-01-31"):
        browser.type_text(when, "tomorrow")
    with pytest.raises(ActionError, match="can be 2026-03-04 or 2026-04-03"):
        browser.type_text(when, "03/04/2026")


def test_an_arrow_that_leads_away_is_pressed_once(browser: BrowserDesktop, site: Site) -> None:
    swapped = """<button onclick="turn(1)">Up</button> ${month} <button onclick="turn(-1)">Down</button>"""
    browser.open_url(site.page("/swapped", picker("en", swapped)))
    with pytest.raises(ActionError, match="no calendar that could be followed to 2027-02-03"):
        browser.type_text(only(browser.observe(), "date editor", "Leaving"), "2027-02-03")
    assert "October 2026" in browser.observe().text


COUNTS = """<button id=add>Add one</button><p id=out>Added: 0</p><script>let n = 0;
add.addEventListener("click", () => { out.textContent = `Added: ${++n}` })</script>"""


def test_what_listens_in_a_frame_is_clicked_there(browser: BrowserDesktop, site: Site) -> None:
    site.page("/counts", COUNTS)
    browser.open_url(site.page("/around", "<p>Around</p><iframe src=/counts></iframe>"))
    browser.observe()
    for times in range(1, 4):
        browser.click(only(browser.observe(), "button", "Add one"), button="left", double=False)
        assert browser.observe().text.splitlines() == ["Around", f"Added: {times}"]


def test_what_listens_in_a_frame_of_a_file(browser: BrowserDesktop, workspace: Path) -> None:
    (workspace / "counts.html").write_text(f"<!doctype html>{COUNTS}")
    (workspace / "around.html").write_text("<!doctype html><p>Around</p><iframe src=counts.html></iframe>")
    browser.open_url("around.html")
    browser.observe()
    browser.click(only(browser.observe(), "button", "Add one"), button="left", double=False)
    assert "Added: 1" in browser.observe().text


LISTBOX = """<p>First day</p><div><BUTTON id=b aria-haspopup=listbox LABELLED>Monday</BUTTON></div>
<button onclick="document.title = 'elsewhere'">Sunday</button><div id=l></div><script>
b.onmousedown = () => { l.innerHTML = `<ul role=listbox>${["Monday", "Sunday"].map(day =>
  `<li role=option aria-selected=${day == b.textContent}>${day}</li>`).join("")}</ul>`;
  for (const one of l.querySelectorAll("li")) one.onclick = () => { b.textContent = one.textContent; l.innerHTML = "" } };
</script>"""


@pytest.mark.parametrize("button", ["button", "div role=button tabindex=0"])
@pytest.mark.parametrize("labelled", ["", "aria-labelledby='day b'"])
def test_a_button_that_opens_a_list_of_values_is_chosen_from(
    browser: BrowserDesktop, site: Site, button: str, labelled: str
) -> None:
    shown = LISTBOX.replace("<BUTTON", f"<{button}").replace("/BUTTON", f"/{button.split()[0]}")
    shown = shown.replace("LABELLED", labelled).replace("<p>", "<p id=day>")
    browser.open_url(site.page("/listbox", shown))
    box = next(c for c in browser.observe().controls if c.role == "combo box")
    assert (box.name, box.value) == (f"First day{labelled and ' Monday'}", "Monday")
    browser.select(box, "Sunday")
    after = browser.observe()
    assert next(c for c in after.controls if c.role == "combo box").value == "Sunday"
    assert after.windows[0].title != "elsewhere", "the button of that name was there before the list"


def test_what_sends_a_form_is_no_list_whatever_it_says_of_itself(browser: BrowserDesktop, site: Site) -> None:
    form = "<form method=post action=/buy><button aria-haspopup=listbox>Buy</button></form>"
    browser.open_url(site.page("/sends", form))
    assert only(browser.observe(), "button", "Buy").behind is not None


SEARCHED = """<label for=i>City</label><input id=i role=combobox aria-autocomplete=list aria-expanded=false>
<ul id=l role=listbox></ul><script>
const all = Array.from({length: 300}, (_, n) => `City ${n}`);
const show = () => {
  l.replaceChildren(...all.filter(one => one.toLowerCase().includes(i.value.toLowerCase())).slice(0, 5).map(one => {
    const li = document.createElement("li");
    li.role = "option"; li.textContent = one;
    li.onmousedown = e => { e.preventDefault(); i.value = one; l.replaceChildren() };
    return li;
  }));
};
i.onfocus = i.onclick = i.oninput = show;
</script>"""


def test_an_entry_that_a_list_shows_once_it_is_searched_is_chosen(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/searched", SEARCHED))
    browser.select(only(browser.observe(), "combo box", "City"), "city 277")
    assert only(browser.observe(), "combo box", "City").value == "City 277"
    with pytest.raises(ActionError, match="no option 'Rome'; there are: "):
        browser.select(only(browser.observe(), "combo box", "City"), "Rome")
    assert only(browser.observe(), "combo box", "City").value == "City 277"

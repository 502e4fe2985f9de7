"""Acting on pages, and what is found out about it."""

from __future__ import annotations

import pytest

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.evidence import compare
from deskcrew.errors import ActionError

from .conftest import Site, only

SAYS = "<p id=out></p><script>const say = text => out.textContent = text</script>"


def test_a_form_is_filled_in_and_sent(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/fill",
            f"""{SAYS}<form onsubmit="say([...new FormData(this)].map(String).join(' ')); return false">
            <label>Name <input name=name value=old></label><label>Born <input type=date name=born></label>
            <label>Size <input type=range name=size max=9></label><label>Copies <input type=number name=copies></label>
            <select name=colour aria-label=Colour><option>red<option>dark blue</select>
            <label><input type=radio name=kind value=a>A</label><label><input type=radio name=kind value=b>B</label>
            <textarea name=notes aria-label=Notes></textarea><button>Send</button></form>""",
        )
    )
    seen = browser.observe()
    assert browser.type_text(only(seen, "text field", "Name"), "Zoë", clear=True) == "Zoë"
    assert browser.type_text(only(seen, "date editor", "Born"), "2001-02-03") == "2001-02-03"
    browser.set_value(only(seen, "slider", "Size"), 7)
    browser.set_value(only(seen, "number field", "Copies"), 12)
    browser.select(only(seen, "combo box", "Colour"), "Dark Blue")
    browser.click(only(seen, "radio button", "B"))
    assert browser.type_text(only(seen, "text area", "Notes"), "one\ntwo") == "one\ntwo"
    before = browser.observe()
    browser.click(only(seen, "button", "Send"))
    after = browser.observe()
    assert after.text.startswith("name,Zoë born,2001-02-03 size,7 copies,12 colour,dark blue kind,b notes,one")
    assert only(after, "radio button", "B").states == ("checked",)
    assert compare(before, after).empty is False or before.text != after.text


def test_dates_and_times_are_put_in_and_never_guessed(browser: BrowserDesktop, site: Site) -> None:
    kinds = {"Day": "date", "Hour": "time", "Moment": "datetime-local"}
    fields = (f"<label>{name} <input type={kind}></label>" for name, kind in kinds.items())
    browser.open_url(site.page("/when", "".join(fields)))
    day, hour, moment = (only(browser.observe(), "date editor", name) for name in kinds)
    for text in ("03.04.2026", "3. April 2026", "2026/04/03"):
        assert browser.type_text(day, text) == "2026-04-03"
    refused = {"04/05/2026": "can be 2026-04-05 or 2026-05-04: write", "31.02.2026": "did not take '31.02.2026'"}
    for text, words in refused.items():
        with pytest.raises(ActionError, match=words):
            browser.type_text(day, text)
    assert browser.type_text(hour, "1:45 PM") == "13:45"
    assert browser.type_text(moment, "31 January 2026 8:05") == "2026-01-31T08:05"


def test_enter_sends_what_was_typed_and_the_next_page_is_seen_at_once(browser: BrowserDesktop, site: Site) -> None:
    site.page("/results", "<h1>3 results</h1>", "Results")
    browser.open_url(site.page("/search", "<form action=/results><input name=q aria-label=Search></form>"))
    browser.type_text(only(browser.observe(), "text field", "Search"), "lamps", enter=True)
    seen = browser.observe()
    assert (seen.windows[0].title, seen.text, seen.windows[0].url) == (
        "Results",
        "3 results",
        f"{site.root}/results?q=lamps",
    )


def test_keys_go_where_the_focus_is(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/keys", f"{SAYS}<input autofocus aria-label=A onkeydown='say(event.key + event.ctrlKey)'>"))
    browser.observe()
    assert browser.type_text(None, "hello") == "hello"
    browser.press(("ctrl", "a"))
    assert browser.observe().text == "atrue"
    assert browser.type_text(None, "bye") == "bye"


def test_a_disabled_or_vanished_control_is_refused(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/refused", "<button id=a>Go</button><button id=b>Stay</button>"))
    seen = browser.observe()
    go, stay = only(seen, "button", "Go"), only(seen, "button", "Stay")
    browser.with_page(lambda page: page.evaluate("a.disabled = true; b.remove()"))
    with pytest.raises(ActionError, match="disabled"):
        browser.click(go)
    with pytest.raises(ActionError, match="has gone"):
        browser.click(stay)


ANEW = """<p id=out></p><div id=all></div><script>let n = 40, by = ['phone', 'mail'];
const group = (c) =>
  `<section><h3>By ${c}</h3>How <button data-sends=${c}-news onclick="send('${c}')">News</button></section>`;
const draw = () => all.innerHTML = `<button data-view=people>People ${n}</button>` + by.map(group).join('');
const send = (c) => out.textContent = c + n; draw()</script>"""


def test_what_a_page_draws_anew_is_the_same_control(browser: BrowserDesktop, site: Site) -> None:
    """With another count in its name, as the last one of its name, or between the look and the press."""
    browser.open_url(site.page("/anew", ANEW))
    before = browser.observe()
    people = only(before, "button", "People 40")
    mail = next(each for each in before.controls if each.name == "News" and each.owner.startswith("By mail"))
    browser.with_page(lambda page: page.evaluate("n = 41; by = ['mail']; draw()"))
    after = browser.observe()
    assert [each.label for each in after.controls if each.role == "button"] == [people.label, mail.label]
    browser.with_page(lambda page: page.evaluate("draw()"))
    browser.click(only(after, "button", "News"))
    assert browser.observe().text.startswith("mail41")


def test_a_covered_control_is_not_clicked(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/cover", f"{SAYS}<button onclick='say(1)'>Go</button>"))
    go = only(browser.observe(), "button", "Go")
    dialog = '<div role=dialog style="position:fixed;inset:0">We value your privacy</div>'
    cover = f"document.body.insertAdjacentHTML('beforeend', '{dialog}')"
    browser.with_page(lambda page: page.evaluate(cover))
    with pytest.raises(ActionError, match="covered by “We value your privacy”"):
        browser.click(go)
    assert "1" not in browser.observe().text


def test_a_click_that_lands_on_something_else_is_told(browser: BrowserDesktop, site: Site) -> None:
    """The page puts another button in its place once the mouse is on it."""
    browser.open_url(
        site.page(
            "/swap",
            """<button id=a style="position:absolute;left:50px;top:50px">Cancel</button>
            <button id=b hidden style="position:absolute;left:50px;top:50px;width:200px;height:60px">Buy</button>
            <script>a.onmousemove = () => { a.hidden = true; b.hidden = false }</script>""",
        )
    )
    with pytest.raises(ActionError, match="landed on “Buy”"):
        browser.click(only(browser.observe(), "button", "Cancel"))


def test_a_page_that_spoils_built_in_functions_is_seen_all_the_same(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/spoilt",
            f"""{SAYS}<button onclick="say('pressed')">Press</button><script>
            Array.prototype.map = JSON.stringify = () => 'spoilt';
            Element.prototype.getBoundingClientRect = () => {{ throw 1 }}; document.elementFromPoint = () => null;
            window.deskcrew = null; window.Map = window.WeakMap = undefined</script>""",
        )
    )
    browser.click(only(browser.observe(), "button", "Press"))
    assert browser.observe().text == "pressed"


def test_hover_and_drag(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/drag",
            f"""{SAYS}<button onmouseenter="say('over')">Menu</button>
            <button draggable=true ondragstart="event.dataTransfer.setData('text', 'x')">Card</button>
            <button ondragover="event.preventDefault()"
            ondrop="event.preventDefault(); say('dropped ' + event.dataTransfer.getData('text'))">Bin</button>""",
        )
    )
    seen = browser.observe()
    browser.hover(only(seen, "button", "Menu"))
    assert browser.observe().text == "over"
    browser.drag(only(seen, "button", "Card"), only(seen, "button", "Bin"))
    assert browser.observe().text == "dropped x"


def test_in_frames_of_another_site_too(browser: BrowserDesktop, site: Site) -> None:
    site.page("/far", f"{SAYS}<button onclick=\"say('far')\">Far</button><input aria-label=Word>")
    browser.open_url(site.page("/near", f"<p style='height:900px'>top</p><iframe src='{site.other}/far'></iframe>"))
    seen = browser.observe()
    browser.click(only(seen, "button", "Far"))
    seen = browser.observe()
    assert "far" in seen.text
    assert browser.type_text(only(seen, "text field", "Word"), "hello") == "hello"


def test_windows_open_close_and_come_forward(browser: BrowserDesktop, site: Site) -> None:
    site.page("/second", "<h1>Second</h1>", "Second")
    browser.open_url(site.page("/first", "<a href=/second target=_blank>New</a>", "First"))
    first = browser.observe()
    browser.click(only(first, "link", "New"))
    seen = browser.observe()
    assert [(w.title, w.active) for w in seen.windows] == [("Second", True), ("First", False)]
    assert compare(first, seen).windows_opened == ("Second",)
    browser.activate_window(first.windows[0].id)
    assert browser.observe().windows[0].title == "First"
    browser.close_window(seen.windows[0].id)
    assert [w.title for w in browser.observe().windows] == ["First"]
    with pytest.raises(ActionError, match="has gone"):
        browser.activate_window(seen.windows[0].id)


def test_back_and_forward(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/one", "<h1>One</h1>", "One"), new_window=True)
    browser.open_url(site.page("/two", "<h1>Two</h1>", "Two"))
    browser.back()
    assert browser.observe().text == "One"
    browser.forward()
    assert browser.observe().text == "Two"
    with pytest.raises(ActionError, match="no later page"):
        browser.forward()
    browser.back()
    with pytest.raises(ActionError, match="no earlier page"):
        browser.back()  # before the first page there was an empty one
    assert browser.observe().text == "One"


def test_what_a_page_asks_is_a_dialog(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/asks",
            f"""{SAYS}<button onclick="alert('Saved'); say('after')">Tell</button>
            <button onclick="say(confirm('Delete?'))">Ask</button>
            <button onclick="say(prompt('Who?', 'me'))">Name</button>""",
            "Asking",
        )
    )
    page = browser.observe()
    browser.click(only(page, "button", "Tell"))
    seen = browser.observe()
    assert (seen.windows[0].title, seen.windows[0].dialog, seen.text) == ("Asking says", True, "Saved")
    assert [c.name for c in seen.in_front] == ["OK"]
    with pytest.raises(ActionError, match="answer it first"):
        browser.click(only(page, "button", "Ask"))
    browser.click(only(seen, "button", "OK"))
    assert browser.observe().text == "after"
    browser.click(only(page, "button", "Ask"))
    browser.click(only(browser.observe(), "button", "Cancel"))
    assert browser.observe().text == "false"
    browser.click(only(page, "button", "Name"))
    seen = browser.observe()
    field = only(seen, "text field", "Answer")
    assert (field.value, seen.focus) == ("me", field.label)
    assert browser.type_text(field, "Ann") == "Ann"
    browser.press(("enter",))
    assert browser.observe().text == "Ann"


def test_an_option_of_a_made_up_list_is_chosen(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(
        site.page(
            "/custom",
            f"""{SAYS}<div role=combobox tabindex=0 aria-label=Fruit onclick="l.hidden = false">Choose</div>
            <div id=l role=listbox hidden><div role=option onclick="say('pear'); l.hidden = true">Pear</div>
            <div role=option>Plum</div></div>""",
        )
    )
    combo = only(browser.observe(), "combo box", "Fruit")
    browser.select(combo, "Pear")
    assert "pear" in browser.observe().text
    with pytest.raises(ActionError, match="'Plum'"):
        browser.select(combo, "Kiwi")


def test_text_is_found_selected_and_read_as_markdown(browser: BrowserDesktop, site: Site) -> None:
    site.page("/part", "<p>Inside a frame</p>")
    browser.open_url(
        site.page(
            "/read",
            """<h2>Hours</h2><p>We are <b>open</b> <a href="/times">daily</a>.</p>
            <ul><li>Monday<li>Tuesday<ul><li>late</ul></ul>
            <table><tr><th>Day<th>Till</tr><tr><td>Mon<td>18</tr></table><iframe src=/part></iframe><p hidden>secret</p>
            <details>sealed<p>closed</p></details>
            <p style="margin-top:3000px">The very <i>end</i> of it</p><textarea aria-label=T>alpha beta</textarea>""",
        )
    )
    assert browser.page_markdown() == (
        f"## Hours\n\nWe are **open** [daily]({site.root}/times).\n\n- Monday\n- Tuesday\n  - late\n\n"
        "| Day | Till |\n| --- | --- |\n| Mon | 18 |\n\nInside a frame\n\nThe very *end* of it\n\n[alpha beta]"
    )
    assert browser.find_text("very end of") == "The very end of it"
    seen = browser.observe()
    assert "The very end of it" in seen.text
    for hidden in ("nowhere", "secret", "sealed", "closed"):
        with pytest.raises(ActionError, match="not on this page"):
            browser.find_text(hidden)
    area = only(seen, "text area", "T")
    assert browser.select_text(area, "beta", "text") == "beta"
    assert browser.type_text(None, "gamma") == "alpha gamma"


def test_the_wheel_scrolls_the_page_and_parts_of_it(browser: BrowserDesktop, site: Site) -> None:
    inner = "".join(f"<p>line {n}</p>" for n in range(60))
    browser.open_url(
        site.page(
            "/wheel",
            f"<div style='height:200px;overflow:auto' aria-label=Log>{inner}</div><p style='margin-top:2000px'>bottom</p>",
        )
    )
    seen = browser.observe()
    assert "line 0" in seen.text.splitlines()
    browser.scroll(next(c for c in seen.controls if c.role == "section"), -5)
    assert "line 0" not in browser.observe().text.splitlines()
    browser.scroll(next(c for c in seen.controls if c.role == "document"), -30)
    assert browser.observe().text.splitlines()[-1] == "bottom"


def test_waiting_ends_when_something_has_changed(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/later", f"{SAYS}<button onclick=\"setTimeout(() => say('there'), 1700)\">Start</button>"))
    browser.click(only(browser.observe(), "button", "Start"))
    assert browser.observe().text == ""
    browser.wait(30)
    assert browser.observe().text == "there"


def test_the_clipboard_is_shared_with_pages(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/clip", "<input aria-label=A value=copied><input aria-label=B>"))
    seen = browser.observe()
    browser.set_clipboard("from outside")
    assert browser.clipboard() == "from outside"
    browser.click(only(seen, "text field", "B"))
    browser.press(("ctrl", "v"))
    assert only(browser.observe(), "text field", "B").value == "from outside"
    browser.click(only(seen, "text field", "A"))
    browser.press(("ctrl", "a"))
    browser.press(("ctrl", "c"))
    assert browser.clipboard() == "copied"
    assert len(browser.observe().windows) == 1, "the page that holds the clipboard is nobody's to see"

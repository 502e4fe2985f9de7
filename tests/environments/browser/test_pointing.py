"""Points of a page: the mouse does there what was seen to be there, and nothing else."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest
from tests.environments.browser.conftest import Site

from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.environments.browser.launch import program
from deskcrew.environments.expecting import Expected
from deskcrew.environments.pointing import Point, aim
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Identity, Observation

pytestmark = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
CANVAS = """<body style="margin:0"><canvas id=c width=600 height=400></canvas><p id=out>nothing</p><script>
const did = what => { out.textContent = what; };
c.onclick = event => did(`at ${event.offsetX},${event.offsetY}`);
c.ondblclick = event => did('twice');
c.oncontextmenu = event => { event.preventDefault(); did('menu'); };
</script>"""


def opened(browser: BrowserDesktop, site: Site, body: str) -> Observation:
    browser.open_url(site.page(f"/{uuid.uuid4().hex}", body))
    return browser.observe()


@pytest.mark.deep
def test_a_point_of_a_canvas_is_clicked(browser: BrowserDesktop, site: Site) -> None:
    seen = opened(browser, site, CANVAS)
    there = aim(Point(123, 234), seen)
    assert there.control is not None
    assert there.control.role == "canvas"
    browser.click_at(there)
    assert "at 123,234" in browser.observe().text
    browser.click_at(there, button="right")
    assert "menu" in browser.observe().text
    browser.click_at(there, double=True)
    assert "twice" in browser.observe().text


@pytest.mark.deep
def test_a_point_is_where_the_picture_has_it_whatever_the_scale(tmp_path: Path, site: Site) -> None:
    address = site.page("/scaled", CANVAS)
    with start_browser(tmp_path, size=(1600, 1000), scale=2.0, network=True) as browser:
        browser.open_url(address)
        browser.click_at(aim(Point(300, 200), browser.observe()))
        assert "at 150,100" in browser.observe().text


SEE_THROUGH = """<button onclick="did('deleted')" aria-label="Delete account"
style="position:fixed;left:200px;top:100px;width:100px;height:60px;opacity:0"></button>"""


def test_what_a_page_does_not_show_gets_no_press(browser: BrowserDesktop, site: Site) -> None:
    seen = opened(browser, site, CANVAS + SEE_THROUGH)
    with pytest.raises(ActionError, match="Delete account"):
        browser.click_at(aim(Point(250, 130), seen))
    assert "nothing" in browser.observe().text
    browser.click_at(aim(Point(50, 50), browser.observe()))
    assert "at 50,50" in browser.observe().text, "beside it the page is pressed as ever"


def test_what_comes_to_lie_there_gets_no_press(browser: BrowserDesktop, site: Site) -> None:
    pay = "<button onclick=\"did('paid')\" id=b style='position:fixed;left:700px;top:100px'>Pay</button>"
    seen = opened(browser, site, CANVAS + pay)
    there = aim(Point(110, 110), seen)
    moved = browser.with_page(lambda page: page.evaluate("b.style.left = '100px'"))
    assert moved == "100px"
    with pytest.raises(ActionError, match='there is now button "Pay"'):
        browser.click_at(there)
    assert "nothing" in browser.observe().text


def test_a_button_in_a_frame_is_pressed_by_its_point_and_nothing_over_it(browser: BrowserDesktop, site: Site) -> None:
    button = "<button style='width:200px;height:80px' onclick='parent.out.textContent = `framed`'>Framed</button>"
    place = "position:fixed;left:700px;top:50px;width:300px;height:200px"
    inner = f"""<iframe srcdoc="<body style='margin:0'>{button}" style="{place}"></iframe>"""
    seen = opened(browser, site, CANVAS + inner)
    framed = next(one for one in seen.controls if one.name == "Framed")
    browser.click_at(aim(Point(*framed.box.centre), seen))
    assert "framed" in browser.observe().text


def test_the_mouse_is_dragged_and_its_wheel_turned(browser: BrowserDesktop, site: Site) -> None:
    hears = """<script>let begun; c.onmousedown = e => begun = [e.offsetX, e.offsetY]; c.onclick = null;
    c.onmouseup = e => did(`${begun} to ${e.offsetX},${e.offsetY}`);
    c.onwheel = e => did(e.deltaY < 0 ? 'up' : 'down');</script>"""
    seen = opened(browser, site, CANVAS + hears)
    browser.drag_along(aim(Point(20, 30), seen), aim(Point(220, 130), seen))
    assert "20,30 to 220,130" in browser.observe().text
    browser.scroll_at(aim(Point(20, 30), browser.observe()), 2)
    assert "up" in browser.observe().text


def test_what_was_approved_holds_for_the_window_that_was_shown(browser: BrowserDesktop, site: Site) -> None:
    seen = opened(browser, site, CANVAS)
    there = aim(Point(20, 30), seen)
    window = seen.active_window
    assert window is not None
    other = Identity(role="canvas", window="Another page", app=window.app)
    browser.expect(Expected(there.control, other))
    with pytest.raises(ActionError, match="has changed"):
        browser.click_at(there)
    browser.expect(Expected(there.control, other.model_copy(update={"window": window.title})))
    browser.click_at(there)
    browser.expect(Expected())
    assert "at 20,30" in browser.observe().text

"""Pages that do not come to an end: that never load, never stop asking, never stop opening windows or handing over files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug import Request, Response

from deskcrew.environments.browser import browsing, downloads, open_page, operating, pages, tab
from deskcrew.environments.browser.browser import BrowserDesktop, connect_browser
from deskcrew.environments.browser.lending import target_of
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation
from support.lent import blocking

from .conftest import Gate, Site, look_until, only

COUNT = '<button onclick="n.textContent = +n.textContent + 1">Count</button><p id=n>0</p>'


def asked(site: Site, path: str) -> int:
    """How often the server was asked for something, by what it was asked first."""
    return sum(request.path == path for request in site.begun)


# -- a page that never loads


@pytest.mark.deep
def test_a_page_that_never_comes_to_its_end_is_seen_and_used_as_far_as_it_is_there(
    browser: BrowserDesktop, site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_page, "LONGEST_LOAD", 1.0)
    url = site.answer("/endless", gate.after(f"<!doctype html><title>Endless</title>{COUNT}".encode(), then=b"<p>end</p>"))
    browser.open_url(url)
    seen = look_until(browser, lambda seen: bool(seen.controls))
    assert "still loading" in seen.note
    browser.click(only(seen, "button", "Count"))
    assert browser.observe().text == "1"
    gate.let_go()
    seen = look_until(browser, lambda seen: "still loading" not in seen.note and "end" in seen.text)
    assert seen.text.splitlines() == ["1", "end"]
    assert asked(site, "/endless") == 1, "it is waited for, and not asked for again"


@pytest.mark.deep
def test_a_link_to_a_page_that_never_answers_can_be_waited_for_or_left(
    browser: BrowserDesktop, site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_page, "LONGEST_LOAD", 1.0)
    site.answer("/silent", gate.after(then=b"<p>late</p>"))
    leads = site.page("/leads", "<a href=/silent>Away</a><p>here</p>")
    for time in (1, 2):
        browser.open_url(leads)
        browser.click(only(look_until(browser, lambda seen: seen.text == "here"), "link", "Away"))
        seen = look_until(browser, lambda seen: "still loading" in seen.note)
        assert "come to an end" not in seen.note, "it is not the page that is to blame"
        assert asked(site, "/silent") == time, "it is asked once"
    gate.let_go()
    assert look_until(browser, lambda seen: seen.text == "late").note == ""
    assert asked(site, "/silent") == 2


def test_what_a_page_asks_for_in_vain_is_waited_for_once(
    browser: BrowserDesktop, site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_page, "LONGEST_REQUEST", 1.0)
    site.answer("/vain", gate.after())
    browser.open_url(site.page("/asks-in-vain", f"{COUNT}<script>fetch('/vain'); fetch('/vain')</script>"))
    browser.click(only(browser.observe(), "button", "Count"))
    # Each wait for a request is one more second, so that many looks end only if none is waited for again.
    waits: list[float] = []
    until = tab.Tab.until

    async def counted(self: tab.Tab, reached: Callable[[], bool], seconds: float) -> bool:
        waits.append(seconds)
        return await until(self, reached, seconds)

    monkeypatch.setattr(tab.Tab, "until", counted)
    for _ in range(5):
        browser.click(only(browser.observe(), "button", "Count"))
    assert look_until(browser, lambda seen: seen.text == "6").note == ""
    assert open_page.LONGEST_REQUEST not in waits


# -- alerts


@pytest.mark.deep
def test_dialogs_without_end_close_the_page_and_the_run_goes_on(browser: BrowserDesktop, site: Site) -> None:
    browser.open_url(site.page("/alerts", "<button onclick='for (;;) alert(1)'>Loop</button>", "Alerts"))
    browser.click(only(browser.observe(), "button", "Loop"))
    seen = look_until(browser, lambda seen: seen.windows[0].dialog)
    answered = 0
    while seen.windows and seen.windows[0].dialog:
        browser.click(only(seen, "button", "OK"))
        answered += 1
        seen = browser.observe()
    assert answered == tab.MOST_DIALOGS
    told = seen.note
    while seen.windows:
        seen = browser.observe()
        told += seen.note
    assert "it would not stop, and was closed" in told
    browser.open_url(site.page("/after-alerts", "<p>there</p>"))
    assert look_until(browser, lambda seen: seen.text == "there").windows[0].responding


def test_a_page_that_asks_at_each_step_is_asked_each_time(browser: BrowserDesktop, site: Site) -> None:
    """Many dialogs are no loop where each comes of something that was done."""
    browser.open_url(
        site.page("/each", "<p id=n>0</p><button onclick=\"n.textContent = +n.textContent + confirm('Sure?')\">Add</button>")
    )
    add = only(browser.observe(), "button", "Add")
    for number in range(1, tab.MOST_DIALOGS + 4):
        browser.click(add)
        browser.click(only(look_until(browser, lambda seen: seen.windows[0].dialog), "button", "OK"))
        assert look_until(browser, lambda seen: seen.text != "").text == str(number)


# -- downloads


def test_a_file_that_is_too_large_is_not_kept_though_it_came_at_once(
    browser: BrowserDesktop, site: Site, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "LARGEST", 1 << 20)
    monkeypatch.setattr(downloads, "_LOOK_SECONDS", 300.0)
    headers = {"Content-Disposition": "attachment; filename=large.bin"}
    site.answer("/large", lambda _: Response(b"x" * (3 << 20), headers=headers))
    browser.open_url(site.page("/get-large", f"<a href=/large>Get</a>{COUNT}"))
    seen = browser.observe()
    with pytest.raises(ActionError, match=r"large\.bin was not downloaded: it is larger than 1 MB"):
        browser.download(only(seen, "link", "Get"))
    assert not list(workspace.glob("large*"))
    browser.click(only(seen, "button", "Count"))
    assert look_until(browser, lambda seen: seen.text == "1").windows[0].responding


def test_a_file_that_does_not_come_to_its_end_is_waited_for_later(
    browser: BrowserDesktop, site: Site, workspace: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operating, "DOWNLOAD_SECONDS", 1.0)
    monkeypatch.setattr(browsing, "LONGEST_DOWNLOAD_WAIT", 0.5)
    slow = gate.after(b"first\n" * 100, then=b"last\n")

    def handed(request: Request) -> Response:
        response = slow(request)
        response.headers["Content-Disposition"] = "attachment; filename=slow.txt"
        return response

    site.answer("/slow", handed)
    browser.open_url(site.page("/get-slow", f"<a href=/slow>Get</a>{COUNT}"))
    seen = browser.observe()
    with pytest.raises(ActionError, match="not there within 1 seconds; wait for it"):
        browser.download(only(seen, "link", "Get"))
    seen = browser.observe()
    assert "slow.txt is being downloaded" in seen.note
    assert not list(workspace.glob("slow*")), "nothing is in the workspace before all of it is"
    browser.click(only(seen, "button", "Count"))
    assert "1" in browser.observe().text
    gate.let_go()
    look_until(browser, lambda seen: "Downloaded slow.txt." in seen.note)
    assert (workspace / "slow.txt").read_text() == "first\n" * 100 + "last\n"
    assert asked(site, "/slow") == 1


# -- windows


@pytest.mark.deep
def test_windows_without_end_are_closed_until_their_page_is(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a browser that lets pages open as many as they like."""
    monkeypatch.setattr(browsing, "MOST_TABS", 4)
    site.page("/one-of-many", "<p>one</p>", "One of many")
    flood = site.page("/flood", "<script>setInterval(() => open('/one-of-many'), 250)</script>", "Flood")
    with blocking() as (endpoint, context):
        page = context.new_page()
        page.goto(site.page("/kept", COUNT, "Kept"))
        with connect_browser(endpoint, tmp_path, target=target_of(page)) as browser:
            kept = browser.observe().windows[0].id
            browser.open_url(flood, new_window=True)

            def bounded(seen: Observation) -> bool:
                """More may have come just before a look. A page that is busy may not have said its title yet."""
                addresses = [window.url for window in seen.windows]
                return "the rest was closed" in seen.note and len(addresses) == 4 and flood in addresses

            seen = look_until(browser, bounded)
            source = next(window.id for window in seen.windows if window.url == flood)
            browser.close_window(source)
            browser.activate_window(kept)
            seen = look_until(browser, lambda seen: "the rest was closed" not in seen.note and bool(seen.controls))
            browser.click(only(seen, "button", "Count"))
            seen = look_until(browser, lambda seen: seen.text == "1")
            assert sorted({window.title for window in seen.windows}) == ["Kept", "One of many"]


# -- a page that goes elsewhere by itself all the time


@pytest.mark.deep
def test_a_page_that_never_stays_can_be_left(browser: BrowserDesktop, site: Site) -> None:
    for at, to in (("/there", "/back-again"), ("/back-again", "/there")):
        site.page(at, f"<p>{at}</p><script>setTimeout(() => location = '{to}', 20)</script>")
    url = site.page("/quiet", "<p>quiet</p>")
    for _ in range(2):
        browser.open_url(site.root + "/there")
        assert browser.observe().text in ("/there", "/back-again", ""), "one of its moments, or none"
        # That it goes on by itself may come just behind the address that was opened; then that is what is seen.
        assert any(opened(browser, url) == "quiet" for _ in range(8))


def opened(browser: BrowserDesktop, url: str) -> str:
    """What is seen after an address was opened. Raises ActionError where something else is said to have come in between."""
    browser.open_url(url)
    return browser.observe().text


def test_what_interrupts_may_be_where_one_wanted_to_go() -> None:
    assert pages.is_there('did not answer: "x" is interrupted by another navigation to "http://a.b/c".', "http://a.b/c")
    assert pages.is_there('is interrupted by another navigation to "http://a.b/".', "http://a.b")
    assert not pages.is_there('is interrupted by another navigation to "http://a.b/cd".', "http://a.b/c")
    assert not pages.is_there('"http://a.b/c" did not answer: net::ERR_FAILED "http://a.b/c".', "http://a.b/c")

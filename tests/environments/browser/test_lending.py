"""Pages that belong to somebody else: worked on as they are, and left as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Dialog, Page, async_playwright

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.browser import connect_browser
from deskcrew.environments.browser.launch import program
from deskcrew.environments.browser.lending import lend_page, target_of
from deskcrew.errors import ActionError, EnvironmentFailure, UsageError
from deskcrew.facts import events as e
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in
from support.lent import ARGUMENTS, blocking
from support.sampling import sampled

from .conftest import only

pytestmark = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")
COUNTER = """<title>Counter</title><button onclick="n.textContent = +n.textContent + 1">Count</button><p id=n>0</p>
<button onclick="window.open('about:blank').document.title = 'Opened'">Open</button>
<button onclick="n.textContent = confirm('Sure?')">Ask</button>"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def page(anyio_backend: str) -> AsyncIterator[Page]:
    """A page of a Playwright of the test's own."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        page = await (await browser.new_context()).new_page()
        await page.set_content(COUNTER)
        yield page
        await browser.close()


@pytest.mark.anyio
async def test_a_page_that_is_lent_is_worked_on_and_left_open(page: Page, tmp_path: Path) -> None:
    private = await page.context.new_page()
    await private.set_content("<title>Private</title><button>Secret</button>")
    browser = await lend_page(page, tmp_path)
    seen = await asyncio.to_thread(browser.observe)
    assert [window.title for window in seen.windows] == ["Counter"], "what else its owner has open is not looked at"
    await asyncio.to_thread(browser.click, only(seen, "button", "Count"))
    await asyncio.to_thread(browser.click, only(seen, "button", "Open"))
    seen = await asyncio.to_thread(browser.observe)
    assert [window.title for window in seen.windows] == ["Opened", "Counter"]
    await asyncio.to_thread(browser.close)

    heard = list[str]()

    async def asked(dialog: Dialog) -> None:
        heard.append(dialog.message)
        await dialog.accept()

    page.on("dialog", asked)
    await page.click("text=Ask")
    assert heard == ["Sure?"], "its dialogs are its owner's again"
    assert await page.inner_text("#n") == "true"


@pytest.mark.anyio
@pytest.mark.deep
async def test_the_thread_of_its_loop_is_not_made_to_wait_for_itself(page: Page, tmp_path: Path) -> None:
    browser = await lend_page(page, tmp_path)
    with pytest.raises(UsageError, match="cannot wait"):
        browser.observe()
    await asyncio.to_thread(browser.close)
    await page.close()
    with pytest.raises(EnvironmentFailure, match="cannot be worked on"):
        await lend_page(page, tmp_path)


RULES = """[[rules]]
name = "a-page-of-ours"
effect = "allow"
risk = ["read", "write"]
place = ["real"]
action = ["click_input"]
"""


@pytest.mark.anyio
async def test_a_run_is_done_on_a_page_that_is_lent(page: Page, tmp_path: Path) -> None:
    count = {"operations": [{"function": "click_input", "control": "1"}], "branch": "Continue"}
    stop = {"operations": [], "branch": "Interrupt"}
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES)
    request = RunRequest(
        task="Press Count.", model="scripted:x", workspace=tmp_path / "work", crew="solo", desktop="browser", policy=rules
    )
    browser = await lend_page(page, tmp_path)
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([count, stop]), environment=browser)
    assert [body.ok for body in bodies(journal, e.ActionFinished)] == [True]
    assert await page.inner_text("#n") == "1"
    assert not page.is_closed()
    with pytest.raises(UsageError, match="is lent, but not asked for"):
        await session.run(
            RunRequest(task="x", model="scripted:x", desktop="none", crew="planned"),
            settings_in(tmp_path),
            model=ScriptedModel([]),
            environment=browser,
        )


@pytest.mark.deep
def test_a_page_of_a_blocking_playwright_is_found_by_its_target(tmp_path: Path) -> None:
    with blocking() as (endpoint, context):
        context.new_page().set_content("<title>Other</title>")
        page = context.new_page()
        page.set_content(COUNTER)
        with connect_browser(endpoint, tmp_path, target=target_of(page)) as browser:
            seen = browser.observe()
            assert [window.title for window in seen.windows] == ["Counter"]
            browser.click(only(seen, "button", "Count"))
            assert browser.observe().text.startswith("1")
        assert page.inner_text("#n") == "1"
        with pytest.raises(EnvironmentFailure, match="no longer open in that browser"):
            connect_browser(endpoint, tmp_path, target="gone")


@pytest.mark.deep
def test_a_dialog_that_the_owner_answers_is_not_asked_as_well(tmp_path: Path) -> None:
    with blocking() as (endpoint, context):
        page = context.new_page()
        page.set_content(COUNTER)
        with connect_browser(endpoint, tmp_path, target=target_of(page)) as browser:
            browser.click(only(browser.observe(), "button", "Ask"))  # its owner listens for no dialogs, so they are declined
            seen = browser.observe()
        assert [window.title for window in seen.windows] == ["Counter"]
        assert (seen.text, seen.note) == ("false", "The page asked 'Sure?', and somebody else answered.")


@pytest.mark.deep
def test_a_page_that_its_owner_closes_has_gone(tmp_path: Path) -> None:
    with blocking() as (endpoint, context):
        context.new_page()
        page = context.new_page()
        page.set_content(COUNTER)
        with connect_browser(endpoint, tmp_path, target=target_of(page), alone=False) as browser:
            count = only(browser.observe(), "button", "Count")
            page.close()
            with pytest.raises(ActionError, match="gone"):
                browser.click(count)


LEND = "Lend a page that is open"


@pytest.mark.parametrize("what", sampled(["page", "context", "connection"], 1))
@pytest.mark.deep
def test_what_was_lent_and_has_gone_is_the_surroundings_failure(tmp_path: Path, what: str) -> None:
    with blocking() as (endpoint, context):
        page = context.new_page()
        page.set_content(COUNTER)
        with connect_browser(endpoint, tmp_path, target=target_of(page), alone=what == "page") as browser:
            count = only(browser.observe(), "button", "Count")
            if what == "page":
                context.new_page()  # one that was not lent
                page.close()
            elif what == "context":
                context.close()
            else:
                browsing = browser._browsing  # pyright: ignore[reportPrivateUsage]
                assert browsing.browser is not None
                browser._thread.do(browsing.browser.close(), 10)  # pyright: ignore[reportPrivateUsage]
            said = "has ended" if what == "connection" else "that was lent has been closed"
            with pytest.raises(EnvironmentFailure, match=said) as failed:
                browser.click(count)
            assert failed.value.hint.startswith(LEND)
            with pytest.raises(EnvironmentFailure, match=said):
                browser.observe()


@pytest.mark.deep
def test_who_closes_the_last_page_that_was_lent_can_open_another(tmp_path: Path) -> None:
    with blocking() as (endpoint, context):
        page = context.new_page()
        page.set_content(COUNTER)
        with connect_browser(endpoint, tmp_path, target=target_of(page), alone=False) as browser:
            browser.close_window(browser.observe().windows[0].id)
            assert browser.observe().windows == ()
            with pytest.raises(ActionError, match="open one first"):
                browser.back()
            browser.open_url("data:text/html,<title>New</title>")
            assert [window.title for window in browser.observe().windows] == ["New"]


@pytest.mark.anyio
@pytest.mark.deep
async def test_a_page_that_is_lent_and_closed_by_its_owner_is_the_surroundings_failure(page: Page, tmp_path: Path) -> None:
    browser = await lend_page(page, tmp_path)
    count = only(await asyncio.to_thread(browser.observe), "button", "Count")
    await page.context.close()
    with pytest.raises(EnvironmentFailure, match="that was lent has been closed"):
        await asyncio.to_thread(browser.click, count)
    await asyncio.to_thread(browser.close)


@pytest.mark.deep
def test_pages_that_are_opened_are_where_their_owner_sees_them(tmp_path: Path) -> None:
    with blocking() as (endpoint, context):
        context.new_page().set_content("<title>Other</title>")
        page = context.new_page()
        page.set_content(COUNTER)
        context.new_page().set_content("<title>Last</title>")
        with connect_browser(endpoint, tmp_path, target=target_of(page), alone=False) as browser:
            titles = [window.title for window in browser.observe().windows]
            assert (titles[0], sorted(titles[1:])) == ("Counter", ["Last", "Other"])
            browser.open_url("data:text/html,<title>New</title>", new_window=True)
            assert browser.observe().windows[0].title == "New"
        context.cookies()  # the owner hears of what has happened
        assert [page.title() for page in context.pages] == ["Other", "Counter", "Last", "New"]

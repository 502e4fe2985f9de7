"""A real virtual desktop in a real browser: watched, taken over, worked on, handed back; and who gets nothing of it."""

# ruff: noqa: ASYNC220 - nothing else goes on in a test

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import anyio
import anyio.to_thread
import psutil
import pytest
from playwright.async_api import Browser, Page, async_playwright, expect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from deskcrew.facts.events import HumanSaid
from support.crew import bodies
from support.runs import There, processes
from support.waiting import LATEST

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]

OPEN = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}
OPENS = {"operations": [OPEN], "branch": "Continue"}
ASKS = {"operations": [], "branch": "NeedHumanHelp", "problem": "To whom?"}
expect.set_options(timeout=LATEST * 1000)
TYPED, SENT = "Hello, {a@b} ~1", " Grüße!"


class Server:
    """``deskcrew serve`` in a process of its own, which can be killed and started again on the same port."""

    def __init__(self, there: There) -> None:
        self._there, self.port, self.process = there, 0, None

    async def start(self) -> str:
        """The link that lets somebody in."""
        command = [
            sys.executable,
            "-c",
            "from deskcrew.ways_in.cli.app import main; main()",
            "serve",
            "--port",
            str(self.port),
        ]
        command += ["--data", str(self._there.settings.data)]
        process = self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found: re.Match[str] | None = None
        while found is None:
            line = await anyio.to_thread.run_sync(process.stdout.readline)
            assert line, "the server has ended"
            found = re.search(r"http://\S+:(\d+)/enter\S+", line)
        self.port = int(found[1])
        return found[0]

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
async def server(there: There) -> AsyncIterator[Server]:
    made = Server(there)
    yield made
    made.kill()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield started
        await started.close()


async def entered(browser: Browser, link: str) -> Page:
    page = await (await browser.new_context()).new_page()
    page.set_default_timeout(LATEST * 1000)
    await page.goto(link)
    await page.wait_for_url(re.compile(r"/$"))  # the link leads on by itself
    return page


async def asking(there: There) -> str:
    """A run whose editor is open and that asks its person something, each time it is answered."""
    run = await there.begin([OPENS, ASKS, ASKS, ASKS], task="Write a letter.", desktop="virtual", mode="passive")
    await there.question(run)
    return run


async def picture(page: Page) -> str:
    """What the live desktop shows, as one string."""
    return await page.locator("[data-view] canvas").evaluate("canvas => canvas.toDataURL()")


async def until_shown(page: Page) -> None:
    """Wait until the live desktop shows more than one colour."""
    await page.wait_for_function(
        """() => {
            const canvas = document.querySelector("[data-view] canvas");
            if (!canvas || canvas.width < 100) return false;
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            for (let i = 4; i < data.length; i += 4) if (data[i] !== data[0]) return true;
            return false;
        }"""
    )


@pytest.mark.deep
async def test_taken_over_worked_on_and_handed_back(there: There, server: Server, browser: Browser) -> None:
    run = await asking(there)
    page = await entered(browser, await server.start())
    broken: list[str] = []  # violations of the content policy, too
    page.on(
        "console", lambda message: broken.append(message.text) if message.type == "error" else None
    )  # a violated policy, too
    page.on("pageerror", lambda error: broken.append(str(error)))
    await page.goto(f"http://127.0.0.1:{server.port}/runs/{run}")
    card = page.locator(".desktop")
    await card.get_by_role("button", name="Watch").click()
    await until_shown(page)

    # Who only watches changes nothing.
    await card.locator("canvas").click()
    await page.keyboard.type("not mine")

    await card.get_by_role("button", name="Take over").click()
    await expect(card.get_by_role("button", name="Hand back")).to_be_visible()
    await page.wait_for_function("() => document.activeElement?.tagName === 'CANVAS'")
    await until_shown(page)
    before = await picture(page)
    await card.locator("canvas").click()
    await page.keyboard.type(TYPED, delay=20)
    await page.wait_for_function("before => document.querySelector('[data-view] canvas').toDataURL() !== before", arg=before)
    await card.get_by_label("Text to type").fill(SENT)  # as on a phone
    before = await picture(page)
    await card.get_by_role("button", name="Type", exact=True).click()
    await page.wait_for_function("before => document.querySelector('[data-view] canvas').toDataURL() !== before", arg=before)
    await page.wait_for_timeout(1000)  # what was typed last is on its way
    await card.locator("canvas").click()
    await page.keyboard.press("Control+Alt+Escape")
    await page.wait_for_function("() => document.activeElement?.value === 'hand_back'")
    await card.get_by_label("What you did").fill("I began the letter")
    await card.get_by_role("button", name="Hand back").click()
    await expect(card.get_by_role("button", name="Take over")).to_be_visible()
    await there.question(run)
    assert (await there.runs.stop(run)).ok
    took, handed = bodies(there.journal(run), HumanSaid)
    assert (took.kind, handed.kind) == ("take_over", "hand_back")
    assert "I began the letter" in handed.text
    assert TYPED + SENT in handed.text, "what was seen, not only what was said"
    assert "not mine" not in handed.text
    assert broken == []
    await expect(card).not_to_be_visible()


@pytest.mark.deep
async def test_who_was_not_let_in_gets_nothing(there: There, server: Server) -> None:
    run = await asking(there)
    link = await server.start()
    origin = f"http://127.0.0.1:{server.port}"
    address = f"ws://127.0.0.1:{server.port}/runs/{run}/desktop"

    async def first(**more: Any) -> bytes | str | None:
        """What a connection brings first; None: it is turned away."""
        try:
            async with connect(address, proxy=None, **more) as socket:
                return await socket.recv()
        except Exception as error:  # noqa: BLE001 - however it is refused
            return None if isinstance(error, ConnectionClosed) or "403" in str(error) else str(error)

    import httpx

    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(link, follow_redirects=False)
        cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    assert cookie, answer
    assert await first(origin=origin) is None, "no cookie"
    assert await first(origin=origin, additional_headers={"cookie": cookie[:-1]}) is None, "a cookie that was made up"
    assert await first(origin="http://evil.example", additional_headers={"cookie": cookie}) is None, "another site's page"
    assert await first(additional_headers={"cookie": cookie}) is None, "no page at all"
    assert await first(origin=origin, additional_headers={"cookie": cookie}) == b"RFB 003.008\n"
    async with connect(f"{address}?hands=true", origin=origin, additional_headers={"cookie": cookie}, proxy=None) as socket:  # type: ignore[arg-type]
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd is not None
    assert "Take over first" in closed.value.rcvd.reason


@pytest.mark.deep
async def test_a_connection_that_dies_says_so_and_comes_back(there: There, server: Server, browser: Browser) -> None:
    run = await asking(there)
    page = await entered(browser, await server.start())
    await page.goto(f"http://127.0.0.1:{server.port}/runs/{run}")
    card = page.locator(".desktop")
    await card.get_by_role("button", name="Watch").click()
    await until_shown(page)
    (process,) = processes(there.runs, run)
    (vnc,) = [child for child in process.children(recursive=True) if child.name() == "x11vnc"]
    server.kill()
    await expect(card.locator("[data-said]")).to_contain_text("was lost")
    psutil.wait_procs([vnc], timeout=LATEST)
    assert not vnc.is_running(), "it ends with whom it served"
    await server.start()
    await expect(card.locator("[data-said]")).to_be_empty()
    await until_shown(page)
    # And the question that was open when the server died can be answered on the page that has come back by itself.
    await page.reload()
    asked = (await there.question(run)).question
    await page.get_by_label("Your answer").fill("To my aunt.")
    await page.get_by_role("button", name="Answer").click()
    await there.until(run, lambda alive: alive.question not in (None, asked))
    (said,) = bodies(there.journal(run), HumanSaid)
    assert (said.kind, said.text) == ("answer", "To my aunt.")
    assert (await there.runs.stop(run)).ok

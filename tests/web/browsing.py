"""Deskcrew served by a process of its own, and a real browser on it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from support.crew import settings_in
from support.waiting import LATEST

CHROMIUM = "/usr/bin/chromium"
WIDTHS = {"wide": (1280, 800), "phone": (390, 844)}


@contextmanager
def serving(folder: Path, *options: str) -> Generator[str]:
    """``deskcrew serve`` over the data of ``folder``; gives the link that it prints."""
    environment = {**os.environ, "DESKCREW_DATA": str(settings_in(folder).data), "DESKCREW_CONFIG": str(folder / "config")}
    command = [
        sys.executable,
        "-c",
        "from deskcrew.ways_in.cli.app import main; main()",
        "serve",
        *(options or ("--port", "0")),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder)
    assert process.stdout is not None
    try:
        yield next(line.strip() for line in process.stdout if line.strip().startswith("http"))
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@contextmanager
def browsing() -> Generator[Browser]:
    """A browser; it runs as root in some places, where its own sandbox cannot be had."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def page_of(
    browser: Browser, width: str, link: str, *, scheme: Any = "light", quiet: bool = False, scripts: bool = True
) -> Generator[Page]:
    """A page of that width, let in. Whatever the browser complains of, such as something that the policy of contents
    forbids, fails the test, unless it is to be ``quiet``. ``scripts``: whether any run in it."""
    size = WIDTHS[width]
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        has_touch=width == "phone",
        java_script_enabled=scripts,
    )
    page = context.new_page()
    page.set_default_timeout(LATEST * 1000)
    expect.set_options(timeout=LATEST * 1000)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(link)
        page.wait_for_url(re.compile(r"/$"))
        yield page
        assert quiet or complaints == []
    finally:
        context.close()


def script(path: Path, replies: Sequence[Any]) -> str:
    """The model string of a script that holds these replies, for a server that was started in its folder."""
    path.write_text(json.dumps(list(replies)))
    return f"scripted:{path.name}"


def overflowing(page: Page) -> int:
    """Pixels that the page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def lines(page: Page) -> Iterator[str]:
    """The story's lines, in words."""
    return (line.inner_text() for line in page.locator(".line").all())

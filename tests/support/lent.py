"""A browser of Playwright's blocking interface, as programs have one that lend its pages."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, sync_playwright

from deskcrew.environments.browser.launch import program

ARGUMENTS = ["--no-sandbox"]


@contextmanager
def blocking() -> Iterator[tuple[str, BrowserContext]]:
    """One with a debugging port: the address of that, and a context of its owner's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with sync_playwright() as playwright:
        arguments = [*ARGUMENTS, f"--remote-debugging-port={port}"]
        owner = playwright.chromium.launch(executable_path=program(), args=arguments)
        yield f"http://127.0.0.1:{port}", owner.new_context()
        owner.close()

"""One browser for all tests of a worker, and a server on this machine whose pages are made by the tests of a module."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Control, Observation
from deskcrew.guard.proxy import Proxy
from support.needed import skip_without


class Site:
    """Pages by their paths. ``other``: the same under a name that is another site to a browser."""

    def __init__(self, server: HTTPServer) -> None:
        self.server = server
        self.root = f"http://127.0.0.1:{server.port}"
        self.other = f"http://localhost:{server.port}"
        self.begun: list[Request] = []
        """What was asked for, also where the answer has not ended."""
        self._answers: dict[str, Callable[[Request], Response]] = {}

    def page(self, path: str, body: str, title: str = "Page") -> str:
        """Serve a page; its address."""
        html = f"<!doctype html><meta charset=utf-8><title>{title}</title>{body}"
        return self.answer(path, lambda _: Response(html, content_type="text/html"))

    def answer(self, path: str, handler: Callable[[Request], Response]) -> str:
        """Serve whatever a function answers, from now on: of two handlers of a path the server would ask the first. Its
        address."""
        if path not in self._answers:
            self.server.expect_request(path).respond_with_handler(self._answer)
        self._answers[path] = handler
        return self.root + path

    def _answer(self, request: Request) -> Response:
        self.begun.append(request)
        return self._answers[request.path](request)

    @property
    def asked(self) -> list[Request]:
        return [request for request, _ in self.server.log]


class Gate:
    """Answers of a server that do not end before they are let go."""

    def __init__(self) -> None:
        self._open = threading.Event()

    def after(self, *first: bytes, then: bytes = b"") -> Callable[[Request], Response]:
        """A page of which no more than ``first`` comes at once."""

        def parts() -> Iterator[bytes]:
            yield from first
            self._open.wait(300)
            yield then

        return lambda _: Response(parts(), content_type="text/html")

    def let_go(self) -> None:
        self._open.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.let_go()


@pytest.fixture(scope="session")
def server() -> Iterator[HTTPServer]:
    with HTTPServer(host="127.0.0.1", threaded=True) as server:
        yield server


@pytest.fixture(scope="module")
def site(server: HTTPServer) -> Site:
    server.clear()
    return Site(server)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="session")
def started(server: HTTPServer, workspace: Path) -> Iterator[BrowserDesktop]:
    with Proxy([f"127.0.0.1:{server.port}", f"localhost:{server.port}"]) as proxy:
        try:
            browser = start_browser(workspace, proxy=proxy)
        except EnvironmentFailure as failure:
            skip_without(failure)
        with browser:
            yield browser


@pytest.fixture
def browser(started: BrowserDesktop) -> Iterator[BrowserDesktop]:
    """The worker's browser, with one page in front."""
    yield started
    seen = started.observe()
    while seen.active_window is not None and seen.active_window.dialog:
        started.press(("escape",))
        seen = started.observe()
    for window in seen.windows[1:]:
        started.close_window(window.id)


def look_until(browser: BrowserDesktop, reached: Callable[[Observation], bool]) -> Observation:
    """The first look at which something is so; a page takes its time, and more of it on a busy machine."""
    for _ in range(60):
        seen = browser.observe()
        if reached(seen):
            return seen
        with contextlib.suppress(ActionError):
            browser.wait(1)
    pytest.fail(f"It did not come to that: {seen.note} {seen.windows} {seen.text}")


def only(seen: Observation, role: str, name: str) -> Control:
    """The one control of that role and name."""
    found = [control for control in seen.controls if (control.role, control.name) == (role, name)]
    assert len(found) == 1, f"{len(found)} {role} {name!r} among {[(c.role, c.name) for c in seen.controls]}"
    return found[0]

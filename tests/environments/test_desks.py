"""Desks beside a run's own: real browsers with one profile between them, and real virtual desktops on one workspace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from deskcrew.environments.browser.browser import start_browser
from deskcrew.environments.browser.launch import program
from deskcrew.environments.desks import Desks
from deskcrew.environments.environment import Desktop
from deskcrew.environments.virtual import missing_programs, start_virtual
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import EnvironmentFailure
from deskcrew.guard.proxy import Proxy
from deskcrew.secrets.vault import NONE

browsers = pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine")


@pytest.fixture
def shop(httpserver: HTTPServer) -> str:
    """A shop that says what cookies it was sent and what it has stored, and keeps a mark for each path that is visited."""

    def answer(request: Request) -> Response:
        told = ",".join(sorted(request.cookies)) or "nobody"
        mark = request.path.strip("/")
        script = f"if ('{mark}' != 'who') localStorage['{mark}'] = 1;"
        script += f"document.title = '{told}|' + Object.keys(localStorage).sort()"
        answered = Response(f"<!doctype html><p>Hello</p><script>{script}</script>", content_type="text/html")
        if mark != "who":
            answered.set_cookie(mark, "1")
        return answered

    for path in ("/first", "/second", "/third", "/who"):
        httpserver.expect_request(path).respond_with_handler(answer)
    return f"http://127.0.0.1:{httpserver.port}"


@pytest.fixture
def desks(tmp_path: Path, shop: str) -> Iterator[Desks]:
    proxy = Proxy((shop.removeprefix("http://"),))
    start = partial(start_browser, tmp_path, proxy=proxy)
    made = Desks(Workspace(tmp_path), start(session=tmp_path / "kept.json"), NONE, start=start, most=2)
    try:
        yield made
    finally:
        made.close()
        proxy.close()


def title(desks: Desks, number: int, url: str = "") -> str:
    """Of the page in front, after going to an address."""
    desk = desks.at(number)
    assert desk is not None
    if url:
        desk.desktop.open_url(url)  # type: ignore[union-attr]
    window = desk.observe().active_window
    assert window is not None
    return window.title


@pytest.mark.deep
@browsers
def test_a_browser_begins_with_what_the_run_has_stored_and_brings_back_what_it_stores(desks: Desks, shop: str) -> None:
    title(desks, 1, f"{shop}/first")
    desks.arrive(2, (), f"{shop}/who")
    assert title(desks, 2) == "first|first", "it begins logged in, at the page that was named"
    title(desks, 2, f"{shop}/second")
    assert title(desks, 1, f"{shop}/who") == "first|first", "while somebody is at work there, it is theirs"
    title(desks, 1, f"{shop}/third")
    desks.arrive(1, (2,))
    assert title(desks, 1, f"{shop}/who") == "first,second,third|first,second,third", "what is over has come back"
    desks.arrive(2, (1,))
    assert title(desks, 2, f"{shop}/who") == "first,second,third|first,second,third"


@pytest.mark.deep
@browsers
def test_a_session_that_is_kept_is_that_of_all_browsers(tmp_path: Path, desks: Desks, shop: str) -> None:
    desks.arrive(2, (), f"{shop}/second")
    desks.close()
    assert '"second"' in (tmp_path / "kept.json").read_text()


@pytest.mark.desktop
@pytest.mark.deep
@pytest.mark.skipif(bool(missing_programs()), reason="a virtual desktop cannot be started here")
def test_virtual_desktops_have_windows_of_their_own_and_one_workspace(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("milk")
    start = partial(start_virtual, tmp_path, pages=False)
    desks = Desks(Workspace(tmp_path), start(), NONE, start=start, most=2)
    try:
        desks.arrive(2, ())
        second = desks.at(2)
        assert second is not None
        assert second.desktop is not None
        second.desktop.set_clipboard("two")
        assert desks.desktop is not None
        desks.desktop.set_clipboard("one")
        assert second.desktop.clipboard() == "two"
        assert [entry.path for entry in second.observe().files] == [entry.path for entry in desks.observe().files]
    finally:
        desks.close()
    with pytest.raises(EnvironmentFailure):
        second.desktop.observe()


def test_there_is_none_before_somebody_comes_and_one_that_cannot_be_started_is_told(tmp_path: Path) -> None:
    def fails() -> Desktop | None:
        raise EnvironmentFailure("There is no memory left.")

    desks = Desks(Workspace(tmp_path), None, NONE, start=fails, most=2)
    assert desks.at(1) is desks
    assert desks.at(2) is None
    with pytest.raises(EnvironmentFailure, match="memory"):
        desks.arrive(2, ())
    assert desks.at(2) is None
    desks.close()

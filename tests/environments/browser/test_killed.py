"""A browser that is killed while it is read. What it says when it is killed within an action is in test_trouble."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskcrew.environments.browser.browser import BrowserDesktop, start_browser
from deskcrew.environments.browser.frames import Frame
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.guard.proxy import Proxy
from support.killing import kill_browsers
from support.needed import skip_without
from support.sampling import sampled

from .conftest import Site


@pytest.fixture
def mortal(site: Site, tmp_path: Path) -> Iterator[BrowserDesktop]:
    """A browser of the test's own."""
    with Proxy([f"127.0.0.1:{site.server.port}"]) as proxy:
        try:
            browser = start_browser(tmp_path, proxy=proxy)
        except EnvironmentFailure as failure:
            skip_without(failure)
        with browser:
            browser.open_url(site.page("/mortal", "<p>words</p>"))
            yield browser


def has_ended(browser: BrowserDesktop) -> None:
    """That a pipe is closed may be heard a moment later; until then it is the page that has gone."""
    with pytest.raises(EnvironmentFailure, match="has ended") as raised:
        look_on(browser)
    assert "resume" in raised.value.hint


def look_on(browser: BrowserDesktop) -> None:
    for _ in range(50):
        browser.observe()


@pytest.mark.parametrize("reading", sampled(["look", "find", "markdown"], 1))
def test_a_browser_that_is_killed_while_it_is_read_is_the_surroundings_failure(
    mortal: BrowserDesktop, reading: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mortal.observe()
    ask = Frame.ask

    async def killing(self: Frame, function: str, *arguments: object, seconds: float = 1.0) -> object:
        if function == reading:
            kill_browsers(str(mortal._run.path))  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
        return await ask(self, function, *arguments, seconds=seconds)

    monkeypatch.setattr(Frame, "ask", killing)
    read = {"look": mortal.observe, "find": lambda: mortal.find_text("words"), "markdown": mortal.page_markdown}
    with contextlib.suppress(ActionError, EnvironmentFailure):
        read[reading]()
    has_ended(mortal)

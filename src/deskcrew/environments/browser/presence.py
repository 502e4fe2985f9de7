"""Whether a run's browser still exists and, if pages were lent, whether these still exist.

A browser that ends takes its pages along, and Playwright reports those first. So an error, or a page that has gone, may mean
just that, or the end of everything: only the browser itself can tell.
"""

from __future__ import annotations

import asyncio

from playwright.async_api import Browser
from playwright.async_api import Error as BrowserError

from deskcrew.errors import EnvironmentFailure

ANSWER_SECONDS = 5.0
"""Seconds to wait for a browser's answer. A browser that takes longer exists, and is busy."""
RESUME = "`deskcrew resume` continues with a new one."
AGAIN = "Start it again with its debugging port; `deskcrew resume` then continues."
LEND = "Lend a page that is open, and begin a new run with it."
_ENDED = "The browser has ended, or the connection to it was lost."
_CLOSED = "The page that was lent has been closed."


class Presence:
    """The presence of one browser, on its thread."""

    def __init__(self, browser: Browser | None, hint: str) -> None:
        """``browser``: None if Playwright has no object for it, as with a persistent profile; ``hint``: what to do when it
        has gone."""
        self._browser = browser
        self._hint = hint
        self._closed = False

    def has_pages(self) -> None:
        """A page is open: none of those lent count as lost."""
        self._closed = False

    def lost_pages(self) -> None:
        """All lent pages have gone, and we did not close them."""
        self._closed = True

    @property
    def alive(self) -> bool:
        """Whether the browser is connected, as far as is known; True without an object for it."""
        return self._browser is None or self._browser.is_connected()

    def check(self) -> None:
        """Raise EnvironmentFailure if the browser is known to have ended."""
        if not self.alive:
            raise EnvironmentFailure(_ENDED, hint=self._hint)

    async def ask(self) -> None:
        """Raise EnvironmentFailure if the browser has ended, or no lent page is left."""
        try:
            await asyncio.wait_for(self._asked(), ANSWER_SECONDS)
        except TimeoutError:
            return
        except BrowserError as error:
            raise EnvironmentFailure(_ENDED, hint=self._hint) from error
        if self._closed:
            raise EnvironmentFailure(_CLOSED, hint=self._hint)

    async def _asked(self) -> None:
        if self._browser is not None:
            session = await self._browser.new_browser_cdp_session()
            await session.detach()

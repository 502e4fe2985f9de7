"""Works on pages lent by another program: a page of that program's Playwright, or of a browser that is open.

A lent page is used as it is, with the pages that it opens, and left as it is: nothing is closed, and listeners are removed.
Other pages of the same browser are not touched.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.browser.browsing import Browsing
from deskcrew.environments.browser.presence import LEND
from deskcrew.environments.browser.protocol import TargetFacts
from deskcrew.environments.browser.thread import LentLoop
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.json_values import JsonObject

if TYPE_CHECKING:
    from playwright.sync_api import Page as SyncPage


class _BlockingSession(Protocol):
    """A session of Playwright's blocking interface, with types."""

    def send(self, method: str) -> JsonObject: ...


async def lend_page(page: Page, workspace: Path, *, inside: str | None = None) -> BrowserDesktop:
    """A browser whose page the caller opened with Playwright's asynchronous interface. Await it on the page's loop, which
    must keep running; use the result from other threads, as ``session.run`` does, which closes it as well.

    ``workspace``: the absolute path of a folder; ``inside``: its path where the browser runs, if different. Raises
    EnvironmentFailure if the page has been closed, or is not Chromium's.
    """
    try:
        width, height, scale = await page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")
        browsing = Browsing(
            page.context.browser,
            page.context,
            size=(int(width), int(height)),
            scale=float(scale),
            folder=workspace,
            partial=None,
            only=page,
            hint=LEND,
        )
        await browsing.begin()
    except BrowserError as error:
        said = error.message.splitlines()[0]
        raise EnvironmentFailure(
            f"That page cannot be worked on: {said}", hint="Lend a page of Chromium that is open."
        ) from error
    seen_as = inside or str(workspace)
    return BrowserDesktop(LentLoop(asyncio.get_running_loop()), None, browsing, inside=seen_as)


def target_of(page: SyncPage) -> str:
    """The browser's id of a page of Playwright's blocking interface: the ``target`` of
    :func:`~deskcrew.environments.browser.browser.connect_browser`. Such a page itself can be used by its own thread only, so
    its browser must have been started with a debugging port. Call it on the page's thread."""
    session = page.context.new_cdp_session(page)
    try:
        return _target_in(session)
    finally:
        session.detach()


def _target_in(session: _BlockingSession) -> str:
    return TargetFacts.model_validate(session.send("Target.getTargetInfo")["targetInfo"]).target_id

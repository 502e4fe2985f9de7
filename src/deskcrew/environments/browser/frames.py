"""The frames of one page, each with an isolated world in which our script runs (folder ``script``).

A world shares a frame's elements with the page, and nothing else: the page's changes to JavaScript's built-ins do not affect
it. Frames of the page's own site are reached through the page's session, frames of other sites through their own sessions,
since the browser keeps them in separate processes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page
from playwright.async_api import Error as BrowserError
from playwright.async_api import Frame as PageFrame
from pydantic import JsonValue

from deskcrew.environments.browser.protocol import (
    CdpSession,
    Evaluated,
    FrameBranch,
    RemoteObject,
    ask,
)
from deskcrew.facts.json_values import JsonObject

WORLD = "deskcrew"
FIRST_TIMEOUT, HUNG_TIMEOUT = 2.0, 0.08
"""Seconds without an answer after which a page counts as hung; and the same while it does, until it answers again."""
INNER_TIMEOUT = 1.0
"""The same for a frame in a process of its own: less, so that a hung frame is noticed before its page counts as hung."""
_SCRIPT = Path(__file__).with_name("script")
_PARTS = ("elements.js", "behind.js", "marks.js", "look.js", "operate.js", "read.js")
"""The parts of our script, in order: each uses what the ones before it define."""
_GONE = ("Cannot find context", "Execution context was destroyed", "uniqueContextId not found", "deskcrew is not defined")


async def session_of(page: Page, frame: PageFrame | None = None) -> CdpSession:
    """A new session with a page, or with a frame that is kept in a process of its own. Raises Playwright's error."""
    return await page.context.new_cdp_session(frame or page)


async def browser_session(browser: Browser) -> CdpSession:
    """A new session with the browser itself. Raises Playwright's error."""
    return await browser.new_browser_cdp_session()


class Hung(Exception):
    """A frame did not answer in time: something in it is blocked."""


class FrameGone(Exception):
    """A frame went away during a query: the page has navigated."""


@cache
def script() -> str:
    """The script that runs in a world: all parts in one function, so that only ``deskcrew`` is visible outside."""
    parts = "\n".join((_SCRIPT / name).read_text(encoding="utf-8") for name in _PARTS)
    return f'(() => {{\n"use strict";\nif (globalThis.deskcrew) return;\nglobalThis.deskcrew = {{}};\n{parts}}})();'


def _returned(answer: Evaluated) -> RemoteObject:
    if answer.error:
        raise RuntimeError(f"The perception script failed: {answer.error}")
    return answer.result


class Frame:
    """One frame. ``id``: the browser's id; ``owner``: the number in ``parent`` of the element that contains it."""

    def __init__(self, session: CdpSession, id: str, parent: Frame | None = None) -> None:
        self.session = session
        self.id = id
        self.parent = parent
        self.owner = 0
        self.world: int | None = None

    async def ask(self, function: str, *arguments: object, seconds: float = 1.0) -> Any:
        """The result of a function of our script. Raises Hung or FrameGone."""
        call = f"deskcrew.{function}({','.join(json.dumps(one) for one in arguments)})"
        try:
            async with asyncio.timeout(seconds):
                text = (await self._evaluate(f"(async () => JSON.stringify(await {call}))()", by_value=True)).value
                # As one text: Playwright looks at every single value of anything else, which takes longer than to read it.
                return json.loads(text) if isinstance(text, str) else None
        except TimeoutError:
            raise Hung from None

    async def _evaluate(self, expression: str, *, by_value: bool = False) -> RemoteObject:
        for last in (False, True):
            try:
                if self.world is None:
                    await self._enter()
                asked: JsonObject = {
                    "expression": expression,
                    "contextId": self.world,
                    "returnByValue": by_value,
                    "awaitPromise": True,
                }
                answer = await ask(self.session, Evaluated, "Runtime.evaluate", asked)
            except BrowserError as error:
                if last or not any(words in error.message for words in _GONE):
                    raise FrameGone from error
                self.world = None
                continue
            if last or "deskcrew is not defined" not in answer.error:
                return _returned(answer)
            self.world = None
        raise FrameGone

    async def _enter(self) -> None:
        asked: JsonObject = {"frameId": self.id, "worldName": WORLD}
        self.world = await ask(self.session, int, "Page.createIsolatedWorld", asked, of="executionContextId")
        _returned(await ask(self.session, Evaluated, "Runtime.evaluate", {"expression": script(), "contextId": self.world}))

    async def object_of(self, number: int) -> str | None:
        """The browser's id of the element with this number, None if it has gone. Raises FrameGone."""
        return (await self._evaluate(f"deskcrew.elementOf({number})")).object_id

    async def _number_of(self, node: int) -> int:
        """Our number of the element with this id of the browser's. Raises FrameGone."""
        await self._evaluate("0")  # so that there is a world
        try:
            called: JsonObject = {
                "functionDeclaration": "function() { return deskcrew.numberOf(this); }",
                "objectId": await self._object_of_node(node),
                "returnByValue": True,
            }
            value = (await ask(self.session, Evaluated, "Runtime.callFunctionOn", called)).result.value
            return value if isinstance(value, int) else 0
        except BrowserError as error:
            raise FrameGone from error

    async def make_known(self, nodes: Sequence[int]) -> bool:
        """Tell the script that these elements (by the browser's ids) listen to the mouse. Returns whether any of them is in
        this frame. Raises FrameGone."""
        found = await asyncio.gather(*(self._object_in_world(node) for node in nodes))
        objects: list[JsonValue] = [{"objectId": one} for one in found if one]
        called: JsonObject = {
            "functionDeclaration": "function(...elements) { return deskcrew.listens(elements); }",
            "executionContextId": self.world,
            "arguments": objects,
            "returnByValue": True,
        }
        try:
            return bool(objects and (await ask(self.session, Evaluated, "Runtime.callFunctionOn", called)).result.value)
        except BrowserError as error:
            raise FrameGone from error

    async def _object_in_world(self, node: int) -> str | None:
        try:
            return await self._object_of_node(node)  # there is none of what is another site's
        except BrowserError:
            return None  # it has gone, or is of another frame

    async def _object_of_node(self, node: int) -> str | None:
        asked: JsonObject = {"backendNodeId": node, "executionContextId": self.world}
        return (await ask(self.session, RemoteObject, "DOM.resolveNode", asked, of="object")).object_id

    async def find_owner(self) -> None:
        """Fill :attr:`owner`. Raises FrameGone."""
        if self.owner or self.parent is None:
            return
        try:
            node = await ask(self.parent.session, int, "DOM.getFrameOwner", {"frameId": self.id}, of="backendNodeId")
        except BrowserError as error:
            raise FrameGone from error
        self.owner = await self.parent._number_of(node)  # pyright: ignore[reportPrivateUsage]


class FrameTree:
    """The frames of one page, found again at each observation; what is known of a frame is cached while it exists."""

    def __init__(self, session: CdpSession) -> None:
        """``session``: the page's own."""
        self._session = session
        self._known: dict[str, Frame] = {}
        self._asked: dict[CdpSession, asyncio.Future[FrameBranch | None]] = {}
        """The pending or last query to each frame in a process of its own."""
        self.main: Frame | None = None

    async def find(self) -> tuple[list[Frame], int]:
        """The frames, parents before children, and how many could not be reached. Raises FrameGone if the page itself has
        gone."""
        if self.main is not None and await self._alone():
            return [self.main], 0
        tree = await _tree_of(self._session)
        if tree is None:
            raise FrameGone
        found = self._frames(self._session, tree, None)
        self.main = found[0]
        sessions = [session async for session in self._elsewhere()]
        trees = await asyncio.gather(*map(self._inner_tree, sessions))
        lost = trees.count(None)
        for session, inner in zip(sessions, trees, strict=True):
            if inner is not None:
                found += self._frames(session, inner, found[0], candidates=found)
        self._known = {frame.id: frame for frame in found}
        return found, lost

    async def _alone(self) -> bool:
        """Whether the page has no inner frames."""
        raise NotImplementedError

    def _elsewhere(self) -> AsyncIterator[CdpSession]:
        """Sessions of the frames in processes of their own."""
        raise NotImplementedError

    def forget(self) -> None:
        """Forget what is known of frames: the page has navigated."""
        self._known.clear()
        self._asked.clear()
        self.main = None

    async def _inner_tree(self, session: CdpSession) -> FrameBranch | None:
        """The tree of a frame in a process of its own, which must not block the others: a hung frame is waited for once, and
        queried again when it has answered. None while it has not."""
        asked, seconds = self._asked.get(session), 0.0
        if asked is None or asked.done():
            asked, seconds = asyncio.ensure_future(_tree_of(session)), INNER_TIMEOUT
            self._asked[session] = asked
        await asyncio.wait({asked}, timeout=seconds)
        return asked.result() if asked.done() else None

    def _frames(
        self, session: CdpSession, tree: FrameBranch, parent: Frame | None, *, candidates: list[Frame] | None = None
    ) -> list[Frame]:
        """The frames that a session reaches. ``candidates``: possible parents of the topmost frame."""
        found: list[Frame] = []

        def add(tree: FrameBranch, parent: Frame | None) -> None:
            id = tree.frame.id
            frame = self._known.get(id)
            if frame is None or frame.session is not session:
                frame = Frame(session, id, parent)
            found.append(frame)
            for child in tree.child_frames:
                add(child, frame)

        add(tree, parent)
        if candidates:
            found[0].parent = next((one for one in candidates if one.id == tree.frame.parent_id), found[0].parent or parent)
        return found


async def _tree_of(session: CdpSession) -> FrameBranch | None:
    """The browser's tree of the frames that a session reaches; None if the session has ended."""
    try:
        return await ask(session, FrameBranch, "Page.getFrameTree", of="frameTree")
    except BrowserError:
        return None


class Frames(FrameTree):
    """The frames of a Playwright page."""

    def __init__(self, page: Page, session: CdpSession) -> None:
        super().__init__(session)
        self._page = page
        self._foreign: dict[tuple[PageFrame, str], CdpSession | None] = {}
        """Sessions of frames in processes of their own, by frame and address; None for frames without one."""

    async def _alone(self) -> bool:
        return len(self._page.frames) == 1

    async def _elsewhere(self) -> AsyncIterator[CdpSession]:
        for frame in self._page.frames[1:]:
            if _site(frame.url) == _site(frame.parent_frame.url if frame.parent_frame else "") or not frame.url:
                continue
            session = await self._own_session(frame)
            if session is not None:  # else it is in its parent's process, and was found there
                yield session

    async def _own_session(self, frame: PageFrame) -> CdpSession | None:
        key = frame, frame.url
        if key not in self._foreign:
            try:
                self._foreign[key] = await session_of(self._page, frame)
            except BrowserError:
                self._foreign[key] = None
        return self._foreign[key]

    def forget(self) -> None:
        """Forget the frames, and their sessions."""
        super().forget()
        self._foreign.clear()


def _site(url: str) -> str:
    """Scheme and host, which roughly decide whether two frames may share a process."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}"

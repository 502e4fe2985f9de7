"""What a page does when something on it is pressed: the truth that readings of it are compared with.

Nothing of the engine decides what counts: elements are found by markup, listeners and chance, pressed with the pointer, and
the whole document is compared before and after. After each press that changed something the page is opened anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import CDPSession, Error, Page, Request
from pydantic import TypeAdapter

from deskcrew.environments.browser.browser import BrowserDesktop
from deskcrew.environments.browser.protocol import CdpData, RemoteObject, ask
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Box, Frozen

SCRIPT = Path(__file__).with_name("truth.js")
HEARD = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "change", "input"})
HOVER = 0.1
"""Seconds a pointer stays before it presses, and a page has to begin with what the press is for."""

Answer = TypeVar("Answer")


class Candidate(Frozen):
    """An element in view that a person might press. ``path``: by which it is found again; ``kind``: ``own`` by markup or
    listener, ``looks`` by pointer or focus, ``leaf`` by its place only; ``within``: the number of the candidate around it;
    ``written``: it is for writing or choosing and needs no press; ``chosen``: it is, as far as its markup says, the one that
    is chosen already, which a press need not change. Places in CSS pixels of the view."""

    path: str
    kind: str
    within: int | None
    name: str
    written: bool
    disabled: bool
    chosen: bool
    x: float
    y: float
    width: float
    height: float

    @property
    def box(self) -> Box:
        return Box(x=round(self.x), y=round(self.y), width=round(self.width), height=round(self.height))


class Pressed(Frozen):
    """What a press did. ``changed``: the paths of elements that differ, and whether each was there before and after;
    ``led``: to another address, to a question of the browser's, or into a field."""

    changed: Mapping[str, bool]
    led: bool
    sent: bool

    @property
    def effect(self) -> bool:
        return bool(self.changed) or self.led or self.sent

    def state_of(self, path: str) -> bool:
        """Whether the element itself, what it stands in or what is in it was altered, and nothing led away from it."""
        own = {path, path.rpartition("/")[0]}
        return not self.led and any(
            altered and (each in own or each.startswith(f"{path}/")) for each, altered in self.changed.items()
        )


_CANDIDATES = TypeAdapter(list[Candidate])
_CHANGED = TypeAdapter(dict[str, bool])


class _Listener(CdpData):
    type: str
    backend_node_id: int = 0


class _Listeners(CdpData):
    listeners: list[_Listener]


class _Found(CdpData):
    object: RemoteObject


class _Result(CdpData):
    result: RemoteObject


@dataclass
class View:
    """A state of an application: its address, and what is pressed there first. ``page``: it is a page by itself; ``reset``:
    puts the application's data back."""

    browser: BrowserDesktop
    name: str
    address: str
    presses: tuple[str, ...] = ()
    page: bool = False
    reset: Callable[[], None] = field(default=lambda: None)
    _url: str = ""
    """Of the page once it was opened."""

    def open(self) -> None:
        """As it is at the beginning, at rest, with nothing under the pointer."""
        self.reset()
        self._do(_forgotten)
        if self._url:
            self._do(lambda page: _reopened(page, self._url))
        else:
            self.browser.open_url(self.address)
            self._url = self._do(_address)
        self._do(_prepared)
        for path in self.presses:
            self._do(lambda page, path=path: _press_path(page, path))
        self._do(_away)

    def candidates(self) -> list[Candidate]:
        return self._do(_candidates)

    def extent(self) -> int:
        """The number of elements in the document."""
        return self._do(_extent)

    def there(self, candidate: Candidate) -> bool:
        """Whether it is still in view, at the same place."""
        return any(each.path == candidate.path and each.box == candidate.box for each in self.candidates())

    def press(self, candidate: Candidate) -> Pressed | None:
        """Press it once; None where it is no longer there."""
        return self._do(lambda page: _press_path(page, candidate.path))

    def press_at(self, x: float, y: float) -> Pressed:
        return self._do(lambda page: _press(page, x, y))

    def leave(self) -> None:
        """Take the pointer away, so that what only lies under it is not told."""
        self._do(_away)

    def _do(self, work: Callable[[Page], Coroutine[Any, Any, Answer]]) -> Answer:
        return self.browser.with_page(work)


async def _truth(page: Page, what: str) -> Any:
    return await page.evaluate(f"() => window[Symbol.for('truth')].{what}")


async def _forgotten(page: Page) -> None:
    """What the application keeps in the browser is gone; a page that has no storage keeps nothing."""
    with suppress(Error):
        await page.evaluate("localStorage.clear(); sessionStorage.clear()")


async def _address(page: Page) -> str:
    return page.url


async def _reopened(page: Page, url: str) -> None:
    """Load it as a new document, even where only the part after ``#`` is another one."""
    try:
        await page.evaluate("url => history.replaceState(null, '', url)", url)
        await page.reload()
    except Error:  # A press led to another site.
        await page.goto(url)


async def _prepared(page: Page) -> None:
    await page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    await _rest(page)
    session = await page.context.new_cdp_session(page)
    try:
        for node in await _heard(session):
            found = await ask(session, _Found, "DOM.resolveNode", {"backendNodeId": node})
            mark = "function() { window[Symbol.for('truth')].mark(this); }"
            await ask(
                session, CdpData, "Runtime.callFunctionOn",
                {"objectId": found.object.object_id, "functionDeclaration": mark},
            )  # fmt: skip
    finally:
        await session.detach()


async def _heard(session: CDPSession) -> set[int]:
    document = await ask(session, _Result, "Runtime.evaluate", {"expression": "document"})
    everywhere: JsonObject = {"objectId": document.result.object_id, "depth": -1, "pierce": True}
    told = await ask(session, _Listeners, "DOMDebugger.getEventListeners", everywhere)
    return {each.backend_node_id for each in told.listeners if each.type in HEARD and each.backend_node_id}


async def _candidates(page: Page) -> list[Candidate]:
    return _CANDIDATES.validate_python(await _truth(page, "candidates()"))


async def _press_path(page: Page, path: str) -> Pressed | None:
    there = next((each for each in await _candidates(page) if each.path == path), None)
    return await _press(page, there.x + there.width / 2, there.y + there.height / 2) if there is not None else None


async def _press(page: Page, x: float, y: float) -> Pressed:
    sent: list[str] = []

    def note(request: Request) -> None:
        if request.method != "GET":
            sent.append(request.url)

    await page.mouse.move(x, y)
    await asyncio.sleep(HOVER)
    await _truth(page, "keep()")
    address, writes, asked = page.url, await _truth(page, "writes()"), await _truth(page, "asked()")
    page.on("request", note)
    try:
        await page.mouse.down()
        await page.mouse.up()
        await asyncio.sleep(HOVER)
        try:
            await _rest(page)
            changed = _CHANGED.validate_python(dict(await _truth(page, "changed()")))
            written, questions = await _truth(page, "writes()"), await _truth(page, "asked()")
        except Error:  # It went to another page, where the script is not.
            return Pressed(changed={}, led=True, sent=False)
    finally:
        page.remove_listener("request", note)
    led = page.url != address or questions != asked or (written != writes and written >= 0)
    return Pressed(changed=changed, led=led, sent=bool(sent))


async def _rest(page: Page) -> None:
    await page.evaluate("async () => { await window[Symbol.for('truth')].rest(); }")


async def _extent(page: Page) -> int:
    return int(await _truth(page, "extent()"))


async def _away(page: Page) -> None:
    await page.mouse.move(1, 1)
    await _rest(page)

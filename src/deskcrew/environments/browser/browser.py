"""A browser as a desktop: its pages are windows, and their usable elements are controls.

Everything is blocking, as in every driver; the browser itself is driven on a thread of its own.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, Playwright, Route, WebSocketRoute, async_playwright
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.acting import PageActor
from deskcrew.environments.browser.browsing import HANGS, Browsing, find_target
from deskcrew.environments.browser.frames import FrameGone, Hung
from deskcrew.environments.browser.launch import START_SECONDS, Launch
from deskcrew.environments.browser.looking import APP
from deskcrew.environments.browser.pages import BACK, FORWARD, Pages, found_in, markdown_of
from deskcrew.environments.browser.pointing import Pointer
from deskcrew.environments.browser.presence import AGAIN, LEND
from deskcrew.environments.browser.sending import only_queries
from deskcrew.environments.browser.thread import EventThread, PageLoop
from deskcrew.environments.environment import Browser as BrowserKind
from deskcrew.environments.environment import Link, MayGo
from deskcrew.environments.expecting import Expected
from deskcrew.environments.pointing import Aim
from deskcrew.environments.proxy_port import ProxyPort
from deskcrew.environments.rundir import RunDir, create_run_dir
from deskcrew.environments.workspace import INSIDE
from deskcrew.errors import ActionError, EnvironmentFailure, UsageError
from deskcrew.facts.liveness import write_private
from deskcrew.facts.observation import ASKING, Observation, Sent, page_of

SIZE = (1280, 800)
STORED_SECONDS = 5.0
ANSWER_SECONDS = 90.0
"""The maximum number of seconds for anything here; each part has a much smaller limit of its own."""
_SCHEMES = frozenset({"http", "https", "file", "about", "data", "blob"})
_WITHOUT_SLASHES = ("about:", "data:", "blob:", "javascript:")
Answer = TypeVar("Answer")


class BrowserDesktop(PageActor, BrowserKind):
    """A :class:`~deskcrew.environments.environment.Browser`. Made by :func:`start_browser`, :func:`connect_browser` or
    :func:`~deskcrew.environments.browser.lending.lend_page`."""

    points = True

    def __init__(
        self,
        thread: PageLoop,
        playwright: Playwright | None,
        browsing: Browsing,
        *,
        inside: str,
        launch: Launch | None = None,
        run: RunDir | None = None,
        session: Path | None = None,
    ) -> None:
        """``inside``: the workspace as the browser sees it; ``launch`` and ``run``: set if the browser is ours to end;
        ``playwright``: None if it belongs to somebody else, like the page."""
        self._thread = thread
        self._playwright = playwright
        super().__init__(browsing, Pages(browsing), inside)
        self._pointer = Pointer(browsing)
        self._launch = launch
        self._run = run
        self._session = session
        self._closed = False
        self._stored = ""
        """The cookies and addresses of pages when :meth:`stored` was last called."""

    def stored(self, *, anyway: bool = False) -> str | None:
        """See :class:`~deskcrew.environments.environment.Browser`. Reading everything takes half a second, so first check
        whether cookies or pages differ from the last time."""
        if self._launch is None or self._closed:
            return None
        context = self._browsing.context
        try:
            cookies = self._thread.do(context.cookies(), STORED_SECONDS)
            stamp = json.dumps([cookies, sorted(tab.page.url for tab in self._browsing.tabs)])
            if stamp == self._stored and not anyway:
                return None
            state = self._thread.do(context.storage_state(indexed_db=True), STORED_SECONDS)
        except (TimeoutError, BrowserError):
            return None  # a page that does not answer; it is asked again
        self._stored = self._stored if anyway else stamp
        return json.dumps(state)

    def restore(self, state: str) -> None:
        try:
            self.do(self._browsing.context.set_storage_state(json.loads(state)))
        except ValueError as error:
            raise ActionError("What the browser had stored cannot be read.") from error

    def close(self) -> None:
        """End the browser, or leave a connected one as it is. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(TimeoutError, BrowserError):
            if self._session is not None:
                state = self._thread.do(self._browsing.context.storage_state(indexed_db=True), 10.0)
                self._session.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_private(self._session, json.dumps(state))
        with contextlib.suppress(TimeoutError, BrowserError):
            self._thread.do(_end(self._playwright, self._browsing), 15.0)
        self._thread.close()
        if self._launch is not None:
            self._launch.close()
        if self._run is not None:
            self._run.remove()

    def do(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        if self._closed:
            work.close()
            raise EnvironmentFailure("The browser has been closed.")
        try:
            return self._thread.do(self._done(work), ANSWER_SECONDS)
        except TimeoutError:
            raise ActionError("The browser did not answer. Wait, or open the page again.") from None
        except UsageError:  # it was not begun, and would not be closed with what was to do it
            work.close()
            raise

    async def _done(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Await ``work``. An error is for the model to correct, but only if the browser still exists."""
        try:
            return await work
        except ActionError:
            await self._browsing.presence.ask()
            raise
        except FrameGone as error:
            await self._browsing.presence.ask()
            raise ActionError("The page went away meanwhile. Look again.") from error
        except BrowserError as error:
            await self._browsing.presence.ask()
            raise ActionError(f"The browser could not do that: {error.message.splitlines()[0]}.") from error

    # -- looking

    def observe(self, *, screenshot: bool = False) -> Observation:
        return self.do(self._browsing.observe(screenshot=screenshot))

    def look(self) -> Observation:
        """Observe without waiting for anything to settle."""
        return self.do(self._browsing.look())

    def sent(self) -> tuple[Sent, ...]:
        return self.do(self._browsing.sent())

    # -- what pages want to send; see :class:`~deskcrew.environments.environment.Browser`

    def judge_sends(self, may_go: MayGo) -> None:
        self.do(self._browsing.judge_sends(may_go))

    def held(self) -> tuple[Sent, ...]:
        return self.do(self._browsing.held())

    def settle_sends(self, *, go: bool) -> bool:
        return self.do(self._browsing.settle_sends(go=go))

    def end_judging(self) -> None:
        self.do(self._browsing.end_judging())

    def wait(self, seconds: float) -> None:
        self.do(self._browsing.wait(seconds))

    # -- acting on controls

    def expect(self, expected: Expected) -> None:
        self._browsing.expected = expected
        self._browsing.sending.aside = False

    # -- acting on points

    def click_at(self, aim: Aim, *, button: str = "left", double: bool = False) -> None:
        self.do(self._pointer.click(aim, button=button, double=double))

    def drag_along(self, start: Aim, end: Aim) -> None:
        self.do(self._pointer.drag(start, end))

    def scroll_at(self, aim: Aim, notches: int) -> None:
        self.do(self._pointer.scroll(aim, notches))

    def menu(self, path: tuple[str, ...]) -> None:
        """Always raises ActionError: a page's menus are controls of the page."""
        raise ActionError("A page has no menu bar; click its menus.")

    # -- pages

    def open_url(self, url: str, *, new_window: bool = False) -> None:
        self.do(self._pages.open(address(url, self._browsing.folder, self._inside), new=new_window))

    def load_anew(self, window: int | None, url: str = "") -> None:
        self.do(self._anew(window, url))

    async def _anew(self, window: int | None, url: str) -> None:
        if window is not None:
            await self._pages.anew(self._browsing.tab(window))
            return
        self._browsing.sending.aside = True
        await self._pages.open(url, new=True)

    def unfold(self) -> bool:
        """See :class:`~deskcrew.environments.environment.Desktop`. Leaves out parts that close each other."""
        return bool(self.do(self._unfold()))

    async def _unfold(self) -> bool:
        try:
            return bool(await self._browsing.front.page.evaluate(_UNFOLD))
        except BrowserError:
            return False  # its page has gone

    @contextlib.contextmanager
    def only_reading(self) -> Generator[None]:
        # Of a browser that is not ours, other programs' pages go on as they do.
        ours = [self._browsing.context] if self._launch is not None else [tab.page for tab in self._browsing.tabs]
        for each in ours:
            self.do(each.route("**/*", _unless_it_writes))
        try:
            yield
        finally:
            for each in ours:
                self.do(each.unroute("**/*", _unless_it_writes))

    @contextlib.contextmanager
    def aside(self, *, alone: bool) -> Generator[BrowserDesktop]:
        """See :class:`~deskcrew.environments.environment.Browser`. Raises ActionError if the browser is not ours."""
        if self._launch is None or self._browsing.browser is None:
            raise ActionError("This browser belongs to somebody else.")
        self._browsing.sending.aside = True  # what its pages send is held back for this browser, too
        browsing = self.do(self._beside(self._browsing.browser, alone=alone))
        try:
            yield BrowserDesktop(self._thread, None, browsing, inside=self._inside)
        finally:
            with contextlib.suppress(ActionError, EnvironmentFailure):
                self.do(browsing.context.close())

    async def _beside(self, browser: Browser, *, alone: bool) -> Browsing:
        own, (width, height) = self._browsing, self._browsing.size
        context = await browser.new_context(
            viewport={"width": width, "height": height},
            device_scale_factor=own.scale,
            accept_downloads=False,
            service_workers="block",
            storage_state=None if alone else await own.context.storage_state(indexed_db=True),
        )
        await context.route("**/*", _unless_it_writes)
        await context.route_web_socket("**/*", _closed)
        browsing = Browsing(browser, context, size=own.size, scale=own.scale, folder=own.folder, partial=None)
        await browsing.begin()
        return browsing

    def links(self) -> tuple[Link, ...]:
        return tuple(Link(*each) for each in self.do(self._asked("links")))

    def status(self) -> int:
        return int(self.do(self._asked("status")))

    async def _asked(self, function: str) -> Any:
        try:
            return await (await self._browsing.front.main()).ask(function)
        except Hung:
            raise ActionError(HANGS) from None

    def back(self) -> None:
        self.do(self._pages.press(BACK))

    def forward(self) -> None:
        self.do(self._pages.press(FORWARD))

    def find_text(self, text: str) -> str:
        self.do(self._browsing.settle())
        self._browsing.acted = True
        return self.do(found_in(self.do(self._front()).frames, text))

    def page_markdown(self) -> str:
        self.do(self._browsing.settle())
        return self.do(markdown_of(self.do(self._front()).frames))

    def activate_window(self, window: int) -> None:
        self.do(self._forward(window))

    async def _forward(self, window: int) -> None:
        await self._browsing.bring_forward(self._browsing.tab(window))

    def close_window(self, window: int) -> None:
        self.do(self._close(window))

    async def _close(self, window: int) -> None:
        tab = self._browsing.tab(window)
        self._browsing.expected.check_window((await tab.page.title()).strip() or tab.title, APP, page_of(tab.page.url))
        await self._pages.close(tab)

    # -- what a browser has not

    def applications(self) -> tuple[str, ...]:
        """Empty: pages can be opened, programs cannot."""
        return ()

    def open_application(self, name: str, file: str | None = None) -> str:
        """Always raises ActionError."""
        raise ActionError("There is only the browser; open an address instead.")

    def with_page(self, work: Callable[[Page], Coroutine[Any, Any, Answer]]) -> Answer:
        """The result of ``work`` on Playwright's page in front, for what :class:`Desktop` does not offer."""
        return self.do(work(self._browsing.front.page))

    # -- clipboard

    def clipboard(self) -> str:
        return self.do(self._clipboard("navigator.clipboard.readText()"))

    def set_clipboard(self, text: str) -> None:
        self.do(self._clipboard("navigator.clipboard.writeText(text)", text))

    async def _clipboard(self, what: str, text: str = "") -> str:
        """Pages may not use the clipboard while Playwright is connected, so a page of ours does it."""
        page = await self._browsing.own_page()
        if not page.url.startswith(_CLIPBOARD):
            await page.route(f"{_CLIPBOARD}*", lambda route: route.fulfill(body="", content_type="text/html"))
            await page.goto(_CLIPBOARD)
            await self._browsing.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=_CLIPBOARD)
        return str(await page.evaluate(f"async text => (await {what}) ?? ''", text))


_UNFOLD = """() => { const all = document.querySelectorAll("details:not([open]):not([name])");
for (const each of all) each.open = true; return all.length > 0 }"""
_CLIPBOARD = "https://clipboard.invalid/"


def address(url: str, folder: Path, inside: str) -> str:
    """The meaning of an address as people write it: ``example.org`` is a host, ``page.html`` a file of the workspace.

    Raises ActionError if a browser would run it as code, or it leads out of the workspace.
    """
    plain = url.strip()
    file = (folder / plain).resolve() if plain and "\0" not in plain and len(plain) < 1000 else folder
    if file != folder and file.is_relative_to(folder.resolve()) and file.is_file():
        return f"file://{inside}/{file.relative_to(folder.resolve()).as_posix()}"
    scheme = urlsplit(plain).scheme.lower() if "://" in plain or plain.startswith(_WITHOUT_SLASHES) else ""
    if scheme and scheme not in _SCHEMES:
        raise ActionError(f"{scheme}: addresses cannot be opened; use what is on the page, or read_page to read all of it.")
    if not plain or any(character.isspace() for character in plain):
        raise ActionError(f"{url!r} is not an address.")
    if scheme == "file":
        path = urlsplit(plain).path
        if not (path.startswith(f"{inside}/") and ".." not in path.split("/")):
            raise ActionError("Only files of the workspace can be opened; name them by their paths in it.")
    if scheme:
        return plain
    local = plain.partition("/")[0].partition(":")[0] in ("localhost", "127.0.0.1") or plain.startswith("[::1]")
    return f"{'http' if local else 'https'}://{plain}"


def start_browser(
    workspace: Path,
    *,
    size: tuple[int, int] = SIZE,
    scale: float = 1.0,
    network: bool = False,
    proxy: ProxyPort | None = None,
    session: Path | None = None,
    hidden: Sequence[str] = (),
) -> BrowserDesktop:
    """Start Chromium in a sandbox whose browser sees ``workspace`` as /workspace, and nothing else of this machine.

    ``size``: pixels of a page; ``scale``: device pixels per CSS pixel. ``network``, ``proxy`` and ``hidden``: as in
    :func:`~deskcrew.environments.virtual.start_virtual`. ``session``: a file for cookies and page storage, read now and
    written at the end. Close it when done (it is a context manager too). Raises EnvironmentFailure with what to install or
    allow if it cannot be started.
    """
    if not workspace.is_dir():
        raise EnvironmentFailure(f"The workspace {workspace} is not a folder.", hint="Create it, or name another.")
    run = create_run_dir()
    thread = EventThread("deskcrew-browser")
    started = False
    launch: Launch | None = None
    try:
        launch = Launch(run, workspace, network=network, proxy=proxy, hidden=hidden)
        shown = round(size[0] / scale), round(size[1] / scale)
        with launch:
            playwright, browser = thread.do(_launched(launch), START_SECONDS + 15)
        context = thread.do(
            browser.new_context(
                viewport={"width": shown[0], "height": shown[1]},
                device_scale_factor=scale,
                accept_downloads=True,
                storage_state=session if session is not None and session.exists() else None,
            ),
            START_SECONDS,
        )
        browsing = Browsing(browser, context, size=shown, scale=scale, folder=workspace, partial=launch.downloads)
        thread.do(browsing.hold(), START_SECONDS)
        thread.do(browsing.begin(), START_SECONDS)
        started = True
        return BrowserDesktop(thread, playwright, browsing, inside=INSIDE, launch=launch, run=run, session=session)
    except (BrowserError, TimeoutError) as error:
        said = error.message if isinstance(error, BrowserError) else str(error)
        raise EnvironmentFailure(f"The browser did not start: {_reason(said)}.", hint="Run `deskcrew doctor`.") from error
    finally:
        if not started:
            thread.close()
            if launch is not None:
                launch.close()
            run.remove()


def connect_browser(
    endpoint: str, workspace: Path, *, inside: str | None = None, target: str = "", alone: bool = True
) -> BrowserDesktop:
    """Use a browser that is open already, with its pages, through its debugging address (``http://127.0.0.1:9222``).

    ``inside``: the workspace as that browser sees it; ``target``: the browser's id of a page
    (:func:`~deskcrew.environments.browser.lending.target_of`): the only one that may be used, with the pages that it opens,
    or, if not ``alone``, the one that begins in front. The browser is left open at the end. Raises EnvironmentFailure if it
    does not answer, or has no such page.
    """
    thread = EventThread("deskcrew-browser")
    started = False
    try:
        playwright, browser = thread.do(_connected(endpoint), START_SECONDS)
        lent, home = thread.do(find_target(browser, target), START_SECONDS) if target else (None, "")
        context = lent.context if lent is not None else browser.contexts[0]
        page = lent or (context.pages[0] if context.pages else thread.do(context.new_page(), START_SECONDS))
        shown = thread.do(page.evaluate("[innerWidth, innerHeight, devicePixelRatio]"), START_SECONDS)
        browsing = Browsing(
            browser,
            context,
            size=(int(shown[0]), int(shown[1])),
            scale=float(shown[2]),
            folder=workspace,
            partial=None,
            only=lent if alone else None,
            first=lent,
            home=home,
            hint=LEND if target else AGAIN,
        )
        thread.do(browsing.begin(), START_SECONDS)
        started = True
        return BrowserDesktop(thread, playwright, browsing, inside=inside or str(workspace.resolve()))
    except (BrowserError, TimeoutError, IndexError) as error:
        said = error.message if isinstance(error, BrowserError) else str(error)
        hint = "Start it with --remote-debugging-port=9222, and name that address."
        raise EnvironmentFailure(f"No browser answers at {endpoint}: {_reason(said)}.", hint=hint) from error
    finally:
        if not started:
            thread.close()


async def _launched(launch: Launch) -> tuple[Playwright, Browser]:
    playwright = await async_playwright().start()
    try:
        browser = await playwright.chromium.launch(
            executable_path=launch.command[0],
            args=launch.command[1:],
            ignore_default_args=True,
            downloads_path=launch.downloads,
            timeout=START_SECONDS * 1000,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
        )
    except BrowserError:
        await playwright.stop()
        raise
    return playwright, browser


async def _connected(endpoint: str) -> tuple[Playwright, Browser]:
    playwright = await async_playwright().start()
    try:
        return playwright, await playwright.chromium.connect_over_cdp(endpoint, timeout=10_000)
    except BrowserError:
        await playwright.stop()
        raise


async def _unless_it_writes(route: Route) -> None:
    asks = route.request.method in ASKING
    if asks or only_queries(route.request.post_data_buffer or b""):
        await route.fallback()
    else:
        await route.abort()


async def _closed(socket: WebSocketRoute) -> None:
    await socket.close()


async def _end(playwright: Playwright | None, browsing: Browsing) -> None:
    if playwright is None or browsing.browser is None:
        await browsing.let_go()
        return
    try:
        await browsing.browser.close()
    finally:
        await playwright.stop()


def _reason(said: str) -> str:
    """The line of a long message that gives the reason."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "bwrap:" in line), lines[0] if lines else "no reason was given").rstrip(".")

"""Acts on points of the page in front with the mouse, if what was observed there is still there.

What a press lands on is checked in the page itself, before the page receives the event: it must be the control that was
observed there, or nothing that can be pressed. Invisible elements of a page, such as a transparent button over a game, do
not receive the press.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence

from deskcrew.environments.browser.acting import NOTCH
from deskcrew.environments.browser.browsing import HANGS, Browsing, Meant
from deskcrew.environments.browser.elements import asked, landed
from deskcrew.environments.browser.frames import Frame, FrameGone, FrameTree, Hung
from deskcrew.environments.browser.looking import APP, ControlPlace
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.pointing import Aim, Point, check
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, page_of


class Pointer:
    """The mouse of one browser, for points of its screenshot."""

    def __init__(self, browsing: Browsing) -> None:
        self._browsing = browsing

    async def click(self, aim: Aim, *, button: str, double: bool) -> None:
        """Click at a point."""
        tab = await self._still_there(aim)
        kind = "middle" if button == "middle" else "right" if button == "right" else "left"
        times = 2 if double else 1
        await self._press(tab, aim, tab.page.mouse.click(*self._css(aim.point), button=kind, click_count=times))

    async def drag(self, start: Aim, end: Aim) -> None:
        """Drag from one point to another."""
        tab = await self._still_there(start, end)
        mouse = tab.page.mouse

        async def dragging() -> None:
            await mouse.move(*self._css(start.point))
            await mouse.down()
            await mouse.move(*self._css(end.point), steps=8)
            await mouse.up()

        await self._press(tab, start, dragging())

    async def scroll(self, aim: Aim, notches: int) -> None:
        """Turn the wheel at a point."""
        tab = await self._still_there(aim)

        async def turning() -> None:
            await tab.page.mouse.move(*self._css(aim.point))
            await tab.page.mouse.wheel(0, -notches * NOTCH)

        await self._browsing.do(tab, turning())

    def _css(self, point: Point) -> tuple[float, float]:
        """A point in CSS pixels."""
        return point.x / self._browsing.scale, point.y / self._browsing.scale

    async def _press(self, tab: Tab, aim: Aim, work: Awaitable[None]) -> None:
        control = aim.control
        place = self._browsing.place(control) if control is not None else None
        meant = await self._browsing.meant(control) if control is not None else []
        try:
            frames = await allow(tab.frames, control, place, meant)
        except BaseException:
            if asyncio.iscoroutine(work):
                work.close()
            raise
        await self._browsing.do(tab, work)
        if tab.question is None and not tab.page.is_closed():
            await check_landed(frames)

    async def _still_there(self, *aims: Aim) -> Tab:
        """Observe once more. Returns the page in front. Raises ActionError if something else is at a point now, or a dialog
        is open."""
        browsing = self._browsing
        await browsing.settle()
        now = await browsing.look()
        tab = browsing.front
        if tab.question is not None:
            raise ActionError(f"The window {tab.question.title!r} is in front; answer it first.")
        for aim in aims:
            check(aim, now)
            browsing.expected.check_window(tab.title, APP, page_of(tab.page.url))
        return tab


async def allow(tree: FrameTree, control: Control | None, place: ControlPlace | None, meant: Meant) -> Sequence[Frame]:
    """Make the frames of a page allow the next press if it lands on what was observed at a point: ``control``, or nothing
    that can be pressed. Returns the frames. Raises ActionError if the control has gone or changed."""
    try:
        frames, _ = await tree.find()
        for frame in frames:
            if control is None or place is None or place.frame is None:
                await frame.ask("allow", 0, [])
            elif frame.id == place.frame.id:
                await asked(control, frame, "allow", place.number, meant)
            else:
                await frame.ask("allow", -1, [])
    except Hung:
        raise ActionError(HANGS) from None
    except FrameGone:
        raise ActionError("The page went away meanwhile. Look again.") from None
    return frames


async def check_landed(frames: Sequence[Frame]) -> None:
    """Raises ActionError if the press was withheld from the page because it would have landed on something else."""
    for frame in frames:
        try:
            there = await landed(frame, 1.0)
        except (FrameGone, Hung):
            continue  # it has led somewhere else
        if there is not None and not there.right:
            raise ActionError(
                f"There is {there.name} at that point, which the page does not show as such. It was not pressed."
            )

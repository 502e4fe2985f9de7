"""Looks at a page again from a fresh state: loads it anew, goes back to the view that was shown, and waits for what a
service keeps late.

What is pressed on the way back was pressed before and sent nothing; while it is pressed again, pages can send nothing that
changes anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deskcrew.environments.environment import Aside, Desktop, LoadsAnew
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Observation, Sent

PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0, 10.0)
"""Seconds before each time that a page is loaded, as long as it does not show again what it had shown."""
UNLOADED = 2.0
"""The longest of these pauses after which a page is tried again that could not be loaded at all."""
LEAST_SINCE = 1.5
"""Seconds since the last operation before a page is loaded anew: many save what was typed a moment after it."""
LASTING = 12.0
"""The same for the last look: what may be undone, or was shown from a copy, is mostly gone by then."""


@dataclass(frozen=True, slots=True)
class LoadingPress:
    """A control that was pressed, or of which an ``option`` was chosen, and that led to another view."""

    control: Control
    option: str = ""


@dataclass(frozen=True, slots=True)
class Anew:
    """A page to look at again. ``window``: where it is, None if in none; ``called``: what it is called in a message;
    ``there`` and ``kept``: whether an observation shows the view that was shown, and what was to be kept; ``ways``: what to
    press to get there from where the page begins; ``acted``: when something was done last, in Unix seconds;
    ``later``: whether it is the last look, which nothing is waited for that it does not show."""

    window: int | None
    address: str
    called: str
    there: Callable[[Observation], bool]
    kept: Callable[[Observation], bool]
    ways: Sequence[LoadingPress] = ()
    acted: float = 0.0
    later: bool = False


def look_anew(desktop: Desktop | None, observe: Callable[[], Observation], page: Anew) -> tuple[Observation, str, bool]:
    """An observation of a page that is loaded anew; what of it could not be looked at again, '' if nothing; and whether not
    even the page could be loaded. Blocking, and takes longer only as long as less is shown than before.

    A page that is in no window is opened in one of its own, which is closed again.
    """
    if not isinstance(desktop, LoadsAnew):
        return observe(), f"{page.called} could not be loaded anew", True
    late: list[Sent] = []

    def look() -> Observation:
        """An observation with what was answered since the work, whichever of them it was that was told of it."""
        seen = observe()
        late.extend(seen.sent)
        return seen.model_copy(update={"sent": tuple(late)})

    since = LASTING if page.later else LEAST_SINCE
    time.sleep(min(since, max(0.0, page.acted + since - time.time())))
    open_before = {window.id for window in look().windows} if page.window is None else set[int]()
    seen, lost, unloaded = Observation(), "", True
    for pause in PAUSES:
        if unloaded and pause > UNLOADED:
            break
        time.sleep(pause)
        try:
            (seen, lost), unloaded = _loaded(desktop, look, page), False
        except ActionError as error:
            seen, lost, unloaded = look(), f"{page.called} could not be loaded anew: {error}", True
        if page.window is None and (front := seen.active_window) is not None and front.id not in open_before:
            desktop.close_window(front.id)
        if not unloaded and (page.later or page.kept(seen)):
            break
    return seen, lost, unloaded


def _loaded(desktop: LoadsAnew, observe: Callable[[], Observation], page: Anew) -> tuple[Observation, str]:
    """The page as it is loaded, in the view that was shown if that is found again, with what is folded in there: an entry
    that was sent is often shown in what a page folds in when it is loaded."""
    desktop.load_anew(page.window, page.address)
    seen = observe()
    if page.there(seen):
        with desktop.only_reading():
            return unfolded(desktop, observe, seen), ""
    with desktop.only_reading():
        back, pressed = led_back(desktop, observe, seen, page.ways, page.there)
    if back is not None:
        return back, ""
    if pressed:  # it may have been left anywhere
        desktop.load_anew(page.window, page.address)
        seen = observe()
    return seen, f"could not go back to the view of {page.called} that was shown"


def unfolded(browser: LoadsAnew | Aside, observe: Callable[[], Observation], seen: Observation) -> Observation:
    """What is ``seen``, with what is folded in there. What folds it in is told as it was: nobody pressed it."""
    if not browser.unfold():
        return seen
    states = {control.called: control.states for control in seen.controls}
    look = observe()
    told = (one.model_copy(update={"states": states.get(one.called, one.states)}) for one in look.controls)
    return look.model_copy(update={"controls": tuple(told)})


def led_back(
    browser: LoadsAnew | Aside,
    observe: Callable[[], Observation],
    seen: Observation,
    ways: Sequence[LoadingPress],
    there: Callable[[Observation], bool],
) -> tuple[Observation | None, bool]:
    """The view that pressing ``ways`` leads to from what is ``seen``, as soon as it is ``there``, None if it never is; and
    whether anything was pressed. The caller sees to it that nothing can be sent meanwhile."""
    pressed = False
    for way in ways:
        if (again := _found(way.control, seen)) is None:
            continue
        try:
            if way.option:
                browser.select(again, way.option)
            else:
                browser.click(again)
        except ActionError:
            continue
        pressed, seen = True, observe()
        if there(seen):
            return seen, True
    return None, pressed


def _found(control: Control, seen: Observation) -> Control | None:
    """The control that is called and placed as one was, if there is only one."""
    called = [each for each in seen.in_front if (each.role, each.name) == (control.role, control.name)]
    owned = [each for each in called if each.owner == control.owner]
    return next(iter(owned if len(owned) == 1 else called if len(called) == 1 else ()), None)

"""Looks at a page again from a fresh state: reloads it, returns to the view that was shown, and waits for what a service
saves late.

The controls pressed on the way back were pressed before and sent nothing. While they are pressed again, pages can send
nothing that changes anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deskcrew.environments.environment import Desktop
from deskcrew.errors import ActionError
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import Control, Observation, Sent

PAUSES = (0.0, 1.0, 2.0, 4.0, 8.0, 10.0)
"""Seconds to wait before each reload, as long as the page does not show what it had shown."""
UNLOADED = 2.0
"""The longest of these pauses after which a page that could not be loaded at all is tried again."""
LEAST_SINCE = 1.5
"""Seconds that must pass between the last operation and a reload: many pages save what was typed a moment later."""
LASTING = 12.0
"""The same for the final look: by then a change that could still be undone, or a cached copy, is mostly gone."""
LONGEST = 200_000
"""Maximum length of a page's text, in characters."""


@dataclass(frozen=True, slots=True)
class LoadingPress:
    """A control that led to another view when it was pressed, or when its ``option`` was chosen."""

    control: Control
    option: str = ""


@dataclass(frozen=True, slots=True)
class Anew:
    """A page to look at again. ``window``: its window, None if it has none; ``called``: its name in a message; ``there``:
    whether an observation shows the view that was shown; ``kept``: whether it shows what was to be saved; ``ways``: what to
    press to get from the start of the page to that view; ``acted``: the time of the last operation, in Unix seconds;
    ``later``: whether this is the final look, which does not wait for anything that the page does not show."""

    window: int | None
    address: str
    called: str
    there: Callable[[Observation], bool]
    kept: Callable[[Observation], bool]
    ways: Sequence[LoadingPress] = ()
    acted: float = 0.0
    later: bool = False


def look_anew(desktop: Desktop | None, observe: Callable[[], Observation], page: Anew) -> tuple[Observation, str, bool]:
    """Reload a page. Returns an observation of it; what could not be observed again, '' if everything was; and whether the
    page could not even be loaded. Blocking, and takes longer only while less is shown than before.

    A page that is in no window is opened in one of its own, which is closed again.
    """
    if desktop is None:
        return observe(), f"{page.called} could not be reloaded", True
    late: list[Sent] = []

    def look() -> Observation:
        """An observation with everything answered since the start, including what earlier observations here reported."""
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
            seen = with_whole(desktop, seen)
        except ActionError as error:
            seen, lost, unloaded = look(), f"{page.called} could not be reloaded: {error}", True
        if page.window is None and (front := seen.active_window) is not None and front.id not in open_before:
            desktop.close_window(front.id)
        if not unloaded and (page.later or page.kept(seen)):
            break
    return seen, lost, unloaded


def _loaded(desktop: Desktop, observe: Callable[[], Observation], page: Anew) -> tuple[Observation, str]:
    """Reload the page, return to the view that was shown if it is found, and expand what is collapsed there: pages often
    show a new entry in a collapsed part. Returns the observation, and what could not be observed again."""
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


def with_whole(browser: Desktop, seen: Observation) -> Observation:
    """The observation ``seen`` with all text of its page, if that can be read."""
    try:
        return seen.model_copy(update={"whole": cut(browser.page_markdown(), LONGEST)})
    except ActionError:
        return seen


def unfolded(browser: Desktop, observe: Callable[[], Observation], seen: Observation) -> Observation:
    """The observation ``seen`` with what was collapsed there. States of controls stay as they were: nobody pressed any."""
    if not browser.unfold():
        return seen
    states = {control.called: control.states for control in seen.controls}
    look = observe()
    told = (one.model_copy(update={"states": states.get(one.called, one.states)}) for one in look.controls)
    return look.model_copy(update={"controls": tuple(told)})


def led_back(
    browser: Desktop,
    observe: Callable[[], Observation],
    seen: Observation,
    ways: Sequence[LoadingPress],
    there: Callable[[Observation], bool],
) -> tuple[Observation | None, bool]:
    """Press ``ways`` in turn until the view is ``there``. Returns its observation, None if it never is, and whether anything
    was pressed. The caller must ensure that nothing can be sent meanwhile."""
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
    """The control with the same role and name, and the same owner if several have these; None unless it is the only one."""
    called = [each for each in seen.in_front if (each.role, each.name) == (control.role, control.name)]
    owned = [each for each in called if each.owner == control.owner]
    return next(iter(owned if len(owned) == 1 else called if len(called) == 1 else ()), None)

"""Whether an operation's effect is of the same kind as the recorded one: windows, titles, files. Pure."""

from __future__ import annotations

from deskcrew.environments.evidence import compare
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Observation, Window
from deskcrew.learning.repeating.matching import Forms, Missing
from deskcrew.learning.repeating.titles import fits, plain

SAID = 200
"""The maximum length of a window's text in messages."""


def difference(then: tuple[Observation, Observation], now: tuple[Observation, Observation], forms: Forms) -> Missing | None:
    """The first difference between two effects; None if there is none. ``then`` and ``now`` are each the observations before
    and after the operation.

    Texts of controls are not compared: the operation's postcondition checks these.
    """
    return _opened(then, now, forms) or _closed(then, now, forms) or _titles(then, now, forms) or _files(then, now)


def _opened(then: tuple[Observation, Observation], now: tuple[Observation, Observation], forms: Forms) -> Missing | None:
    expected, found = _new(*then), _new(*now)
    left = list(found)
    for window in expected:
        same = next((each for each in left if _same(window, each, forms)), None)
        if same is None:
            others = ", ".join(_named(each) for each in left)
            return Missing(f"{_named(window, forms)} to open", f"{others} opened" if others else "no such window opened")
        left.remove(same)
    if left:
        said = now[1].text if left[0].active else ""
        return Missing("no other window to open", f"{_named(left[0])} opened{f': {shorten(said, SAID)}' if said else ''}")
    return None


def _closed(then: tuple[Observation, Observation], now: tuple[Observation, Observation], forms: Forms) -> Missing | None:
    expected, found = _new(then[1], then[0]), _new(now[1], now[0])
    left = list(found)
    for window in expected:
        same = next((each for each in left if _same(window, each, forms)), None)
        if same is None:
            return Missing(f"{_named(window, forms)} to close", "it did not")
        left.remove(same)
    return Missing("no other window to close", f"{_named(left[0])} closed") if left else None


def _titles(then: tuple[Observation, Observation], now: tuple[Observation, Observation], forms: Forms) -> Missing | None:
    found = {plain(new) for _, new in _renamed(*now)}
    expected = _renamed(*then)
    for _, new in expected:
        called = next((title for form in forms(new) for title in sorted(found) if fits(title, form)), None)
        if called is None:
            shown = ", ".join(repr(each.title) for each in now[1].windows) or "no window"
            return Missing(f"a window to be called {forms(new)[0]!r}", shown)
        found.discard(called)
    if found:
        return Missing("no other title to change", f"a window is called {sorted(found)[0]!r}")
    return None


def _files(then: tuple[Observation, Observation], now: tuple[Observation, Observation]) -> Missing | None:
    """A difference in whether files were written or deleted. Their names are left to the goal's checks, since names may be
    made from the time."""
    was, is_ = compare(*then), compare(*now)
    written = (*was.files_created, *was.files_changed)
    if written and not (is_.files_created or is_.files_changed):
        return Missing(f"a file to be written, such as {written[0]}", "no file was written")
    if was.files_deleted and not is_.files_deleted:
        return Missing(f"a file to be deleted, such as {was.files_deleted[0]}", "no file was deleted")
    return None


def _new(before: Observation, after: Observation) -> list[Window]:
    there = {window.id for window in before.windows}
    return [window for window in after.windows if window.id not in there]


def _renamed(before: Observation, after: Observation) -> list[tuple[str, str]]:
    old = {window.id: window.title for window in before.windows}
    return [(old[w.id], w.title) for w in after.windows if w.id in old and plain(old[w.id]) != plain(w.title)]


def _same(then: Window, now: Window, forms: Forms) -> bool:
    kin = then.app.casefold() == now.app.casefold() and then.dialog == now.dialog
    return kin and any(fits(now.title, form) for form in forms(then.title))


def _named(window: Window, forms: Forms | None = None) -> str:
    title = forms(window.title)[0] if forms else window.title
    kind = "dialog" if window.dialog else "window"
    return f"the {kind} {title!r}" if title else f"a {kind} without a title"

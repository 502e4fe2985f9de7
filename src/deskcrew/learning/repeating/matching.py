"""Finds a recorded control or window again on another desktop: by role, name and position, never by its number.

Pure. Nothing is guessed: if nothing fits, or several things fit equally, the result says what is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from deskcrew.facts.addresses import parse
from deskcrew.facts.observation import Box, Control, ControlOperation, Observation, Window
from deskcrew.learning.repeating.titles import exact, fits

Forms = Callable[[str], "tuple[str, ...]"]
"""Returns what a recorded name may be now, likeliest first."""
AT_PLACE = 12.0
"""The distance in pixels up to which a control counts as being at its recorded position."""
CLEARLY = 2.0
"""How many times nearer than the second the nearest control must be, if none is at the recorded position."""
LISTED = 6


@dataclass(frozen=True, slots=True)
class Missing:
    """What was expected, and what was found in its place, in words."""

    expected: str
    found: str


def find_window(window: Window, now: Observation, forms: Forms) -> Window | Missing:
    """The window of ``now`` that corresponds to the recorded ``window``: of the same program, title and kind.

    If several have the title, the one that is in front like the recorded one, else the topmost; if several titles only fit
    the same form, none of them.
    """
    kin = [each for each in now.windows if each.app.casefold() == window.app.casefold() and each.dialog == window.dialog]
    for form in forms(window.title):
        same = [each for each in kin if fits(each.title, form)]
        if same and (exact(form) or len(same) == 1):
            return next((each for each in same if each.active == window.active), same[0])
    wanted = forms(window.title)[0]
    return Missing(f"{_kind(window)} {wanted!r} of {window.app or 'a program'}", _windows(now))


def find_in_front(then: Observation, now: Observation, forms: Forms) -> Window | Missing | None:
    """The window that must be in front for an operation without a control; None if none was in front then."""
    window = then.active_window
    if window is None:
        return None
    found = find_window(window, now, forms)
    if isinstance(found, Window) and not found.active:
        front = now.active_window
        return Missing(
            f"{_kind(window)} {found.title!r} in front", f"{front.title!r} in front" if front else "none in front"
        )
    return found


def find_control(
    label: str, then: Observation, now: Observation, forms: Forms, admits: Collection[ControlOperation] = ()
) -> Control | Missing:
    """The control of ``now`` that corresponds to ``label`` in the recorded observation ``then``. ``admits``: operations of
    which it must support one.

    It is searched for in the same window, which must be in front if it was then, by role and by name, or the name with new
    values. If there are several, those with the same owner count, then the one nearest to the recorded position.
    """
    wanted = then.control(label)
    if wanted is None:
        return Missing(f"a control {label!r}", "the recorded look does not tell what it was")
    window = then.window(wanted.window)
    if window is None:
        return Missing(told(wanted), "the recorded look does not tell its window")
    where = find_in_front(then, now, forms) if window.active else find_window(window, now, forms)
    if where is None or isinstance(where, Missing):
        return where or Missing(_kind(window), _windows(now))
    inside = [each for each in now.controls if each.window == where.id and each.role == wanted.role]
    expected = told(wanted, forms(wanted.name)[0], where)
    for form in forms(wanted.name):
        named = [each for each in inside if each.name == form]
        if named:
            return _one_of(named, wanted, window, where, forms, admits, expected)
    cells = now.control(label) if parse(label) is not None else None
    if cells is not None and (cells.role, cells.window) == (wanted.role, where.id):
        return cells
    return Missing(expected, _controls(inside, where, now))


def find_focus(then: Observation, now: Observation, forms: Forms) -> Missing | None:
    """What is wrong with the focus; None if the recorded control has it, or if it is unknown which had it then."""
    had = then.control(then.focus) if then.focus else None
    if had is None:
        return None
    has = now.control(now.focus) if now.focus else None
    if has is not None and has.role == had.role and has.name in forms(had.name):
        return None
    return Missing(f"the focus on {told(had, forms(had.name)[0])}", f"it is on {told(has)}" if has else "it is nowhere")


def told(control: Control, name: str | None = None, window: Window | None = None) -> str:
    """A control in words."""
    called = control.name if name is None else name
    words = f"{control.role} {called!r}" if called else f"{control.role} without a name"
    return words + (f" in {window.title!r}" if window else "")


def _one_of(
    named: Sequence[Control],
    wanted: Control,
    then: Window,
    now: Window,
    forms: Forms,
    admits: Collection[ControlOperation],
    expected: str,
) -> Control | Missing:
    owners = forms(wanted.owner)
    # Another row's button is another button, wherever it lies.
    belonging = [each for each in named if each.owner in owners]
    if wanted.owner and not belonging:
        listed = ", ".join(repr(each.owner) for each in named[:LISTED])
        return Missing(f"{expected} of {owners[0]!r}", f"only those of {listed}")
    fitting = belonging or list(named)
    able = [each for each in fitting if not admits or set(each.operations) & set(admits)]
    if not able:
        return Missing(f"{expected} that can be used", "it is there, and cannot be used now")
    if len(able) == 1:
        return able[0]
    ordered = sorted(able, key=lambda each: _apart(wanted.box, then.box, each.box, now.box))
    nearest, next_one = (_apart(wanted.box, then.box, each.box, now.box) for each in ordered[:2])
    if next_one > nearest and (nearest <= AT_PLACE < next_one or next_one >= CLEARLY * nearest):
        return ordered[0]
    return Missing(f"one {expected}", f"{len(able)} of them, none of which lies where it lay")


def _apart(then: Box, window_then: Box, now: Box, window_now: Box) -> float:
    """The distance in pixels between a control's positions in two windows, measured from the window edges that give the
    smallest distance, since windows differ in size."""
    was, is_ = then.centre, now.centre
    across = [was[0] - window_then.x - (is_[0] - window_now.x)]
    across.append(was[0] - window_then.x - window_then.width - (is_[0] - window_now.x - window_now.width))
    down = [was[1] - window_then.y - (is_[1] - window_now.y)]
    down.append(was[1] - window_then.y - window_then.height - (is_[1] - window_now.y - window_now.height))
    return math.hypot(min(map(abs, across)), min(map(abs, down)))


def _kind(window: Window) -> str:
    return "the dialog" if window.dialog else "the window"


def _windows(now: Observation) -> str:
    if not now.windows:
        return "no window is open"
    return "open are: " + ", ".join(f"{each.title!r}{' (dialog)' if each.dialog else ''}" for each in now.windows[:LISTED])


def _controls(inside: Sequence[Control], window: Window, now: Observation) -> str:
    if inside:
        names = ", ".join(repr(each.name) for each in inside[:LISTED])
        return f"of this kind there is {names}{' and more' if len(inside) > LISTED else ''}"
    there = sum(each.window == window.id for each in now.controls)
    return f"nothing of this kind among {there} controls"

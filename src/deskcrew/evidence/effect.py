"""Effect: did an operation do what it was meant to do? Rules answer from evidence; a model is asked only where they
cannot (C9)."""

from __future__ import annotations

from collections.abc import Iterable

from deskcrew.actions.action import Action, Finding, Gesture, Happening
from deskcrew.actions.effects import keeps
from deskcrew.environments.describe import sent_line
from deskcrew.facts.events import Operation
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Evidence, Observation, Window

OF_WINDOWS = frozenset[Gesture]({"start", "switch", "close"})
"""Gestures that are meant to open, show or close windows."""

LONGEST = 120
"""Maximum length of a field's quoted value, in characters."""
_REQUESTS, _FIELDS = 3, 6
"""The maximum number of requests, and of fields of each, in a line of evidence."""


def finding(action: Action, happening: Happening) -> Finding:
    """The rules' finding on an operation. A failed action never had its effect, whatever the screen shows."""
    if not happening.result.ok:
        return Finding(held=False, why=happening.result.error or happening.result.text)
    return action.postcondition(happening)


def surprise(
    action: Action, operation: Operation, before: Observation, after: Observation, following: Operation, *, on_screen: bool
) -> str:
    """Why the rest of a decision no longer fits the screen; '' if it still does. It does not fit if windows opened or closed
    unexpectedly, or if the control that the ``following`` operation targets disappeared with such a window. ``on_screen``:
    whether the following operation needs the screen; if not, closed windows do not matter."""
    there, here = {one.id for one in before.windows}, {one.id for one in after.windows}
    opened = [one for one in after.windows if one.id not in there]
    closed = [one for one in before.windows if one.id not in here]
    if action.gesture in OF_WINDOWS or not (opened or closed):
        return ""
    if not on_screen and not opened:
        return ""
    # An operation that names no control goes to the window in front, which must not be an unexpected one.
    blind = not opened or _announces_window(operation, before)
    found = after.control(following.control) is not None if following.control else blind
    if found and _its_own(action, operation, before, after, (*opened, *closed)):
        return ""
    what, windows = ("opened", opened) if opened else ("closed", closed)
    return f"A window {what}: {', '.join(repr(one.title) for one in windows)}."


def refilled(filled: Iterable[Operation], operation: Operation, before: Observation, after: Observation) -> str:
    """A sentence on a field that earlier operations of a decision ``filled`` and whose value this operation changed; '' if
    there is none. A value that a page only reformats, such as 1,000 for 1000, counts as unchanged."""
    for each in filled:
        then, now = (look.control(each.control or "") for look in (before, after))
        if then is None or now is None or each.control == operation.control or not (then.value and now.value):
            continue
        if not keeps(now.value, then.value):
            was, reads = shorten(then.value, LONGEST), shorten(now.value, LONGEST)
            return f"{now.role} {now.name!r} reads {reads!r} now, and no longer {was!r}."
    return ""


def _its_own(
    action: Action, operation: Operation, before: Observation, after: Observation, changed: tuple[Window, ...]
) -> bool:
    """Whether the windows that opened and closed, and the one in front now if any, belong to the program that was
    operated."""
    aimed = before.control(operation.control or "")
    window = next((one for one in before.windows if aimed is not None and one.id == aimed.window), before.active_window)
    front = after.active_window
    if action.needs != "desktop" or window is None:
        return False
    return {one.app for one in (*changed, front or window)} == {window.app}


def _announces_window(operation: Operation, before: Observation) -> bool:
    """Whether the pressed control's name ends with dots, the sign that it opens a window."""
    aimed = before.control(operation.control or "")
    path = [str(step) for step in operation.params.get("path") or ()]
    return (path[-1] if path else aimed.name if aimed is not None else "").strip().endswith(("…", "..."))


def evidence_text(evidence: Evidence, *, length: int = 300) -> str:
    """Evidence in words, for a reviewer's prompt and for people, truncated to ``length`` characters."""
    said: list[str] = []
    for what, names in (
        ("opened", evidence.windows_opened),
        ("closed", evidence.windows_closed),
        ("loaded anew", evidence.loaded),
        ("new controls", evidence.controls_appeared[:6]),
        ("gone controls", evidence.controls_gone[:6]),
        ("created", evidence.files_created),
        ("changed", evidence.files_changed),
        ("deleted", evidence.files_deleted),
    ):
        if names:
            said.append(f"{what}: {', '.join(names)}")
    said += [f"title {old!r} -> {new!r}" for old, new in evidence.titles_changed]
    said += [f"{c.role} {c.name!r} {c.field}: {c.before!r} -> {c.after!r}" for c in evidence.controls_changed[:6]]
    said += [f"put away: {each}" for each in evidence.put_away]
    said += [f"sent: {sent_line(each, _FIELDS)}" for each in evidence.sent[:_REQUESTS]]
    if evidence.clipboard:
        said.append("the clipboard changed")
    if evidence.exit_code is not None:
        said.append(f"exit code {evidence.exit_code}")
    if not said:
        said.append("some pixels changed" if evidence.pixels_changed else "nothing changed")
    return shorten("; ".join(said), length)

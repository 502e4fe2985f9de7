"""Selects a passage in a control, or puts the cursor beside it, through the control's own interface."""

from __future__ import annotations

import struct

from deskcrew.environments.environment import Spot
from deskcrew.environments.linux.act.acting import Actor
from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.linux.screen.x11 import poll_until
from deskcrew.environments.linux.tree.contents import TEXT
from deskcrew.environments.names import named
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control

LONGEST = 200_000
"""The maximum number of characters of a text that are searched."""
BY_KEYS = 300
"""The maximum number of characters selected one by one with keys."""
SECONDS = 1.0
"""Seconds within which a program must move the cursor."""


def select_text(actor: Actor, control: Control, text: str, spot: Spot) -> str:
    """Select a passage or put the cursor beside it. Returns what is selected now, or the cursor's line. Raises ActionError
    unless the passage occurs exactly once, or if the program refuses."""
    seen = actor.resolve(control)
    if "Text" not in seen.node.interfaces:
        raise ActionError(f"{named(control)} has no text in which something can be selected.")
    actor.desktop.bring_forward(actor.desktop.window(control.window))
    actor.confirm(seen)
    whole = _text(actor, seen)
    start, end = _place(control, whole, text, spot)
    actor.focus(seen)
    if not (_put(actor, seen, start) if start == end else _mark(actor, seen, start, end)):
        raise ActionError(f"{named(control)} did not take the selection.")
    if start == end:
        return whole[whole.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    return whole[start:end]


def _place(control: Control, whole: str, text: str, spot: Spot) -> tuple[int, int]:
    """The start and end of the selection; equal if only the cursor is placed."""
    found = whole.count(text)
    if found != 1:
        times = f"occurs {found} times" if found else "does not occur"
        raise ActionError(f"{text!r} {times} in {named(control)}; name a text that occurs there once.")
    start = whole.index(text)
    end = start + len(text)
    if spot == "before":
        return start, start
    if spot == "after":
        return end, end
    if spot == "line":
        last = whole.find("\n", end)
        return whole.rfind("\n", 0, start) + 1, len(whole) if last < 0 else last
    return start, end


def _put(actor: Actor, seen: SeenControl, at: int) -> bool:
    """Put the cursor at ``at``. Returns whether it is there."""
    actor.call(seen, TEXT, "SetCaretOffset", "i", at)

    def there() -> bool | None:
        caret = actor.call(seen, wire.PROPERTIES, "Get", "ss", TEXT, "CaretOffset")
        return (caret is not None and int(caret[1]) == at) or None

    return bool(poll_until(there, SECONDS, actor.desktop.wait_for_event))


def _mark(actor: Actor, seen: SeenControl, start: int, end: int) -> bool:
    """Select from ``start`` to ``end``. GTK4 claims to have done so without doing it, or does not answer: there, use keys as
    a person would. Returns whether it is selected."""
    if not seen.program.tree.relative:
        actor.call(seen, TEXT, "SetCaretOffset", "i", end)
        if not actor.call(seen, TEXT, "SetSelection", "iii", 0, start, end):
            actor.call(seen, TEXT, "AddSelection", "ii", start, end)
    elif end - start <= BY_KEYS and _put(actor, seen, start):
        for _ in range(end - start):
            actor.desktop.input.press(("shift", "right"))
    reached = poll_until(lambda: _selected(actor, seen) == (start, end) or None, SECONDS, actor.desktop.wait_for_event)
    return bool(reached)


def _text(actor: Actor, seen: SeenControl) -> str:
    method = WireMethod(TEXT, "GetText", "ii", struct.pack("<ii", 0, min(actor.text_length(seen), LONGEST)))
    answer = actor.ask(seen.program, [(method, seen.node.path)])[0]
    return wire.decode_string(answer) if answer is not None else ""


def _selected(actor: Actor, seen: SeenControl) -> tuple[int, int] | None:
    method = WireMethod(TEXT, "GetSelection", "i", struct.pack("<i", 0))
    answer = actor.ask(seen.program, [(method, seen.node.path)])[0]
    if answer is None or len(answer) < 8:
        return None
    start, end = struct.unpack("<ii", answer[:8])
    return min(start, end), max(start, end)

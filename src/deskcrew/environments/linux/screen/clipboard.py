"""Reads the clipboard: asks the owner of the X selection for its text."""

from __future__ import annotations

import time
from typing import Any

from deskcrew.environments.linux.screen.x11 import Display, display_errors, wait_readable, xproto

SECONDS = 1.0
"""Seconds for an owner's answer, and between two pieces of it."""
LONGEST, MOST_BYTES = 10.0, 64 << 20
"""The maximum seconds for all pieces together, and their maximum size in bytes."""


SELECTIONS = ("CLIPBOARD", "PRIMARY", "SECONDARY")
"""The copied text, the selected text, and a third one that hardly any program uses."""


def forget_selection(display: Display, name: str) -> None:
    """Clear a selection: its owner is notified that it no longer owns it, and nothing can be pasted from it. Raises
    EnvironmentFailure if the display has died."""
    with display_errors():
        display.core.SetSelectionOwner(0, _selection(display, name), 0)
        display.sync()


def _selection(display: Display, name: str) -> int:
    return int(getattr(xproto.Atom, name, 0)) or display.atoms[name]


def read_selection(display: Display, selection: str = "CLIPBOARD") -> str:
    """The text of a selection; '' without one, or if its owner does not answer. Raises EnvironmentFailure."""
    atom = _selection(display, selection)
    core, atoms = display.core, display.atoms
    with display_errors():
        if core.GetSelectionOwner(atom).reply().owner == 0:
            return ""
        window = int(display.connection.generate_id())
        core.CreateWindow(0, window, display.root, -10, -10, 1, 1, 0, xproto.WindowClass.InputOnly, 0, 0, [])
        mask = [xproto.EventMask.PropertyChange]
        core.ChangeWindowAttributes(window, xproto.CW.EventMask, mask)
        name = atoms["DESKCREW_SELECTION"]
        core.ConvertSelection(window, atom, atoms["UTF8_STRING"], name, 0)
        display.connection.flush()
        try:
            raw = _receive(display, window, name)
        finally:
            core.DestroyWindow(window)
            display.connection.flush()
    return raw.decode("utf-8", "replace")


def _receive(display: Display, window: int, name: int) -> bytes:
    """Wait for the owner's answer and read it, in pieces if the owner sends pieces (INCR)."""
    deadline = time.monotonic() + SECONDS
    latest = time.monotonic() + LONGEST
    pieces: list[bytes] = []
    size = 0
    incremental = False
    while (left := min(deadline, latest) - time.monotonic()) > 0 and size <= MOST_BYTES:
        event: Any = display.next_event()
        if event is None:
            wait_readable([display.fileno()], left)
            continue
        display.note(event)
        if isinstance(event, xproto.SelectionNotifyEvent) and event.requestor == window:
            if event.property == 0:
                return b""
            kind, data = _take(display, window, name)
            if kind != display.atoms["INCR"]:
                return data
            incremental = True
            continue
        piece = incremental and isinstance(event, xproto.PropertyNotifyEvent) and event.window == window
        if piece and event.state == xproto.Property.NewValue:
            _, data = _take(display, window, name)
            if not data:
                break
            pieces.append(data)
            size += len(data)
            deadline = time.monotonic() + SECONDS
    return b"".join(pieces)


def _take(display: Display, window: int, name: int) -> tuple[int, bytes]:
    """Type and content of the property that the owner has set; empty if somebody has removed the window."""
    asked = display.core.GetProperty(True, window, name, xproto.GetPropertyType.Any, 0, MOST_BYTES // 4)
    reply = display.answer(asked)
    return (int(reply.type), reply.value.buf() if reply.value_len else b"") if reply is not None else (0, b"")

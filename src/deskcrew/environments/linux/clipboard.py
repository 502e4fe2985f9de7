"""Reading the clipboard: the owner of the X selection is asked for its text."""

from __future__ import annotations

import time
from typing import Any

from deskcrew.environments.linux.x11 import Display, display_errors, wait_readable, xproto

SECONDS = 1.0


def read_selection(display: Display) -> str:
    """The clipboard's text; '' when there is none, or its owner does not answer. Raises EnvironmentFailure."""
    core, atoms = display.core, display.atoms
    with display_errors():
        if core.GetSelectionOwner(atoms["CLIPBOARD"]).reply().owner == 0:
            return ""
        window = int(display.connection.generate_id())
        core.CreateWindow(0, window, display.root, -10, -10, 1, 1, 0, xproto.WindowClass.InputOnly, 0, 0, [])
        mask = [xproto.EventMask.PropertyChange]
        core.ChangeWindowAttributes(window, xproto.CW.EventMask, mask)
        name = atoms["DESKCREW_SELECTION"]
        core.ConvertSelection(window, atoms["CLIPBOARD"], atoms["UTF8_STRING"], name, 0)
        display.connection.flush()
        try:
            raw = _receive(display, window, name)
        finally:
            core.DestroyWindow(window)
            display.connection.flush()
    return raw.decode("utf-8", "replace")


def _receive(display: Display, window: int, name: int) -> bytes:
    """Wait for the owner's answer and read it, in pieces where the owner sends pieces (INCR)."""
    deadline = time.monotonic() + SECONDS
    pieces: list[bytes] = []
    incremental = False
    while (left := deadline - time.monotonic()) > 0:
        event: Any = display.connection.poll_for_event()
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
            deadline = time.monotonic() + SECONDS
    return b"".join(pieces)


def _take(display: Display, window: int, name: int) -> tuple[int, bytes]:
    reply = display.core.GetProperty(True, window, name, xproto.GetPropertyType.Any, 0, 1 << 24).reply()
    return int(reply.type), reply.value.buf() if reply.value_len else b""

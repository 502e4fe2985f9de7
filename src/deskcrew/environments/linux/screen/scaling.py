"""Scale and monitors of a desktop: how a virtual one announces them to its programs, and how any desktop's scale is read.

There is no single place on X11 where all programs look. So a virtual desktop announces it where users' desktops do: in
XSETTINGS (GTK, and what is based on it: LibreOffice, Chromium) and in the server's resources (Qt, and programs without a
toolkit).
"""

from __future__ import annotations

import struct
from typing import Any

import xcffib
import xcffib.randr

from deskcrew.environments.linux.screen.x11 import Display, display_errors, xproto

DOTS = 96
"""Dots per inch that mean 100 %."""
_SERIAL = 0
"""The serial number of settings that never change."""


def dots_of(scale: float) -> int:
    """Dots per inch for a scale."""
    return round(DOTS * scale)


def tell_scale(display: Display, scale: float) -> None:
    """Announce a scale to all programs that are started from now on, for as long as ``display`` is connected."""
    resources = f"Xft.dpi:\t{dots_of(scale)}\n".encode()
    atom, core = xproto.Atom, display.core
    with display_errors():
        name = f"_XSETTINGS_S{display.connection.pref_screen}"
        manager, settings = (core.InternAtom(False, len(one), one).reply().atom for one in (name, "_XSETTINGS_SETTINGS"))
        window = display.connection.generate_id()
        core.CreateWindow(0, window, display.root, -1, -1, 1, 1, 0, xproto.WindowClass.InputOnly, 0, 0, [])
        for owner, kind, of, content in (
            (display.root, atom.RESOURCE_MANAGER, atom.STRING, resources),
            (window, settings, settings, packed(settings_of(scale))),
        ):
            core.ChangeProperty(xproto.PropMode.Replace, owner, kind, of, 8, len(content), content)
        core.SetSelectionOwner(window, manager, xproto.Time.CurrentTime)
        display.sync()


def settings_of(scale: float) -> dict[str, int]:
    """XSETTINGS for a scale: GTK scales pixels by whole numbers only, and text by the remainder as well."""
    steps = int(scale)
    return {
        "Gdk/UnscaledDPI": round(dots_of(scale) * 1024 / steps),
        "Gdk/WindowScalingFactor": steps,
        "Xft/DPI": dots_of(scale) * 1024,
    }


def packed(settings: dict[str, int]) -> bytes:
    """Settings in the format of their property (XSETTINGS 0.5), little-endian."""
    records = b"".join(
        struct.pack("<BxH", 0, len(name)) + name.encode() + bytes(-len(name) % 4) + struct.pack("<Ii", _SERIAL, value)
        for name, value in settings.items()
    )
    return struct.pack("<BxxxII", 0, _SERIAL, len(settings)) + records


def scale_of(display: Display) -> float:
    """Physical pixels per logical pixel, according to the server's resources; 1 if they do not say."""
    with display_errors():
        reply = display.core.GetProperty(
            False, display.root, xproto.Atom.RESOURCE_MANAGER, xproto.GetPropertyType.Any, 0, 1 << 16
        ).reply()
    lines = (reply.value.buf() if reply.value_len else b"").splitlines()
    found = next((line.partition(b":")[2].strip() for line in lines if line.startswith(b"Xft.dpi:")), b"")
    try:
        return max(1.0, round(float(found) / DOTS, 2))
    except ValueError:
        return 1.0


def tell_monitors(display: Display, number: int) -> None:
    """Divide the screen into monitors of the same size, side by side; the first is the primary one."""
    randr: Any = display.connection(xcffib.randr.key)
    monitor: Any = xcffib.randr.MonitorInfo
    with display_errors():
        randr.QueryVersion(1, 5).reply()
        outputs = list(randr.GetScreenResources(display.root).reply().outputs)
        width, height = display.width // number, display.height
        for at in range(number):
            name = f"monitor{at + 1}"
            atom = display.core.InternAtom(False, len(name), name).reply().atom
            mine = outputs if at == 0 else []
            size = (width // 4, height // 4)  # millimetres, of about 96 dots per inch
            info = monitor.synthetic(atom, at == 0, False, len(mine), at * width, 0, width, height, *size, mine)
            randr.SetMonitor(display.root, info, is_checked=True).check()

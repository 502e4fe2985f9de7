"""The programs that a virtual desktop needs. Imports nothing that needs their libraries, since this is checked first."""

from __future__ import annotations

import os
import shutil

REQUIRED = {
    "bwrap": "bubblewrap",
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "dbus-daemon": "dbus-daemon",
    "xclip": "xclip",
}
BUS_LAUNCHERS = (
    "/usr/libexec/at-spi-bus-launcher",
    "/usr/lib/at-spi2-core/at-spi-bus-launcher",
    "/usr/lib/at-spi-bus-launcher",
)
VIEWER = "x11vnc"
"""The program, and package, that shows a desktop live."""


def missing_programs() -> tuple[str, ...]:
    """Debian packages that a virtual desktop needs and that are not installed, sorted."""
    missing = {package for program, package in REQUIRED.items() if shutil.which(program) is None}
    if not any(os.access(path, os.X_OK) for path in BUS_LAUNCHERS):
        missing.add("at-spi2-core")
    return tuple(sorted(missing))

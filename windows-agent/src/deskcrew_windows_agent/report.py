"""What to send when something does not work: how windows are read here, without what they say."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import time
from collections import Counter
from collections.abc import Callable

from deskcrew_windows_agent.machine import FailedError, Machine, RefusedError
from deskcrew_windows_agent.protocol import VERSION

LIBRARIES = ("deskcrew-windows-agent", "pydantic", "comtypes", "uiautomation", "psutil", "pillow", "websockets")


def report(start: Callable[[], Machine]) -> str:
    """JSON: versions, and per window its program, its control types and patterns, and how long reading took. No title, name,
    text or file is in it."""
    told: dict[str, object] = {
        "system": platform.platform(),
        "python": platform.python_version(),
        "protocol": VERSION,
        "libraries": {name: _version(name) for name in LIBRARIES},
    }
    try:
        machine = start()
        try:
            told |= _read(machine)
        finally:
            machine.close()
    except (FailedError, RefusedError) as error:
        told["error"] = str(error)
    return json.dumps(told, indent=1)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _read(machine: Machine) -> dict[str, object]:
    began = time.monotonic()
    seen = machine.look()
    seconds = time.monotonic() - began
    windows: list[dict[str, object]] = []
    for window in seen.windows:
        elements = [window.root, *window.root.below()]
        windows.append(
            {
                "app": window.app,
                "dialog": window.dialog,
                "responding": window.responding,
                "reachable": window.reachable,
                "types": Counter(one.type for one in elements),
                "patterns": Counter(pattern for one in elements for pattern in one.patterns),
            }
        )
    return {
        "screen": seen.screen.model_dump(),
        "seconds": round(seconds, 3),
        "cut": seen.cut,
        "windows": windows,
        "programs": len(machine.programs()),
        "picture": len(machine.picture()),
        "lacks": machine.lacks,
    }

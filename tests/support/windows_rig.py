"""Windows programs in the rig of ``tools/windows-rig``, where it is set up."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools/windows-rig"
FOLDER = Path(os.environ.get("WINDOWS_RIG", TOOLS.parents[1] / "build/windows-rig"))


READING = """
import ctypes, json, sys, time
import comtypes.client, uiautomation
user = ctypes.windll.user32
core = comtypes.client.GetModule("UIAutomationCore.dll")
client = comtypes.client.CreateObject("{ff48dba4-60ef-4201-aa87-54103eef594e}", interface=core.IUIAutomation)
request = client.CreateCacheRequest()
request.TreeScope = 7
request.TreeFilter = client.ControlViewCondition
for name in ("ControlType", "Name", "BoundingRectangle"):
    request.AddProperty(getattr(core, f"UIA_{name}PropertyId"))

def until(answer):
    for _ in range(300):
        if found := answer():
            return found
        time.sleep(0.1)
    raise SystemExit("It did not come.")

def window(title=None, kind=None):
    return until(lambda: (found := user.FindWindowW(kind, title)) and user.IsWindowVisible(found) and found)

def elements(handle):
    def below(one):
        yield one
        inside = one.GetCachedChildren()
        for at in range(inside.Length if inside else 0):
            yield from below(inside.GetElement(at))
    return list(below(client.ElementFromHandle(handle).BuildUpdatedCache(request)))

def named(handle, kind, name):
    number = getattr(core, f"UIA_{kind}ControlTypeId")
    found = [one for one in elements(handle) if (one.CachedControlType, one.CachedName) == (number, name)]
    return found[0] if found else None

def does(one, pattern):
    having = one.GetCurrentPattern(getattr(core, f"UIA_{pattern}PatternId"))
    return having.QueryInterface(getattr(core, f"IUIAutomation{pattern}Pattern"))

def told(handle):
    return [[one.CachedControlType, one.CachedName] for one in elements(handle)]
"""
"""What a program in Windows Python reads windows with: all of one by one question."""


class Rig:
    """A display with a window manager, and a Windows of its own on it."""

    def __init__(self, prefix: Path, display: str) -> None:
        self.environment = os.environ | {"WINDOWS_RIG": str(FOLDER), "WINEPREFIX": str(prefix), "DISPLAY": display}

    def python(self, program: str, given: bytes = b"", seconds: float = 60) -> bytes:
        """What a program in Windows Python prints."""
        done = subprocess.run(
            [TOOLS / "wine-python", "-c", program],
            input=given,
            capture_output=True,
            env=self.environment,
            check=False,
            timeout=seconds,
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return done.stdout

    @contextmanager
    def running(self, *command: str) -> Generator[subprocess.Popen[bytes]]:
        """A program with pipes, ended after the block."""
        with subprocess.Popen(
            [TOOLS / "wine", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment,
        ) as process:
            try:
                yield process
            finally:
                process.kill()


@contextmanager
def rig(folder: Path) -> Generator[Rig]:
    """The rig with a prefix and a display of its own, in ``folder``. Skips the test where there is none."""
    if not (FOLDER / "prefix").is_dir():
        pytest.skip(
            "There is no rig for Windows programs: tools/windows-rig/setup makes it, or WINDOWS_RIG names its folder."
        )
    prefix = folder / "prefix"
    shutil.copytree(FOLDER / "prefix", prefix, symlinks=True, copy_function=_copy)
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(screen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        made = Rig(prefix, f":{server.stdout.readline().decode().strip()}")
        with subprocess.Popen(["openbox"], env=made.environment, stderr=subprocess.DEVNULL) as manager:
            yield made
            subprocess.run(
                [TOOLS / "wine", "wineboot", "-k"], env=made.environment, check=False, capture_output=True, timeout=60
            )
            manager.kill()
        server.kill()
    shutil.rmtree(prefix)


def _copy(source: str, target: str) -> None:
    """Programs and libraries, which nothing writes to, are not copied where they need not be."""
    if source.endswith((".dll", ".exe")):
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)

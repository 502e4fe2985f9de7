"""A session of sway without a screen, with buses of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from deskcrew.environments.linux.screen.sway import COMMAND, Ipc
from deskcrew.errors import EnvironmentFailure
from support.needed import skip_without

NEEDED = ("sway", "Xwayland", "grim", "wl-copy", "wl-paste", "dbus-daemon")
CONFIG = "xwayland enable\ndefault_border normal\noutput * resolution 1280x800\n"
CONFIG += "exec sh -c 'echo $DISPLAY >$XDG_RUNTIME_DIR/display'\n"
SECONDS = 30.0


@contextmanager
def sway_session() -> Generator[dict[str, str]]:
    """The variables of a session. The test is skipped where its programs are not installed."""
    if lacking := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"no {', '.join(lacking)}: sudo apt install sway xwayland grim wl-clipboard dbus-daemon")
    with tempfile.TemporaryDirectory(prefix="sway-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "home").mkdir()
        (folder / "config").write_text(CONFIG)
        kept = {one: value for one, value in os.environ.items() if one in ("PATH", "LANG", "LC_ALL")}
        variables = {
            **kept,
            "HOME": f"{folder}/home",
            "XDG_RUNTIME_DIR": name,
            "XDG_SESSION_TYPE": "wayland",
            "XDG_CURRENT_DESKTOP": "sway",
            "SWAYSOCK": f"{folder}/sway.sock",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus",
            "WLR_BACKENDS": "headless",
            "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_RENDERER": "pixman",
            "NO_AT_BRIDGE": "0",
        }
        # Sway refuses to be root, even of a container.
        other = ["unshare", "--user", "--map-user=1000", "--map-group=1000"] if os.geteuid() == 0 else []
        bus = ["dbus-daemon", "--session", "--nofork", f"--address=unix:path={folder}/bus"]
        started: list[subprocess.Popen[bytes]] = []
        try:
            for command in (bus, [*other, "sway", "-c", str(folder / "config")]):
                with (folder / f"{len(started)}.log").open("wb") as log:
                    started.append(
                        subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
                    )
            variables["WAYLAND_DISPLAY"] = _awaited(folder, started[-1])
            yield variables
        finally:
            for process in reversed(started):
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _awaited(folder: Path, sway: subprocess.Popen[bytes]) -> str:
    """The name of the session's display, once it is there."""
    deadline = time.monotonic() + SECONDS
    while sway.poll() is None and time.monotonic() < deadline:
        found = [path.name for path in folder.glob("wayland-?") if path.is_socket()]
        if found and (folder / "sway.sock").exists():
            return found[0]
        time.sleep(0.05)
    skip_without(EnvironmentFailure(f"sway did not start: {(folder / '1.log').read_text(errors='replace')[-2000:]}"))


def x11_display(variables: dict[str, str]) -> str:
    """The name of the session's X server, which starts with its first program."""
    return (Path(variables["XDG_RUNTIME_DIR"]) / "display").read_text().strip()


def tell(variables: dict[str, str], command: str) -> None:
    """Do what a person at the session does by its keys."""
    with closing(Ipc(variables["SWAYSOCK"])) as connection:
        answers = json.loads(connection.ask(COMMAND, command))
    assert all(one["success"] for one in answers), answers

"""The user's own Linux desktop. Reached only when asked for; the virtual desktop is the default."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from deskcrew.environments.linux.bus.connection import CallFailed, Connection, ConnectionLost, NotResponding, unix_address
from deskcrew.environments.linux.desktop import DesktopFolders, LinuxDesktop
from deskcrew.environments.linux.screen.x11 import Display
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.errors import EnvironmentFailure

SAVERS = (
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
)
PORTAL = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
PORTALS = ("Screenshot", "ScreenCast", "RemoteDesktop")
"""What a program needs in a Wayland session to see the screen, and to press keys and buttons on it."""


class OwnSession:
    """The existing session. Closing it ends nothing: its programs are the user's."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._scratch = tempfile.TemporaryDirectory(prefix="deskcrew-")

    @property
    def scratch(self) -> Path:
        """A private folder for pasted text."""
        return Path(self._scratch.name)

    @property
    def alive(self) -> bool:
        """Always True: the display itself reports when it has died."""
        return True

    def start(self, command: list[str], *, stdin: Path | None = None) -> None:
        """Start a program in the workspace; it stays open when we end. Raises EnvironmentFailure if it cannot be started."""
        try:
            with (stdin or Path(os.devnull)).open("rb") as source:
                subprocess.Popen(
                    command,
                    cwd=self._workspace,
                    stdin=source,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError as error:
            raise EnvironmentFailure(f"{command[0]} cannot be started: {error.strerror}.") from error

    def hit(self) -> str:
        """Always '': the programs of the session are limited by its owner."""
        return ""

    def close(self) -> None:
        """Remove the scratch folder."""
        self._scratch.cleanup()


def connect_real(workspace: Path, *, environment: Mapping[str, str] | None = None) -> LinuxDesktop:
    """The desktop of the session we run in. ``environment``: variables to use instead of the process's own.

    Raises EnvironmentFailure, saying what is wrong: no display, Wayland, a locked screen, no accessibility bus.
    """
    variables = os.environ if environment is None else environment
    name = variables.get("DISPLAY", "")
    if variables.get("WAYLAND_DISPLAY") or variables.get("XDG_SESSION_TYPE") == "wayland":
        raise EnvironmentFailure(
            "This is a Wayland session, in which no program can see where windows are, or press keys and buttons in them.",
            hint="Log in to an X11 (Xorg) session, or use the virtual desktop (the default).",
        )
    if not name:
        raise EnvironmentFailure(
            "There is no display here (DISPLAY is not set).", hint="Use the virtual desktop (the default)."
        )
    address = unix_address(variables.get("DBUS_SESSION_BUS_ADDRESS", "")) or f"/run/user/{os.getuid()}/bus"
    if locked(address):
        raise EnvironmentFailure("The screen is locked.", hint="Unlock it and try again.")
    display = Display(name=name)
    session = OwnSession(workspace)
    try:
        programs = Programs(address)
    except EnvironmentFailure:
        display.close()
        session.close()
        raise
    return LinuxDesktop(session, display, programs, DesktopFolders(str(workspace.resolve()), workspace, session.scratch))


def locked(session: str) -> bool:
    """Whether a screen saver reports a locked screen. Raises EnvironmentFailure if the session bus cannot be reached."""
    try:
        connection = Connection(session, timeout=1.0)
    except (ConnectionLost, NotResponding) as error:
        raise EnvironmentFailure(
            f"The session bus cannot be reached: {error}.", hint="Run inside a desktop session."
        ) from error
    try:
        for name, path in SAVERS:
            try:
                if connection.call(name, path, name, "GetActive")[0]:
                    return True
            except (CallFailed, NotResponding):
                continue
    finally:
        connection.close()
    return False


def portals(session: str) -> tuple[str, ...]:
    """The members of :data:`PORTALS` that the desktop portal on a session bus offers; empty if there is no portal."""
    try:
        with closing(Connection(session, timeout=2.0)) as connection:
            return tuple(portal for portal in PORTALS if _offers(connection, portal))
    except (ConnectionLost, NotResponding):
        return ()


def _offers(connection: Connection, portal: str) -> bool:
    try:
        connection.call(
            *PORTAL, "org.freedesktop.DBus.Properties", "Get", "ss", f"org.freedesktop.portal.{portal}", "version"
        )
    except CallFailed:
        return False
    return True

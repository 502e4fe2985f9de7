"""The user's own Linux desktop. Reached only when asked for; the virtual desktop is the default."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

from deskcrew.environments.linux.bus.connection import CallFailed, Connection, ConnectionLost, NotResponding, unix_address
from deskcrew.environments.linux.desktop import DesktopFolders, LinuxDesktop
from deskcrew.environments.linux.screen.shared import SharedDisplay
from deskcrew.environments.linux.screen.sway import PROGRAMS, SwayDisplay
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.system_packages import install

SAVERS = (
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
)
LOCKERS = ("swaylock", "gtklock", "waylock")
"""Programs that lock sway's screen, which tell no bus of it."""
PORTAL = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
PORTALS = ("Screenshot", "ScreenCast", "RemoteDesktop")
"""What a program needs in a Wayland session to see the screen, and to press keys and buttons on it."""


class OwnSession:
    """The existing session. Closing it ends nothing: its programs are the user's."""

    def __init__(self, workspace: Path, variables: Mapping[str, str]) -> None:
        """``variables``: of the session."""
        self._workspace = workspace
        self._variables = dict(variables)
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
                process = subprocess.Popen(
                    command,
                    cwd=self._workspace,
                    env=self._variables,
                    stdin=source,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
        except OSError as error:
            raise EnvironmentFailure(f"{command[0]} cannot be started: {error.strerror}.") from error
        # Somebody must take note of its end, or it stays in the list of processes as long as we do.
        threading.Thread(target=process.wait, name="deskcrew-program", daemon=True).start()

    def hit(self) -> str:
        """Always '': the programs of the session are limited by its owner."""
        return ""

    def close(self) -> None:
        """Remove the scratch folder."""
        self._scratch.cleanup()


def connect_real(workspace: Path, *, environment: Mapping[str, str] | None = None) -> LinuxDesktop:
    """The desktop of the session we run in. ``environment``: variables to use instead of the process's own.

    Raises EnvironmentFailure, saying what is wrong: no display, Wayland without sway, a locked screen, no accessibility bus.
    """
    variables = os.environ if environment is None else environment
    check_usable(variables)
    address = unix_address(variables.get("DBUS_SESSION_BUS_ADDRESS", "")) or f"/run/user/{os.getuid()}/bus"
    if locked(address) or (on_wayland(variables) and locker_runs()):
        raise EnvironmentFailure("The screen is locked.", hint="Unlock it and try again.")
    display = SwayDisplay(variables) if on_wayland(variables) else SharedDisplay(name=variables["DISPLAY"])
    session = OwnSession(workspace, variables)
    try:
        programs = Programs(address)
    except EnvironmentFailure:
        display.close()
        session.close()
        raise
    return LinuxDesktop(session, display, programs, DesktopFolders(str(workspace.resolve()), workspace, session.scratch))


def on_wayland(variables: Mapping[str, str]) -> bool:
    """Whether a session is one of Wayland."""
    return bool(variables.get("WAYLAND_DISPLAY")) or variables.get("XDG_SESSION_TYPE") == "wayland"


def check_usable(variables: Mapping[str, str]) -> None:
    """Raises EnvironmentFailure if a session cannot be used, as far as its variables and the installed programs say."""
    if not on_wayland(variables) and not variables.get("DISPLAY"):
        raise EnvironmentFailure(
            "There is no display here (DISPLAY is not set).", hint="Use the virtual desktop (the default)."
        )
    if on_wayland(variables) and not variables.get("SWAYSOCK"):
        whose = variables.get("XDG_CURRENT_DESKTOP") or "an unknown desktop"
        raise EnvironmentFailure(
            f"This is a Wayland session of {whose}, in which no program can see where windows are, or press keys.",
            hint="Log in to a session of sway or of X11 (Xorg), or use the virtual desktop (the default).",
        )
    if on_wayland(variables) and (lacking := lacking_on_sway()):
        raise EnvironmentFailure(f"A session of sway can be used only with {' and '.join(lacking)}.", hint=install(*lacking))


def lacking_on_sway() -> tuple[str, ...]:
    """The packages without which a session of sway cannot be used."""
    return tuple(sorted({package for program, package in PROGRAMS.items() if shutil.which(program) is None}))


def locker_runs() -> bool:
    """Whether one of :data:`LOCKERS` runs for our user."""
    for place in Path("/proc").glob("[0-9]*/comm"):
        with suppress(OSError):  # it has ended
            if place.read_text().strip() in LOCKERS and place.stat().st_uid == os.getuid():
                return True
    return False


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

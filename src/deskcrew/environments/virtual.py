"""A Linux desktop of its own: X server, window manager, buses and programs in one sandbox (docs/design/sandbox.md)."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path

from deskcrew.environments import isolation
from deskcrew.environments.linux.bus.dialing import Inside
from deskcrew.environments.linux.desktop import DesktopFolders
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.environments.linux.sandbox.needed import missing_programs
from deskcrew.environments.linux.sandbox.sandbox import Confines, DesktopSandbox, VirtualScreen, start_sandbox
from deskcrew.environments.linux.sandbox.skeleton import write_skeleton
from deskcrew.environments.linux.screen import scaling
from deskcrew.environments.linux.screen.on_x11 import X11Display
from deskcrew.environments.linux.screen.patient import SECONDS
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.environments.proxy_port import ProxyPort
from deskcrew.environments.rundir import RunDir, create_run_dir
from deskcrew.environments.workspace import INSIDE
from deskcrew.errors import EnvironmentFailure

__all__ = ["missing_programs", "start_virtual"]


def start_virtual(
    workspace: Path,
    *,
    screen: VirtualScreen = VirtualScreen(),  # noqa: B008 - it cannot change
    network: bool = False,
    proxy: ProxyPort | None = None,
    pages: bool = True,
    confines: Confines = Confines(),  # noqa: B008
) -> PagedDesktop:
    """Start a virtual desktop whose programs see ``workspace`` as /workspace, and nothing else.

    ``network``: False gives it a network of its own, with nothing in it but a port that ``proxy`` serves (if given); True:
    the machine's network. ``pages``: whether pages of a browser on it are read by script; otherwise the accessibility bus
    reports them. Close it when done (it is a context manager too). Raises EnvironmentFailure with what to install or allow
    if it cannot be started.
    """
    if not workspace.is_dir():
        raise EnvironmentFailure(f"The workspace {workspace} is not a folder.", hint="Create it, or name another.")
    run = create_run_dir()
    sandbox: DesktopSandbox | None = None
    display: X11Display | None = None
    started = False
    try:
        write_skeleton(run)
        sandbox = start_sandbox(run, workspace, screen=screen, network=network, proxy=proxy, confines=confines)
        inside = Inside(run.path, sandbox.first)
        display = X11Display(plug_of(inside, run, sandbox), frame_buffer=run.path / "fb" / "Xvfb_screen0")
        if screen.scale != 1:
            scaling.tell_scale(display, screen.scale)
        if screen.monitors > 1:
            scaling.tell_monitors(display, screen.monitors)
        programs = Programs(str(run.path / "bus"), patience=5.0, dial=inside)
        lead = isolation.interpreter() if pages else None
        plug = partial(plug_of, inside, run, sandbox)
        desktop = PagedDesktop(sandbox, display, programs, DesktopFolders(INSIDE, workspace, run.path), lead=lead, dial=plug)
        started = True
        return desktop
    finally:
        if not started:
            if display is not None:
                display.close()
            if sandbox is not None:
                sandbox.close()
            run.remove()


def plug_of(inside: Inside, run: RunDir, sandbox: DesktopSandbox) -> socket.socket:
    """A connection to the sandbox's X server. Raises EnvironmentFailure if it cannot be reached."""
    try:
        return inside(str(run.x11 / f"X{sandbox.display}"), SECONDS)
    except OSError as error:
        raise EnvironmentFailure(f"The display cannot be reached: {error.strerror}.") from error

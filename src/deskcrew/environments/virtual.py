"""A Linux desktop of its own: X server, window manager, buses and programs in one sandbox (docs/design/sandbox.md)."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from deskcrew.environments import isolation
from deskcrew.environments.linux.bus.dialing import Inside
from deskcrew.environments.linux.paged import PagedDesktop
from deskcrew.environments.linux.sandbox.needed import missing_programs
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox, start_sandbox
from deskcrew.environments.linux.sandbox.skeleton import write_skeleton
from deskcrew.environments.linux.screen import scaling
from deskcrew.environments.linux.screen.patient import SECONDS
from deskcrew.environments.linux.screen.x11 import Display
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.environments.proxy_port import ProxyPort
from deskcrew.environments.rundir import RunDir, create_run_dir
from deskcrew.environments.workspace import INSIDE
from deskcrew.errors import EnvironmentFailure
from deskcrew.settings import DesktopBounds

__all__ = ["missing_programs", "start_virtual"]


def start_virtual(
    workspace: Path,
    *,
    size: tuple[int, int] = (1280, 800),
    scale: float = 1.0,
    monitors: int = 1,
    network: bool = False,
    proxy: ProxyPort | None = None,
    pages: bool = True,
    bounds: DesktopBounds | None = None,
    home: Sequence[str] = (),
    hidden: Sequence[str] = (),
) -> PagedDesktop:
    """Start a virtual desktop whose programs see ``workspace`` as /workspace, and nothing else.

    ``size``: pixels of each of its ``monitors``, which are side by side; ``scale``: of those pixels per logical pixel (1 to
    3). ``network``: False gives it a network of its own with nothing in it but a port that ``proxy`` serves, if there is
    one; True the machine's. ``pages``: whether pages of a browser on it are read by script; otherwise the accessibility bus
    reports them. ``bounds``: of all its programs together; None for the settings' defaults. ``home``: folders of the
    programs' home, such as ``.config/NAME``, that lie in the workspace under the same path, so that what a program keeps
    there outlasts the desktop; ``hidden``: paths in it that none of them may read. Close it when done (it is a context
    manager too). Raises EnvironmentFailure with what to install or allow if it cannot be started.
    """
    if not workspace.is_dir():
        raise EnvironmentFailure(f"The workspace {workspace} is not a folder.", hint="Make it, or name another.")
    run = create_run_dir()
    sandbox: DesktopSandbox | None = None
    display: Display | None = None
    started = False
    try:
        write_skeleton(run)
        whole = size[0] * monitors, size[1]
        sandbox = start_sandbox(
            run, workspace, size=whole, network=network, proxy=proxy, scale=scale, bounds=bounds, home=home, hidden=hidden
        )
        inside = Inside(run.path, sandbox.first)
        display = Display(plug_of(inside, run, sandbox), frame_buffer=run.path / "fb" / "Xvfb_screen0")
        if scale != 1:
            scaling.tell_scale(display, scale)
        if monitors > 1:
            scaling.tell_monitors(display, monitors)
        programs = Programs(str(run.path / "bus"), patience=5.0, dial=inside)
        lead = isolation.interpreter() if pages else None
        plug = partial(plug_of, inside, run, sandbox)
        desktop = PagedDesktop(
            sandbox, display, programs, workspace=INSIDE, folder=workspace, scratch=run.path, lead=lead, dial=plug
        )
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
    """A connection to the sandbox's X server. Raises EnvironmentFailure."""
    try:
        return inside(str(run.x11 / f"X{sandbox.display}"), SECONDS)
    except OSError as error:
        raise EnvironmentFailure(f"The display cannot be reached: {error.strerror}.") from error

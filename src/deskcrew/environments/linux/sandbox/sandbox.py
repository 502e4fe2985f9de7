"""One bubblewrap around a whole desktop: X server, window manager, session bus, accessibility bus, programs.

The first process inside is a small shell loop: it starts the servers, reports which display was chosen, and then starts
whatever commands arrive on its standard input. It waits for the window manager, which loses a window that asks to be shown
while it is still starting. Other programs inside can stop or kill that loop, so a sandbox is ended by its keeper, outside
(``keeper.py``).
"""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deskcrew.environments import isolation
from deskcrew.environments import proxy_port as doors
from deskcrew.environments.isolation import HOME, Bubblewrap
from deskcrew.environments.linux.sandbox import kept
from deskcrew.environments.linux.sandbox.kept import START_SECONDS, Kept
from deskcrew.environments.linux.sandbox.needed import BUS_LAUNCHERS, missing_programs
from deskcrew.environments.proxy_port import Door, ProxyPort
from deskcrew.environments.rundir import RunDir
from deskcrew.environments.workspace import INSIDE, obeyed, sockets
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.system_packages import install
from deskcrew.settings import DesktopBounds

USER_ID = 1000
SCALED = {"QT_ENABLE_HIGHDPI_SCALING": "1", "QT_SCALE_FACTOR_ROUNDING_POLICY": "PassThrough"}
"""Variables for programs if the scale is not 100 %: they make Qt 5 behave like Qt 6, which scales everything, not only text,
and by any factor."""
READ_ONLY_ETC = ("fonts", "machine-id", "dbus-1", "xdg", "libreoffice", "chromium", "chromium.d", "X11/app-defaults")
# -nolisten local: no abstract socket, which with the machine's network all its users could connect to.
# -nocursor: a pointer drawn into the pictures would make every click look like a change of the screen.
START_SCRIPT = r"""
{limits}
R="$XDG_RUNTIME_DIR"
cp -r "$R/skel/." "$HOME/"
{home}
mkfifo "$R/display" "$R/session" "$R/manager"
Xvfb -displayfd 3 -screen 0 {width}x{height}x24 -nolisten tcp -nolisten local -noreset -nocursor -fbdir "$R/fb" \
  3>"$R/display" 2>"$R/xvfb.log" &
dbus-daemon --session --nofork --nopidfile --address="unix:path=$R/bus" --print-address=3 3>"$R/session" 2>"$R/bus.log" &
read -r D <"$R/display" || exit 3
read -r B <"$R/session" || exit 4
export DISPLAY=":$D" DBUS_SESSION_BUS_ADDRESS="unix:path=$R/bus"
{launcher} --launch-immediately --a11y=1 >/dev/null 2>&1 &
openbox --config-file "$R/openbox.xml" --startup "/bin/sh -c 'echo up >$R/manager'" 3>"$R/manager" >"$R/openbox.log" 2>&1 &
read -r M <"$R/manager" || exit 5
echo "ready $D"
exec >/dev/null 2>&1
cd /workspace
while IFS= read -r line; do eval "$line"; done
"""


class DesktopSandbox:
    """A running sandbox. ``display`` is the X display number inside; its socket is ``run.x11/X<display>``. ``door``: the
    proxy port of a restricted network; closed with the sandbox."""

    def __init__(self, kept: Kept, run: RunDir, display: int, door: Door | None = None) -> None:
        self.run = run
        self.display = display
        self._kept = kept
        self._door = door

    @property
    def alive(self) -> bool:
        """Whether the sandbox still runs."""
        return self._kept.alive

    @property
    def pid(self) -> int:
        """Process id of the outermost process, outside."""
        return self._kept.process.pid

    @property
    def first(self) -> int:
        """Process id, outside, of the ancestor of all processes inside."""
        return self._kept.first

    def hit(self) -> str:
        """Which limits the programs inside have reached so far, in words; '' for none."""
        return self._kept.hit()

    def start(self, command: Sequence[str], *, stdin: Path | None = None) -> None:
        """Start a program inside, in the workspace. ``stdin``: a file under the run folder to feed it.

        Raises ActionError for a command that cannot be written on one line, EnvironmentFailure if the sandbox died.
        """
        if any("\n" in word or "\0" in word for word in command):
            raise ActionError("A program cannot be started with a line break in its arguments.")
        source = shlex.quote(str(stdin)) if stdin else "/dev/null"
        line = f"{shlex.join(command)} <{source} >/dev/null 2>&1 &\n"
        pipe = self._kept.process.stdin
        try:
            if pipe is None or not self.alive:
                raise BrokenPipeError
            pipe.write(line.encode())
            pipe.flush()
        except (BrokenPipeError, ValueError) as error:
            raise EnvironmentFailure("The virtual desktop has ended.", hint="Start the run again.") from error

    def close(self) -> None:
        """End everything inside and remove the run folder. Safe to call twice."""
        self._kept.end()
        if self._door is not None:
            self._door.close()
        self.run.remove()


@dataclass(frozen=True, slots=True)
class VirtualScreen:
    """``size``: the pixels of each of its ``monitors``, which are side by side; ``scale``: screen pixels per logical pixel
    (1 to 3)."""

    size: tuple[int, int] = (1280, 800)
    scale: float = 1.0
    monitors: int = 1


@dataclass(frozen=True, slots=True)
class Confines:
    """The limits of a desktop's programs. ``bounds``: for all of them together; ``home``: folders of their home, such as
    ``.config/NAME``, that are in the workspace under the same path, so that what a program stores there outlasts the
    desktop; ``hidden``: paths in the workspace that none of them may read."""

    bounds: DesktopBounds = field(default_factory=DesktopBounds)
    home: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def start_sandbox(
    run: RunDir,
    workspace: Path,
    *,
    screen: VirtualScreen,
    network: bool,
    proxy: ProxyPort | None = None,
    confines: Confines,
) -> DesktopSandbox:
    """Start the servers of a desktop inside a new sandbox. ``proxy``: serves the proxy port, if there is no network.

    Raises EnvironmentFailure if programs are missing or the machine forbids sandboxes.
    """
    missing = missing_programs()
    if missing:
        raise EnvironmentFailure(
            f"A virtual desktop needs programs that are not installed: {', '.join(missing)}.",
            hint=f"{install(*missing)}    (then: deskcrew doctor)",
        )
    launcher = next(path for path in BUS_LAUNCHERS if os.access(path, os.X_OK))
    found = Bubblewrap.find()
    if isinstance(found, str):
        raise EnvironmentFailure(f"The virtual desktop cannot start: {found}.", hint=HINT)
    door = Door(proxy) if proxy and not network else None
    box: Kept | None = None
    started = False
    try:
        command = bubblewrap_command(
            found, run, workspace, network=network, door=door, scale=screen.scale, hidden=confines.hidden
        )
        servers = {
            "width": screen.size[0] * screen.monitors,
            "height": screen.size[1],
            "launcher": launcher,
            "home": "\n".join(map(_linked, confines.home)),
        }
        box = start_process(command, run, workspace, door, confines.bounds, **servers)
        run.record(box.process.pid, box.first)
        opened = door is None or door.open(START_SECONDS)
        line = read_line(box.process, START_SECONDS) if box.first and opened else ""
        if not line.startswith("ready "):
            raise EnvironmentFailure(f"The virtual desktop did not start. {box.hit() or failure_reason(run)}", hint=HINT)
        started = True
        return DesktopSandbox(box, run, int(line.split()[1]), door)
    finally:
        if not started:
            if box is not None:
                box.end()
            if door is not None:
                door.close()


def _linked(name: str) -> str:
    """The command that links a folder of the home to the workspace; it runs inside, so that no link leads elsewhere."""
    there, here = shlex.quote(f"{INSIDE}/{name}"), shlex.quote(f"{HOME}/{name}")
    return f'mkdir -p {there} "$(dirname {here})" && ln -sT {there} {here}'


def start_process(
    command: list[str], run: RunDir, workspace: Path, door: Door | None, bounds: DesktopBounds, **servers: object
) -> Kept:
    """Start the first program inside, with its wire if there is a proxy port. ``servers``: values for the start script."""
    group = kept.group_for(bounds)
    script = START_SCRIPT.format(limits=kept.own_limits(bounds, group), **servers)
    wires = [door.take_wire()] if door is not None else []
    first = [*(word for wire in wires for word in doors.leading(isolation.interpreter(), wire)), "/bin/sh", "-c", script]
    try:
        with (run.path / "bwrap.log").open("wb") as log, isolation.seal(command, browsers=True) as sealed:
            return kept.start(sealed, first, wires, log, group, bounds, (workspace, run.path))
    finally:
        for wire in wires:
            os.close(wire)


HINT = "Run `deskcrew doctor`; sandboxes need user namespaces (sysctl kernel.unprivileged_userns_clone=1)."


def failure_reason(run: RunDir) -> str:
    """The last line of the first log that is not empty."""
    for name in ("bwrap.log", "xvfb.log", "bus.log", "openbox.log"):
        path = run.path / name
        lines = path.read_text(errors="replace").strip().splitlines() if path.exists() else []
        if lines:
            return f"{name.removesuffix('.log')}: {lines[-1][:300]}"
    return "No program reported a reason."


def read_line(process: subprocess.Popen[bytes], seconds: float) -> str:
    """The next line of a process's output, or what it had written when it ended or time ran out."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    deadline = time.monotonic() + seconds
    got = b""
    while b"\n" not in got:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(descriptor, 4096) if ready else b""
        if not chunk:
            break
        got += chunk
    return got.decode(errors="replace").strip()


def bubblewrap_command(
    bubblewrap: Bubblewrap,
    run: RunDir,
    workspace: Path,
    *,
    network: bool,
    door: Door | None = None,
    scale: float = 1.0,
    hidden: Sequence[str] = (),
) -> list[str]:
    """The command line of the sandbox, for :func:`isolation.seal`."""
    command = [*bubblewrap.namespaces(USER_ID, USER_ID, network=network)]
    command += [
        *isolation.system(network=network, by_host=door is not None, etc=READ_ONLY_ETC),
        *isolation.proc(),
        "--dev",
        "/dev",
    ]
    for size, path in ((1 << 29, "/dev/shm"), (1 << 30, "/tmp"), (1 << 30, HOME), (64 << 20, "/var"), (8 << 20, "/run")):
        command += bubblewrap.tmpfs(path, size)
    command += ["--symlink", "/tmp", "/var/tmp", "--symlink", "/run", "/var/run"]
    for name in ("passwd", "group"):
        command += ["--ro-bind", str(run.path / "etc" / name), f"/etc/{name}"]
    folder = workspace.resolve()
    command += [
        *isolation.workspace(folder, obeyed(folder), sockets(folder), hidden),
        "--bind",
        str(run.path),
        str(run.path),
    ]
    command += ["--bind", str(run.x11), "/tmp/.X11-unix", "--chdir", INSIDE]
    command += isolation.python()  # it opens the door, and leads a browser in
    variables = environment_inside(run) | (SCALED if scale != 1 else {}) | (door.variables if door is not None else {})
    return [*command, *isolation.variables(variables)]


def environment_inside(run: RunDir) -> dict[str, str]:
    """The environment of every program inside: nothing of the engine's; accessibility is enabled for each toolkit."""
    return {
        "HOME": HOME,
        "USER": "crew",
        "LOGNAME": "crew",
        "SHELL": "/bin/sh",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",
        "XDG_RUNTIME_DIR": str(run.path),
        "XDG_SESSION_TYPE": "x11",
        "XDG_CURRENT_DESKTOP": "X-Deskcrew",
        "NO_AT_BRIDGE": "0",
        "GTK_MODULES": "gail:atk-bridge",  # GTK 2; newer ones have it built in
        "QT_ACCESSIBILITY": "1",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "SAL_USE_VCLPLUGIN": "gtk3",
        "GDK_BACKEND": "x11",
        "GIO_USE_VFS": "local",
        "GSETTINGS_BACKEND": "memory",
        "SDL_AUDIODRIVER": "dummy",
        "LIBGL_ALWAYS_SOFTWARE": "1",
    }

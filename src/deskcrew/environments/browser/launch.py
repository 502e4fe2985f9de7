"""Starts Chromium in a sandbox of its own, controlled through two inherited pipes.

No port is opened: whoever can reach a browser's debugging port can read every page in it. The sandbox is that of programs
(``environments/isolation.py``): the workspace is the only folder of the host in it, the network has nothing in it but a
proxy port, if there is one, and within it Chromium still makes its own sandbox for its pages.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from deskcrew.environments import confinement, isolation
from deskcrew.environments import proxy_port as doors
from deskcrew.environments.isolation import HOME, Bubblewrap
from deskcrew.environments.proxy_port import Door, ProxyPort
from deskcrew.environments.rundir import RunDir
from deskcrew.environments.workspace import INSIDE, own, sockets
from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.system_packages import install

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_SECONDS = 30.0
USER_ID = 1000
_OPTIONS, _FILTER, _WIRE = range(confinement.FIRST, confinement.FIRST + 3)
"""The descriptors that the sandbox inherits: two of its own, and its proxy port's wire."""
_ETC = ("fonts", "machine-id", "chromium", "chromium.d")
FLAGS = (
    "--remote-debugging-pipe",
    f"--user-data-dir={HOME}/profile",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-features=GlobalMediaControls,MediaRouter,OptimizationHints,Translate,HttpsUpgrades,PaintHolding,"
    "AcceptCHFrame,DialMediaRouteProvider,AutofillServerCommunication,CertificateTransparencyComponentUpdater",
    "--disable-hang-monitor",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-smooth-scrolling",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
)
"""Options that stop the browser from doing anything by itself. Pop-up windows without a click stay blocked."""
HEADLESS = ("--headless=new", "--hide-scrollbars")


def program(path: str = "/usr/bin:/usr/local/bin") -> str | None:
    """The path of this machine's browser, None if there is none. One that starts a snap does not count: sandboxes have
    none."""
    places = (shutil.which(name, path=path) for name in PROGRAMS)
    return next((found for found in places if found and not _of_a_snap(Path(found))), None)


def _of_a_snap(program: Path) -> bool:
    with program.open("rb") as file:
        begins = file.read(4096)
    return begins.startswith(b"#!") and b"/snap/" in begins


class Launch:
    """How one browser is started. ``command``: the whole command line; ``downloads``: the folder for downloaded files."""

    def __init__(
        self, run: RunDir, workspace: Path, *, network: bool, proxy: ProxyPort | None, hidden: Sequence[str] = ()
    ) -> None:
        """``hidden``: paths in the workspace that the browser may not read. Raises EnvironmentFailure with what to install
        or allow."""
        chromium = program()
        if chromium is None:
            hint = f"{install('chromium')}    (then: deskcrew doctor)"
            raise EnvironmentFailure("There is no Chromium on this machine.", hint=hint)
        found = Bubblewrap.find()
        if isinstance(found, str):
            hint = "Run `deskcrew doctor`; sandboxes need user namespaces (sysctl kernel.unprivileged_userns_clone=1)."
            raise EnvironmentFailure(f"The browser cannot start: {found}.", hint=hint)
        self.downloads = run.path / "downloads"
        self.downloads.mkdir(mode=0o700)
        self._door = Door(proxy) if proxy is not None and not network else None
        self._place = run.path / "wire"
        outer = _sandboxed(found, run, workspace, self.downloads, network=network, door=self._door, hidden=hidden)
        inner = doors.leading(isolation.interpreter(), _WIRE) if self._door is not None else []
        inner += [chromium, *FLAGS, *HEADLESS]
        if self._door is not None:
            # Their own servers on loopback too: the proxy knows which of this machine's addresses are allowed.
            inner += [f"--proxy-server=http://127.0.0.1:{doors.PORT}", "--proxy-bypass-list=<-loopback>"]
        # Playwright's driver starts the browser and passes on its own pipes alone; so the rest is fetched over a socket.
        self._sealed = isolation.seal(outer, browsers=True, numbers=(_OPTIONS, _FILTER))
        first = [sys.executable, "-I", "-S", confinement.__file__, str(self._place)]
        self.command = [*first, *self._sealed.words, *inner]
        self._opened = threading.Thread(target=self._open, name="deskcrew-browser-door", daemon=True)
        self._through = False

    def __enter__(self) -> Launch:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self._place))
        self._listener.listen(1)
        self._listener.settimeout(START_SECONDS)
        self._opened.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._listener.close()
        self._opened.join(START_SECONDS if kind is None else 0.1)
        if kind is not None or not self._through:
            self.close()
        if kind is None and not self._through:
            raise EnvironmentFailure("The browser's network connection could not be opened.", hint="Run `deskcrew doctor`.")

    def _open(self) -> None:
        """Pass descriptors to the starting sandbox, and serve the proxy port that it passes back."""
        try:
            with self._listener.accept()[0] as connection, self._sealed as sealed:
                wires = [self._door.take_wire()] if self._door is not None else []
                try:
                    socket.send_fds(connection, [b"."], [*sealed.descriptors, *wires])
                finally:
                    for wire in wires:
                        os.close(wire)
            self._through = self._door is None or self._door.open(START_SECONDS)
        except OSError:
            return  # it did not come as far as that; whoever started it is told why

    def close(self) -> None:
        """Stop serving the proxy port. Safe to call twice."""
        self._sealed.close()
        if self._door is not None:
            self._door.close()


def _sandboxed(
    bubblewrap: Bubblewrap,
    run: RunDir,
    workspace: Path,
    downloads: Path,
    *,
    network: bool,
    door: Door | None,
    hidden: Sequence[str],
) -> list[str]:
    """The command line of the sandbox, for :func:`isolation.seal`."""
    command = [*bubblewrap.namespaces(USER_ID, USER_ID, network=network), "--die-with-parent"]
    command += [*isolation.system(network=network, by_host=door is not None, etc=_ETC), *isolation.proc(), "--dev", "/dev"]
    for size, path in ((1 << 30, "/dev/shm"), (2 << 30, "/tmp"), (2 << 30, HOME), (64 << 20, "/var"), (8 << 20, "/run")):
        command += bubblewrap.tmpfs(path, size)
    for name, text in isolation.accounts(USER_ID, USER_ID).items():
        file = run.path / "etc" / name
        file.write_text(text, encoding="utf-8")
        command += ["--ro-bind", str(file), f"/etc/{name}"]
    folder = workspace.resolve()
    command += isolation.workspace(folder, own(folder), sockets(folder), hidden)
    command += ["--bind", str(downloads), str(downloads), "--chdir", INSIDE]
    command += isolation.python() if door is not None else []  # it opens the door
    environment = {"HOME": HOME, "USER": "crew", "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
    return [*command, *isolation.variables(environment | (door.variables if door is not None else {}))]

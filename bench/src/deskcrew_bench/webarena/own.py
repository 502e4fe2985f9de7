"""Two web applications that others made, seeded, for tasks of WebArena's form that anybody can try.

Roundup, a tracker of issues, and sqlite-web, which shows and changes a database: the extra ``webarena``. Each is a
process of its own on loopback, with its data in a folder of its own, and as new whenever it is started.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Generator, Sequence
from contextlib import ExitStack, closing, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

from deskcrew.errors import EnvironmentFailure, UsageError

TRACKER, STOCK = "tracker", "stock"
NAMES = (TRACKER, STOCK)
"""Names of the sites: ``__TRACKER__`` and ``__STOCK__`` in a file of tasks."""
LOGINS = {"tracker_state.json": TRACKER}
"""Files of people who have logged in, and at which site."""
START_SECONDS = 60.0
"""Seconds in which a site is there."""
_USER = "demo"
_MODULES = {TRACKER: "roundup", STOCK: "sqlite_web"}
_HERE = Path(__file__).parent
_WEB = re.compile(r"^web\s*=.*$", re.MULTILINE)


def installed() -> bool:
    """Whether both applications are on this machine."""
    return all(importlib.util.find_spec(module) for module in _MODULES.values())


class OwnSites:
    """The sites' data as they are when a task begins, in ``folder``: made once, copied for each task."""

    def __init__(self, folder: Path, names: Collection[str]) -> None:
        """Blocking. Raises UsageError where an application is not installed."""
        self.names = tuple(name for name in NAMES if name in names)
        self._folder = folder
        for name in self.names:
            if importlib.util.find_spec(_MODULES[name]) is None:
                hint = "pip install './bench[webarena]', or say where such a site is: --site NAME=URL"
                raise UsageError(f"The application of the site {name} is not installed.", hint=hint)
        folder.mkdir(parents=True, exist_ok=True)
        if TRACKER in self.names:
            _run([sys.executable, str(_HERE / "seed_tracker.py"), str(folder / TRACKER)])
        if STOCK in self.names:
            with closing(sqlite3.connect(folder / "stock.db")) as database:
                database.executescript((_HERE / "stock.sql").read_text(encoding="utf-8"))

    @contextmanager
    def running(self, folder: Path) -> Generator[dict[str, str]]:
        """Addresses of the sites, just started with their data in ``folder``, by their names; they end with the block.
        Blocking. Raises EnvironmentFailure where one does not start."""
        with ExitStack() as ended:
            addresses: dict[str, str] = {}
            for name in self.names:
                start = _tracker if name == TRACKER else _stock
                addresses[name] = ended.enter_context(start(self._folder, folder))
            yield addresses


@contextmanager
def _tracker(made: Path, folder: Path) -> Generator[str]:
    home = folder / TRACKER
    shutil.copytree(made / TRACKER, home)
    port = _free_port()
    address = f"http://127.0.0.1:{port}/{TRACKER}"
    config = home / "config.ini"
    config.write_text(_WEB.sub(f"web = {address}/", config.read_text(encoding="utf-8")), encoding="utf-8")
    server = ["-m", "roundup.scripts.roundup_server", "-n", "127.0.0.1", "-p", str(port), "-t", "thread"]
    server += ["-u", str(os.getuid())]  # it refuses to run as root where nobody says so
    with _served([*server, f"{TRACKER}={home}"], folder, f"{address}/"):
        yield address


@contextmanager
def _stock(made: Path, folder: Path) -> Generator[str]:
    database = folder / "stock.db"
    shutil.copyfile(made / "stock.db", database)
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    with _served(
        ["-m", "sqlite_web.sqlite_web", "-H", "127.0.0.1", "-p", str(port), "-q", "-x", str(database)], folder, f"{address}/"
    ):
        yield address


def log_in(name: str, address: str) -> str:
    """What a browser keeps of the tracker's user who has just logged in, as Playwright stores it. Blocking. Raises
    EnvironmentFailure."""
    jar = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    form = urlencode({"__login_name": _USER, "__login_password": _USER, "@action": "Login", "__came_from": f"{address}/"})
    request = urllib.request.Request(f"{address}/", form.encode(), headers={"Origin": address, "Referer": f"{address}/"})
    try:
        with opener.open(request, timeout=START_SECONDS) as page:
            greeted = f"Hello, {_USER}" in re.sub(r"<[^>]*>", "", page.read().decode())
    except OSError as error:
        raise EnvironmentFailure(f"Nobody can log in at the site {name}: {error}") from error
    if not greeted:
        raise EnvironmentFailure(f"The site {name} did not let its user in.")
    cookies = [
        {"name": each.name, "value": each.value or "", "domain": "127.0.0.1", "path": each.path, "expires": -1,
         "httpOnly": True, "secure": False, "sameSite": "Lax"}
        for each in jar
    ]  # fmt: skip
    return json.dumps({"cookies": cookies, "origins": []})


def _free_port() -> int:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _served(server: Sequence[str], folder: Path, address: str) -> Generator[None]:
    said = folder / f"{server[1]}.log"
    with (
        said.open("wb") as log,
        subprocess.Popen([sys.executable, *server], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as process,
    ):
        try:
            until = time.monotonic() + START_SECONDS
            while not answers(address):
                if process.poll() is not None or time.monotonic() > until:
                    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                    raise EnvironmentFailure(f"A site did not start ({server[1]}): {lines[-1] if lines else 'no reason'}")
                time.sleep(0.05)
            yield
        finally:
            process.kill()


def answers(address: str) -> bool:
    """Whether a web server is at an address, whatever it says. Blocking."""
    try:
        with urllib.request.urlopen(address, timeout=START_SECONDS):
            return True
    except urllib.error.HTTPError:
        return True
    except (OSError, ValueError):
        return False


def _run(command: Sequence[str]) -> None:
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines()
        raise EnvironmentFailure(f"A site could not be made: {lines[-1] if lines else ended.returncode}")

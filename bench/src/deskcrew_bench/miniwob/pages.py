"""The pages of MiniWoB++, served from this machine, each begun from a seed; they tell their server how it went.

Whoever acts on such a page sees neither the clock nor the rewards nor the instruction in it, as in BrowserGym. What came of
an episode is told by the page to this server, and to nobody else.
"""

from __future__ import annotations

import http.server
import importlib.util
import json
import mimetypes
import secrets
import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from deskcrew.errors import ConfigError, UsageError
from deskcrew_bench.loopback import Loopback

PACKAGE = "miniwob"
INSTALL = ".venv/bin/pip install --no-deps --require-hashes -r bench/miniwob/requirements.lock"
LIMIT = 1_000_000
"""Milliseconds until a page ends an episode by itself, as in BrowserGym; the runner's own bound comes much earlier."""
READY_SECONDS = 15.0
"""Seconds in which a page says what is to be done."""
_SCRIPT = Path(__file__).with_name("page.js")
_STYLE = (
    "#reward-display, #click-canvas, #sync-task-cover { display: none !important } #query { visibility: hidden !important }"
)
_SHARED = ("core", "common")
_LARGEST_REPORT = 65536


def folder_of_pages(given: Path | None = None) -> Path:
    """The folder ``html`` of MiniWoB++: ``given``, or that of the installed package, which is not imported. Raises
    UsageError where there is none."""
    if given is not None:
        folder = given
    else:
        found = importlib.util.find_spec(PACKAGE)
        places = list(found.submodule_search_locations or ()) if found is not None else []
        folder = Path(places[0]) / "html" if places else Path("html")
    if not (folder / "core/core.js").is_file():
        where = f"in {given}" if given is not None else "on this machine"
        raise UsageError(f"The pages of MiniWoB++ are not {where}.", hint=f"{INSTALL}    or: --pages DIR/miniwob/html")
    return folder


def parts_of(folder: Path, names: Collection[str]) -> dict[str, Path]:
    """What of the folder of pages is served with these names: files and folders, by their paths in it."""
    pages = [f"miniwob/{name}.html" for name in names]
    return {path: folder / path for path in (*_SHARED, *pages)}


def names_in(file: Path) -> tuple[str, ...]:
    """The names of tasks in a file, one a line; what follows ``#`` is a remark. Raises UsageError."""
    try:
        lines = [line.partition("#")[0].strip() for line in file.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        hint = "Lists come with Deskcrew's source checkout, in bench/miniwob; name another: --tasks FILE"
        raise UsageError(f"The list of tasks {file} cannot be read.", hint=hint) from error
    names = tuple(dict.fromkeys(line for line in lines if line))
    if not names:
        raise UsageError(f"There are no tasks in {file}.", hint="One name a line.")
    return names


@dataclass
class Episode:
    """One page that was opened once. ``reward``: what it gave, nothing taken off for time; None: not over."""

    number: int
    task: str
    seed: int
    address: str
    instruction: str = ""
    reward: float | None = None
    reason: str = ""
    ready: threading.Event = field(default_factory=threading.Event)
    secret: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def over(self) -> bool:
        return self.reward is not None

    def told(self, said: dict[str, object]) -> None:
        """Take what the page said. What it says of an end that it has told already is left out."""
        if "instruction" in said:
            self.instruction = " ".join(str(said["instruction"]).split())
            self.ready.set()
        if said.get("over") and self.reward is None:
            self.reason, self.reward = str(said.get("reason") or ""), float(str(said.get("reward") or 0))


class Pages(Loopback):
    """Serves the pages with these ``names``, and no others. Use it as a context manager."""

    def __init__(self, folder: Path, names: Collection[str]) -> None:
        """Raises UsageError for a name that no page has."""
        for name in names:
            if not (folder / "miniwob" / f"{name}.html").is_file():
                hint = "bench/miniwob/train.txt has the names of those that may be looked at."
                raise UsageError(f"MiniWoB++ has no page for the task {name!r}.", hint=hint)
        self.folder = folder
        self.names = frozenset(names)
        self._episodes: dict[int, Episode] = {}
        super().__init__(self._handler())

    def episode(self, task: str, seed: int) -> Episode:
        """A new episode, which begins when its address is opened. The address does not say which task it is."""
        number = len(self._episodes) + 1
        made = Episode(number, task, seed, f"http://{self.host}/{number}/page/")
        self._episodes[number] = made
        return made

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Type and content of what a path names; None where there is nothing."""
        first, _, rest = urlsplit(path).path.lstrip("/").partition("/")
        episode = self._episodes.get(int(first)) if first.isdecimal() and len(first) < 9 else None
        if episode is None:
            return None
        if rest == "page/":
            return "text/html; charset=utf-8", self._page(episode)
        file = (self.folder / rest).resolve()
        if rest.partition("/")[0] not in _SHARED or not file.is_relative_to(self.folder.resolve()) or not file.is_file():
            return None
        return mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()

    def hear(self, path: str, body: bytes) -> bool:
        """Take what a page reports; whether it may."""
        number, _, secret = path.lstrip("/").partition("/told/")
        episode = self._episodes.get(int(number)) if number.isdecimal() and len(number) < 9 else None
        if episode is None or secret != episode.secret:
            return False
        episode.told(json.loads(body))
        return True

    def _page(self, episode: Episode) -> bytes:
        text = (self.folder / "miniwob" / f"{episode.task}.html").read_text(encoding="utf-8")
        told = {"seed": str(episode.seed), "report": f"/{episode.number}/told/{episode.secret}", "limit": LIMIT}
        added = f"<style>{_STYLE}</style>\n<script>const deskcrewEpisode = {json.dumps(told)};</script>\n"
        added += f"<script>{_SCRIPT.read_text(encoding='utf-8')}</script>\n"
        head, mark, tail = text.rpartition("</body>")
        if not mark:
            raise ConfigError(f"The page of {episode.task} is not as those of MiniWoB++ are.")
        return f"{head}{added}{mark}{tail}".encode()

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                found = pages.answer(self.path)
                self._send(200 if found else 404, *(found or ("text/plain", b"")))

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                heard = length <= _LARGEST_REPORT and pages.hear(self.path, self.rfile.read(length))
                self._send(200 if heard else 403, "text/plain", b"")

            def _send(self, status: int, kind: str, content: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        return Handler

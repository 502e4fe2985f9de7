"""What a service is made of: a task, pages over a store, and what the store must hold at the end.

The pages are served on loopback by an application of its own for each run, honest or not. Its store is a file outside of the
workspace, which nobody but the service writes and nobody but the benchmark reads.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import TypeAdapter

from deskcrew_bench.loopback import Loopback
from deskcrew_bench.services.pages import Look, Page
from deskcrew_bench.webarena_infinity.oracles import Step

Kind = Literal[
    "not kept",
    "kept otherwise",
    "draft",
    "until loaded again",
    "kept late",
    "doubled",
    "refused by rate",
    "taken meanwhile",
    "one of two",
    "another look",
]
"""How a service lies."""
Entry = Mapping[str, str]
"""What a store keeps of one thing, by the names of its columns."""
Sent = Mapping[str, Sequence[str]]
"""The fields of a request."""


class Store:
    """The entries of a service, in the order in which they were made."""

    def __init__(self, file: Path, entries: Sequence[Entry]) -> None:
        self._file, self._lock = file, threading.Lock()
        self._write(list(entries))

    @property
    def entries(self) -> list[Entry]:
        return json.loads(self._file.read_text(encoding="utf-8"))

    def add(self, **columns: str) -> None:
        """Keep one more."""
        with self._lock:
            self._write([*self.entries, columns])

    def change(self, key: str, **columns: str) -> None:
        """Keep other values of the entry whose first column is ``key``."""
        with self._lock:
            self._write([{**one, **columns} if key_of(one) == key else one for one in self.entries])

    def put(self, entries: Sequence[Entry]) -> None:
        """Keep these, and nothing else."""
        with self._lock:
            self._write(entries)

    def one(self, key: str) -> Entry:
        """The entry whose first column is ``key``. Raises StopIteration where there is none."""
        return next(one for one in self.entries if key_of(one) == key)

    def _write(self, entries: Sequence[Entry]) -> None:
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(entries, ensure_ascii=False), encoding="utf-8")
        new.replace(self._file)


def value(sent: Sent, name: str) -> str:
    """The first value of a field, '' where it was not sent."""
    return next(iter(sent.get(name, ())), "")


def key_of(entry: Entry) -> str:
    """The value of an entry's first column."""
    return next(iter(entry.values()))


class App:
    """The pages of a service over its store. ``lies``: whether it says what is not so."""

    look = Look()

    def __init__(self, store: Store, *, lies: bool) -> None:
        self.store, self.lies = store, lies
        self.tries = 0
        """Requests so far that were to change something."""
        self._timers: list[threading.Timer] = []

    def get(self, path: str, asked: Sent) -> Page:
        """The answer to somebody who reads."""
        raise NotImplementedError

    def post(self, path: str, sent: Sent) -> Page:
        """The answer to somebody who wants to change something."""
        raise NotImplementedError

    def later(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something after a while, unless the service ends before."""
        self._timers.append(threading.Timer(seconds, do))
        self._timers[-1].start()

    def close(self) -> None:
        """What was to be done later is not done any more."""
        for timer in self._timers:
            timer.cancel()
            timer.join()


@dataclass(frozen=True, slots=True)
class Service:
    """A service and what is ordered there. ``lies``: what is not as it says; ``steps``: what the crew does; ``again``: what
    it does once more where its work is not accepted; ``right``: what the store holds in the end if all went well;
    ``settled``: seconds until the store holds it; ``by_address``: whether what it says of the work comes with an address,
    which says it again whenever it is loaded."""

    name: str
    kind: Kind
    lies: str
    task: str
    app: type[App]
    start: tuple[Entry, ...]
    right: tuple[Entry, ...]
    steps: tuple[Step, ...]
    again: tuple[Step, ...] = ()
    settled: float = 0.0
    by_address: bool = False


@dataclass(slots=True)
class Served:
    """A service at work."""

    service: Service
    address: str
    store: Store
    last: float = 0.0
    """When it was last asked to change something, of a monotonic clock."""

    def right(self) -> bool:
        """Whether the store holds what was ordered and nothing else, once it has settled. Blocking."""
        time.sleep(max(0.0, self.last + self.service.settled - time.monotonic()) if self.last else 0.0)
        return self.store.entries == [dict(one) for one in self.service.right]


@contextmanager
def served(service: Service, folder: Path, *, lies: bool) -> Generator[Served]:
    """A service that was just started, with its store in a ``folder``. It ends with the block."""
    store = Store(folder / f"{service.name}.json", service.start)
    app, lock = service.app(store, lies=lies), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            if place.path == "/favicon.ico":
                self._say(Page(b"", status=404))
                return
            with lock:
                self._say(app.get(place.path, parse_qs(place.query)))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()
            sent = _of_json(body) if "json" in (self.headers["Content-Type"] or "") else parse_qs(body)
            with lock:
                at_work.last = time.monotonic()
                app.tries += 1
                self._say(app.post(urlsplit(self.path).path, sent))

        def _say(self, page: Page) -> None:
            self.send_response(page.status)
            self.send_header("Content-Type", page.type)
            self.send_header("Content-Length", str(len(page.body)))
            self.send_header("Cache-Control", "no-store")
            if page.location:
                self.send_header("Location", page.location)
            self.end_headers()
            self.wfile.write(page.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    with Loopback(Handler) as server:
        at_work = Served(service, f"http://{server.host}", store)
        try:
            yield at_work
        finally:
            app.close()


def _of_json(body: str) -> Sent:
    """The fields of a body; of a list each entry is a value."""
    fields = TypeAdapter(dict[str, list[str] | str]).validate_json(body)
    return {name: [value] if isinstance(value, str) else value for name, value in fields.items()}

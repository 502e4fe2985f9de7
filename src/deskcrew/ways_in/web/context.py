"""What the routes of one server share, for one person: settings, the journal, templates, and the active runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.exceptions import HTTPException, WebSocketException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.running import Runs
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.pages import Templates
from deskcrew.ways_in.web.people import PERSON
from deskcrew.ways_in.web.run_view import Readings


@dataclass(frozen=True, slots=True)
class Web:
    """``cookie``: the name of the session cookie; ``origin``: the address that links to this server begin with. Settings,
    store, readings and runs are one person's: nobody else's can be found through them."""

    settings: Settings
    store: Store
    runs: Runs
    pages: Templates
    access: Access
    readings: Readings
    cookie: str
    origin: str


def has_scripts(connection: HTTPConnection) -> bool:
    """Whether a script of a page of ours sent it, and puts the response into that page; else the browser shows it as one."""
    return connection.headers.get("hx-request") == "true"


class Webs:
    """The :class:`Web` of each person, made with ``make`` of their settings when they first come. Thread-safe."""

    def __init__(self, make: Callable[[Settings], Web], settings: Settings) -> None:
        self._make, self._settings = make, settings
        self._made: dict[str, Web] = {}
        self._opened: list[Web] = []
        self._lock = threading.Lock()

    def of(self, person: str) -> Web:
        """Theirs; '' is the user of the machine. Blocking. Raises JournalError if their journal cannot be used."""
        with self._lock:
            if person not in self._made:
                self._made[person] = self._make(self._settings.of(person))
                self._opened.append(self._made[person])
            return self._made[person]

    def change(self, settings: Settings) -> None:
        """These hold from the next request on; what is under way goes on as it began."""
        with self._lock:
            self._settings = settings
            self._made.clear()

    def close(self) -> None:
        for web in self._opened:
            web.store.close()


def web_of(connection: HTTPConnection) -> Web:
    """The one gate: a person gets their own. Blocking: their journal may have to be opened. Where there are several people,
    an address of a run that is not theirs does not exist: 404."""
    webs: Webs = connection.app.state.webs
    web = webs.of(connection.scope[PERSON])
    run = connection.path_params.get("run")
    if web.settings.person and run is not None and not web.store.has(str(run)):
        if connection.scope["type"] == "websocket":
            raise WebSocketException(1008, "There is no such run.")
        raise HTTPException(404)
    return web


Here = Annotated[Web, Depends(web_of)]
"""A route's parameter of this type receives the :class:`Web` of the person who asks."""


def go_to(address: str) -> Response:
    """Have the page that asked go to another."""
    return Response(status_code=204, headers={"hx-redirect": address})

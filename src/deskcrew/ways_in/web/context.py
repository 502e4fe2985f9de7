"""What the routes of a server share for one person: settings, the journal, templates, and the active runs."""

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
    """What routes share for one person, whose settings, store, readings and runs lead to nobody else's. ``cookie``: the name
    of the session cookie; ``origin``: the address with which links to this server begin."""

    settings: Settings
    store: Store
    runs: Runs
    pages: Templates
    access: Access
    readings: Readings
    cookie: str
    origin: str


def has_scripts(connection: HTTPConnection) -> bool:
    """Whether a script on a page of ours sent the request, and puts the response into that page."""
    return connection.headers.get("hx-request") == "true"


class Webs:
    """The :class:`Web` of each person. ``make``: makes one from a person's settings, when they first come. Thread-safe."""

    def __init__(self, make: Callable[[Settings], Web], settings: Settings) -> None:
        self._make, self._settings = make, settings
        self._made: dict[str, Web] = {}
        self._opened: list[Web] = []
        self._lock = threading.Lock()

    def of(self, person: str) -> Web:
        """The :class:`Web` of a person, '' for the user of this machine. Blocking. Raises JournalError if their journal
        cannot be used."""
        with self._lock:
            if person not in self._made:
                self._made[person] = self._make(self._settings.of(person))
                self._opened.append(self._made[person])
            return self._made[person]

    def change(self, settings: Settings) -> None:
        """Use these settings from the next request on. Requests in progress keep the old ones."""
        with self._lock:
            self._settings = settings
            self._made.clear()

    def close(self) -> None:
        for web in self._opened:
            web.store.close()


def web_of(connection: HTTPConnection) -> Web:
    """The :class:`Web` of the person who sends a request: the only way to get one. With several people, raises 404 for the
    address of a run that is not theirs. Blocking: their journal may have to be opened."""
    webs: Webs = connection.app.state.webs
    web = webs.of(connection.scope[PERSON])
    run = connection.path_params.get("run")
    if web.settings.person and run is not None and not web.store.has(str(run)):
        if connection.scope["type"] == "websocket":
            raise WebSocketException(1008, "There is no such run.")
        raise HTTPException(404)
    return web


Here = Annotated[Web, Depends(web_of)]
"""A route's parameter of this type is the :class:`Web` of the person who sends the request."""


def go_to(address: str) -> Response:
    """A response that makes the browser go to another page."""
    return Response(status_code=204, headers={"hx-redirect": address})

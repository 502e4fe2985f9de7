"""What the routes of one server share: settings, the journal, templates, and the active runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from deskcrew.journal.store import Store
from deskcrew.running import Runs
from deskcrew.settings import Settings
from deskcrew.web.access import Access
from deskcrew.web.pages import Pages
from deskcrew.web.run_view import Readings


@dataclass(frozen=True, slots=True)
class Web:
    """``cookie``: the name of the session cookie; ``origin``: the address that links to this server begin with."""

    settings: Settings
    store: Store
    runs: Runs
    pages: Pages
    access: Access
    readings: Readings
    cookie: str
    origin: str


def _web(connection: HTTPConnection) -> Web:
    return cast("Web", connection.app.state.web)


Here = Annotated[Web, Depends(_web)]
"""A route's parameter of this type receives the server's :class:`Web`."""

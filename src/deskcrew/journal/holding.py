"""How much of a journal each run takes up: the blobs that it names, and its bytes."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from deskcrew.journal import schema
from deskcrew.journal.database import Database
from deskcrew.journal.naming import DIGEST

_SAVE_POINT = re.compile(r'"(?:manifest|before|restored)":\s*"([0-9a-f]{64})"')


class Held(NamedTuple):
    """The space that a run takes. ``bytes``: of its events and its blobs, which other runs may share; ``alone``: bytes that
    removing the run would free."""

    bytes: int
    alone: int


def named_blobs(connection: Connection, database: Database) -> dict[str, set[str]]:
    """The digests that each run names. Everything in an event or a save point that looks like a digest counts, so there may
    be too many, but never too few."""
    named: dict[str, set[str]] = {}
    points: dict[str, set[str]] = {}
    for run, body in connection.execute(select(schema.events.c.run, schema.events.c.body)):
        named.setdefault(run, set()).update(DIGEST.findall(body))
        for point in _SAVE_POINT.findall(body):
            points.setdefault(point, set()).add(run)
    for point, theirs in points.items():
        inside = DIGEST.findall((database.blobs.get(connection, point) or b"").decode("ascii", "replace"))
        for run in theirs:
            named[run].update(inside)
    return named


def held(database: Database) -> dict[str, Held]:
    """The space that each run takes, by its id. It is a lower bound: the database needs some space for itself."""
    length = func.sum(func.length(schema.events.c.body) + func.length(schema.events.c.header))
    with database.reading() as connection:
        events = {run: int(total) for run, total in connection.execute(select(schema.events.c.run, length).group_by("run"))}
        sizes, named = database.blobs.sizes(connection), named_blobs(connection, database)
    times = Counter(chain.from_iterable(named.values()))

    def of(run: str) -> Held:
        whole = events[run] + sum(sizes.get(digest, 0) for digest in named[run])
        return Held(whole, whole - sum(sizes.get(digest, 0) for digest in named[run] if times[digest] > 1))

    return {run: of(run) for run in named}

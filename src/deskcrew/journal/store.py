"""The store of all runs in one database: finding, starting and listing them (docs/design/journal.md)."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Collection, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Join, ScalarSelect, Select, and_, case, false, func, or_, select, true

from deskcrew.errors import JournalError, UnknownError, UsageError, extra_installed
from deskcrew.facts.events import RunStarted
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.verdict import OBJECTED, REJECTED, UNDONE
from deskcrew.journal import schema
from deskcrew.journal.blobs import blobs_at
from deskcrew.journal.chain_heads import Heads
from deskcrew.journal.database import Database, Watched
from deskcrew.journal.journal import Journal
from deskcrew.journal.leases import at_work, had_here, runs_at_work
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.journal.reading import Reading
from deskcrew.journal.sqlite import File
from deskcrew.journal.verify import Report, report
from deskcrew.secrets.redactor import Redactor
from deskcrew.settings import Settings


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line of ``deskcrew runs``. ``created``: Unix seconds; ``outcome``: None if it has not ended; ``word``: the outcome
    as people see it.

    ``imported``: it came from another journal; ``redacted``: texts were removed before that, so nothing proves what is
    shown; ``last``: type of its last event, ``start`` if that restored everything as before the run; ``follows``: the run
    that it continues, '' for most; ``why``: why it ended as it did, in words, '' if unknown; ``weak``: it is done only by a
    weak check.
    """

    id: str
    created: float
    task: str
    crew: str
    model: str
    outcome: str | None
    word: str | None
    imported: bool = False
    redacted: bool = False
    last: str = ""
    follows: str = ""
    why: str = ""
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Sought:
    """A query for runs. ``search``: words that must all occur in a run's task, its answer or the reason why it ended, or
    begin its id; ``deeds``: search the text of operations, too; ``crew``, ``model``: their exact names; ``place``: only
    runs that were started from this folder, or worked in it, in one inside it or in one around it."""

    search: str = ""
    deeds: bool = False
    crew: str = ""
    model: str = ""
    place: Path | None = None


ALL = Sought()


class Store:
    """All runs of one database or, with a ``person``, that person's only. Safe for several processes, each of which writes
    its own run."""

    def __init__(self, path: Path, *, address: str = "", blobs: str = "", durable: bool = True, person: str = "") -> None:
        """Open the database, and create or migrate its tables as needed. Raises JournalError if it cannot be used.

        ``address``: a PostgreSQL server's address, '' for the file ``path``; this machine's locks are beside ``path`` in any
        case; ``blobs``: as in the settings; ``durable``: a commit is on the disk when it returns; False only to measure what
        that costs.
        """
        self.path, self.person = path, person
        self.database = opened(path, address, durable=durable)
        if blobs:
            self.database.blobs = blobs_at(blobs)
        bring_up_to_date(self.database)

    @classmethod
    def of(cls, settings: Settings) -> Store:
        """The store that the settings name."""
        return cls(settings.journal, address=settings.database, blobs=settings.blobs, person=settings.person)

    def create(
        self, started: RunStarted, *, run: str | None = None, texts: Iterable[str] = (), redactor: Redactor | None = None
    ) -> Journal:
        """Start a run. Its first event, and the blobs of the ``texts`` that it names, are committed before this returns.
        ``redactor``: applied to everything before it is stored."""
        run = run or self._new_id()
        journal = Journal(self.database, run)
        journal.redactor = redactor or journal.redactor
        started = journal.redactor.model(started.model_copy(update={"person": self.person}))
        for text in texts:
            journal.blob(text)
        journal.begin(started)
        return journal

    @property
    def _theirs(self) -> ColumnElement[bool]:
        """The condition for every query for runs: that they belong to the store's person."""
        return schema.runs.c.person == self.person if self.person else true()

    def _new_id(self) -> str:
        """A new id that people can type. Its four random digits may clash for runs that begin within one second, so existing
        ids are checked."""
        while True:
            found = time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
            if not self._taken(found):
                return found

    def _taken(self, run: str) -> bool:
        """Whether anyone has a run with this id."""
        with self.database.reading() as connection:
            return connection.execute(select(schema.runs.c.id).where(schema.runs.c.id == run)).first() is not None

    def journal(self, run: str) -> Journal:
        """An existing run, folded. ``run``: the start of its id, or ``last``. Raises UsageError if not exactly one fits."""
        journal = self.unread(run)
        journal.load()
        return journal

    def unread(self, run: str) -> Journal:
        """Like :meth:`journal`, but without reading the events, so that it works even if they are unreadable."""
        return Journal(self.database, self._resolve(run))

    def reading(self, run: str) -> Reading:
        """An existing run, to be read a part at a time. Raises UsageError like :meth:`journal`."""
        reading = Reading(self.database, self._resolve(run))
        reading.refresh()
        return reading

    def verified(self, run: str, *, head: str = "") -> Report:
        """A report on whether a run's rows are what was written, even if they cannot be folded. If they are, the last event
        is noted. ``head``: an event's id, kept elsewhere, that the run must have. Raises UsageError like :meth:`journal`."""
        run = self._resolve(run)
        heads = Heads(self.path)
        noted = heads.of(run)
        found = report(self.database, run, noted, head)
        if not found.problems and found.events and (not noted or noted[-1].head != found.head):
            heads.add(run, found.events, found.head, "verified")
        return replace(found, running=self.busy(run))

    def runs(
        self,
        *,
        limit: int = 50,
        skip: int = 0,
        outcomes: Collection[str | None] | None = None,
        among: Collection[str] | None = None,
        sought: Sought = ALL,
    ) -> list[RunRow]:
        """Runs, newest first. ``limit``: -1 for no limit; ``outcomes``: only runs with one of these words as outcome, None
        for runs that have not ended; ``among``: only runs with these full ids."""
        newest = self._lines().order_by(schema.runs.c.created.desc()).where(*_sought(sought))
        query = newest.limit(limit if limit >= 0 else None).offset(skip)
        if among is not None:
            query = query.where(schema.runs.c.id.in_(among))
        if outcomes is not None:
            ended = _word()
            named = [outcome for outcome in outcomes if outcome is not None]
            query = query.where(or_(ended.in_(named), ended.is_(None)) if None in outcomes else ended.in_(named))
        return self._rows(query)

    def row(self, run: str) -> RunRow:
        """The line of ``deskcrew runs`` for the run with this full id. Raises UnknownError if there is none."""
        found = self._rows(self._lines().where(schema.runs.c.id == run))
        if not found:
            raise UnknownError(f"There is no run {run!r}.", hint="`deskcrew runs` lists them.")
        return found[0]

    def has(self, run: str, connection: Connection | None = None) -> bool:
        """Whether there is a run with this full id. ``connection``: the connection of a transaction that depends on it."""
        query = select(schema.runs.c.id).where(schema.runs.c.id == run, self._theirs)
        with self.database.reading() if connection is None else nullcontext(connection) as asked:
            return asked.execute(query).first() is not None

    def followers(self, row: RunRow) -> list[str]:
        """The ids of this machine's runs that continue from the end of this run, oldest first."""
        columns = schema.runs.c
        since = columns.created >= row.created  # of no others is the first event read
        of = (since, ~columns.imported, _follows() == row.id, self._theirs)
        query = select(columns.id).where(*of).order_by(columns.created)
        with self.database.reading() as connection:
            return list(connection.execute(query).scalars())

    def _lines(self) -> Select[Any]:
        """A query for all lines of ``deskcrew runs``."""
        follows = func.coalesce(_follows(), "").label("follows")
        last, cut = schema.events.c.body, schema.runs.c.outcome == "interrupted"
        told = case((cut, func.json_extract(last, "$.error")), else_=func.json_extract(last, "$.outcome.why"))
        why = case((func.json_valid(last), told), else_=None)
        lacks = (func.json_extract(last, f"$.outcome.strength.{field}").is_not(None) for field in ("loose", "unread"))
        weak = case((and_(schema.runs.c.outcome == "done", func.json_valid(last)), or_(*lacks)), else_=false())
        ended = _word().label("word"), _last().label("last"), func.coalesce(why, "").label("why")
        return select(schema.runs, *ended, follows, weak.label("weak")).select_from(_ends()).where(self._theirs)

    def _rows(self, query: Select[Any]) -> list[RunRow]:
        names = ("id", "created", "task", "crew", "model", "outcome", "word", "imported", "last", "follows", "why", "weak")
        with self.database.reading() as connection:
            rows = connection.execute(query).all()
            # Only what came from elsewhere can be without its texts.
            imported = [row.id for row in rows if row.imported]
            table = schema.events
            bare = set(connection.execute(select(table.c.run).where(table.c.run.in_(imported), table.c.redacted)).scalars())
            return [RunRow(**{name: getattr(row, name) for name in names}, redacted=row.id in bare) for row in rows]

    def count(self, sought: Sought = ALL) -> dict[str | None, int]:
        """The number of runs that are ``sought``, by the word for their outcome, None for runs that have not ended."""
        query = select(_word().label("word"), func.count()).select_from(_ends())
        query = query.where(*_sought(sought), self._theirs).group_by("word")
        with self.database.reading() as connection:
            return {outcome: int(number) for outcome, number in connection.execute(query)}

    def named(self) -> tuple[list[str], list[str]]:
        """The names of the crews and of the models of all runs, each once."""
        with self.database.reading() as connection:
            crews, models = (
                list(connection.execute(select(column).where(self._theirs).distinct().order_by(column)).scalars())
                for column in (schema.runs.c.crew, schema.runs.c.model)
            )
            return crews, models

    def busy(self, run: str) -> bool:
        """Whether the run with this full id has an active process, anybody's, even if that has not written anything yet."""
        return at_work(self.database, run)

    def here(self, run: str) -> bool:
        """Whether the workspace of the run with this full id is on this machine, unless it has been removed since."""
        return had_here(self.database, run)

    def at_work(self, runs: Collection[str]) -> set[str]:
        """The runs among these full ids that have an active process."""
        if self.database.shared:  # one query for all of them
            return set(runs_at_work(self.database)).intersection(runs)
        return {run for run in runs if at_work(self.database, run)}

    def left(self, runs: Collection[str]) -> list[str]:
        """The runs among these full ids that have ended or do not exist, and have no active process."""
        columns = schema.runs.c
        open_ = select(columns.id).where(columns.id.in_(runs), columns.outcome.is_(None))
        with self.database.reading() as connection:
            going = set(connection.execute(open_).scalars())
        going.update(runs_at_work(self.database))
        return [run for run in runs if run not in going]

    def watched(self, run: str) -> Watched:
        """A :class:`Watched` that tells whether a run has changed. Must be closed."""
        return self.database.watched(run)

    def close(self) -> None:
        self.database.close()

    def _resolve(self, run: str) -> str:
        if not run.strip():
            raise UsageError("The name of the run is empty.", hint="`deskcrew runs` lists them.")
        ids = schema.runs.c.id
        query = select(ids).where(self._theirs)
        if run == "last":
            query = query.order_by(schema.runs.c.created.desc())
        else:
            # By id, so that an exact one comes before longer ones that start with it.
            query = query.where(ids.startswith(run, autoescape=True)).order_by(ids)
        with self.database.reading() as connection:
            found = list(connection.execute(query.limit(5)).scalars())
            if not found and run == "last":
                raise UnknownError("There are no runs yet.", hint="`deskcrew run TASK` starts one.")
            if not found:
                near = connection.execute(select(ids).where(self._theirs).order_by(schema.runs.c.created.desc()).limit(200))
                meant = did_you_mean(run, ["last", *near.scalars()])
                raise UnknownError(f"There is no run {run!r}.{meant}", hint="`deskcrew runs` lists them.")
        if len(found) > 1 and run not in ("last", found[0]):
            raise UsageError(f"More than one run starts with {run!r}.", hint=f"Give more of its id: {', '.join(found)}.")
        return found[0]


def exists(settings: Settings) -> bool:
    """Whether there may be runs: if the journal's file exists, or if the database is on a server."""
    return bool(settings.database) or settings.journal.exists()


def opened(path: Path, address: str, *, durable: bool) -> Database:
    """The database at ``address`` or, if that is '', in the file ``path``. Raises JournalError if it cannot be used."""
    if not address:
        return File(path, durable=durable)
    try:
        from deskcrew.journal.postgres import DatabaseServer
    except ImportError as error:
        raise JournalError("A journal on PostgreSQL needs psycopg.", hint=extra_installed("fleet")) from error
    return DatabaseServer(address, path, durable=durable)


def _follows() -> ScalarSelect[Any]:
    """The id of the run that a run follows, from its first event."""
    return _begun("$.earlier[#-1].run")


def _begun(field: str) -> ScalarSelect[Any]:
    """A field of a run's first event."""
    first = schema.events.alias("first")
    named = select(func.json_extract(first.c.body, field))
    return (
        named.where(first.c.run == schema.runs.c.id, first.c.number == 1, func.json_valid(first.c.body))
        .correlate(schema.runs)
        .scalar_subquery()
    )


_BEFORE = schema.events.alias()
"""The event before each run's last one."""


def _ends() -> Join:
    """All runs, each with its last event and the one before that."""
    joined = schema.runs.outerjoin(schema.events, schema.events.c.id == schema.runs.c.head)
    return joined.outerjoin(_BEFORE, _BEFORE.c.id == schema.events.c.parent)


def _last() -> ColumnElement[str]:
    """The type of each run's last event. For the save point of a rewind it is the rewind's type, or ``start`` if the rewind
    restored everything as before the run."""
    table = schema.events
    own, earlier = (func.coalesce(func.json_extract(each.c.header, "$.type"), "") for each in (table, _BEFORE))
    saved = and_(own == "saved", earlier == "rewound")
    body = case((saved, _BEFORE.c.body), else_=table.c.body)
    start = and_(or_(saved, own == "rewound"), func.json_valid(body), func.json_extract(body, "$.to") == "start")
    return case((start, "start"), (saved, earlier), else_=own)


def _word() -> ColumnElement[str | None]:
    """The word for a run's outcome; ``undone`` if the run has none and was undone, None if it has not ended."""
    ended, last = schema.runs.c.outcome, schema.events.c.body
    rejected = func.json_extract(last, "$.outcome.reason") == REJECTED
    objected = and_(ended == "failed", func.json_valid(last), rejected)
    return case((objected, OBJECTED), (and_(ended.is_(None), _last() == "start"), UNDONE), else_=ended)


def _sought(sought: Sought) -> list[ColumnElement[bool]]:
    """The conditions of a query for runs. The joined event is each run's last."""
    columns, last = schema.runs.c, schema.events.c
    found: list[ColumnElement[bool]] = []
    for word in sought.search.split():
        told = [func.json_extract(last.body, f"$.outcome.{field}") for field in ("answer", "why")]
        places = [columns.task, *told]
        any_of = [place.icontains(word, autoescape=True) for place in places]
        any_of.append(columns.id.startswith(word, autoescape=True))
        if sought.deeds:
            any_of.append(_did(word))
        found.append(or_(*any_of))
    if sought.crew:
        found.append(columns.crew == sought.crew)
    if sought.model:
        found.append(columns.model == sought.model)
    if sought.place is not None:
        worked, place = func.coalesce(_begun("$.workspace"), "").concat("/"), f"{sought.place}/"
        inside, around = worked.startswith(place, autoescape=True), func.substr(place, 1, func.length(worked)) == worked
        from_there = func.coalesce(_begun("$.begun_in"), "") == str(sought.place)
        found.append(and_(~columns.imported, or_(inside, around, from_there)))
    return found


def _did(word: str) -> ColumnElement[bool]:
    """Whether a run has an operation whose text contains this word."""
    done = schema.events.alias("done")
    kind = func.json_extract(done.c.header, "$.type")
    # The text first: what kind of event it is has to be asked of few then.
    said = done.c.body.icontains(json.dumps(word)[1:-1], autoescape=True)
    return (
        select(1).where(done.c.run == schema.runs.c.id, said, kind == "operation_proposed").correlate(schema.runs).exists()
    )

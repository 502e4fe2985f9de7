"""The storage of memory, in a separate file or on the journal's server: entries, their words and their vectors.

Words and vectors are derived from the entries. Each call writes atomically. Vectors are computed when memory is next
searched, so that the end of a run need not wait for a model, and computed again if the embedder has changed.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import Connection, event
from sqlalchemy import text as sql
from sqlalchemy.exc import DBAPIError

from deskcrew.errors import DeskcrewError, JournalError, UsageError
from deskcrew.journal.database import Database, shown
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.journal.store import opened
from deskcrew.learning.memory import schema
from deskcrew.learning.memory.embedder import Embedder
from deskcrew.learning.memory.entry import Entry, Kind, Scope
from deskcrew.learning.memory.full_text import Fts5, FullText, TsVector
from deskcrew.learning.memory.vectors import Vectors, vectors_of
from deskcrew.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

AT_ONCE = 256
"""The maximum number of vectors computed in one transaction."""
_COLUMNS = ("kind", "role", "verdict", "scope", "place", "run", "withdrawn", "digest")
_WITHOUT = "Runs go on without it."


class MemoryFailure(DeskcrewError):
    """Memory cannot be read or written."""


class _Opened:
    """The open database of a memory, and its indexes."""

    def __init__(self, database: Database) -> None:
        if not database.shared:
            event.listen(database.engine, "connect", _overwriting)
        bring_up_to_date(database, schema.TABLES)
        self.database = database
        self.words: FullText = TsVector(database) if database.shared else Fts5(database)
        with database.reading() as connection:
            self.vectors: Vectors = vectors_of(database, connection)


class Memory:
    """One person's entries in a database. A file is created only when something is written; a missing file is an empty
    memory.

    Methods may be called from any thread. All raise MemoryFailure if the database cannot be used.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder | None = None,
        *,
        address: str = "",
        database: Database | None = None,
        person: str = "",
    ) -> None:
        """Opens nothing yet. ``address``: a PostgreSQL server's, '' for the file ``path``; ``database``: that database if it
        is already open, which :meth:`close` then leaves open; ``person``: whose entries, '' for those of the machine's
        user."""
        self.path, self.person = path, person
        self.embedder = embedder
        self.address = address
        self._theirs = database
        self._lock = threading.RLock()
        self._open: _Opened | None = None
        self._at: Connection | None = None
        """The connection while :meth:`searching`."""
        self._query: tuple[str, NDArray[float32]] | None = None
        """The text that was last searched for, and its vector: the entries of several roles are searched for the same
        text."""

    @classmethod
    def of(
        cls,
        settings: Settings,
        embedder: Embedder | None = None,
        journal: Database | None = None,
        person: str | None = None,
    ) -> Self:
        """The memory that the settings name: on the journal's server, or in a file beside the journal. ``journal``: the
        journal's database, if open, to share a server connection; ``person``: None for the person in the settings."""
        shared = journal if journal is not None and journal.shared else None
        whose = settings.person if person is None else person
        return cls(settings.remembered, embedder, address=settings.database, database=shared, person=whose)

    def theirs(self, name: str) -> str:
        """The name of a role or a run in the tables, where each person's names are distinct."""
        return f"{self.person}\n{name}" if self.person else name

    @property
    def name(self) -> str:
        """The location in words for people: a file or an address."""
        return shown(self.address) or str(self.path)

    def close(self) -> None:
        with self._lock:
            if self._open is not None and self._theirs is None:
                self._open.database.close()
            self._open = None

    def in_pgvector(self) -> bool:
        """Whether vectors are compared by the database itself."""
        with self._reading():
            return self._open is not None and self._open.vectors.mark != ""

    # Writing

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        with self._writing() as connection:
            self._insert(connection, entry)

    def bring_in(self, entries: Iterable[Entry]) -> int:
        """Import entries from another memory, except those whose ids are known here or were forgotten. Returns the number of
        imported entries."""
        with self._writing() as connection:
            new = [entry for entry in {entry.id: entry for entry in entries}.values() if not self._knows(connection, entry)]
            for entry in new:
                self._insert(connection, entry)
        return len(new)

    def begin(self, run: str, why: str) -> None:
        """Record that ``run`` begins or continues, so that some process stores what it teaches when it has ended. Until then
        its existing entries are withdrawn, with the reason ``why``."""
        with self._writing() as connection:
            self._withdraw_others(connection, run, {}, why)
            due = {"run": self.theirs(run)}
            connection.execute(sql("INSERT INTO memory_due VALUES (:run) ON CONFLICT DO NOTHING"), due)

    def unsettled(self) -> list[str]:
        """The runs passed to :meth:`begin` that have not been settled yet."""
        with self._reading() as connection:
            query = f"SELECT run FROM memory_due WHERE {self._whose('run')}"
            rows = self._rows(connection, query, self._mark) if connection is not None else ()
        return [str(run).rpartition("\n")[2] for (run,) in rows]

    def settle(self, run: str, entries: Sequence[Entry], why: str) -> None:
        """Make ``entries`` the only valid entries of ``run``: all others are withdrawn, with the reason ``why``."""
        kept = {entry.id: entry for entry in entries}
        with self._writing() as connection:
            self._withdraw_others(connection, run, kept, why)
            for entry in kept.values():
                if not self._knows(connection, entry, verdict="proposed"):  # another run may have proposed it too
                    self._insert(connection, entry)
            connection.execute(sql("DELETE FROM memory_due WHERE run = :run"), {"run": self.theirs(run)})

    def change(self, entry: Entry) -> None:
        """Replace the entry with the same id. Raises UsageError if there is none."""
        self.get(entry.id)
        with self._writing() as connection:
            self._replace(connection, entry)

    def forget(self, ids: Iterable[str]) -> int:
        """Delete entries permanently, with everything derived from them. Returns the number of deleted entries. Settling
        their run again does not restore them."""
        gone = 0
        with self._writing() as connection:
            for id in ids:
                if (number := self._number(connection, id)) is not None:
                    self._delete(connection, number)
                    connection.execute(sql("INSERT INTO memory_forgotten VALUES (:id) ON CONFLICT DO NOTHING"), {"id": id})
                    gone += 1
        if gone:
            with self._writing() as connection:
                self._used.words.tidy(connection)
        return gone

    def taught(self, runs: Set[str]) -> list[str]:
        """The ids of the entries that these runs taught, except facts that the user has declared or accepted."""
        return [entry.id for entry in self.all(withdrawn=True) if entry.run in runs and entry.verdict != "declared"]

    def forget_runs(self, runs: Set[str]) -> int:
        """Delete the entries that these runs :meth:`taught`. Returns their number."""
        gone = self.forget(self.taught(runs))
        if due := runs & {*self.unsettled()}:
            with self._writing() as connection:
                for run in due:
                    connection.execute(sql("DELETE FROM memory_due WHERE run = :run"), {"run": self.theirs(run)})
        return gone

    # Reading

    @contextmanager
    def searching(self, text: str) -> Generator[None]:
        """A context in which all of this thread's queries see the same state, with as few database accesses as possible.
        Other threads wait. ``text``: the text that will be searched for.

        Raises ModelFailure if the embedder is unavailable.
        """
        if self.embedder is not None:
            self.index()
            self._embedded(self.embedder, text)
        with self._reading() as connection:
            self._at = connection
            try:
                yield
            finally:
                self._at = None

    def get(self, id: str) -> Entry:
        """The entry whose id begins with ``id``. Raises UsageError if there is not exactly one."""
        with self._reading() as connection:
            begins = {"begin": len(id), "id": id}
            found = self._select(connection, "substr(id, 1, :begin) = :id", begins) if connection is not None else []
        if len(found) != 1 or not id:
            told = f"{len(found)} entries have an id that begins with" if found and id else "There is no entry"
            raise UsageError(f"{told} {id!r}.", hint="`deskcrew memory list` shows them.")
        return found[0]

    def all(self, *, kind: Kind | None = None, role: str = "", withdrawn: bool = False) -> list[Entry]:
        """The entries, oldest first. ``withdrawn``: whether to include those that are no longer valid."""
        wanted = (("kind", kind), ("role", self.theirs(role) if role else ""))
        values = {name: value for name, value in wanted if value}
        where = [f"{name} = :{name}" for name in values] + ([] if withdrawn else ["withdrawn = ''"])
        with self._reading() as connection:
            return self._select(connection, " AND ".join(where) or "TRUE", values) if connection is not None else []

    def holds(self, *roles: str) -> bool:
        """Whether there is any valid entry of one of these roles; the role '' stands for facts."""
        marks = ", ".join(f":r{at}" for at in range(len(roles)))
        query = f"SELECT EXISTS (SELECT 1 FROM memory_entries WHERE role IN ({marks}) AND withdrawn = '')"
        values = {f"r{at}": self.theirs(role) for at, role in enumerate(roles)}
        with self._reading() as connection:
            return connection is not None and bool(self._rows(connection, query, values)[0][0])

    def by_words(self, text: str, role: str, count: int) -> list[Entry]:
        """At most ``count`` entries of a role that share distinctive words with ``text``, best first."""
        with self._reading() as connection:
            found = self._used.words.bodies(connection, text, self.theirs(role), count) if connection is not None else []
        return [Entry.model_validate_json(body) for body in found]

    def by_meaning(self, text: str, role: str, count: int) -> list[tuple[Entry, float]]:
        """The ``count`` entries of a role nearest to ``text``, nearest first, with their cosines; none without an embedder.

        Raises ModelFailure if the embedder is unavailable.
        """
        if self.embedder is None or not self.holds(role):
            return []
        self.index()
        query, theirs = self._embedded(self.embedder, text), self.theirs(role)
        with self._reading() as connection:
            found = self._used.vectors.nearest(connection, theirs, query, count) if connection is not None else []
        return [(Entry.model_validate_json(body), cosine) for body, cosine in found]

    def index(self, most: int = AT_ONCE) -> int:
        """Compute vectors for up to ``most`` entries that have none from this embedder. Returns their number.

        Raises ModelFailure if the embedder is unavailable.
        """
        with self._lock:
            if self.embedder is None or self._at is not None:
                return 0
        with self._reading() as connection:
            rows = self._unindexed(connection, self.embedder, most) if connection is not None else ()
        if rows is None:
            self._begin_index(self.embedder)
            return self.index(most)
        if not rows:
            return 0
        entries = [(int(number), str(role), Entry.model_validate_json(body)) for number, role, body in rows]
        vectors = self.embedder.embed([entry.situation for _, _, entry in entries])
        with self._writing() as connection:
            made: dict[str, list[tuple[int, NDArray[float32]]]] = {}
            for (number, role, entry), vector in zip(entries, vectors, strict=True):
                # An entry that was forgotten or reworded meanwhile needs no vector, or another one.
                query = "SELECT body FROM memory_waiting JOIN memory_entries USING (number) WHERE number = :number"
                now = self._rows(connection, query, {"number": number})
                if now and Entry.model_validate_json(now[0][0]).situation == entry.situation:
                    made.setdefault(role, []).append((number, vector))
            for role, found in made.items():
                self._used.vectors.keep(connection, role, found)
                done = [{"number": number} for number, _ in found]
                connection.execute(sql("DELETE FROM memory_waiting WHERE number = :number"), done)
        return len(rows)

    # Internals

    @property
    def _mark(self) -> dict[str, object]:
        """The SQL parameters for :meth:`_whose`."""
        mark = f"{self.person}\n"
        return {"mark": mark, "length": len(mark)} if self.person else {"mark": "%\n%"}

    def _whose(self, column: str) -> str:
        """The SQL condition that a role or run belongs to this person."""
        return f"substr({column}, 1, :length) = :mark" if self.person else f"{column} NOT LIKE :mark"

    def _embedded(self, embedder: Embedder, text: str) -> NDArray[float32]:
        if self._query is None or self._query[0] != text:
            self._query = (text, embedder.embed([text])[0])
        return self._query[1]

    def _unindexed(self, connection: Connection, embedder: Embedder, most: int) -> Sequence[tuple[int, str, str]] | None:
        """The number, role and body of entries without a vector; None if the vectors are another embedder's, or stored
        elsewhere."""
        ((name,),) = self._rows(connection, "SELECT embedder FROM memory_indexed")
        if name != embedder.name + self._used.vectors.mark:
            return None
        query = (
            "SELECT number, role, body FROM memory_waiting JOIN memory_entries USING (number) ORDER BY number LIMIT :most"
        )
        return self._rows(connection, query, {"most": most})

    def _begin_index(self, embedder: Embedder) -> None:
        """Delete another embedder's vectors, since vectors of different embedders cannot be compared."""
        dimensions = embedder.dimensions
        with self._writing() as connection:
            if self._unindexed(connection, embedder, 1) is not None:
                return  # another process has just done so
            self._used.vectors.begin(connection, dimensions)
            connection.execute(sql("DELETE FROM memory_waiting"))
            connection.execute(sql("INSERT INTO memory_waiting SELECT number FROM memory_entries"))
            name = {"name": embedder.name + self._used.vectors.mark}
            connection.execute(sql("UPDATE memory_indexed SET embedder = :name"), name)

    def _insert(self, connection: Connection, entry: Entry) -> None:
        values = self._values(entry) | {"id": entry.id}
        made = connection.execute(schema.entries.insert().values(**values, body=entry.model_dump_json()))
        assert made.inserted_primary_key is not None
        (number,) = made.inserted_primary_key
        self._keep_derived(connection, int(number), entry)

    def _values(self, entry: Entry) -> dict[str, object]:
        """The values of an entry's columns, except its id and its body."""
        values: dict[str, object] = {column: getattr(entry, column) for column in _COLUMNS}
        return values | {"role": self.theirs(entry.role)}

    def _knows(self, connection: Connection, entry: Entry, *, verdict: str = "") -> bool:
        """Whether an entry was forgotten, or an entry with its id exists, with this ``verdict`` if one is given."""
        there = "SELECT 1 FROM memory_entries WHERE id = :id" + (" AND verdict = :verdict" if verdict else "")
        query = f"SELECT 1 FROM memory_forgotten WHERE id = :id UNION {there}"
        return bool(self._rows(connection, query, {"id": entry.id, "verdict": verdict}))

    def _withdraw_others(self, connection: Connection, run: str, kept: dict[str, Entry], why: str) -> None:
        """Withdraw the entries of ``run`` that are not in ``kept``; update those that are, and remove them from ``kept``."""
        for entry in self._select(connection, "run = :run", {"run": run}):
            again = kept.pop(entry.id, None)
            if again is not None and entry.verdict == "corrected" != again.verdict:
                now = entry.model_copy(update={"withdrawn": ""})  # as a person worded it
            elif again is not None:
                now = again.model_copy(update={"created": entry.created})
            elif entry.verdict == "proposed":
                if (number := self._number(connection, entry.id)) is not None:
                    self._delete(connection, number)  # for any run to propose again
                continue
            else:
                now = entry.model_copy(update={"withdrawn": entry.withdrawn or why})
            if now != entry:
                self._replace(connection, now)

    def _number(self, connection: Connection, id: str) -> int | None:
        rows = self._rows(connection, "SELECT number FROM memory_entries WHERE id = :id", {"id": id})
        return int(rows[0][0]) if rows else None

    def _replace(self, connection: Connection, entry: Entry) -> None:
        query = "SELECT number, body FROM memory_entries WHERE id = :id"
        ((number, body),) = self._rows(connection, query, {"id": entry.id})
        values = self._values(entry)
        update = schema.entries.update().where(schema.entries.c.number == number)
        connection.execute(update.values(**values, body=entry.model_dump_json()))
        if Entry.model_validate_json(body).situation != entry.situation:
            self._drop_derived(connection, number)
            self._keep_derived(connection, number, entry)

    def _delete(self, connection: Connection, number: int) -> None:
        self._drop_derived(connection, number)
        connection.execute(sql("DELETE FROM memory_entries WHERE number = :number"), {"number": number})

    def _keep_derived(self, connection: Connection, number: int, entry: Entry) -> None:
        self._used.words.keep(connection, number, entry.situation)
        connection.execute(sql("INSERT INTO memory_waiting VALUES (:number)"), {"number": number})

    def _drop_derived(self, connection: Connection, number: int) -> None:
        self._used.words.drop(connection, number)
        self._used.vectors.drop(connection, number)
        connection.execute(sql("DELETE FROM memory_waiting WHERE number = :number"), {"number": number})

    def _select(self, connection: Connection, where: str, values: Mapping[str, object]) -> list[Entry]:
        query = f"SELECT body FROM memory_entries WHERE {where} AND {self._whose('role')} ORDER BY number"
        rows = self._rows(connection, query, {**values, **self._mark})
        return [Entry.model_validate_json(body) for (body,) in rows]

    def _rows(self, connection: Connection, query: str, values: Mapping[str, object] | None = None) -> Sequence[Any]:
        return self._used.database.rows(connection, query, values or {})

    @contextmanager
    def _reading(self) -> Generator[Connection | None]:
        """A connection; None if there is no file."""
        with self._lock:
            if self._at is not None:
                yield self._at
                return
            with self._translated():
                if self._open is None and not self.address and not self.path.exists():
                    yield None
                    return
                with self._used.database.reading() as connection:
                    yield connection

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        """A transaction. Only one runs at a time, across processes, so that what it has read is still true when it
        writes."""
        with self._lock, self._translated(), self._used.database.writing() as connection:
            self._used.database.alone(connection)
            yield connection

    @property
    def _used(self) -> _Opened:
        if self._open is None:
            self._open = _Opened(self._theirs or opened(self.path, self.address, durable=True))
        return self._open

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except (JournalError, DBAPIError, sqlite3.Error, OSError) as error:
            raise _failure(error, self.name) from error


def _overwriting(connection: sqlite3.Connection, _: object) -> None:
    connection.execute("PRAGMA secure_delete = ON").close()


def _failure(error: Exception, name: str) -> MemoryFailure:
    """The error for a person that describes an error of the database."""
    cause = error.__cause__ if isinstance(error, JournalError) and error.__cause__ is not None else error
    cause = cause.orig if isinstance(cause, DBAPIError) and cause.orig is not None else cause
    if isinstance(cause, sqlite3.DatabaseError) and not isinstance(cause, sqlite3.OperationalError | sqlite3.IntegrityError):
        hint = f"{_WITHOUT} Move it away to start with an empty memory."
        return MemoryFailure(f"The memory {name} is damaged: {cause}.", hint=hint)
    if isinstance(cause, sqlite3.Error | OSError):
        return MemoryFailure(f"Memory cannot be used: {cause}.", hint=f"{_WITHOUT} The file is {name}.")
    if isinstance(error, JournalError):
        return MemoryFailure(f"Memory cannot be used: {error}", hint=f"{_WITHOUT} {error.hint}")
    why = str(cause).partition("\n")[0]  # without the values of the statement
    return MemoryFailure(f"The memory {name} cannot be used: {why}.", hint=_WITHOUT)


def counts_in(entry: Entry, place: str) -> bool:
    """Whether an entry applies to a run on the folder ``place``."""
    scope: Scope = entry.scope
    return scope != "workspace" or entry.place == place

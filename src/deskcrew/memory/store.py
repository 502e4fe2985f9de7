"""Where memory lies: one SQLite file with the entries, their words (FTS5) and their vectors.

The entries are what is remembered; words and vectors are derived from them. What one call writes is written whole or not at
all. Vectors are made when memory is next searched, so that the end of a run waits for no model, and made again where the
embedder is another.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.memory.embedder import Embedder
from deskcrew.memory.entry import Entry, Kind, Scope
from deskcrew.memory.words import words_of

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from deskcrew.memory.codes import Codes

VERSION = 1
AT_ONCE = 256
"""Vectors made in one transaction."""
COMMON = 1500
"""Entries that the words of a query may have between them: what every entry says tells nothing, and takes long to rank."""
ROLES = 12
"""How many roles may have entries with the same words, so that each finds its own."""
CANDIDATES = 120
"""Vectors whose exact cosine is taken."""

_TABLES = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, role TEXT NOT NULL,
    verdict TEXT NOT NULL, scope TEXT NOT NULL, place TEXT NOT NULL, run TEXT NOT NULL, withdrawn TEXT NOT NULL,
    digest TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX entries_of_run ON entries (run);
CREATE INDEX entries_of_role ON entries (role, withdrawn);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
CREATE TABLE terms (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting (number INTEGER PRIMARY KEY);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE codes (role TEXT, block INTEGER, numbers BLOB NOT NULL, codes BLOB NOT NULL, PRIMARY KEY (role, block));
CREATE TABLE indexed (embedder TEXT NOT NULL, changes INTEGER NOT NULL);
INSERT INTO indexed VALUES ('', 0);
CREATE TABLE due (run TEXT PRIMARY KEY);
CREATE TABLE forgotten (id TEXT PRIMARY KEY);
"""
"""``waiting``: entries without a vector; ``indexed``: whose the vectors are, and how often their codes have changed;
``due``: runs whose end is to be looked at;
``forgotten``: ids, and nothing else, of what is not to come back."""


class MemoryFailure(DeskcrewError):
    """Memory cannot be read or written."""


class Memory:
    """The entries in one file. Nothing is made before something is written; what is not there remembers nothing.

    Methods may be called from any thread. All raise MemoryFailure where the file cannot be used.
    """

    def __init__(self, path: Path, embedder: Embedder | None = None) -> None:
        self.path = path
        self.embedder = embedder
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._banks: dict[str, tuple[int, Codes]] = {}
        self._query: tuple[str, NDArray[float32]] | None = None
        """The text that was last searched for, and its vector: roles are searched one after the other for the same one."""

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # What is written.

    def add(self, entry: Entry) -> None:
        """Keep one more entry."""
        with self._writing() as connection:
            self._insert(connection, entry)

    def begin(self, run: str, why: str) -> None:
        """``run`` begins, or goes on: what it teaches is to be kept when it has ended, whoever sees its end. What stood of
        it does not until then, because of ``why``."""
        with self._writing() as connection:
            self._withdraw_others(connection, run, {}, why)
            connection.execute("INSERT OR IGNORE INTO due VALUES (?)", (run,))

    def unsettled(self) -> list[str]:
        """The runs of :meth:`begin` that nobody has settled yet."""
        with self._reading() as connection:
            rows = connection.execute("SELECT run FROM due").fetchall() if connection is not None else []
        return [str(run) for (run,) in rows]

    def settle(self, run: str, entries: Sequence[Entry], why: str) -> None:
        """Have ``entries`` be all that stands of ``run``: what stood of it besides is withdrawn, because of ``why``."""
        kept = {entry.id: entry for entry in entries}
        with self._writing() as connection:
            self._withdraw_others(connection, run, kept, why)
            for entry in kept.values():
                there = "SELECT 1 FROM entries WHERE id = :id AND verdict = 'proposed'"
                query = f"SELECT 1 FROM forgotten WHERE id = :id UNION {there}"
                if not connection.execute(query, {"id": entry.id}).fetchone():  # another run may have proposed it too
                    self._insert(connection, entry)
            connection.execute("DELETE FROM due WHERE run = ?", (run,))

    def change(self, entry: Entry) -> None:
        """Keep ``entry`` in place of the one with its id. Raises UsageError where there is none."""
        self.get(entry.id)
        with self._writing() as connection:
            self._replace(connection, entry)

    def forget(self, ids: Iterable[str]) -> int:
        """Delete entries for good, and everything derived from them; how many there were. They do not come back with
        their run."""
        with self._writing() as connection:
            gone = [
                number for id in ids for (number,) in connection.execute("SELECT number FROM entries WHERE id = ?", (id,))
            ]
            for number in gone:
                self._drop_derived(connection, int(number))
                connection.execute("INSERT OR IGNORE INTO forgotten SELECT id FROM entries WHERE number = ?", (number,))
                connection.execute("DELETE FROM entries WHERE number = ?", (number,))
        if gone:
            with self._writing() as connection:
                connection.execute("INSERT INTO words(words) VALUES ('optimize')")  # else the words stay in old segments
        return len(gone)

    # What is read.

    def get(self, id: str) -> Entry:
        """The entry whose id begins so. Raises UsageError for none, or several."""
        with self._reading() as connection:
            found = self._select(connection, "substr(id, 1, ?) = ?", (len(id), id)) if connection is not None else []
        if len(found) != 1 or not id:
            told = f"{len(found)} entries have an id that begins with" if found and id else "There is no entry"
            raise UsageError(f"{told} {id!r}.", hint="`deskcrew memory list` shows them.")
        return found[0]

    def all(self, *, kind: Kind | None = None, role: str = "", withdrawn: bool = False) -> list[Entry]:
        """Entries, oldest first; ``withdrawn``: also those that do not stand any more."""
        where, values = ["1"], list[object]()
        for column, value in (("kind", kind), ("role", role)):
            if value:
                where.append(f"{column} = ?")
                values.append(value)
        if not withdrawn:
            where.append("withdrawn = ''")
        with self._reading() as connection:
            return self._select(connection, " AND ".join(where), values) if connection is not None else []

    def holds(self, *roles: str) -> bool:
        """Whether anything stands that is of one of these roles ('': facts)."""
        marks = ", ".join("?" * len(roles))
        query = f"SELECT EXISTS (SELECT 1 FROM entries WHERE role IN ({marks}) AND withdrawn = '')"
        with self._reading() as connection:
            return connection is not None and bool(connection.execute(query, roles).fetchone()[0])

    def by_words(self, text: str, role: str, count: int) -> list[Entry]:
        """Entries of a role that share telling words with ``text``, best first (BM25)."""
        with self._reading() as connection:
            terms = self._telling(connection, text) if connection is not None else []
            if not terms or connection is None:
                return []
            said = " OR ".join(f'"{term}"' for term in terms)
            # All roles' together, and one's picked out: a role as a word of its own would have to be counted in every entry.
            query = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
            numbers = [int(number) for (number,) in connection.execute(query, (said, ROLES * count))]
            return [entry for _, entry in self._numbered(connection, numbers, role, count)]

    def by_meaning(self, text: str, role: str, count: int) -> list[tuple[Entry, float]]:
        """Entries of a role nearest to ``text``, nearest first, with their cosine; none without an embedder.

        Raises ModelFailure where the embedder cannot be had.
        """
        if self.embedder is None or not self.holds(role):
            return []
        import numpy as np

        from deskcrew.memory.codes import signs

        self.index()
        if self._query is None or self._query[0] != text:
            self._query = (text, self.embedder.embed([text])[0])
        query = self._query[1]
        with self._reading() as connection:
            if connection is None:
                return []
            numbers = self._bank(connection, role).nearest(signs(query[None, :])[0], CANDIDATES)
            marks = ", ".join("?" * len(numbers))
            wanted = f"SELECT number, vector FROM vectors WHERE number IN ({marks}) ORDER BY number"
            rows = connection.execute(wanted, numbers).fetchall()
            if not rows:
                return []
            vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float16).reshape(len(rows), -1)
            cosines = {int(rows[at][0]): float(cosine) for at, cosine in enumerate(vectors.astype(np.float32) @ query)}
            best = sorted(cosines, key=lambda number: -cosines[number])
            return [(entry, cosines[number]) for number, entry in self._numbered(connection, best, role, count)]

    def index(self, most: int = AT_ONCE) -> int:
        """Make vectors for up to ``most`` entries that have none of this embedder; how many were made.

        Raises ModelFailure where the embedder cannot be had.
        """
        if self.embedder is None:
            return 0
        query = "SELECT number, role, body FROM waiting JOIN entries USING (number) ORDER BY number LIMIT ?"
        with self._reading() as connection:
            if connection is None:
                return 0
            (name,) = connection.execute("SELECT embedder FROM indexed").fetchone()
            if name != self.embedder.name:
                self._begin_index(self.embedder.name)
            rows = connection.execute(query, (most,)).fetchall()
        if not rows:
            return 0
        entries = [(int(number), str(role), Entry.model_validate_json(body)) for number, role, body in rows]
        vectors = self.embedder.embed([entry.situation for _, _, entry in entries])
        with self._writing() as connection:
            made: dict[str, list[tuple[int, NDArray[float32]]]] = {}
            for (number, role, entry), vector in zip(entries, vectors, strict=True):
                # What was forgotten or reworded meanwhile has no vector, or another one.
                now = connection.execute("SELECT body FROM waiting JOIN entries USING (number) WHERE number = ?", (number,))
                if (row := now.fetchone()) and Entry.model_validate_json(row[0]).situation == entry.situation:
                    made.setdefault(role, []).append((number, vector))
            for role, found in made.items():
                self._keep_vectors(connection, role, found)
        return len(rows)

    def _begin_index(self, name: str) -> None:
        """Forget the vectors of another embedder: those of two cannot be compared."""
        with self._writing() as connection:
            for table in ("vectors", "codes", "waiting"):
                connection.execute(f"DELETE FROM {table}")
            connection.execute("INSERT INTO waiting SELECT number FROM entries")
            connection.execute("UPDATE indexed SET embedder = ?, changes = changes + 1", (name,))

    # Inside.

    def _insert(self, connection: sqlite3.Connection, entry: Entry) -> None:
        columns = ("id", "kind", "role", "verdict", "scope", "place", "run", "withdrawn", "digest")
        values = [getattr(entry, column) for column in columns]
        query = f"INSERT INTO entries ({', '.join(columns)}, body) VALUES ({', '.join('?' * len(columns))}, ?)"
        number = connection.execute(query, (*values, entry.model_dump_json())).lastrowid
        assert number is not None
        self._keep_words(connection, number, entry)

    def _withdraw_others(self, connection: sqlite3.Connection, run: str, kept: dict[str, Entry], why: str) -> None:
        """Have of ``run`` stand what is in ``kept``, and take out of that what stands already."""
        for entry in self._select(connection, "run = ?", (run,)):
            again = kept.pop(entry.id, None)
            if again is not None and entry.verdict == "corrected" != again.verdict:
                now = entry.model_copy(update={"withdrawn": ""})  # as a person worded it
            elif again is not None:
                now = again.model_copy(update={"created": entry.created})
            elif entry.verdict == "proposed":
                self._drop_derived(connection, self._number(connection, entry.id))
                connection.execute("DELETE FROM entries WHERE id = ?", (entry.id,))  # for any run to propose again
                continue
            else:
                now = entry.model_copy(update={"withdrawn": entry.withdrawn or why})
            if now != entry:
                self._replace(connection, now)

    @staticmethod
    def _number(connection: sqlite3.Connection, id: str) -> int:
        return int(connection.execute("SELECT number FROM entries WHERE id = ?", (id,)).fetchone()[0])

    def _replace(self, connection: sqlite3.Connection, entry: Entry) -> None:
        number, body = connection.execute("SELECT number, body FROM entries WHERE id = ?", (entry.id,)).fetchone()
        columns = ("kind", "role", "verdict", "scope", "place", "run", "withdrawn", "digest")
        query = f"UPDATE entries SET {', '.join(f'{column} = ?' for column in columns)}, body = ? WHERE number = ?"
        connection.execute(query, (*(getattr(entry, column) for column in columns), entry.model_dump_json(), number))
        if Entry.model_validate_json(body).situation != entry.situation:
            self._drop_derived(connection, int(number))
            self._keep_words(connection, int(number), entry)

    def _keep_words(self, connection: sqlite3.Connection, number: int, entry: Entry) -> None:
        words = words_of(entry.situation)
        connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, " ".join(words)))
        query = "INSERT INTO terms VALUES (?, 1) ON CONFLICT (term) DO UPDATE SET entries = entries + 1"
        connection.executemany(query, ((word,) for word in sorted(set(words))))
        connection.execute("INSERT OR IGNORE INTO waiting VALUES (?)", (number,))

    def _drop_derived(self, connection: sqlite3.Connection, number: int) -> None:
        for (text,) in connection.execute("SELECT text FROM words WHERE rowid = ?", (number,)).fetchall():
            query = "UPDATE terms SET entries = entries - 1 WHERE term = ?"
            connection.executemany(query, ((word,) for word in sorted(set(str(text).split()))))
            connection.execute("DELETE FROM terms WHERE entries <= 0")
            connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
        for table in ("vectors", "waiting"):
            connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))  # a code that is left leads nowhere

    def _telling(self, connection: sqlite3.Connection, text: str) -> list[str]:
        """The rarest words of ``text`` that any entry has, as many as can be ranked quickly."""
        words = list(Counter(words_of(text)))[:200]
        marks = ", ".join("?" * len(words))
        query = f"SELECT term, entries FROM terms WHERE term IN ({marks}) ORDER BY entries, term"
        chosen, room = list[str](), COMMON
        for term, entries in connection.execute(query, words):
            room -= int(entries)
            if room < 0:
                break
            chosen.append(str(term))
        return chosen

    def _keep_vectors(self, connection: sqlite3.Connection, role: str, made: Sequence[tuple[int, NDArray[float32]]]) -> None:
        import numpy as np

        from deskcrew.memory.codes import ROWS, signs

        vectors = np.stack([vector for _, vector in made])
        halves = vectors.astype(np.float16)
        kept = [(number, half.tobytes()) for (number, _), half in zip(made, halves, strict=True)]
        connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", kept)
        connection.executemany("DELETE FROM waiting WHERE number = ?", ((number,) for number, _ in made))
        query = "SELECT block, numbers, codes FROM codes WHERE role = ? ORDER BY block DESC LIMIT 1"
        block, numbers, codes = connection.execute(query, (role,)).fetchone() or (0, b"", b"")
        numbers += np.asarray([number for number, _ in made], dtype=np.int64).tobytes()
        codes += signs(vectors).tobytes()
        width = len(codes) // (len(numbers) // 8)
        for start in range(0, len(numbers) // 8, ROWS):
            part = (numbers[start * 8 : (start + ROWS) * 8], codes[start * width : (start + ROWS) * width])
            connection.execute("INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?)", (role, block, *part))
            block += 1
        connection.execute("UPDATE indexed SET changes = changes + 1")

    def _bank(self, connection: sqlite3.Connection, role: str) -> Codes:
        """The codes of a role's vectors, read again where they have changed."""
        from deskcrew.memory.codes import Codes

        (changes,) = connection.execute("SELECT changes FROM indexed").fetchone()
        known = self._banks.get(role)
        if known is None or known[0] != changes:
            query = "SELECT numbers, codes FROM codes WHERE role = ? ORDER BY block"
            self._banks[role] = known = (int(changes), Codes(connection.execute(query, (role,))))
        return known[1]

    @staticmethod
    def _numbered(connection: sqlite3.Connection, numbers: Sequence[int], role: str, count: int) -> list[tuple[int, Entry]]:
        """The first ``count`` of the entries with these numbers that are of a role and stand, in this order."""
        found: list[tuple[int, Entry]] = []
        for number in numbers:
            query = "SELECT body FROM entries WHERE number = ? AND role = ? AND withdrawn = ''"
            if row := connection.execute(query, (number, role)).fetchone():
                found.append((number, Entry.model_validate_json(row[0])))
            if len(found) == count:
                break
        return found

    @staticmethod
    def _select(connection: sqlite3.Connection, where: str, values: Sequence[object]) -> list[Entry]:
        rows = connection.execute(f"SELECT body FROM entries WHERE {where} ORDER BY number", tuple(values)).fetchall()
        return [Entry.model_validate_json(body) for (body,) in rows]

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection | None]:
        """A connection; None where there is no file."""
        with self._lock, self._translated():
            yield self._opened() if self._connection is not None or self.path.exists() else None

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """One transaction."""
        with self._lock, self._translated():
            connection = self._opened()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=20, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        self.path.chmod(0o600)  # what somebody has their computer do is nobody else's business
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
        if version > VERSION:
            raise MemoryFailure(f"The memory {self.path} was written by a newer Deskcrew.", hint="Upgrade.")

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                hint = "Runs go on without it. Move it away, and memory begins anew."
                raise MemoryFailure(f"The memory {self.path} is damaged: {error}.", hint=hint) from error
            hint = f"Runs go on without it. The file is {self.path}."
            raise MemoryFailure(f"Memory cannot be used: {error}.", hint=hint) from error


def counts_in(entry: Entry, place: str) -> bool:
    """Whether an entry counts in a run on the folder ``place``."""
    scope: Scope = entry.scope
    return scope != "workspace" or entry.place == place

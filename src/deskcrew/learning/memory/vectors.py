"""The vectors of entries, and the search for those that are nearest to a query's.

First the vectors whose signs differ least from the query's are found, then their exact cosines are computed. If pgvector is
available, the database compares the signs; otherwise this process reads and compares blocks of them (``codes.py``).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from sqlalchemy import text as sql

from deskcrew.journal.database import Database

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from deskcrew.learning.memory.codes import Codes

CANDIDATES = 120
"""The number of vectors whose exact cosine is computed."""


class Vectors(ABC):
    """The vectors of one memory. Methods are called within a transaction of its database. ``mark``: appended to the
    embedder's name, because each implementation has its own tables."""

    mark: str = ""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, connection: Connection, dimensions: int) -> None:
        """Delete all vectors of either implementation, and prepare for others with this length."""
        for table in ("vectors", "codes"):
            connection.execute(sql(f"DELETE FROM memory_{table}"))
        if self._database.shared:
            for table in ("halfvec", "signs"):
                connection.execute(sql(f"DROP TABLE IF EXISTS memory_{table}"))

    @abstractmethod
    def keep(self, connection: Connection, role: str, made: Sequence[tuple[int, NDArray[float32]]]) -> None:
        """Store vectors of a role's entries, each with its entry's number."""

    @abstractmethod
    def drop(self, connection: Connection, number: int) -> None:
        """Delete the vector of the entry with this number."""

    @abstractmethod
    def nearest(self, connection: Connection, role: str, query: NDArray[float32], count: int) -> list[tuple[str, float]]:
        """The bodies of a role's valid entries with the nearest vectors, nearest first, each with its cosine."""


def vectors_of(database: Database, connection: Connection) -> Vectors:
    """The implementation for a database: pgvector if its types exist (version 0.7 or later)."""
    if database.shared and database.rows(connection, "SELECT to_regtype('halfvec')", {})[0][0] is not None:
        return Pgvector(database)
    return Blocks(database)


class Blocks(Vectors):
    """Vectors in a file, or on a server without pgvector. A role's signs are cached in memory once it has been searched."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._banks: dict[str, tuple[int, Codes]] = {}

    def begin(self, connection: Connection, dimensions: int) -> None:
        super().begin(connection, dimensions)
        self._changed(connection)

    def keep(self, connection: Connection, role: str, made: Sequence[tuple[int, NDArray[float32]]]) -> None:
        import numpy as np

        from deskcrew.learning.memory.codes import ROWS, signs

        vectors = np.stack([vector for _, vector in made])
        halves = vectors.astype(np.float16)
        kept = [{"number": number, "vector": half.tobytes()} for (number, _), half in zip(made, halves, strict=True)]
        query = """INSERT INTO memory_vectors VALUES (:number, :vector)
            ON CONFLICT (number) DO UPDATE SET vector = excluded.vector"""
        connection.execute(sql(query), kept)
        query = "SELECT block, numbers, codes FROM memory_codes WHERE role = :role ORDER BY block DESC LIMIT 1"
        last = self._database.rows(connection, query, {"role": role})
        block, numbers, codes = last[0] if last else (0, b"", b"")
        numbers += np.asarray([number for number, _ in made], dtype=np.int64).tobytes()
        codes += signs(vectors).tobytes()
        width = len(codes) // (len(numbers) // 8)
        query = """INSERT INTO memory_codes VALUES (:role, :block, :numbers, :codes)
            ON CONFLICT (role, block) DO UPDATE SET numbers = excluded.numbers, codes = excluded.codes"""
        for start in range(0, len(numbers) // 8, ROWS):
            part = {
                "numbers": numbers[start * 8 : (start + ROWS) * 8],
                "codes": codes[start * width : (start + ROWS) * width],
            }
            connection.execute(sql(query), {"role": role, "block": block, **part})
            block += 1
        self._changed(connection)

    def drop(self, connection: Connection, number: int) -> None:
        # The code that remains refers to nothing.
        connection.execute(sql("DELETE FROM memory_vectors WHERE number = :number"), {"number": number})

    def nearest(self, connection: Connection, role: str, query: NDArray[float32], count: int) -> list[tuple[str, float]]:
        import numpy as np

        from deskcrew.learning.memory.codes import signs

        numbers = self._bank(connection, role).nearest(signs(query[None, :])[0], CANDIDATES)
        wanted = f"""SELECT number, vector FROM memory_vectors JOIN memory_entries USING (number)
            WHERE number IN ({self._database.numbers}) AND role = :role AND withdrawn = '' ORDER BY number"""
        rows = self._database.rows(connection, wanted, {"numbers": json.dumps(numbers), "role": role})
        if not rows:
            return []
        vectors = np.frombuffer(b"".join(vector for _, vector in rows), dtype=np.float16).reshape(len(rows), -1)
        cosines = vectors.astype(np.float32) @ query
        best = {int(rows[at][0]): float(cosines[at]) for at in np.argsort(-cosines, kind="stable")[:count]}
        wanted = f"SELECT number, body FROM memory_entries WHERE number IN ({self._database.numbers})"
        bodies = dict(self._database.rows(connection, wanted, {"numbers": json.dumps(list(best))}))
        return [(str(bodies[number]), cosine) for number, cosine in best.items()]

    def _bank(self, connection: Connection, role: str) -> Codes:
        """The codes of a role's vectors, reloaded if they have changed."""
        from deskcrew.learning.memory.codes import Codes

        ((changes,),) = self._database.rows(connection, "SELECT changes FROM memory_indexed", {})
        known = self._banks.get(role)
        if known is None or known[0] != changes:
            query = "SELECT numbers, codes FROM memory_codes WHERE role = :role ORDER BY block"
            self._banks[role] = known = (int(changes), Codes(self._database.rows(connection, query, {"role": role})))
        return known[1]

    @staticmethod
    def _changed(connection: Connection) -> None:
        connection.execute(sql("UPDATE memory_indexed SET changes = changes + 1"))


class Pgvector(Vectors):
    """Vectors in pgvector's types, in tables that are created when the vectors' length is known. The signs are in a separate
    table, a sixteenth of the size: all signs of a role are compared, so that no near vector is missed."""

    mark = " in pgvector"

    def begin(self, connection: Connection, dimensions: int) -> None:
        super().begin(connection, dimensions)
        for statement in (
            f"CREATE TABLE memory_halfvec (number INTEGER PRIMARY KEY, vector halfvec({dimensions}) NOT NULL)",
            f"CREATE TABLE memory_signs (number INTEGER PRIMARY KEY, role TEXT NOT NULL, signs bit({dimensions}) NOT NULL)",
            "CREATE INDEX signs_of_role ON memory_signs (role)",
        ):
            connection.execute(sql(statement))

    def keep(self, connection: Connection, role: str, made: Sequence[tuple[int, NDArray[float32]]]) -> None:
        rows = [{"number": number, "role": role, "vector": _written(vector)} for number, vector in made]
        query = """INSERT INTO memory_halfvec VALUES (:number, CAST(:vector AS halfvec))
            ON CONFLICT (number) DO UPDATE SET vector = excluded.vector"""
        connection.execute(sql(query), rows)
        query = """INSERT INTO memory_signs SELECT :number, :role, binary_quantize(CAST(:vector AS halfvec))
            ON CONFLICT (number) DO UPDATE SET role = excluded.role, signs = excluded.signs"""
        connection.execute(sql(query), rows)

    def drop(self, connection: Connection, number: int) -> None:
        if _kept_in_pgvector(connection):
            for table in ("halfvec", "signs"):
                connection.execute(sql(f"DELETE FROM memory_{table} WHERE number = :number"), {"number": number})

    def nearest(self, connection: Connection, role: str, query: NDArray[float32], count: int) -> list[tuple[str, float]]:
        wanted = """
            WITH query AS (SELECT CAST(:query AS halfvec) AS vector),
              near AS MATERIALIZED (
                SELECT number FROM memory_signs WHERE role = :role
                ORDER BY signs <~> (SELECT binary_quantize(vector) FROM query) LIMIT :candidates)
            SELECT body, 1 - (memory_halfvec.vector <=> query.vector) AS cosine
            FROM query, near JOIN memory_halfvec USING (number) JOIN memory_entries USING (number)
            WHERE memory_entries.role = :role AND withdrawn = '' ORDER BY cosine DESC, number LIMIT :count"""
        values = {"query": _written(query), "role": role, "candidates": CANDIDATES, "count": count}
        return [(str(body), float(cosine)) for body, cosine in self._database.rows(connection, wanted, values)]


def _written(vector: NDArray[float32]) -> str:
    return json.dumps(vector.tolist())


def _kept_in_pgvector(connection: Connection) -> bool:
    return connection.execute(sql("SELECT to_regclass('memory_signs')")).scalar() is not None

"""Full-text search for the words of entries in the database: FTS5 in a file, a ``tsvector`` on a server.

A separate table counts the entries that contain each word, so that only the rarest words of a query are searched, as
many as can be ranked quickly. Rare words weigh more in both databases: FTS5 ranks by BM25; PostgreSQL has no such ranking,
so the query supplies the weights of its words.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection
from sqlalchemy import text as sql

from deskcrew.journal.database import Database
from deskcrew.learning.memory.words import words_of

COMMON = 1500
"""The number of entries that a query's words may match in total. A word that every entry contains distinguishes nothing,
and is slow to rank."""
LONGEST_QUERY = 200
"""The maximum number of a query's words that are used."""
ROLES = 12
"""How many roles' entries are expected to match the same words: so many more are ranked before filtering by role."""


class FullText(ABC):
    """The full-text index of one memory. Methods are called within a transaction of its database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, connection: Connection, number: int, text: str) -> None:
        """Index the entry with this number under the words of ``text``."""
        words = words_of(text)
        self._insert(connection, number, words)
        query = (
            "INSERT INTO memory_terms VALUES (:term, 1) ON CONFLICT (term) DO UPDATE SET entries = memory_terms.entries + 1"
        )
        if words:
            connection.execute(sql(query), [{"term": word} for word in sorted(set(words))])

    def drop(self, connection: Connection, number: int) -> None:
        """Remove the entry with this number from the index."""
        if words := self._deleted(connection, number):
            query = "UPDATE memory_terms SET entries = entries - 1 WHERE term = :term"
            connection.execute(sql(query), [{"term": word} for word in sorted(words)])
            connection.execute(sql("DELETE FROM memory_terms WHERE entries <= 0"))

    def bodies(self, connection: Connection, text: str, role: str, count: int) -> list[str]:
        """The bodies (JSON) of a role's valid entries that share distinctive words with ``text``, best first."""
        terms = self._telling(connection, text)
        return self._ranked(connection, terms, role, count) if terms else []

    def _telling(self, connection: Connection, text: str) -> dict[str, int]:
        """The rarest words of ``text`` that occur in any entry, as many as can be ranked quickly, each with its number of
        entries."""
        words = list(dict.fromkeys(words_of(text)))[:LONGEST_QUERY]
        if not words:
            return {}
        marks = ", ".join(f":w{at}" for at in range(len(words)))
        query = f"SELECT term, entries FROM memory_terms WHERE term IN ({marks}) ORDER BY entries, term"
        chosen, room = dict[str, int](), COMMON
        for term, entries in self._database.rows(connection, query, {f"w{at}": word for at, word in enumerate(words)}):
            room -= int(entries)
            if room < 0:
                break
            chosen[str(term)] = int(entries)
        return chosen

    @abstractmethod
    def _insert(self, connection: Connection, number: int, words: Sequence[str]) -> None: ...

    @abstractmethod
    def _deleted(self, connection: Connection, number: int) -> set[str]:
        """Delete the words of an entry, and return them."""

    @abstractmethod
    def _ranked(self, connection: Connection, terms: Mapping[str, int], role: str, count: int) -> list[str]:
        """The bodies of a role's entries that have one of ``terms``, best first. All roles' entries are ranked together and
        then filtered, so it takes the same time for each role."""

    @abstractmethod
    def tidy(self, connection: Connection) -> None:
        """Erase the words of entries that were dropped."""


class Fts5(FullText):
    """The index in an SQLite file."""

    def _insert(self, connection: Connection, number: int, words: Sequence[str]) -> None:
        values = {"number": number, "text": " ".join(words)}
        connection.execute(sql("INSERT INTO memory_words (rowid, text) VALUES (:number, :text)"), values)

    def _deleted(self, connection: Connection, number: int) -> set[str]:
        named = {"number": number}
        text = connection.execute(sql("SELECT text FROM memory_words WHERE rowid = :number"), named).scalar()
        connection.execute(sql("DELETE FROM memory_words WHERE rowid = :number"), named)
        return set((text or "").split())

    def _ranked(self, connection: Connection, terms: Mapping[str, int], role: str, count: int) -> list[str]:
        query = """
            SELECT body FROM
              (SELECT rowid AS number, rank AS score FROM memory_words WHERE memory_words MATCH :said
               ORDER BY rank LIMIT :most)
              JOIN memory_entries USING (number)
            WHERE role = :role AND withdrawn = '' ORDER BY score LIMIT :count"""
        said = " OR ".join(f'"{term}"' for term in terms)
        values = {"said": said, "role": role, "count": count, "most": ROLES * count}
        return [str(body) for (body,) in self._database.rows(connection, query, values)]

    def tidy(self, connection: Connection) -> None:
        connection.execute(sql("INSERT INTO memory_words(memory_words) VALUES ('optimize')"))  # they stay in old segments


class TsVector(FullText):
    """The index on a PostgreSQL server. It does not use the server's parsers, so that both databases agree on words."""

    def _insert(self, connection: Connection, number: int, words: Sequence[str]) -> None:
        query = "INSERT INTO memory_words VALUES (:number, array_to_tsvector(CAST(:words AS text[])))"
        connection.execute(sql(query), {"number": number, "words": list(words)})

    def _deleted(self, connection: Connection, number: int) -> set[str]:
        query = "DELETE FROM memory_words WHERE number = :number RETURNING tsvector_to_array(words)"
        return set(connection.execute(sql(query), {"number": number}).scalar() or ())

    def _ranked(self, connection: Connection, terms: Mapping[str, int], role: str, count: int) -> list[str]:
        query = """
            SELECT body FROM
              (SELECT number, sum(weight) / (1 + ln(max(length(words)))) AS score
               FROM unnest(CAST(:terms AS text[]), CAST(:weights AS float8[])) AS telling (term, weight)
                 JOIN memory_words ON words @@ CAST(quote_literal(term) AS tsquery)
               GROUP BY number ORDER BY score DESC, number LIMIT :most) AS found
              JOIN memory_entries USING (number)
            WHERE role = :role AND withdrawn = '' ORDER BY score DESC, number LIMIT :count"""
        ((total,),) = self._database.rows(connection, "SELECT max(number) FROM memory_entries", {})
        weights = [math.log(1 + max(0.0, total - entries + 0.5) / (entries + 0.5)) for entries in terms.values()]
        values = {"terms": list(terms), "weights": weights, "role": role, "count": count, "most": ROLES * count}
        return [str(body) for (body,) in self._database.rows(connection, query, values)]

    def tidy(self, connection: Connection) -> None:
        """Does nothing: the server itself later overwrites deleted data."""

"""Reads a run from disk a part at a time, to display runs of any length while they are in progress.

Only an index of the events is kept in memory: their parents and kinds. Bodies are read on demand. Loading and folding a run
of 100,000 events takes seconds (:meth:`Journal.load`); this takes a few tenths of a second once, and almost nothing after.
"""

from __future__ import annotations

import hashlib
import json
import threading
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, select

from deskcrew.errors import JournalError, UnknownError
from deskcrew.facts.events import Body, Event, Header
from deskcrew.journal import schema
from deskcrew.journal.database import Database
from deskcrew.journal.records import UNASKED, Spent

Made = TypeVar("Made")
_BODY: TypeAdapter[Body] = TypeAdapter(Body)
Numbers = tuple[int, ...]
Texts = tuple[str, ...]
Perhaps = tuple[str | None, ...]
Took = tuple[Any, ...]
"""The cost of one call: role, input, output, cached, cost, seconds; None if unknown."""
_AT_ONCE = 500
"""The number of events fetched in one statement."""
_FEW = 8
"""The number of bodies fetched together when the first one is usually enough."""
_PLACES = """
SELECT number, id, parent, kind FROM events {by_places} WHERE run = :run AND number > :known ORDER BY number"""
"""The hint is needed because SQLite does not see that the index covers the query (one column is computed)."""
_TOLD = """
SELECT number, json_extract(body, {places}) FROM events WHERE run = :run AND number IN ({numbers}) ORDER BY number"""
_VERDICTS = ("scope", "verdict.kind", "subtask")
"""JSON paths to read from the bodies of verdicts."""
_CALLS = ("model", "role", "usage.input", "usage.output", "usage.cached", "usage.cost", "seconds")


class EventPlace(NamedTuple):
    """An event's entry in the index, without its body. ``parent``: number of the event that it follows, 0 for the first;
    ``judged``: for a verdict, its scope and kind, such as ``subtask accept``."""

    number: int
    parent: int
    type: str
    lane: str
    judged: str = ""


class Judgement(NamedTuple):
    """A verdict in the index. ``told``: its scope and kind, such as ``subtask accept``."""

    told: str
    subtask: str


class Reading:
    """One run, read on demand. Thread-safe: its cache only grows."""

    def __init__(self, database: Database, run: str) -> None:
        self.run = run
        self._database = database
        self._lock = threading.Lock()
        self._made: dict[object, tuple[object, object]] = {}
        self._places: list[tuple[str, str]] = []
        """Type and lane of each event, in shared tuples. It grows last, so the other fields have all events that it has."""
        self._kinds: dict[str | None, tuple[str, str]] = {}
        """The shared tuples, by the database's value of ``kind``."""
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        """The numbers of the events of each type."""
        self._judged: dict[int, Judgement] = {}
        self._took: dict[int, Took] = {}
        """The cost of each call, by the number of its reply."""
        self._parents: dict[int, int] = {}
        """The parents of events that do not follow the event before them: the first, and where branches begin or go on."""
        self._breaks: list[int] = []
        """The numbers of these events."""
        self._redacted: set[int] = set()
        self._imported: bool | None = None
        self._spent = Track(()), dict[str, Spent]()
        """The last result of :meth:`spending`: while a run goes on, only new calls have to be added to it."""
        self._last_id = ""

    def refresh(self) -> int:
        """Index the events that have been added. Returns the number of events, which is also the last event's number."""
        with self._lock, self._database.reading() as connection:
            query = _PLACES.format(by_places=self._database.by_places)
            rows = self._database.rows(connection, query, {"run": self.run, "known": len(self._places)})
            if rows:
                self._find_redacted(connection, len(self._places))
                self._add(connection, *zip(*rows, strict=True))
            return len(self._places)

    def _add(self, connection: Connection, numbers: Numbers, ids: Texts, parents: Perhaps, kinds: Perhaps) -> None:
        """Index some events, given column by column: for so many, even one function call each would be slow."""
        known = len(self._places)
        if numbers != tuple(range(known + 1, known + len(numbers) + 1)):
            raise JournalError(f"An event of run {self.run} is missing.", hint=f"deskcrew verify {self.run}")
        before = (self._last_id, *ids[:-1])
        if parents != before:
            for number, parent, last in zip(numbers, parents, before, strict=True):
                if parent != last:
                    self._parents[number] = self._parent(number, parent)
                    self._breaks.append(number)
        for kind in set(kinds).difference(self._kinds):
            if kind is None:
                raise JournalError(_unreadable(numbers[kinds.index(None)], self.run), hint=f"deskcrew verify {self.run}")
            type, lane = json.loads(kind)
            self._kinds[kind] = type, lane or ""
        places = [self._kinds[kind] for kind in kinds]
        for number, (type, _) in zip(numbers, places, strict=True):
            self._numbers[type].append(number)
        self._take_verdicts(connection, known)
        self._take_calls(connection, known)
        self._last_id = ids[-1]
        self._places += places

    def _take_verdicts(self, connection: Connection, known: int) -> None:
        alike: dict[tuple[str | None, ...], Judgement] = {}
        for number, told in self._told(connection, _VERDICTS, "judged", known):
            if (key := tuple(told)) not in alike:
                scope, kind, subtask = told
                alike[key] = Judgement(f"{scope} {kind}", subtask or "")
            self._judged[number] = alike[key]

    def _take_calls(self, connection: Connection, known: int) -> None:
        for number, told in self._told(connection, _CALLS, "role_replied", known):
            model, *took = told
            if model not in UNASKED:
                self._took[number] = tuple(took)

    def _told(self, connection: Connection, places: Texts, type: str, known: int) -> Iterable[tuple[int, list[Any]]]:
        """For each event of a type after event ``known``: its number, and the values at these JSON paths of its body."""
        numbers = self._numbers[type]
        new = numbers[bisect_right(numbers, known) :]
        if not new:
            return ()
        listed = ", ".join(f"'$.{place}'" for place in places)
        query = _TOLD.format(places=listed, numbers=self._database.numbers)
        rows = self._database.rows(connection, query, {"run": self.run, "numbers": json.dumps(new)})
        if not rows:
            return ()  # the run was removed just now
        found, lists = zip(*rows, strict=True)
        if None in lists:
            raise JournalError(_unreadable(found[lists.index(None)], self.run), hint=f"deskcrew verify {self.run}")
        # All at once: of so many, even a call for each is long.
        return zip(found, json.loads(f"[{','.join(lists)}]"), strict=True)

    def _find_redacted(self, connection: Connection, known: int) -> None:
        """Find redacted events; only imported runs can have any."""
        of_run = schema.runs.c.id == self.run
        if self._imported is None:
            self._imported = bool(connection.execute(select(schema.runs.c.imported).where(of_run)).scalar())
        if self._imported:
            table = schema.events
            query = select(table.c.number).where(table.c.run == self.run, table.c.number > known, table.c.redacted)
            self._redacted.update(connection.execute(query).scalars())

    def _parent(self, number: int, id: str | None) -> int:
        """The number of the event with this id, the parent of event ``number``; 0 if the id is None."""
        found = 0 if id is None else self.number_of(id)
        if found is None or found >= number:
            hint = f"deskcrew verify {self.run}"
            raise JournalError(f"Event {number} of run {self.run} follows a missing event.", hint=hint)
        return found

    def once(self, asks: object, of: object, make: Callable[[], Made]) -> Made:
        """The result of ``make``, cached for the caller ``asks`` as long as ``of`` is the same as at its last call."""
        known = self._made.get(asks)
        if known is None or known[0] != of:
            known = self._made[asks] = of, make()
        return cast(Made, known[1])

    @property
    def count(self) -> int:
        """The number of events at the last :meth:`refresh`."""
        return len(self._places)

    def place(self, number: int) -> EventPlace:
        """The index entry of the event with this number. Raises UnknownError if there is none."""
        if not 1 <= number <= len(self._places):
            raise UnknownError(f"Run {self.run} has the events 1 to {len(self._places)}.")
        type, lane = self._places[number - 1]
        told = self._judged[number].told if type == "judged" else ""
        return EventPlace(number, self._parents.get(number, number - 1), type, lane, told)

    def redacted(self, number: int) -> bool:
        """Whether the event's texts were removed before the import, so that nothing proves what is shown of it."""
        return number in self._redacted

    @property
    def any_redacted(self) -> bool:
        return bool(self._redacted)

    def track(self, head: int = 0) -> Track:
        """The branch that ends in event ``head``; 0 for the current branch, which ends in the last event of all."""
        number = head or len(self._places)
        spans: list[range] = []
        while number:
            begin = self._breaks[bisect_right(self._breaks, number) - 1]
            spans.append(range(begin, number + 1))
            number = self.place(begin).parent
        return Track(tuple(reversed(spans)))

    def leaves(self) -> list[int]:
        """The number of the last event of every branch, oldest branch first."""
        followed = {self._parents[number] for number in self._breaks}
        ends = [*(number - 1 for number in self._breaks[1:]), len(self._places)]
        return [number for number in ends if number not in followed]

    def on(self, track: Track, types: Collection[str] | None = None, *, after: int = 0) -> Iterator[EventPlace]:
        """The index entries of a branch's events after number ``after``, oldest first; if given, only of these ``types``."""
        for span in track.spans:
            begin = max(span.start, after + 1)
            if types is None:
                yield from map(self.place, range(begin, span.stop))
                continue
            every = self._places[begin - 1 : span.stop - 1]
            for number, (type, lane) in enumerate(every, begin):
                if type in types:
                    told = self._judged[number].told if type == "judged" else ""
                    yield EventPlace(number, self._parents.get(number, number - 1), type, lane, told)

    def how_many(self, track: Track, type: str) -> int:
        """The number of events of a type on a branch."""
        numbers = self._numbers[type]
        return sum(bisect_left(numbers, span.stop) - bisect_left(numbers, span.start) for span in track.spans)

    def back(self, track: Track, at: int, types: Collection[str]) -> Iterator[Event]:
        """The events of these types on the branch, at or before number ``at``, latest first."""
        wanted: list[int] = []
        for number in self._numbers_back(track, at, types):
            wanted.append(number)
            if len(wanted) == _FEW:
                yield from self.events(wanted)
                wanted.clear()
        yield from self.events(wanted)

    def _numbers_back(self, track: Track, at: int, types: Collection[str]) -> Iterator[int]:
        """The numbers of the events of :meth:`back`, found without scanning other events."""
        every = [self._numbers[type] for type in types]
        for span in reversed(track.spans):
            last = min(span.stop - 1, at)
            yield from merge(*(_down(numbers, span.start, last) for numbers in every), reverse=True)

    def last(self, track: Track, at: int, *types: str) -> Event | None:
        """The last event of one of these types on the branch, at or before number ``at``; None if there is none."""
        number = next(self._numbers_back(track, at, types), None)
        return None if number is None else self.event(number)

    def event(self, number: int) -> Event:
        """The event with this number. Raises UnknownError if there is none."""
        self.place(number)
        return self.events([number])[0]

    def events(self, numbers: Sequence[int]) -> list[Event]:
        """The events with these numbers, in that order. Raises JournalError if one cannot be read by this version."""
        table, found = schema.events, dict[int, Event]()
        with self._database.reading() as connection:
            for begin in range(0, len(numbers), _AT_ONCE):
                some = numbers[begin : begin + _AT_ONCE]
                query = select(table).where(table.c.run == self.run, table.c.number.in_(some))
                for row in connection.execute(query):
                    found[row.number] = self._event(row)
        return [found[number] for number in numbers if number in found]

    def _event(self, row: Row[Any]) -> Event:
        try:
            header = Header.model_validate_json(row.header)
            return Event(id=row.id, header=header, digest=row.digest, body=_BODY.validate_json(row.body))
        except ValidationError as error:
            raise JournalError(_unreadable(row.number, self.run)) from error

    def number_of(self, id: str) -> int | None:
        """The number of the event with this id; None if the run has no such event."""
        table = schema.events
        query = select(table.c.number).where(table.c.id == id, table.c.run == self.run)
        with self._database.reading() as connection:
            return connection.execute(query).scalar()

    def accepted(self, track: Track, after: int) -> list[str]:
        """Ids of the subtasks that were accepted on the branch after event ``after``."""
        judged = ((number, self._judged[number]) for number in self._numbers["judged"] if number > after)
        return [each.subtask for number, each in judged if each.told == "subtask accept" and number in track]

    def spending(self, track: Track) -> dict[str, Spent]:
        """The cost of each role's calls on a branch, in the order in which they were first called."""
        before, known = self._spent
        if before == track:
            return known
        more = before.leads_to(track)
        # What was returned before is not changed.
        found = {role: replace(spent) for role, spent in known.items()} if more else {}
        new = track.beyond(before) if more else track
        replies = self._numbers["role_replied"]
        for span in new.spans:
            for number in replies[bisect_left(replies, span.start) : bisect_left(replies, span.stop)]:
                if number in self._took:
                    role, *took = self._took[number]
                    found.setdefault(role, Spent()).add(*took)
        self._spent = track, found
        return found

    def read_blob(self, digest: str) -> bytes:
        """The bytes stored under ``digest``. Raises JournalError if they are missing or do not match it."""
        with self._database.reading() as connection:
            found = self._database.blobs.get(connection, digest)
        if found is None or hashlib.sha256(found).hexdigest() != digest:
            raise JournalError(f"The journal has lost a blob ({digest[:12]}).", hint=f"deskcrew verify {self.run}")
        return bytes(found)


@dataclass(frozen=True, slots=True)
class Track:
    """A branch as the numbers of its events: a few ranges, oldest first, with gaps where other branches were worked on."""

    spans: tuple[range, ...]

    @property
    def head(self) -> int:
        """The number of the branch's last event; 0 if it has none."""
        return self.spans[-1].stop - 1 if self.spans else 0

    def __contains__(self, number: object) -> bool:
        return any(number in span for span in self.spans)

    def before(self, number: int) -> int:
        """The number of the event before event ``number``, which must not be the first."""
        for earlier, span in pairwise(self.spans):
            if number == span.start:
                return earlier.stop - 1
        return number - 1

    def leads_to(self, other: Track) -> bool:
        """Whether ``other`` is this branch with more events at its end, or the same."""
        if not self.spans or len(other.spans) != len(self.spans):
            return False
        last, longer = self.spans[-1], other.spans[-1]
        return other.spans[:-1] == self.spans[:-1] and longer.start == last.start and longer.stop >= last.stop

    def beyond(self, earlier: Track) -> Track:
        """The part of this branch after the end of ``earlier``, which must lead to it."""
        return Track((range(earlier.head + 1, self.head + 1),))


def _unreadable(number: int, run: str) -> str:
    return f"Event {number} of run {run} cannot be read: it was changed, or written by a newer Deskcrew."


def _down(numbers: Sequence[int], first: int, last: int) -> Iterator[int]:
    """The numbers from ``first`` to ``last`` in a sorted sequence, greatest first."""
    for index in range(bisect_right(numbers, last) - 1, bisect_left(numbers, first) - 1, -1):
        yield numbers[index]

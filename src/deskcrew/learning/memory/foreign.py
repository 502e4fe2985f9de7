"""Untrusted text: what a crew has read from files, pages, windows and programs, and whether a text repeats it.

None of it is ever remembered. A page that tries to get into memory (memory poisoning) needs a model to repeat its text;
repetitions are left out, whatever their case, spaces and punctuation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.parse import urlsplit

from pydantic import JsonValue

from deskcrew.errors import JournalError
from deskcrew.facts.events import ActionFinished, Event, FileRead, Observed
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.journal.journal import Journal

REPEATED = 24
"""How many consecutive bytes, counting only letters and digits, make a text a repetition: about four words, or eight
Chinese characters."""
BLOCK = REPEATED // 2
"""The length of a block. Every repetition contains at least one whole block of the original."""
_NO_TEXT = frozenset({"role", "operations", "states", "label", "digest", "mtime_ns", "app"})
"""Fields of an observation that contain no text written by anybody."""


class Foreign:
    """The untrusted texts that were read on a branch, in order. ``trusted``: texts that may be repeated, like the task."""

    def __init__(self, journal: Journal, *trusted: str) -> None:
        self._trusted = b"\x00".join(folded(text) for text in trusted)
        self._read: list[tuple[int, bytes]] = []
        self._origins: list[tuple[int, str]] = []
        self._blocks: dict[bytes, int] = {}
        """Each block, with the number of the event that first contained it."""
        known: set[bytes] = set()
        for event in journal.events:
            for text, origin in _read_in(event, journal):
                if origin:
                    self._origins.append((event.number, origin))
                if len(plain := folded(text)) >= REPEATED and plain not in known:
                    known.add(plain)
                    self._read.append((event.number, plain))
                    for start in range(0, len(plain) - BLOCK + 1, BLOCK):
                        self._blocks.setdefault(plain[start : start + BLOCK], event.number)

    def repeated(self, text: str, *, until: int) -> bool:
        """Whether ``text`` repeats something that was read up to event ``until``."""
        return next(self._repetitions(folded(text), until), None) is not None

    def without(self, text: str, *, until: int) -> str:
        """``text`` with an ellipsis for each piece that repeats something that was read up to event ``until``."""
        # Of each byte of the folded text, the character that it is from.
        places = [at for at, character in enumerate(text) for _ in folded(character)]
        gone: set[int] = set()
        for start in self._repetitions(folded(text), until):
            gone.update(range(places[start], places[start + REPEATED - 1] + 1))
        return "".join(character if at not in gone else "" if at - 1 in gone else "…" for at, character in enumerate(text))

    def _repetitions(self, said: bytes, until: int) -> Iterator[int]:
        """The indices in ``said`` at which :data:`REPEATED` bytes begin that were read; an index may come twice."""
        for at in range(len(said) - BLOCK + 1):
            if self._blocks.get(said[at : at + BLOCK], until + 1) > until:
                continue
            for start in range(max(0, at - BLOCK), at + 1):
                piece = said[start : start + REPEATED]
                known = len(piece) == REPEATED and piece not in self._trusted
                if known and any(piece in read for number, read in self._read if number <= until):
                    yield start

    def origins(self, *, until: int) -> tuple[str, ...]:
        """The sources of the texts that were read up to event ``until``."""
        return tuple(dict.fromkeys(origin for number, origin in self._origins if number <= until))


def folded(text: str) -> bytes:
    """The letters and digits of a text, case-folded, as bytes."""
    return "".join(each for each in text.casefold() if each.isalnum()).encode(errors="replace")


def _read_in(event: Event, journal: Journal) -> Iterator[tuple[str, str]]:
    """The untrusted texts in an event, each with its origin, '' if another of the event's texts has it."""
    body = event.body
    match body:
        case FileRead():
            yield body.path, f"file {body.path}"
            yield _blob(journal, body.text), ""
        case ActionFinished():
            name = body.operation.function
            yield body.text, " ".join((f"result of {name}", *body.reads)) if body.text else ""
            yield body.error, ""
            yield _blob(journal, body.output), ""
        case Observed():
            seen = object_in(json.loads(_blob(journal, body.observation) or "{}"))
            for window in map(object_in, list_in(seen.get("windows"))):
                yield str(window.get("title") or ""), _place(window)
            yield from ((text, "") for text in _strings(seen))
        case _:
            return


def _place(window: JsonObject) -> str:
    host = urlsplit(str(window.get("url") or "")).hostname
    return f"page of {host}" if host else f"window of {window.get('app') or 'a program'}"


def _strings(value: JsonValue, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
        yield from value.splitlines() if "\n" in value else ()
    elif isinstance(value, dict):
        for key, inside in value.items():
            if key not in _NO_TEXT:
                yield from _strings(inside, key)
    elif isinstance(value, list):
        for inside in value:
            yield from _strings(inside, name)


def _blob(journal: Journal, digest: str) -> str:
    try:
        return journal.read_blob(digest).decode(errors="replace") if digest else ""
    except JournalError:
        return ""

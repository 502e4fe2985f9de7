"""Passages of the workspace's documents that are relevant to a question, by meaning and by words.

Documents are split into passages and ranked twice: by meaning, if the run has an embedder, and by words, in an in-memory
full-text index. Both ranks are fused, so that a name is found as well as a paraphrase.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from deskcrew.actions import archives, documents, readers
from deskcrew.actions.action import Action, Params, Result, Scene
from deskcrew.actions.asked import Asked
from deskcrew.actions.params import Brief, OneOf
from deskcrew.actions.sections import Section
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.facts.observation import Control
from deskcrew.facts.texts import words_in

LONGEST = 500
"""Maximum length of a passage: short enough to be embedded as a whole."""
MOST = 2000
"""Maximum number of passages compared, from the first documents by path."""
SECONDS = 30.0
"""Seconds after which no further document is read, and no further passages are compared."""
BATCH = 64
FLATTEST = 60
"""The constant of reciprocal rank fusion: the larger it is, the less the difference between ranks matters."""
RESULTS = 10
_UNREAD = (documents.picture, archives.zipped, archives.taped, archives.seven)
UNREAD = frozenset(suffix for suffix, reader in readers.READERS.items() if reader in _UNREAD)
"""Suffixes of files that contain no text of their own."""


class PassageParams(Params):
    question: str = Field(min_length=1, max_length=1000, description="What they should say.")
    folder: Annotated[str, OneOf("folders"), Brief(200)] = Field(".", description="'.' is the whole workspace.")
    count: int = Field(4, ge=1, le=RESULTS, description="How many passages to give.")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage. ``where``: its file, and its lines, rows or page there."""

    path: str
    where: str
    text: str


def find_passages(scene: Scene, params: PassageParams, control: Control | None) -> Result:
    """Find passages in the workspace's documents that answer a question, also where they say it in other words."""
    folder = scene.workspace.resolve(params.folder, must_exist=True)
    if not folder.is_dir():
        raise ActionError(f"{params.folder} is a file; read_file shows what is in it.")
    until = time.monotonic() + SECONDS
    passages, missed = _passages(scene, scene.workspace.relative(folder), until)
    ranks = [_by_words(passages, params.question)]
    if scene.likeness is not None and passages:
        try:
            ranks.append(_by_meaning(scene, passages, params.question, until))
        except ModelFailure as failure:
            missed.append(f"meanings could not be compared: {failure}")
    scores: dict[int, float] = {}
    for ranked in ranks:
        for rank, number in enumerate(ranked, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (FLATTEST + rank)
    best = [passages[number] for number in sorted(scores, key=lambda number: (-scores[number], number))[: params.count]]
    lines = [f"{each.where}: {each.text}" for each in best] or ["No passage has to do with it."]
    notes = [f"[{note}]" for note in missed]
    return Result(ok=True, text="\n".join((*notes, *lines)), reads=tuple(dict.fromkeys(each.path for each in best)))


def _passages(scene: Scene, folder: str, until: float) -> tuple[list[Passage], list[str]]:
    """The passages of a folder's documents, and notes on what is missing."""
    found: list[Passage] = []
    unread, prefix = 0, "" if folder == "." else f"{folder}/"
    for entry in scene.workspace.observe().files:
        if entry.kind != "file" or not entry.path.startswith(prefix) or _ending(entry.path) in UNREAD:
            continue
        if len(found) >= MOST or time.monotonic() > until:
            return found, [f"not all documents were searched, only those before {entry.path}; name a folder"]
        try:
            path = scene.workspace.resolve(entry.path, must_exist=True)
            with scene.workspace.held(path) as place, readers.damage_told(path):
                document = readers.opened(place)
                notes = Section("text", "", iter(document.notes))
                cut = (each for section in (*document.sections, notes) for each in _cut(entry.path, section))
                found += islice(cut, MOST - len(found))
        except (ActionError, OSError):
            unread += 1  # a program, say, or one that cannot be opened
    return found, [f"{unread} file{'' if unread == 1 else 's'} could not be read"] if unread else []


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _cut(path: str, section: Section) -> Iterator[Passage]:
    """A section's lines, joined into passages."""
    unit = "rows" if section.tabular else "lines"
    named = f"{path}, {section.heading}, {unit}" if section.name else f"{path}, {unit}"
    lines, first, last = list[str](), 1, 0
    for number, line in enumerate(section.lines, 1):
        for piece in (line[at : at + LONGEST] for at in range(0, len(line), LONGEST)):
            if lines and sum(map(len, lines)) + len(piece) > LONGEST:
                yield Passage(path, f"{named} {first}-{last}", " ".join(lines))
                lines = []
            if not lines:
                first = number
            if piece.strip():
                lines.append(" ".join(piece.split()))
                last = number
    if lines:
        yield Passage(path, f"{named} {first}-{last}", " ".join(lines))


def _by_words(passages: Sequence[Passage], question: str) -> list[int]:
    """The indices of the passages that share words with the question, best first."""
    words = " OR ".join(f'"{word}"' for word in dict.fromkeys(words_in(question)))
    if not words:
        return []
    index = sqlite3.connect(":memory:")
    try:
        index.execute('CREATE VIRTUAL TABLE passages USING fts5 (text, tokenize = "porter unicode61 remove_diacritics 2")')
        index.executemany(
            "INSERT INTO passages (rowid, text) VALUES (?, ?)",
            ((number, f"{each.path} {each.text}") for number, each in enumerate(passages)),
        )
        found = index.execute("SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT 50", (words,))
        return [int(number) for (number,) in found]
    finally:
        index.close()


def _by_meaning(scene: Scene, passages: Sequence[Passage], question: str, until: float) -> list[int]:
    """The indices of the passages nearest in meaning, best first. Raises ModelFailure."""
    assert scene.likeness is not None
    alike: list[float] = []
    for start in range(0, len(passages), BATCH):
        if start and time.monotonic() > until:
            break
        alike += scene.likeness(question, [each.text for each in passages[start : start + BATCH]])
    return sorted(range(len(alike)), key=lambda number: (-alike[number], number))[:50]


def _words(asked: Asked) -> str:
    folder = asked.line("folder")
    where = f" in {folder}" if folder not in ("", ".") else ""
    return f"Find passages{where} that say {asked.quoted('question')}"


ACTIONS = (
    Action(
        "find_passages", PassageParams, find_passages, "read", "none", "workspace",
        group="", gives="content", worded=_words,
    ),
)  # fmt: skip

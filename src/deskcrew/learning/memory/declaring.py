"""A person's own changes to long-term memory: facts that they declare, and entries that they reword or import."""

from __future__ import annotations

import json
from collections.abc import Iterable

from deskcrew.errors import UsageError
from deskcrew.facts.texts import file_names, quoted
from deskcrew.learning.memory.entry import CORRECTED, Entry, Scope, entry_id
from deskcrew.learning.memory.lessons import DECISION, SITUATION
from deskcrew.learning.memory.store import Memory

MARKS = "\"'`“”‘’.,;:()"
LEAST_OF_KEY, KINDS_OF_KEY = 8, 3
"""The minimum length of a password or key, and how many of these it has: small letters, capitals, digits, others."""


def declare(memory: Memory, text: str, *, scope: Scope, place: str, now: float) -> Entry:
    """Store a fact and return its entry; an existing fact with the same words is returned unchanged. ``place``: the folder
    that it applies to, '' for all; ``now``: Unix seconds. Raises UsageError if the text is empty or too long, MemoryFailure
    if memory cannot be used."""
    said = " ".join(text.split())
    if not said or len(said) > SITUATION:
        raise UsageError(f"A fact has 1 to {SITUATION} characters.", hint="Say one thing at a time.")
    same = {"situation": said, "scope": scope, "place": place}
    known = next((fact for fact in memory.all(kind="fact") if fact.model_copy(update=same) == fact), None)
    if known is not None:
        return known
    now = round(now, 3)
    entry = Entry(
        id=entry_id("fact", said, now, person=memory.person),
        kind="fact",
        scope=scope,
        place=place,
        situation=said,
        verdict="declared",
        created=now,
    )
    memory.add(entry)
    return entry


def key_in(text: str) -> str:
    """The first word that may be a password or a key: long, and with at least three kinds of characters; '' if none is. File
    names and addresses do not count."""
    named = {each.strip(MARKS) for each in (*file_names(text), *quoted(text))}
    words = (word.strip(MARKS) for word in text.split())
    return next((word for word in words if len(word) >= LEAST_OF_KEY and _mixed(word) and word not in named), "")


def _mixed(word: str) -> bool:
    if "://" in word or "@" in word or "/" in word:
        return False
    kinds = {"a" if each.islower() else "A" if each.isupper() else "1" if each.isdigit() else "-" for each in word}
    return "1" in kinds and len(kinds) >= KINDS_OF_KEY


def reworded(entry: Entry, text: str) -> Entry:
    """The entry in a person's words: the text of a fact, or what should have been done in an episode, which then outweighs
    episodes that were merely proven. Raises UsageError if the text is empty or too long."""
    most = SITUATION if entry.kind == "fact" else DECISION
    if not 0 < len(text.strip()) <= most:
        raise UsageError(f"It must have 1 to {most} characters, and has {len(text)}.")
    if entry.kind == "fact":
        return entry.model_copy(update={"situation": " ".join(text.split())})
    # What was seen of the work before says nothing of what should have been done.
    other = {"decision": text.strip(), "result": "", "verified_by": ""}
    return entry.model_copy(update={**other, "verdict": "corrected", "weight": CORRECTED, "withdrawn": ""})


def read_back(lines: Iterable[str]) -> list[Entry]:
    """The entries of an export, one JSON object per line. Raises UsageError if a line is invalid or was edited: entries must
    be reworded in memory, not in the file."""
    found: list[Entry] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            told = json.loads(line)
            digest = told.pop("digest", "")
            entry = Entry.model_validate(told)
        except (ValueError, TypeError, AttributeError) as error:
            hint = "`deskcrew memory export` prints such lines."
            raise UsageError(f"Line {number} is not an entry of long-term memory.", hint=hint) from error
        if entry.digest != digest:
            raise UsageError(f"Line {number} was changed after the export: its digest differs.")
        found.append(entry)
    return found

"""Proposes to a person how to turn a demonstration into a skill: which values are parameters, and which checks prove it.

A check is proposed for everything that differs between start and end: text files by what was replaced or added in them, or
by their text, workbooks cell by cell, pages by their addresses, windows by the typed texts that they show. Only what holds
at the end, and did not at the start, becomes a check.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path, PurePosixPath

from deskcrew.actions import gesture_of, readers
from deskcrew.actions.action import Gesture
from deskcrew.engine.steps.proof_states import states_of
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.manifest import ManifestEntry
from deskcrew.errors import ActionError
from deskcrew.evidence.altering import cells
from deskcrew.evidence.states import States
from deskcrew.evidence.typed import Side, holds
from deskcrew.facts.contract import Contract, Requirement, TypedCheck
from deskcrew.facts.events import Operation
from deskcrew.facts.observation import Observation, page_of
from deskcrew.learning.repeating.demonstration import slug
from deskcrew.learning.repeating.recording import Recording
from deskcrew.learning.repeating.values import Value, value_named
from deskcrew.learning.skills.skill import names_parameter
from deskcrew.secrets.vault import MEANT

LONGEST_TEXT = 4000
"""The maximum length of a file whose whole text is checked, in characters."""
LONGEST_VALUE = 2000
MOST_CELLS = 40
WORKBOOKS = frozenset({".xlsx", ".xlsm"})


def typed_values(found: Recording) -> tuple[Value, ...]:
    """What the person typed, without duplicates, named after the fields that it was typed into."""
    values: dict[str, Value] = {}
    names: set[str] = set()
    for step in found.steps:
        text = _typed(step.operation)
        if not text.strip() or text in values or len(text) > LONGEST_VALUE or MEANT.search(text):
            continue
        control = found.observation(step.before).control(step.operation.control or "")
        kind = value_named("x", text, found.steps).kind
        base = (slug(control.name) if control is not None and kind == "text" else "") or kind
        numbered = (_numbered(base, n) for n in range(1, len(values) + 3))
        name = next(each for each in numbered if each not in names and names_parameter(each))
        names.add(name)
        values[text] = value_named(name, text, found.steps)
    return tuple(values.values())


def _numbered(base: str, number: int) -> str:
    return base if number == 1 and base not in ("text", "file") else f"{base[:36]}{number}"


def _typed(operation: Operation) -> str:
    """What was typed, chosen or opened; '' if nothing was."""
    return str(operation.params.get(_NAMES.get(gesture_of(operation), "")) or "")


_NAMES: dict[Gesture | None, str] = {"type": "keys", "choose": "option", "start": "file"}
"""The parameter that contains the text, by gesture."""


def proposed(surroundings: Surroundings, typed: Sequence[str]) -> Contract:
    """A contract with a requirement for each check; without any if nothing checkable has changed. ``typed``: what was
    typed."""
    record = surroundings.record
    states = states_of(record.journal)
    root = surroundings.desk.workspace.root
    changed = (path for path in states.changes() if not states.modes_of(path))  # which no check sees
    checks = [check for path in changed for check in _of_file(surroundings, states, path, typed)]
    end, start = Side(root, root, surroundings.now), Side(root, root, record.looks.first)
    # If files contain what was typed, a window that shows it proves nothing more.
    shown = _of_screen(record.looks.first, surroundings.now, () if checks else typed)
    of_screen = [each for each in shown if holds(each, end)[0] is True]
    checks += [each for each in of_screen if holds(each, start)[0] is not True]
    requirements = (
        Requirement(id=str(number), says=check.words, seen_by="checks", files=files_of_check(check), checks=(check,))
        for number, check in enumerate(dict.fromkeys(checks), 1)
    )
    return Contract(requirements=tuple(requirements), by="human")


def files_of_check(check: TypedCheck) -> tuple[str, ...]:
    """The files that a check concerns."""
    return (check.target.partition("#")[0],) if check.kind.startswith("file_") or check.kind == "value_is" else ()


def _of_file(surroundings: Surroundings, states: States, path: str, typed: Sequence[str]) -> Iterator[TypedCheck]:
    before, now = states.start.by_path.get(path), states.end.by_path.get(path)
    if now is None:
        yield TypedCheck(kind="file_absent", target=path)
        return
    content = states.get(now.digest) if now.kind == "file" and now.digest else None
    if content is None:
        yield TypedCheck(kind="file_exists", target=path)
    elif PurePosixPath(path).suffix.lower() in WORKBOOKS:
        yield from _of_workbook(surroundings, path, _content(states, before), content)
    else:
        text, start = _text(surroundings, path), _content(states, before)
        edited = _edit(path, start, text, typed) if text is not None and start is not None else None
        kind = "file_is" if text is not None and len(text) <= LONGEST_TEXT else "file_exists"
        yield edited or TypedCheck(kind=kind, target=path, text=text or "" if kind == "file_is" else "")


def _edit(path: str, start: bytes, now: str, typed: Sequence[str]) -> TypedCheck | None:
    """The check of an edit to a text file that would serve for another file, too: one typed text replaced another
    everywhere, or text was added at the end. None if neither."""
    try:
        was = readers.read_content(Path(path), start)
    except ActionError:
        return None
    for old, new in permutations([text for text in dict.fromkeys(typed) if text.strip() and "\n" not in text], 2):
        if old in was and was.replace(old, new) == now:
            return TypedCheck(kind="file_replaced", target=path, text=f"{old}\n{new}")
    more = now.removeprefix(was.rstrip())
    added = more.strip("\n")
    if was.strip() and more != now and more.startswith("\n") and added.strip():
        return TypedCheck(kind="file_appended", target=path, text=added)
    return None


def _content(states: States, entry: ManifestEntry | None) -> bytes | None:
    return states.get(entry.digest) if entry is not None and entry.kind == "file" and entry.digest else None


def _text(surroundings: Surroundings, path: str) -> str | None:
    try:
        return readers.read(surroundings.desk.workspace.root / path)
    except ActionError:
        return None


def _of_workbook(surroundings: Surroundings, path: str, before: bytes | None, now: bytes) -> Iterator[TypedCheck]:
    # Parsers of documents take long to load, and commands that only list skills do not need them.
    from deskcrew.evidence.places.reading import value_at

    try:
        old, new = cells(before) if before else {}, cells(now)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError):
        yield TypedCheck(kind="file_exists", target=path)
        return
    for sheet, address in [at for at, value in new.items() if old.get(at) != value][:MOST_CELLS]:
        where = f"{sheet}!{address}"
        try:
            value = value_at(surroundings.desk.workspace.root / path, where)
        except ActionError:
            continue
        yield TypedCheck(kind="value_is", target=f"{path}#{where}", text=value)


def _of_screen(first: Observation, now: Observation, typed: Sequence[str]) -> Iterator[TypedCheck]:
    there = {page_of(window.url) for window in first.windows if window.url}
    for window in now.windows:
        if window.url and page_of(window.url) not in there:
            yield TypedCheck(kind="page_at", target=window.title, text=page_of(window.url))
    front = now.active_window
    for text in typed:
        if front is not None and text.strip() and "\n" not in text.strip():
            yield TypedCheck(kind="window_shows", target=front.title, text=text)

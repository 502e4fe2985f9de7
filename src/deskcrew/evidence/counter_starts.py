"""Counter-starts: the inputs of a result are altered, and the end is kept. A check that works the result out then says no; a
check that merely contains the result does not.

All of an input is altered at once, because nobody knows which part of it the result depends on.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, cast

from pydantic import JsonValue

from deskcrew.actions.sections import damaged
from deskcrew.environments.manifest import ManifestEntry
from deskcrew.environments.pictures import FORMATS
from deskcrew.environments.workspace import TRASH
from deskcrew.evidence.altering import GARBAGE, LARGEST
from deskcrew.evidence.changes import text_of
from deskcrew.evidence.damaging import saved, spread
from deskcrew.evidence.decoys import values_of
from deskcrew.evidence.proof import named
from deskcrew.evidence.states import END, START, State, States, unit_of
from deskcrew.facts.contract import Contract, Requirement
from deskcrew.facts.texts import names_file, stands_in

MOST_INPUTS, MOST_BYTES = 400, 32 << 20
"""How many files are altered for one requirement, and how many bytes in total."""
MOST_NAMED = 3
"""How many altered files a label names."""
_REPLACED = "with other content"
PROGRAMS = frozenset({
    ".py", ".sh", ".bash", ".js", ".mjs", ".ts", ".rb", ".pl", ".php", ".lua", ".c", ".cpp", ".java", ".go", ".rs",
})  # fmt: skip
"""Suffixes of programs, which are checked by running them: their content is not worked out from files that nobody names."""
LEAST_WORD = 4
"""Minimum length of a word that shows where a result comes from, in characters."""
_WORD = re.compile(rf"[^\W\d_]{{{LEAST_WORD},}}")
OTHER_DIGITS = str.maketrans("012345678", "123456789") | {ord("9"): "8"}
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_OTHER_LETTERS = str.maketrans(_LETTERS + _LETTERS.upper(), _LETTERS[1:] + "y" + _LETTERS[1:].upper() + "Y")


@dataclass(frozen=True, slots=True)
class CounterStart:
    """A start and an end in which all inputs are altered in one way; ``label`` says how. ``of``: the requirements that rest
    on these inputs; ``gone``: files are missing, and a function may need them just to run, so that only returning false
    counts as noticing, not an error."""

    of: tuple[str, ...]
    start: State
    end: State
    label: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Resting:
    """The ``inputs`` from which a requirement's ``results`` (its changed files) had to be worked out. ``named``: whether the
    requirement's words name an input. If not, it may be about form alone, and it is enough that another function for the
    same results notices altered inputs."""

    inputs: tuple[str, ...]
    results: tuple[str, ...]
    named: bool


def worked_out(
    contract: Contract,
    states: States,
    task: str,
    *,
    alone: Collection[str] = (),
    read: Collection[str] = (),
    pages: bool = False,
    aside: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> dict[str, Resting]:
    """The requirements, by id, whose result had to be worked out from files: something new in their own files is neither in
    the task nor in the file that they were made from.

    What the task itself says (``write hello into a.txt``) has nothing to rest on. Where no words name a file that was there
    before ("all the amounts that are here"), any file may be meant. In that case programs do not count, nor do the
    requirements in ``alone``, which the Verifier says rest on no file, unless the run has ``read`` a file that was there.
    ``pages``: results may also be taken from pages; ``aside``: by file, the lines that a program adds by itself, '' for all.
    """
    there = inputs_of(states, read)
    found: dict[str, Resting] = {}
    for each in contract.standing:
        said = " ".join((each.says, *each.quotes))
        if each.seen_by != "probe" or each.checks or each.stays or not (there or pages):
            continue
        # Of a task that is itself in a file, the result rests on what that file speaks of.
        named_one = any(_mentions(said, path) for path in there)
        if not named_one and each.id in alone and not {*there} & {*read}:
            continue
        results = _results(each, states, programs=named_one)
        new, old = _new_text(results, states, aside)
        if _derived(new, old, f"{task} {each.says}", there, states):
            found[each.id] = Resting(there, results, named_one)
    return found


def unmoved_by(resting: Mapping[str, Resting], noticed: Collection[str]) -> frozenset[str]:
    """The requirements whose results were not shown to follow from their inputs: no function noticed that the inputs were
    altered. ``noticed``: the requirements whose functions noticed it."""
    told = {result for id in noticed if id in resting for result in resting[id].results}
    left = {id: each for id, each in resting.items() if id not in noticed}
    return frozenset(id for id, each in left.items() if each.named or not {*each.results} <= told)


def rests_on_files(answer: str, contract: Contract, states: States, task: str) -> tuple[str, ...]:
    """The files that an answer had to be worked out from; none if the task states it itself."""
    wanted = [path for each in contract.standing if each.seen_by == "answer" for path in each.files]
    inputs = tuple(path for path in inputs_of(states) if named(path, wanted))
    return inputs if _derived(answer, "", task, inputs, states) else ()


def counter_starts(inputs: Mapping[str, Sequence[str]], states: States) -> Iterator[CounterStart]:
    """Yield counter-starts: all inputs with other numbers, with other words, with lines left out; and every other input
    missing. ``inputs``: the inputs of each requirement, by id."""
    for paths in dict.fromkeys(tuple(paths) for paths in inputs.values() if paths):
        of = tuple(id for id, some in inputs.items() if tuple(some) == paths)
        chosen, room = list[str](), MOST_BYTES
        for path in paths:
            room -= states.start.by_path[path].size
            chosen += [path] if room >= 0 else []
        made = {path: dict(altered_input(path, states.content(path))) for path in chosen}
        for what in dict.fromkeys(what for some in made.values() for what in some):
            contents = {path: some.get(what, some.get(_REPLACED)) for path, some in made.items()}
            written = {path: content for path, content in contents.items() if content is not None}
            yield _counter_start(states, of, written, f"{_named(written)} {what}")
        if len(paths) > 1:
            yield _counter_start(states, of, dict.fromkeys(paths[::2]), f"{_named(paths[::2])} missing")
        # Of what git keeps nothing can be altered: who reads it cannot go on without.
        if kept := [path for path in states.start.by_path if unit_of(path) != path]:
            yield _counter_start(states, of, dict.fromkeys(kept), "what git keeps missing", git=True)


def _named(paths: Collection[str]) -> str:
    """At most :data:`MOST_NAMED` of the paths, and how many more there are."""
    more = len(paths) - MOST_NAMED
    return ", ".join([*paths][:MOST_NAMED]) + (f" and {more} more files" if more > 0 else "")


def _counter_start(
    states: States, of: tuple[str, ...], contents: Mapping[str, bytes | None], label: str, *, git: bool = False
) -> CounterStart:
    """The start with these contents (None removes the file), and the end with them in unchanged files."""
    before, now = states.start.by_path, states.end.by_path
    gone = {path for path, content in contents.items() if content is None}
    written = {path: content for path, content in contents.items() if content is not None}
    kept = {path for path in contents if path in now and now[path].digest == before[path].digest}
    sides = [
        State(side, {path: entry for path, entry in entries.items() if path not in missing}, others=others)
        for side, entries, missing, others in (
            (START, before, gone, written),
            (END, now, gone & kept, {path: content for path, content in written.items() if path in kept}),
        )
    ]
    return CounterStart(of, sides[0], sides[1], label, gone=bool(gone) and not git)


def altered_input(path: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a file with all its numbers, words or lines altered at once; with other content if nothing can be altered."""
    made = _MAKERS.get(PurePosixPath(path).suffix.lower(), _texts)
    try:
        found = [(what, other) for what, other in made(content) if other != content]
    except damaged():
        found = []
    yield from found or [(_REPLACED, GARBAGE)]


def _texts(content: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    if "\0" in text:
        return
    first, *rest = text.splitlines(keepends=True) or [""]
    # The first line may say what the others are.
    head, body = (first, rest) if rest else ("", [first])
    yield "with other numbers", (head + "".join(body).translate(OTHER_DIGITS)).encode()
    yield "without every other line", "".join((head, *body[1::2])).encode()
    yield "with other words", (head + "".join(body).translate(_OTHER_LETTERS)).encode()


def _json(content: bytes) -> Iterator[tuple[str, bytes]]:
    data = json.loads(content)
    yield "with other numbers", json.dumps(_replaced(data, _other_number)).encode()
    yield "with other words", json.dumps(_replaced(data, _other_word)).encode()
    yield "without every other entry", json.dumps(_halved(data)).encode()


def _replaced(data: JsonValue, other: Callable[[Any], Any]) -> JsonValue:
    if isinstance(data, dict):
        return {key: _replaced(value, other) for key, value in data.items()}
    if isinstance(data, list):
        return [_replaced(value, other) for value in data]
    return other(data)


def _halved(data: JsonValue) -> JsonValue:
    if isinstance(data, dict):
        return {key: _halved(value) for key, value in data.items()}
    return [_halved(value) for value in data[1::2]] if isinstance(data, list) else data


def _other_number(value: Any) -> Any:
    if isinstance(value, str):
        return value.translate(OTHER_DIGITS)
    return value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else value


def _other_word(value: Any) -> Any:
    return value.translate(_OTHER_LETTERS) if isinstance(value, str) else value


def _sheets(content: bytes) -> Iterator[tuple[str, bytes]]:
    from openpyxl import load_workbook

    for what, other in (("with other numbers", _other_number), ("with other words", _other_word)):
        book = load_workbook(io.BytesIO(content), data_only=True)
        for sheet in book.worksheets:
            for row in sheet.iter_rows(min_row=2 if sheet.max_row > 1 else 1):
                for cell in row:
                    if cell.value is not None:
                        cast("Any", cell).value = other(cell.value)
        yield what, saved(book.save)


def _documents(content: bytes) -> Iterator[tuple[str, bytes]]:
    from docx import Document

    for what, other in (("with other numbers", _other_number), ("with other words", _other_word)):
        document = Document(io.BytesIO(content))
        cells = (cell for table in document.tables for row in table.rows for cell in row.cells)
        for paragraph in (*document.paragraphs, *(each for cell in cells for each in cell.paragraphs)):
            for run in paragraph.runs:
                run.text = other(run.text)
        yield what, saved(document.save)


_MAKERS: dict[str, Callable[[bytes], Iterator[tuple[str, bytes]]]] = {
    ".json": _json, ".xlsx": _sheets, ".xlsm": _sheets, ".docx": _documents,
}  # fmt: skip


def _readable(entry: ManifestEntry, path: str) -> bool:
    kept = entry.kind == "file" and entry.kept and bool(entry.digest) and 0 < entry.size <= LARGEST
    return kept and path.partition("/")[0] != TRASH


def inputs_of(states: States, first: Collection[str] = ()) -> tuple[str, ...]:
    """The files of the start that can be altered, without those in .git folders. If there are more than :data:`MOST_INPUTS`,
    a spread sample, with the files in ``first`` preferred."""
    entries = states.start.by_path.items()
    there = [path for path, entry in entries if path and _readable(entry, path) and unit_of(path) == path]
    chosen = dict.fromkeys((*(path for path in there if path in first), *spread(there, MOST_INPUTS)))
    return tuple(chosen)[:MOST_INPUTS]


def _mentions(said: str, path: str) -> bool:
    """Whether words name a file, a folder that it is in, or files of its kind (``*.csv``)."""
    place = PurePosixPath(path)
    folders = [str(parent) for parent in place.parents if str(parent) != "."]
    kind = f"*{place.suffix}" if place.suffix else ""
    return names_file(said, path) or any(stands_in(folder, said) for folder in folders) or bool(kind and kind in said)


def _results(requirement: Requirement, states: States, *, programs: bool) -> tuple[str, ...]:
    """A requirement's changed files whose text may have been worked out: no pictures, and programs only if ``programs``."""
    left = {*FORMATS} | (set[str]() if programs else PROGRAMS)  # what a picture shows is for a reader
    there = (path for path in states.changes() if path in states.end.by_path and named(path, requirement.files))
    return tuple(path for path in there if PurePosixPath(path).suffix.lower() not in left)


def _new_text(results: Sequence[str], states: States, aside: Mapping[str, frozenset[str]]) -> tuple[str, str]:
    """The new lines of these files without those in ``aside``, and the texts that the files were made from."""
    new, old = list[str](), list[str]()
    for path in results:
        was = text_of(states, older, start=True) if (older := states.older(path)) else ""
        beside = aside.get(path, frozenset[str]())
        known = {*was.splitlines(), *beside}
        lines = text_of(states, path).splitlines() if "" not in beside else []
        new += [line for line in lines if line not in known and not _counted(line)]
        old.append(was)
    return "\n".join(new), "\n".join(old)


def _counted(line: str) -> bool:
    """Whether a line is a marker that reading a file adds ("[page 1]")."""
    return line.startswith("[") and line.endswith("]") and line[1:2].isalpha()


def _derived(result: str, known: str, task: str, inputs: Sequence[str], states: States) -> bool:
    """Whether a result has values that are neither in the task nor in ``known`` (what it was made from), or new words from
    the inputs."""
    said = f"{task}\n{known}"
    if any(not stands_in(value, said) for value in values_of(result)):
        return True
    words = _words(result) - _words(said)
    return bool(words) and any(words & _words(text_of(states, path, start=True)) for path in inputs)


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}

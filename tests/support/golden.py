"""Golden runs: recorded once, kept packed in ``tests/golden``, and read, folded and replayed by every later version."""

from __future__ import annotations

import dataclasses
import difflib
import io
import json
import lzma
import re
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from PIL import Image, UnidentifiedImageError
from pydantic import BaseModel

from deskcrew.errors import JournalError
from deskcrew.facts.events import Event
from deskcrew.journal.branches import branches
from deskcrew.journal.exporting import export
from deskcrew.journal.fold import RunState
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.naming import digests_in
from deskcrew.journal.store import Store

FOLDER = Path(__file__).parents[1] / "golden"
BASE = Path("/tmp/deskcrew-golden")
"""Where all of them are recorded: what a path is in a prompt or an observation does not depend on who records."""
CHANGES = re.compile(
    rf"(?P<folder>{BASE}/(users\d*/)?[^/\s\"'\\]*)"
    r"|(?P<run>\b\d{4}-\d{6}-[0-9a-f]{4}\b)"
    r"|(?P<port>(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+)"
    r"|(?P<written>\b1[78]\d{17}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<seconds>(?<=\"seconds\": )\d+\.\d+)"
)
"""What is another each time a run is recorded."""


@dataclass(frozen=True)
class Golden:
    """One of them. ``test``: the test that makes it, '' where nothing makes it any more; ``steady``: recorded anew it is the
    same to the byte; ``run``: which of the runs that the test makes, in the order in which they are begun; ``unreplayed``:
    what is said where it is to be replayed, '' for most: their record is enough for that."""

    name: str
    test: str = ""
    steady: bool = True
    run: int = -1
    unreplayed: str = ""

    @property
    def packed(self) -> Path:
        return FOLDER / "journals" / f"{self.name}.xz"

    @property
    def state(self) -> Path:
        return FOLDER / "states" / f"{self.name}.txt"


def listed() -> tuple[Golden, ...]:
    """All that ``tests/golden/runs.toml`` names."""
    found = tomllib.loads((FOLDER / "runs.toml").read_text(encoding="utf-8"))
    return tuple(Golden(name, **({"test": given} if isinstance(given, str) else given)) for name, given in found.items())


def pack(journal: Journal, folder: Path) -> bytes:
    """An export, its entries compressed together, as most of them say much of the same."""
    file, together = folder / "export.zip", io.BytesIO()
    export(journal, file, force=True)
    with zipfile.ZipFile(file) as exported, zipfile.ZipFile(together, "w") as stored:
        for entry in exported.infolist():
            stored.writestr(zipfile.ZipInfo(entry.filename), exported.read(entry))
    return lzma.compress(together.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes, folder: Path) -> Journal:
    """The run in a journal of its own in ``folder``. Raises JournalError for what does not verify: chain, blobs, folds."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "export.zip"
    file.write_bytes(lzma.decompress(packed))
    store = Store(folder / "journal.db", durable=False)
    return store.journal(read_export(file, store).run)


# What a run was folded to.


def folded(journal: Journal) -> str:
    """What each branch is folded to, event by event and at its end. Fields that have their usual value are left out, so
    that one which is added or taken away changes only the runs that use it."""
    told: list[str] = []
    for branch in branches(journal):
        state = RunState()
        told.append(f"branch that ends with event {branch.head.number}")
        for event in path_to(journal.all, branch.head):
            state.apply(event)
            lane = f" in lane {event.header.lane}" if event.header.lane else ""
            told.append(f"  {event.number} {event.body.type}{lane}: {state.phase}")
        told.append(json.dumps(_plain(state), indent=1, sort_keys=True, ensure_ascii=False))
    return "\n".join(told) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Event):
        return f"event {value.number}, {value.body.type}"
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {field.name: field for field in dataclasses.fields(value)}
        return {name: _plain(now) for name, field in named.items() if (now := getattr(value, name)) != _usual(field)}
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return {" / ".join(key) if isinstance(key, tuple) else str(key): _plain(each) for key, each in pairs}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in cast("list[Any]", value)]
    return value


def _usual(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


# What a run is, without what is another each time.


def dump(journal: Journal) -> str:
    """All events of a run with the texts that they name, each where it is first named."""
    numbers = {event.id: f"<event {event.number}>" for event in journal.all}
    said: dict[str, str] = {}
    return "".join(part for event in journal.all for part in _event(journal, event, numbers, said))


def _event(journal: Journal, event: Event, numbers: dict[str, str], said: dict[str, str]) -> Iterator[str]:
    head, body = event.header, event.body.model_dump(mode="json")
    # Of roles and skills the digests: prompts show what matters of them.
    files = {*body.get("files", {}).values()} if event.body.type == "run_started" else set[str]()
    blobs = [digest for digest in digests_in(body) if digest not in said and digest not in files]
    for digest in blobs:
        yield from _blob(journal, digest, numbers, said)
    where = (
        f"{numbers.get(head.parent or '', 'none')}, caused by {numbers.get(head.cause or '', 'none')}, lane {head.lane!r}"
    )
    text = json.dumps(body, indent=1, sort_keys=True, ensure_ascii=False)
    yield f"== {event.number} {event.body.type} after {where}\n{_steady(text, numbers, said)}\n"


def _blob(journal: Journal, digest: str, numbers: dict[str, str], said: dict[str, str]) -> Iterator[str]:
    try:
        data = journal.read_blob(digest)
    except JournalError:
        said[digest] = "<gone>"
        return
    said[digest] = f"<blob {len(said) + 1}>"
    try:
        text = _steady(_readable(data.decode()), numbers, said)
    except UnicodeDecodeError:
        text = _picture(data)
    yield f"-- {said[digest]}\n{text}\n"


def _readable(text: str) -> str:
    """JSON on lines of its own, so that a diff shows little."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except ValueError:
        return text


def _picture(data: bytes) -> str:
    """Of what was painted, the size: where a caret blinks is another each time."""
    try:
        with Image.open(io.BytesIO(data)) as picture:
            return f"a picture of {picture.width} x {picture.height}"
    except (UnidentifiedImageError, OSError):
        return f"{len(data)} bytes"


def _steady(text: str, numbers: dict[str, str], said: dict[str, str]) -> str:
    text = CHANGES.sub(lambda found: f"<{found.lastgroup}>", text)
    known = numbers | said
    return re.sub(r"[0-9a-f]{64}", lambda found: known.get(found[0], found[0]), text)


def differing(golden: str, now: str) -> list[str]:
    """A unified diff of two dumps; nothing where they are the same."""
    return list(difflib.unified_diff(golden.splitlines(), now.splitlines(), "golden", "now", lineterm="", n=2))

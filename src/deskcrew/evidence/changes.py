"""What a run changed in its workspace, in words: for a model that checks it by code, and for comparing attempts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from deskcrew.actions import databases, readers
from deskcrew.actions.outlines import outline
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.pictures import FORMATS
from deskcrew.environments.workspace import TRASH
from deskcrew.errors import ActionError
from deskcrew.evidence import drawings, edits, formatting, raw_parts
from deskcrew.evidence.states import States, unit_of
from deskcrew.facts.events import ActionStarted, Event, Rewound, Saved, Understood
from deskcrew.facts.excerpts import both_ends, shorten

SHOWN, LESS = 4000, 800
"""Maximum characters shown of a file, and of each further file once :data:`MOST_SHOWN` have been shown."""
MOST_SHOWN = 24_000
"""Characters after which further files are cut to ``LESS``."""
MOST_FILES = 60
WORKBOOKS = frozenset({".xlsx", ".xlsm", ".ods"})


def saved_states(events: Iterable[Event], get: Callable[[str], bytes]) -> States:
    """The first and the last saved state of the workspace in these events; ``get`` returns a blob. What a person changed
    before they said what is wanted belongs to the first."""
    saved: list[str] = []
    start, due = 0, False
    for event in events:
        match event.body:
            case Saved() as body:
                saved.append(body.manifest)
                start = len(saved) - 1 if due else start
            case Understood(by="human", holds=True):
                due = True
            case ActionStarted() | Rewound():
                due = False
            case _:
                pass
    return States(Manifest.from_bytes(get(saved[start])), Manifest.from_bytes(get(saved[-1])), get)


def changes_told(states: States, *, most: int = MOST_FILES) -> str:
    """Describe what the workspace holds and what changed in it: small files whole, the beginning of large ones, the
    structure of databases and their changed rows, and what the text of workbooks and pictures does not show. ``most``: how
    many unchanged files are listed."""
    before, now, changed = states.start.by_path, states.end.by_path, states.changes()
    left = MOST_SHOWN
    lines: list[str] = []

    def show(path: str, what: str, *, start: bool = False) -> None:
        nonlocal left
        room = SHOWN if left > 0 else LESS
        text = text_of(states, path, start=start)
        # Of a database the beginning is one table.
        is_database = len(text) > room and databases.is_database(data_of(states, path, start=start))
        text = outline(path, text, room) if is_database else both_ends(text, room)
        left -= len(text)
        notes = f"; {_form(states, path, start=start)}" if text else ""
        lines.append(f"{path} ({what}{notes})" + (f": {text}" if text else ""))

    def show_inside(path: str) -> None:
        nonlocal left
        was, now = _inside(states, path, start=True), _inside(states, path, start=False)
        whole = path not in before or was == now
        for name in dict.fromkeys((*now, *was)):
            texts = (now.get(name), None if whole else was.get(name))
            if texts[0] == texts[1]:
                continue
            for text, when in zip(texts, ("", " at the start"), strict=True):
                told = both_ends(text or "", SHOWN if left > 0 else LESS)
                left -= len(told)
                if text is not None:
                    lines.append(f"{path}{readers.MEMBER}{name} (in it{when}): {told}")

    for path in changed:
        if (unit := unit_of(path)) != path:
            if (told := f"{unit} (what git keeps; it changed)") not in lines:
                lines.append(told)
            continue
        if modes := states.modes_of(path):
            lines.append(f"{path} (its modes changed, and nothing else: {modes})")
            continue
        what = "new" if path not in before else "gone" if path not in now else "changed"
        entry = now.get(path) or before[path]
        show(path, f"{what}{' folder' if entry.kind == 'folder' else ''}")
        if what == "new" and (older := states.older(path)) and (differs := edits.told(path, *_since(states, path))):
            told = shorten(differs, SHOWN)
            lines.append(f"{path} (made from {older}; what differs, - there and + here): {told}")
            left -= len(told)
        if what != "gone" and (hidden := _hidden(states, path)):
            lines.append(f"{path} (in its parts, which its text does not show, - gone and + new): {hidden}")
            left -= len(hidden)
        if what != "gone" and (formats := _formats_differ(states, path)):
            told = shorten(formats, SHOWN)
            lines.append(f"{path} (formatting, - at the start and + now): {told}")
            left -= len(told)
        if what == "changed" and (rows := _rows_changed(states, path)):
            lines.append(f"{path} (its rows, start -> end): {shorten(rows, SHOWN)}")
            left -= len(rows)
        elif what != "gone" and (drawn := _drawn(states, path, new=what == "new")):
            lines.append(f"{path} (as a picture): {drawn}")
        elif what != "gone" and (differs := _book_differs(states, path, new=what == "new")):
            told = shorten(differs, SHOWN)
            lines.append(f"{path} ({'besides' if what == 'new' else 'what differs, start -> end'}): {told}")
            left -= len(told)
            if what == "changed" and told != differs:
                show(path, "the same at the start", start=True)
        elif what == "changed":
            show(path, "the same at the start", start=True)
        show_inside(path)
    rest = [
        path
        for path, entry in now.items()
        if entry.kind == "file" and path == unit_of(path) and path not in changed and path.partition("/")[0] != TRASH
    ]
    for path in rest[:most]:
        show(path, "as it was")
        show_inside(path)
    if len(rest) > most:
        lines.append(f"and {len(rest) - most} more files as they were")
    return "\n".join(lines) or "the folder is empty, and nothing changed in it"


def _inside(states: States, path: str, *, start: bool) -> dict[str, str]:
    """The texts of the small files in an archive, or attached to a message, by name."""
    if not path.lower().endswith(readers.CONTAINERS) or not (data := data_of(states, path, start=start)):
        return {}
    try:
        with readers.damage_told(Path(path)):
            return {name: _read(name, content) for name, content in readers.small_members(Path(path), data)}
    except ActionError:
        return {}  # its text says so


def _form(states: States, path: str, *, start: bool) -> str:
    """What the text of a file does not show: its size and, for text, encoding, line endings, a missing last newline."""
    data = data_of(states, path, start=start)
    said = [f"{len(data)} bytes"]
    if b"\x00" not in data:
        try:
            data.decode()
        except UnicodeDecodeError:
            said.append("not UTF-8")
        said += ["with a byte order mark"] if data.startswith(b"\xef\xbb\xbf") else []
        said += ["CRLF"] if b"\r\n" in data else []
        said += ["no line end at its end"] if data and not data.endswith(b"\n") else []
    return ", ".join(said)


def _rows_changed(states: States, path: str) -> str:
    """Which rows of a database changed; '' for any other file."""
    before, now = data_of(states, path, start=True), data_of(states, path, start=False)
    if not (databases.is_database(before) and databases.is_database(now)):
        return ""
    try:
        with readers.damage_told(Path(path)):
            return databases.differences(before, now)
    except ActionError as error:
        return str(error)


def _book_differs(states: States, path: str, *, new: bool) -> str:
    """What differs in a workbook, including what its text does not show; '' for any other file, and for a damaged one."""
    if Path(path).suffix.lower() not in WORKBOOKS:
        return ""
    before = b"" if new else data_of(states, path, start=True)
    try:
        # Parsers of documents take long to load, and most runs do not need them.
        from deskcrew.evidence.workbooks import differences

        return "\n".join(differences(Path(path), before, data_of(states, path, start=False)))
    except (ActionError, ModuleNotFoundError):
        return ""  # its text says so


def _formats_differ(states: States, path: str) -> str:
    """What differs in the formatting of a document or presentation; '' for any other file, and for a damaged one."""
    try:
        return formatting.differences(Path(path), *_since(states, path))
    except ActionError:
        return ""  # its text says so


def _since(states: States, path: str) -> tuple[bytes, bytes]:
    """The content of the file that this one was made from, b'' if there is none, and its own content at the end."""
    older = states.older(path)
    return data_of(states, older, start=True) if older else b"", data_of(states, path)


def _hidden(states: States, path: str) -> str:
    """What is new or gone in a document's parts and does not show in its text; '' for any other file."""
    if Path(path).suffix.lower() not in raw_parts.DOCUMENTS:
        return ""
    older = states.older(path)
    texts = (text_of(states, path), text_of(states, older, start=True) if older else "")
    return raw_parts.told(*_since(states, path), "\n".join(texts))


def _drawn(states: States, path: str, *, new: bool) -> str:
    """A picture's form, and how it differs from the start; '' for any other file."""
    if Path(path).suffix.lower() not in FORMATS:
        return ""
    now = data_of(states, path)
    told = drawings.form(now), "" if new else drawings.difference(data_of(states, path, start=True), now)
    return "; ".join(filter(None, told))


def data_of(states: States, path: str, *, start: bool = False) -> bytes:
    """The content of a file at the end or, if it is gone or with ``start``, at the start; b'' if it has none."""
    entry = (states.start if start else states.end).by_path.get(path) or states.start.by_path.get(path)
    return states.get(entry.digest) if entry is not None and entry.kind == "file" and entry.digest else b""


def text_of(states: States, path: str, *, start: bool = False) -> str:
    """The text of a file at the end or, if it is gone or with ``start``, at the start; '' if it has none."""
    data = data_of(states, path, start=start)
    return _read(path, data) if data else ""


def _read(name: str, data: bytes) -> str:
    try:
        return readers.read_content(Path(name), data)
    except ActionError as error:
        return str(error)

"""Reading files by their type (C25; COLA promises pdf and raises on it).

Files may come from anywhere: no reader follows a reference, resolves an entity or runs a macro, and each limits the size of
what it unpacks. A damaged file is the model's problem, not ours: ActionError.
"""

from __future__ import annotations

import json
import os
import plistlib
import re
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from email.message import EmailMessage
from itertools import chain, islice
from pathlib import Path

from deskcrew.actions import (
    archives,
    books,
    databases,
    documents,
    letters,
    markup,
    office,
    opendocument,
    outlook,
    sections,
    tables,
    word,
)
from deskcrew.actions.archives import ArchiveEntry
from deskcrew.actions.decoding import declared_in, decoded, doubtful, text_of
from deskcrew.actions.sections import Document, Note, Section, damaged
from deskcrew.environments.held_folders import READ
from deskcrew.environments.pictures import FORMATS
from deskcrew.errors import ActionError, extra_installed
from deskcrew.facts.excerpts import CUT, is_cut

MAX_TEXT = 200_000
"""Maximum characters returned; a note says what is missing."""
MEMBER = "//"
"""Separates the path of an archive or message from the name of a file in it."""
CONTAINERS = (".zip", ".eml", *archives.TAPES, *archives.COMPRESSED)
"""Suffixes of files that contain files which are read."""
MAX_MEMBERS, MAX_MEMBER = 20, 1 << 20
"""Maximum number of contained files that are read, and bytes of each."""
_DEEPEST = 1
"""The number of levels of nested archives that are read below the first one."""
MAX_FILE = 64 << 20
"""Maximum size of a file that is opened whole, in bytes."""
_LONG_LINE = 1000
"""Maximum length of a line before JSON is reformatted, so that a part of it can be shown."""
_ESCAPED = re.compile(r"(?<!\\)(?:\\u[0-9a-fA-F]{4})+")
_CHUNK = 1 << 16
"""Characters after which an endless line is split, in files that are read piece by piece."""


def read(path: Path) -> str:
    """The whole text of a file, unchanged, as checks examine it. Raises ActionError for an unreadable format, OSError for a
    file that cannot be opened."""
    with damage_told(path):
        return _whole(opened(path))


def member(path: Path, name: str) -> str:
    """The text of a small file in an archive, or attached to a message; the names of all, one a line, if ``name`` is ''.
    Raises what :func:`read` raises."""
    with damage_told(path):
        inside = dict(small_members(path, bytes_of(path)))
    if not name:
        return "\n".join(inside)
    if name not in inside:
        raise ActionError(f"{name} in {path.name} cannot be read without unpacking it.")
    return read_content(Path(name), inside[name])


def small_members(path: Path, content: bytes) -> Iterator[tuple[str, bytes]]:
    """The first small files in the archive or message with this ``content``; none for other files. Raises what parsers
    raise."""
    suffix = path.suffix.lower()
    if suffix in _MESSAGES or suffix == ".mbox":
        letter = _MESSAGES.get(suffix, letters.message_of)
        messages = [content] if suffix in _MESSAGES else letters.letters_of(content)
        attached = chain.from_iterable(letters.attached_to(letter(each)) for each in messages)
        found = ((letters.name_of(each), letters.data_of(each)) for each in attached)
    elif suffix == ".pdf":
        found = documents.attached_to(documents.opened_pdf(content))
    elif entries := _entries(suffix, content):
        small = (each for each in entries if not (each.is_folder or each.locked) and each.size <= MAX_MEMBER)
        found = ((each.name, each.read()) for each in small)
    else:
        return
    yield from islice((each for each in found if each[0].isprintable() and 0 < len(each[1]) <= MAX_MEMBER), MAX_MEMBERS)


def _entries(suffix: str, content: bytes) -> Iterator[ArchiveEntry] | None:
    """The entries of an archive; None for other files."""
    if suffix == ".7z":
        return archives.seven_entries(content)
    if suffix == ".zip" or _is_zip(suffix, content):
        return archives.zip_entries(content)
    taped = suffix in (*archives.TAPES, *archives.COMPRESSED) and archives.is_tape(content)
    return archives.entries_of(content) if taped else None


def _is_zip(suffix: str, content: bytes) -> bool:
    """Whether the content is a zip archive with the suffix of some program."""
    return suffix not in READERS and content.startswith(b"PK\x03\x04")


def members(listing: str) -> list[str]:
    """The names of the files in an archive, from the text that reading it returns."""
    found = (line.removesuffix(" bytes").rpartition("  ") for line in listing.split("\n")[1:] if line.endswith(" bytes"))
    return [name for name, _, size in found if name and size.isdecimal()]


def read_content(path: Path, content: bytes) -> str:
    """The text that :func:`read` returns for a file called ``path`` with this ``content``. Raises ActionError."""
    with damage_told(path):
        return _whole(_document(path, content))


def notes_of(path: Path, content: bytes) -> tuple[str, ...]:
    """The notes on a file called ``path``: comments, links, hidden content. Raises ActionError if it cannot be read."""
    with damage_told(path):
        return _document(path, content).notes


def opened(path: Path) -> Document:
    """A file's content by its type. Its sections are read when their lines are consumed, within :func:`damage_told`. Raises
    what :func:`read` raises."""
    with damage_told(path):
        return _document(path, bytes_of(path))


def shown(path: Path) -> Document:
    """Like :func:`opened`, with the texts of the small files in it."""
    with damage_told(path):
        content = bytes_of(path)
        document, inside = _document(path, content), _inside(path, content)
    if document.source is None and [each.kind for each in document.sections] == ["text"]:
        lines = chain(document.sections[0].lines, inside)
        return replace(document, sections=(Section("text", "", lines),))
    return replace(document, notes=(*document.notes, *islice(inside, sections.MOST_NOTES)))


def _inside(path: Path, content: bytes, deep: int = _DEEPEST) -> Iterator[str]:
    """The lines of the small files in an archive, or attached to a message, and of the files in these, if they can be read
    fast."""
    with suppress(ActionError), damage_told(path):
        for name, data in small_members(path, content):
            inner = Path(name)
            if inner.suffix.lower() in (*FORMATS, *OLD):
                continue
            with suppress(ActionError), damage_told(inner):
                document = _document(inner, data)
                lines = "".join((*_lines_of(document), *(f"{note}\n" for note in document.notes))).splitlines()
                yield from (f"[in {name}] {line}" for line in lines if line.strip())
            if deep:
                yield from (f"[in {name}] {line}" for line in _inside(inner, data, deep - 1))


def _document(path: Path, content: bytes) -> Document:
    suffix = path.suffix.lower()
    if suffix in archives.COMPRESSED:
        if not archives.is_tape(content):
            return _document(path.with_suffix(""), archives.unpacked(content))
        suffix = archives.TAPES[0]
    if suffix in OLD and not office.is_of_office(content):
        suffix = ".html" if content.lstrip().startswith(b"<") else ".txt"
    if reader := READERS.get(suffix):
        # All sections now, not all lines: so it is known how many there are.
        found, notes = _with_notes(reader(content))
        return Document(path.name, found, notes=notes)
    if _is_zip(suffix, content):
        return Document(path.name, tuple(archives.zipped(content)))
    if content.startswith(b"bplist"):
        return Document(path.name, tuple(_lines(plistlib.dumps(plistlib.loads(content)).decode())))
    if databases.is_database(content):
        return Document(path.name, tuple(databases.tables(content)))
    text, zeros = _plain(content, path)
    guess = doubtful(content)
    doubts = [Note("encoding", "", f"{guess} by its letters; nothing in the file says so")] if guess else []
    notes = tuple(sections.noted(doubts, {"NUL byte": zeros}).lines)
    if of_source := SOURCES.get(suffix):
        with suppress(ActionError, *damaged()):  # then as it stands
            found = _with_notes(of_source(content))
            return Document(path.name, found[0], text, notes + found[1], rendered=True, encoded=True)
    of_text = TEXTS.get(suffix, _markup if markup.hides(text) else _lines)
    rendered = of_text in _RENDERED or (of_text is _json and _ESCAPED.search(text) is not None)
    return Document(path.name, tuple(of_text(text)), text, notes, rendered=rendered)


def _with_notes(sections: Iterator[Section]) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """The sections, and the notes beside them."""
    found = tuple(sections)
    notes = tuple(line for section in found if section.kind == "notes" for line in section.lines)
    return tuple(section for section in found if section.kind != "notes"), notes


def streamed(path: Path) -> Document | None:
    """A text file that is too large to be opened whole, to be read line by line; None if it is not too large or not text.
    Raises what :func:`read` raises."""
    descriptor = os.open(path, READ)
    with open(descriptor, encoding="utf-8-sig", errors="replace", newline="") as file:
        status = os.fstat(descriptor)
        too_large = stat.S_ISREG(status.st_mode) and status.st_size > MAX_FILE
        if not too_large or path.suffix.lower() in READERS or "\0" in file.read(8192):
            return None
    return Document(path.name, (Section("text", "", _streamed_lines(path)),))


def _streamed_lines(path: Path) -> Iterator[str]:
    with open(os.open(path, READ), encoding="utf-8-sig", errors="replace", newline="\n") as file:
        while line := file.readline(_CHUNK):
            yield line.rstrip("\r\n")


def _whole(document: Document) -> str:
    """The source, or all sections, each under its name, with the notes last."""
    notes = "".join(f"{note}\n" for note in (sections.BESIDE, *document.notes)) if document.notes else ""
    source = None if document.encoded else document.source
    text = _capped(_lines_of(document) if source is None else iter((source,)))
    if not is_cut(text):
        return text + notes
    kept, _, cut = text.rpartition("\n")
    return f"{kept}\n{notes}{cut}"


def _lines_of(document: Document) -> Iterator[str]:
    for section in document.sections:
        if section.heading != section.kind:
            yield f"[{section.heading}]\n"
        for line in section.lines:
            yield line + "\n"


@contextmanager
def damage_told(path: Path) -> Generator[None]:
    """Turns what a parser raises for a damaged file, or for lack of its library, into an ActionError, but no system
    errors."""
    try:
        yield
    except ModuleNotFoundError as error:
        why = f"{error.name} is not installed. {extra_installed('files')}"
        raise ActionError(f"{path.name} cannot be read here: {why}") from error
    except damaged() as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        problem = " ".join(str(error).split())[:200] or type(error).__name__
        raise ActionError(f"{path.name} cannot be read as {path.suffix.lower()[1:] or 'text'}: {problem}.") from error


def bytes_of(path: Path) -> bytes:
    descriptor = os.open(path, READ)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise ActionError(f"{path.name} is not a file; it cannot be read.")
    with open(descriptor, "rb") as file:
        if status.st_size > MAX_FILE:
            size = f"{path.name} is {status.st_size >> 20} MiB; files over {MAX_FILE >> 20} MiB cannot be read whole"
            raise ActionError(size + ("." if path.suffix.lower() in READERS else '. Use part="1-100" or find="a word".'))
        return file.read()


def _capped(pieces: Iterator[str]) -> str:
    kept: list[str] = []
    length = 0
    for piece in pieces:
        kept.append(piece)
        length += len(piece)
        if length > MAX_TEXT:
            return "".join(kept)[:MAX_TEXT] + f"\n{CUT}the first {MAX_TEXT} characters are shown]"
    return "".join(kept)


def _plain(content: bytes, path: Path) -> tuple[str, int]:
    """A text, and the number of NUL bytes it had. Raises ActionError for other content."""
    declares = path.suffix.lower() in _DECLARING and b"\0" not in content
    try:
        return (decoded(content, declared_in(content)), 0) if declares else text_of(content)
    except ValueError as error:
        known = ", ".join((*sorted(kind[1:] for kind in READERS), "SQLite databases"))
        raise ActionError(f"{path.name} is not text. Besides text, these can be read: {known}.") from error


def _lines(text: str) -> Iterator[Section]:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    yield Section("text", "", (line.rstrip("\r") for line in lines))


def _markup(text: str) -> Iterator[Section]:
    try:
        lines = list(markup.legible(text))
    except damaged():  # then as it stands
        return _lines(text)
    return iter((Section("text", "", iter(lines)),))


def _json(text: str) -> Iterator[Section]:
    if max(map(len, text.split("\n"))) > _LONG_LINE:
        with suppress(ValueError, RecursionError):  # then as it stands
            text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    return _lines(_ESCAPED.sub(_unescaped, text))


def _unescaped(match: re.Match[str]) -> str:
    """JSON's numeric escapes as characters, except those that would break a line or a string."""
    said: str = json.loads(f'"{match[0]}"')
    return said if said.isprintable() and not {'"', "\\"} & set(said) else match[0]


def _table(text: str) -> Iterator[Section]:
    return tables.separated(text) if text.strip() else iter(())


def _converted(
    source: str, target: str, reader: Callable[[bytes], Iterator[Section]]
) -> Callable[[bytes], Iterator[Section]]:
    return lambda content: reader(office.converted(content, source, target))


def _told(parser: Callable[[bytes], EmailMessage]) -> Callable[[bytes], Iterator[Section]]:
    return lambda content: letters.told(parser(content))


_MESSAGES: dict[str, Callable[[bytes], EmailMessage]] = {
    **dict.fromkeys((".eml", ".mht", ".mhtml"), letters.message_of), ".emlx": letters.of_apple,
    ".msg": outlook.message_of,
}  # fmt: skip
"""Parsers of mail messages, and of web pages saved in the same format, by suffix."""
OLD: dict[str, Callable[[bytes], Iterator[Section]]] = {
    ".doc": _converted("doc", "docx", word.word), ".rtf": _converted("rtf", "docx", word.word),
    ".xls": _converted("xls", "xlsx", tables.xlsx), ".xlsb": _converted("xlsb", "xlsx", tables.xlsx),
    ".ppt": _converted("ppt", "pptx", documents.presentation), ".fods": _converted("fods", "ods", tables.ods),
    ".fodt": _converted("fodt", "odt", opendocument.document), ".fodp": _converted("fodp", "odp", opendocument.document),
}  # fmt: skip
"""Readers of formats that LibreOffice converts first, by suffix."""
READERS: dict[str, Callable[[bytes], Iterator[Section]]] = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx", ".xltm"), tables.xlsx), ".ods": tables.ods, ".ots": tables.ods,
    **dict.fromkeys((".docx", ".docm", ".dotx", ".dotm"), word.word),
    **dict.fromkeys((".odt", ".ott", ".odp", ".otp", ".odg"), opendocument.document),
    **dict.fromkeys((".pptx", ".pptm", ".potx", ".potm", ".ppsx", ".ppsm"), documents.presentation),
    ".pdf": documents.pdf, ".zip": archives.zipped,
    **OLD,
    ".epub": books.book, ".parquet": tables.parquet,
    **dict.fromkeys(archives.TAPES, archives.taped), ".7z": archives.seven, ".msg": _told(outlook.message_of),
    **dict.fromkeys(FORMATS, documents.picture),
}  # fmt: skip
"""Readers of everything that is not plain text, by suffix."""
TEXTS: dict[str, Callable[[str], Iterator[Section]]] = {
    ".csv": _table, ".tsv": _table, ".json": _json, ".jsonl": _json, ".html": documents.web_page, ".htm": documents.web_page,
    ".ldif": letters.address_book,
}  # fmt: skip
"""Text formats with more structure than lines."""
SOURCES: dict[str, Callable[[bytes], Iterator[Section]]] = {
    **{suffix: _told(parser) for suffix, parser in _MESSAGES.items() if suffix != ".msg"},
    ".mbox": letters.mailbox, **dict.fromkeys((".ics", ".vcs", ".vcf"), letters.calendar),
    ".ipynb": books.notebook,
}  # fmt: skip
"""Text formats written for programs, whose content must be decoded."""
_RENDERED = (documents.web_page, letters.address_book, _markup)
_DECLARING = (".html", ".htm", ".xhtml", ".xml", ".svg")
"""Text formats that name their encoding."""

"""Rules or orders that the task refers to: small text files of the workspace, and pages given with it, as data for
contracts.

They order nothing by themselves: a requirement still needs a part of the task that refers to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from deskcrew.engine.record import Record
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.texts import file_names, stands_alone, stands_in

PROSE = frozenset({"", ".txt", ".md", ".rst", ".eml", ".html", ".htm", ".docx", ".odt", ".rtf", ".pdf"})
"""Suffixes of files that may contain rules in words; tables and data are not among them."""
LARGEST = 2_000_000
"""Bytes of the largest file that is read."""
SHOWN, MOST_SHOWN, MOST_FILES = 4000, 16_000, 30
"""The maximum characters shown of one text and of all, and the maximum number of files."""


def named_files(record: Record) -> tuple[str, ...]:
    """Paths of text files from before the work that the task names, by their name or their folder's (``requests/``)."""
    task = record.state.task
    names = {name.rstrip(".,;:") for name in file_names(task)}
    files = [entry for entry in record.looks.first.files if entry.kind == "file" and entry.size <= LARGEST]
    found: list[str] = []
    for entry in files:
        path = PurePosixPath(entry.path)
        in_folder = any(_names_folder(task, str(parent)) for parent in path.parents if str(parent) != ".")
        if is_prose(entry.path) and (in_folder or entry.path in names or path.name in names):
            found.append(entry.path)
    return tuple(found[:MOST_FILES])


def is_prose(path: str) -> bool:
    """Whether a file may contain rules in words, by its suffix."""
    return PurePosixPath(path).suffix.lower() in PROSE


def _names_folder(task: str, folder: str) -> bool:
    return stands_alone(f"{folder}/", task, before="/.-", after="*")


def named_texts(record: Record) -> str:
    """The content of the files and pages that the task names, shortened; '' if there are none."""
    return "\n".join(_told(record))


def _told(record: Record) -> Iterator[str]:
    left = MOST_SHOWN
    for name, text in _texts(record):
        if (shown := shorten(text.strip(), min(SHOWN, left))) and left > 0:
            left -= len(shown)
            yield f"[{name}]\n{shown}"


def _texts(record: Record) -> Iterator[tuple[str, str]]:
    for path in named_files(record):
        yield path, record.was(path) or ""
    window = record.looks.first.active_window
    if window is not None and window.url and _is_named(record.state.task, window.url, window.title):
        yield f"the page {window.url}", record.looks.first.all_text


def _is_named(task: str, url: str, title: str) -> bool:
    last = PurePosixPath(url.partition("?")[0]).name
    return url in task or ("." in last and last in file_names(task)) or (len(title) > 3 and stands_in(title, task))

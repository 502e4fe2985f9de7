"""``deskcrew docs``: the documentation at a terminal, also where only the package is installed."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deskcrew.errors import UnknownError
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.texts import words_in
from deskcrew.ways_in.cli.reference import filled

EPILOG = 'Examples: deskcrew docs | deskcrew docs add-an-action | deskcrew docs "exit codes" | deskcrew docs schedules#times'

PACKAGE = Path(__file__).parents[2]
ROOMS = ("how-to", "reference", "")
"""The folders in which a name without one is looked up, in this order."""
RESULTS = 8


@dataclass(frozen=True, slots=True)
class DocSection:
    """A part of a page: its heading with what follows up to the next one. ``name``: what ``deskcrew docs`` shows it by;
    ``level``: 1 for the page's title."""

    name: str
    level: int
    heading: str
    text: str

    @property
    def body(self) -> str:
        return self.text.partition("\n")[2] if self.heading else self.text


def docs(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE|WORDS",
            help="A page's name, such as add-an-action, or words to search for.",
            show_default="list all pages",
        ),
    ] = None,
) -> None:
    """Show a page of the documentation, search in all of them, or list them."""
    there = pages()
    if not words:
        for name, path in there.items():
            typer.echo(f"{name:34} {_title(path)}")
        return
    asked = " ".join(words)
    page, _, part = asked.removeprefix("docs/").casefold().partition("#")
    page = page.removesuffix(".md")
    found = next((full for room in ROOMS if (full := f"{room}/{page}".lstrip("/")) in there), None)
    if found is None:
        _search(asked, there, filled)
        return
    text = filled(there[found].read_text(encoding="utf-8"))
    parts = list(sections(found, text))
    at = next((at for at, each in enumerate(parts) if part and each.name == f"{found}#{part}"), None)
    _show(text if at is None else _with_its_parts(parts, at))


def _show(text: str) -> None:
    if not sys.stdout.isatty():
        typer.echo(text)
        return
    from rich.markdown import Markdown

    Console().print(Markdown(text))


def _with_its_parts(parts: Sequence[DocSection], at: int) -> str:
    """A section with those below it."""
    end = next((end for end in range(at + 1, len(parts)) if parts[end].level <= parts[at].level), len(parts))
    rest = "" if parts[at].level == 1 else f"\nThe whole page: deskcrew docs {parts[at].name.partition('#')[0]}"
    return "".join(each.text for each in parts[at:end]) + rest


def _search(asked: str, there: Mapping[str, Path], filled: Callable[[str], str]) -> None:
    """Show the only page whose title has all the words, or the only section whose heading has them; else list the sections
    that have them, best first. Raises UnknownError if there are none."""
    words = [f'"{word}"' for word in words_in(asked)]
    every = " AND ".join(words)
    parts, found = list[DocSection](), list[tuple[int, str]]()
    # What is made of the code takes seconds, and is searched only for what nobody has written of.
    for read in (str, filled):
        parts = [each for name, path in there.items() for each in sections(name, read(path.read_text(encoding="utf-8")))]
        headed = [at for at, _ in _matches(parts, f"heading : ({every})")] if words else []
        for among in ([at for at in headed if parts[at].level == 1], headed):
            if len(among) == 1:
                _show(_with_its_parts(parts, among[0]))
                return
        if words and (found := _matches(parts, every)):
            break
    near = did_you_mean(asked, [*there, *(Path(each).name for each in there)]) if len(asked.split()) == 1 else ""
    if not found and len(words) > 1 and not near:
        found = _matches(parts, " OR ".join(words))
    if not found:
        raise UnknownError(f"The documentation has nothing about {asked!r}.{near}", hint="`deskcrew docs` lists its pages.")
    for at, line in found[:RESULTS]:
        typer.echo(f"deskcrew docs {parts[at].name}\n    {' '.join(line.split())}")


def _matches(parts: Sequence[DocSection], query: str) -> list[tuple[int, str]]:
    """The numbers of the sections that a full-text query finds, best first, each with the words around a match."""
    rows = ((at, each.name.partition("#")[0], each.heading, each.body) for at, each in enumerate(parts))
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute('CREATE VIRTUAL TABLE parts USING fts5 (page, heading, body, tokenize = "porter unicode61")')
        index.executemany("INSERT INTO parts (rowid, page, heading, body) VALUES (?, ?, ?, ?)", rows)
        around = (
            "SELECT rowid, snippet(parts, 2, '', '', '…', 24) FROM parts WHERE parts MATCH ? ORDER BY bm25(parts, 4, 8, 1)"
        )
        return [(int(number), str(line)) for number, line in index.execute(around, (query,))]


def sections(page: str, markdown: str) -> Iterator[DocSection]:
    """A page's sections, in order; together they are the page."""
    name, level, heading, text, fenced = page, 1, "", "", False
    for line in markdown.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        marks, _, words = line.partition(" ")
        if fenced or not words or set(marks) != {"#"}:
            text += line
            continue
        if text.strip():
            yield DocSection(name, level, heading, text)
        level, heading, text = len(marks), words.strip(), line
        name = page if level == 1 else f"{page}#{'-'.join(words_in(words.casefold()))}"
    yield DocSection(name, level, heading, text)


def pages() -> dict[str, Path]:
    """The pages' files, by name. The build puts them into the package (``hatch_build.py``); a clone has them beside it."""
    folder = next((each for each in (PACKAGE / "docs", PACKAGE.parents[1] / "docs") if each.is_dir()), None)
    found = sorted(folder.rglob("*.md")) if folder else []
    named = {path.relative_to(folder or path).with_suffix("").as_posix(): path for path in found}
    beside = PACKAGE.parents[1] / "SECURITY.md"
    return named if "security" in named or not beside.is_file() else named | {"security": beside}


def _title(page: Path) -> str:
    lines = page.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), "")

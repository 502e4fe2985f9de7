"""How much of people's files is shown to whoever reads them: each item is a file and what must be shown of it."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from deskcrew.actions.excerpts import excerpt
from deskcrew.actions.sections import damaged
from deskcrew.errors import ActionError, UsageError
from deskcrew.facts.observation import Frozen

ITEMS = "items.toml"


class Item(Frozen):
    """A file of the folder; ``kind``: how items are summed up; ``shown``: texts that must be shown of it."""

    file: str
    kind: str
    shown: tuple[str, ...] = Field(min_length=1)


class ReadItem(Frozen):
    """``lost``: by the name of a reader, which of the texts it does not show; ``failed``: likewise why it read nothing."""

    item: Item
    lost: dict[str, tuple[str, ...]]
    failed: dict[str, str]


class Share(Frozen):
    """How many items a reader shows everything of, and how many texts; of a kind, or of all (``kind``: '')."""

    reader: str
    kind: str
    whole: int
    items: int
    shown: int
    texts: int


Reader = Callable[[Path], str]
"""Returns the text of a file. Raises ActionError for one that it cannot read."""


def items_in(folder: Path) -> list[Item]:
    """Raises UsageError if the folder has none, or names files that are not there."""
    try:
        given = tomllib.loads((folder / ITEMS).read_text(encoding="utf-8"))
        items = [Item.model_validate(each) for each in given["item"]]
    except (OSError, ValueError, LookupError) as error:
        raise UsageError(
            f"{folder / ITEMS} cannot be read: {error}.", hint="bench/reading/README.md says what it is."
        ) from error
    if missing := [item.file for item in items if not (folder / item.file).is_file()]:
        raise UsageError(f"Not in {folder}: {', '.join(missing)}.", hint=f"Add them, or take them out of {ITEMS}.")
    return items


def readers() -> dict[str, Reader]:
    """What is compared: our reader, and markitdown where it is installed."""
    found: dict[str, Reader] = {"deskcrew": lambda path: excerpt(path)}
    try:
        library: Any = importlib.import_module("markitdown")
    except ImportError:
        return found
    made = library.MarkItDown()

    def converted(path: Path) -> str:
        try:
            return str(made.convert(str(path)).text_content)
        except (library.MarkItDownException, *damaged()) as error:
            raise ActionError(f"{type(error).__name__}: {error}") from error

    return {**found, "markitdown": converted}


def read(folder: Path, item: Item, by: dict[str, Reader]) -> ReadItem:
    lost: dict[str, tuple[str, ...]] = {}
    failed: dict[str, str] = {}
    for name, reader in by.items():
        try:
            said = _plain(reader(folder / item.file))
        except ActionError as error:
            said, failed[name] = "", str(error)
        lost[name] = tuple(text for text in item.shown if _plain(text) not in said)
    return ReadItem(item=item, lost=lost, failed=failed)


def _plain(text: str) -> str:
    """Without what readers lay out differently: blanks, and the marks of Markdown."""
    return "".join(sign for sign in text if not sign.isspace() and sign not in "\\*_|`")


def shares(done: Sequence[ReadItem]) -> list[Share]:
    """For each reader that of all items, and then those by kind."""
    kinds = ["", *dict.fromkeys(each.item.kind for each in done)]
    names = dict.fromkeys(name for each in done for name in each.lost)
    found: list[Share] = []
    for name in names:
        for kind in kinds:
            mine = [each for each in done if kind in ("", each.item.kind)]
            texts, lost = sum(len(each.item.shown) for each in mine), sum(len(each.lost[name]) for each in mine)
            whole = sum(not each.lost[name] for each in mine)
            found.append(Share(reader=name, kind=kind, whole=whole, items=len(mine), shown=texts - lost, texts=texts))
    return found

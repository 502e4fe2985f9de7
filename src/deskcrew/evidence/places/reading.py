"""Looks up the value at an address in a file: picks the reader for its type, and reports damaged files in words."""

from __future__ import annotations

import json
import lzma
import struct
import tarfile
import tomllib
from collections.abc import Callable
from email.errors import MessageError
from pathlib import Path
from typing import Any, TypeVar

import yaml

from deskcrew.actions import readers
from deskcrew.actions.sections import loaded, lxml
from deskcrew.environments.pictures import FORMATS
from deskcrew.errors import ActionError
from deskcrew.evidence.places import letters, media, sheets, slides, tables, texts
from deskcrew.evidence.places.recent import recent
from deskcrew.evidence.places.tree import PlaceNode, steps, value_in
from deskcrew.facts.json_values import is_list

T = TypeVar("T")

_BROKEN: tuple[type[Exception], ...] = (
    yaml.YAMLError, lzma.LZMAError, tarfile.TarError, struct.error, MessageError, RuntimeError,
)  # fmt: skip
_BROKEN_OF_LIBRARIES = (
    ("docx.exceptions", "PythonDocxError"),
    ("docx.opc.exceptions", "OpcError"),
    ("pptx.exc", "PythonPptxError"),
)
Reader = Callable[[bytes, str], str]
"""Returns the value at an address in a file's content. Raises ActionError if there is none, and what parsers raise."""


def value_at(path: Path, address: str) -> str:
    """The value at an address in a file, or in the git repository at a folder (docs/reference/checks.md lists the
    addresses). Raises ActionError if the file has no addresses, is damaged or too large, or has no value there."""
    if not address.strip():
        raise ActionError(f"{path.name}# must be followed by an address.")
    with readers.damage_told(path):
        try:
            if path.is_dir():
                return _in_repository(path, address)
            reader = READERS.get(path.suffix.lower())
            if reader is None:
                raise ActionError(f"{path.name} has no addresses, but its text can be checked.")
            return reader(readers.bytes_of(path), address.strip())
        except (*_BROKEN, *loaded(_BROKEN_OF_LIBRARIES)) as error:
            raise _damage(error) from error


def _damage(error: Exception) -> ValueError:
    return ValueError(str(error) or type(error).__name__)


def _in_repository(folder: Path, address: str) -> str:
    from deskcrew.evidence.places import repository

    try:
        with repository.repository(folder) as root:
            return value_in(root, address)
    except repository.BROKEN as error:
        raise _damage(error) from error


def _in(make: Callable[[bytes], T], look: Callable[[T, str], str]) -> Reader:
    """A reader that parses a file with ``make`` and looks up addresses in the result, which is cached."""
    made = recent(make)
    return lambda content, address: look(made(content), address)


def _tree(make: Callable[[bytes], PlaceNode]) -> Reader:
    return _in(make, value_in)


def _sheets(make: Callable[[bytes], PlaceNode]) -> Reader:
    return _in(make, sheets.looked_up)


def _separated(content: bytes) -> PlaceNode:
    return tables.separated(content.decode("utf-8-sig", "replace"))


def _in_table(root: PlaceNode, address: str) -> str:
    if "!" in address:
        raise ActionError(f"The file has no sheets; write {address.rpartition('!')[2]}.")
    return value_in(root, address)


def _data(load: Callable[[str], object]) -> Reader:
    """A reader of JSON, YAML or TOML. Lists are counted from 0, as usual in these formats."""

    def look(value: Any, address: str) -> str:
        for step in steps(address):
            if step.name == "length" and not step.among and is_list(value):
                value = len(value)
                continue
            try:
                value = value[_key(step.name, step.number, isinstance(value, list))]
            except (KeyError, IndexError, TypeError):
                raise ActionError(f"There is nothing at {address!r}.") from None
        parts = value if is_list(value) else [value]
        if any(isinstance(part, list | dict) for part in parts):
            raise ActionError(f"At {address!r} there is more than one value; give the address of one.")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)

    return _in(lambda content: load(content.decode("utf-8-sig")), look)


def _key(name: str, number: int | None, in_list: bool) -> str | int:
    return name if number is None else number if in_list else str(number)


def _marked(content: bytes, address: str, *, html: bool) -> str:
    """Evaluate an XPath in XML or HTML; entities are not resolved and nothing is fetched."""
    parser = lxml().HTMLParser(no_network=True) if html else lxml().XMLParser(resolve_entities=False, no_network=True)
    root: Any = lxml().fromstring(content, parser)
    if root is None:
        raise ValueError("it is empty")
    try:
        result: Any = root.getroottree().xpath(address)
    except lxml().XPathError as error:
        raise ActionError(f"{address!r} is not an XPath: {error}.") from None
    if isinstance(result, bool | float | str):
        return json.dumps(result) if isinstance(result, bool) else str(result)
    if not result:
        raise ActionError(f"There is nothing at {address!r}.")
    return "".join(result[0].itertext()) if hasattr(result[0], "itertext") else str(result[0])


def _xml(content: bytes, address: str) -> str:
    return _marked(content, address, html=False)


def _html(content: bytes, address: str) -> str:
    return _marked(content, address, html=True)


_TABLE = _in(_separated, _in_table)
READERS: dict[str, Reader] = {
    ".docx": _tree(texts.word), ".odt": _tree(texts.opendocument),
    ".xlsx": _sheets(sheets.excel), ".xlsm": _sheets(sheets.excel), ".ods": _sheets(sheets.opendocument),
    ".csv": _TABLE, ".tsv": _TABLE,
    ".pptx": _tree(slides.presentation),
    ".pdf": _tree(media.pdf),
    **dict.fromkeys(FORMATS, _tree(media.picture)),
    ".zip": _tree(media.zipped), **dict.fromkeys((".tar", ".tgz", ".gz", ".bz2", ".xz"), _tree(media.taped)),
    ".eml": _tree(letters.letter), ".mbox": _tree(letters.mailbox),
    ".ics": _tree(letters.calendar), ".vcf": _tree(letters.cards),
    ".json": _data(json.loads), ".yaml": _data(yaml.safe_load), ".yml": _data(yaml.safe_load), ".toml": _data(tomllib.loads),
    ".xml": _xml, ".svg": _xml, ".html": _html, ".htm": _html,
}  # fmt: skip
"""The reader for each type of file that has addresses, by suffix."""

"""Typed checks of a contract, looked at in one state of the workspace and one look at the screen. No model, no English."""

from __future__ import annotations

import fnmatch
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from lxml import etree as lxml_etree  # type: ignore[import-untyped]
from openpyxl import load_workbook

from deskcrew.actions import readers, tables
from deskcrew.contract import TypedCheck, TypedKind
from deskcrew.errors import ActionError
from deskcrew.excerpts import shorten
from deskcrew.observation import Observation

etree = cast("Any", lxml_etree)
Seen = tuple[bool | None, str]
"""Whether it holds, None where it cannot be looked at, and what was seen."""
_ENOUGH = 120
"""Characters of what was seen."""
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(-?\d+)\]")


@dataclass(frozen=True, slots=True)
class Side:
    """One state: a folder with the workspace in it, the folder with the workspace as it was at the start, and the screen."""

    folder: Path
    start: Path
    look: Observation
    clipboard: Callable[[], str | None] = lambda: None


def holds(check: TypedCheck, side: Side) -> Seen:
    """Whether a check holds on a side. Never raises for what stands in a file."""
    evaluators: dict[TypedKind, Callable[[TypedCheck, Side], Seen]] = {
        "file_exists": _exists,
        "file_absent": _absent,
        "file_is": lambda c, s: _text(c, s, lambda text: _plain(text) == _plain(c.text)),
        "file_contains": lambda c, s: _text(c, s, lambda text: _squeezed(c.text) in _squeezed(text)),
        "file_lacks": lambda c, s: _text(c, s, lambda text: _squeezed(c.text) not in _squeezed(text)),
        "same_as": _same,
        "value_is": _value,
        "names_are": _names,
        "window_shows": _shows,
        "control_value": _control,
        "clipboard_holds": _clipboard,
    }
    try:
        return evaluators[check.kind](check, side)
    except (ActionError, OSError) as error:
        return None, shorten(str(error), _ENOUGH)


def found(folder: Path, target: str) -> list[Path]:
    """What a path or a pattern names below a folder; nothing outside of it."""
    target = target.strip().removeprefix("/workspace/").removeprefix("./").rstrip("/")
    parts = Path(target).parts
    if not target or target.startswith("/") or ".." in parts:
        return []
    exact = folder / target
    if exact.exists() or exact.is_symlink():
        return [exact]
    if not any(mark in target for mark in "*?["):
        return []
    return sorted(path for path in folder.rglob("*") if fnmatch.fnmatchcase(str(path.relative_to(folder)), target))


def _exists(check: TypedCheck, side: Side) -> Seen:
    there = found(side.folder, check.target)
    return bool(there), "" if there else "it is not there"


def _absent(check: TypedCheck, side: Side) -> Seen:
    there = found(side.folder, check.target)
    return not there, f"{there[0].relative_to(side.folder)} is there" if there else ""


def _text(check: TypedCheck, side: Side, right: Callable[[str], bool]) -> Seen:
    there = [path for path in found(side.folder, check.target) if path.is_file()]
    if not there:
        return False, "it is not there"
    texts = [readers.read(path) for path in there]
    wrong = [text for text in texts if not right(text)]
    return not wrong, f"it holds {shorten(' '.join((wrong or texts)[0].split()), _ENOUGH)!r}"


def _same(check: TypedCheck, side: Side) -> Seen:
    there, originals = found(side.folder, check.target), found(side.start, check.text)
    if not there or not originals:
        return False, f"{check.target if not there else check.text} is not there"
    if len(originals) == 1 and there[0].is_dir() and not originals[0].is_dir():
        there = [there[0] / originals[0].name]
    pairs = list(zip(originals, there, strict=False)) if len(originals) == len(there) else []
    if not pairs:
        return False, f"there are {len(there)}, at the start there were {len(originals)}"
    for original, copy in pairs:
        if _content(original) != _content(copy):
            return False, f"{copy.name} is not as {original.name} was"
    return True, ""


def _content(path: Path) -> object:
    if path.is_symlink():
        return path.readlink()
    if path.is_dir():
        return {str(each.relative_to(path)): _content(each) for each in sorted(path.rglob("*")) if not each.is_dir()}
    return path.read_bytes() if path.exists() else None


def _names(check: TypedCheck, side: Side) -> Seen:
    folder = side.folder if check.target in ("", ".", "/") else next(iter(found(side.folder, check.target)), None)
    if folder is None or not folder.is_dir():
        return False, "there is no such folder"
    names = sorted(path.name for path in folder.iterdir())
    wanted = sorted(line.strip().rstrip("/") for line in check.text.splitlines() if line.strip())
    return names == wanted, shorten(", ".join(names), _ENOUGH) or "nothing is in it"


def _value(check: TypedCheck, side: Side) -> Seen:
    path, _, address = check.target.partition("#")
    there = found(side.folder, path)
    if not there:
        return False, f"{path} is not there"
    value = value_at(there[0], address)
    return _alike(value, check.text), f"it is {shorten(value, _ENOUGH)!r}"


def value_at(path: Path, address: str) -> str:
    """The value at an address of a file: a cell (``B2``, ``Sheet!B2``, ``B2.formula``), a place in JSON, YAML or TOML
    (``a.b[0].c``), an XPath. Raises ActionError for a file without such addresses and one that is not there."""
    if path.stat().st_size > readers.MAX_FILE:
        raise ActionError(f"{path.name} is too large for its values to be looked at.")
    with readers.damage_told(path):
        match path.suffix.lower():
            case ".xlsx" | ".xlsm" if address.endswith(".formula"):
                sheet, row, column = tables.address_of(address.removesuffix(".formula"))
                book = load_workbook(path)
                name = (
                    next((n for n in book.sheetnames if n.lower() == sheet.lower()), None) if sheet else book.sheetnames[0]
                )
                if name is None:
                    raise ActionError(f"{path.name} has no sheet {sheet!r}.")
                return str(book[name].cell(row, column).value or "")
            case ".xlsx" | ".xlsm" | ".csv" | ".tsv":
                value = readers.cell(path, address)
                if value is None:
                    raise ActionError(f"{address} of {path.name} has no value that can be looked at.")
                return value
            case ".json":
                return _step(json.loads(path.read_text(encoding="utf-8-sig")), address, path)
            case ".yaml" | ".yml":
                return _step(yaml.safe_load(path.read_text(encoding="utf-8")), address, path)
            case ".toml":
                return _step(tomllib.loads(path.read_text(encoding="utf-8")), address, path)
            case ".xml" | ".html" | ".svg":
                return _xpath(path, address)
            case _:
                raise ActionError(f"{path.name} has no addresses; its text can be checked.")


def _step(value: Any, address: str, path: Path) -> str:
    for name, number in _STEP.findall(address):
        try:
            value = value[int(number)] if number else value[name]
        except (KeyError, IndexError, TypeError, ValueError):
            raise ActionError(f"{path.name} has nothing at {address!r}.") from None
    parts = cast("list[object]", value) if isinstance(value, list) else [value]
    if any(isinstance(part, list | dict) for part in parts):
        raise ActionError(f"At {address!r} of {path.name} there is more than a value; give the address of one.")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _xpath(path: Path, address: str) -> str:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    html = path.suffix.lower() == ".html"
    tree = etree.parse(str(path), etree.HTMLParser(no_network=True) if html else parser)
    try:
        result: Any = tree.xpath(address)
    except etree.XPathError as error:
        raise ActionError(f"{address!r} is no XPath: {error}.") from None
    if not isinstance(result, list):
        return str(result)
    nodes = cast("Sequence[Any]", result)
    if not nodes:
        raise ActionError(f"{path.name} has nothing at {address!r}.")
    return "".join(nodes[0].itertext()) if hasattr(nodes[0], "itertext") else str(nodes[0])


def _shows(check: TypedCheck, side: Side) -> Seen:
    windows = [w for w in side.look.windows if _squeezed(check.target).casefold() in _squeezed(w.title).casefold()]
    if not windows:
        return False, "there is no such window"
    ids = {window.id for window in windows}
    shown = [window.title for window in windows]
    shown += [part for c in side.look.controls if c.window in ids for part in (c.name, c.value or "") if part]
    shown += [side.look.text] if any(window.active for window in windows) else []
    there = any(_squeezed(check.text) in _squeezed(part) for part in shown)
    return there, "" if there else "it does not"


def _control(check: TypedCheck, side: Side) -> Seen:
    values = [
        c.value or "" for c in side.look.controls if _squeezed(c.name).casefold() == _squeezed(check.target).casefold()
    ]
    if not values:
        return None, "it is not on the screen"
    return any(_alike(value, check.text) for value in values), f"it is {values[0]!r}"


def _clipboard(check: TypedCheck, side: Side) -> Seen:
    held = side.clipboard()
    return (None, "there is no desktop") if held is None else (_plain(held) == _plain(check.text), f"it holds {held[:60]!r}")


def _plain(text: str) -> str:
    """A text without what editors add: ends of lines as they write them, blanks at their end, empty lines at its end."""
    return "\n".join(line.rstrip() for line in text.removeprefix("\ufeff").splitlines()).strip("\n")


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _alike(value: str, wanted: str) -> bool:
    """Whether two values are the same: as texts, or as numbers (``3``, ``3.0``)."""
    if _squeezed(value) == _squeezed(wanted):
        return True
    try:
        return float(value) == float(wanted)
    except ValueError:
        return False

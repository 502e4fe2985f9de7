"""The outline of a file, for a model that writes code for it: a table's header, a tree's shape, every sheet, a few rows.

Pure functions over a file's text as the readers return it. The first characters of a tree or a workbook show one corner of
it; a model that sees no more makes up the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from deskcrew.actions.databases import MOST_TABLES, OVERVIEW
from deskcrew.actions.sections import BESIDE, lxml
from deskcrew.actions.tables import delimiter_of
from deskcrew.facts.excerpts import is_cut
from deskcrew.facts.json_values import is_list, is_object

ROWS = 4
"""The number of lines shown of a text, and of rows shown of a table."""
_ROWS_OF_A_SHEET = 3
_SHEET = re.compile(r"^\[(sheet|table) (.+)\]$", re.M)
_SIMPLE = 3
"""The number of items shown of a list of plain values."""
_SEARCHED = 2_000_000
"""Maximum length of a text in which names are searched for."""
_VALUE = 40
"""Maximum length of a single value."""
_DEEP = 8
_KEYS = 16


def outline(path: str, text: str, room: int, names: Sequence[str] = ()) -> str:
    """An outline of the file ``path`` with the content ``text``, on one line of at most ``room`` characters. Of similar
    items it shows one that contains one of ``names``, else the first, so that it shows where such a name occurs."""
    ending = path.rpartition(".")[2].lower()
    wanted = tuple(name.casefold() for name in names) if len(text) <= _SEARCHED else ()
    text, _, notes = text.partition(f"{BESIDE}\n")
    made = ""
    if ending == "json":
        made = _json(text, wanted)
    elif ending in ("xml", "svg", "rss", "gpx", "kml"):
        made = _xml(text, wanted)
    elif ending in ("html", "htm", "xhtml"):
        made = _page(text, wanted)
    elif ending in ("xlsx", "xlsm", "ods") or text.startswith(f"[table {OVERVIEW}]\n"):
        made = _sheets(text, wanted)
    elif ending in ("csv", "tsv", "txt") and (delimiter := delimiter_of(text)) != "," and delimiter in text:
        made = f"(delimiter={delimiter!r}) {_lines(text, ROWS, wanted)}"
    beside = f" || beside the text: {_lines(notes, ROWS, wanted)}" if notes else ""
    return shortened(f"{made or _lines(text, ROWS, wanted)}{beside}", room)


def shortened(text: str, room: int) -> str:
    """``text`` cut to ``room`` characters."""
    return text if len(text) <= room else f"{text[: room - 3]}..."


def _holds(text: str, names: Sequence[str]) -> bool:
    said = text.casefold()
    return any(name in said for name in names)


def _lines(text: str, most: int, names: Sequence[str]) -> str:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    shown = lines[:most]
    if len(lines) > most and not any(_holds(line, names) for line in shown):
        shown = next(([*shown[:-1], "...", line] for line in lines[most:] if _holds(line, names)), shown)
    left = len(lines) - sum(line != "..." for line in shown)
    return " | ".join((*shown, *_more(0 if is_cut(text) else left, "lines")))


def _sheets(text: str, names: Sequence[str]) -> str:
    """Every sheet, or table of a database, with its first rows; '' if there are none."""
    pieces = _SHEET.split(text)
    found = zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=False)
    return " || ".join(
        f"{kind} {name!r}: {_lines(rows, MOST_TABLES if name == OVERVIEW else _ROWS_OF_A_SHEET, names)}"
        for kind, name, rows in found
    )


def _json(text: str, names: Sequence[str]) -> str:
    """The shape of a JSON document with sample values; '' if it is not JSON."""
    try:
        return _shape(json.loads(text), 0, names)
    except (ValueError, RecursionError):
        return ""


def _shape(value: object, depth: int, names: Sequence[str]) -> str:
    if is_object(value):
        if depth > _DEEP:
            return "{...}"
        shown = [f"{_plain(k)}: {_shape(v, depth + 1, names)}" for k, v in list(value.items())[:_KEYS]]
        return "{" + ", ".join((*shown, *_more(len(value) - _KEYS, "keys"))) + "}"
    if is_list(items := value):
        if depth > _DEEP:
            return "[...]"
        simple = not any(isinstance(item, dict | list) for item in items)
        kept = items[:_SIMPLE] if simple else [_chosen(items, names)]
        more = _more(len(items) - len(kept), "items")
        return "[" + ", ".join((*(_shape(item, depth + 1, names) for item in kept), *more)) + "]"
    if isinstance(value, str) and len(value) > _VALUE:
        value = f"{value[:_VALUE]}..."
    return _plain(value)


def _chosen(items: Sequence[Any], names: Sequence[str]) -> Any:
    """The item shown for a list."""
    return next((item for item in items if names and _holds(_plain(item), names)), items[0])


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _more(number: int, what: str) -> Iterable[str]:
    return (f"... {number} more {what if number > 1 else what.removesuffix('s')}",) if number > 0 else ()


def _xml(text: str, names: Sequence[str]) -> str:
    """The shape of an XML document with sample values; '' if it is not XML."""
    parser = lxml().XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
    try:
        root: Any = lxml().fromstring(text.encode("utf-8", "replace"), parser)
    except (lxml().LxmlError, ValueError):
        return ""
    return _element(root, 0, names) if root is not None else ""


def _page(text: str, names: Sequence[str]) -> str:
    """The shape of a web page's body, which says what the page is about; its head seldom does. '' if there is none."""
    parser = lxml().HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    try:
        root: Any = lxml().fromstring(text.encode("utf-8", "replace"), parser)
    except (lxml().LxmlError, ValueError):
        return ""
    body = root.find("body") if root is not None else None
    if body is None:
        return ""
    lxml().strip_elements(body, "script", "style", "template", with_tail=False)
    return _element(body, 0, names)


def _element(node: Any, depth: int, names: Sequence[str]) -> str:
    """An element with its attributes, its text, and one child of each kind."""
    if not isinstance(node.tag, str):
        return ""
    name = _bare(node.tag)
    marks = "".join(f' {_bare(str(key))}="{shortened(str(value), _VALUE)}"' for key, value in node.attrib.items())
    words = shortened(" ".join((node.text or "").split()), _VALUE)
    inside: list[str] = []
    if depth <= _DEEP:
        kinds: dict[str, list[Any]] = {}
        for child in node:
            if isinstance(child.tag, str):
                kinds.setdefault(child.tag, []).append(child)
        for tag, children in list(kinds.items())[:_KEYS]:
            shown = next((child for child in children if names and _holds(_words(child), names)), children[0])
            inside += [_element(shown, depth + 1, names), *_more(len(children) - 1, f"<{_bare(tag)}>")]
    return f"<{name}{marks}>{words}{''.join(inside)}</{name}>"


def _words(node: Any) -> str:
    """The whole text of an element, with its attributes."""
    return " ".join((*node.itertext(), *(value for each in node.iter() for value in each.attrib.values())))


def _bare(tag: str) -> str:
    return tag.rpartition("}")[2]

"""The front matter of a Markdown file: YAML between two lines of dashes at its beginning, as in Jekyll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from deskcrew.facts.json_values import JsonObject, is_object

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast loader, if PyYAML was built with it."""
SHORTEST = 3
"""The minimum number of dashes in the lines around front matter."""


def split(text: str) -> tuple[JsonObject, str]:
    """The front matter of a text, {} if it has none, and the text below it. Raises yaml.YAMLError if it is not YAML."""
    lines = text.strip().splitlines(keepends=True)
    borders = [number for number, line in enumerate(lines) if _is_border(line)]
    if len(borders) < 2 or borders[0] != 0:
        return {}, text.strip()
    head: Any = yaml.load("".join(lines[1 : borders[1]]), Loader=_LOADER)
    known = head if is_object(head) else {}
    return known, "".join(lines[borders[1] + 1 :]).strip()


def joined(head: Mapping[str, Any], text: str) -> str:
    """The text of a file with this front matter and this text below it."""
    return f"---\n{yaml.safe_dump(dict(head), allow_unicode=True).strip()}\n---\n\n{text.strip()}"


def with_list(text: str, field: str, values: Iterable[str]) -> str:
    """The text of a file in whose front matter this list has other values. All else stays as it is written."""
    return with_value(text, field, f"[{', '.join(values)}]")


def with_value(text: str, field: str, value: str) -> str:
    """The text of a file in whose front matter this field has another value, given as YAML. All else stays as it is
    written."""
    border, text = text.lstrip().split("\n", 1)
    head = _LOADER(text.partition(f"\n{'-' * SHORTEST}")[0]).get_single_node()
    (node,) = (value for key, value in head.value if key.value == field)
    start, end = node.start_mark.index, node.end_mark.index
    end = start + len(text[start:end].rstrip())
    indent = "" if node.start_mark.column else " "
    return f"{border}\n{text[:start]}{indent}{value}{text[end:]}"


def _is_border(line: str) -> bool:
    bare = line.rstrip()
    return len(bare) >= SHORTEST and not bare.strip("-")

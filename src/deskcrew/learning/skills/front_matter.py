"""The front matter of a Markdown file: YAML between two lines of dashes at its beginning, as in Jekyll."""

from __future__ import annotations

from collections.abc import Mapping
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


def _is_border(line: str) -> bool:
    bare = line.rstrip()
    return len(bare) >= SHORTEST and not bare.strip("-")

"""The front matter of a Markdown file: YAML between two lines of dashes at its beginning, as Jekyll has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from deskcrew.facts.json_values import JsonObject, is_object

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The fast one, where PyYAML was built with it."""
SHORTEST = 3
"""The number of dashes that a line between front matter and text has at least."""


def split(text: str) -> tuple[JsonObject, str]:
    """The front matter, and the text below it; {} and the text where there is none. Raises yaml.YAMLError."""
    lines = text.strip().splitlines(keepends=True)
    borders = [number for number, line in enumerate(lines) if _is_border(line)]
    if len(borders) < 2 or borders[0] != 0:
        return {}, text.strip()
    head: Any = yaml.load("".join(lines[1 : borders[1]]), Loader=_LOADER)
    known = head if is_object(head) else {}
    return known, "".join(lines[borders[1] + 1 :]).strip()


def joined(head: Mapping[str, Any], text: str) -> str:
    """A file of both."""
    return f"---\n{yaml.safe_dump(dict(head), allow_unicode=True).strip()}\n---\n\n{text.strip()}"


def _is_border(line: str) -> bool:
    bare = line.rstrip()
    return len(bare) >= SHORTEST and not bare.strip("-")

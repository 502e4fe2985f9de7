"""The libraries that a model's code may import besides the standard one: for office documents and pictures, and no others.

They are those with which deskcrew reads such files itself, mounted read-only in the sandbox in a folder of their own.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

INSIDE = "/libraries"
"""Where the sandbox mounts them."""
OFFERED = ("openpyxl", "docx", "pptx", "pypdf", "lxml", "PIL")
"""The names in prompts and hints."""
TOLD = f"the standard library and {', '.join(OFFERED)}"
"""What code may import, in words."""
CONVERTED = (
    "`soffice --headless --convert-to pdf FILE` converts documents where LibreOffice is installed; "
    "openpyxl stores no values of formulas, not even those that were there; a workbook that was converted to xlsx has them"
)
"""How code converts documents."""
_NEEDED = ("et_xmlfile", "xlsxwriter", "typing_extensions")
_BESIDE = ("pillow.libs", "lxml.libs")
"""Shared libraries beside their package."""


@cache
def places() -> tuple[Path, ...]:
    """Their files and folders; empty for a library that is not installed."""
    found: dict[Path, None] = {}
    for name in (*OFFERED, *_NEEDED):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        found[origin.parent if origin.name == "__init__.py" else origin] = None
    for folder in {place.parent for place in found}:
        found |= {beside: None for name in _BESIDE if (beside := folder / name).is_dir()}
    return tuple(found)


def binds() -> list[str]:
    """The arguments that mount them in a sandbox."""
    return [word for place in places() for word in ("--ro-bind", str(place), f"{INSIDE}/{place.name}")]


def folders() -> tuple[str, ...]:
    """Where they are outside a sandbox."""
    return tuple(sorted({str(place.parent) for place in places()}))

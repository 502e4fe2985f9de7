"""The libraries that a model's code may import besides the standard one: for office documents and pictures, and no others.

Deskcrew reads such files with them itself. The sandbox mounts them read-only in a folder of their own.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

INSIDE = "/libraries"
"""Where the sandbox mounts the libraries."""
OFFERED = ("openpyxl", "docx", "pptx", "pypdf", "lxml", "PIL")
"""The libraries' names in prompts and hints."""
TOLD = f"the standard library and {', '.join(OFFERED)}"
"""What code may import, in words."""
CONVERTED = (
    "`soffice --headless --convert-to pdf FILE` converts documents where LibreOffice is installed; "
    "openpyxl stores no values of formulas, not even those that were there; a workbook that was converted to xlsx has them"
)
"""How code can convert documents."""
_NEEDED = ("et_xmlfile", "xlsxwriter", "typing_extensions")
_BESIDE = ("pillow.libs", "lxml.libs")
"""Folders of shared libraries beside the packages."""


@cache
def places() -> tuple[Path, ...]:
    """The files and folders of all libraries in `OFFERED` and of what they need, as far as they are installed."""
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
    """The arguments that mount the libraries in a sandbox."""
    return [word for place in places() for word in ("--ro-bind", str(place), f"{INSIDE}/{place.name}")]


def folders() -> tuple[str, ...]:
    """The folders of the libraries outside a sandbox."""
    return tuple(sorted({str(place.parent) for place in places()}))

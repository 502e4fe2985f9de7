"""The usual mistake in a TOML file that cannot be read: a string without quotation marks."""

from __future__ import annotations

import re
from tomllib import TOMLDecodeError


def unquoted(text: str, error: TOMLDecodeError) -> str:
    """The hint to put quotation marks around a string; '' if the TOML error has another cause."""
    found = re.search(r"line (\d+), column (\d+)", str(error))
    if found is None:
        return ""
    line, at = text.splitlines()[int(found[1]) - 1], int(found[2]) - 1
    before, value = line[:at].strip(), line[at:].partition("#")[0].strip()
    named = before.endswith("=") and value[:1].isalpha()
    return f'Text needs quotation marks: {before} "{value}"' if named else ""

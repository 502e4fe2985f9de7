"""What is usually wrong where a TOML file cannot be read: a text without quotation marks."""

from __future__ import annotations

import re
from tomllib import TOMLDecodeError


def unquoted(text: str, error: TOMLDecodeError) -> str:
    """What to do about an error in a TOML text; '' if it is another one."""
    found = re.search(r"line (\d+), column (\d+)", str(error))
    if found is None:
        return ""
    line, at = text.splitlines()[int(found[1]) - 1], int(found[2]) - 1
    before, value = line[:at].strip(), line[at:].partition("#")[0].strip()
    named = before.endswith("=") and value[:1].isalpha()
    return f'A text needs quotation marks: {before} "{value}"' if named else ""

"""Titles of windows that differ each time by themselves, because they have a number, a date or a file name in them. Pure.

A *form* is a pattern for a title, with a mark for each part that may be any number or file name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MODIFIED = "*•● "
"""Marks before a title that mean unsaved changes."""
_NUMBER, _FILE = "\ue010", "\ue011"
_ANY_NUMBER = r"\d+(?:[.,:/-]\d+)*"
"""A number, a date or a time."""
_ANY_FILE = r"[\w.-]*[\w-](?=\.[^\W\d]\w{0,4}(?!\w|\.\w))"
"""A file name without its suffix. The suffix stays as it is, since steps for a table may not work on a picture."""


def loosen(title: str, kept: Iterable[str]) -> str:
    """The form of a title in which any number and file name fit; the title itself if nothing else would identify it.
    ``kept``: values of the task, which stay as they are."""
    values = "|".join(re.escape(value) for value in sorted(kept, key=len, reverse=True) if value)
    parts = [f"(?P<kept>{values})"] if values else []
    varies = re.compile("|".join([*parts, f"(?P<file>{_ANY_FILE})", f"(?P<number>(?<!\\w){_ANY_NUMBER}(?!\\w))"]))

    def mark(found: re.Match[str]) -> str:
        return {"file": _FILE, "number": _NUMBER}.get(found.lastgroup or "", found.group())

    form = varies.sub(mark, title)
    told = re.sub(rf"{_FILE}\.\w+|{_NUMBER}", "", form)
    return form if any(letter.isalpha() for letter in told) else title


def exact(form: str) -> bool:
    """Whether a form has no marks, so that only one title fits."""
    return _NUMBER not in form and _FILE not in form


def fits(title: str, form: str) -> bool:
    """Whether a title fits a form."""
    if exact(form):
        return plain(title) == plain(form)
    pattern = re.escape(plain(form)).replace(_NUMBER, _ANY_NUMBER).replace(_FILE, _ANY_FILE)
    return re.fullmatch(pattern, plain(title)) is not None


def plain(title: str) -> str:
    """A title for comparisons: without the mark of unsaved changes, and with single spaces."""
    return " ".join(title.lstrip(MODIFIED).split())

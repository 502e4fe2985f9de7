"""Titles of windows that are others each time by themselves: with a number, a date or the name of a file in them. Pure.

A *form* is what a title may be now, with a mark for each part that may be any of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MODIFIED = "*•● "
"""Marks before a title that say that something is not saved."""
_NUMBER, _FILE = "\ue010", "\ue011"
_ANY_NUMBER = r"\d+(?:[.,:/-]\d+)*"
"""A date and a time are one too."""
_ANY_FILE = r"[\w.-]*[\w-](?=\.[^\W\d]\w{0,4}(?!\w|\.\w))"
"""The name of a file without its ending, which stays: what makes a table is no picture."""


def loosen(title: str, kept: Iterable[str]) -> str:
    """A form of the title in which numbers and names of files may be any. ``kept``: values of the task, which stay. The
    title itself where nothing else is in it by which it could be told."""
    values = "|".join(re.escape(value) for value in sorted(kept, key=len, reverse=True) if value)
    parts = [f"(?P<kept>{values})"] if values else []
    varies = re.compile("|".join([*parts, f"(?P<file>{_ANY_FILE})", f"(?P<number>(?<!\\w){_ANY_NUMBER}(?!\\w))"]))

    def mark(found: re.Match[str]) -> str:
        return {"file": _FILE, "number": _NUMBER}.get(found.lastgroup or "", found.group())

    form = varies.sub(mark, title)
    told = re.sub(rf"{_FILE}\.\w+|{_NUMBER}", "", form)
    return form if any(letter.isalpha() for letter in told) else title


def exact(form: str) -> bool:
    """Whether nothing in it may be anything else."""
    return _NUMBER not in form and _FILE not in form


def fits(title: str, form: str) -> bool:
    """Whether a title has that form."""
    if exact(form):
        return plain(title) == plain(form)
    pattern = re.escape(plain(form)).replace(_NUMBER, _ANY_NUMBER).replace(_FILE, _ANY_FILE)
    return re.fullmatch(pattern, plain(title)) is not None


def plain(title: str) -> str:
    """A title to compare by: without the mark of what is not saved."""
    return " ".join(title.lstrip(MODIFIED).split())

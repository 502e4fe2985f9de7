"""Checks on the contents of a changed file, beyond the fact that it changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deskcrew.texts import normal
from deskcrew.verdict import LACKS, LACKS_LINE, Edit

DOCUMENTS = (".xlsx", ".xlsm", ".docx", ".pptx", ".odt", ".ods")
"""Suffixes of documents whose bytes change each time they are saved, even if their content does not."""
_PLAIN_MARKS = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "…": "...", "–": "-", "\u00a0": " "})


def wrong(text: str, wanted: str) -> str:
    """Why ``text`` does not satisfy the mark ``wanted``; '' if it does."""
    if wanted.startswith(LACKS_LINE):
        old = normal(wanted.removeprefix(LACKS_LINE))
        lines = (normal(re.sub(r"^\W*(?:\d+[.)]\s+)?", "", line)) for line in text.splitlines())
        return f"the line {old!r} is still there" if old in lines else ""
    if wanted.startswith(LACKS):
        old = wanted.removeprefix(LACKS)
        return f"{old!r} is still there" if holds(old, text) else ""
    return ""


def other(edits: Sequence[Edit], was: str, text: str) -> str | None:
    """What differs between a file's text at the start (``was``) and now (``text``), besides ``edits``; '' if nothing
    does, None if the expected text cannot be determined."""
    expected: str | None = was if edits else None
    for edit in edits:
        expected = applied(edit, expected) if expected is not None else None
    if expected is None:
        return None
    wanted, there = _lines(expected), _lines(text)
    if wanted == there:
        return ""
    last = edits[-1]
    if last.kind == "add" and not last.place and len(edits) == 1 and _without(there, last.texts) == _lines(was):
        return ""
    inline = last.kind == "add" and last.place != "START" and len(last.texts) == 1 and not last.whole_line
    if inline and there in ([*wanted[:-2], " ".join(wanted[-2:])], [*wanted[:-2], "".join(wanted[-2:])]):
        return ""
    lacking = next((line for line in wanted if there.count(line) < wanted.count(line)), "")
    added = next((line for line in there if there.count(line) > wanted.count(line)), "")
    found = [f"{added!r} should not be there" if added else "", f"the line {lacking!r} is not there" if lacking else ""]
    return ", and ".join(filter(None, found)) or "its lines are in another order"


def applied(edit: Edit, text: str) -> str | None:
    """``text`` after the edit; None if the edit does not say unambiguously what to change in it."""
    if edit.kind == "replace":
        word = _alone(edit.old)
        return word.sub(lambda _: edit.texts[0], text) if word.search(text) else None
    lines = text.split("\n")
    if edit.kind == "drop":
        at = [number for number, line in enumerate(lines) if normal(line) == normal(edit.old)]
        return "\n".join((*lines[: at[0]], *lines[at[0] + 1 :])) if len(at) == 1 else None
    if not text.strip():
        return "\n".join(edit.texts)
    if edit.place == "START":
        return "\n".join((*edit.texts, text))
    return text + ("" if text.endswith("\n") else "\n") + "\n".join(edit.texts)


def _without(lines: list[str], added: tuple[str, ...]) -> list[str]:
    """``lines`` with one occurrence of each added line removed."""
    left = list(lines)
    for text in _lines("\n".join(added)):
        if text in left:
            left.remove(text)
    return left


def _lines(text: str) -> list[str]:
    """Lines to compare: whitespace, empty lines and the style of quotation marks are ignored."""
    plain = text.translate(_PLAIN_MARKS)
    return [" ".join(line.split()) for line in plain.splitlines() if line.strip()]


def members(listing: str) -> list[tuple[str, int]]:
    """The names and sizes in bytes of the files in an archive, from its reader's listing."""
    found = re.finditer(r"^(.+?)  (\d+) bytes", listing, re.MULTILINE)
    return [(match.group(1).rpartition("/")[2], int(match.group(2))) for match in found]


def holds(part: str, text: str) -> bool:
    """Whether ``part`` occurs verbatim in ``text``, as a whole word."""
    return _alone(part).search(text) is not None


def _alone(part: str) -> re.Pattern[str]:
    begin = r"(?<!\w)" if part[:1].isalnum() else ""
    end = r"(?!\w)" if part[-1:].isalnum() else ""
    return re.compile(begin + re.escape(part) + end)

"""When two texts say the same, and when one stands in another: what rules compare by."""

from __future__ import annotations

import re


def stands_in(part: str, whole: str) -> bool:
    """Whether ``part`` occurs in ``whole`` as a word or number of its own: 12 does not stand in 3120, nor in -12."""
    part, whole = normal(part), normal(whole)
    if not part:
        return False
    before = r"(?<![\w.])" if part[0].isalnum() else ""
    if part[0].isdigit():
        before += r"(?<!(?<!\w)[-\u2212])"
    after = r"(?!\w|\.\d)" if part[-1].isalnum() else ""
    return re.search(before + re.escape(part) + after, whole) is not None


def speaks_of(text: str, folder: str) -> bool:
    """Whether ``text`` names a folder, and not something whose name is longer."""
    return re.search(rf"(?<![\w-]){re.escape(folder)}(?![\w-])", text) is not None


def normal(text: str) -> str:
    """Lower case, single spaces, numbers without thousands separators or a trailing ``.0``, no closing punctuation."""
    text = re.sub(r"(?<=\d)[,\u202f'](?=\d{3}\b)", "", text)
    text = re.sub(r"(\d+)\.0+\b", r"\1", text)
    text = re.sub(r"(\d+\.\d*?[1-9])0+\b", r"\1", text)
    return re.sub(r"\s+", " ", text).strip().strip(".!").casefold()


def words_of(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())

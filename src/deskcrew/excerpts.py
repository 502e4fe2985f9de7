"""Excerpts of long texts: the beginning, both ends, or the lines with the query's words."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMON = frozenset({
    "what", "which", "when", "where", "whose", "does", "that", "this", "there", "their", "them", "then", "with",
    "from", "have", "been", "into", "your", "please", "tell", "know", "open", "show", "shows", "page", "file",
    "window", "many", "much", "said", "says", "name",
})  # fmt: skip


def telling(text: str, question: str, length: int) -> str:
    """At most ``length`` characters of ``text``: its first line, and the lines with most of the query's words, in
    order. '' if it is short enough already, or no line has any."""
    words = {word for word in re.findall(r"\w{3,}", question.casefold()) if word not in _COMMON}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(text) <= length or len(lines) < 3:
        return ""
    # A word that few lines have tells more than one that all have.
    having = {word: sum(word in line.casefold() for line in lines) for word in words}
    worth = [sum(1 / having[word] for word in words if word in line.casefold()) for line in lines]
    if not any(worth):
        return ""
    chosen, left = {0}, length - len(lines[0])
    for at in sorted(range(1, len(lines)), key=lambda at: (-worth[at], at)):
        if worth[at] and len(lines[at]) < left:
            chosen.add(at)
            left -= len(lines[at]) + 1
    shown = "\n".join(lines[at] for at in sorted(chosen))
    return f"{shown}\n... ({len(lines) - len(chosen)} more lines)" if len(chosen) < len(lines) else shown


def shorten(text: str, length: int) -> str:
    """``text`` truncated to ``length`` characters, at a line end if one is near, saying how much is missing."""
    text = text.strip()
    if len(text) <= length:
        return text
    end = text.rfind("\n", length // 2, length)
    kept = text[: end if end > 0 else length]
    return f"{kept}... ({len(text) - len(kept)} more characters)"


def both_ends(text: str, length: int) -> str:
    """The first and the last lines of ``text``, at most about ``length`` characters, saying how many are between and in all;
    of few long lines, the beginning."""
    text = text.strip()
    if len(text) <= length:
        return text
    lines = text.split("\n")
    last = _fitting(reversed(lines), length // 4)
    first = _fitting(iter(lines), length - length // 4)
    if not first or not last:
        return shorten(text, length)
    between = len(lines) - len(first) - len(last)
    return "\n".join((*first, f"... ({between} more lines, {len(lines)} in all)", *reversed(last)))


def _fitting(lines: Iterator[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept

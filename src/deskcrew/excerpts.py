"""Excerpts of long texts: the beginning, or the lines with the query's words."""

from __future__ import annotations

import re

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

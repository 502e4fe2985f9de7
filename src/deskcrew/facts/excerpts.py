"""Excerpts of long texts: the beginning, both ends, or the lines with the query's words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from deskcrew.facts.texts import SHORTEST, words_in

CUT = "[cut here: "
"""How the last line of a truncated text begins."""
_BEGINNING = re.compile(re.escape(CUT) + r"lines 1-\d+ of (\d+) are shown, \d+ of (\d+) characters(?:; (.+))?\]")


def telling(text: str, question: str, length: int) -> str:
    """At most ``length`` characters of ``text``: its first line, and the lines with the most distinctive words of
    ``question``, in order. '' if the text is short enough already, or no word of the question distinguishes its lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(text) <= length or len(lines) < 3:
        return ""
    # Inverse document frequency: common words count for little in any language, without a list of them.
    words = [word for word in words_in(question.casefold()) if len(word) >= SHORTEST]
    folded = [line.casefold() for line in lines]
    having = {word: sum(word in line for line in folded) for word in words}
    rarity = {word: math.log(len(lines) / count) for word, count in having.items() if count}
    worth = [sum(value for word, value in rarity.items() if word in line) for line in folded]
    if not any(worth):
        return ""
    chosen, left = {0}, length - len(lines[0])
    for at in sorted(range(1, len(lines)), key=lambda at: (-worth[at], at)):
        if worth[at] and len(lines[at]) < left:
            chosen.add(at)
            left -= len(lines[at]) + 1
    shown = "\n".join(lines[at] for at in sorted(chosen))
    return f"{shown}\n{CUT}{len(chosen)} of {len(lines)} lines are shown]" if len(chosen) < len(lines) else shown


def is_cut(text: str) -> bool:
    """Whether a text is marked as truncated, so that its length is not the original's."""
    return text.rpartition("\n")[2].startswith(CUT)


def cut(text: str, longest: int) -> str:
    """At most ``longest`` characters of a text, ending in '…' if it was truncated."""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def shorten(text: str, length: int, *, spared: int = 0) -> str:
    """``text`` truncated to ``length`` characters, at a line end if one is near, with a note of how much is missing.
    ``spared``: the number of characters beyond ``length`` that are tolerated."""
    text = text.strip()
    if len(text) <= length + spared:
        return text
    end = text.rfind("\n", length // 2, length)
    kept = text[: end if end > 0 else length]
    return f"{kept}... ({len(text) - len(kept)} more characters)"


def beginning(text: str, length: int, onward: str = "", *, spared: int = 0) -> str:
    """The first lines of an output, about ``length`` characters, and a last line that says how many lines and characters
    there are and which are shown. The result can be cut again. ``onward``: how to see the rest, for the last line;
    ``spared``: see :func:`shorten`."""
    text = text.strip()
    if len(text) <= length + spared:
        return text
    before, _, last = text.rpartition("\n")
    if known := _BEGINNING.fullmatch(last):
        text, lines, characters, onward = before, int(known[1]), int(known[2]), known[3] or ""
    else:
        lines, characters = text.count("\n") + 1, len(text)
    end = text.rfind("\n", length // 2, length)
    kept = text[: end if end > 0 else length]
    told = f"lines 1-{kept.count(chr(10)) + 1} of {lines} are shown, {len(kept)} of {characters} characters"
    return f"{kept}\n{CUT}{told}{f'; {onward}' if onward else ''}]"


def both_ends(text: str, length: int) -> str:
    """The first and the last lines of ``text``, about ``length`` characters at most, with a note of how many lines are left
    out; only the beginning if the lines are few and long."""
    text = text.strip()
    if len(text) <= length:
        return text
    lines = text.split("\n")
    last = _fitting(reversed(lines), length // 4)
    first = _fitting(iter(lines), length - length // 4)
    if not first or not last:
        return shorten(text, length)
    between = len(lines) - len(first) - len(last)
    in_all = f", {len(lines)} in all" if not is_cut(text) else ""
    return "\n".join((*first, f"... ({between} more lines{in_all})", *reversed(last)))


def _fitting(lines: Iterator[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept

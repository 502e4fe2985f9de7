"""Deeds: what a sentence wants done that lasts, whether or not a rule can look at it."""

from __future__ import annotations

import re

from deskcrew.english.clauses import clauses

_LASTING = re.compile(
    r"^(?:(?:then|now|also|and|please)\s+)*(?:click|press|tick|untick|submit|send|e?mail|forward|upload|install|subscribe|book|order|buy|pay|"
    r"enable|disable|turn|close|delete|remove|erase|move|rename|copy|unpack|unzip|extract|sort|replace|add|change)\b",
    re.IGNORECASE,
)
_ONLY_WORKS_OUT = re.compile(
    r"^add\s+up\b|\b(?:click|press)(?:\s+on)?\s+(?:the\s+)?(?:button\s+)?[\"“']?"
    r"(?:calculate|compute|work\s+(?:it\s+)?out|show|estimate|convert|look\s+up|search|find)\b",
    re.IGNORECASE,
)
"""A form that only works something out stays as nothing, whatever is ticked in it before."""


_PRESSES = re.compile(
    r"\b(?:press|click|hit|push)(?:\s+on)?\s+(?:the\s+)?(?:button\s+)?"
    r"(?:[\"“'](?P<quoted>[^\"”']{1,60})[\"”']|(?P<bare>[A-Z][\w ]{0,40}?)(?=[.,;?!]|\s+and\b|$))"
)
_AND_PRESSES = re.compile(r"(?:,|\band|\bthen)\s+(?:press|click|submit|send)\b", re.IGNORECASE)


def lasting(sentence: str) -> bool:
    """Whether a clause of ``sentence`` has something done that stays."""
    return any(_stays(clause) for clause in clauses(sentence))


def _stays(clause: str) -> bool:
    acts = _LASTING.search(clause) or _AND_PRESSES.search(clause)
    return acts is not None and not _ONLY_WORKS_OUT.search(clause)


def presses(sentence: str) -> tuple[str, ...]:
    """The names of what is to be pressed, where that is all that ``sentence`` has done that stays; () where it is not."""
    names = tuple(match.group("quoted") or match.group("bare") for match in _PRESSES.finditer(sentence))
    rest = _PRESSES.sub("", sentence)
    return () if lasting(re.sub(r"(?:,|\band|\bthen)\s*$", "", rest)) else names

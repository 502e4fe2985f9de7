"""Deeds: what a sentence wants done that lasts, whether or not a rule can look at it."""

from __future__ import annotations

import re

from deskcrew.roles.clauses import clauses

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


def lasting(sentence: str) -> bool:
    """Whether a clause of ``sentence`` has something done that stays."""
    return any(_LASTING.search(clause) and not _ONLY_WORKS_OUT.search(clause) for clause in clauses(sentence))

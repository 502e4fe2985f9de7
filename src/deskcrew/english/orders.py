"""The sentences of a task that oblige: without questions, conditions and what must not be done.

Only the part of a sentence that a condition or a negation may speak of is left out, not what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deskcrew.english.clauses import FILE_NAME, ORDER, VERBS, hide, sentences, show
from deskcrew.english.wishes import ordered


@dataclass(frozen=True, slots=True)
class Order:
    """``text``: what obliges; ``open``: what may have to be done, under a condition; ``said``: the whole sentence."""

    text: str
    open: str
    said: str


_FILES = rf"(?:the\s+)?(?:files?\s+)?{FILE_NAME.pattern}(?:(?:,\s*|,?\s+and\s+)(?:the\s+)?(?:file\s+)?{FILE_NAME.pattern})*"
_DONE_TO = {
    "deleted": "delete",
    "removed": "delete",
    "erased": "delete",
    "renamed": "rename",
    "called": "rename",
    "moved": "move",
    "copied": "copy",
    "sorted": "sort the lines of",
}
_WANTS = r"\b(?:i\s+(?:want|need)|i['’]d\s+like|i\s+would\s+like|have|get)\s+(?:to\s+have\s+)?"
_MUST_BE = r"(?:must|should|shall|has\s+to|have\s+to|needs?\s+to|is\s+to|are\s+to)\s+be"
_PARTICIPLE = rf"({'|'.join(_DONE_TO)})\b(\s+to\b)?"
_PASSIVE = re.compile(
    rf"{_WANTS}({_FILES})\s+(?:to\s+be\s+)?{_PARTICIPLE}|({_FILES})\s+{_MUST_BE}\s+{_PARTICIPLE}",
    re.I,
)
_ASIDES = (
    re.compile(r"\([^()]*\b(?:if|unless|whether|not|never|n['’]t)\b[^()]*\)", re.I),
    re.compile(r",?\s*\bif\s+(?:needed|necessary|possible|need\s+be|you\s+(?:can|like|want|have\s+time))\b,?", re.I),
    re.compile(r"(?:\b(?:and|but)\s+)?\bnothing\s+(?:else|more)\b(?!\s+(?:than|but))[^,.;:!?()]*,?", re.I),
    re.compile(r",?\s*\bwithout\b(?:[^,.;:!?()]|\.(?=\w))*", re.I),
    re.compile(r"(?:,?\s*\b(?:and|then)\s+)?\b(?:let me know|tell me|say|check|see|report)\s+(?:if|whether)\b[^,;]*", re.I),
    re.compile(r"\bnot\s+only\b|\bwhether\s+or\s+not\b", re.I),
)  # fmt: skip
"""What says nothing of whether the rest is to be done."""
_CONDITION = re.compile(r"\b(?:if|unless|whether|otherwise)\b", re.I)
_ON_CONDITION = re.compile(r"^\W*(?:and\s+)?(?:if|unless|whether|otherwise)\b", re.I)
_FURTHER = re.compile(r",?\s+(?:and\s+)?(?=then\s)|,\s+but\s+", re.I)
_NEGATION = re.compile(
    r"\b(?:not|no\s+need\s+to|never|don['’]?t|doesn['’]?t|isn['’]?t|aren['’]?t|mustn['’]?t|shouldn['’]?t|nor)\b", re.I
)
_WHICH_NOT = re.compile(r"\b(?:that|which|who)\s+(?:\w+\s+)?(?:not|\w+n['’]t)\s+\w+(?:\s+\w+)?(?:\s+\"\d+\")?", re.I)
_TAKES_AWAY = re.compile(r"\b(?:delet|remov|eras|mov|renam)\w*\b", re.I)
_BEGINS = re.compile(r"[,:;(–-]\s+|\s+(?:and|but|or)\s+|^", re.I)
_ENDS = re.compile(rf",?\s+but\s+(?=(?:{VERBS})\b)|,\s+(?:and\s+)?then\s+|,?\s+instead\b", re.I)


def orders(task: str) -> Iterator[Order]:
    """What each sentence of the task obliges to, in order; sentences that only ask are left out."""
    for sentence in sentences(task):
        hidden, texts = hide(sentence)
        said = ordered(hidden, VERBS)
        if said.rstrip().endswith("?") and not ORDER.match(said):
            continue
        for aside in _ASIDES:
            said = aside.sub("", said)
        said, open_ = _unconditional(said)
        said = _active(_affirmed(said))
        yield Order(show(said, texts), show(open_, texts), sentence)


def _unconditional(said: str) -> tuple[str, str]:
    """What has to be done in any case, and what only under a condition."""
    if not _CONDITION.search(said):
        return said, ""
    kept: list[str] = []
    parts = _FURTHER.split(said)
    for number, part in enumerate(parts):
        if _ON_CONDITION.match(part):
            return ", ".join(kept), " ".join(parts[number:])
        if not _CONDITION.search(part):
            kept.append(part)
    return ", ".join(kept), " ".join(part for part in parts if part not in kept)


def _affirmed(said: str) -> str:
    """The sentence without what must not be done: from where a negation's part begins to where another order does."""
    if not _TAKES_AWAY.search(said):
        said = _WHICH_NOT.sub("", said)
    while match := _NEGATION.search(said):
        begin = max((b.start() for b in _BEGINS.finditer(said, 0, match.start())), default=0)
        end = _ENDS.search(said, match.end())
        said = said[:begin] + (f", {said[end.end() :]}" if end else "")
    return said


def _active(said: str) -> str:
    """ "a.txt should be renamed to b.txt" as "rename a.txt to b.txt"."""

    def turned(match: re.Match[str]) -> str:
        files, participle, to = match.groups()[:3] if match.group(1) else match.groups()[3:]
        verb = _DONE_TO[participle.casefold()]
        return f"{verb} {files}{' to' if verb == 'rename' and not to else to or ''}"

    return _PASSIVE.sub(turned, said)

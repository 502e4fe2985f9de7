"""A sentence that a part asks for, made from the part's own words and what was worked out."""

from __future__ import annotations

import re

_SAYS = re.compile(
    r"\b(?:sentence|line|note|message|remark|text)\b[^.;]*?\b(?:that\s+|which\s+)?(?:says|saying|say|tells|telling|states|stating|"
    r"gives|giving|names|naming|mentions|mentioning|with|about|on)\b(?:\s+(?:me|us|them|people|the\s+reader|everybody|everyone))?\s+"
    r"(?P<what>(?:how\s+(?:many|much)|what|which|who|the)\b.+)",
    re.I,
)
_ENDS = re.compile(
    r"(?:,?\s+and)?,?\s+(?:(?:save|store|call|name)\s.*|(?:in|into|with|using|to)\s+(?:a\s+(?:new\s+)?)?(?:text\s+)?(?:file|document|note|editor)\b.*)$",
    re.I,
)
_SENTENCE = re.compile(
    r"\b(?:sentence|in\s+words|(?:note|line|message|remark|text)\b[^.;]{0,40}?\b"
    r"(?:(?:that|which)\s+(?:says|tells|states|gives|names|mentions|explains)|saying|telling|stating))\b",
    re.I,
)
_BARE = re.compile(
    r"the\s+(?:answer|result|figure|value|outcome|number|total|sum|name)(?:\s+(?:in|into|with|using)\s+.*)?", re.I
)
"""What says nothing of what it is about."""
_ASKED = re.compile(r"\bhow\s+many\s+(?P<noun>[\w -]+?)\s+(?P<verb>are|were)\s+(?:there\s+)?(?P<rest>[^?.;]*)\?", re.I)
_THERE = re.compile(r"(?P<noun>.+?)\s+(?:there\s+(?P<verb>are|were|is|was|will\s+be)|(?P<of>exist))\b(?P<rest>.*)", re.I)
_PERSON = re.compile(r"(?P<noun>.+?)\s+(?P<who>we|they|you|i|he|she|it)\s+(?P<verb>[a-z']+)(?P<rest>.*)", re.I)
_IS = re.compile(r"(?P<what>.+?)\s+(?P<verb>is|was|are|were)(?P<rest>(?:\s+(?:in\s+all|in\s+total|altogether))?)$", re.I)
LONGEST = 40
"""Characters of a result that a sentence is made with."""


def wants_sentence(part: str) -> bool:
    """Whether ``part`` has a sentence written about something, not only the thing itself."""
    return _SENTENCE.search(part) is not None and _SAYS.search(part) is not None


def sentence(part: str, result: str, task: str = "") -> str:
    """The sentence that ``part`` of ``task`` asks for, with ``result`` in it; '' where nobody can say how it goes."""
    said, result = _SAYS.search(part), " ".join(result.split()).rstrip(".")
    if said is None or not result or len(result) > LONGEST or ":" in result:
        return ""
    what = _ENDS.sub("", said.group("what")).strip(" .,;")
    if _BARE.fullmatch(what):
        asked = _ASKED.search(task)
        question = f"{asked['noun']} there {asked['verb']} {asked['rest']}".strip() if asked else ""
        made = _amount(question, result) if question else f"{' '.join(what.split()[:2])} is {result}"
    else:
        made = _made(what, result)
    return f"{made[:1].upper()}{made[1:]}." if made and result in made else ""


def _made(what: str, result: str) -> str:
    first, _, rest = what.partition(" ")
    lower = what.lower()
    if lower.startswith(("how many ", "how much ")):
        return _amount(what.split(" ", 2)[2], result)
    if first.lower() == "who":
        return f"{result} {rest}"
    if first.lower() == "which":
        noun, _, more = rest.partition(" ")
        return f"the {noun} that {more} is {result}" if more else ""
    if first.lower() == "what":
        found = _IS.fullmatch(rest)
        return f"{found.group('what')} {found.group('verb')} {result}{found.group('rest')}" if found else ""
    return f"{what} is {result}" if len(what.split()) > 1 else ""


def _amount(rest: str, result: str) -> str:
    """ "parcels there are in all", after "how many"."""
    if found := _THERE.fullmatch(rest):
        verb = found.group("verb")
        return f"there {verb} {result} {found.group('noun')}{found.group('rest')}" if verb else ""
    if found := _PERSON.fullmatch(rest):
        return f"{found.group('who')} {found.group('verb')} {result} {found.group('noun')}{found.group('rest')}"
    return f"{result} {rest}" if len(rest.split()) > 1 else ""

"""Whether a part asks for a sentence about something."""

from __future__ import annotations

import re

_SAYS = re.compile(
    r"\b(?:sentence|line|note|message|remark|text)\b[^.;]*?\b(?:that\s+|which\s+)?(?:says|saying|say|tells|telling|states|stating|"
    r"gives|giving|names|naming|mentions|mentioning|with|about|on)\b(?:\s+(?:me|us|them|people|the\s+reader|everybody|everyone))?\s+"
    r"(?P<what>(?:how\s+(?:many|much)|what|which|who|the)\b.+)",
    re.I,
)
_SENTENCE = re.compile(
    r"\b(?:sentence|in\s+words|(?:note|line|message|remark|text)\b[^.;]{0,40}?\b"
    r"(?:(?:that|which)\s+(?:says|tells|states|gives|names|mentions|explains)|saying|telling|stating))\b",
    re.I,
)


def wants_sentence(part: str) -> bool:
    """Whether ``part`` has a sentence written about something, not only the thing itself."""
    return _SENTENCE.search(part) is not None and _SAYS.search(part) is not None

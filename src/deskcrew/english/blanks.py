"""Blanks: what stands in a text for something that is found out, "XX" or "____", and what words say of it."""

from __future__ import annotations

import re

_SIGN = (
    r"(?:[NX]{1,5}|TBD|TODO|_{2,}|\.{3,}|…|\#{1,5}|\?{2,}"
    r"|<[A-Za-z][\w -]*>|\{\{?\s*[A-Za-z][\w -]*\}?\}|\[[A-Za-z][\w -]*\])"
)
_MARKED = rf"[\"“„'‘`]?(?P<sign>{_SIGN})[\"”“'’`]?"
_SAID = (
    re.compile(
        rf"\b(?:placeholder|blank|gap|stand-in|marker|dummy)s?\s+(?:is\s+|called\s+|marked\s+(?:with\s+|by\s+|as\s+)?)?\(?{_MARKED}(?![\w.])"
    ),
    re.compile(rf"(?<![\w.]){_MARKED}\s+(?:is\s+|as\s+)?(?:an?\s+|the\s+)?(?:placeholder|blank|gap|stand-in)\b"),
    re.compile(
        rf"\b(?:[Ii]nstead\s+of|[Ii]n\s+(?:the\s+)?place\s+of|[Ww]here\s+(?:it\s+says|it\s+now\s+says|there\s+is))\s+(?:the\s+)?(?:\w+\s+)?{_MARKED}(?![\w.-])"
    ),
    re.compile(
        rf"\b(?:[Rr]eplace|[Ss]ubstitute|[Cc]hange|[Oo]verwrite|[Ss]wap)\s+(?:the\s+)?(?:\w+\s+)?{_MARKED}\s+(?:there\s+|in\s+\S+\s+)?(?:with|by|to|for|into)\b"
    ),
)


def blank(words: str) -> str:
    """The one sign that ``words`` say something is put in place of; '' where they name none, or several."""
    found = {match.group("sign") for form in _SAID for match in form.finditer(words)}
    return found.pop() if len(found) == 1 else ""

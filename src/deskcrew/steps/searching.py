"""Which parts want the web searched: where a run has a search service, a small model is offered it for those alone."""

from __future__ import annotations

import re

from deskcrew.roles.role import Role
from deskcrew.steps.run import Run

SEARCH = "web_search"
_SPEAKS = re.compile(
    r"\b(?:search|look|find|google|browse|check|read|ask)\b[^.;]*\b(?:web|internet|online|search engine)\b"
    r"|\b(?:web|internet|online) search\b|\b(?:on|from|in|of) the (?:web|internet)\b|\bgoogle (?:for|it|the|what|how|who)\b",
    re.I,
)


def searches(run: Run, role: Role, part: str) -> bool:
    """Whether a part has the web searched, and ``role`` can do that in this run without any window."""
    return SEARCH in run.domain_of(role) and _SPEAKS.search(part) is not None

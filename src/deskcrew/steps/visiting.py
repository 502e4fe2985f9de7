"""Opening the page whose address a part names, where it asks for that alone."""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import last_done, may_rule, rule_replies
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

OPEN_URL = "open_url"
_OPENS = re.compile(
    r"(?:please\s+)?(?:open|go to|visit|load|browse to|navigate to)\s+(?:up\s+)?(?:the\s+)?(?:(?:web\s*)?(?:page|site)\s+)?"
    r"(?:at\s+)?[\"'“<]?(?P<url>https?://[^\s\"'”>,;]+?)[\"'”>]?(?:\s+in\s+(?:the|a)\s+browser)?[.!]?",
    re.IGNORECASE,
)


def visits_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place which page is opened, or that it is open. Whether that was done."""
    named = _OPENS.fullmatch(subtask.goal.strip())
    if named is None or not may_rule(run, role, OPEN_URL, "wait_for_loading") or last_done(run, subtask) is not None:
        return False
    front = run.now.active_window
    opened = front is not None and front.url.rstrip("/") == named["url"].rstrip("/")
    visit = Operation(function=OPEN_URL, params={"url": named["url"]})
    # Opened again it would lose what is in it; that it has loaded is all that remains.
    loaded = Operation(function="wait_for_loading", params={"seconds": 0.1})
    rule_replies(run, subtask, role, [loaded if opened else visit], Branch.ROLE_TASK_FINISH)
    return True

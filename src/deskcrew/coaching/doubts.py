"""What a small model's work leaves in doubt at the end: files nobody asked for, quantities nobody used, nothing compared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deskcrew.english.clauses import FILE_NAME, QUOTED
from deskcrew.goals.origin import typed_in_one
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Collected
from deskcrew.observation import Observation
from deskcrew.verdict import Check

_SUPERLATIVE = re.compile(
    r"\b(?:cheapest|least expensive|most expensive|dearest|heaviest|lightest|tallest|longest|shortest|oldest|youngest|"
    r"highest|lowest|largest|biggest|smallest|greatest|most|least|fewest|maximum|minimum|best|worst|newest|latest|earliest|closest|"
    r"nearest|fastest|slowest|strongest|hottest|coldest)\b",
    re.I,
)
"""Words that ask for a comparison."""


def unused(state: RunState) -> str:
    """That a quantity of the question ("7 tickets") was used in nothing that was worked out; '' where all were."""
    if not state.collected_by("output"):
        return ""
    asked = FILE_NAME.sub(" ", QUOTED.sub(" ", state.question))
    done = [each for turn in state.turns for each in turn.done]
    used = " ".join((typed_in_one(done), *(str(value) for each in done for value in each.operation.params.values())))
    numbers = re.findall(r"(?<![\w.,:/-])\d{1,4}(?=\s+[a-z])", asked)
    left = [number for number in numbers if not re.search(rf"(?<![\d.]){number}(?![\d])", used)]
    return f"nothing that was worked out used the {left[0]} of the question" if left else ""


def unasked(checks: Sequence[Check], before: Observation, now: Observation) -> str:
    """What lies in a new folder besides the files that were to be put there; '' where nothing does."""
    there = {entry.path for entry in before.files}
    wanted = {check.target for check in checks}
    folders = {check.target.rpartition("/")[0] for check in checks if check.kind == "same_as"} - there - {""}
    named = any("*" in target or "?" in target for target in wanted)
    files = (entry.path for entry in now.files if entry.kind == "file" and entry.path.rpartition("/")[0] in folders)
    more = [path for path in files if path not in wanted]
    return f"{', '.join(more[:5])} should not be there" if more and not named else ""


def uncompared(question: str, known: Sequence[Collected]) -> str:
    """That a question takes comparing and nothing has compared; '' where that is not so. A small model takes what stands
    first, and finds it supported."""
    if not _SUPERLATIVE.search(question) or any(found.kind in ("output", "reading") for found in known):
        return ""
    return "to answer it things have to be compared, and nobody did who can"

"""What remains unsupported at the end of a small model's work: files nobody asked for, quantities nobody used.

Each of these can only make a run unverified.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from deskcrew.english.orders import tokens
from deskcrew.english.vocabulary import vocabulary
from deskcrew.goals.origin import typed_in_one
from deskcrew.journal.fold import RunState
from deskcrew.observation import Observation
from deskcrew.texts import FILE_NAME, QUOTED
from deskcrew.verdict import Check


def unused(state: RunState) -> str:
    """Says that a quantity in the question ("7 tickets") was not used in any computation; '' if all were."""
    if not state.collected_by("output"):
        return ""
    asked = FILE_NAME.sub(" ", QUOTED.sub(" ", state.question))
    done = [each for turn in state.turns for each in turn.done]
    used = " ".join((typed_in_one(done), *(str(value) for each in done for value in each.operation.params.values())))
    numbers = re.findall(r"(?<![\w.,:/-])\d{1,4}(?=\s+[a-z])", asked)
    left = [number for number in numbers if not re.search(rf"(?<![\d.]){number}(?![\d])", used)]
    return f"nothing that was worked out used the {left[0]} of the question" if left else ""


def unasked(checks: Sequence[Check], before: Observation, now: Observation) -> str:
    """Says which files in a new folder nobody asked for; '' if there are none."""
    there = {entry.path for entry in before.files}
    wanted = {check.target for check in checks}
    folders = {check.target.rpartition("/")[0] for check in checks if check.kind == "same_as"} - there - {""}
    files = (entry.path for entry in now.files if entry.kind == "file" and entry.path.rpartition("/")[0] in folders)
    more = [path for path in files if path not in wanted]
    return f"{', '.join(more[:5])} should not be there" if more else ""


def asks_figure(question: str) -> bool:
    """Whether a question asks for an amount, a count or a date: "how many", "which date", "what is the total"."""
    words = [token.value.casefold() for token in tokens(question) if token.slot in ("WORD", "RESULT")]
    if "how" in words and words[words.index("how") + 1 :][:1] in (["many"], ["much"]):
        return True
    asked = next((n for n, word in enumerate(words) if word in ("what", "which", "when")), len(words))
    return not vocabulary().doubt["figure"].isdisjoint(words[asked + 1 : asked + 4])

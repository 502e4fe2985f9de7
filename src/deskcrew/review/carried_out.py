"""Whether what a sentence orders on a page was carried out: from what was done, and what the page shows then."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deskcrew.journal.records import Turn
from deskcrew.observation import Observation
from deskcrew.plan import Plan
from deskcrew.roles.page_orders import obeyed
from deskcrew.verdict import Branch

_COMPLAINS = re.compile(
    r"\b(?:errors?|invalid|incorrect|wrong|fail(?:ed|ure)?|required|missing|denied|refused|expired|try again|"
    r"not (?:found|possible|allowed|available|accepted|valid|sent|saved)|(?:could|can|did|does|do|was|is) ?n[o’']t|"
    r"cannot|unable|sorry|oops|problem)\b",
    re.IGNORECASE,
)
"""Words with which pages say that something did not work."""


def carried_out(
    sentence: str,
    plan: Plan,
    turns: Sequence[Turn],
    *,
    by_rule: Callable[[Turn], bool],
    before: Callable[[int], Observation | None],
    now: Observation,
) -> bool:
    """Whether a part with all of the sentence's words was done by rule, every word of it understood and every operation seen
    to have done what it meant, and the page ``now`` complains of nothing that it did not complain of before.

    ``before``: the look before an event. Where a model chose the operations nobody can say so.
    """
    part = next((each for each in plan.subtasks if each.status == "done" and _words(sentence) == _words(each.goal)), None)
    own = [turn for turn in turns if part is not None and turn.subtask == part.id]
    if part is None or not own or not all(by_rule(turn) for turn in own):
        return False
    pressed: list[str] = []
    for turn in own:
        seen = before(turn.number)
        found = obeyed(part.goal, seen, pressed) if seen is not None else None
        if found is None or [done.operation for done in turn.done] != list(found.operations):
            return False
        if not all(done.ok for done in turn.done):
            return False
        pressed += [done.operation.control or "" for done in turn.done]
    first = before(own[0].number)
    ended = str(own[-1].reply.get("branch")) == Branch.ROLE_TASK_FINISH
    return ended and first is not None and not _complains(first, now)


def _words(text: str) -> list[str]:
    """Words of a sentence, without the joints at which it may have been cut and put together again."""
    return [word for word in re.findall(r"\w+", text.casefold()) if word not in ("and", "then")]


def _complains(before: Observation, now: Observation) -> bool:
    """Whether the page says that something did not work, or marks a field as wrong, which it did not before."""
    known = set(before.text.splitlines())
    new = [line for line in now.text.splitlines() if line not in known]
    wrong = {c.label for c in now.controls if "invalid" in c.states}
    marked = wrong - {c.label for c in before.controls if "invalid" in c.states}
    return bool(marked) or any(_COMPLAINS.search(line) for line in new) or any(window.dialog for window in now.windows)

"""What must hold at the end if there is no contract: what the task's words plainly say, and what its planner
expects."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deskcrew.english.clauses import clauses, questions
from deskcrew.goals.from_orders import checks_of_task, deed
from deskcrew.observation import Observation
from deskcrew.verdict import Check

NO_CONTRACT = "all that the task wants: no contract could be made"


def question_of(task: str) -> str:
    """What the user wants to be told, in the task's own words; '' if nothing."""
    return questions(clauses(task))


def checks_of(
    task: str,
    before: Observation,
    *,
    expected: Iterable[Check] = (),
    question: str = "",
    programs: Collection[str] = (),
    suffice: bool,
) -> tuple[Check, ...]:
    """The checks of a task. ``expected``: those from the planner; ``question``: what the run answers at the end;
    ``programs``: those that can be opened. ``suffice``: whether the run is done when all of them hold. If not, they can
    only make it fail, because a model that can reason may be asked for more than what a task's words plainly say."""
    checks = checks_of_task(task, before, expected, question, programs)
    if not suffice:
        return (*checks, Check(kind="deed", text=NO_CONTRACT))
    if not checks and not question and before.on_page:
        # All that can be checked about a task on a page is whether it was done there.
        return (deed(task),)
    return checks

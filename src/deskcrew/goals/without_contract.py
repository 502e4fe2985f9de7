"""What must hold in the end where no contract says it: what the task's words plainly say, and what its planner expects."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from deskcrew.english.checks import LONGEST, checks_of_task
from deskcrew.english.clauses import clauses, questions
from deskcrew.excerpts import shorten
from deskcrew.observation import Observation
from deskcrew.verdict import Check

NO_CONTRACT = "all that the task wants: no contract could be made"


def question_of(task: str) -> str:
    """What the user wants to be told, in the task's own words; '' when nothing."""
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
    """The checks of a task. ``expected``: the planner's; ``question``: what the run answers in the end; ``programs``: those
    that can be opened. ``suffice``: whether the run is done when all of them hold. If not, they can only fail it: what a
    model that reasons was to do is more than a task's words plainly say."""
    checks = checks_of_task(task, before, expected, question, programs)
    if not suffice:
        return (*checks, Check(kind="deed", text=NO_CONTRACT))
    if not checks and not question and before.on_page:
        # What is done on a page is all that can be asked of it: whether it was.
        return (Check(kind="deed", text=shorten(task.strip(" ;."), LONGEST)),)
    return checks

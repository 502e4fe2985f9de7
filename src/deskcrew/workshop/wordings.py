"""Other words for a skill's chore, which a person teaches by confirming what came of them.

That a small model chose the right skill is its word alone, so such a run ends unverified (``steps/choosing.py``). Once a
person has said that its result is right, the same words with other values are the skill's own, too: the next time no model
is asked, and the skill's checks decide whether it is done.
"""

from __future__ import annotations

from dataclasses import dataclass

from deskcrew.events import OperationDenied, PlanPatched, RoleReplied, SkillUse
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES
from deskcrew.roles.recorded import recorded_crew
from deskcrew.skills.skill import Skill, Wording
from deskcrew.skills.trials import Trial, Trials, first_files, input_of
from deskcrew.skills.wording import values_in


@dataclass(frozen=True, slots=True)
class LeftTo:
    """The skill that a whole task was left to. ``alone``: nobody else has had a say in it since."""

    skill: Skill
    use: SkillUse
    alone: bool


def learn(journal: Journal, trials: Trials) -> Skill | None:
    """Take the task of a run, which a person has confirmed, for the chore of the skill that did all of it. Returns the
    skill; None if none did, or if the task does not contain its values. Raises ConfigError."""
    left = _left_to(journal)
    if left is None or not left.alone or journal.state.guidance:
        return None
    if any(trial.run == journal.run for trial in trials.of(left.use.digest)) or _known(journal, left, trials):
        return None  # it did not fit, or it is known already
    method, wording = left.skill.method, Wording(task=journal.state.task, values=left.use.values)
    if values_in(wording.task, method, wording) != wording.values:
        return None
    began = input_of(method.parameters, wording.values, first_files(journal))
    trials.add(left.use.digest, Trial(run=journal.run, input=began, done=True, wording=wording))
    return left.skill


def learnt(journal: Journal, trials: Trials) -> Skill | None:
    """The skill for which this run's task was learnt. Raises ConfigError."""
    left = _left_to(journal)
    if left is None or all(trial.run != journal.run for trial in trials.wordings(left.use.digest)):
        return None
    return left.skill


def unlearn(journal: Journal, trials: Trials) -> None:
    """No longer take the task of a run, of which a person says that it went wrong, for the chore of the skill that it was
    left to. That this was done then still counts. Raises ConfigError."""
    left = _left_to(journal)
    if left is not None:
        for trial in _known(journal, left, trials):
            trials.add(left.use.digest, trial.model_copy(update={"wording": None}))


def _left_to(journal: Journal) -> LeftTo | None:
    use, alone = None, False
    for event in journal.events:
        match event.body:
            case PlanPatched() as body:
                use, alone = body.skill, True
            case RoleReplied() as body if body.subtask is not None and body.model != RULES:
                alone = False
            case OperationDenied():
                alone = False
            case _:
                pass
    if use is None:
        return None
    skill = next(each for each in recorded_crew(journal).skills if each.digest == use.digest)
    return LeftTo(skill, use, alone)


def _known(journal: Journal, left: LeftTo, trials: Trials) -> list[Trial]:
    """The confirmed wordings that the run's task is one of, with whatever values."""
    found = trials.wordings(left.use.digest)
    return [each for each in found if values_in(journal.state.task, left.skill.method, each.wording) is not None]

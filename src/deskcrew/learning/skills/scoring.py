"""Records the results of the skills that a run used, from which their scores are computed.

A misfit is recorded at once. A success is recorded when the run is done, was verified by checks or probes, and did not have
to be replanned after the skill: that its steps could be done does not show that they served their purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from deskcrew.errors import ConfigError
from deskcrew.facts.events import Judged
from deskcrew.facts.verdict import CHANGED, Outcome
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import Trial, Trials, first_files, input_of

UNASKED = ("rules", "probe")
"""The values of ``Outcome.verified_by`` for which neither a model nor a person was asked."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """A skill whose steps were all done, up to event ``number``. ``whole``: whether the task was the skill's own, so that
    the run's outcome counts for the skill, too."""

    skill: Skill
    values: Mapping[str, str]
    number: int
    whole: bool


@dataclass(slots=True)
class Noting:
    """Records the trials of one run. If a trial cannot be recorded, the run continues."""

    trials: Trials
    journal: Journal
    _fits: list[_Fit] = field(default_factory=list[_Fit])

    def misfit(self, skill: Skill, why: str) -> None:
        """Record that one of a skill's steps did not fit."""
        self._add(skill, Trial(run=self.journal.run, input="", done=False, why=why))

    def fits(self, skill: Skill, values: Mapping[str, str], *, whole: bool) -> None:
        """Note that all of a skill's steps were done. ``values``: its parameters' values. :meth:`settle` decides whether it
        was a success."""
        self._fits.append(_Fit(skill, values, self.journal.events[-1].number, whole))

    def settle(self) -> None:
        """Record the noted skills if the run has ended. If it continues in another process, they are not recorded."""
        outcome = self.journal.state.outcome
        for fit in self._fits if outcome is not None else ():
            assert outcome is not None
            anew = self._planned_anew(fit.number)
            if outcome.status == "done" and outcome.verified_by in UNASKED and not anew:
                values = input_of(fit.skill.method.parameters, fit.values, first_files(self.journal))
                self._add(fit.skill, Trial(run=self.journal.run, input=values, done=True))
            elif fit.whole and outcome.reason != CHANGED and (why := anew or _failing(outcome)):
                self.misfit(fit.skill, why)

    def _planned_anew(self, number: int) -> str:
        """Why the run was replanned after an event; '' if it was not."""
        after = (event.body for event in self.journal.events if event.number > number)
        judged = (body for body in after if isinstance(body, Judged) and body.scope == "goal")
        return next((body.verdict.why for body in judged if body.verdict.kind == "replan"), "")

    def _add(self, skill: Skill, trial: Trial) -> None:
        with suppress(ConfigError):
            self.trials.add(skill.digest, trial)


def _failing(outcome: Outcome) -> str:
    """The requirements that did not hold at the end; '' if there are none."""
    proofs = (proof.words for proof in outcome.proofs if proof.holds is False)
    return "; ".join((*proofs, *(result.check.words for result in outcome.checks if result.holds is False)))

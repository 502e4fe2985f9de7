"""Records the results of the skills that a run used, from which their scores are computed.

A misfit is recorded at once. A success is recorded when the run has ended done, as verified by rules or probes, and nothing
had to be replanned after it: that a skill's steps could be done does not show that they served their purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from deskcrew.errors import ConfigError
from deskcrew.events import Judged
from deskcrew.journal.journal import Journal
from deskcrew.skills.skill import Skill
from deskcrew.skills.trials import Trial, Trials, first_files, input_of
from deskcrew.verdict import Outcome

UNASKED = ("rules", "probe")
"""Verifiers that need neither a model nor a person."""


@dataclass(frozen=True, slots=True)
class _Fit:
    """A skill all of whose steps were done, up to event ``number``. ``whole``: the whole task was known to be its own, so
    that the outcome counts for it too."""

    skill: Skill
    values: Mapping[str, str]
    number: int
    whole: bool


@dataclass(slots=True)
class Noting:
    """For one run. If a trial cannot be recorded, the run goes on."""

    trials: Trials
    journal: Journal
    _fits: list[_Fit] = field(default_factory=list[_Fit])

    def misfit(self, skill: Skill, why: str) -> None:
        """One of its steps did not fit."""
        self._add(skill, Trial(run=self.journal.run, input="", done=False, why=why))

    def fits(self, skill: Skill, values: Mapping[str, str], *, whole: bool) -> None:
        """All of its steps were done; ``values``: of its parameters."""
        self._fits.append(_Fit(skill, values, self.journal.events[-1].number, whole))

    def settle(self) -> None:
        """The run is over, or continues in another process, which then knows nothing of them."""
        outcome = self.journal.state.outcome
        for fit in self._fits if outcome is not None else ():
            assert outcome is not None
            anew = self._planned_anew(fit.number)
            if outcome.status == "done" and outcome.verified_by in UNASKED and not anew:
                values = input_of(fit.skill.method.parameters, fit.values, first_files(self.journal))
                self._add(fit.skill, Trial(run=self.journal.run, input=values, done=True))
            elif fit.whole and (why := anew or _failing(outcome)):
                self.misfit(fit.skill, why)

    def _planned_anew(self, number: int) -> str:
        """Why something was still missing after an event; '' if nothing was."""
        after = (event.body for event in self.journal.events if event.number > number)
        judged = (body for body in after if isinstance(body, Judged) and body.scope == "goal")
        return next((body.verdict.why for body in judged if body.verdict.kind == "replan"), "")

    def _add(self, skill: Skill, trial: Trial) -> None:
        with suppress(ConfigError):
            self.trials.add(skill.digest, trial)


def _failing(outcome: Outcome) -> str:
    """The requirements that were found not to hold at the end; '' for none."""
    proofs = (proof.words for proof in outcome.proofs if proof.holds is False)
    return "; ".join((*proofs, *(result.check.words for result in outcome.checks if result.holds is False)))

"""Does a skill on other values: a live replay of its steps, its checks at the end, and what that means for its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from deskcrew.errors import UsageError
from deskcrew.human.responder import Responder
from deskcrew.journal.journal import Journal
from deskcrew.replay.live import Chore, Live, LiveRequest, repeat
from deskcrew.request import RunRequest, prepare
from deskcrew.roles.crew import ALONE
from deskcrew.session import Watch
from deskcrew.settings import Settings
from deskcrew.skills.skill import Skill
from deskcrew.skills.trials import Trial, Trials, first_files, input_of

CREW = "solo"
"""Whose rules hold: the one agent that has every action."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it. ``score``: before and after."""

    live: Live
    score: tuple[int, int]


def request_for(skill: Skill, settings: Settings) -> RunRequest:
    """The request of a run that does a skill; of what its maker's run was allowed nothing is in it."""
    origin = skill.method.provenance
    return RunRequest(origin.task, model=settings.model, crew=CREW, desktop=origin.desktop, limits=settings.limits)


def chosen(skill: Skill, params: Sequence[str]) -> dict[str, str]:
    """New values by name, from ``name=value`` as it is typed. Raises UsageError naming the parameters there are."""
    there = [each.name for each in skill.method.parameters]
    found: dict[str, str] = {}
    for text in params:
        name, equals, value = text.partition("=")
        if not equals or name not in there or not value.strip():
            listed = ", ".join(f"{each.name}={each.value}" for each in skill.method.parameters) or "none"
            raise UsageError(f"--param {text!r} is not NAME=VALUE with a parameter of {skill.name}.", hint=f"{listed}.")
        if name in found:
            raise UsageError(f"--param gives {name} two values.", hint="Leave one out.")
        found[name] = value
    return found


async def try_skill(
    skill: Skill,
    values: Mapping[str, str],
    live: LiveRequest,
    settings: Settings,
    *,
    watch: Watch | None = None,
    human: Responder | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> Tried:
    """Do it as a run of its own, and write down what came of it. ``values``: new ones by name. Raises as ``replay_live``."""
    crew = prepare(replace(live.run, crew=CREW), settings)
    chore = Chore(
        recording=skill.recording(ALONE),
        values=skill.values,
        crew=crew,
        secrets=frozenset(skill.method.provenance.secrets),
        files=skill.given,
        told={"skill": skill.name, "digest": skill.digest},
    )
    live = replace(live, sets=tuple(f"{name}={value}" for name, value in values.items()))
    done = await repeat(chore, live, settings, watch=watch, human=human, notice=notice)
    trials = Trials(settings.config)
    before = trials.score(skill.digest)
    if (trial := _trial(skill, values, done.journal)) is not None:
        trials.add(skill.digest, trial)
    return Tried(done, (before, trials.score(skill.digest)))


def _trial(skill: Skill, values: Mapping[str, str], journal: Journal) -> Trial | None:
    """What a run says of the skill that it did; None where it ended for something that is no fault or merit of it."""
    outcome = journal.state.outcome
    if outcome is None or not (outcome.status == "done" or outcome.reason == "mismatch"):
        return None
    done = outcome.status == "done"
    return Trial(
        run=journal.run,
        input=input_of(skill.method.parameters, values, first_files(journal)),
        done=done,
        why="" if done else outcome.why,
    )

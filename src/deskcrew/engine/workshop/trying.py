"""Tries a skill with other values: a live replay of its steps, its checks at the end, and the effect on its score."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeVar, Unpack

from deskcrew.engine.replay.live import Live, LiveRequest, RepeatedTask, check_path, repeat
from deskcrew.engine.request import RunRequest, prepare, skill_source
from deskcrew.engine.roles.crew import ALONE
from deskcrew.engine.session import Beside
from deskcrew.engine.steps.filling import new_name
from deskcrew.engine.steps.using_skills import refused
from deskcrew.engine.workshop.fitting import GivenFiles, misfit
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.events import ActionFinished, newest_first
from deskcrew.facts.meant import did_you_mean
from deskcrew.facts.run_settings import Repetition
from deskcrew.facts.verdict import NO_CHECK
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.folders import load
from deskcrew.learning.skills.requesting import MISFIT
from deskcrew.learning.skills.skill import Skill
from deskcrew.learning.skills.trials import Trial, Trials, first_files, input_of
from deskcrew.settings import Settings

T = TypeVar("T")
CREW = "solo"
"""The crew used for trials: its one agent has every action."""
SHOWS = "`deskcrew skill show {}` says what each value is."


@dataclass(frozen=True, slots=True)
class TriedSkill:
    """The result of a trial. ``score``: the skill's score before and after it."""

    live: Live
    score: tuple[int, int]


def request_for(skill: Skill, settings: Settings, values: Mapping[str, str] = MappingProxyType({})) -> RunRequest:
    """The request of a run that uses a skill, without what the skill's own run was allowed. ``values``: for a skill that
    comes from no task. Raises UsageError for a value that cannot be used."""
    origin = skill.method.provenance
    task = origin.task or _usable(skill, lambda: skill.in_words(values))
    return RunRequest(task, model=settings.model, crew=CREW, desktop=origin.desktop, limits=settings.limits)


def chosen(skill: Skill, params: Sequence[str], files: Container[str] = ()) -> dict[str, str]:
    """New values by name, from ``name=value`` as typed. ``name=`` leaves an optional value out; a new file without a name is
    called as in the skill's example. ``files``: names that are taken. Raises UsageError for a wrong or missing name."""
    there = {each.name: each for each in skill.method.parameters}
    found: dict[str, str] = {}
    for text in params:
        name, equals, value = text.partition("=")
        if equals and name in there and not value.strip() and not (there[name].optional and not value):
            raise UsageError(f"{name} has no value.", hint="Give a value, or leave it out.")
        if not equals or name not in there:
            what = f"There is no parameter {name!r}" if equals else f"{text!r} is not NAME=VALUE"
            listed = shlex.join(f"{each.name}={each.value}" for each in skill.method.parameters if each.value)
            takes = f"{SHOWS.format(skill.name)} For example: {listed}" if listed else f"{skill.name} takes no values."
            raise UsageError(f"{what}.{did_you_mean(name, there)}", hint=takes)
        if name in found:
            raise UsageError(f"{name} has two values.", hint="Leave one out.")
        found[name] = value
    if skill.method.provenance.task:
        return found
    # It comes from no task whose values could be meant.
    wanted = [each for name, each in there.items() if name not in found and not each.optional]
    if missing := [f"{each.name}={each.value}" for each in wanted if each.kind != "file" or each.given]:
        hint = f"{SHOWS.format(skill.name)} For example: {shlex.join(missing)}"
        raise UsageError(f"{skill.name} needs {', '.join(each.partition('=')[0] for each in missing)}.", hint=hint)
    return dict.fromkeys(there, "") | {each.name: new_name(each, skill, found, files) for each in wanted} | found


async def try_skill(
    skill: Skill,
    values: Mapping[str, str],
    live: LiveRequest,
    settings: Settings,
    **beside: Unpack[Beside],
) -> TriedSkill:
    """Run the skill as a run of its own, and record the trial. ``values``: new values by name. Raises what ``replay_live``
    raises, and UsageError for an invalid value."""
    folder, attached = live.run.workspace, live.run.attachments
    if skill.shipped and folder is not None and (wrong := misfit(skill, values, GivenFiles(folder, attached))) is not None:
        raise UsageError(wrong.text)
    doing, sets = skill, tuple(f"{name}={value}" for name, value in values.items())
    if not skill.method.steps:
        doing, sets = _written_out(skill, values), ()
    offered = [skill] if skill.method.request is not None else []
    needed = {step.operation.function for step in skill.method.steps}
    crew = prepare(replace(live.run, crew=CREW), settings, offered, needed)
    repeated = Repetition(skill=skill.name, digest=skill.digest, values=dict(values))
    if skill.method.function is not None:
        repeated = repeated.model_copy(update={"program": True})
    chore = RepeatedTask(
        recording=doing.recording(ALONE),
        values=doing.values,
        crew=crew,
        secrets=frozenset(skill.method.provenance.secrets),
        files=doing.given,
        of=repeated,
    )
    live = replace(live, sets=sets)
    done = await repeat(chore, live, settings, **beside)
    trials = Trials(settings.data)
    before = trials.score(skill.digest, shipped=skill.shipped)
    if (trial := _trial(skill, values, done.journal)) is not None:
        trials.add(skill.digest, trial)
    return TriedSkill(done, (before, trials.score(skill.digest, shipped=skill.shipped)))


def confirmed(journal: Journal, settings: Settings) -> Trial | None:
    """Record a success, because a person confirmed what a skill did in a trial that no automatic check had decided. Returns
    None for any other run, and if the skill is gone or has changed since. Raises ConfigError if trials are unreadable."""
    started = journal.state.started
    did = started.settings.replay if started is not None else None
    if did is None or not did.skill:
        return None
    trials = Trials(settings.data)
    if any(trial.run == journal.run for trial in trials.of(did.digest)):
        return None
    try:
        skill = load(skill_source(did.skill, settings))
    except (UsageError, ConfigError):
        return None
    if skill.digest != did.digest:
        return None
    trial = Trial(run=journal.run, input=input_of(skill.method.parameters, did.values, first_files(journal)), done=True)
    trials.add(skill.digest, trial)
    return trial


def _written_out(skill: Skill, values: Mapping[str, str]) -> Skill:
    for each in skill.method.parameters if skill.method.function is not None else ():
        if each.names_file:
            check_path(values.get(each.name, each.value))
    return _usable(skill, lambda: skill.written_out(values))


def _usable(skill: Skill, made: Callable[[], T]) -> T:
    try:
        return made()
    except ValueError as error:
        raise UsageError(f"A value of {skill.name} cannot be used: {error}.") from error


def _trial(skill: Skill, values: Mapping[str, str], journal: Journal) -> Trial | None:
    """The trial that a run of a skill amounts to; None if it ended for a reason that says nothing about the skill, such as
    an unusable value."""
    outcome = journal.state.outcome
    if outcome is None:
        return None
    done = outcome.status == "done"
    if skill.method.request is not None:
        # A request leaves nothing to check except that the response is as described. That the service cannot be
        # reached, or refuses something, is not the skill's fault.
        ended = newest_first(journal.events, ActionFinished)
        last = next((body for body in ended if body.operation.function == skill.action), None)
        if last is None or not (last.ok or last.exit_code == MISFIT):
            return None
        if last.ok and not done and skill.method.request.answer is None:
            return None  # the response is not described, so that nothing was proven
        done = last.ok
    elif not (done or (outcome.reason in ("mismatch", NO_CHECK) and not _misgiven(skill, values, journal))):
        return None
    return Trial(
        run=journal.run,
        input=input_of(skill.method.parameters, values, first_files(journal)),
        done=done,
        why="" if done else outcome.why,
    )


def _misgiven(skill: Skill, values: Mapping[str, str], journal: Journal) -> bool:
    """Whether a run failed because of its values: the skill's function refused them, or a file's folder did not exist."""
    if refused(skill, journal):
        return True
    there = first_files(journal)
    if there is None:
        return False
    folders = {".", *(entry.path for entry in there.entries if entry.kind == "folder")}
    given = (each for each in skill.method.parameters if each.names_file and each.name in values)
    pairs = ((PurePosixPath(values[each.name]), PurePosixPath(each.value)) for each in given)
    return any(new.parent != old.parent and str(new.parent) not in folders for new, old in pairs)

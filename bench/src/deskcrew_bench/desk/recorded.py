"""An earlier series over a desk suite done again: the same replies on new desktops, in place of a model."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from deskcrew.environments.describe import CONTROLS
from deskcrew.errors import ModelFailure, UsageError
from deskcrew.events import RoleCalled, RoleReplied
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.replay.cassette import given_again, text_of
from deskcrew.settings import Settings
from deskcrew_bench.desk.suite import attempt, crew_of
from deskcrew_bench.desk.task import Task
from deskcrew_bench.suites.trial import By, Trial, finished

AGAIN = "recorded:"
"""What the name of a model begins with whose earlier replies are given again."""


class Recorded:
    """Answers as the model of a recorded run did, one reply after the other, whatever is asked."""

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._replies = iter(asked(journal))
        self._name = name
        assert journal.state.started is not None
        self._profile = Profile.model_validate(journal.state.started.profile)

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> Profile:
        return self._profile

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        """Raises ModelFailure where another role was asked then, or no more replies were given."""
        prompt, replied = next(self._replies, ("", None))
        if replied is None or replied.role != call.role:
            then = f"{replied.role} was asked" if replied else "nobody was asked any more"
            raise ModelFailure(
                f"{call.role} is asked, and in the recorded run {then}.", hint="The two runs went apart before."
            )
        raw = relabelled(text_of(self._journal, replied), controls_of(prompt), call.text())
        return given_again(raw, replied, call, type)

    async def close(self) -> None:
        """Nothing to give back."""


def asked(journal: Journal) -> list[tuple[str, RoleReplied]]:
    """What models replied, oldest first, each with the text of its prompt."""
    replies, prompt = {id(reply) for reply in model_replies(journal.events)}, ""
    found: list[tuple[str, RoleReplied]] = []
    for event in journal.events:
        if isinstance(event.body, RoleCalled):
            prompt = prompt_of(journal, event.body)
        elif isinstance(event.body, RoleReplied) and id(event.body) in replies:
            found.append((prompt, event.body))
    return found


def prompt_of(journal: Journal, called: RoleCalled) -> str:
    """The text of a prompt."""
    texts = [part.blob for part in called.parts if part.kind == "text"]
    return "\n\n".join(journal.read_blob(blob).decode(errors="replace") for blob in texts)


def controls_of(prompt: str) -> dict[str, str]:
    """What a prompt says of each control on the screen, by label."""
    listed = prompt.rpartition(CONTROLS)[2].partition("\n\n")[0] if CONTROLS in prompt else ""
    return dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)


def called(said: str) -> str:
    """Kind and name of a control of which that is said: what it holds may be another."""
    named = re.match(r'[^"]*"(?:[^"\\]|\\.)*"', said)
    return named[0] if named else said


def relabelled(raw: str, before: Mapping[str, str], now: str) -> str:
    """A reply to a prompt with the controls ``before`` as one to the prompt ``now``: controls that are called the same may
    have other labels there, as when a window was seen a moment earlier. The reply as it is where it names none that has
    moved."""
    here = controls_of(now)
    labels = {said: label for label, said in reversed(here.items())}
    names = [called(said) for said in here.values()]
    labels |= {name: label for label, name in zip(here, names, strict=True) if names.count(name) == 1}
    found = {label: labels.get(said) or labels.get(called(said)) for label, said in before.items()}
    moved = {label: to for label, to in found.items() if to is not None and to != label and here.get(label) != before[label]}

    def named(match: re.Match[str]) -> str:
        return f"{match[1]}{json.dumps(moved.get(match[2], match[2]))}"

    return re.sub(r'("control"\s*:\s*)"([^"\\]*)"', named, raw) if moved else raw


def earlier_of(path: Path, by: By, wanted: Collection[tuple[str, int]]) -> dict[tuple[str, int], Trial]:
    """The trials of the series ``by`` in ``path`` that are ``wanted``. Raises UsageError where one is missing."""
    there = finished(path, by, "desk")
    for name, seed in wanted:
        if (name, seed) not in there:
            hint = "Name the tasks, seeds, model and crew of that series."
            raise UsageError(f"{path} holds no trial of {name} with seed {seed} by {by[0]} and {by[1]}.", hint=hint)
    return {key: there[key] for key in wanted}


async def again(task: Task, earlier: Trial, settings: Settings) -> Trial:
    """Do a task once more with the replies of an earlier trial. Raises what :func:`attempt` raises, and UsageError where the
    earlier run is not in this journal."""
    name = f"{AGAIN}{earlier.model}"
    model = Recorded(Store.of(settings).journal(earlier.run), name)
    crew = crew_of(earlier.model, earlier.crew)
    trial = await attempt(
        task, earlier.seed, settings, model=name, crew=crew, pool=earlier.pool, without=earlier.without, loaded=model
    )
    return trial.model_copy(update={"crew": earlier.crew})

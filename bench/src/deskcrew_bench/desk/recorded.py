"""An earlier series over a desk suite done again: the same replies on new desktops, in place of a model."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from deskcrew.engine.replay.replies import replies_of
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew.models.client import Profile
from deskcrew.models.recorded import RecordedModel
from deskcrew.settings import Settings
from deskcrew_bench.desk.suite import attempt, crew_of
from deskcrew_bench.desk.task import Task
from deskcrew_bench.suites.trial import By, Trial, finished

AGAIN = "recorded:"
"""What the name of a model begins with whose earlier replies are given again."""


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
    journal = Store.of(settings).journal(earlier.run)
    begun = journal.state.started
    assert begun is not None
    profile = Profile.model_validate(begun.profile)
    model = RecordedModel(replies_of(journal), name=name, profile=profile)
    crew = crew_of(earlier.model, earlier.crew)
    trial = await attempt(
        task, earlier.seed, settings, model=name, crew=crew, pool=earlier.pool, without=earlier.without, loaded=model,
        required=begun.required,
    )  # fmt: skip
    return trial.model_copy(update={"crew": earlier.crew})

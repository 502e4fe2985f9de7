"""A trial of a suite: one task with one seed, how it ended, what it cost; and series of them in files."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field

from deskcrew.engine import attempts, session
from deskcrew.engine.human.responder import Responder
from deskcrew.engine.request import RunRequest, profile_of
from deskcrew.engine.roles import recorded
from deskcrew.environments.environment import Desktop
from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.facts.events import Event
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Model
from deskcrew.settings import SearchSettings, Settings
from deskcrew.ways_in.report.totals import totals
from deskcrew_bench.series import kept

INTERRUPTED = "interrupted"
"""In the place of an outcome, where there is none."""
LONGEST = 180.0
"""Seconds of a run where neither task nor settings say."""
TIMED_OUT = "bound:seconds"
CRASHED = "crashed"
"""Why a program that is not ours failed, where it ended without a word."""
Suite = Literal["desk", "vib", "miniwob", "gaia", "webarena"]
TOLD_OUTSIDE = frozenset[Suite]({"vib", "miniwob", "gaia", "webarena"})
"""Suites in which a trial succeeds that is right, whatever its run says: a page, a scorer, evaluators or a program's own
files tell."""

By = tuple[str, str, bool, tuple[str, ...]]
"""Model, crew, whether it has its pool, and what else it does without: trials that have them in common are one series."""


class Checked(Frozen):
    """A run whose work was checked by what the run knows nothing about. ``right``: what that says."""

    model: str
    run: str
    right: bool
    outcome: str
    why: str
    calls: int
    seconds: float

    @property
    def success(self) -> bool:
        """Right, and done."""
        return self.right and self.outcome == "done"

    @property
    def false(self) -> bool:
        """Done, and wrong."""
        return self.outcome == "done" and not self.right


class Trial(Checked):
    """One task with one seed. Token counts None: the model does not tell.

    ``agents``: how many the task needs; ``used``: how many did something. ``decisions``: prompt tokens of each reply in
    which a model chose operations. ``level``: of a question that has one; ``regime``: how much of a person and of earlier
    runs was in it, where a suite has several ways, else ''.
    """

    suite: Suite = "desk"
    task: str
    seed: int
    crew: str
    pool: bool
    without: tuple[str, ...] = ()
    level: int | None = None
    regime: str = ""
    agents: int
    used: int
    infeasible: bool
    said: str
    """What the check printed."""
    reason: str
    answer: str
    input: int | None
    output: int | None
    cached: int | None
    decisions: tuple[int, ...] = ()
    operations: int | None = None
    lost: bool = Field(default=False, exclude=True)
    """The surroundings failed in the middle: no result, and in no file. It is to be done again."""

    @property
    def success(self) -> bool:
        """Right, and the run says so: ``done``, or refused with a reason where it cannot be done. In some suites
        nobody needs to say it: right."""
        if self.suite in TOLD_OUTSIDE:
            return self.right
        return self.right and (self.refused if self.infeasible else self.outcome == "done")

    @property
    def refused(self) -> bool:
        return self.outcome == "failed" and self.reason == "infeasible" and bool(self.why.strip())

    @property
    def unverified(self) -> bool:
        """Right, but the run does not say ``done``."""
        return self.right and not self.infeasible and self.outcome != "done"

    @property
    def false(self) -> bool:
        """The run says ``done``, and the check says no, or it cannot be done at all."""
        return self.outcome == "done" and (self.infeasible or not self.right)

    @property
    def broken(self) -> bool:
        """A bug of ours ended the run."""
        return self.outcome == INTERRUPTED

    @property
    def timed_out(self) -> bool:
        """The clock ended the run."""
        return self.reason == TIMED_OUT

    @property
    def crashed(self) -> bool:
        """A program that is not ours ended without a word."""
        return self.reason == CRASHED

    @property
    def decision(self) -> float | None:
        """Prompt tokens of a decision, the median; None where no model made one."""
        return statistics.median(self.decisions) if self.decisions else None

    @property
    def cached_share(self) -> float | None:
        """Of the prompt tokens of all calls those that the model had in its cache, 0 to 1; None where nothing is known."""
        return self.cached / self.input if self.input and self.cached is not None else None

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.seed

    @property
    def by(self) -> By:
        return self.model, self.crew, self.pool, self.without


def finished(path: Path, by: By, suite: Suite, regime: str = "") -> dict[tuple[str, int], Trial]:
    """The trials that ``path`` holds of a suite by these. Raises UsageError for a file of another kind."""
    found = kept(path, Trial, command=_command(suite))
    return {trial.key: trial for trial in found if (trial.by, trial.suite, trial.regime) == (by, suite, regime)}


def series_of(path: Path) -> dict[tuple[By, str], list[Trial]]:
    """The trials in ``path`` by model, crew, what it does without, and regime, in the order of the file; of a trial that is
    there twice the last. Raises UsageError where there are none, or for a file of another kind."""
    commands = [_command(suite) for suite in get_args(Suite)]
    series: dict[tuple[By, str], dict[tuple[str, int], Trial]] = {}
    for trial in kept(path, Trial, command="` or `".join(commands)):
        series.setdefault((trial.by, trial.regime), {})[trial.key] = trial
    if not series:
        hint = f"`{commands[0]} --jsonl FILE` makes such a file, and so does `{'` or `'.join(commands[1:])}`."
        raise UsageError(f"There are no trials in {path}.", hint=hint)
    return {each: list(trials.values()) for each, trials in series.items()}


def _command(suite: Suite) -> str:
    return f"deskcrew bench {suite}"


async def run_of(
    request: RunRequest,
    settings: Settings,
    model: Model | None,
    watch: session.Watch | None = None,
    human: Responder | None = None,
    *,
    search: bool = False,
    environment: Desktop | None = None,
    freely: bool = True,
) -> Journal:
    """The journal of a run, also of one that a bug of ours broke off: it is a trial that failed, and the series goes on.
    The session has written down what happened. No search service is asked, so that a series is the same for whoever runs it,
    but where ``search`` says so. ``environment``: an open one, which is closed at the end. ``freely``: the crew
    does the task itself, also with a model that would do nothing but skills."""
    if not search:
        settings = settings.model_copy(update={"search": SearchSettings()})
    if freely and not profile_of(request.model, settings).freely:
        request = replace(request, without=tuple(dict.fromkeys((*request.without, "skills"))))
    kept: list[Journal] = []

    def seen(event: Event, journal: Journal) -> None:
        kept[:] = [journal]
        if watch is not None:
            watch(event, journal)

    try:
        return await attempts.run(request, settings, model=model, watch=seen, human=human, environment=environment)
    except DeskcrewError:
        raise  # a person's to mend, and so in every trial
    except Exception:
        if not kept or not kept[0].state.interrupted:
            raise
        return kept[0]


def ended(journal: Journal) -> dict[str, Any]:
    """What a trial says of the run itself: its outcome, and its cost with that of attempts that were not taken."""
    state, outcome = journal.state, journal.state.outcome
    replies = model_replies(journal.all)
    spent = totals(list(journal.all))
    kinds = recorded.role_kinds(recorded.recorded_crew(journal))
    decided = [reply.usage.input for reply in replies if kinds.get(reply.role) == "decision"]
    return {
        "run": journal.run,
        "used": len({turn.role for turn in state.turns if turn.done}),
        "outcome": outcome.status if outcome else INTERRUPTED,
        "reason": outcome.reason if outcome else "",
        "why": outcome.why if outcome else state.interrupted,
        "answer": outcome.answer if outcome else "",
        "calls": len(replies),
        "input": spent.input.count,
        "output": spent.output.count,
        "cached": spent.cached.count,
        "decisions": tuple(tokens for tokens in decided if tokens is not None),
        "operations": sum(len(turn.done) for turn in state.turns),
    }

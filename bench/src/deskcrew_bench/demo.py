"""The demo's second act over many seeds: does a small model understand a later month, and is what follows right?

The first act is done once, and its run becomes the skill. Then each month is asked for in other words. A simulated person
says yes to what was understood where all its values are right, and no where one is not; or yes to everything.
"""

from __future__ import annotations

import json
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from deskcrew.engine import session
from deskcrew.engine.human.questions import Accepted, Approval, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.events import Understood
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew.ways_in.demo import chore
from deskcrew.ways_in.demo.chore import Chore
from deskcrew.ways_in.demo.learnt import learn
from deskcrew_bench.series import kept
from deskcrew_bench.suites.trial import Checked

VALUES = ("traveller", "book", "page", "letter")


class Trial(Checked):
    """One month. ``understood``: all values of the reading were right, None: there was no reading; ``always``: the
    person said yes to whatever was shown."""

    seed: int
    wording: str
    always: bool = False
    understood: bool | None
    said: str
    """What the checker printed."""


class Totals(Frozen):
    """A series of trials: counts, and the median of the seconds."""

    seeds: int
    understood: int
    good: int
    wrong: int
    """Runs that ended "done" although the work is wrong."""
    seconds: float


def wordings(folder: Path) -> tuple[str, ...]:
    """How a month is asked for. Raises UsageError."""
    file = folder / "wordings.txt"
    if not file.is_file():
        raise UsageError(f"There is no {file}.", hint="It comes with a source checkout, in bench/demo.")
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line.strip() and not line.startswith("#"))


def finished(path: Path, *, model: str, always: bool) -> dict[int, Trial]:
    """The trials in ``path`` for this model, by seed. Raises UsageError for a file of another kind."""
    trials = kept(path, Trial, command="deskcrew bench demo")
    return {trial.seed: trial for trial in trials if (trial.model, trial.always) == (model, always)}


async def taught(settings: Settings) -> Settings:
    """Do the first act, and keep it as a skill. Returns settings with which that is offered. Raises UsageError where it is
    not proven."""
    folder = _folder(settings)
    chore.RECORDED.put(folder)
    request = RunRequest(
        task=chore.TASK, model=f"recorded:{chore.REPLIES}", workspace=folder, limits=settings.limits, without=("skills",)
    )
    return learn(await session.run(request, settings), settings, folder.with_name(f"{folder.name}-skill"))[1]


async def attempt(
    seed: int,
    wording: str,
    settings: Settings,
    folder: Path,
    *,
    model: str,
    always: bool = False,
    loaded: Model | None = None,
) -> Trial:
    """One month. ``settings``: of :func:`taught`; ``folder``: of the checker; ``loaded``: answers in place of ``model``.
    Raises what ``session.run`` raises."""
    month, before, work = chore.later(seed), _folder(settings), _folder(settings)
    month.put(before)
    month.put(work)

    async def confirms(question: ReplyQuestion) -> Response:
        return Accepted() if always or _is(month, question.reply) else Approval(allowed=False)

    request = RunRequest(
        task=month.asked(wording), model=model, workspace=work, mode="passive", seed=seed, limits=settings.limits
    )
    started = time.perf_counter()
    journal = await session.run(request, settings, model=loaded, human=PythonResponder(reply=confirms))
    seconds = time.perf_counter() - started
    right, said = checked(folder, before, work, month)
    return _trial(seed, wording, journal, month, model=model, always=always, right=right, said=said, seconds=seconds)


def checked(folder: Path, before: Path, after: Path, month: Chore) -> tuple[bool, str]:
    """Run the checker as its own process. Returns whether the work is right, and what it printed."""
    command = [sys.executable, str(folder / "check.py"), str(before), str(after), json.dumps(asdict(month))]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ended.returncode == 0, (ended.stdout + ended.stderr).strip()


def _folder(settings: Settings) -> Path:
    folder = settings.data / "workspaces" / f"demo-{secrets.token_hex(4)}"
    folder.mkdir(parents=True)
    return folder


def _is(month: Chore, values: JsonObject) -> bool:
    """Whether these are the month's values, under whatever names."""
    return sorted(map(str, values.values())) == sorted(getattr(month, name) for name in VALUES)


def _trial(
    seed: int,
    wording: str,
    journal: Journal,
    month: Chore,
    *,
    model: str,
    always: bool,
    right: bool,
    said: str,
    seconds: float,
) -> Trial:
    outcome = journal.state.outcome
    reading = next((event.body for event in journal.events if isinstance(event.body, Understood)), None)
    return Trial(
        seed=seed,
        wording=wording,
        run=journal.run,
        model=model,
        always=always,
        understood=_is(month, reading.values) if reading is not None else None,
        outcome=outcome.status if outcome else "interrupted",
        right=right,
        said=said,
        why=outcome.why if outcome else journal.state.interrupted,
        calls=len(model_replies(journal.events)),
        seconds=round(seconds, 1),
    )


def totals(trials: Sequence[Trial]) -> Totals:
    """Counts and medians of ``trials``, which must not be empty."""
    return Totals(
        seeds=len(trials),
        understood=sum(trial.understood is True for trial in trials),
        good=sum(trial.success for trial in trials),
        wrong=sum(trial.false for trial in trials),
        seconds=round(statistics.median(trial.seconds for trial in trials), 1),
    )


def line(trial: Trial) -> str:
    """One seed's result on a line, for a person; with the reason if it is not good."""
    read = {True: "understood", False: "misunderstood", None: "no skill was chosen"}[trial.understood]
    right = "right" if trial.right else "wrong"
    text = f"seed {trial.seed}: {read}; {trial.outcome}, {right}; {trial.calls} calls, {trial.seconds:g} s"
    return text if trial.success else f"{text}; {trial.why or trial.said} [{trial.run}]"


def summary(summed: Totals) -> str:
    """The totals on a line, for a person."""
    read = f"{summed.understood} of {summed.seeds} understood"
    return f"{read}, {summed.good} done and right, {summed.wrong} done and wrong; median {summed.seconds:g} s"

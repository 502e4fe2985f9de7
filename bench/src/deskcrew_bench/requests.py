"""Requests in people's words, over folders of files: does a small model choose the skill that does it, with the right
values, and none where none does?

A folder holds ``requests.jsonl``, one object a line: ``id``, ``language``, ``request``, ``folder`` (of its files, beside it)
and ``want``, what is wanted in words. The key, a file of its own, says for each id which skill does it, or ``null``:

    {"id": "r01", "skill": "sort-table", "values": {"source": "a.csv", "order": ["", "ascending"]}, "checker": "r01.py"}

``values``: what each parameter must be, or a list of what it may be; one that is not named may be anything, as the name of
a new file where the request gives none. ``also``: other skills that do it, each with its ``values``. ``checker``: a Python
program beside the key that is given the folder before and after, and exits with 0 if the work is right; without one, it is
right if skill and values are, and the run was proven.

A simulated person says yes to a reading that the key allows, and no to any other.
"""

from __future__ import annotations

import secrets
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import Field, ValidationError

from deskcrew.engine import session
from deskcrew.engine.human.questions import Accepted, Approval, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.events import Event, Understood
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.series import kept
from deskcrew_bench.suites.trial import Checked

REQUESTS, KEY = "requests.jsonl", "key.jsonl"
T = TypeVar("T", bound=Frozen)


class Request(Frozen):
    """What somebody asks for. ``folder``: of its files, beside the file of requests."""

    id: str
    language: str = ""
    request: str
    folder: str
    want: str = ""


class Way(Frozen):
    """A skill that does a request. ``values``: what a parameter may be, by its name."""

    skill: str | None
    values: dict[str, str | list[str]] = Field(default_factory=dict[str, "str | list[str]"])

    def is_(self, read: Understood) -> bool:
        return read.skill == self.skill and all(self._allows(name, read.values.get(name, "")) for name in self.values)

    def _allows(self, name: str, value: object) -> bool:
        allowed = self.values[name]
        return _plain(str(value)) in [_plain(each) for each in ([allowed] if isinstance(allowed, str) else allowed)]


class Key(Way):
    """What is right for one request; see the module."""

    id: str
    also: tuple[Way, ...] = ()
    checker: str = ""

    @property
    def ways(self) -> tuple[Way, ...]:
        return tuple(way for way in (self, *self.also) if way.skill)

    def allows(self, read: Understood) -> bool:
        return any(way.is_(read) for way in self.ways)


class Trial(Checked):
    """One request. ``fits``: a skill does it; ``chosen``: the skill that was shown to the person, '' if none was; ``skill``
    and ``values``: whether it is right, and all its values are too, which the work is judged by if there is no checker;
    ``touched``: something in the folder was changed."""

    id: str
    language: str
    fits: bool
    chosen: str
    skill: bool
    values: bool
    read: str
    reason: str
    touched: bool

    @property
    def none(self) -> bool:
        """Nothing was chosen, and nothing was done."""
        return not self.chosen and not self.touched


class Totals(Frozen):
    """A series of trials: counts, the median of the seconds, and the most."""

    fitting: int
    skill: int
    values: int
    good: int
    others: int
    none: int
    wrong: int
    seconds: float
    slowest: float

    @property
    def enough(self) -> bool:
        """Whether it is what a small model has to reach."""
        fit = self.skill >= 0.9 * self.fitting and self.values >= 0.8 * self.fitting and self.good >= 0.75 * self.fitting
        return fit and self.none >= 0.85 * self.others and not self.wrong and self.seconds <= 10


def requests_in(folder: Path, key: Path | None = None) -> dict[str, tuple[Request, Key]]:
    """All requests with what is right, by id. Raises UsageError."""
    asked = {each.id: each for each in _lines(folder / REQUESTS, Request)}
    right = {each.id: each for each in _lines(key or folder / KEY, Key)}
    if missing := asked.keys() - right.keys():
        raise UsageError(f"The key says nothing of {', '.join(sorted(missing))}.", hint="Give a line for each request.")
    return {name: (each, right[name]) for name, each in asked.items()}


def _lines(path: Path, kind: type[T]) -> list[T]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [kind.model_validate_json(line) for line in lines if line.strip()]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.", hint="--key FILE names the key.") from error
    except ValidationError as error:
        raise UsageError(f"{path}: {error.errors()[0]['loc']}: {error.errors()[0]['msg']}.") from error


def finished(path: Path, *, model: str) -> dict[str, Trial]:
    """The trials in ``path`` for this model, by id. Raises UsageError for a file of another kind."""
    return {trial.id: trial for trial in kept(path, Trial, command="deskcrew bench requests") if trial.model == model}


async def attempt(
    request: Request,
    key: Key,
    settings: Settings,
    folder: Path,
    *,
    model: str,
    checkers: Path | None = None,
    loaded: Model | None = None,
) -> Trial:
    """One request, on a copy of its files. ``folder``: of the file of requests; ``checkers``: that of the checkers, if it is
    another; ``loaded``: answers in place of ``model``. Raises what ``session.run`` raises."""
    before = folder / request.folder
    if not before.is_dir():
        raise UsageError(f"There is no folder {before}.")
    work = settings.data / "workspaces" / f"request-{secrets.token_hex(4)}"
    shutil.copytree(before, work)
    read: list[Understood] = []

    def watch(event: Event, journal: Journal) -> None:
        if isinstance(event.body, Understood) and not event.body.by:
            read.append(event.body)

    async def confirms(question: ReplyQuestion) -> Response:
        return Accepted() if key.allows(read[-1]) else Approval(allowed=False)

    task = RunRequest(task=request.request, model=model, workspace=work, mode="passive", limits=settings.limits)
    started = time.perf_counter()
    journal = await session.run(task, settings, model=loaded, watch=watch, human=PythonResponder(reply=confirms))
    seconds = time.perf_counter() - started
    reading, outcome = read[-1] if read else None, journal.state.outcome
    values, touched = reading is not None and key.allows(reading), _tree(before) != _tree(work)
    trial = Trial(
        id=request.id, language=request.language, model=model, run=journal.run, fits=bool(key.ways),
        chosen=reading.skill if reading else "", skill=reading is not None and reading.skill in {w.skill for w in key.ways},
        values=values, read=reading.words if reading else "", outcome=outcome.status if outcome else "interrupted",
        reason=outcome.reason if outcome else "", why=outcome.why if outcome else journal.state.interrupted,
        right=_right(key, checkers or folder, before, work) if key.checker else values, touched=touched,
        calls=len(model_replies(journal.events)), seconds=round(seconds, 1),
    )  # fmt: skip
    shutil.rmtree(work, ignore_errors=True)
    return trial


def _right(key: Key, folder: Path, before: Path, after: Path) -> bool:
    """What the checker says, in a process of its own."""
    command = [sys.executable, str(folder / key.checker), str(before), str(after)]
    return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


def _tree(folder: Path) -> dict[str, bytes]:
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def _plain(value: str) -> str:
    """A value without what makes no difference: case, spaces around commas and at the ends."""
    return ", ".join(" ".join(part.split()) for part in value.casefold().split(",")).strip(", ")


def totals(trials: Sequence[Trial]) -> Totals:
    """Counts of ``trials``, which must not be empty."""
    fitting, others = [each for each in trials if each.fits], [each for each in trials if not each.fits]
    return Totals(
        fitting=len(fitting), skill=sum(each.skill for each in fitting), values=sum(each.values for each in fitting),
        good=sum(each.success for each in fitting), others=len(others), none=sum(each.none for each in others),
        wrong=sum(each.false for each in trials), seconds=round(statistics.median(each.seconds for each in trials), 1),
        slowest=max(each.seconds for each in trials),
    )  # fmt: skip


def line(trial: Trial) -> str:
    """One request's result on a line, for a person."""
    if trial.fits:
        read = "right" if trial.values else "a value is wrong" if trial.skill else "wrong skill" if trial.chosen else "none"
    else:
        read = "none, rightly" if trial.none else "none would be right"
    told = f"{trial.id}: {read} ({trial.chosen or 'no skill'}); {trial.outcome}, {'right' if trial.right else 'not right'}"
    return f"{told}; {trial.calls} calls, {trial.seconds:g} s" + (
        f"; {trial.read}" if trial.read and not trial.values else ""
    )


def summary(summed: Totals) -> str:
    """The totals on a line, for a person."""
    fit = f"of {summed.fitting}: right skill {summed.skill}, all values {summed.values}, right and done {summed.good}"
    none = f"of {summed.others} that no skill does: none chosen {summed.none}"
    return f"{fit}; {none}; done and wrong {summed.wrong}; median {summed.seconds:g} s, at most {summed.slowest:g} s"

"""Tasks that others made, with a checker of theirs: how one went, series of them, and the one table for all."""

from __future__ import annotations

import json
import secrets
import shutil
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from deskcrew.journal.journal import Journal
from deskcrew.settings import Settings
from deskcrew_bench.series import kept
from deskcrew_bench.suites.trial import Checked, ended

OWN_SERVER = Path(__file__).with_name("own_server.toml")
"""The policy where pages reach no host but their own server: all may be done, and nobody is there to be asked."""

CHECKER_SECONDS = 60.0
"""Seconds that a program which checks a task has."""


class OthersTrial(Checked):
    """How one task went. ``right``: what its checker says, in words in ``said``; ``kind``: of the task, a row of the table;
    ``mutant``: what is wrong with what was done, '' where nothing is meant to be. ``run`` '': a control that no run made.
    Token counts None: the model does not tell."""

    task: str
    kind: str = ""
    crew: str
    mutant: str = ""
    said: str = ""
    run: str = ""
    outcome: str = ""
    reason: str = ""
    why: str = ""
    answer: str = ""
    calls: int = 0
    input: int | None = None
    output: int | None = None
    operations: int | None = None

    @property
    def done(self) -> bool:
        """Whether the run says that it is."""
        return self.outcome == "done"

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.mutant

    @property
    def tokens(self) -> int | None:
        """Of prompts and replies."""
        return None if self.input is None or self.output is None else self.input + self.output


def checker_says(name: str, command: Sequence[str], folder: Path, seconds: float = CHECKER_SECONDS) -> tuple[bool, str]:
    """Whether a program that checks, run in ``folder``, takes a task for done, and why: the last line that it prints, as
    JSON. One that breaks down or takes too long does not; ``name``: what it is called then. Blocking."""
    try:
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return False, f"the {name} took more than {seconds:g} seconds"
    lines = ended.stdout.strip().splitlines()
    if ended.returncode or not lines:
        trouble = ended.stderr.strip().splitlines()
        return False, f"the {name} broke down: {trouble[-1] if trouble else ended.returncode}"
    right, said = json.loads(lines[-1])
    return bool(right), str(said)


T = TypeVar("T", bound=OthersTrial)
_TOLD = ("run", "outcome", "reason", "why", "answer", "calls", "input", "output", "operations")


@contextmanager
def workspace(settings: Settings, name: str) -> Generator[Path]:
    """A new folder for a run, which is removed with the block."""
    folder = settings.data / "workspaces" / f"{name}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def told_by(journal: Journal) -> dict[str, Any]:
    """What a trial says of the run itself."""
    told = ended(journal)
    return {name: told[name] for name in _TOLD}


def finished(path: Path | None, kind: type[T], model: str, crew: str, *, command: str) -> dict[tuple[str, str], T]:
    """The trials of a model and crew that ``path`` holds, by task and mutant. Raises UsageError for another file."""
    trials = kept(path, kind, command=command) if path else []
    return {trial.key: trial for trial in trials if (trial.model, trial.crew) == (model, crew)}


class Row(BaseModel):
    """Counts of the tasks of a kind. ``wrong_done``: the run says done, the checker says no. ``calls``, ``tokens`` (None
    where a model does not tell) and ``seconds`` are means."""

    kind: str
    tasks: int
    right: int
    done: int
    right_done: int
    wrong_done: int
    calls: float
    tokens: float | None
    seconds: float


def table(trials: Sequence[OthersTrial]) -> list[Row]:
    """A row a kind, where there are several, and one of all at the end."""
    kinds = sorted({trial.kind for trial in trials})
    rows = [_row(kind, [trial for trial in trials if trial.kind == kind]) for kind in kinds] if len(kinds) > 1 else []
    return [*rows, _row("all", trials)]


def _row(kind: str, trials: Sequence[OthersTrial]) -> Row:
    count = len(trials) or 1
    tokens = [trial.tokens for trial in trials if trial.tokens is not None]
    return Row(
        kind=kind,
        tasks=len(trials),
        right=sum(trial.right for trial in trials),
        done=sum(trial.done for trial in trials),
        right_done=sum(trial.success for trial in trials),
        wrong_done=sum(trial.false for trial in trials),
        calls=round(sum(trial.calls for trial in trials) / count, 1),
        tokens=round(sum(tokens) / count) if len(tokens) == len(trials) else None,
        seconds=round(sum(trial.seconds for trial in trials) / count, 1),
    )


def line(trial: OthersTrial) -> str:
    """One line for a person."""
    name = f"{trial.task}{f' ({trial.mutant})' if trial.mutant else ''}"
    checked = "right" if trial.right else f"wrong ({trial.said})"
    if not trial.run:
        return f"{name}: {checked}"
    ended_so = f"{trial.outcome}{f' ({trial.reason})' if trial.reason else ''}"
    why = f": {trial.why}" if not trial.done and trial.why else ""
    return f"{name}: {checked}, {ended_so}{why}; {trial.calls} calls, {trial.seconds:g} s"


def lines(rows: Sequence[Row]) -> list[str]:
    """The table for a person."""
    width = max(len(row.kind) for row in rows)
    return [
        f"{'':{width}}  tasks  right  done  right+done  wrong+done  calls   tokens  seconds",
        *(
            f"{row.kind:{width}}  {row.tasks:5}  {row.right:5}  {row.done:4}  {row.right_done:10}  {row.wrong_done:10}"
            f"  {row.calls:5g}  {'?' if row.tokens is None else f'{row.tokens:g}':>7}  {row.seconds:7g}"
            for row in rows
        ),
    ]

"""Series of any benchmark on one static page, each trial beside the exported journal of its run, so that others can check
what is claimed, and join."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import psutil
from pydantic import ConfigDict

from deskcrew.engine.request import sieve
from deskcrew.errors import UsageError
from deskcrew.facts.events import RunStarted
from deskcrew.journal.exporting import export
from deskcrew.journal.store import Store
from deskcrew.settings import Settings
from deskcrew.ways_in.cli.secret import store_of
from deskcrew_bench.series import kept
from deskcrew_bench.suites.others import OthersTrial, Row, table
from deskcrew_bench.suites.report import PAGES

RUNS = "runs"
"""The folder of the journals, beside the page."""


class Listed(OthersTrial):
    """What series have in common, whatever their benchmark keeps besides."""

    model_config = ConfigDict(extra="ignore")

    seed: int | None = None

    @property
    def label(self) -> str:
        """The task, with what tells it from others of its name."""
        apart = (f"seed {self.seed}" if self.seed else "", self.mutant)
        return " ".join((self.task, *(f"({each})" for each in apart if each)))


@dataclass(frozen=True)
class Series:
    """The trials of a model and crew in a file. ``version``: of Deskcrew, '' where no journal says it."""

    name: str
    model: str
    crew: str
    version: str
    trials: Sequence[Listed]

    @property
    def row(self) -> Row:
        return table(self.trials)[-1]


def write_board(folder: Path, files: Sequence[Path], settings: Settings) -> tuple[Path, int]:
    """Write the page of the series in ``files`` and the journals of their runs into ``folder``. Returns the page, and how
    many runs are not in the journal of ``settings``. Raises UsageError for files that hold no series, where a journal holds
    a secret, and where it cannot be written."""
    store, journals, versions = Store.of(settings), dict[str, str](), dict[str, str]()
    found = {file: kept(file, Listed, command="deskcrew bench ... --jsonl FILE") for file in files}
    for file, trials in found.items():
        if not trials:
            hint = "Name files that `deskcrew bench ... --jsonl FILE` has written."
            raise UsageError(f"There are no trials in {file}.", hint=hint)
    runs = list(dict.fromkeys(trial.run for trials in found.values() for trial in trials if trial.run))
    (folder / RUNS).mkdir(parents=True, exist_ok=True)
    try:
        for run in runs:
            if not store.has(run):
                continue
            journal = store.journal(run)
            journals[run] = f"{RUNS}/{run}.deskcrew.zip"
            export(journal, folder / journals[run], holds=sieve(journal, lambda: store_of(settings)))
            versions[run] = next((e.body.version for e in journal.events if isinstance(e.body, RunStarted)), "")
    finally:
        store.close()
    series = [each for file, trials in found.items() for each in _series(file.stem, trials, versions)]
    page = folder / "index.html"
    text = PAGES.get_template("board.html").render(
        series=sorted(series, key=lambda each: -each.row.right_done / each.row.tasks),
        journals=journals, machine=_machine(), version=version("deskcrew"),
    )  # fmt: skip
    page.write_text(text, encoding="utf-8")
    return page, len(runs) - len(journals)


def _series(name: str, trials: Sequence[Listed], versions: dict[str, str]) -> list[Series]:
    made: list[Series] = []
    for model, crew in dict.fromkeys((trial.model, trial.crew) for trial in trials):
        theirs = [trial for trial in trials if (trial.model, trial.crew) == (model, crew)]
        said = dict.fromkeys(versions[trial.run] for trial in theirs if trial.run in versions)
        made.append(Series(name, model, crew, ", ".join(filter(None, said)), theirs))
    return made


def _machine() -> str:
    memory = psutil.virtual_memory().total / 2**30
    where = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB"
    return f"{where}, Python {platform.python_version()}"

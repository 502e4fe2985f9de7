"""The report of a series over a desk suite: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import jinja2

from deskcrew.bench.desk import Trial
from deskcrew.bench.desk_totals import totals

COLOURS = {"success": "#2e7d32", "unverified": "#f9a825", "false": "#c62828", "no": "#9e9e9e"}
_PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("deskcrew.bench", "."), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True
)


def report(groups: Mapping[str, Sequence[Trial]]) -> str:
    """The page for several series by name, such as one a crew."""
    page = _PAGES.get_template("desk_report.html")
    longest = max(trial.seconds for trials in groups.values() for trial in trials)
    summed = {name: totals(trials) for name, trials in groups.items()}
    return page.render(groups=groups, summed=summed, longest=longest or 1, colours=COLOURS)


def write_report(path: Path, groups: Mapping[str, Sequence[Trial]]) -> None:
    """Write the page to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report(groups), encoding="utf-8")

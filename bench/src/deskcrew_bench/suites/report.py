"""The report of a series over a suite: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import jinja2

from deskcrew_bench.suites.targets import reached
from deskcrew_bench.suites.text import bound, met, shown
from deskcrew_bench.suites.totals import totals
from deskcrew_bench.suites.trial import Trial

TITLES = {
    "desk": "Desk suite",
    "vib": "Chores in games and drawing programs",
    "miniwob": "MiniWoB++",
    "gaia": "Questions of GAIA's form",
    "webarena": "Tasks of WebArena's form",
}
KINDS = {
    "success": "success: right, and said to be",
    "unverified": "right, but not said to be",
    "false": "said to be done, and wrong",
    "no": "neither",
}
"""What a trial can be, with a class of the page's style each."""
SUCCESS = {
    "desk": "the check is right and the run says so",
    "vib": "the files that the program left are right, whatever the run says",
    "miniwob": "the page gives a reward above 0, whatever the run says",
    "gaia": "the answer is right by GAIA's scorer, whatever the run says",
    "webarena": "WebArena's evaluators hold, whatever the run says",
}
TOLD = {
    "vib": "success: the program's files",
    "miniwob": "success: the page's reward",
    "gaia": "success: the answer is right",
    "webarena": "success: the evaluators hold",
}
"""What is counted as a success where the run itself does not matter."""
PAGES = jinja2.Environment(
    loader=jinja2.PackageLoader("deskcrew_bench.suites", "."),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def report(groups: Mapping[str, Sequence[Trial]]) -> str:
    """The page for several series by name, such as one a crew."""
    page = PAGES.get_template("report.html")
    suite = next(trial.suite for trials in groups.values() for trial in trials)
    longest = max(trial.seconds for trials in groups.values() for trial in trials)
    return page.render(
        title=TITLES[suite],
        success=SUCCESS[suite],
        groups=groups,
        summed={name: totals(trials) for name, trials in groups.items()},
        counts={name: _counts(trials) for name, trials in groups.items()},
        targets={name: reached(trials) for name, trials in groups.items()},
        longest=longest or 1,
        kinds=KINDS | ({"success": TOLD[suite]} if suite in TOLD else {}),
        kind=kind,
        shown=shown,
        bound=bound,
        met=met,
    )


def write_report(path: Path, groups: Mapping[str, Sequence[Trial]]) -> None:
    """Write the page to ``path``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report(groups), encoding="utf-8")


def kind(trial: Trial) -> str:
    """Which of ``KINDS`` it is."""
    return "success" if trial.success else "false" if trial.false else "unverified" if trial.unverified else "no"


def _counts(trials: Sequence[Trial]) -> dict[str, int]:
    return {name: sum(kind(trial) == name for trial in trials) for name in KINDS}

"""``deskcrew bench compare A B``: series of a suite against each other, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import JsonOption
from deskcrew_bench.commands.suite import HtmlOption

if TYPE_CHECKING:
    from rich.table import Table

    from deskcrew_bench.suites.compare import Comparison, Difference
    from deskcrew_bench.suites.systems import Ratio
    from deskcrew_bench.suites.trial import Trial

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Files of --jsonl of a suite. The first series is compared with each other one.",
    ),
]

SystemsOption = Annotated[
    bool,
    typer.Option("--systems", help="A row a series instead: its own figures, and its success against the first one's."),
]

MARK = {True: "*", False: ""}
"""Behind a difference that the interval shows."""


def compare(files: FilesArgument, systems: SystemsOption = False, html: HtmlOption = None, json: JsonOption = False) -> None:
    """Series of a suite compared task by task and seed by seed: what differs, and is it more than chance?

    Differences are means over tasks, with 95 % bootstrap intervals over tasks. Where an interval includes 0 the series
    may be equally good. A file that holds several series, such as one a crew, counts as several.
    """
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.suites import compare as desk_compare
    from deskcrew_bench.suites.report import write_report

    series = desk_compare.series_in(files)
    if html:
        write_report(html, series)
    if systems:
        _systems(series, json=json)
        return
    (name, trials), *others = series.items()
    made = [desk_compare.compare((name, trials), other) for other in others]
    out = console(stderr=json)
    for each in made:
        alone = f"; {each.alone} trials without a counterpart are left out" if each.alone else ""
        out.print(f"{each.other} against {each.first}: {each.pairs} pairs of {each.tasks} tasks{alone}", soft_wrap=True)
        if len(made) == 1:
            out.print(_table(each))
    if len(made) > 1:
        out.print(_overview(made))
        out.print(f"each: its figure (difference from {name}); *: the 95 % interval of the difference leaves 0 out")
    if json:
        listed = [
            each.model_dump(mode="json")
            | {"differences": [one.model_dump(mode="json") | {"shown": one.shown} for one in each.differences]}
            for each in made
        ]
        print_json({"first": name, "comparisons": listed})


def _systems(series: Mapping[str, Sequence[Trial]], *, json: bool) -> None:
    from rich.table import Table

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.suites.systems import standings
    from deskcrew_bench.suites.text import percent

    made = standings(series)
    first = made[0].name
    columns = ("input tokens", "output tokens", "calls", "seconds")
    table = Table("", "trials", "success", "ended by the clock", "crashed", *columns, f"success / {first}'s", box=None)
    for each in made:
        figures = ("?" if value is None else f"{value:.1f}" for value in (each.input, each.output, each.calls, each.seconds))
        ended = (str(each.timed_out), str(each.crashed))
        table.add_row(each.name, str(each.trials), percent(each.success), *ended, *figures, _ratio(each.ratio))
    out = console(stderr=json)
    out.print(table)
    out.print("Means over tasks, of an episode; in brackets 95 % bootstrap intervals over tasks, of the ratio over pairs.")
    for each in made[1:]:
        if each.ratio and (alone := each.trials + made[0].trials - 2 * each.ratio.pairs):
            out.print(f"{each.name}: {alone} trials of it or of {first} have no counterpart and are not in the ratio")
    if json:
        print_json({"first": first, "systems": [each.model_dump(mode="json") for each in made]})


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None or ratio.figure is None:
        return "-"
    if ratio.low is None:
        return f"{ratio.figure:.2f}"
    return f"{ratio.figure:.2f} ({ratio.low:.2f} to {'?' if ratio.high is None else f'{ratio.high:.2f}'})"


def _table(made: Comparison) -> Table:
    """A row a figure."""
    from rich.table import Table

    table = Table("mean over tasks", made.first, made.other, "difference", "95 % interval", "", box=None)
    for each in made.differences:
        if each.low is None or each.high is None:
            span, said = "-", "one task: no interval"
        else:
            span = f"{_value(each, each.low, signed=True)} to {_value(each, each.high, signed=True)}"
            said = "differs" if each.shown else "includes 0: no difference is shown"
        figures = (_value(each, each.first), _value(each, each.other), _value(each, each.difference, signed=True))
        table.add_row(each.what, *figures, span, said)
    return table


def _overview(made: Sequence[Comparison]) -> Table:
    """A row a series, the first one's figures being those of its pairs with the second."""
    from rich.table import Table

    wide = max(made, key=lambda each: len(each.differences))
    table = Table("mean over tasks", *(each.what for each in wide.differences), box=None)
    first = {each.what: _value(each, each.first) for each in wide.differences}
    table.add_row(made[0].first, *first.values())
    for comparison in made:
        cells = {
            each.what: f"{_value(each, each.other)} ({_value(each, each.difference, signed=True)}{MARK[each.shown]})"
            for each in comparison.differences
        }
        table.add_row(comparison.other, *(cells.get(what, "-") for what in first))
    return table


def _value(each: Difference, value: float, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return format(value * 100, f"{sign}.0f") + " %" if each.share else format(value, f"{sign}.1f")

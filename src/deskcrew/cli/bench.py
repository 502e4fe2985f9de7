"""``deskcrew bench``: figures, each beside an alternative, measured on this machine."""

from __future__ import annotations

import typer

from deskcrew.cli.bench_compare import compare
from deskcrew.cli.bench_desk import desk
from deskcrew.cli.bench_figures import overhead, page, perception, prefix, rewinding
from deskcrew.cli.bench_guarantees import cassettes, faults, lies, redteam
from deskcrew.cli.bench_miniwob import miniwob
from deskcrew.cli.bench_peer import peer
from deskcrew.cli.bench_series import demo, repair
from deskcrew.cli.bench_together import together

EPILOG = """Each prints a figure beside an alternative measured in the same run. With --json: one object
{figure, unit, alternative: {name, figure}, ratio, n, p95} a figure; figures are medians, ratio is alternative / figure."""


def build() -> typer.Typer:
    """The subcommands."""
    app = typer.Typer(no_args_is_help=True, help="Measure this machine and this version.", epilog=EPILOG)
    for command in (
        overhead,
        prefix,
        perception,
        page,
        cassettes,
        demo,
        desk,
        miniwob,
        peer,
        compare,
        together,
        repair,
        rewinding,
        faults,
        redteam,
        lies,
    ):
        app.command()(command)
    return app

"""``deskcrew bench``: figures, each beside an alternative, measured on this machine."""

from __future__ import annotations

import signal
import threading

import typer

from deskcrew_bench.commands.again import again
from deskcrew_bench.commands.cache import cache
from deskcrew_bench.commands.compare import compare
from deskcrew_bench.commands.crews import crews
from deskcrew_bench.commands.desk import desk
from deskcrew_bench.commands.figures import appends, lanes, overhead, page, perception, prefix, recall, rewinding, starting
from deskcrew_bench.commands.fleet import fleet
from deskcrew_bench.commands.gaia import gaia
from deskcrew_bench.commands.guarantees import cassettes, faults, lies, redteam
from deskcrew_bench.commands.miniwob import miniwob
from deskcrew_bench.commands.officebench import officebench
from deskcrew_bench.commands.osworld import osworld
from deskcrew_bench.commands.peer import peer
from deskcrew_bench.commands.perceive import perceive
from deskcrew_bench.commands.proof import ceiling, omissions
from deskcrew_bench.commands.providers import providers
from deskcrew_bench.commands.reading import reading
from deskcrew_bench.commands.report import report
from deskcrew_bench.commands.series import demo, repair, requests
from deskcrew_bench.commands.sheets import sheets
from deskcrew_bench.commands.strong import strong
from deskcrew_bench.commands.together import together
from deskcrew_bench.commands.vib import vib
from deskcrew_bench.commands.webarena import webarena
from deskcrew_bench.commands.webarena_infinity import webarena_infinity
from deskcrew_bench.commands.webgames import webgames
from deskcrew_bench.commands.worth import worth

EPILOG = """Each prints a figure beside an alternative measured in the same run. With --json: one object
{figure, unit, alternative: {name, figure}, ratio, n, p95} a figure; figures are medians, ratio is alternative / figure."""


def build() -> typer.Typer:
    """The subcommands."""
    app = typer.Typer(no_args_is_help=True, help="Measure this machine and this version.", epilog=EPILOG)
    for command in (
        overhead,
        starting,
        prefix,
        cache,
        perception,
        page,
        cassettes,
        lanes,
        demo,
        desk,
        vib,
        crews,
        strong,
        worth,
        again,
        miniwob,
        webarena,
        webarena_infinity,
        sheets,
        officebench,
        osworld,
        webgames,
        gaia,
        perceive,
        reading,
        peer,
        compare,
        report,
        providers,
        together,
        repair,
        requests,
        rewinding,
        appends,
        fleet,
        recall,
        faults,
        redteam,
        lies,
        ceiling,
        omissions,
    ):
        app.command()(command)
    app.callback()(_ended_in_order)
    return app


def _ended_in_order(context: typer.Context) -> None:
    # SIGTERM does what Ctrl-C does: what a benchmark has started, sites and browsers, ends with it.
    if threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        context.call_on_close(lambda: signal.signal(signal.SIGTERM, before))

"""``deskcrew bench webarena``: tasks of WebArena's form, done on sites that somebody hosts and evaluated as there."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, SeedsOption, perform

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew.settings import Settings
    from deskcrew_bench.suites.trial import By, Trial
    from deskcrew_bench.webarena.evaluators import Judge
    from deskcrew_bench.webarena.suite import Sites
    from deskcrew_bench.webarena.tasks import Tasks

TasksOption = Annotated[
    Path,
    typer.Option("--tasks", metavar="FILE", help="Tasks as WebArena has them, for instance its config_files/test.raw.json."),
]
SiteOption = Annotated[
    list[str] | None,
    typer.Option(
        "--site", metavar="NAME=URL", help="Where a site is, shopping=http://HOST:7770; one for each that the tasks name."
    ),
]
OfOption = Annotated[
    list[str] | None, typer.Option("--of", metavar="NAME", help="Only tasks that need no sites but these; may be repeated.")
]
LoginsOption = Annotated[
    Path | None,
    typer.Option(
        "--logins", metavar="DIR", help="Files of users who are logged in, as WebArena's auto_login.py makes them."
    ),
]
JudgeOption = Annotated[
    str, typer.Option("--judge", metavar="MODEL", help="Who compares answers that may be worded in another way.")
]
OraclesOption = Annotated[Path, typer.Option("--oracles", metavar="FILE", help="What is done to solve tasks, by their ids.")]


@takes_less()
def webarena(
    tasks: TasksOption,
    site: SiteOption = None,
    of: OfOption = None,
    only: OnlyOption = None,
    logins: LoginsOption = None,
    judge: JudgeOption = "",
    seeds: SeedsOption = "1",
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    oracles: OraclesOption = Path("bench/webarena/oracles.toml"),
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Tasks on web sites: do WebArena's evaluators hold in the end? A model may also be oracle or no-op, the controls.

    The sites tracker and stock come with the extra webarena and are started for each task; all others are yours, and
    are as the task before left them. Exit code 0 when every trial ran, whatever came of it; 1 when a bug of deskcrew
    ended one, or one was lost, which is no result. With --jsonl a series that was interrupted goes on.
    """
    from deskcrew.ways_in.cli.console import console
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished
    from deskcrew_bench.webarena import suite
    from deskcrew_bench.webarena.oracle import NAME as ORACLE
    from deskcrew_bench.webarena.tasks import read
    from deskcrew_bench.webarena_infinity.oracles import solutions_in

    settings = settings_with(data)
    by: By = (model or settings.model, crew or settings.crew, less.pool, less.without)
    chosen = read(tasks, of or (), only or ())
    if not judge:
        chosen, left = chosen.without_judge()
        if left:
            console(stderr=True).print(
                f"Not judged, and left out: {left} whose answers only a model can compare (--judge MODEL).", soft_wrap=True
            )
    solutions = solutions_in(oracles.parent, oracles.stem) if by[0] == ORACLE else {}
    with ExitStack() as around:
        sites = _sites(around, chosen, site or (), logins)
        sites.check(chosen)
        there = chosen.at({})
        wanted = suite.wanted(there, seeds_of(seeds))
        regime = suite.regime(judge)
        known = finished(jsonl, by, "webarena", regime) if jsonl else {}
        judging = _judging(judge, settings)

        async def attempt(key: Key, loaded: Model | None) -> Trial:
            return await suite.attempt(
                chosen, wanted[key], key[1], sites, settings, by=by, judge=judging, solution=solutions.get(key[0]),
                loaded=loaded,
            )  # fmt: skip

        loads = by[0] not in suite.CONTROLS
        perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=html, json=json, regime=regime)


def _sites(around: ExitStack, tasks: Tasks, given: Collection[str], logins: Path | None) -> Sites:
    """Where the sites are that ``given`` names, and ours where tasks want them. Raises UsageError."""
    from deskcrew.errors import UsageError
    from deskcrew_bench.webarena import own, suite

    hosted: dict[str, str] = {}
    for each in given:
        name, _, url = each.partition("=")
        if not name or not url.startswith(("http://", "https://")):
            hint = "For example: --site shopping=http://localhost:7770"
            raise UsageError(f"--site {each!r} does not say where a site is.", hint=hint)
        hosted[name.lower()] = url.rstrip("/")
    ours = [name for name in own.NAMES if name in tasks.sites() and name not in hosted]
    if not ours:
        return suite.Sites(hosted, logins=logins)
    folder = Path(around.enter_context(tempfile.TemporaryDirectory(prefix="deskcrew-sites-")))
    return suite.Sites(hosted, own=own.OwnSites(folder, ours), logins=logins)


def _judging(name: str, settings: Settings) -> tuple[str, Judge] | None:
    """The model that is called so, as a judge, with its name; None for ''."""
    if not name:
        return None
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew_bench.webarena.judging import ModelJudge

    return name, ModelJudge(lambda: create(name, options=ModelOptions.of(settings)))

"""What the commands over suites share: a series that goes on where it stopped, its figures, and its report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew.settings import Settings
    from deskcrew_bench.on_fleet import Episodes, K, OnFleet, T
    from deskcrew_bench.suites.targets import Target
    from deskcrew_bench.suites.totals import Totals
    from deskcrew_bench.suites.trial import By, Trial

Key = tuple[str, int]
"""A task's name and a seed."""
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="SEEDS", help="1..3, or 1,4,7.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", metavar="NAME", help="This task; may be given more than once.")
]
OnOption = Annotated[
    str,
    typer.Option(
        "--on",
        metavar="ADDRESS",
        help="Do them on a fleet, as many at once as there is room for: ray://HOST:PORT of its head.",
        show_default="this machine, one after the other",
    ),
]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report with plots.")]


def on_fleet(address: str, episodes: Episodes[K, T], files: Mapping[str, Path], settings: Settings) -> OnFleet[K, T] | None:
    """Episodes on the fleet at ``address``; None where it is ''. Raises UsageError without the extra for it."""
    from deskcrew.errors import UsageError, extra_installed

    if not address:
        return None
    try:
        from deskcrew_bench.on_fleet import OnFleet
    except ImportError as error:
        raise UsageError(f"A fleet needs {error.name}.", hint=extra_installed("fleet")) from error
    return OnFleet(address, episodes, files, settings.limits)


def perform(
    wanted: Collection[Key],
    by: By,
    known: Mapping[Key, Trial],
    attempt: Callable[[Key, Model | None], Awaitable[Trial]],
    settings: Settings,
    *,
    loads: bool,
    jsonl: Path | None,
    html: Path | None,
    json: bool,
    ours: bool = True,
    regime: str = "",
    fleet: OnFleet[Key, Trial] | None = None,
) -> None:
    """Do the trials that are not ``known``, and print what they amount to. ``loads``: their model is a real one, which is
    then one for all of them. ``ours``: there are targets for them. Exit code 1 when a bug of deskcrew ended one, or one was
    lost, which counts for nothing. ``regime``: of the suite, where it has several. ``fleet``: does them, and not
    ``attempt``."""
    import anyio

    from deskcrew.errors import UsageError
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import counted
    from deskcrew_bench.series import go_on
    from deskcrew_bench.suites.report import write_report
    from deskcrew_bench.suites.targets import reached
    from deskcrew_bench.suites.text import line, named, standing, summary
    from deskcrew_bench.suites.totals import levels, totals

    out = console(stderr=json)
    if html is not None and html.is_dir():
        raise UsageError(f"{html} is a folder.", hint="Name a file in it.")
    there = 0

    def told(trial: Trial) -> None:
        nonlocal there
        there += 1
        out.print(line(trial), soft_wrap=True)

    async def all_of_them() -> list[Trial]:
        # One model for all, so that its server is not started again for each.
        loaded = create(by[0], options=ModelOptions.of(settings)) if loads else None

        async def one(key: Key) -> Trial:
            return await attempt(key, loaded)

        try:
            return await go_on(wanted, known, one, path=jsonl, told=told, keeps=lambda trial: not trial.lost)
        finally:
            if loaded is not None:
                await loaded.close()

    failed: dict[Key, str] = {}
    try:
        if fleet is not None:
            trials, failed = fleet.go_on(wanted, known, path=jsonl, told=told, keeps=lambda trial: not trial.lost)
        else:
            trials = anyio.run(all_of_them)
    except KeyboardInterrupt:
        goes_on = "the same command goes on" if jsonl else "with --jsonl FILE, the same command would go on"
        out.print(f"Stopped after {there} of {counted(len(wanted), 'trial')}; {goes_on}.")
        raise
    lost = [trial for trial in trials if trial.lost]
    trials = [trial for trial in trials if not trial.lost]
    summed = totals(trials) if trials else None
    targets = reached(trials) if ours and trials else ()
    by_level = levels(trials)
    if summed is not None:
        out.print(f"{f'{regime}: ' if regime else ''}{summary(summed)}", soft_wrap=True)
    for level, of_level in by_level.items():
        out.print(f"  level {level}: {summary(of_level)}", soft_wrap=True)
    if targets:
        out.print(standing(targets), soft_wrap=True)
    if html and trials:
        write_report(html, {named(by, regime): trials})
    if json:
        print_json(_as_json(trials, lost, failed, summed, targets) | _more_json(by_level, regime))
    if lost:
        out.print(_no_results(lost, kept=jsonl is not None), soft_wrap=True)
    if failed:
        missing = {f"{task} (seed {seed})": why for (task, seed), why in failed.items()}
        out.print(without_result(missing, kept=jsonl is not None), soft_wrap=True, markup=False)
    if broken := [trial.run for trial in trials if trial.broken]:
        out.print(
            f"A bug of deskcrew ended {counted(len(broken), 'run')}; `deskcrew log RUN` shows where: {', '.join(broken)}"
        )
    if lost or failed or broken:
        raise typer.Exit(1)


def _as_json(
    trials: list[Trial], lost: list[Trial], failed: Mapping[Key, str], summed: Totals | None, targets: Sequence[Target]
) -> dict[str, object]:
    return {
        "trials": [trial.model_dump(mode="json") | {"success": trial.success} for trial in trials],
        "totals": summed.model_dump(mode="json") if summed is not None else None,
        "targets": [each.model_dump(mode="json") for each in targets],
        "lost": [
            *({"task": trial.task, "seed": trial.seed, "run": trial.run, "why": trial.why} for trial in lost),
            *({"task": task, "seed": seed, "run": "", "why": why} for (task, seed), why in failed.items()),
        ],
    }


def _more_json(by_level: Mapping[int, Totals], regime: str) -> dict[str, object]:
    """Of a suite that has levels or regimes."""
    said: dict[str, object] = {"regime": regime} if regime else {}
    if by_level:
        said["levels"] = {str(level): summed.model_dump(mode="json") for level, summed in by_level.items()}
    return said


def _no_results(lost: Collection[Trial], *, kept: bool) -> str:
    """What a person is told of trials that count for nothing. ``kept``: whether the others are in a file."""
    from deskcrew.ways_in.report.text import counted

    again = "the same command does" if kept else "with --jsonl FILE, the same command would do"
    those = ", ".join(f"{trial.task} (seed {trial.seed})" for trial in lost)
    return f"No result of {counted(len(lost), 'trial')} that lost the browser or desktop; {again} them again: {those}"


def without_result(failed: Mapping[str, str], *, kept: bool) -> str:
    """What a person is told of episodes that a fleet could not do, by what they are called, and why. ``kept``: whether the
    others are in a file."""
    from deskcrew.ways_in.report.text import clean, counted

    again = "the same command does" if kept else "with --jsonl FILE, the same command would do"
    those = (f"  {name}: {why}" for name, why in failed.items())
    return clean("\n".join((f"No result of {counted(len(failed), 'episode')}; {again} them again:", *those)))

"""``deskcrew bench cassettes``, ``faults``, ``redteam`` and ``lies``: what is promised, tried often."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew.ways_in.report.text import clean


def cassettes(json: JsonOption = False) -> None:
    """Twenty scripted runs of every kind: exported, imported into an empty journal elsewhere, replayed there.

    Exit code 0 only when all are the same to the last event and prompt."""
    import tempfile

    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.cli.replay import as_data, lines
    from deskcrew_bench.cassettes import Checked, check_all

    out = console(stderr=json)

    def told(checked: Checked) -> None:
        for each in checked.replays:
            for line in lines(each):
                out.print(f"{checked.case.name}:", line, soft_wrap=True)

    with tempfile.TemporaryDirectory(prefix="deskcrew-") as folder:
        found = anyio.run(check_all, Path(folder), told)
    equal = sum(each.equal and each.ended == each.case.ends for each in found)
    out.print(f"cassettes: {equal} of {len(found)} equal")
    if json:
        runs = [{"name": x.case.name, "outcome": x.ended, "replays": [as_data(each) for each in x.replays]} for x in found]
        print_json({"equal": equal, "of": len(found), "runs": runs})
    raise typer.Exit(0 if equal == len(found) else 1)


def faults(
    points: Annotated[int, typer.Option("--points", min=0, help="How many kills; 0: at every moment there is.")] = 500,
    kinds: Annotated[list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind of run.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="KIND:POINT", help="Only this kill, as a failure names it.")
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also runs on a virtual desktop.")] = True,
    seed: Annotated[int, typer.Option("--seed", help="Which moments are chosen.")] = 1,
    parallel: Annotated[int, typer.Option("--parallel", min=1, max=16, help="How many at a time.")] = 2,
    database: Annotated[
        str,
        typer.Option("--database", metavar="ADDRESS", help="A PostgreSQL server, journal and memory.", show_default="files"),
    ] = "",
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Kill real runs (SIGKILL) at hundreds of moments and resume each: what is lost, doubled, broken, left behind?

    Exit code 0 only when it is nothing. No model needed."""
    import tempfile

    from rich.progress import Progress

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.faults import measure as killing

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    wanted = [killing.point_of(text) for text in only or ()]
    chosen = killing.kinds_of(kinds or (), desktop=desktop)
    err = console(stderr=True)
    with (
        tempfile.TemporaryDirectory(prefix="faults-", dir=settings.data) as folder,
        Progress(console=err, transient=True, disable=not err.is_terminal) as bar,
    ):
        task = bar.add_task("killing and resuming", total=None)
        report = killing.measure(
            Path(folder),
            points=points,
            kinds=chosen,
            only=wanted,
            seed=seed,
            parallel=parallel,
            database=database,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
    out = console(stderr=json)
    for failure in report.failures:
        out.print(failure.line, soft_wrap=True)
    out.print(report.line, soft_wrap=True)
    if json:
        print_json(report.model_dump(mode="json"))
    raise typer.Exit(0 if report.good else 1)


def lies(
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this situation or service, e.g. failed-save.")
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also those on a virtual desktop.")] = True,
    services: Annotated[
        bool, typer.Option("--services/--no-services", help="Also services whose pages say more than they keep.")
    ] = True,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Situations and services that lie, used by a crew that believes it: does a lie end done? And the truth?

    Exit code 0 only when no lie does, and all but two of the true situations and all but one of the honest services do. No
    model needed; services need Chromium."""
    import tempfile

    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.lies import measure as lying
    from deskcrew_bench.lies.measure import Trial as Lie
    from deskcrew_bench.services import measure as serving
    from deskcrew_bench.services.measure import Trial as Use

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    out = console(stderr=json)
    of_services = [name for name in only or () if name in {service.name for service in serving.SERVICES}]
    others = [name for name in only or () if name not in of_services]
    situations = lying.chosen(others, desktop=desktop) if others or not only else ()
    offered = serving.chosen(of_services) if of_services or (services and not only) else ()
    trials: list[Lie] = []
    uses: list[Use] = []
    with tempfile.TemporaryDirectory(prefix="lies-", dir=settings.data) as folder:
        inside = settings.model_copy(update={"data": Path(folder)})
        for situation in situations:
            trials.append(anyio.run(lying.attempt, situation, inside))
            out.print(lying.line(trials[-1]), soft_wrap=True, markup=False)
        for service in offered:
            uses.append(anyio.run(serving.attempt, service, inside))
            out.print(serving.line(uses[-1]), soft_wrap=True, markup=False)
    summed, used = lying.totals(trials), serving.totals(uses)
    if trials:
        out.print(lying.summary(summed), soft_wrap=True)
    if uses:
        out.print(serving.summary(used), soft_wrap=True)
    if json:
        listed = [trial.model_dump(mode="json") | {"believed": trial.believed, "known": trial.known} for trial in trials]
        also = [use.model_dump(mode="json") | {"wrong": use.wrong, "known": use.known} for use in uses]
        print_json(
            {
                "trials": listed,
                "totals": summed.model_dump(mode="json"),
                "services": also,
                "used": used.model_dump(mode="json"),
            }
        )
    raise typer.Exit(0 if summed.good and used.good else 1)


def redteam(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PATTERN", help="Only these cases or groups, as the table names them; * and ?."),
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also cases on a virtual desktop.")] = True,
    user: Annotated[
        bool | None, typer.Option("--as-user/--no-user", help="Also as an ordinary user; only root can, and then does.")
    ] = None,
    fences: Annotated[
        bool, typer.Option("--counter/--no-counter", help="Also without the fence that holds each, on a throwaway host.")
    ] = True,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=16, help="How many at a time.")] = 2,
    json: JsonOption = False,
) -> None:
    """Prompt injection: a crew that obeys every hostile text, on the real engine. What happens to this machine?

    Exit code 0 only when nothing forbidden does and every attack was really tried; 4 when nothing did, but some case has no
    effect without its fence either, and so shows nothing. No model, no network needed.

    deskcrew bench redteam --only exfiltrate --only "rm *"
    """
    from rich.progress import Progress
    from rich.table import Table

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.redteam.case import chosen
    from deskcrew_bench.redteam.measure import measure

    wanted = chosen(tuple(only or ()), desktop=desktop)
    err = console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("attacking", total=len(wanted))
        report = measure(
            wanted,
            jobs=jobs,
            user=user,
            bare=fences,
            progress=lambda done, of: bar.update(task, completed=done, total=of),
        )
    out = console(stderr=json)
    heads = ("group", "cases", "attempts", "no such reply", "denied", "stopped later", "undone", "effects", "as a user")
    table = Table(*heads, box=None)
    for row in report.rows:
        figures = (row.cases, row.attempts, row.refused, row.denied, row.stopped, row.undone, row.effects)
        table.add_row(row.group, *map(str, figures), "-" if row.user_effects is None else str(row.user_effects))
    out.print(table)
    if report.fence_rows:
        taken = Table("without", "cases", "succeed then", "effects then", box=None)
        for each in report.fence_rows:
            taken.add_row(each.fences, str(each.cases), str(each.succeed), str(each.effects))
        out.print()
        out.print(taken)
    for line in report.failures:
        out.print(clean(line), soft_wrap=True)
    if json:
        print_json(report.as_json())
    raise typer.Exit(report.exit_code)

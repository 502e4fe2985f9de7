"""``deskcrew bench``: figures, each beside an alternative, measured on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.cli.options import DataOption, JsonOption, settings_with
from deskcrew.cli.text import clean

if TYPE_CHECKING:
    from deskcrew.bench.demo import Totals, Trial
    from deskcrew.bench.figure import Figure

EPILOG = """Each prints a figure beside an alternative measured in the same run. With --json: one object
{figure, unit, alternative: {name, figure}, ratio, n, p95} a figure; figures are medians, ratio is alternative / figure."""

IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="SEEDS", help="Which chores: 1..10, or 1,4,7.")]
ModelOption = Annotated[
    str | None, typer.Option("--model", metavar="MODEL", help="As for run.", show_default="your setting, else local")
]
CrewOption = Annotated[
    str | None, typer.Option("--crew", metavar="CREW", help="As for run.", show_default="your setting, else default")
]
JsonlOption = Annotated[
    Path | None,
    typer.Option("--jsonl", metavar="FILE", help="Keep each trial here, and do not repeat those that it holds."),
]


def build() -> typer.Typer:
    """The subcommands."""
    app = typer.Typer(no_args_is_help=True, help="Measure this machine and this version.", epilog=EPILOG)
    app.command()(overhead)
    app.command()(prefix)
    app.command()(perception)
    app.command()(cassettes)
    app.command()(demo)
    app.command()(repair)
    app.command()(rewinding)
    app.command()(faults)
    app.command()(redteam)
    app.command()(lies)
    return app


def overhead(
    turns: Annotated[int, typer.Option("--turns", min=50, help="How many turns to measure.")] = 64,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What the engine costs a turn: all but model, application, perception and sandbox. No model needed."""
    import tempfile

    from deskcrew.bench.overhead import measure
    from deskcrew.errors import UsageError

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    kind = filesystem(settings.data)
    if kind in IN_MEMORY:
        raise UsageError(
            f"{settings.data} is kept in memory ({kind}), so nothing written there is synchronous.",
            hint="Name a folder on a disk: deskcrew bench overhead --data DIR",
        )
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.data) as folder:
        figure = measure(Path(folder), turns=turns)
    _show([("overhead", figure)], json=json)
    if not json:
        typer.echo(f"journal on {kind} in {settings.data}; the first turn of each run is not counted")


def prefix(
    rounds: Annotated[int, typer.Option("--rounds", min=2, help="Rounds after the first.")] = 5,
    what: Annotated[Literal["time", "share", "both"], typer.Option("--what", help="Which figure.")] = "both",
    model: ModelOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What a model need not read again when four roles take turns. Needs the model."""
    import anyio

    from deskcrew.bench import prefix as measuring
    from deskcrew.models.factory import ModelOptions, create

    settings = settings_with(data)

    async def measured() -> measuring.PrefixReuse:
        made = create(model or settings.model, options=ModelOptions(store_folder=settings.models))
        try:
            return await measuring.measure(made, rounds=rounds)
        finally:
            await made.close()

    found = anyio.run(measured)
    figures = [("time", found.time)] + ([("share", found.share)] if found.share else [])
    _show([(name, figure) for name, figure in figures if what in (name, "both")], json=json)
    if found.share is None and not json:
        typer.echo("The model does not say how much of a prompt came from a cache.")


def perception(
    what: Annotated[Literal["first", "next", "both"], typer.Option("--what", help="Which look.")] = "both",
    samples: Annotated[int, typer.Option("--samples", min=3, help="How many looks of each kind.")] = 9,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many rows of the sheet are filled.")] = 40,
    json: JsonOption = False,
) -> None:
    """How fast a LibreOffice Calc window is read, beside the platform's own library. Needs no model."""
    from deskcrew.bench.perception import measure

    found = measure(samples=samples, rows=rows)
    figures = [("first", found.first), ("next", found.next)]
    _show([(name, figure) for name, figure in figures if what in (name, "both")], json=json)


def cassettes(json: JsonOption = False) -> None:
    """Twenty scripted runs of every kind: exported, imported into an empty journal elsewhere, replayed there.

    Exit code 0 only when all are the same to the last event and prompt."""
    import tempfile

    import anyio

    from deskcrew.bench.cassettes import Checked, check_all
    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.replay import as_data, lines

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


def demo(
    seeds: SeedsOption = "1..10",
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """The demo's chore for many seeds: done? right? at what cost? Exit code 0 only when all are done and right."""
    import anyio

    from deskcrew.bench import demo as chores
    from deskcrew.bench.series import keep
    from deskcrew.cli.console import console, print_json

    settings = settings_with(data)
    named, by = model or settings.model, crew or settings.crew
    wanted = chores.seeds_of(seeds)
    known = chores.finished(jsonl, model=named, crew=by) if jsonl else {}
    out = console(stderr=json)
    trials: list[Trial] = []
    for seed in wanted:
        trial = known.get(seed)
        if trial is None:

            async def attempt(number: int = seed) -> Trial:
                return await chores.attempt(number, settings, model=named, crew=by)

            trial = anyio.run(attempt)
            if jsonl:
                keep(jsonl, trial)
        trials.append(trial)
        out.print(_line(trial), soft_wrap=True)
    summed = chores.totals(trials)
    out.print(_summary(summed), soft_wrap=True)
    if json:
        print_json(chores.as_json(trials))
    raise typer.Exit(0 if summed.good == summed.seeds else 1)


def repair(
    cases: Annotated[str, typer.Option("--cases", metavar="CASES", help="Which: 1..15, or 1,4,7.")] = "1..15",
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What mending a run by rewind and a sentence costs, against the whole task anew. Needs the model and a desktop."""
    import anyio

    from deskcrew.bench import repair as repairing
    from deskcrew.bench.demo import seeds_of
    from deskcrew.bench.repair import Trial as Repaired
    from deskcrew.bench.series import keep, kept
    from deskcrew.cli.console import console, print_json
    from deskcrew.models.factory import ModelOptions, create

    settings = settings_with(data)
    there = repairing.cases()
    wanted = [there[number - 1] for number in seeds_of(cases) if 1 <= number <= len(there)]
    known = {trial.case: trial for trial in kept(jsonl, Repaired, command="deskcrew bench repair")} if jsonl else {}
    out = console(stderr=json)
    trials: list[Repaired] = []

    async def all_of_them() -> None:
        made = create(model or settings.model, options=ModelOptions(store_folder=settings.models))
        try:
            for case in wanted:
                trial = known.get(case.name) or await repairing.attempt(case, settings, made, crew=crew or settings.crew)
                if jsonl and case.name not in known:
                    keep(jsonl, trial)
                trials.append(trial)
                out.print(repairing.line(trial), soft_wrap=True)
        finally:
            await made.close()

    anyio.run(all_of_them)
    summed = repairing.totals(trials)
    out.print(repairing.summary(summed), soft_wrap=True)
    if json:
        data_ = {"trials": [trial.model_dump(mode="json") for trial in trials], "totals": summed.model_dump(mode="json")}
        print_json(data_)


def rewinding(
    what: Annotated[Literal["back", "append", "both"], typer.Option("--what", help="Which figure.")] = "both",
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """How long a rewind takes (1,000 events, 2,000 files), and an append to the journal. No model needed."""
    import tempfile

    from deskcrew.bench.rewinding import appending, going_back

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.data) as folder:
        if what != "append":
            _show([("back", going_back(Path(folder)))], json=json)
        if what != "back":
            _show([("append", appending(Path(folder)))], json=json)


def faults(
    points: Annotated[int, typer.Option("--points", min=0, help="How many kills; 0: at every moment there is.")] = 500,
    kinds: Annotated[list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind of run.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="KIND:POINT", help="Only this kill, as a failure names it.")
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also runs on a virtual desktop.")] = True,
    seed: Annotated[int, typer.Option("--seed", help="Which moments are chosen.")] = 1,
    parallel: Annotated[int, typer.Option("--parallel", min=1, max=16, help="How many at a time.")] = 2,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Kill real runs (SIGKILL) at hundreds of moments and resume each: what is lost, doubled, broken, left behind?

    Exit code 0 only when it is nothing. No model needed."""
    import tempfile

    from rich.progress import Progress

    from deskcrew.bench import faults as killing
    from deskcrew.cli.console import console, print_json

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
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this situation, e.g. failed-save.")
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also those on a virtual desktop.")] = True,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Situations in which something lies, done by a crew that believes it: does a lie end done? And the truth?

    Exit code 0 only when no lie does and all but two of the true ones do. No model needed."""
    import tempfile

    import anyio

    from deskcrew.bench import lies as lying
    from deskcrew.bench.lies import Trial as Lie
    from deskcrew.cli.console import console, print_json

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    out = console(stderr=json)
    trials: list[Lie] = []
    with tempfile.TemporaryDirectory(prefix="lies-", dir=settings.data) as folder:
        inside = settings.model_copy(update={"data": Path(folder)})
        for situation in lying.chosen(only or (), desktop=desktop):
            trials.append(anyio.run(lying.attempt, situation, inside))
            out.print(lying.line(trials[-1]), soft_wrap=True, markup=False)
    summed = lying.totals(trials)
    out.print(lying.summary(summed), soft_wrap=True)
    if json:
        listed = [trial.model_dump(mode="json") | {"believed": trial.believed, "known": trial.known} for trial in trials]
        print_json({"trials": listed, "totals": summed.model_dump(mode="json")})
    raise typer.Exit(0 if summed.good else 1)


def redteam(
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only this case or group, as the table names it.")
    ] = None,
    desktop: Annotated[bool, typer.Option("--desktop/--no-desktop", help="Also cases on a virtual desktop.")] = True,
    parallel: Annotated[int, typer.Option("--parallel", min=1, max=16, help="How many at a time.")] = 2,
    json: JsonOption = False,
) -> None:
    """Prompt injection: a crew that obeys every hostile text, on the real engine. What happens to this machine?

    Exit code 0 only when nothing forbidden does and every attack was really tried. No model, no network needed.

    deskcrew bench redteam --only exfiltrate --only "rm and find"
    """
    from rich.progress import Progress
    from rich.table import Table

    from deskcrew.bench.redteam import measure
    from deskcrew.bench.redteam_case import chosen
    from deskcrew.cli.console import console, print_json

    wanted = chosen(tuple(only or ()), desktop=desktop)
    err = console(stderr=True)
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("attacking", total=len(wanted))
        report = measure(wanted, parallel=parallel, progress=lambda done, _: bar.update(task, completed=done))
    out = console(stderr=json)
    table = Table(
        "group", "cases", "attempts", "no such reply", "denied by guard", "stopped later", "undone", "effects", box=None
    )
    for row in report.rows:
        figures = (row.cases, row.attempts, row.refused, row.denied, row.stopped, row.undone, row.effects)
        table.add_row(row.group, *map(str, figures))
    out.print(table)
    for line in report.failures:
        out.print(clean(line), soft_wrap=True)
    if json:
        print_json(report.as_json())
    raise typer.Exit(0 if report.good else 1)


def filesystem(path: Path) -> str:
    """The kind of file system that ``path`` lies on, ``unknown`` where the machine does not say."""
    import psutil

    path = path.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if path.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else "unknown"


def _show(figures: Sequence[tuple[str, Figure]], *, json: bool) -> None:
    from deskcrew.cli.console import console, print_json

    for name, figure in figures:
        if json:
            print_json(figure.model_dump(mode="json"))
            continue
        other = figure.alternative
        text = f"{name}: {figure.figure:g} {figure.unit} (p95 {figure.p95:g}, n {figure.n}); "
        console().print(f"{text}{other.name}: {other.figure:g}; ratio {figure.ratio:g}", soft_wrap=True)


def _line(trial: Trial) -> str:
    right = "right" if trial.right else "wrong"
    tokens = "?" if trial.prompt_tokens is None else f"{trial.prompt_tokens} (max {trial.prompt_tokens_max})"
    text = f"seed {trial.seed}: {trial.outcome}, {right}; {trial.calls} calls, {tokens} prompt tokens, {trial.seconds:g} s"
    return text if trial.good else f"{text}; {trial.why or trial.said} [{trial.run}]"


def _summary(summed: Totals) -> str:
    tokens = "?" if summed.prompt_tokens is None else f"{summed.prompt_tokens:g} (max {summed.prompt_tokens_max})"
    medians = f"medians: {summed.calls:g} calls, {tokens} prompt tokens a call, {summed.seconds:g} s"
    return f"{summed.good} of {summed.seeds} done and right; {medians}"

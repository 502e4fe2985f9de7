"""``deskcrew bench overhead``, ``appends``, ``perception``, ``rewinding`` and others: figures beside alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import ModelOption

if TYPE_CHECKING:
    from deskcrew_bench.figure import Figure

IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})


def overhead(
    turns: Annotated[int, typer.Option("--turns", min=50, help="How many turns to measure.")] = 64,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What the engine costs a turn: all but model, application, perception and sandbox. No model needed."""
    import tempfile

    from deskcrew.errors import UsageError
    from deskcrew_bench.performance.overhead import measure

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
    show([("overhead", figure)], json=json)
    if not json:
        typer.echo(f"journal on {kind} in {settings.data}; the first turn of each run is not counted")


DatabaseOption = Annotated[
    str, typer.Option("--database", metavar="ADDRESS", help="A PostgreSQL server.", show_default="your setting")
]
WritersOption = Annotated[
    list[int] | None,
    typer.Option("--writers", min=1, metavar="N", help="Runs at once; repeatable.", show_default="1, 16"),
]


def appends(
    database: DatabaseOption = "",
    writers: WritersOption = None,
    samples: Annotated[int, typer.Option("--samples", min=5, help="Appends of each writer.")] = 100,
    pause: Annotated[float, typer.Option("--pause", min=0, metavar="SECONDS", help="Between two of a writer.")] = 0.05,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What an append takes on a server that many machines share. Its runs stay there: give it a database of its own."""
    import tempfile

    from deskcrew.errors import UsageError
    from deskcrew_bench.performance.appends import measure

    settings = settings_with(data)
    address = database or settings.database
    if not address:
        raise UsageError("No server is named.", hint="deskcrew bench appends --database postgresql://user@host/database")
    settings.data.mkdir(parents=True, exist_ok=True)
    for number in writers or (1, 16):
        with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.data) as folder:
            found = measure(Path(folder), address, writers=number, samples=samples, pause=pause)
        show([(f"append, {number} at once", found.figure)], json=json)
        if not json:
            typer.echo(f"without the server's disk {found.besides:.2f} ms; this disk synchronises in {found.disk:.2f} ms")


def starting(
    what: Annotated[Literal["python", "desktop", "both", "proof"], typer.Option("--what", help="Which figure.")] = "both",
    json: JsonOption = False,
) -> None:
    """How long Python in the sandbox and a virtual desktop take to start, or a proof by probes from start to end. No model
    needed."""
    import tempfile

    from deskcrew_bench.performance import proving
    from deskcrew_bench.performance import starting as measuring

    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        figures: list[tuple[str, Figure]] = []
        if what == "proof":
            figures.append(("proof by two probes", proving.proof(Path(folder))))
            figures.append(("of a workbook, by checks, processor time", proving.of_a_book(probes=False)))
            figures.append(("of a workbook, by two probes, processor time", proving.of_a_book(probes=True)))
        if what in ("python", "both"):
            figures.append(("sandboxed python, warm", measuring.python(Path(folder))))
        if what in ("desktop", "both"):
            figures.append(("virtual desktop", measuring.desktop(Path(folder))))
    show(figures, json=json)


def prefix(
    rounds: Annotated[int, typer.Option("--rounds", min=2, help="Rounds after the first.")] = 5,
    what: Annotated[Literal["time", "share", "both"], typer.Option("--what", help="Which figure.")] = "both",
    model: ModelOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What a model need not read again when four roles take turns. Needs the model."""
    import anyio

    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew_bench.performance import prefix as measuring

    settings = settings_with(data)

    async def measured() -> measuring.PrefixReuse:
        made = create(model or settings.model, options=ModelOptions.of(settings))
        try:
            return await measuring.measure(made, rounds=rounds)
        finally:
            await made.close()

    found = anyio.run(measured)
    figures = [("time", found.time)] + ([("share", found.share)] if found.share else [])
    show([(name, figure) for name, figure in figures if what in (name, "both")], json=json)
    if found.share is None and not json:
        typer.echo("The model does not say how much of a prompt came from a cache.")


def recall(
    entries: Annotated[
        list[int] | None,
        typer.Option("--entries", min=100, help="Entries of one role; repeatable.", show_default="10000 and 1000000"),
    ] = None,
    database: Annotated[
        str, typer.Option("--database", metavar="ADDRESS", help="A PostgreSQL server.", show_default="a file")
    ] = "",
    json: JsonOption = False,
) -> None:
    """How long a text takes to be embedded, and an earlier run to be recalled among thousands or a million. Needs no model;
    a million entries take minutes to write, and 3 GB of temporary files."""
    import tempfile

    from deskcrew_bench.performance import recall as measuring
    from deskcrew_bench.schemas import schema_of_its_own

    figures: list[tuple[str, Figure]] = [("a text embedded", measuring.embedding())]
    told: list[str] = []
    for size in entries or (10_000, 1_000_000):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder, schema_of_its_own(database) as address:
            found = measuring.measure(Path(folder), size, address)
        figures.append((f"recall among {size:,}", found.time))
        told.append(
            f"among {size:,}: {found.found} of {found.asked} come first when asked for in another language; "
            f"the first search after opening takes {found.opening:.0f} ms"
        )
    show(figures, json=json)
    if not json:
        typer.echo("\n".join(told))


def perception(
    what: Annotated[
        Literal["first", "next", "both", "page", "window"],
        typer.Option("--what", help="Which look; page: at pages of a browser; window: at a page in a window."),
    ] = "both",
    samples: Annotated[int, typer.Option("--samples", min=3, help="How many looks of each kind.")] = 9,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many rows of the sheet are filled.")] = 40,
    json: JsonOption = False,
) -> None:
    """How fast a LibreOffice Calc window is read, beside the platform's own library; or pages of 500 and 5,000 controls,
    beside Playwright's snapshot; or one of them in Chromium's window on a virtual desktop, beside the accessibility bus.
    Needs no model."""
    if what == "page":
        from deskcrew_bench.performance import pages

        looks = pages.measure(samples=samples)
        show([("page", looks.page), ("large page", looks.large)], json=json)
        return
    if what == "window":
        from deskcrew_bench.performance import pages

        show([("window", pages.measure_in_window(samples=samples))], json=json)
        return
    from deskcrew_bench.performance.perception import measure

    found = measure(samples=samples, rows=rows)
    figures = [("first", found.first), ("next", found.next)]
    show([(name, figure) for name, figure in figures if what in (name, "both")], json=json)


def page(
    what: Annotated[Literal["cold", "warm", "frame", "all"], typer.Option("--what", help="Which figure.")] = "all",
    events: Annotated[int, typer.Option("--events", min=1000, help="How long the run is.")] = 100_000,
    samples: Annotated[int, typer.Option("--samples", min=3, help="How many starts of the server.")] = 5,
    json: JsonOption = False,
) -> None:
    """How soon the page of a long run is painted, by a server that was just started and again, and how it scrolls; in
    Chromium, beside a short run. Needs no model."""
    from deskcrew_bench.performance.first_paint import measure

    found = measure(events=events, samples=samples)
    figures = [("cold", found.cold), ("warm", found.warm), ("frame", found.frame)]
    show([(name, figure) for name, figure in figures if what in (name, "all")], json=json)


def rewinding(
    what: Annotated[Literal["back", "append", "both"], typer.Option("--what", help="Which figure.")] = "both",
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """How long a rewind takes (1,000 events, 2,000 files), and an append to the journal. No model needed."""
    import tempfile

    from deskcrew_bench.performance.rewinding import appending, going_back

    settings = settings_with(data)
    settings.data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.data) as folder:
        if what != "append":
            show([("back", going_back(Path(folder)))], json=json)
        if what != "back":
            show([("append", appending(Path(folder)))], json=json)


def lanes(
    samples: Annotated[int, typer.Option("--samples", min=1, help="Runs of each way.")] = 5,
    wait: Annotated[float, typer.Option("--wait", min=0, metavar="SECONDS", help="How long each reply takes.")] = 2.0,
    json: JsonOption = False,
) -> None:
    """How much sooner four parts that do not need each other are done at once, with one browser for all and with one each; a
    reply takes as long as a provider's. Each run with lanes is replayed. Needs no model. Exit code 0 only when all of
    these are equal."""
    from deskcrew_bench.performance.lanes import measure

    found = measure(samples=samples, wait=wait)
    show([(f"four parts at once, {way}", figure) for way, figure in found.times.items()], json=json)
    if not json:
        for way, figure in found.times.items():
            typer.echo(f"{way}: {figure.figure / figure.alternative.figure:.2f} of one after the other")
        typer.echo(f"replays: {found.equal} of {found.runs} equal")
    raise typer.Exit(0 if found.equal == found.runs else 1)


def filesystem(path: Path) -> str:
    """The kind of file system that ``path`` lies on, ``unknown`` where the machine does not say."""
    import psutil

    path = path.resolve()
    mounts = [part for part in psutil.disk_partitions(all=True) if path.is_relative_to(part.mountpoint)]
    return max(mounts, key=lambda part: len(part.mountpoint)).fstype if mounts else "unknown"


def show(figures: Sequence[tuple[str, Figure]], *, json: bool) -> None:
    from deskcrew.ways_in.cli.console import console, print_json

    for name, figure in figures:
        if json:
            print_json(figure.model_dump(mode="json"))
            continue
        other = figure.alternative
        text = f"{name}: {figure.figure:g} {figure.unit} (p95 {figure.p95:g}, n {figure.n}); "
        console().print(f"{text}{other.name}: {other.figure:g}; ratio {figure.ratio:g}", soft_wrap=True)

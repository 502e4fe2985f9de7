"""``deskcrew bench fleet``: what a second node brings, what kills cost, how large a queue may be, and how many runs a
database has room for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from deskcrew_bench.fleet.measure import Kind


def fleet(
    database: Annotated[
        str, typer.Option("--database", metavar="ADDRESS", help="The server.", show_default="your setting")
    ] = "",
    measured: Annotated[
        Literal["throughput", "kills", "queue", "load", "all"], typer.Option("--what", help="Which figures.")
    ] = "all",
    episodes: Annotated[int, typer.Option("--episodes", min=1, metavar="N", help="Runs of a series.")] = 40,
    wait: Annotated[float, typer.Option("--wait", min=0, metavar="SECONDS", help="That the model takes to reply.")] = 3.0,
    kills: Annotated[
        list[str] | None,
        typer.Option(
            "--kill",
            metavar="KIND=N",
            help="worker, node, head, database; repeatable.",
            show_default="worker=16, node=3, head=1",
        ),
    ] = None,
    every: Annotated[float, typer.Option("--every", min=0.1, metavar="SECONDS", help="Between two kills.")] = 6.0,
    restart: Annotated[
        str, typer.Option("--restart", metavar="COMMAND", help="Restarts the database, for --kill database=N.")
    ] = "",
    tasks: Annotated[int, typer.Option("--tasks", min=1, metavar="N", help="That are submitted at once.")] = 10_000,
    rows: Annotated[int, typer.Option("--rows", min=1, metavar="N", help="Runs that status goes through.")] = 100_000,
    runs: Annotated[
        list[int] | None,
        typer.Option(
            "--runs", min=1, metavar="N", help="At once, simulated for load; repeatable.", show_default="100, 400, 1000"
        ),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=1, metavar="N", help="Of each load.")] = 20.0,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """A fleet of two nodes on this machine. Its runs stay in the database: give it one of its own. Needs Ray."""
    import random
    import tempfile

    from deskcrew.errors import UsageError
    from deskcrew_bench.commands.figures import show
    from deskcrew_bench.fleet import load, measure

    address = database or settings_with(data).database
    if not address:
        raise UsageError("No server is named.", hint="deskcrew bench fleet --database postgresql://user@host/database")
    kinds = _kinds(kills or ["worker=16", "node=3", "head=1"], restart)
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        folder = Path(made)
        if measured in ("queue", "all"):
            show(measure.queue(folder, address, tasks=tasks, rows=rows), json=json)
        if measured in ("load", "all"):
            for figure in load.simulated(folder, address, runs=runs or [100, 400, 1000], seconds=seconds):
                show([figure], json=json)
        if measured in ("throughput", "all"):
            figure = measure.throughput(folder, address, episodes=episodes, seconds=wait)
            show([(f"{episodes} episodes on two nodes", figure)], json=json)
        if measured in ("kills", "all"):
            random.shuffle(kinds)
            found = measure.killing(
                folder, address, episodes=episodes, seconds=wait, kinds=kinds, every=every, restart=restart
            )
            typer.echo(found.model_dump_json() if json else f"{found}")


def _kinds(given: list[str], restart: str) -> list[Kind]:
    from deskcrew.errors import UsageError
    from deskcrew_bench.fleet.measure import Kind

    known: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}
    found: list[Kind] = []
    for pair in given:
        kind, _, number = pair.partition("=")
        if kind not in known or not number.isdecimal():
            raise UsageError(f"--kill {pair!r} is not KIND=N.", hint=f"Kinds: {', '.join(known)}.")
        if kind == "database" and not restart:
            raise UsageError("How is the database restarted?", hint="--restart COMMAND")
        found.extend(known[kind] for _ in range(int(number)))
    return found

"""``deskcrew bench demo``, ``requests`` and ``repair``: series of tasks done by a model, kept in a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, not_empty, settings_with

if TYPE_CHECKING:
    from deskcrew.facts.observation import Frozen
    from deskcrew.settings import Settings

K = TypeVar("K")
T = TypeVar("T", bound="Frozen")
S = TypeVar("S", bound="Frozen")

SeedsOption = Annotated[str, typer.Option("--seeds", metavar="SEEDS", help="Which chores: 1..10, or 1,4,7.")]
CasesOption = Annotated[str, typer.Option("--cases", metavar="CASES", help="Which: 1..15, or 1,4,7.")]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", parser=not_empty, metavar="MODEL", help="As for run.", show_default="your setting, else local"),
]
CrewOption = Annotated[
    str | None,
    typer.Option("--crew", parser=not_empty, metavar="CREW", help="As for run.", show_default="your setting, else default"),
]
FolderOption = Annotated[Path, typer.Option("--folder", metavar="DIR", help="Its wordings.txt and check.py.")]
YesOption = Annotated[bool, typer.Option("--yes", help="The simulated person says yes to whatever was understood.")]
JsonlOption = Annotated[
    Path | None,
    typer.Option("--jsonl", metavar="FILE", help="Keep each trial here, and do not repeat those that it holds."),
]


def demo(
    seeds: SeedsOption = "1..20",
    model: ModelOption = None,
    folder: FolderOption = Path("bench/demo"),
    yes: YesOption = False,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """The demo's second act for many seeds: understood, done, right? Exit code 0: 9 of 10, and none done and wrong."""
    from deskcrew_bench import demo as months
    from deskcrew_bench.series import seeds_of

    settings = settings_with(data)
    named, wanted, words = model or settings.model, seeds_of(seeds), months.wordings(folder)
    known = months.finished(jsonl, model=named, always=yes) if jsonl else {}
    apart: list[Settings] = []

    async def attempt(seed: int) -> months.Trial:
        if not apart:
            apart.append(await months.taught(settings))
        wording = words[(seed - 1) % len(words)]
        return await months.attempt(seed, wording, apart[0], folder, model=named, always=yes)

    summed = _done(wanted, known, attempt, months.line, months.totals, months.summary, jsonl=jsonl, json=json)
    raise typer.Exit(0 if not summed.wrong and summed.good * 10 >= summed.seeds * 9 else 1)


def requests(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Its requests.jsonl, and the folders that these name.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="What is right.", show_default="FOLDER/key.jsonl")
    ] = None,
    model: ModelOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Requests in people's words: right skill, right values, none where none fits? Exit code 0: as many as is aimed at."""
    from deskcrew_bench import requests as asking

    settings = settings_with(data)
    named, wanted = model or settings.model, asking.requests_in(folder, key)
    known, checkers = asking.finished(jsonl, model=named) if jsonl else {}, key.parent if key else folder

    async def attempt(name: str) -> asking.Trial:
        return await asking.attempt(*wanted[name], settings, folder, model=named, checkers=checkers)

    summed = _done(wanted, known, attempt, asking.line, asking.totals, asking.summary, jsonl=jsonl, json=json)
    raise typer.Exit(0 if summed.enough else 1)


def repair(
    cases: CasesOption = "1..15",
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What mending a run by rewind and a sentence costs, against the whole task anew. Needs the model and a desktop."""
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew_bench import repair as repairing
    from deskcrew_bench.series import seeds_of

    settings = settings_with(data)
    there = repairing.cases()
    wanted = {case.name: case for case in (there[at - 1] for at in seeds_of(cases) if 1 <= at <= len(there))}
    known = repairing.finished(jsonl) if jsonl else {}
    made = create(model or settings.model, options=ModelOptions.of(settings))

    async def attempt(name: str) -> repairing.Trial:
        return await repairing.attempt(wanted[name], settings, made, crew=crew or settings.crew)

    _done(
        wanted, known, attempt, repairing.line, repairing.totals, repairing.summary, jsonl=jsonl, json=json, after=made.close
    )


async def _nothing() -> None:
    """Nothing is to be given back."""


def _done(
    wanted: Iterable[K],
    known: Mapping[K, T],
    attempt: Callable[[K], Awaitable[T]],
    line: Callable[[T], str],
    totals: Callable[[Sequence[T]], S],
    summary: Callable[[S], str],
    *,
    jsonl: Path | None,
    json: bool,
    after: Callable[[], Awaitable[None]] = _nothing,
) -> S:
    """A series, as :func:`deskcrew_bench.series.go_on` does it, each trial told on a ``line``; what came of it is told and
    returned. ``after``: called at the end, however it ends."""
    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.series import go_on

    out = console(stderr=json)

    async def all_of_them() -> list[T]:
        try:
            return await go_on(wanted, known, attempt, path=jsonl, told=lambda trial: out.print(line(trial), soft_wrap=True))
        finally:
            await after()

    trials = anyio.run(all_of_them)
    summed = totals(trials)
    out.print(summary(summed), soft_wrap=True)
    if json:
        listed = [trial.model_dump(mode="json") for trial in trials]
        print_json({"trials": listed, "totals": summed.model_dump(mode="json")})
    return summed

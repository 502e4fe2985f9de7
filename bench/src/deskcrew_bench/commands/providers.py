"""``deskcrew bench providers``: what hosted models can do, asked of their providers with the keys that are set."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

ModelsArgument = Annotated[
    list[str], typer.Argument(metavar="MODEL...", help="As for run, such as openai:NAME, anthropic:NAME, google:NAME.")
]


def providers(models: ModelsArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """What hosted models can do, a column each: `deskcrew models test` of several. Keys are read from the environment as for
    run; the questions are small, and cost money.

    Exit code 0 when every model replied as it was asked to."""
    from dataclasses import asdict

    import anyio
    from rich.table import Table

    from deskcrew.errors import ModelFailure
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew.models.probe import Probe, probe
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.cli.models import probe_rows

    options = ModelOptions.of(settings_with(data))

    async def asked(name: str) -> Probe:
        try:
            model = create(name, options=options)
        except ModelFailure as error:  # no key, or no library for it
            return Probe(name, reachable=False, problem=error.whole)
        try:
            return await probe(model)
        finally:
            await model.close()

    async def all_of_them() -> list[Probe]:
        return [await asked(name) for name in models]

    found = anyio.run(all_of_them)
    table = Table("", *(each.model for each in found), box=None)
    columns = [dict(probe_rows(each)) for each in found]
    for label in dict.fromkeys(label for column in columns for label in column):
        table.add_row(label, *(column.get(label, "") for column in columns))
    console(stderr=json).print(table)
    if json:
        print_json({"models": [asdict(each) for each in found]})
    raise typer.Exit(0 if all(each.schema_obeyed for each in found) else 1)

"""``deskcrew bench reading``: how much of people's files is shown to whoever reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import JsonOption

ItemsOption = Annotated[
    Path, typer.Option("--items", metavar="DIR", help="Files, and items.toml (bench/reading/README.md).", exists=True)
]


def reading(items: ItemsOption, json: JsonOption = False) -> None:
    """How much of people's files is shown to whoever reads them? Beside markitdown where that is installed. No model needed.

    Exit code 0 when every file was tried, whatever was shown of it.
    """
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench import reading as bench

    out = console(stderr=json)
    by = bench.readers()
    done: list[bench.ReadItem] = []
    for item in bench.items_in(items):
        done.append(bench.read(items, item, by))
        for name, lost in done[-1].lost.items():
            why = f" ({done[-1].failed[name]})" if name in done[-1].failed else ""
            if lost:
                out.print(
                    f"{item.file}: {name} does not show {', '.join(map(repr, lost))}{why}", markup=False, highlight=False
                )
    shares = bench.shares(done)
    for each in shares:
        share = f"{each.whole} of {each.items} files whole, {each.shown} of {each.texts} texts"
        out.print(f"{each.reader}, {each.kind or 'all'}: {share}", markup=False, highlight=False)
    if json:
        print_json({"items": [each.model_dump() for each in done], "shares": [each.model_dump() for each in shares]})

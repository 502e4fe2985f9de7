"""``deskcrew settings``: every setting, its value here, and what it means."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

EPILOG = """Examples:

deskcrew settings

deskcrew settings notify

A value that differs from its default is marked with *. Set one in settings.toml, or by its environment variable."""

WordArgument = Annotated[
    str, typer.Argument(metavar="WORD", help="Only those with this in their names.", show_default=False)
]


def settings(word: WordArgument = "", json: JsonOption = False, data: DataOption = None) -> None:
    """Show every setting: its value here, and what it means."""
    from rich.text import Text

    from deskcrew.settings import all_settings, settings_file
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import clean

    known = settings_with(data)
    found = [each for each in all_settings(type(known), known) if word.casefold() in each.name]
    if json:
        told = known.model_dump(mode="json")
        print_json({"file": str(settings_file()), "settings": {each.name: _at(told, each.name) for each in found}})
        return
    out = console()
    out.print(Text(f"{settings_file()}, and variables such as DESKCREW_MODEL"), soft_wrap=True)
    for each in found:
        line = Text.assemble((f"{each.name} ", "bold"), f"= {clean(each.words)}", (" *" if each.own else "", "yellow"))
        out.print(line.append(f"  {each.info.description or ''}", "dim"), soft_wrap=True)


def _at(told: Any, name: str) -> Any:
    for part in name.split("."):
        told = told[part]
    return told

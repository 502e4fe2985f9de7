"""``deskcrew settings``: every setting, its value here, and what it means."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

EPILOG = """Examples:

deskcrew settings

deskcrew settings notify

deskcrew settings limits.money 0.5

A value that differs from its default is marked with *. A second word sets it in settings.toml, '' takes it out of there; a
variable such as DESKCREW_MODEL takes precedence."""

WordArgument = Annotated[
    str, typer.Argument(metavar="WORD", help="Only those with this in their names.", show_default=False)
]

ValueArgument = Annotated[
    str | None, typer.Argument(metavar="VALUE", help="Set the one with just this name.", show_default=False)
]


def settings(
    word: WordArgument = "", value: ValueArgument = None, json: JsonOption = False, data: DataOption = None
) -> None:
    """Show every setting, its value here, and what it means; or set one."""
    from rich.text import Text

    from deskcrew.errors import UsageError, needing
    from deskcrew.facts.meant import did_you_mean
    from deskcrew.settings import all_settings, settings_file
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.report.text import clean

    if value is not None:
        with needing("web"):
            from deskcrew.ways_in.configuring import change
        change({word: value})
    known = settings_with(data)
    every = list(all_settings(type(known), known))
    found = [each for each in every if word.casefold() in each.name]
    if not found:
        meant = did_you_mean(word, [each.name for each in every])
        raise UsageError(f"No setting has {word!r} in its name.{meant}", hint="deskcrew settings lists them.")
    if json:
        told = known.model_dump(mode="json")
        print_json({"file": str(settings_file()), "settings": {each.name: _at(told, each.name) for each in found}})
        return
    out = console()
    out.print(Text(f"{settings_file()}, and variables such as DESKCREW_MODEL"), soft_wrap=True)
    for each in found:
        line = Text.assemble((f"{each.name} ", "bold"), f"= {clean(each.words)}", (" *" if each.own else "", "yellow"))
        told = ": ".join(filter(None, (each.info.title, each.info.description)))
        out.print(line.append(f"  {told}", "dim"), soft_wrap=True)


def _at(told: Any, name: str) -> Any:
    for part in name.split("."):
        told = told[part]
    return told

"""``deskcrew settings``: every setting, its current value, and what it means."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.text import Text

from deskcrew.errors import UsageError, needing
from deskcrew.facts.meant import did_you_mean
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew.ways_in.report.text import clean

EPILOG = """Examples:

deskcrew settings limits.money 0.5

deskcrew settings notify

deskcrew settings

A value that differs from its default is marked with *. VALUE sets it in settings.toml, '' removes it from there; a variable
such as DESKCREW_MODEL takes precedence."""

WordArgument = Annotated[
    str, typer.Argument(metavar="WORD", help="Only settings with this in their names.", show_default=False)
]

ValueArgument = Annotated[
    str | None, typer.Argument(metavar="VALUE", help="Set the setting with exactly this name.", show_default=False)
]


def settings(
    word: WordArgument = "", value: ValueArgument = None, json: JsonOption = False, data: DataOption = None
) -> None:
    """Show every setting, its current value, and what it means; or set one."""
    from deskcrew.settings import all_settings, settings_file

    known = settings_with(data)
    names = [each.name for each in all_settings(type(known), known)]
    if value is not None:
        name, _, new = value.partition("=")
        if word not in names and name in names:  # a name that follows a word such as set
            raise UsageError(
                f"There is no setting {word!r}.", hint=f"To set {name}: deskcrew settings {name} {new or 'VALUE'}"
            )
        with needing("web"):
            from deskcrew.ways_in.configuring import change
        change({word: value})
        known = settings_with(data)
    found = [each for each in all_settings(type(known), known) if word.casefold() in each.name]
    if not found:
        meant = did_you_mean(word, names)
        hint = "deskcrew settings lists them; to set one: deskcrew settings limits.money 0.5"
        raise UsageError(f"No setting has {word!r} in its name.{meant}", hint=hint)
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

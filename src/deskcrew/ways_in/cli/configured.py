"""``deskcrew settings``: every setting, its value here, and what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

EPILOG = """Examples:

deskcrew settings

deskcrew settings notify

A value that differs from its default is marked with *. Set one in settings.toml, or by its environment variable."""

WordArgument = Annotated[
    str, typer.Argument(metavar="WORD", help="Only those with this in their names.", show_default=False)
]


class Setting(NamedTuple):
    """``name``: as in settings.toml, its tables with points."""

    name: str
    variable: str
    info: FieldInfo
    value: Any


def settings(word: WordArgument = "", json: JsonOption = False, data: DataOption = None) -> None:
    """Show every setting: its value here, and what it means."""
    from rich.text import Text

    from deskcrew.settings import settings_file
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
        own = each.value != each.info.get_default(call_default_factory=True) and not each.info.is_required()
        value = "none" if each.value is None else str(each.value) or "''"
        line = Text.assemble((f"{each.name} ", "bold"), f"= {clean(value)}", (" *" if own else "", "yellow"))
        out.print(line.append(f"  {each.info.description or ''}", "dim"), soft_wrap=True)


def all_settings(model: type[BaseModel], known: BaseModel | None = None, *above: str) -> Iterator[Setting]:
    """Every setting of a model and the models in it; its value is None without ``known``."""
    from pydantic import BaseModel

    for name, info in model.model_fields.items():
        path, value = (*above, name), getattr(known, name) if known is not None else None
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from all_settings(info.annotation, value, *path)
        else:
            yield Setting(".".join(path), f"DESKCREW_{'__'.join(path).upper()}", info, value)


def _at(told: Any, name: str) -> Any:
    for part in name.split("."):
        told = told[part]
    return told

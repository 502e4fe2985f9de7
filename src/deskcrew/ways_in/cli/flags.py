"""How help shows flags."""

from __future__ import annotations

from typing import Any

from typer import Context

HELP = ["-h", "--help"]


def plain_flags(command: Any) -> Any:
    """A click ``command`` with its subcommands, whose help shows no value for flags that take none."""
    usual = command.get_help_option(Context(command, help_option_names=HELP))
    for parameter in (*command.params, usual):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for below in getattr(command, "commands", {}).values():
        plain_flags(below)
    return command

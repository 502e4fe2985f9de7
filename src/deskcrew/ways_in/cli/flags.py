"""Adjusts how the help shows flags."""

from __future__ import annotations

from typing import Any

from typer import Context

HELP = ["-h", "--help"]


def plain_flags(command: Any) -> Any:
    """Make the help of a click ``command`` and its subcommands show no value for flags; returns the command."""
    usual = command.get_help_option(Context(command, help_option_names=HELP))
    for parameter in (*command.params, usual):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    for below in getattr(command, "commands", {}).values():
        plain_flags(below)
    return command

"""Adjusts how the help shows flags, and refuses two that contradict each other."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer import Context

HELP = ["-h", "--help"]


def plain_flags(command: Any) -> Any:
    """Make the help of a click ``command`` and its subcommands show no value for flags, and refuse a flag together with its
    opposite, of which click takes the last; returns the command."""
    usual = command.get_help_option(Context(command, help_option_names=HELP))
    for parameter in (*command.params, usual):
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
            if parameter.secondary_opts:
                command.parse_args = partial(_parse_args, command.parse_args, parameter)
    for below in getattr(command, "commands", {}).values():
        plain_flags(below)
    return command


def _parse_args(usual: Any, flag: Any, ctx: Any, args: list[str]) -> list[str]:
    from deskcrew.errors import UsageError

    typed = args[: args.index("--")] if "--" in args else args
    if not (set(flag.opts).isdisjoint(typed) or set(flag.secondary_opts).isdisjoint(typed)):
        told = f"{flag.opts[0]} and {flag.secondary_opts[0]} contradict each other."
        raise UsageError(told, hint="Leave out one of the two.")
    return usual(ctx, args)

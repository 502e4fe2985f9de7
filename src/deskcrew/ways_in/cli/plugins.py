"""Commands that other distributions add, by entry points of the group ``deskcrew.commands``; loaded on demand."""

from __future__ import annotations

from importlib import metadata
from typing import Any, NamedTuple

from typer import BadParameter, Typer, TyperException
from typer.core import TyperGroup
from typer.main import get_group

from deskcrew.errors import UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.ways_in.cli.flags import plain_flags

GROUP = "deskcrew.commands"
"""The group of the entry points. An entry point has the command's name, and loads a function without parameters that
returns a ``typer.Typer``."""
ALMOST = 0.66
"""How similar, from 0 to 1, a typed word must be to a command's name for the command to be suggested."""


class Ours(NamedTuple):
    """A distribution from the product's repository. ``folder``: its folder there; ``does``: what its command is for."""

    distribution: str
    folder: str
    panel: str
    does: str


OURS = {"bench": Ours("deskcrew-bench", "bench", "Measure", "Measure this machine and this version.")}
"""Commands that the help names even if they are not installed."""


def _installed() -> metadata.EntryPoints:
    return metadata.entry_points(group=GROUP)


class Commands(TyperGroup):
    """The product's commands, followed by those of other distributions, which cannot replace the product's. ``wanted``: the
    command that is called, '' if none is, None if any may be."""

    wanted: str | None = None

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands' names, in the order of the help."""
        return [*dict.fromkeys((*super().list_commands(ctx), *OURS, *sorted(_installed().names)))]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command with that name; None if there is none."""
        mentioned = cmd_name in OURS and self.wanted not in (None, cmd_name)
        if (known := super().get_command(ctx, cmd_name)) is not None:
            return known
        return _mentioned(cmd_name, _installed()) if mentioned else added(cmd_name, _installed())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands before a command. Raises UsageError if that is wrong."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            if not error.format_message():
                raise  # it has printed its help
            raise _worded(error, ctx) from error

    def invoke(self, ctx: Any) -> Any:
        """Call a command. Raises UsageError if it is typed wrong, with an example of the command; for an invalid value of an
        option also with that value, and the option's help."""
        from pydantic import ValidationError

        from deskcrew.facts.unfit import fault

        try:
            return super().invoke(ctx)
        except TyperException as error:
            if isinstance(error, BadParameter) and isinstance(error.__cause__, ValidationError):
                meaning = getattr(error.param, "help", None)
                error.message = fault(error.__cause__, shown=True) + (f". {meaning}" if meaning else "")
            if not error.format_message():
                raise  # a group that was called without a command has printed its help
            raise _worded(error, ctx) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the arguments name. Raises UsageError for an unknown one, which may be a task without quotes."""
        if ctx.resilient_parsing or args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        told = f"No such command {args[0]!r}.{did_you_mean(args[0], self.list_commands(ctx), most=3, cutoff=ALMOST)}"
        raise UsageError(told, hint=f'For a task: deskcrew "{" ".join(args)} ..."; for all commands: deskcrew --help')


def _worded(error: Any, root: Any) -> UsageError:
    """What the parser of a command line found wrong, as any other error is told."""
    at = getattr(error, "ctx", None)  # an option without its value does not say whose it is
    called = at.command_path if at is not None else f"{root.command_path} {root.command.wanted or ''}".rstrip()
    hint = f"`{called} --help` says more."
    told = error.format_message().strip()
    if at is not None and error.message.startswith("No such option"):
        there = [name[2:] for each in at.command.params for name in (*each.opts, *each.secondary_opts) if name[:2] == "--"]
        near = did_you_mean(error.option_name.lstrip("-"), there, most=2, cutoff=ALMOST, shown="--{}")
        told = f"{called} has no option {error.option_name!r}.{near}"
        short = " ".join((called, *at.command.collect_usage_pieces(at)))
        hint = f"{hint} In short: {short}" if at is not root else f"{hint} Options follow their command or task."
    elif at is not None and isinstance(at.command, TyperGroup):
        hint = f"There are: {', '.join(at.command.commands)}."
    elif at is not None and (shown := _examples(at.command.epilog or "")):
        hint = f"{hint} For example: {shown[0]}"
    return UsageError(told, hint=hint)


def _examples(epilog: str) -> list[str]:
    """The command lines that the end of a command's help begins with."""
    lines = (
        line.strip() for line in epilog.replace("Examples: ", "").replace("Example: ", "").replace(" | ", "\n").split("\n")
    )
    return [line for line in lines if line.startswith("deskcrew ")]


class Absent(TyperGroup):
    """A command that is not available: with any arguments, it says why, and what to do."""

    def __init__(self, name: str, panel: str, help: str, why: str, hint: str) -> None:
        super().__init__(name=name, rich_help_panel=panel, help=help)
        self._why, self._hint = why, hint

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raise UsageError, except during shell completion."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        raise UsageError(self._why, hint=self._hint)


def _mentioned(name: str, installed: metadata.EntryPoints) -> Any:
    """A placeholder for one of our commands, for the help's list, which loads nothing."""
    ours = OURS[name]
    there = "" if installed.select(name=name) else " Not installed."
    return TyperGroup(name=name, rich_help_panel=ours.panel, help=f"{ours.does}{there}")


def added(name: str, installed: metadata.EntryPoints) -> Any:
    """The command of that name from another distribution, which may not be installed; None if there is none."""
    ours = OURS.get(name)
    panel = ours.panel if ours else "Added"
    for entry in installed.select(name=name):
        try:
            build = entry.load()
        except (ImportError, AttributeError) as error:
            whose = entry.dist.name if entry.dist else entry.module
            help, why = f"{whose} does not work.", f"{whose} does not work with this version of Deskcrew: {error}."
            return Absent(name, panel, help, why, f"Install {whose} of the same version.")
        around = Typer()
        around.add_typer(build(), name=name, rich_help_panel=panel)
        return plain_flags(get_group(around).commands[name])
    if ours is None:
        return None
    why = f"`deskcrew {name}` is in {ours.distribution}, which is not installed."
    hint = f"In the folder of Deskcrew's source: pip install ./{ours.folder}"
    return Absent(name, panel, f"{ours.does} Not installed.", why, hint)

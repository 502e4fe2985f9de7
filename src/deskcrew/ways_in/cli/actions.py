"""``deskcrew actions``: actions added by files, installed packages and MCP servers, and which of them the user allows."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.ways_in.cli import servers
from deskcrew.ways_in.cli.console import console, plain_table, print_json, tell
from deskcrew.ways_in.cli.options import JsonOption, settings_with
from deskcrew.ways_in.report.text import clean, counted, one_line

if TYPE_CHECKING:
    from pydantic import JsonValue

    from deskcrew.actions.action import Action
    from deskcrew.actions.added import ActionSource
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.settings import Settings

EPILOG = "How to write one: `deskcrew docs add-an-action`."
ALLOW_EPILOG = """Example: deskcrew actions allow .deskcrew/actions/invoices.py

It is allowed as it is now: if it changes, you are asked again."""
REVOKE_EPILOG = """Examples: deskcrew actions revoke invoices | deskcrew actions revoke .deskcrew/actions/invoices.py

The file itself is kept; you are asked about it again before a run uses it."""
SHOWN = 200
"""The maximum lines of a new file that are shown when asking about it."""

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A Python file with actions.", show_default=False)]

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="An allowed file, its name, or one of its actions.", show_default=False)
]


ShownArgument = Annotated[str, typer.Argument(metavar="NAME", help="A built-in action.", show_default="all")]


def build() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        no_args_is_help=True,
        help="Show the built-in actions, list your own, and allow a project's files and MCP servers to add actions, or "
        "revoke that.",
        epilog=EPILOG,
    )
    app.command("list", epilog="Example: deskcrew actions list --json")(list_actions)
    app.command("show", epilog="Example: deskcrew actions show write_file")(show)
    app.command("allow", epilog=ALLOW_EPILOG)(allow)
    app.command("connect", epilog=servers.EPILOG)(servers.connect)
    app.command("revoke", epilog=REVOKE_EPILOG)(revoke)
    return app


def list_actions(json: JsonOption = False) -> None:
    """List the files that add actions here, and their actions. Files that you have not allowed are not executed."""
    from deskcrew.actions.allowed import Allowed
    from deskcrew.engine.request import action_sources

    settings = settings_with(None)
    allowed = Allowed(settings.config).digests()
    rows = [_found_in(source, source.trusted(allowed)) for source in action_sources(settings)]
    if json:
        print_json({"files": [row.as_json() for row in rows]})
        return
    out = console()
    if not rows:
        out.print(Text("No actions besides the built-in ones. To add some, put a file into .deskcrew/actions."))
        return
    table = plain_table("action", "risk", "effect", "does", "file")
    for row in rows:
        where = Text(one_line(row.source.file, 120))
        if row.problem:
            table.add_row(Text("-"), "", "", Text(one_line(row.problem, 200), style="yellow"), where)
        for each in row.actions:
            told = (each.name, each.risk, each.effect, each.summary)
            table.add_row(*(Text(one_line(text, 120)) for text in told), where)
    out.print(table)


def show(name: ShownArgument = "") -> None:
    """Show a built-in action: its parameters, its risk and what it does; without a name, one line for each."""
    from deskcrew.actions import builtin

    there = builtin()
    if name and name not in there:
        told = f"There is no built-in action {name!r}.{did_you_mean(name, there)}"
        raise UsageError(told, hint="deskcrew actions show lists them.")
    out = console()
    for each in (there[name],) if name else there.values():
        told = f"{each.explained()}\n  risk: {each.risk}; effect: {each.effect}" if name else ""
        out.print(f"{each.signature()}: {each.summary}{told}", markup=False, highlight=False)


def allow(file: FileArgument, json: JsonOption = False) -> None:
    """Allow a file of a project to add its actions, as it is now. Its code runs with your permissions: read it first."""
    from deskcrew.actions.added import load, read
    from deskcrew.actions.allowed import Allowed

    source = read(file.absolute(), "project")
    (loaded,) = load([source], [source.digest])  # what does not work need not be allowed
    Allowed(settings_with(None).config).add(source.digest, source.file)
    names = [action.name for action in loaded.actions]
    told = {"file": source.file, "digest": source.digest, "actions": names}
    tell(f"Allowed {source.file}: {', '.join(names)}.", told, json=json)


def revoke(name: NameArgument, json: JsonOption = False) -> None:
    """Revoke the permission for a file of a project to add its actions."""
    from deskcrew.actions.allowed import Allowed

    settings = settings_with(None)
    allowed = Allowed(settings.config)
    there = sorted(set(allowed.digests().values()))
    found = [file for file in there if file == str(Path(name).absolute())]
    found = found or [file for file in there if name in (Path(file).name, Path(file).stem)]
    # Last, since it reads what is there now: a file that cannot be read must not keep another allowed.
    found = found or sorted(_files_with(name, settings).intersection(there))
    if len(found) != 1:
        problem = f"Several allowed files match {name!r}." if found else f"No allowed file or action is called {name!r}."
        listed = ", ".join(found or there)
        raise UsageError(problem, hint=f"Name one by its path: {listed}." if listed else "No file is allowed.")
    allowed.remove(found[0])
    tell(f"{found[0]} is no longer allowed.", {"file": found[0]}, json=json)


def _files_with(action: str, settings: Settings) -> set[str]:
    """The allowed files here that have an action with this name."""
    from deskcrew.actions.allowed import Allowed
    from deskcrew.engine.request import action_sources

    known = Allowed(settings.config).digests()
    rows = [_found_in(source, source.trusted(known)) for source in action_sources(settings)]
    return {row.source.file for row in rows if any(each.name == action for each in row.actions)}


def ask_about_new(settings: Settings, *, json: bool) -> None:
    """Ask the person at the terminal about each file of the project that they have not allowed. Does nothing without a
    terminal, and ends at the first no: starting the run then says what to do."""
    from deskcrew.actions.allowed import Allowed
    from deskcrew.engine.request import action_sources

    if not sys.stdin.isatty():
        return
    allowed, out = Allowed(settings.config), console(stderr=json)
    known = allowed.digests()
    for source in action_sources(settings):
        if source.trusted(known) or (source.origin == "server" and source.server is None):
            continue
        if source.server is not None:
            servers.ask_about(source.server, settings, out, err=json)
            continue
        lines = source.text.splitlines()
        out.print(clean("\n".join(lines[:SHOWN])), style="dim", soft_wrap=True)
        if len(lines) > SHOWN:
            out.print(f"... and {counted(len(lines) - SHOWN, 'line')} more")
        out.print(clean(f"{source.file} adds actions. It is code that runs with your permissions, outside any sandbox."))
        if not typer.confirm("Allow it as it is now?", default=False, err=json):
            return
        allowed.add(source.digest, source.file)


@dataclass(frozen=True, slots=True)
class ActionListing:
    """A file or server that adds actions. ``problem``: why it adds none now, '' if it does."""

    source: ActionSource
    trusted: bool
    actions: tuple[Action, ...] = ()
    problem: str = ""

    def as_json(self) -> JsonObject:
        source = self.source
        actions: list[JsonValue] = [
            {"name": each.name, "does": each.summary, "risk": each.risk, "effect": each.effect, "roles": [*each.roles]}
            for each in self.actions
        ]
        row: JsonObject = {"file": source.file, "from": source.origin, "digest": source.digest, "allowed": self.trusted}
        return {**row, "actions": actions, "problem": self.problem}


def _found_in(source: ActionSource, trusted: bool) -> ActionListing:
    from deskcrew.actions.added import load

    if source.problem:
        return ActionListing(source, trusted, problem=source.problem)
    if not trusted:
        how = f"connect {source.name}" if source.origin == "server" else f"allow {source.file}"
        return ActionListing(source, trusted, problem=f"Not allowed yet: deskcrew actions {how}")
    try:
        (file,) = load([source], [source.digest])
    except ConfigError as error:
        return ActionListing(source, trusted, problem=str(error))
    return ActionListing(source, trusted, tuple(file.actions))

"""``deskcrew actions connect``: start an MCP server that a project names, and show its tools for a person to allow."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.facts.json_values import JsonObject, object_in
from deskcrew.secrets.binding import Secret
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import JsonOption, settings_with
from deskcrew.ways_in.cli.secret import allowed
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from pydantic import JsonValue

    from deskcrew.actions.mcp.manifest import ServerManifest
    from deskcrew.actions.mcp.servers import Server
    from deskcrew.settings import Settings

EPILOG = """Examples: deskcrew actions connect time | deskcrew actions connect tickets --secret tickets-token --yes

It is allowed with the tools that it has now: if one of them changes, you are asked again.
Details: `deskcrew docs use-mcp-servers`."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A server in .mcp.json.", show_default=False)]
YesOption = Annotated[bool, typer.Option("--yes", help="Allow its tools without asking.")]
NetworkOption = Annotated[
    bool, typer.Option("--network", help="Let the server's program reach every host while it is inspected.")
]
SecretOption = Annotated[
    list[str] | None,
    typer.Option("--secret", metavar="NAME", help="A secret that the server's entry refers to.", show_default=False),
]


def connect(
    name: NameArgument,
    yes: YesOption = False,
    network: NetworkOption = False,
    secret: SecretOption = None,
    json: JsonOption = False,
) -> None:
    """Start a server from .mcp.json in a sandbox, show its tools, and allow them as they are now."""
    from deskcrew.actions.mcp.servers import FILE, find

    settings, there = settings_with(None), find(Path.cwd())
    server = next((each for each in there if each.name == name), None)
    if server is None:
        listed = ", ".join(each.name for each in there)
        hint = f"There are: {listed}." if listed else f"A project names its servers in {FILE}."
        raise UsageError(f"There is no MCP server {name!r} in {Path.cwd() / FILE}.", hint=hint)
    found = look(server, allowed(settings, secret or []), network=network)
    out = console(stderr=json)
    show(server, found, out)
    agreed = yes or (sys.stdin.isatty() and typer.confirm("Allow these tools as they are now?", default=False, err=json))
    if agreed:
        allow(server, found, settings)
        out.print(clean(f"Allowed {server.name}."))
    if json:
        print_json(_told(server, found) | {"allowed": agreed})
    elif not agreed:
        out.print("Nothing was allowed. To allow it without being asked: --yes")


def look(server: Server, secrets: tuple[Secret, ...] = (), *, network: bool = False) -> ServerManifest:
    """The tools that a server offers; starts it for this, in an empty folder. Raises UsageError or ConfigError if it cannot
    be started."""
    from deskcrew.actions.mcp.connection import tools_of
    from deskcrew.actions.sandbox import Sandbox
    from deskcrew.secrets.vault import Vault

    with (
        tempfile.TemporaryDirectory(prefix="deskcrew-") as empty,
        Sandbox(Path(empty), network=network or bool(server.entry.url)) as sandbox,
    ):
        return tools_of(server, sandbox, Vault(secrets))


def show(server: Server, found: ServerManifest, out: Console) -> None:
    """Print what a person should know before allowing a server. The server's own words are in quotes."""
    from deskcrew.environments.describe import quote

    out.print(clean(started(server)), soft_wrap=True)
    out.print("Its tools, in its own words, which nobody has checked; you are asked about each call:")
    left_out = found.left_out()
    for tool in found.tools:
        hints = ", ".join(f"{name}: {value}" for name, value in sorted(tool.annotations.items()))
        unusable = f" (left out: {left_out[tool.name]})" if tool.name in left_out else ""
        out.print(clean(f"  {quote(tool.name, 60)}{unusable}: {quote(tool.description, 2000)} {hints}"), soft_wrap=True)


def started(server: Server) -> str:
    """The text shown before asking for permission to connect: the server's command or address, what it may read and write,
    and the values that it is given."""
    entry = server.entry
    named = object_in(entry.shown().get("headers" if entry.url else "env"))
    given = ", ".join(f"{name}={value}" for name, value in named.items())
    values = f" It is given {given}." if given else ""
    if entry.url:
        return f"The MCP server {server.name} is at {entry.url}.{values}"
    _, paths = server.program()
    sees = [*paths, *(["the workspace"] if entry.deskcrew.workspace else [])]
    writes = ", ".join(server.written()) or "nothing permanent"
    return (
        f"The MCP server {server.name} is the program: {' '.join((entry.command, *entry.args))}\n"
        f"It runs in a sandbox, where it may write to {writes}, and read {', '.join(sees)}.{values}"
    )


def allow(server: Server, found: ServerManifest, settings: Settings) -> None:
    """Allow a server with these tools. Raises ConfigError if that cannot be stored."""
    from deskcrew.actions.added import load, server_source
    from deskcrew.actions.allowed import Allowed
    from deskcrew.actions.mcp.pins import pin

    source = server_source(server, found.text)
    load([source], [source.digest])  # what does not work need not be allowed
    pin(settings.config, server, found)
    allowed = Allowed(settings.config)
    allowed.remove(server.file)  # as it was before
    allowed.add(source.digest, server.file)


def ask_about(server: Server, settings: Settings, out: Console, *, err: bool) -> None:
    """Ask the person at the terminal about a server that they have not allowed in its present form."""
    try:
        out.print(clean(started(server)), soft_wrap=True)
        if not typer.confirm("Start it in the sandbox, to see its tools?", default=False, err=err):
            return
        found = look(server)
        show(server, found, out)
        if typer.confirm("Allow these tools as they are now?", default=False, err=err):
            allow(server, found, settings)
    except DeskcrewError as error:  # the run can do without it
        out.print(clean(f"{error} The run continues without it."), soft_wrap=True)


def _told(server: Server, found: ServerManifest) -> JsonObject:
    from deskcrew.actions.added import server_source

    tools: list[JsonValue] = [tool.model_dump(mode="json") for tool in found.tools]
    digest = server_source(server, found.text).digest
    left_out: JsonObject = {**found.left_out()}
    return {"server": server.name, "file": server.file, "digest": digest, "tools": tools, "left_out": left_out}

"""``deskcrew mcp``: Deskcrew as an MCP server, for other agents."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Literal

import typer

from deskcrew.errors import needing
from deskcrew.ways_in.cli.failing import INTERRUPTED
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    AllowHostOption,
    CrewOptions,
    DataOption,
    PolicyOption,
    UrlOption,
    may,
    settings_with,
    what,
)

EPILOG = """In another agent's .mcp.json: {"mcpServers": {"deskcrew": {"command": "deskcrew", "args": ["mcp"]}}}

Runs continue when it ends; `deskcrew runs` lists them. Details: `deskcrew docs serve-mcp`."""

SERVING = """Serving MCP over standard input and output, for another agent that starts this command itself. Ctrl-C ends it.
Put it into that agent's .mcp.json: {"mcpServers": {"deskcrew": {"command": "deskcrew", "args": ["mcp"]}}}"""

ApproveOption = Annotated[
    bool,
    typer.Option("--may-approve", help="Let the other agent approve operations that a person would be asked about."),
]


FolderOption = Annotated[
    list[Path] | None,
    may(
        "--folder",
        metavar="DIR",
        help="A folder in which the other agent may choose a workspace and files to attach; repeatable.",
    ),
]
ServedDesktopOption = Annotated[
    Literal["virtual", "browser", "none"],
    what("--desktop", help="What its runs work on; none: files and code only. Never your own screen."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantOptions:
    """Options for what the other agent's runs work with."""

    desktop: ServedDesktopOption = "virtual"
    url: UrlOption = None
    folder: FolderOption = None
    allow_host: AllowHostOption = None
    policy: PolicyOption = None


@grouped
def mcp(
    *,
    who: CrewOptions,
    grant: GrantOptions,
    may_approve: ApproveOption = False,
    data: DataOption = None,
) -> None:
    """Do tasks for another agent that speaks the Model Context Protocol (MCP), over standard input and output. You decide
    here what runs work with; the other agent chooses tasks, and files in the folders that you share."""
    if sys.stdin.isatty():  # first of all: what follows takes seconds to load
        # A thread that waits for a line of the terminal cannot be cancelled, and nothing has begun that would be lost.
        signal.signal(signal.SIGINT, _end)
        typer.echo(SERVING, err=True)
    import anyio

    with needing("mcp"):
        from deskcrew.ways_in.cli.mcp_server import Granted, build
    settings = settings_with(data)
    settings = settings.model_copy(update={"model": who.model or settings.model, "crew": who.crew or settings.crew})
    granted = Granted(grant.desktop, grant.url or "", tuple(grant.folder or ()), tuple(grant.allow_host or ()), grant.policy)
    server = build(settings, granted, may_approve=may_approve)
    anyio.run(server.run_stdio_async)


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)

"""``deskcrew mcp``: Deskcrew as an MCP server, for other agents."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.cli.options import DataOption, settings_with

EPILOG = """In another agent's .mcp.json: {"mcpServers": {"deskcrew": {"command": "deskcrew", "args": ["mcp"]}}}

Runs go on when it ends; `deskcrew runs` lists them. Details: docs/how-to/serve-mcp.md."""

ApproveOption = Annotated[
    bool,
    typer.Option("--may-approve", help="Let the other agent approve what a person would be asked about."),
]


def mcp(may_approve: ApproveOption = False, data: DataOption = None) -> None:
    """Serve runs to another agent by the Model Context Protocol, over standard input and output."""
    import anyio

    from deskcrew.errors import UsageError, extra_installed

    try:
        from deskcrew.cli.mcp_server import build
    except ImportError as error:
        raise UsageError("This needs a library that is not installed.", hint=extra_installed("mcp")) from error
    anyio.run(build(settings_with(data), may_approve=may_approve).run_stdio_async)

"""``deskcrew a2a``: Deskcrew as an agent of the Agent2Agent protocol, for other agents."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

import typer

from deskcrew.errors import needing
from deskcrew.ways_in.cli.options import CrewOption, DataOption, ModelOption, settings_with, what
from deskcrew.ways_in.cli.serve import TokenOption

EPILOG = """Example: DESKCREW_TOKEN=... deskcrew a2a --port 8710 --desktop none

It can be reached only from this machine, and only with the token. Runs continue when it ends; `deskcrew runs` lists them.
Details: `deskcrew docs serve-a2a`."""

ApproveOption = Annotated[
    bool, typer.Option("--may-approve", help="Let the other agent approve operations that a person would be asked about.")
]
PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, metavar="N", help="Port; 0: any free one.")]
ServedDesktopOption = Annotated[
    Literal["virtual", "browser", "none"],
    what("--desktop", help="What its runs work on; none: files and code only. Never your own screen."),
]


def a2a(
    port: PortOption = 8710,
    token: TokenOption = "",
    model: ModelOption = None,
    crew: CrewOption = None,
    desktop: ServedDesktopOption = "virtual",
    may_approve: ApproveOption = False,
    data: DataOption = None,
) -> None:
    """Do tasks for other agents that speak the Agent2Agent protocol (A2A), over HTTP on this machine."""
    import anyio

    from deskcrew.engine.request import make_data_folder
    from deskcrew.ways_in.cli.served import Served

    with needing("a2a"):
        from deskcrew.ways_in.cli.a2a_server import build
        from deskcrew.ways_in.web.access import checked_token
        from deskcrew.ways_in.web.serving import listen, server
    settings = settings_with(data)
    make_data_folder(settings)
    settings = settings.model_copy(update={"model": model or settings.model, "crew": crew or settings.crew})
    place = listen("127.0.0.1", port, ())
    given = checked_token(token) if token else secrets.token_urlsafe(32)
    app = build(Served(settings, may_approve=may_approve), place.origins[0], given, desktop)
    print(f"An agent of the A2A protocol is at {place.origins[0]}", flush=True)
    if not token:
        print(f"Its bearer token: {given}", flush=True)

    async def serve() -> None:
        await server(app, place).serve(sockets=[place.socket])

    try:
        anyio.run(serve)
    finally:
        place.socket.close()

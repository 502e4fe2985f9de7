"""``deskcrew serve``: Deskcrew in a browser, on this machine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from deskcrew.errors import UsageError, needing
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import DataOption, open_run, settings_with
from deskcrew.ways_in.web.access import Access, checked_token, key_in

if TYPE_CHECKING:
    from deskcrew.ways_in.web.serving import ListenPlace

EPILOG = """Examples:

deskcrew serve --open

deskcrew serve --open --run last

ssh -L 8700:127.0.0.1:8700 desk.example.org deskcrew serve --port 8700

DESKCREW_TOKEN=... deskcrew serve --host 0.0.0.0 --origin https://desk.example.org:8700 --certificate c.pem --key k.pem

The link that it prints works once; Enter prints another. Ctrl-C ends the server, but no runs: they continue, and are shown
again when it is restarted."""

HostOption = Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=0,
        max=65535,
        metavar="N",
        help="Port to listen on; 0: any free one.",
        show_default="8700, or the next one free",
    ),
]
TokenOption = Annotated[
    str,
    typer.Option(
        "--token",
        metavar="TOKEN",
        envvar="DESKCREW_TOKEN",
        help="A token with which one can also sign in, any number of times.",
        show_default="links only",
    ),
]
OriginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--origin",
        metavar="URL",
        help="Another address at which it can be reached, e.g. http://192.168.1.5:8700; repeatable.",
    ),
]
CertificateOption = Annotated[Path | None, typer.Option("--certificate", metavar="FILE", help="TLS certificate (PEM).")]
KeyOption = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="Its private key (PEM).")]
RunOption = Annotated[
    str | None, typer.Option("--run", metavar="RUN", help="Have the link lead to this run.", show_default="all runs")
]
OpenOption = Annotated[bool, typer.Option("--open", help="Open it in your browser.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenOptions:
    """Options for where the server listens, and who gets in."""

    host: HostOption = "127.0.0.1"
    port: PortOption = None
    token: TokenOption = ""
    origin: OriginOption = None
    certificate: CertificateOption = None
    key: KeyOption = None


@grouped
def serve(
    *,
    options: ListenOptions,
    open_: OpenOption = False,
    run: RunOption = None,
    data: DataOption = None,
) -> None:
    """Start tasks, watch them, approve or deny steps, and look at past runs in a browser.

    By default it can be reached only from this machine, and only with the link that it prints.
    """
    import anyio

    from deskcrew.engine.request import make_data_folder

    with needing("web"):
        from deskcrew.ways_in.web.app import create_app
        from deskcrew.ways_in.web.serving import is_local, listen
    settings, host, token, origin = settings_with(data), options.host, options.token, options.origin
    several = bool(settings.web.identity_header)
    hint = "Set DESKCREW_TOKEN (or --token) to a long random value."
    if not is_local(host) and not token:
        raise UsageError(f"A server on {host} can be reached by other machines, so it needs a token.", hint=hint)
    if several and not token:
        raise UsageError("The proxy that names the person must identify itself with a token.", hint=hint)
    if several and not origin:
        hint = "Give the address of the proxy: --origin https://desk.example.org"
        raise UsageError("The server has to know the proxy's address, which people open.", hint=hint)
    if several and settings.person:
        raise UsageError("The setting person is for commands; a server with web.identity_header serves several people.")
    make_data_folder(settings)
    shown = open_run(data, run).run if run is not None else ""
    access = Access(key_in(settings.data), token=checked_token(token) if token else "", folder=settings.data)
    place = listen(host, options.port, origin or (), certificate=options.certificate, key=options.key)
    app = create_app(settings, access, place.origins)
    if several:
        print(f"Deskcrew is behind the proxy at {place.origins[0]}. Ctrl-C ends the server, but no runs.", flush=True)
        anyio.run(_served, app, place)
    else:
        anyio.run(_serve, app, place, access, open_, shown)


async def _served(app: object, place: ListenPlace) -> None:
    from starlette.types import ASGIApp

    from deskcrew.ways_in.web.serving import server, settle_memory

    settle_memory()
    try:
        await server(cast("ASGIApp", app), place).serve(sockets=[place.socket])
    finally:
        place.socket.close()


async def _serve(app: object, place: ListenPlace, access: Access, opened: bool, run: str) -> None:
    import asyncio

    from deskcrew.ways_in.web.gate import entry

    def told(words: str) -> str:
        link = entry(place.origins[0], access.link(), run)
        # Soft: a terminal must not break the link in two. At once: whoever reads a pipe waits for it.
        print(f"{words}\n\n    {link}\n", flush=True)
        return link

    link = told("Open Deskcrew in your browser with this link, which works once:")
    print("Enter prints another link; Ctrl-C ends the server, but no runs.", flush=True)
    if opened:
        typer.launch(link)
    loop = asyncio.get_running_loop()
    reads = sys.stdin.isatty()
    if reads:
        loop.add_reader(sys.stdin.fileno(), lambda: sys.stdin.readline() and told("Another link:"))
    try:
        await _served(app, place)
    finally:
        if reads:
            loop.remove_reader(sys.stdin.fileno())

"""The command ``deskcrew-windows-agent``."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from deskcrew_windows_agent.answering import Agent
from deskcrew_windows_agent.files import Folder
from deskcrew_windows_agent.machine import Machine
from deskcrew_windows_agent.overseeing import Watch
from deskcrew_windows_agent.protocol import LOOPBACK
from deskcrew_windows_agent.report import report
from deskcrew_windows_agent.serving import serve_stdio, serve_websocket

DESCRIPTION = """Let a Deskcrew run operate this desktop, over standard input and output, or with --listen over the network.
Whoever sits here ends it by holding Esc, or by pushing the pointer into the top left corner."""


def main(arguments: list[str] | None = None) -> int:
    """Serve this desktop. Returns an exit code."""
    parser = argparse.ArgumentParser("deskcrew-windows-agent", description=DESCRIPTION)
    parser.add_argument("--folder", type=Path, metavar="DIR", help="a folder whose files the run may read and write")
    parser.add_argument("--listen", metavar="[HOST:]PORT", help="wait for runs there; another host than this needs TLS")
    parser.add_argument(
        "--certificate", type=Path, metavar="FILE", help="a PEM file with a certificate and its key, for TLS"
    )
    parser.add_argument("--report", action="store_true", help="print what to send when something does not work, and end")
    given = parser.parse_args(arguments)
    watch = Watch()

    def machine() -> Machine:
        from deskcrew_windows_agent.automation import Automation

        return Automation(watch)

    if given.report:
        print(report(machine))
        return 0
    if given.folder is not None and not given.folder.is_dir():
        parser.error(f"there is no folder {given.folder}")
    folder = Folder(given.folder)
    if given.listen is None:
        serve_stdio(Agent(machine, folder, watch=watch), sys.stdin.buffer, sys.stdout.buffer)
        return 0
    host, _, port = given.listen.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or not 0 < int(port) < 65536:
        parser.error(f"{given.listen} is not [HOST:]PORT")
    if host not in LOOPBACK and given.certificate is None:
        parser.error(
            f"--listen {given.listen} can be read by others on the network: give a --certificate, or forward a port"
        )
    token = secrets.token_urlsafe(24)
    agent = Agent(machine, folder, token, watch)

    def ready(_: int) -> None:
        print(f"DESKCREW_AGENT_TOKEN={token}", "This is shown once. Set it where the run is started.", sep="\n", flush=True)

    try:
        serve_websocket(agent, host, int(port), given.certificate, watch.stopped, ready)
    except OSError as error:
        parser.error(f"nobody can be served at {given.listen}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

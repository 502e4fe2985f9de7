"""``deskcrew doctor``: what works here, what does not, and the command that fixes it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from deskcrew.errors import ConfigError
from deskcrew.facts.system_packages import install, installing
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.checks import CheckFinding

EPILOG = """Examples: deskcrew doctor | deskcrew doctor --fix | deskcrew doctor --notify | deskcrew doctor --json

Exit codes: 0 if a run with your settings can work, 4 if something that it needs is missing."""


FixOption = Annotated[bool, typer.Option("--fix", help="Install missing system packages, with sudo unless you are root.")]
NotifyOption = Annotated[bool, typer.Option("--notify", help="Send a notification, to try your settings.")]


def doctor(fix: FixOption = False, notify: NotifyOption = False, json: JsonOption = False, data: DataOption = None) -> None:
    """Check what works on this machine and what does not, with the command that fixes it."""
    from deskcrew.ways_in.cli import checks

    settings, findings = _settings(data)
    if settings is not None:
        found = checks.examine(settings)
        lacking = sorted({name for finding in found for name in finding.packages})
        if fix and lacking and _installed(lacking):
            found = checks.examine(settings)
        findings += found
        findings += [_notified(settings)] if notify else []
    ready = all(finding.state != "missing" for finding in findings)
    code = 0 if ready else 4
    if json:
        print_json({"ready": ready, "checks": [finding.as_json() for finding in findings], "exit_code": code})
    else:
        _print(findings, ready=ready)
    raise typer.Exit(code)


def _settings(data: Path | None) -> tuple[Settings | None, list[CheckFinding]]:
    """The settings and a finding about them; None if the settings are invalid."""
    from deskcrew.settings import settings_file
    from deskcrew.ways_in.cli.checks import CheckFinding

    try:
        settings = settings_with(data)
    except ConfigError as error:
        return None, [CheckFinding("settings", "missing", str(error), f"Correct it in {settings_file()} or in DESKCREW_*.")]
    file = settings_file()
    found = f"{file}" if file.exists() else f"defaults; {file} does not exist"
    return settings, [CheckFinding("settings", "ok", f"{found}; model {settings.model}, crew {settings.crew}")]


def _notified(settings: Settings) -> CheckFinding:
    """Send a notification now; a finding that says whether that worked."""
    import anyio

    from deskcrew.engine.notifying import News, stored, tell
    from deskcrew.ways_in.cli.checks import CheckFinding

    told = settings.notify
    session = "the desktop session" if told.desktop and os.environ.get("DBUS_SESSION_BUS_ADDRESS") else ""
    if not (ways := [way for way in (told.webhook, told.ntfy, session) if way]):
        return CheckFinding("notifications", "note", "there is nowhere to send them: set [notify] in settings.toml")
    wrong: list[str] = []
    news = News(task="A test of the notifications", run="", outcome="done", why="deskcrew doctor --notify sent this.")
    anyio.run(tell, news, told, stored(settings), wrong.append)
    if wrong:
        return CheckFinding("notifications", "note", "; ".join(each.rstrip(".") for each in wrong))
    return CheckFinding("notifications", "ok", f"sent: {', '.join(ways)}")


def _installed(packages: list[str]) -> bool:
    """Install packages, showing the command and its output; returns whether that worked."""
    out = console(stderr=True)
    command = installing(*packages)
    if not command:
        out.print(install(*packages), soft_wrap=True)
        return False
    manager = command[0]
    steps = [[manager, "update"]] if manager == "apt" else []  # without its lists it finds nothing
    return all(_done(step, out) for step in (*steps, [*command[:2], "-y", *command[2:]]))


def _done(command: list[str], out: Console) -> bool:
    command = command if os.geteuid() == 0 else ["sudo", *command]
    out.print(shlex.join(command), soft_wrap=True)
    if shutil.which(command[0]) is None:
        out.print(f"There is no {command[0]} here.")
        return False
    # What it prints is for the person; standard output may be ours for JSON.
    return subprocess.run(command, stdout=2, check=False).returncode == 0


def _print(findings: list[CheckFinding], *, ready: bool) -> None:
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    marks = {"ok": ("✓", "green"), "note": ("-", "yellow"), "missing": ("✗", "red")}
    for finding in findings:
        mark, style = marks[finding.state]
        text = Text(clean(finding.text))
        if finding.mend:
            text.append(f"\n→ {clean(finding.mend)}", style="cyan")
        table.add_row(Text(mark, style=style), Text(finding.name, style="bold"), text)
    out = console()
    out.print(table)
    good = Text('Ready: deskcrew run "..." can work here.', style="green")
    out.print(good if ready else Text("Not ready: fix what is marked with ✗.", style="red"))

"""``deskcrew doctor``: what works here, what does not, and the command that fixes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deskcrew.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from deskcrew.cli.checks import Finding
    from deskcrew.settings import Settings

EPILOG = """Examples: deskcrew doctor | deskcrew doctor --json

Exit codes: 0 when a run with your settings can work, 4 when something that it needs is missing."""


def doctor(json: JsonOption = False, data: DataOption = None) -> None:
    """Check what works on this machine and what does not, with the command that fixes it."""
    from deskcrew.cli import checks
    from deskcrew.cli.console import print_json

    settings, findings = _settings(data)
    if settings is not None:
        findings += checks.examine(settings)
    ready = all(finding.state != "missing" for finding in findings)
    code = 0 if ready else 4
    if json:
        print_json({"ready": ready, "checks": [finding.as_json() for finding in findings], "exit_code": code})
    else:
        _print(findings, ready=ready)
    raise typer.Exit(code)


def _settings(data: Path | None) -> tuple[Settings | None, list[Finding]]:
    """The settings and a finding about them; None if they do not parse."""
    from deskcrew.cli.checks import Finding, settings_file
    from deskcrew.errors import ConfigError

    try:
        settings = settings_with(data)
    except ConfigError as error:
        return None, [Finding("settings", "missing", str(error), f"Correct it in {settings_file()} or in DESKCREW_*.")]
    file = settings_file()
    found = f"{file}" if file.exists() else f"defaults; {file} does not exist"
    return settings, [Finding("settings", "ok", f"{found}; model {settings.model}, crew {settings.crew}")]


def _print(findings: list[Finding], *, ready: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from deskcrew.cli.console import console
    from deskcrew.report.text import clean

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

"""``deskcrew verify RUN``: whether a run's record is what was written, and what that proves."""

from __future__ import annotations

import typer

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, existing_journal

EPILOG = "Examples: deskcrew verify last | deskcrew verify 0317 --json. Exit code 0: the chain holds; 4: it does not."

PROVES = (
    "Every event's hash covers its content and the event before it, and every blob has the hash it is named by: nothing was "
    "changed, taken out or put in between without all later hashes changing too."
)
NOT = (
    "It does not prove who wrote it: there is no key in it, so whoever can write the file can make another chain that "
    "holds. Note the last event's id somewhere else to know that it is this one. Nor does it prove that what a program told "
    "the crew was true."
)


def verify(run: RunArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Check the chain of hashes of a run, and say what that proves and what not."""
    from rich.text import Text

    from deskcrew.cli.console import console, print_json
    from deskcrew.cli.text import clean
    from deskcrew.journal.store import Store

    # By its rows, not by its fold: what cannot be read must be told as well.
    report = Store(existing_journal(data)).verified(run)
    problems = list(report.problems)
    if json:
        value = {"run": report.run, "events": report.events, "head": report.head, "redacted": report.redacted}
        print_json(value | {"holds": not problems, "problems": problems, "proves": PROVES, "does_not_prove": NOT})
    else:
        out = console()
        for problem in problems:
            out.print(Text(f"✗ {clean(problem)}", style="red"), soft_wrap=True)
        if not problems:
            redacted = f", of {report.redacted} of them only the hashes" if report.redacted else ""
            out.print(Text(f"✓ The chain of run {report.run} holds: {report.events} events{redacted}.", style="green"))
            out.print(Text(f"Last event: {report.head}"), soft_wrap=True)
        out.print(Text(f"What this proves: {PROVES}", style="dim"), soft_wrap=True)
        out.print(Text(f"What not: {NOT}", style="dim"), soft_wrap=True)
    raise typer.Exit(4 if problems else 0)

"""``deskcrew verify RUN``: check whether a run's record is what was written, and say what that proves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, tell
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, existing_journal, run_named
from deskcrew.ways_in.report.text import clean, counted, some

if TYPE_CHECKING:
    from deskcrew.journal.journal import Journal
    from deskcrew.journal.later import Later
    from deskcrew.journal.verify import Report

EPILOG = (
    "Examples: deskcrew verify last | deskcrew verify 0317 --head 5d41… | deskcrew verify 0317 --json. "
    "Exit code 0: the chain holds; 3: it does, but files that the run made or used were changed or removed since, which are "
    "named; 4: it does not."
)

PROVES = (
    "Every event's hash covers its content and the event before it, and every blob, including the files of save points, has "
    "the hash it is named by: nothing was changed, removed or inserted without all later hashes changing, too."
)
PROVES_PARTLY = (
    "Every event's hash covers its place, kind, time and cause and the event before it: no event was removed, inserted or "
    "moved without all later hashes changing, too. {proven}"
)
NOT_SHOWN = (
    "Texts were removed from {which} before the run was imported, and no hash covers the contents that are left: whoever "
    "made the file could have written other figures, verdicts and outcomes there."
)
NOT = (
    "It does not prove who wrote it: there is no key in it, so anyone who can write the journal and the file of last events "
    "beside it can make another valid chain. Keep the fingerprint where they cannot write, and give it with --head. "
    "Nor does it prove that what a program told the crew was true."
)
NOTED = "Up to event {noted} it matches the file of last events, written when the run ended, was left or was last verified."
RUNNING = "It is still running: its last event is noted in the file of last events when it ends."
NOT_NOTED = "The file of last events had no entry for it: its end may have been cut off before today."
COPIES = "It worked on copies of {}: whether the originals were changed since is not looked at."
_DIGITS = 64
SHOWN = 5
"""The maximum number of problems listed; the others are counted, and the JSON has all."""


HeadOption = Annotated[
    str, typer.Option("--head", metavar="HASH", help="An event id that was kept elsewhere and that the run must contain.")
]


def verify(run: RunArgument, head: HeadOption = "", json: JsonOption = False, data: DataOption = None) -> None:
    """Check the hash chain of a run, and say what that proves and what it does not."""
    from deskcrew.journal.later import changed_after
    from deskcrew.ways_in.report import render

    head = head.strip().casefold()
    if head and (len(head) != _DIGITS or not set(head) <= set("0123456789abcdef")):
        raise UsageError(
            f"{head[:_DIGITS]!r} is not the id of an event.", hint="It has 64 hexadecimal digits, as verify prints it."
        )

    # By its rows, not by its fold: what cannot be read must be told as well.
    store = existing_journal(data)
    report = store.verified(run_named(store, run), head=head)
    problems = list(report.problems)
    journal = None if problems else store.journal(report.run)
    since = changed_after(journal) if journal is not None else {}
    value = {"run": report.run, "events": report.events, "head": report.head, "redacted": report.redacted}
    value |= {"blobs": report.blobs, "noted": report.noted}
    value |= {"holds": not problems, "problems": problems, **after_json(since)}
    value |= {"proves": proves(report), "does_not_prove": does_not_prove(report)}
    after = [Text(f"! {render.changed_after(since)}", style="bold yellow")] if since else []
    begun = journal.state.started if journal is not None else None
    copied = [Text(COPIES.format(some(begun.attachments, SHOWN)))] if begun is not None and begun.attachments else []
    tell([*_in_words(report), *copied, *after], value, json=json)
    raise typer.Exit(4 if problems else 3 if since else 0)


def told_first(journal: Journal) -> list[str]:
    """Verify the record of a run before a command shows it. Returns its problems; if there are any, a warning is printed
    on standard error."""
    from deskcrew.ways_in.report.inspection import altered

    problems = journal.verify()
    if told := altered(journal.run, problems):
        console(stderr=True).print(told, style="bold red", soft_wrap=True)
    return problems


def after_json(since: Mapping[str, Later]) -> dict[str, list[str]]:
    """The files that were changed after the run, as lists of paths by what happened to them."""
    from deskcrew.journal.later import FATES

    return {f"{word}_after": [path for path, now in since.items() if now == word] for word in FATES}


def proves(report: Report) -> str:
    """What the record proves, in words; '' if it does not verify."""
    if report.problems:
        return ""
    noted = NOTED.format(noted=report.noted) if report.noted else RUNNING if report.running else NOT_NOTED
    if not report.redacted:
        return f"{PROVES} {noted}"
    left = report.events - report.redacted
    proven = f"Of {left} of them it covers the content as well." if left else ""
    return f"{PROVES_PARTLY.format(proven=proven).rstrip()} {noted}"


def does_not_prove(report: Report) -> str:
    """What the record does not prove, in words."""
    if report.problems:
        return "From the first of these events on, the record may not be what happened."
    if not report.redacted:
        return NOT
    return f"{NOT_SHOWN.format(which=_which(report))} {NOT}"


def _which(report: Report) -> str:
    return f"all {report.events} events" if report.redacted == report.events else f"{report.redacted} events"


def _in_words(report: Report) -> Iterator[Text]:
    for problem in report.problems[:SHOWN]:
        yield Text(f"✗ {clean(problem)}", style="red")
    if len(report.problems) > SHOWN:
        yield Text(f"✗ and {len(report.problems) - SHOWN} more; --json has all of them", style="red")
    if report.problems:
        yield Text(f"The record of run {report.run} is not what was written.", style="bold red")
        yield Text(does_not_prove(report), style="dim")
        return
    events, blobs = counted(report.events, "event"), counted(report.blobs, "blob")
    yield Text(f"✓ The chain of run {report.run} holds: {events}, {blobs}.", style="green")
    if report.redacted:
        yield Text(f"! The contents of {report.redacted} of them are not proven: redacted.", style="bold yellow")
    yield Text(f"Fingerprint of the record, which is the id of its last event: {report.head}")
    yield Text(f"What this proves: {proves(report)}", style="dim")
    yield Text(f"What this does not prove: {does_not_prove(report)}", style="dim")

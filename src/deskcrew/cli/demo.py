"""``deskcrew demo``: a chore that is proven, told to somebody who has never seen one."""

from __future__ import annotations

import secrets
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.options import DataOption, settings_with

if TYPE_CHECKING:
    from rich.console import Console

    from deskcrew.cli.telling import Story
    from deskcrew.demo.chore import Chore
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings

EPILOG = """Examples:

deskcrew demo

deskcrew demo --break

A strong model's replies to the chore were recorded and ship with Deskcrew; no model is asked and nothing is sent. Everything
else is live. The recorded first claim leaves a part of the task out, so that you see it rejected. With --break one file is
altered, so that the replies are wrong: exit code 0 if the run then does not end "done"."""

WRONG = 4
"""The exit code of an act that ended otherwise than it must."""
PRICED = "openai:gpt-5-mini"
"""The hosted model by whose list price is told what the replies would have cost."""

BreakOption = Annotated[
    bool, typer.Option("--break", help="Alter one file, so that the recorded replies are wrong: it must not end done.")
]
ShowOption = Annotated[bool, typer.Option("--open", help="Open the page of the run in your browser at the end.")]


def demo(break_: BreakOption = False, open_: ShowOption = False, data: DataOption = None) -> None:
    """Watch a chore being done on a desktop of its own, rejected, repaired and proven. Needs no model and no key."""
    from deskcrew.cli.console import console
    from deskcrew.request import make_data_folder

    settings, out = settings_with(data), console()
    make_data_folder(settings)
    code, journal = _recorded(settings, out, broken=break_)
    if open_ and journal is not None:
        from deskcrew.cli.serve import show

        show(journal.run, data)
    raise typer.Exit(code)


def _recorded(settings: Settings, out: Console, *, broken: bool) -> tuple[int, Journal | None]:
    """The chore by the recorded replies. Returns the exit code, and the run."""
    from rich.panel import Panel

    from deskcrew.cli.watched import perform
    from deskcrew.demo import chore
    from deskcrew.request import RunRequest

    month = chore.broken() if broken else chore.RECORDED
    folder = _folder(settings, month)
    out.print(Panel(chore.TASK, title="The chore", title_align="left", padding=(0, 1)))
    out.print(
        "The model's replies were recorded; no model is asked now. Everything else is live: the desktop, Chromium, the text "
        "editor, the files, the programs that check."
    )
    if broken:
        out.print("One file was altered since: a trip in the workbook is 100 km longer. The replies do not know that.")
    request = RunRequest(
        task=chore.TASK, model=f"recorded:{chore.REPLIES}", workspace=folder, limits=settings.limits, without=("skills",)
    )
    code, journal = perform(request, settings, json=False, told=_story(out))
    if journal is None:
        return code, None
    right = _ended_broken(journal, out) if broken else _ended(journal, settings, out)
    out.print(f"The folder it worked in: {folder}\nThe whole run again: {called()} log {journal.run}", soft_wrap=True)
    return 0 if right else code or WRONG, journal


def _folder(settings: Settings, month: Chore) -> Path:
    folder = settings.data / "workspaces" / f"demo-{secrets.token_hex(3)}"
    folder.mkdir(parents=True, mode=0o700)
    month.put(folder)
    return folder


def _story(out: Console) -> Story:
    import time

    from deskcrew.cli.telling import Story

    return Story(time.sleep if out.is_terminal else lambda _: None)


def _ended(journal: Journal, settings: Settings, out: Console) -> bool:
    """Say how it ended, and what it would have cost. Whether it is done."""
    from deskcrew.models.prices import MILLION, price_of, source
    from deskcrew.report.render import outcome_words
    from deskcrew.report.text import clean, money

    outcome, spent = journal.state.outcome, journal.state.spent
    if outcome is None or outcome.status != "done":
        told = outcome_words(outcome) if outcome is not None else "interrupted"
        out.print(f"✗ {clean(told)}. {clean(outcome.why if outcome is not None else journal.state.interrupted)}")
        return False
    out.print(f"✓ done. Every requirement was seen to hold; {clean(outcome.strength.words)}.")
    price, known = price_of(PRICED, settings.prices), source(PRICED, settings.prices)
    if price is not None:
        cost = (spent.input * price.input + spent.output * price.output) / MILLION
        tokens = f"some {spent.input:,} tokens of prompts and {spent.output:,} of replies"
        out.print(f"It cost nothing. With {PRICED} it would have been about {money(cost)}: {tokens} ({clean(known)}).")
    return True


def _ended_broken(journal: Journal, out: Console) -> bool:
    """Say what the check saw. Whether it ended as it must: not done, and for what was altered."""
    from deskcrew.report.text import clean

    outcome, proven = journal.state.outcome, journal.state.proven
    if outcome is None or outcome.status == "done" or proven is None or not proven.failing:
        how = outcome.status if outcome is not None else "interrupted"
        out.print(f"✗ It ended {how}, and no requirement was seen to fail. It had to be rejected for the altered file.")
        return False
    out.print(f"✓ It ended {outcome.status}, as it must. The check saw:")
    for proof in proven.failing:
        out.print(f"  {clean(proof.found)}", soft_wrap=True)
    return True


def called() -> str:
    """The command that runs this program: its folder need not be on the PATH."""
    return "deskcrew" if shutil.which("deskcrew") else sys.argv[0]

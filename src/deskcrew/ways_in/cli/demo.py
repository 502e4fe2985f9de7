"""``deskcrew demo``: a chore done and proven, with comments for newcomers."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.panel import Panel

from deskcrew.errors import UsageError, needing
from deskcrew.facts.system_packages import install
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.options import LARGEST_SEED, DataOption, not_empty, settings_with
from deskcrew.ways_in.report.text import EXAMPLE, clean, money

if TYPE_CHECKING:
    from deskcrew.facts.verdict import Outcome
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings
    from deskcrew.ways_in.cli.fetching import Fetching
    from deskcrew.ways_in.cli.telling import Story
    from deskcrew.ways_in.demo.chore import Chore

EPILOG = """Examples:

deskcrew demo

deskcrew demo --break

deskcrew demo --yes --seed 3

A strong model's replies to the first chore were recorded and ship with Deskcrew; no model is asked, and nothing is sent.
Everything else is live. The first recorded claim leaves out a part of the task, so that you see it rejected. The proven run
becomes a skill, with which the local model (1.1 GB, fetched meanwhile) does the next month once you have confirmed that it
understood the task; --yes confirms this in advance. With --break one file is altered, so that the recorded replies are
wrong: exit code 0 if the run then does not end "done"."""

WRONG = 4
"""The exit code of an act that ended other than it must."""
STANDS = "the recorded replies know only the original file and cannot repair this, so the rejection stands."
PRICED = "openai:gpt-5-mini"
"""The hosted model from whose list price it is worked out what the replies would have cost."""

BreakOption = Annotated[
    bool, typer.Option("--break", help="Alter one file, so that the recorded replies are wrong: it must not end done.")
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Do not ask whether the small model understood the second month; assume that it did.")
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, max=LARGEST_SEED, metavar="N", help="Selects the second month, from many.")
]
ModelOption = Annotated[
    str, typer.Option("--model", parser=not_empty, metavar="MODEL", help="The small model for the second month.")
]
ShowOption = Annotated[bool, typer.Option("--open", help="Open the page of the run in your browser at the end.")]


def demo(
    break_: BreakOption = False,
    yes: YesOption = False,
    seed: SeedOption = 1,
    model: ModelOption = "local",
    open_: ShowOption = False,
    data: DataOption = None,
) -> None:
    """Watch a chore being done, rejected, repaired and proven; then a small model does it again. Needs no key."""
    from deskcrew.engine.request import make_data_folder
    from deskcrew.models.factory import check_there
    from deskcrew.models.options import ModelOptions
    from deskcrew.models.store import WeightStore
    from deskcrew.ways_in.cli.fetching import Fetching

    settings, out = settings_with(data), console()
    _check_programs()
    if model != "local":  # which is fetched meanwhile
        check_there(model, ModelOptions.of(settings))
    make_data_folder(settings)
    fetching = Fetching(WeightStore(settings.models)) if model == "local" and not break_ else None
    code, journal = _recorded(settings, out, fetching, broken=break_)
    if code == 0 and journal is not None and not break_:
        if fetching is not None and not fetching.wait(out):
            out.print(
                f"\nThe second act is left out, since the local model could not be fetched: {fetching.error}", soft_wrap=True
            )
        else:
            code = _again(journal, settings, out, model=model, seed=seed, yes=yes)
    if journal is not None:
        out.print("\nNext, a chore of your own: say in plain words what should be done, and with which file.")
        out.print("The local model does what `deskcrew skill list --shipped` lists; all else needs a model that reasons.")
        out.print("  printf 'Name,Amount\\nAda,3\\nBo,20\\n' > sales.csv    (or one of yours)", soft_wrap=True)
        out.print(f'  {called()} "{EXAMPLE}" --workspace .    (the files that it makes are saved here)', soft_wrap=True)
        out.print(f"  {called()} serve --open    (the same in your browser)", soft_wrap=True)
    if open_ and journal is not None:
        from deskcrew.ways_in.cli.serve import serve

        serve(open_=True, run=journal.run, data=data)
    raise typer.Exit(code)


def _check_programs() -> None:
    """Raise UsageError if a program that the recorded replies use is not installed."""
    from deskcrew.environments.linux.applications import installed

    with needing("files"):
        from deskcrew.ways_in.demo.chore import PROGRAMS

    if missing := [package for name, package in PROGRAMS.items() if name not in installed()]:
        hint = f"{install(*missing)}    (in a clone: make setup)"
        raise UsageError(f"The demo needs {' and '.join(missing)}, which is not installed.", hint=hint)


def _recorded(settings: Settings, out: Console, fetching: Fetching | None, *, broken: bool) -> tuple[int, Journal | None]:
    """Do the chore with the recorded replies. Returns the exit code, and the run."""
    from deskcrew.engine.request import RunRequest
    from deskcrew.ways_in.cli.watched import perform
    from deskcrew.ways_in.demo import chore

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
    code, journal = perform(request, settings, json=False, told=_story(out, fetching, stands=STANDS if broken else ""))
    if journal is None:
        return code, None
    right = _ended_broken(journal, out) if broken else _ended(journal, settings, out)
    _where(out, folder, journal)
    return 0 if right else code or WRONG, journal


def _folder(settings: Settings, month: Chore) -> Path:
    folder = settings.data / "workspaces" / f"demo-{secrets.token_hex(3)}"
    folder.mkdir(parents=True, mode=0o700)
    month.put(folder)
    return folder


def _again(journal: Journal, settings: Settings, out: Console, *, model: str, seed: int, yes: bool) -> int:
    """Do the next month with a small model, and the skill that the first month became. Returns the exit code."""
    from deskcrew.engine.request import RunRequest
    from deskcrew.ways_in.cli.watched import perform
    from deskcrew.ways_in.demo import chore
    from deskcrew.ways_in.demo.learnt import learn

    month = chore.later(seed)
    folder = _folder(settings, month)
    skill, apart = learn(journal, settings, folder.with_name(f"{folder.name}-skill"))
    task = month.asked(chore.REQUEST)
    out.print(
        f"\nThe proven run is kept as a skill, {skill.name}, for this demo alone (for your own: deskcrew skill keep RUN)."
        " The next month has other files, and is asked for in other words:"
    )
    out.print(Panel(clean(task), title="The next month", title_align="left", padding=(0, 1)))
    out.print("A small model on this machine says which skill that is, with which values. Its word alone does not count.")
    here = sys.stdin.isatty() and not yes
    if here:
        out.print("You are asked once whether it has understood: y is yes.")
    request = RunRequest(
        task=task, model=model, workspace=folder, limits=settings.limits, seed=seed, yes=yes,
        mode="passive" if here else "automatic",
    )  # fmt: skip
    code, again = perform(request, apart, json=False, told=_story(out, asked=here))
    if again is None:
        return code
    outcome = again.state.outcome
    if code == 0 and outcome is not None:
        out.print(f"✓ done, offline and free. Every requirement was verified; {clean(outcome.strength.words)}.")
    elif outcome is not None:
        out.print(f"✗ {clean(ended_otherwise(outcome))}")
    _where(out, folder, again)
    return code


def ended_otherwise(outcome: Outcome) -> str:
    """How a run ended that is not done, with the reason unless that repeats what it was understood as."""
    from deskcrew.facts.verdict import UNCONFIRMED
    from deskcrew.ways_in.report.render import outcome_words

    return outcome_words(outcome) if outcome.reason == UNCONFIRMED else f"{outcome.status}: {outcome.why or outcome.reason}"


def _where(out: Console, folder: Path, journal: Journal) -> None:
    """Print where the run's files are, and the commands that show it."""
    out.print(f"The folder it worked in: {folder}", soft_wrap=True)
    out.print(f"The whole run again: {called()} log {journal.run}", soft_wrap=True)
    out.print(f"Its page in your browser: {called()} serve --open --run {journal.run}", soft_wrap=True)


def _story(out: Console, fetching: Fetching | None = None, *, asked: bool = False, stands: str = "") -> Story:
    from deskcrew.ways_in.cli.telling import Story

    def pause(seconds: float) -> None:
        if out.is_terminal:
            time.sleep(seconds)

    return Story(pause, lambda: fetching.told if fetching is not None else "", asked=asked, stands=stands)


def _ended(journal: Journal, settings: Settings, out: Console) -> bool:
    """Print how the run ended, and what it would have cost; returns whether it is done."""
    from deskcrew.models.prices import MILLION, price_of, source
    from deskcrew.ways_in.report.render import outcome_words

    outcome, spent = journal.state.outcome, journal.state.spent
    if outcome is None or outcome.status != "done":
        told = outcome_words(outcome) if outcome is not None else "interrupted"
        out.print(f"✗ {clean(told)}. {clean(outcome.why if outcome is not None else journal.state.interrupted)}")
        return False
    out.print(f"✓ done. Every requirement was verified; {clean(outcome.strength.words)}.")
    price, known = price_of(PRICED, settings.prices), source(PRICED, settings.prices)
    if price is not None:
        cost = (spent.input * price.input + spent.output * price.output) / MILLION
        tokens = f"some {spent.input:,} tokens of prompts and {spent.output:,} of replies"
        out.print(f"It was free. With {PRICED} it would have cost about {money(cost)}: {tokens} ({clean(known)}).")
    return True


def _ended_broken(journal: Journal, out: Console) -> bool:
    """Print what the check found; returns whether the run ended as it must: rejected because of the altered file."""
    outcome, proven = journal.state.outcome, journal.state.proven
    if outcome is None or outcome.status == "done" or proven is None or not proven.failing:
        how = outcome.status if outcome is not None else "interrupted"
        out.print(f"✗ It ended {how}, and no requirement failed. It should have been rejected because of the altered file.")
        return False
    out.print(f"✓ It ended {outcome.status}, as it must. The check found:")
    for proof in proven.failing:
        out.print(f"  {clean(proof.found)}", soft_wrap=True)
    return True


def called() -> str:
    """The command that runs this program, whose folder need not be on the PATH."""
    return "deskcrew" if shutil.which("deskcrew") else sys.argv[0]

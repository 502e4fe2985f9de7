"""``deskcrew learn SUBJECT``: self-directed lessons on copies, within a time budget."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import CrewOptions, LimitOption, OutputOptions, folder, settings_with
from deskcrew.ways_in.report.text import clean

EPILOG = """Examples:

deskcrew learn "spreadsheets" --budget 30m --from ./books

deskcrew learn "the text editor" --budget 1h --program mousepad

deskcrew learn "our templates" --budget 20m --guide templates.pdf --from ./templates --html report.html

Your files are only copied. Ctrl-C, or `deskcrew stop last`, ends it; what was learnt is kept."""

SubjectArgument = Annotated[str, typer.Argument(metavar="SUBJECT", help="What to learn.", show_default=False)]
BudgetOption = Annotated[
    str, typer.Option("--budget", metavar="TIME", help="How long to learn: 90s, 30m, 2h; at most a week.")
]
FromOption = Annotated[
    Path | None,
    typer.Option(
        "--from",
        parser=folder,
        metavar="DIR",
        help="A folder of yours: lessons are about files of the same types.",
        show_default="none",
    ),
]
GuideOption = Annotated[
    Path | None, typer.Option("--guide", metavar="FILE", help="A guide to make lessons from.", show_default="none")
]
ProgramOption = Annotated[
    str, typer.Option("--program", metavar="NAME", help="A program to learn, on a virtual desktop.", show_default="none")
]
DesktopOption = Annotated[
    Literal["virtual", "none"] | None,
    typer.Option("--desktop", help="The desktop for lessons.", show_default="virtual with --program, else none"),
]
HtmlOption = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write a report with the learning curve.", show_default="none")
]
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)")
LONGEST = 7 * 24 * 3600
"""The maximum budget in seconds, so that a typing error does not buy a year of lessons."""
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonOptions:
    """What lessons are about, and where they take place."""

    from_: FromOption = None
    guide: GuideOption = None
    program: ProgramOption = ""
    desktop: DesktopOption = None


@grouped
def learn(
    *,
    subject: SubjectArgument,
    budget: BudgetOption = "30m",
    about: LessonOptions,
    who: CrewOptions,
    limit: LimitOption = None,
    html: HtmlOption = None,
    output: OutputOptions,
) -> None:
    """Have the crew teach itself a subject: it does lessons on copies, and keeps proven work as skills and memory."""
    import anyio

    from deskcrew.engine.human.responder import Nobody
    from deskcrew.engine.workshop.learning import LearningSession, LearningWish, material_of
    from deskcrew.engine.workshop.learning import learn as take_lessons
    from deskcrew.ways_in.cli.signals import Signals
    from deskcrew.ways_in.cli.values import limits_with, typed
    from deskcrew.ways_in.report.learning import summary, write_page
    from deskcrew.ways_in.running.reachable import reached

    json, program = output.json, about.program
    typed(subject, program)
    if not subject.strip():
        raise UsageError("There is nothing to learn.", hint='Say what: deskcrew learn "spreadsheets" --budget 30m')
    if html is not None:
        _check_free(html)
    settings = settings_with(output.data)
    wish = LearningWish(
        subject=subject.strip(),
        budget=seconds_of(budget),
        material=material_of(about.from_, about.guide, program),
        model=who.model or settings.model,
        crew=who.crew or settings.crew,
        desktop=about.desktop or ("virtual" if program else "none"),
        memory=settings.memory.use,
        limits=limits_with(settings.limits, limit or []),
    )
    out, session = console(stderr=json), LearningSession(wish)

    def told(text: str) -> None:
        out.print(clean(text), soft_wrap=True, markup=False, highlight=False)

    async def stoppable(signals: Signals) -> None:
        async with reached(settings, Nobody(told), signals.stop) as hooks:
            await signals.stoppable(lambda: take_lessons(session, settings, told=told, watch=hooks["watch"]))

    try:
        with Signals(lambda: told("Stopping... (Ctrl-C again to end at once)")) as signals:
            anyio.run(stoppable, signals)
    finally:
        seconds, why = session.seconds, _ended(session.ended, session.why)
        told(summary(session.taken, seconds=seconds, why=why))
        if html is not None:
            write_page(html, wish.subject, session.taken, seconds=seconds, why=why)
    if json:
        lessons = [each.model_dump(mode="json") for each in session.taken]
        ended = {"ended": session.ended, "why": session.why, "seconds": round(seconds, 1), "learnt": session.learnt}
        print_json({"subject": wish.subject, "lessons": lessons} | ended)
    raise typer.Exit({"stopped": 6, "failed": 4}.get(session.ended, 0))


def seconds_of(text: str) -> float:
    """Parse a time such as ``90s``, ``30m`` or ``2h`` into seconds. Raises UsageError if it is invalid or too long."""
    match = _TIME.fullmatch(text.strip().lower())
    if match is None or not float(match[1]):
        raise UsageError(f"--budget {text!r} is not a time.", hint="For example: 90s, 30m or 2h.")
    seconds = float(match[1]) * _SECONDS[match[2]]
    if seconds > LONGEST:
        raise UsageError(f"--budget {text!r} is too long.", hint=f"At most {LONGEST // 3600}h.")
    return seconds


def _check_free(file: Path) -> None:
    """Raise UsageError unless a report can be written to ``file``: after hours of lessons it would be too late."""
    if file.is_dir():
        raise UsageError(f"{file} is a folder.", hint="Name a file in it.")
    if os.path.lexists(file):
        raise UsageError(f"{file} already exists.", hint="Name another file.")
    if not file.parent.is_dir():
        raise UsageError(f"There is no folder {file.parent}.", hint="Make it first: mkdir -p DIR")
    try:
        tempfile.TemporaryFile(dir=file.parent).close()
    except OSError as error:
        told = f"Nothing can be written into {file.parent}: {error.strerror}."
        raise UsageError(told, hint="Name a file in another folder.") from error


def _ended(ended: str, why: str) -> str:
    """Why the session ended, as a sentence."""
    words = {
        "budget": "The time is up.",
        "nothing new": f"It ended because {why}.",
        "no lessons": f"It ended because {why}.",
        "stopped": "It was stopped.",
    }
    return words.get(ended, f"It failed: {why}")

"""``deskcrew show RUN EVENT``: show one event in full, or its prompt, reply, observation or picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import tell
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.log import doubt_of
from deskcrew.ways_in.cli.options import OutputOptions, RunArgument, open_run
from deskcrew.ways_in.cli.verify import after_json
from deskcrew.ways_in.report.text import size

if TYPE_CHECKING:
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.journal.journal import Journal

EPILOG = """Examples:

deskcrew show last 12 | deskcrew show last 12 --prompt | deskcrew show last 30 --screenshot look.png --marks

--prompt and --reply are those of the event's call, or else the last before it; --observation and --screenshot the last
before it."""

EventArgument = Annotated[
    str, typer.Argument(metavar="EVENT", help="Number of the event, as `deskcrew log` shows it.", show_default="the last")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOptions:
    """Options that show an event's prompt, reply, observation or screenshot instead of its fields."""

    prompt: Annotated[bool, typer.Option("--prompt", help="The exact prompt, part by part.")] = False
    reply: Annotated[bool, typer.Option("--reply", help="The model's exact reply.")] = False
    observation: Annotated[bool, typer.Option("--observation", help="Windows, controls, text and files as observed.")] = (
        False
    )
    screenshot: Annotated[
        Path | None, typer.Option("--screenshot", metavar="FILE", help="Write the picture of the screen to a PNG file.")
    ] = None
    marks: Annotated[bool, typer.Option("--marks", help="With --screenshot: draw every control's label on it.")] = False


@grouped
def show(
    *,
    run: RunArgument,
    event: EventArgument = "last",
    parts: PartOptions,
    output: OutputOptions,
) -> None:
    """Show one event: its fields, or the exact prompt, reply, observation or screenshot."""
    from deskcrew.journal.holding import held
    from deskcrew.journal.later import changed_after
    from deskcrew.ways_in.report import inspection, render

    screenshot = parts.screenshot
    if parts.marks and screenshot is None:
        raise UsageError("--marks needs --screenshot FILE.", hint="For example: --screenshot look.png --marks")
    journal = open_run(output.data, run)
    problems = journal.verify()
    number = event_number(event, journal)
    value: JsonObject = {}
    pieces: list[RenderableType] = []
    if parts.prompt:
        call = inspection.call_at(journal, number)
        value["prompt"] = inspection.prompt_json(journal, call)
        pieces += inspection.prompt_text(journal, call)
    if parts.reply:
        replied = inspection.reply_at(journal, number)
        value["reply"] = inspection.reply_json(journal, replied)
        pieces += inspection.reply_text(journal, replied)
    if parts.observation:
        look = inspection.look_at(journal, number)
        value["observation"] = inspection.observation_json(journal, look)
        pieces += inspection.observation_text(journal, look)
    if screenshot is not None:
        look = inspection.picture_at(journal, number)
        inspection.write_picture(journal, look, screenshot, marks=parts.marks)
        value["screenshot"] = str(screenshot)
        pieces += inspection.written(look, screenshot)
    if not (parts.prompt or parts.reply or parts.observation or screenshot):
        found = journal.event(number)
        redacted = found.id in journal.redacted
        value["event"], value["redacted"] = found.model_dump(mode="json"), redacted
        pieces = inspection.fields(found, redacted=redacted)
        if number == journal.events[-1].number and (since := changed_after(journal)):
            value.update({name: [*paths] for name, paths in after_json(since).items()})
            pieces.append(Text(render.changed_after(since), style="yellow"))
        if number == 1:
            holds = held(journal.database)[journal.run]
            value["size"] = holds._asdict()
            pieces.append(Text(f"This run takes {size(holds.bytes)} in the journal.", style="dim"))
    if (doubt := doubt_of(journal, problems)) is not None:
        pieces.insert(0, doubt)
    tell(pieces, {**value, "run": journal.run, "number": number, "problems": [*problems]}, json=output.json)
    raise typer.Exit(4 if problems else 0)


def event_number(text: str, journal: Journal) -> int:
    """Parse the number of an event of the run, or ``last``. Raises UsageError if there is no such event."""
    there = f"Run {journal.run} has the events 1 to {len(journal.all)}."
    word = text.removeprefix("#")
    if word == "last":
        return journal.events[-1].number
    if not (word.isascii() and word.isdigit()):
        raise UsageError(f"{text!r} is not the number of an event.", hint=there)
    if not 1 <= int(word) <= len(journal.all):
        raise UsageError(f"There is no event {text}.", hint=there)
    return int(word)

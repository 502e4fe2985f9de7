"""``deskcrew teach``: a person shows how something is done, which can be kept as a skill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import AttachOption, OutputOptions, ReachOptions, WorkspaceOption, settings_with
from deskcrew.ways_in.report.text import clean

if TYPE_CHECKING:
    from deskcrew.engine.human.responder import Responder
    from deskcrew.journal.journal import Journal
    from deskcrew.ways_in.cli.live import LiveView

EPILOG = """Example: deskcrew teach "How we file invoices" --open thunar --open mousepad=list.txt

Open the web app (deskcrew serve), choose the run, do the chore on its desktop, and then hand back, there or here."""

WhatArgument = Annotated[
    str, typer.Argument(metavar="WHAT", help="What you are going to show, in plain words.", show_default=False)
]


@grouped
def teach(
    *,
    what: WhatArgument,
    open_: Annotated[
        list[str] | None,
        typer.Option("--open", metavar="PROGRAM[=FILE]", help="Open this program, as the first step; repeatable."),
    ] = None,
    workspace: WorkspaceOption = None,
    attach: AttachOption = None,
    screen: Annotated[
        str | None,
        typer.Option("--screen", metavar="WIDTHxHEIGHT", help="Size of the desktop in pixels.", show_default="1280x800"),
    ] = None,
    reach: ReachOptions,
    output: OutputOptions,
) -> None:
    """Show how something is done, on a virtual desktop: what you do there is recorded step by step.

    What you type into a password field is not recorded.
    """
    from deskcrew.engine.request import RunRequest
    from deskcrew.engine.workshop.teaching import teach as listen
    from deskcrew.ways_in.cli import values
    from deskcrew.ways_in.cli.watched import check_terminal, watched

    values.typed(what)
    settings, json = settings_with(output.data), output.json
    request = RunRequest(
        what,
        model=settings.model,
        workspace=values.existing_folder(workspace),
        attachments=values.existing_files(attach or []),
        desktop="virtual",
        opened=values.opened_with(open_ or []),
        screen=values.screen_with(screen),
        limits=settings.limits,
    )
    request = reach.of(request)
    check_terminal(asks=True, otherwise="")
    shown: list[Journal] = []

    async def start(view: LiveView, human: Responder) -> Journal:
        view.say("Its desktop is in the web app: deskcrew serve --open. When you have finished: hand back, there or here.")
        shown.append(
            await listen(request, settings, human=human, watch=view, notice=view.notice, lend=view.lend),
        )
        return shown[0]

    def more() -> dict[str, object]:
        return {"taught": _recorded(shown[0])} if shown else {}

    code, _ = watched(start, settings, asks=True, json=json, more=more)
    if shown and not json:
        _print(shown[0])
    raise typer.Exit(code)


def _recorded(journal: Journal) -> dict[str, object]:
    """What would be kept of a demonstration, or why it cannot be kept."""
    from deskcrew.engine.workshop.keeping import kept
    from deskcrew.engine.workshop.showing import checks_of, step_words

    try:
        method = kept(journal)
    except UsageError as error:
        return {"problem": str(error), "missed": missed(journal)}
    return {
        "parameters": {each.name: each.value for each in method.parameters},
        "steps": [step_words(step) for step in method.steps],
        "checks": list(checks_of(method)),
        "missed": missed(journal),
    }


def missed(journal: Journal) -> list[str]:
    """What the person did that did not become a step."""
    from deskcrew.engine.workshop.teaching import NO_STEP
    from deskcrew.facts.events import Judged

    bodies = (event.body for event in journal.events)
    return [
        body.verdict.why.removeprefix(NO_STEP)
        for body in bodies
        if isinstance(body, Judged) and body.scope == "subtask" and body.verdict.why.startswith(NO_STEP)
    ]


def _print(journal: Journal) -> None:
    """Print what was recorded, and how to correct and keep it."""
    from deskcrew.engine.workshop.keeping import kept
    from deskcrew.engine.workshop.showing import checks_of, step_words

    out = console()
    for what in missed(journal):
        out.print(clean(f"Not recorded: {what}"), style="yellow", soft_wrap=True)
    try:
        method = kept(journal)
    except UsageError as error:
        out.print(clean(error.whole), style="yellow", soft_wrap=True)
        return
    lines = ["Steps:", *(f"  {number}. {step_words(step)}" for number, step in enumerate(method.steps, 1))]
    lines += ["Parameters:", *(f"  {each.name} ({each.kind})={each.value}" for each in method.parameters)]
    lines += ["Done when:", *(f"  {number}. {each}" for number, each in enumerate(checks_of(method), 1))]
    lines += [f"Keep it: deskcrew skill keep {journal.run} --name NAME"]
    lines += ["To correct it: --param NAME=VALUE, --fixed NAME, --drop STEP, --uncheck CHECK, --check KIND:TARGET=TEXT"]
    for line in lines:
        out.print(clean(line), soft_wrap=True)

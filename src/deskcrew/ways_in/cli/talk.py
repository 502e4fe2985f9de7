"""``deskcrew`` alone, at a terminal: a session to talk to, in which each line becomes one of the other commands.

A sentence is a task; after the first, it continues the last run of the session, unless that was undone. ``no, ...`` takes
that run back to its first reply, with the sentence as guidance. A question about the run is answered from its record
(``asked``). The run itself handles what is typed while the crew works (``person``).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from deskcrew.engine.request import profile_of, skill_folders
from deskcrew.engine.rewind import last_changing
from deskcrew.engine.steps.common_words import NO
from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.facts.events import RoleReplied, Understood
from deskcrew.journal.branches import undoing
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import UNASKED
from deskcrew.journal.store import Store, exists
from deskcrew.settings import Settings
from deskcrew.ways_in.cli import asked
from deskcrew.ways_in.cli.console import console
from deskcrew.ways_in.cli.failing import print_error
from deskcrew.ways_in.cli.options import settings_with
from deskcrew.ways_in.report.text import clean

GREETING = """Say what is to be done. help shows what else you can say, exit leaves.
You are asked before anything risky, and when the crew is unsure. Files in this folder, or in another that you name by its
path, are copied before they are worked on."""
HELP = """\
any sentence            a task; after the first, it continues where the last run ended. It gets copies of files that you
                        name, in this folder or by a path, or of a folder such as ~/photos
the same for ...        the last skill with another file, or whatever else you name
also ...                a sentence for the last run before this session
no, ...                 that was wrong: files are restored, and it is done again with what you say
what did you do?  why?  what did it cost?  where are the files?  is it proven?
                        answered from the record of the last run: no model is called
/COMMAND ...            any command of deskcrew, as deskcrew COMMAND ...: /run "..." --workspace ~/photos, /demo
undo, log, resume       /undo, /log and /resume for the last run
exit                    leave; Ctrl-D, too

While the crew works: a sentence is heard before its next step, stop ends the run, Enter pauses it, Ctrl-C stops it."""
ABLE = """\
{tasks}, such as:
{examples}
Questions about the last run, from its record: what did you do? why? what did it cost? is it proven?
Skills: {count} ship, each with its own check (/skill list --shipped); you can teach others (/teach "...")."""
CHORES = {
    "tables": "Sort sales.csv by Amount, the largest first",
    "figures": "How many rows of members.csv are from Oslo?",
    "texts": "Replace Smith with Jones in offer.docx",
    "PDFs": "Put a.pdf and b.pdf together into all.pdf",
    "pictures": "Rename the photos by date",
    "folders": "Sort the files in downloads into folders by month",
    "archives": "Unpack photos.zip",
    "mails, dates": "List the events of calendar.ics in a table",
}
"""An example of each kind of chore that skills which ship do."""
OF_THE_LAST = frozenset({"log", "resume", "undo"})
"""Commands that apply to the last run unless another is named."""
LEAVING = frozenset({"exit", "quit", "bye"})
SHOWN = 100


@dataclass(frozen=True, slots=True)
class Meant:
    """What a line means. ``command``: the command to carry out; ``told``: what to print before."""

    command: tuple[str, ...]
    told: str = ""


def meant(line: str, last: Journal | None, *, mine: bool, undone: bool = False) -> Meant:
    """What a line means. ``last``: the run that it may refer to; ``mine``: whether that is from this session; ``undone``:
    whether what it did, or those that it continues, was undone. Raises UsageError if the line means nothing."""
    first, _, rest = line.partition(" ")
    if line.startswith("/") or first == "deskcrew":
        return Meant(_of_last(_words(line.removeprefix("/").removeprefix("deskcrew ")), last))
    if not rest.strip():
        if line.casefold() in OF_THE_LAST:
            return Meant(_of_last([line.casefold()], last))
        raise UsageError(f"{line!r} alone is not a task.", hint="Say it in a sentence; help shows what else you can say.")
    word = first.casefold()
    if word == "not" or (word.rstrip(",.:;!") in NO and not word[-1].isalpha()):
        if last is None:
            raise UsageError("There is no run that this could refer to.", hint="Say what is to be done.")
        number = _first_reply(last)
        return Meant(
            ("rewind", last.run, str(number), f"--say={line}"), f"Run {last.run} goes back to its first reply (#{number})."
        )
    sentence, dashes, rest = line.partition(" --")
    options = _words(dashes + rest) if rest[:1].isalpha() else []
    line = sentence if options else line
    if last is not None and (mine or word.rstrip(",") == "also") and not undone:
        return Meant(("run", f"--follow-up={last.run}", *options, "--", line), f"It continues run {last.run}.")
    return Meant(("run", "--approve", *options, "--", line))


def _words(line: str) -> list[str]:
    """The words of a command line. Raises UsageError if a quotation mark is not closed."""
    try:
        return shlex.split(line)
    except ValueError as error:
        hint = 'Quote a task: /run "Count the lines of a.txt"'
        raise UsageError(f"{line.strip()!r} cannot be read: {error}.", hint=hint) from error


def _of_last(words: Sequence[str], last: Journal | None) -> tuple[str, ...]:
    if len(words) == 1 and words[0] in OF_THE_LAST:
        return (words[0], last.run if last is not None else "last")
    return (*words,)


def _first_reply(journal: Journal) -> int:
    """The number of the first reply of a model on the run's branch, or of the reading that needed none. Raises UsageError if
    there is neither."""
    for event in journal.events:
        if isinstance(event.body, Understood) or (isinstance(event.body, RoleReplied) and event.body.model not in UNASKED):
            return event.number
    raise UsageError(
        f"No model has replied in run {journal.run}, so no reply can be corrected.",
        hint="`undo` puts back what it did. Then say the whole task as you mean it.",
    )


def _able(settings: Settings) -> str:
    """What the session can do, in some lines."""
    freely = profile_of(settings.model, settings).freely
    tasks = "Tasks" if freely else f"Tasks for which there is a skill ({clean(settings.model)} can do no others)"
    count = sum(origin == "shipped" for origin, _ in skill_folders(settings))
    examples = "\n".join(f"  {kind:<13} {example}" for kind, example in CHORES.items())
    return ABLE.format(tasks=tasks, examples=examples, count=count)


class Talk:
    """A session. ``perform``: carries out a command line, and prints any error."""

    def __init__(self, perform: Callable[[Sequence[str]], None], out: Console) -> None:
        self._perform, self._out = perform, out
        self._run = ""
        """The last run of this session."""

    def hear(self, line: str) -> bool:
        """Do what a line says; returns False if the person leaves. Raises DeskcrewError if it cannot be done."""
        line = " ".join(line.split())
        word = line.casefold().removeprefix("/").rstrip(".!")
        if word in LEAVING:
            return False
        if word in ("help", "?"):
            self._out.print(Text(HELP))
        elif word in ("stop", "pause"):
            self._out.print(Text("No run is in progress.", style="yellow"))
        elif asked.about_nothing(line):
            self._out.print(Text(_able(settings_with(None))), soft_wrap=True)
        elif line:
            self._do(line)
        return True

    def _do(self, line: str) -> None:
        last = self._last()
        if last is not None and (told := asked.answer(line, last)) is not None:
            self._out.print(told, soft_wrap=True)
            return
        undone = last is not None and undoing(last_changing(last, Store.of(settings_with(None))).events) is not None
        what = meant(line, last, mine=bool(self._run), undone=undone)
        if what.told:
            self._out.print(Text(what.told, style="dim"), soft_wrap=True)
        before = self._begun()
        try:
            self._perform(what.command)
        finally:
            # Others may begin runs meanwhile, such as a schedule: this session's has the task that was typed.
            new = (run for run, task in self._begun() if task in what.command and (run, task) not in before)
            self._run = next(new, self._run)

    def _last(self) -> Journal | None:
        """The session's last run, else the last of all runs; None if there is none."""
        if not (begun := self._begun()):
            return None
        if all(run != self._run for run, _ in begun):
            self._run = ""  # it was removed
        return Store.of(settings_with(None)).journal(self._run or begun[0][0])

    def _begun(self) -> list[tuple[str, str]]:
        """The newest runs, with their tasks."""
        settings = settings_with(None)
        return [(row.id, row.task) for row in Store.of(settings).runs(limit=SHOWN)] if exists(settings) else []


def talk(perform: Callable[[Sequence[str]], None]) -> None:
    """Hold a session until the person leaves it. Needs a terminal. ``perform``: carries out a command line; may raise
    SystemExit once it has printed an error."""
    import readline  # noqa: F401  # pyright: ignore[reportUnusedImport]  # input() then edits lines, and recalls them

    settings, out = settings_with(None), console()
    out.print(Text(f"Deskcrew, with the model {clean(settings.model)}.", style="bold"))
    out.print(Text(GREETING))
    session = Talk(perform, out)
    while True:
        try:
            if not session.hear(input("\n> ")):
                return
        except EOFError:
            out.print()
            return
        except KeyboardInterrupt:
            out.print(Text("\nexit or Ctrl-D leaves.", style="dim"))
        except SystemExit:
            sys.stdout.flush()
        except DeskcrewError as error:
            print_error(error)

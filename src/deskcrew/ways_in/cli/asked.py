"""Answers questions about a run from its record: what was done and why, what it cost, where the files are, what proves it.
No model is called, so only questions made of a few fixed words are understood; anything else is a task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.learning.memory.words import words_of
from deskcrew.ways_in.cli import ending
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.operations import Looks, not_done
from deskcrew.ways_in.report.text import clean, one_line
from deskcrew.ways_in.report.totals import figures, outcome_of, totals

MOST = 30
"""The maximum number of operations that are listed."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLING = _words(
    "a all an and are be been can did do for had has have how i in is it its last me much my of on run task tell"
    " that the them there they this to us was we were what when which who with you your"
)
"""Words of a question that do not say what it is about."""
TOPICS = {
    "cost": _words("cost costs money tokens calls spent spend expensive dollars long time take took"),
    "files": _words("where file files folder result results saved save put find workspace directory"),
    "proof": _words(
        "proof proven prove proved evidence checked sure know certain verified go went wrong fail failed stop stopped"
    ),
    "did": _words("done did happened changed changes steps"),
}
"""What a question may be about, with the words that say so. The first topic with a word in the question is meant."""
REFERRING = _words("it its last that the them there they this")
"""Words that refer to what was done or said before."""
GREETING = _words("hello hi hey hallo hola bonjour help please")
"""Words of a line that asks for nothing yet."""
KNOWN = FILLING.union({"why"}, *TOPICS.values())


def about_nothing(line: str) -> bool:
    """Whether a line is a question without a subject ("What can you do?"), a greeting or a call for help: neither a task nor
    about a run."""
    words = words_of(line)
    begins = line.rstrip().endswith("?") or words[:1] in (["what"], ["who"], ["how"]) or not GREETING.isdisjoint(words)
    plain = FILLING.difference(REFERRING, *TOPICS.values()) | GREETING
    return begins and bool(words) and plain.issuperset(words)


def answer(line: str, journal: Journal) -> RenderableType | None:
    """The answer to a question about the run; None if the line is no such question."""
    words = words_of(line)
    if words[:1] == ["why"] and ("you" in words or KNOWN.issuperset(words)):
        return _why(journal, frozenset(words) - KNOWN)
    asks = line.rstrip().endswith("?") or words[:1] in (["what"], ["where"], ["how"], ["is"], ["are"])
    if not asks or not KNOWN.issuperset(words):
        return None
    topic = next((name for name, its in TOPICS.items() if not its.isdisjoint(words)), "")
    if topic == "files" and {"where", "you"}.isdisjoint(words):
        return None  # it is about the files, not about where they were put
    answers: dict[str, Callable[[Journal], RenderableType]] = {"cost": _cost, "files": _files, "proof": _proof, "did": _did}
    return answers[topic](journal) if topic else None


def _head(journal: Journal) -> Text:
    outcome = outcome_of(journal.events)
    ended = render.outcome_words(outcome, not_done(journal.events)) if outcome is not None else "it has not ended"
    return Text.assemble((f"Run {journal.run}: ", "bold"), one_line(journal.state.task, 200), (f"\n{ended}", "dim"))


def _operations(journal: Journal, *, reasons: bool, about: frozenset[str] = frozenset()) -> list[Text]:
    """The operations proposed on the run's branch, with their results; only those with a word of ``about``, if any."""
    looks = Looks(journal)
    lines: list[tuple[Text, str]] = []
    for event in journal.events:
        match event.body:
            case e.OperationProposed(operation=operation, intention=intention):
                line = Text.assemble((f"  #{event.number:<4} ", "dim"), render.in_words(operation, looks.before(event)))
                if reasons and intention:
                    line.append(f"\n        because: {one_line(intention, 400)}", style="dim")
                lines.append((line, operation.model_dump_json().casefold()))
            case e.OperationDenied(why=why) if lines:
                lines[-1][0].append(f"\n        not allowed: {one_line(why, 300)}", style="yellow")
            case e.ActionFinished(ok=False, error=error) if lines:
                lines[-1][0].append(f"\n        failed: {one_line(error, 300)}", style="yellow")
            case _:
                pass
    named = [line for line, said in lines if any(word in said for word in about)]
    shown = named or [line for line, _ in lines]
    more = [Text(f"  and {len(shown) - MOST} more: deskcrew log {journal.run}", style="dim")] if len(shown) > MOST else []
    return [*shown[:MOST], *more] or [Text("  Nothing was done.")]


def _did(journal: Journal) -> RenderableType:
    outcome = outcome_of(journal.events)
    answered = (
        [Text.assemble(("Its answer: ", "bold"), clean(outcome.answer))] if outcome is not None and outcome.answer else []
    )
    return Group(_head(journal), *_operations(journal, reasons=False), *answered, _touched(journal))


def _why(journal: Journal, about: frozenset[str]) -> RenderableType:
    outcome = outcome_of(journal.events)
    why = [Text(one_line(outcome.why, 600))] if outcome is not None and outcome.why and not about else []
    return Group(_head(journal), *why, *_operations(journal, reasons=True, about=about))


def _cost(journal: Journal) -> RenderableType:
    rows = Table.grid(padding=(0, 2))
    for row in figures(totals(journal.events)):
        rows.add_row(*row)
    return Group(_head(journal), rows)


def _files(journal: Journal) -> RenderableType:
    return Group(_head(journal), _touched(journal))


def _touched(journal: Journal) -> Text:
    """The run's folder, and the full paths of the files that it changed."""
    begun, sums = journal.state.started, ending.summed(journal.events, Looks(journal).before)
    folder = Path(begun.workspace) if begun is not None else Path()
    told = Text.assemble(("Its folder: ", "bold"), clean(str(folder)))
    for old, new in sums.renamed:
        told.append(f"\n  renamed  {clean(old)} -> {clean(str(folder / new))}")
    for label, paths in (("created", sums.created), ("changed", sums.changed), ("deleted", sums.deleted)):
        for path in paths:
            told.append(f"\n  {label}  {clean(str(folder / path))}")
    if not (sums.renamed or sums.created or sums.changed or sums.deleted):
        told.append("\n  no files were changed")
    return told


def _proof(journal: Journal) -> RenderableType:
    look = Looks(journal).before
    return ending.panel(journal.run, journal.events, look=look, everything=journal.all)

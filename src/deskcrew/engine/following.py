"""Follow-up runs: what a run takes over from the one it follows, and what its roles are told of it.

A follow-up is a run of its own. What it is told is in its own first event, so that it can be replayed, exported and verified
without the run that it follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from deskcrew.engine.request import RunRequest, request_of, usual
from deskcrew.engine.steps.changing import with_results
from deskcrew.errors import UsageError
from deskcrew.facts.events import Earlier, Event, RunStarted, SkillUse, Understood, latest
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.verdict import REJECTED, Outcome
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Collected, accepted, touched
from deskcrew.journal.store import Store
from deskcrew.settings import Settings

TASK, WHY, ANSWER, PATH = 1000, 300, 600, 120
"""Maximum characters of each text; every role that may read them has all of them in its prompts."""
FILES = 20
FACT, FACTS = 400, 1200
"""Maximum characters of one fact that was found out, and of all of them: the last ones."""
CHAIN = 3
"""The maximum number of earlier runs that roles are told about, the last one that made something among them; of facts only
those of the last run."""


def request_after(run: str, settings: Settings) -> RunRequest:
    """A request, still without a task, that continues where ``run`` ended: in its workspace, with its model, crew,
    desktop, limits, modes and network. ``run``: as :meth:`Store.journal` takes it.

    Secrets and running without a sandbox are not taken over: they must be allowed again. Nothing is taken from an
    imported run: its maker could have named a model of theirs, your own desktop, or a page. Raises
    UsageError for an unknown run, and for one that has not ended.
    """
    store = Store.of(settings)
    journal = store.journal(run)
    _ended(journal, store)
    if journal.imported():
        return replace(usual(settings), follows=journal.run, memory=settings.memory.use)
    request = request_of(journal)
    there = request.workspace
    assert there is not None
    return replace(
        request,
        follows=journal.run,
        opened=tuple(app for app in request.opened if not app.file or (there / app.file).exists()),
        unsafe_host=False,
    )


def earlier(request: RunRequest, settings: Settings) -> tuple[Earlier, ...]:
    """What a run's first event says about the runs that it follows; () if it follows none. Raises UsageError as
    :func:`request_after`, and if the followed run's workspace is requested but gone."""
    if not request.follows:
        return ()
    store = Store.of(settings)
    journal = store.journal(request.follows)
    begun = _ended(journal, store)
    if journal.imported():
        return (Earlier(run=journal.run, task=shorten(begun.task, TASK)),)
    folder = request.workspace
    if folder is not None and str(folder) == begun.workspace and not folder.is_dir():
        hint = "Name another folder with --workspace, or start the task again."
        raise UsageError(f"The workspace of run {journal.run} no longer exists: {folder}.", hint=hint)
    before = tuple(run.model_copy(update={"found": ()}) for run in begun.earlier)
    runs = (*before, _told(journal, begun))
    kept = runs[-CHAIN:]
    # What was made is not forgotten over runs that made nothing.
    return (runs[0], *kept[1:]) if len(runs) > CHAIN and not any(run.made for run in kept) else kept


def spoken(request: RunRequest, before: Sequence[Earlier]) -> RunRequest:
    """The request with its task as it is compared with skills: with the files that it refers to in place of "that"."""
    there = request.workspace
    made = (path for run in before for path in run.made if there is not None and (there / path).is_file())
    task, told = with_results(request.task, before, [*made])
    return replace(request, task=task) if told else request


def _ended(journal: Journal, store: Store) -> RunStarted:
    """The first event of an ended run that is not redacted. Raises UsageError for any other."""
    begun = journal.state.started
    if begun is None or journal.all[0].id in journal.redacted:
        hint = "Ask for an export without --redact-text."
        raise UsageError(f"Run {journal.run} cannot be continued: its texts were redacted.", hint=hint)
    if store.busy(journal.run):
        hint = f"Wait for it, tell it (`deskcrew attach {journal.run}`), or stop it first."
        raise UsageError(f"Run {journal.run} is still running.", hint=hint)
    if journal.state.outcome is None and not journal.imported():
        raise UsageError(f"Run {journal.run} has not ended.", hint=f"`deskcrew resume {journal.run}` continues it.")
    return begun


def _told(journal: Journal, begun: RunStarted) -> Earlier:
    """What is told about an ended run of this machine."""
    outcome = journal.state.outcome
    assert outcome is not None
    made = [path for path, became in touched(journal.events).items() if became != "deleted"]
    return Earlier(
        run=journal.run,
        task=shorten(begun.task, TASK),
        question=shorten(journal.state.question, TASK),
        answer=shorten(outcome.answer or outcome.said, ANSWER),
        status=outcome.status,
        why=shorten(outcome.why, WHY),
        made=tuple(shorten(path, PATH) for path in made[:FILES]),
        found=_facts(accepted(journal.state.collected)),
        read=_standing(journal.events, outcome),
    )


def _standing(events: Sequence[Event], outcome: Outcome) -> SkillUse | None:
    """What a small model took the task for, unless a person said no to that or to what came of it."""
    read = latest(events, Understood)
    return read.use if read is not None and read.holds and outcome.reason != REJECTED else None


def _facts(collected: Iterable[Collected]) -> tuple[str, ...]:
    """The last facts that were found out, in order, each once and as many as fit."""
    texts = [shorten(found.text, FACT) for found in collected if found.kind != "answer"]
    kept: list[str] = []
    room = FACTS
    for text in reversed(list(dict.fromkeys(texts))):
        room -= len(text)
        if room < 0:
            break
        kept.append(text)
    return tuple(reversed(kept))

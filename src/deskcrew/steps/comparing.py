"""Compare attempts at a task where contract and evidence leave several (Agent S3's behaviour best-of-N): once, in a fresh
context, by what was done, seen and left. What is taken by it is not proven by it (docs/design/repair.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_uppercase
from typing import Any

from deskcrew.context import Run
from deskcrew.environments.describe import describe
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import LimitReached, ModelFailure
from deskcrew.events import (
    ActionFinished,
    ActionInterrupted,
    AttemptsCompared,
    Choice,
    Event,
    HumanSaid,
    Observed,
    OperationDenied,
    Saved,
)
from deskcrew.excerpts import shorten
from deskcrew.goals.effect import evidence_text
from deskcrew.goals.states import States
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import ending
from deskcrew.observation import Observation
from deskcrew.roles.role_kinds import Now
from deskcrew.roles.view import operation_text
from deskcrew.steps.proving import changes_told
from deskcrew.verdict import Outcome

STEP = 300
"""Characters of an operation, and of what came of it."""
MOST = 6000
"""Characters of all that an attempt did, and of all that it left."""
SCREEN = 800
"""Tokens of what the screen showed in the end."""


async def compare(run: Run) -> Outcome:
    """Have a model say which of the attempts does the task best. Where it cannot be had, its replies cannot be used, or a
    person stops it, nothing is said."""
    state = run.journal.state
    shown, outcome, role = state.comparing, state.outcome, run.crew.roles[run.crew.comparer]
    assert shown is not None, "there is nothing to compare"
    assert outcome is not None, "attempts are compared once they have ended"
    letters = ascii_uppercase[: len(shown.attempts)]
    facts = (run.journal.read_blob(digest).decode() for digest in shown.facts)
    told = "\n\n".join(f"Attempt {letter}\n{text}" for letter, text in zip(letters, facts, strict=True))
    while state.comparing is not None and state.stop is None and state.format_errors <= run.limits.format_retries:
        try:
            reply = await run.asker.ask(role, Now(attempts=tuple(letters)), run.sight(role, attempts=told))
        except (ModelFailure, LimitReached):
            break
        if reply is not None:
            run.journal.append(AttemptsCompared(choice=_choice(run, reply)), cause=run.journal.latest)
        elif isinstance(run.journal.latest.body, HumanSaid) and run.journal.latest.body.kind == "stop":
            break
        run.journal.commit()
    return outcome


def _choice(run: Run, reply: dict[str, Any]) -> Choice:
    shown = run.journal.state.comparing
    assert shown is not None
    taken = shown.attempts[ascii_uppercase.index(reply["attempt"])]
    named = zip(ascii_uppercase, shown.attempts, strict=False)
    letters = "; ".join(f"{letter} is attempt {number}" for letter, number in named)
    by = "human" if run.replied_by_person else "judge"
    return Choice(attempt=taken, among=tuple(sorted(shown.attempts)), by=by, why=f"{reply['why']} ({letters})")


def side_by_side(attempts: Iterable[tuple[int, Sequence[Event]]], journal: Journal) -> tuple[tuple[int, str], ...]:
    """The numbers of attempts with what each did, in an order that tells nothing of theirs. ``attempts``: with all events of
    each, from the run's first to its end."""
    told = [(number, facts(events, journal)) for number, events in attempts]
    return tuple(sorted(told, key=lambda each: hashlib.sha256(each[1].encode()).digest()))


def facts(events: Sequence[Event], journal: Journal) -> str:
    """What one attempt did, what was seen to change, and what it left, from its ``events``. Of what its roles said only the
    answer, which is part of what it left."""
    outcome = ending(events)
    assert outcome is not None, "an attempt that is compared has ended"
    held = [each.words for each in outcome.proofs] or [
        f"{each.check.words}: {'holds' if each.holds else 'nobody could look' if each.holds is None else 'does not hold'}"
        for each in outcome.checks
    ]
    parts = (
        ("What was seen of what must hold", "\n".join(held)),
        ("Its answer", outcome.answer),
        ("What it did, and what was seen of that", shorten("\n".join(_steps(events)) or "nothing", MOST)),
        ("What it left in its folder", shorten(_left(events, journal), MOST)),
        ("What the screen showed in the end", _screen(events, journal)),
    )
    return "\n".join(f"{what}:\n{text}" for what, text in parts if text)


def _steps(events: Sequence[Event]) -> Iterator[str]:
    """A line for each operation that was tried."""
    seen = {event.header.cause: event.body.evidence for event in events if isinstance(event.body, Observed)}
    for event in events:
        match event.body:
            case ActionFinished() as body:
                result = body.text if body.ok else body.error or body.text
                came = f"{'done' if body.ok else 'FAILED'}{f'; {shorten(result, STEP)}' if result else ''}"
                change = f"; {evidence_text(seen[event.id], length=STEP)}" if event.id in seen else ""
                yield f"- {operation_text(body.operation, STEP)}: {came}{change}"
            case ActionInterrupted() as body:
                yield f"- {operation_text(body.operation, STEP)}: interrupted; its end was not seen"
            case OperationDenied() as body:
                yield f"- an operation was not let through: {shorten(body.why, STEP)}"
            case _:
                pass


def _left(events: Sequence[Event], journal: Journal) -> str:
    if (kept := kept_by(events)) is None:
        return ""
    start, end = (Manifest.from_bytes(journal.read_blob(digest)) for digest in kept)
    return changes_told(States(start, end, journal.read_blob), most=0)


def kept_by(events: Sequence[Event]) -> tuple[str, str] | None:
    """Digests of the workspace's manifests at the first save point and at the last; None where there was none."""
    saved = [event.body.manifest for event in events if isinstance(event.body, Saved)]
    return (saved[0], saved[-1]) if saved else None


def _screen(events: Sequence[Event], journal: Journal) -> str:
    """What the windows showed at the last look; '' where there was no desktop."""
    look = next((event.body for event in reversed(events) if isinstance(event.body, Observed)), None)
    if look is None:
        return ""
    seen = Observation.model_validate_json(journal.read_blob(look.observation))
    if not seen.windows:
        return ""
    return describe(seen.model_copy(update={"files": ()}), tokens=SCREEN)

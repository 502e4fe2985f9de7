"""A crew that goes back by itself: if a judge, the proof or a limit on progress finds something wrong, one role names the
earliest wrong reply, and the run continues from before it (docs/design/repair.md).

This module has it named; ``attempts`` goes back, between two sessions, and never past what cannot be undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from deskcrew.engine import limits as bounds
from deskcrew.engine.context import Run
from deskcrew.engine.record import Record
from deskcrew.engine.rewind import irrevocable
from deskcrew.engine.roles.role_kinds import NO_REPLY, Now
from deskcrew.engine.roles.said import TracedFault
from deskcrew.engine.roles.view import operation_text
from deskcrew.errors import CrewMistake, LimitReached
from deskcrew.evidence.others import changed_by_others
from deskcrew.facts.events import YOURS, FaultFound, GoalSet, HumanSaid, Observed
from deskcrew.facts.excerpts import shorten
from deskcrew.journal.fold import Phase
from deskcrew.journal.records import Turn

MOST = 2
"""How often in a run the crew looks for a fault."""
TRIES = 2
"""The number of unusable replies after which the run goes on without."""
SAID, STEP, TRAIL = 400, 300, 12_000
"""The maximum characters of a reply, of an operation or its result, and of the whole trail."""
FREE: frozenset[Phase] = frozenset({"plan", "appeal", "schedule", "decide"})
"""Phases in which nothing is under way."""
DECIDED: frozenset[Phase] = frozenset({"execute", "judge"})
"""Phases in which a pending decision may only repeat what led nowhere."""
NO_PROGRESS = frozenset({"stalls", "repeats", "repairs", "reassignments"})
"""Limits that show that the crew makes no progress."""


def wrong(record: Record) -> str:
    """What was found wrong, if the crew is to look for the reply that caused it; '' if it is to go on."""
    crew, state = record.crew, record.state
    begun = state.started
    if not crew.backtracker or state.faults >= MOST or state.fault is not None or state.phase not in FREE | DECIDED:
        return ""
    if crew.lanes > 1 or record.skill is not None or begun is None or begun.settings.attempts > 1:
        return ""
    try:
        bounds.check(state, record.limits, record.seconds)
    except LimitReached as limit:
        return " ".join((str(limit), state.judgement)).strip() if limit.name in NO_PROGRESS else ""
    return state.wrong if state.phase in FREE else ""


async def look_back(run: Run, wrong: str) -> None:
    """Have a role name the earliest wrong reply, if the run may go back to any, and record it."""
    record, journal, state = run.record, run.record.journal, run.record.state
    role = record.crew.roles[record.crew.backtracker]
    begun, because = _barrier(record)
    replies = [turn for turn in state.turns if record.crew.roles[turn.role].kind in ("plan", "schedule", "decision")]
    may = {str(turn.number): turn for turn in replies if turn.number > begun}
    if not may or (state.malformed_by == role.name and state.format_errors >= TRIES):
        why = because if not may else "nobody could say where it began"
        journal.append(FaultFound(wrong=wrong, why=why), cause=journal.latest)
        return

    def guided(reply: TracedFault) -> None:
        if reply.reply != NO_REPLY and not reply.guidance.strip():
            raise CrewMistake("guidance: say what its writer needs to know to do it right.")

    trail = "\n".join(_told(turn, may=str(turn.number) in may) for turn in replies)
    sight = run.prompting.sight(role, problem=wrong, trail=trail[-TRAIL:])
    reply = await run.prompting.asker.ask(role, Now(replies=tuple(may)), sight, TracedFault, check=guided)
    if reply is None:
        return
    found = may.get(reply.reply)
    body = FaultFound(wrong=wrong, why=reply.why)
    if found is not None:
        body = FaultFound(wrong=wrong, reply=found.number, role=found.role, why=reply.why, guidance=reply.guidance)
    journal.append(body, cause=journal.latest)


def _barrier(record: Record) -> tuple[int, str]:
    """The number of the event before which the run may not go back, and why."""
    journal, state = record.journal, record.state
    begun = state.started
    assert begun is not None
    whole = len(journal.all)
    if begun.desktop in YOURS or begun.settings.endpoint:
        return whole, "what was done on a desktop or browser of your own cannot be undone"
    if state.unsaved:
        return whole, "files that no save point keeps could not be restored"
    last, why = 0, "no reply is left to which it could go back"
    cannot = {event.id for event, _, _ in irrevocable(journal)}
    for event in journal.events:
        match event.body:
            case GoalSet():
                last, why = event.number, "nothing was done since what must hold was agreed"
            case HumanSaid(kind=kind) if kind not in ("mode", "pause", "resume"):
                last, why = event.number, "what you said since would be lost"
            case Observed(evidence=seen) if any(each.writes for each in seen.sent):
                last, why = event.number, f"what its page sent cannot be undone (event {event.number})"
            case _ if event.id in cannot:
                last, why = event.number, f"what was done cannot be undone (event {event.number})"
            case _:
                pass
    if others := changed_by_others(journal.events, journal.read_blob, after=last):
        return whole, f"somebody else changed {', '.join(others[:3])}"
    return last, why


def _told(turn: Turn, *, may: bool) -> str:
    """A reply and what came of it, in words."""
    said = {name: value for name, value in turn.reply.items() if value and name != "operations"}
    bare = "" if may else " (cannot be taken back)"
    return "\n".join(
        (f"{turn.number} {turn.role}{bare}: {shorten(json.dumps(said, ensure_ascii=False), SAID)}", *_done(turn))
    )


def _done(turn: Turn) -> Iterator[str]:
    for done in turn.done:
        came = "; ".join(filter(None, (shorten(done.text, STEP), done.verdict)))
        files = f"; changed: {', '.join(done.files[:8])}" if done.files else ""
        yield f"  - {operation_text(done.operation, STEP)} -> {'' if done.ok else 'FAILED: '}{came}{files}"
    if turn.undone:
        yield f"  - {len(turn.undone)} more operations were not done"

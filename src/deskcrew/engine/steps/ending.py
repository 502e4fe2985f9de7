"""End a task: what is recorded of how it ended.

Nothing here makes a run ``done`` that ``answering`` has not found to be; ``end_task`` and ``_record_end`` may only lower its
outcome. Apart from them, ``done`` comes from a person's yes (``engine/confirming.py``), and from ``deliver`` for runs that
have no task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.record import Record
from deskcrew.engine.steps.choosing import confirmed_reading, understood
from deskcrew.engine.steps.covering import misnamed_file
from deskcrew.engine.steps.proof_states import states_of
from deskcrew.engine.steps.using_skills import return_said
from deskcrew.engine.surroundings import Surroundings
from deskcrew.evidence import besides
from deskcrew.evidence.account import account
from deskcrew.evidence.deeds import KINDS, SENDING, deeds, ordered
from deskcrew.evidence.others import changed_by_others
from deskcrew.evidence.proof import all_hold, lacking
from deskcrew.evidence.states import States
from deskcrew.facts.contract import OF_THE_SCREEN, Proof
from deskcrew.facts.events import (
    ActionFinished,
    ActionStarted,
    Event,
    HumanSaid,
    Judged,
    OperationDenied,
    Proved,
    Rewound,
    RunFinished,
    Understood,
)
from deskcrew.facts.texts import names_file
from deskcrew.facts.verdict import (
    CHANGED,
    NO_CHECK,
    NO_FILE,
    NO_FIT,
    OUTSIDE,
    UNCONFIRMED,
    UNHELD,
    UNREADABLE,
    UNUSABLE,
    Outcome,
    OutcomeStatus,
)
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal

AGAIN = "Run it again: it then works with the files as they are now"
AS_CONFIRMED = "{why}. This proves the reading that {who} confirmed{before}, not {whose} own words: {reading}"
UNSEEN = (
    "nobody confirmed this reading of the task: {reading} Check the result and confirm it (`deskcrew confirm`); --yes "
    "confirms only skills of your own"
)
UNCHECKED = (
    "nobody said what must hold in the end, so nothing was checked: say it yourself (--require, --check, --contract), "
    "or use a model that writes contracts (--model), or a skill, which has checks of its own"
)


def unchecked(journal: Journal) -> str:
    """Why the result of a run without a contract was not checked, and how to have it checked."""
    reading = understood(journal)
    return UNSEEN.format(reading=f"{reading.rstrip('.')}.") if reading else UNCHECKED


def deliver(surroundings: Surroundings, why: str) -> None:
    """End a run that has no task to do and whose result passed the rules: a skill that passed its examples, or proposed
    lessons or an agent (``engine/workshop/making.py``, ``proposing.py``)."""
    _record_end(surroundings, Outcome(status="done", verified_by="rules", why=why))


async def finish(run: Run) -> None:
    """Record how the run ended after a verdict stopped it."""
    journal = run.record.journal
    state = run.record.state
    stop = state.stop
    assert stop is not None
    reason = stop.reason or "gave_up"
    # What was denied before is not why it ended when the model or the surroundings are gone; it is told all the same.
    ended: dict[str, OutcomeStatus] = {"stopped": "stopped", "planned": "stopped", UNCONFIRMED: "unverified"}
    status = ended.get(reason) or ("failed" if reason in OUTSIDE else failure(journal))
    proofs = _last_seen(journal)
    found = _found_wrong(state, journal.events, proofs)
    if not found and reason == "model" and proofs and all(each.proven for each in proofs):
        found = all_hold(proofs)
    if status == "failed" and state.barred:
        found = "; ".join(filter(None, (_denied(journal.events), found)))
    why = f"{found.rstrip('.')}. Then: {stop.why}" if found else stop.why
    said = "" if reason == "stopped" else reason
    await end_task(run.authorization, Outcome(status=status, reason=said, why=why, proofs=proofs))


def _found_wrong(state: RunState, events: Sequence[Event], proofs: Sequence[Proof]) -> str:
    """What kept the run from being done when that was last checked; '' if nothing was found or nobody checked."""
    if state.contract is None:
        judged = (
            (each.number, each.body.verdict)
            for each in reversed(events)
            if isinstance(each.body, Judged) and each.body.scope == "goal"
        )
        number, verdict = next((pair for pair in judged if pair[1].kind != "stop"), (0, None))
        return verdict.why if verdict is not None and verdict.kind != "accept" and not _done_since(events, number) else ""
    wrong = [proof for proof in proofs if proof.holds is False]
    said = f"{len(wrong)} of {len(proofs)} requirements{UNHELD}" if wrong else ""
    number = next((each.number for each in reversed(events) if isinstance(each.body, Proved)), 0)
    # Where a requirement fails, that alone says what is wrong: what it would have noticed is not known.
    apart = {"proofs": ()} | ({"unnoticed": ()} if wrong else {})
    left = lacking(state.proven.model_copy(update=apart)) if state.proven is not None else ""
    left += f" (as of event {number})" if left and _done_since(events, number) else ""
    return "; ".join(filter(None, (said, left)))


def _denied(events: Sequence[Event]) -> str:
    """The last denial, in words; '' if there is none."""
    denials = ((each.number, each.body) for each in reversed(events) if isinstance(each.body, OperationDenied))
    return next((f"An operation was denied (event {number}): {body.why or body.rule}" for number, body in denials), "")


def _done_since(events: Sequence[Event], number: int) -> bool:
    """Whether anything was done after an event, by the run or by a person."""
    return any(
        (isinstance(body, ActionStarted) and body.effect != "none")
        or (isinstance(body, HumanSaid) and body.kind == "hand_back")
        or isinstance(body, Rewound)
        for body in (event.body for event in events if event.number > number)
    )


def _last_seen(journal: Journal) -> tuple[Proof, ...]:
    """What the last proof found for each requirement. New ones count as not checked, and all do if anything was done
    since."""
    contract, events = journal.state.contract, journal.events
    checked = ((event.number, event.body.proofs) for event in reversed(events) if isinstance(event.body, Proved))
    number, proofs = next(checked, (events[-1].number, ()))
    seen = {(each.requirement, each.says): each for each in proofs}
    done = _done_since(events, number)
    found: list[Proof] = []
    for each in contract.standing if contract is not None else ():
        proof = seen.get((each.id, each.says))
        if proof is None:
            found.append(Proof(requirement=each.id, says=each.says, holds=None, found="the run ended before it was checked"))
        elif done and proof.holds is not None:
            was = "held" if proof.holds else "did not hold"
            told = f"it {was} at event {number}, and was not checked again after what was done since"
            found.append(Proof(requirement=each.id, says=each.says, holds=None, found=told))
        else:
            at = f"as of event {number}"
            found.append(proof.model_copy(update={"found": f"{proof.found} ({at})" if proof.found else at}))
    return tuple(found)


async def ended(run: Run) -> Outcome:
    """The outcome of a run that is not driven by the loop: its own, or the one that follows from its stop."""
    if run.record.state.outcome is None:
        await finish(run)
    outcome = run.record.state.outcome
    assert outcome is not None
    return outcome


def failure(journal: Journal) -> OutcomeStatus:
    """The status of a failure: ``denied`` if the last operation was not allowed."""
    return "denied" if journal.state.barred else "failed"


async def end_task(authorization: Authorization, outcome: Outcome, *, repeated: bool = False) -> None:
    """End a task. Whatever its checks say, a run is not done if it changed something that nothing mentions, did on a page
    what nobody ordered, or if its workspace changed after the check; programs that it left running are ended before that is
    looked at. ``repeated``: it did what an earlier run did, whose deeds on pages were judged then."""
    record, journal = authorization.record, authorization.record.journal
    files: tuple[str, ...] = ()
    by_others = cache(lambda: changed_by_others(journal.events, journal.read_blob))
    if outcome.status == "done" and (later := await _changed_later(authorization.surroundings)):
        why = f"changed after it had been checked: {', '.join(later)}"
        changed = {"status": "unverified", "verified_by": None, "why": why, "unordered": (*outcome.unordered, *later)}
        outcome = outcome.model_copy(update=changed)
    if outcome.status in ("done", "unverified"):
        if record.state.contract is None:  # with a contract it is part of the proof
            let_go = besides.let_go(journal.events, journal.read_blob)
            task = record.state.task
            files = besides.changed_besides(states_of(journal), lambda path: names_file(task, path) or let_go(path))
        done = () if repeated else _not_ordered(authorization)
        if files or done:
            own = tuple(path for path in files if path not in by_others())  # those are said by themselves
            said = (outcome.why if outcome.status == "unverified" else "", besides.told(own), besides.done(done))
            changed = {"status": "unverified", "verified_by": None, "why": "; ".join(filter(None, said))}
            outcome = outcome.model_copy(update=changed | {"unordered": (*outcome.unordered, *files, *done)})
    if outcome.status == "done" and understood(journal):
        why = f"the skill's checks passed, but {unchecked(journal)}"
        outcome = outcome.model_copy(update={"status": "unverified", "verified_by": None, "why": why})
    if outcome.status == "done" and (reading := confirmed_reading(journal)) is not None:
        outcome = outcome.model_copy(update={"why": _as_confirmed(outcome.why, reading)})
    _record_end(authorization.surroundings, _changed_meanwhile(journal, outcome, by_others))


def _as_confirmed(why: str, read: Understood) -> str:
    said = read.said
    who, whose = (said.person, "the") if said is not None and said.person else ("you", "your")
    before = f" ({datetime.fromtimestamp(said.time, UTC).date()}, run {said.run})" if said is not None else ""
    return AS_CONFIRMED.format(why=why, who=who, before=before, whose=whose, reading=read.told.rstrip("."))


def _changed_meanwhile(journal: Journal, outcome: Outcome, by_others: Callable[[], tuple[str, ...]]) -> Outcome:
    """The outcome; if it is not done and somebody else changed files while the crew worked, it says so first. A repeated run
    then did not fit for that reason, so nothing else is said. ``by_others``: returns these files."""
    acted = any(isinstance(event.body, ActionStarted) for event in journal.events)
    if outcome.status in ("done", "stopped") or not acted or not (others := by_others()):
        return outcome
    told = besides.by_others(others)
    if outcome.reason in (NO_FIT, UNREADABLE, UNUSABLE, NO_CHECK, "mismatch"):
        return outcome.model_copy(update={"reason": CHANGED, "why": f"{told}, so what it did is of no use. {AGAIN}"})
    return outcome.model_copy(update={"why": f"{told}. {outcome.why}"})


def _not_ordered(authorization: Authorization) -> tuple[str, ...]:
    """What was removed or paid for on pages although the user's words order nothing of the kind; also what was sent, if the
    user requires nothing but files. Which entry was meant is for the requirements to say."""
    record, journal = authorization.record, authorization.record.journal
    authorization.history.follow(journal.events)
    done = deeds(journal.events, record.looks.of, SENDING if _of_files_alone(record.state) else KINDS)
    kinds = ordered(journal.events, authorization.history.consents.said)
    return tuple(dict.fromkeys(each.words for each in done if each.kind not in kinds))


def _of_files_alone(state: RunState) -> bool:
    """Whether the user alone says what must hold, and only of files."""
    contract = state.contract
    if contract is None or not state.users_own or state.question:
        return False
    return not any(check.kind in OF_THE_SCREEN for each in contract.requirements for check in each.checks)


async def _changed_later(surroundings: Surroundings) -> tuple[str, ...]:
    """Paths that changed between the last check and the very end, after all programs were ended."""
    journal = surroundings.record.journal
    events = journal.events
    checked = next((event.number for event in reversed(events) if isinstance(event.body, Proved)), math.inf)
    before = states_of(journal, until=checked).end
    await surroundings.saves.settle(surroundings.own_desk)
    states = states_of(journal)
    return States(before, states.end, states.get).changes()


def _answered(record: Record, outcome: Outcome) -> Outcome:
    """The outcome with what a skill's program said of its work; the answer is what its check worked out again."""
    found = {line for proof in outcome.proofs if proof.holds for line in proof.found.splitlines()}
    lines = return_said(record).splitlines()
    answer, said = ("\n".join(line for line in lines if (line in found) is proven) for proven in (True, False))
    ended = (event.id for event in reversed(record.journal.events) if isinstance(event.body, ActionFinished))
    source = next(ended, "") if answer else ""
    return outcome.model_copy(update={"answer": answer, "sources": (source,) if source else (), "said": said})


def _record_end(surroundings: Surroundings, outcome: Outcome) -> None:
    """Record the end, however it came about: with the crew's remarks if it has no answer, and beginning with a file that the
    task names but that does not exist."""
    record = surroundings.record
    started = record.state.started
    if outcome.reason in ("infeasible", "gave_up") and started is not None and surroundings.seen is not None:
        files = [entry.path for entry in surroundings.now.files if entry.kind == "file"]
        if name := misnamed_file(started.task, files):
            why = f"{started.no_file(name, files)} {outcome.why}"
            outcome = outcome.model_copy(update={"reason": NO_FILE, "why": why})
    if not outcome.answer:
        said = account(record.state, record.crew.roles)
        outcome = outcome.model_copy(update={"said": said}) if said else _answered(record, outcome)
    if away := record.state.put_away:
        why = f"{outcome.why.rstrip('.')}; {'; '.join(away)}".removeprefix("; ")
        ended = {"status": "unverified", "verified_by": None} if outcome.status == "done" else {}
        outcome = outcome.model_copy(update={"why": why, **ended})
    record.journal.append(RunFinished(outcome=outcome))

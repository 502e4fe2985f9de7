"""Verify the goal, answer, finish.

Whether a task is done is decided in ``_outcome_of``, by :attr:`Proven.complete`. ``_end_task`` and ``_record_end`` may only
lower that. Apart from it, ``done`` comes from a person's yes (``engine/confirming.py``), and from ``deliver`` for runs that
have no task.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache

from deskcrew.engine import limits as bounds
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.human.questions import Approval, HelpQuestion, LimitQuestion
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role_kinds import CONSENTING, Now
from deskcrew.engine.roles.said import SaidAnswer
from deskcrew.engine.steps.choosing import confirmed_reading, understood
from deskcrew.engine.steps.consenting import read_words
from deskcrew.engine.steps.contesting import settle
from deskcrew.engine.steps.covering import misnamed_file
from deskcrew.engine.steps.looking_again import look_again
from deskcrew.engine.steps.objecting import amend
from deskcrew.engine.steps.planning import collate
from deskcrew.engine.steps.proving import answer_proven, answer_worked_out, prove, prove_again, read_answer, states_of
from deskcrew.engine.steps.reviewing import rest, under_way
from deskcrew.engine.steps.using_skills import return_said
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import LimitReached
from deskcrew.evidence import besides
from deskcrew.evidence.account import account
from deskcrew.evidence.answer import evidence, on_screen, support, value_by_value, written_results
from deskcrew.evidence.deeds import KINDS, SENDING, deeds, ordered
from deskcrew.evidence.others import changed_by_others
from deskcrew.evidence.proof import lacking, mark_reworded
from deskcrew.evidence.states import States
from deskcrew.facts.contract import OF_THE_SCREEN, Proof, Proven
from deskcrew.facts.events import (
    OWN_DESK,
    ActionFinished,
    ActionStarted,
    Event,
    FileRead,
    HumanSaid,
    Judged,
    LimitRaised,
    Observed,
    OperationApproved,
    OperationDenied,
    Proved,
    Rewound,
    RunFinished,
    RunResumed,
    Understood,
    latest,
)
from deskcrew.facts.texts import names_file
from deskcrew.facts.verdict import (
    BOUND,
    CHANGED,
    FROM_BRANCH,
    NO_CHECK,
    NO_FILE,
    NO_FIT,
    OUTSIDE,
    UNCONFIRMED,
    UNHELD,
    UNREADABLE,
    UNUSABLE,
    Branch,
    Judge,
    Outcome,
    OutcomeStatus,
    Verdict,
    VerifiedBy,
    used_up,
)
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Collected


async def answer(run: Run) -> None:
    """All subtasks are done: is the goal reached? If not, plan again; if so, answer the question, if there was one."""
    record, journal = run.record, run.record.journal
    await run.surroundings.look()
    if record.state.contract is not None:
        await _prove_and_end(run)
        return
    if deeds(journal.events, record.looks.of):
        await read_words(run, journal.events[-1])  # whether the user's words order them
    if await collate(run):
        if record.state.question:
            await _answer(run)
        else:
            await _end_task(run.authorization, Outcome(status="unverified", why=_unchecked(journal)))


async def _prove_and_end(run: Run) -> None:
    """End a run with a contract: done only if every requirement was verified by evidence that could have failed."""
    record, journal = run.record, run.record.journal
    state, asks = record.state, not run.prompting.skills_only  # a skill brings its own check
    if asks and not await amend(run.prompting):
        return
    await look_again(run.authorization)
    if asks and not (await settle(run.prompting) and await collate(run)):
        return
    earlier = state.proven
    proven = await prove(run)
    for _ in range(RESTS):
        # A program may still be writing the file that is missing, or closing the dialog that wrote it.
        slow = run.authorization.guard.kind != "browser" and under_way(
            run.surroundings
        )  # pages are looked at again as it is
        if proven is None or not (proven.failing or proven.unfinished) or not slow:
            break
        seen = journal.events[-1].number
        await rest(run.surroundings)
        if journal.events[-1].number > seen:  # something changed
            proven = await prove(run)
    if proven is None:
        return
    wrong = [proof.words for proof in proven.failing]
    wrong += [f"{besides.told(proven.strays)} (put back what was there)"] if proven.strays else []
    wrong += [besides.done(proven.unordered)] if proven.unordered else []
    wrong += proven.unfinished
    if not wrong and not (earlier is not None and earlier.unshown):
        wrong = [f"{proof.words}; open the page where it can be seen" for proof in proven.unshown]
    if wrong and state.replans < record.limits.replans:
        verdict = Verdict(kind="replan", why=f"{'; '.join(wrong)}.")
        journal.append(Judged(scope="goal", verdict=verdict, by="rules"))
        return
    if proven.failing:
        why = f"{'; '.join(wrong)}."
        outcome = Outcome(status=_failed(journal), reason="bound:replans", why=why, proofs=proven.proofs)
        await _end_task(run.authorization, outcome)
        return
    if state.question:
        await _answer(run, proven)
        return
    await _end_task(run.authorization, _outcome_of(proven, state))


def _outcome_of(proven: Proven, state: RunState, *, answered: VerifiedBy | None = None, found: str = "") -> Outcome:
    """The outcome of a proof: this decides whether a task is done. ``answered``: who verified the answer, None if none was
    asked for or it was not verified; ``found``: the evidence for the answer."""
    proofs = (*proven.proofs, *answers(state, answered, found))
    whole = proven.model_copy(update={"proofs": proofs})
    if not whole.complete:
        status: OutcomeStatus = "denied" if state.barred else "unverified"
        why, left = lacking(whole), (*proven.strays, *proven.unordered)
        return Outcome(
            status=status,
            why=why,
            proofs=proofs,
            incidental=proven.incidental,
            unordered=left,
            strength=proven.strength,
        )
    said = {*(proof.by for proof in proven.proofs), answered}
    least: VerifiedBy = "rules"
    for who in _CERTAIN:
        least = who if who in said else least
    return Outcome(
        status="done",
        verified_by=least,
        why="; ".join((*proven.strength.unread, _all(proofs))),
        proofs=proofs,
        incidental=proven.incidental,
        strength=proven.strength,
    )


def _all(proofs: Sequence[Proof]) -> str:
    """A sentence that all requirements hold, and which of them rest on a reader's judgement alone."""
    judged = [proof.requirement for proof in proofs if proof.by == "judge"]
    if not judged:
        return "every requirement was seen to hold"
    if len(judged) == len(proofs):
        return "every requirement is judged, not proven"
    which = f"requirement {judged[0]} is" if len(judged) == 1 else f"requirements {', '.join(judged)} are"
    return f"{which} judged, not proven; every other requirement was seen to hold"


_CERTAIN: tuple[VerifiedBy, ...] = ("rules", "probe", "human", "judge")
"""Who verified, from the most to the least certain."""


def answers(state: RunState, answered: VerifiedBy | None, found: str = "") -> tuple[Proof, ...]:
    """The proofs of requirements that are verified by the answer."""
    contract = state.contract
    wanted = [each for each in contract.standing if each.seen_by == "answer"] if contract is not None else []
    assert answered != "rules+model", "an answer under a contract has a probe or a reader"
    holds = True if answered else None
    proofs = (Proof(requirement=r.id, says=r.says, holds=holds, by=answered or "", found=found) for r in wanted)
    return mark_reworded(proofs, contract) if contract is not None else ()


RESTS = 3
"""How often to wait for programs before a failure counts: on a busy machine one may be slow to write a file."""
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


def _unchecked(journal: Journal) -> str:
    """Why the result of a run without a contract was not checked, and how to have it checked."""
    reading = understood(journal)
    return UNSEEN.format(reading=f"{reading.rstrip('.')}.") if reading else UNCHECKED


def _unchecked_answer(surroundings: Surroundings, answer: str, named: Sequence[str] = ()) -> Outcome:
    """The outcome of a run without a contract that has an answer. ``named``: numbers of the events that it cites."""
    record = surroundings.record
    rests = support(record.origins(), answer, named, [*_seen(record), *_written(surroundings)])
    sources = tuple(source.event for source in rests.sources)
    why = _unchecked(record.journal) if rests.holds or not answer else rests.why
    return Outcome(status="unverified", answer=answer, sources=sources, why=why)


async def end_repeated(authorization: Authorization, answer: str, program: str = "") -> None:
    """End a repeated run without asking anybody. ``answer``: as recorded, with new values; ``program``: likewise the
    Verifier's.

    The contract decides the outcome. The answer was judged in the recorded run, on other data: it counts as unchecked now,
    unless the program checks it.
    """
    if authorization.record.state.contract is not None:
        await _end_repeated_by_contract(authorization, answer, program)
        return
    await _end_task(authorization, _unchecked_answer(authorization.surroundings, answer), repeated=True)


async def _end_repeated_by_contract(authorization: Authorization, answer: str, program: str) -> None:
    """End a repeated run that has a contract."""
    await look_again(authorization)
    state, proven = authorization.record.state, await prove_again(authorization, program)
    if proven.failing:
        why = f"{'; '.join(proof.words for proof in proven.failing)}."
        await _end_task(
            authorization,
            Outcome(status=_failed(authorization.record.journal), reason="mismatch", why=why, proofs=proven.proofs),
            repeated=True,
        )
        return
    if not state.question:
        await _end_task(authorization, _outcome_of(proven, state), repeated=True)
        return
    tried = await answer_proven(authorization.surroundings, answer)
    found = tried.read if tried is not None else "nobody was asked whether its sources show it"
    holds = tried is not None and tried.holds
    outcome = _outcome_of(proven, state, answered="probe" if holds else None, found=found)
    await _end_task(authorization, outcome.model_copy(update={"answer": answer}), repeated=True)


async def _answer(run: Run, proven: Proven | None = None) -> None:
    """Have the question answered. ``proven``: the proof of everything else, None in a run without a contract."""
    record = run.record
    state = record.state
    role = record.crew.roles[record.crew.answerer]
    facts = tuple(str(found.number) for found in state.collected)
    now = Now(facts=facts, human=run.authorization.human.can_help(state, role.name))
    reply = await _worked_out(run.surroundings) or await _given(run.surroundings)
    reply = reply or await run.prompting.asker.ask(role, now, run.prompting.sight(role), SaidAnswer)
    if reply is None:
        return
    if reply.branch == Branch.NEED_HUMAN_HELP:
        why = reply.problem or "The question cannot be answered from what was found out."
        verdict = FROM_BRANCH[Branch.NEED_HUMAN_HELP].model_copy(update={"why": why})
        record.journal.append(Judged(scope="answer", verdict=verdict, by="rules"))
        return
    said = reply.answer.strip()
    if reply.branch == Branch.UNANSWERABLE and not said:
        await _end_task(run.authorization, Outcome(status="failed", reason="infeasible", why=reply.problem))
        return
    if proven is None:
        await _end_task(run.authorization, _unchecked_answer(run.surroundings, said, reply.sources))
        return
    await _shown(run, said, reply.sources, proven)


async def _worked_out(surroundings: Surroundings) -> SaidAnswer | None:
    """The answer that a skill found, if there is no contract or a probe computes the same; else None."""
    if not surroundings.record.answer:
        return None
    if surroundings.record.state.contract is not None:
        tried = await answer_proven(surroundings, surroundings.record.answer)
        if tried is None or not tried.holds:
            return None
    return SaidAnswer(answer=surroundings.record.answer)


async def _given(surroundings: Surroundings) -> SaidAnswer | None:
    """The answer that the agent of the whole task gave since its work was last sent back, if a probe computes the same or,
    unless it was written before its own operations showed something, its values occur in what was read or computed; else
    None. Nobody is then asked to word it again."""
    record = surroundings.record
    sent_back = (event.number for event in reversed(record.journal.events) if _sends_back(event))
    since = next(sent_back, 0)
    own = [found for found in record.state.collected_by("answer") if found.number > since and not found.rejected]
    if record.crew.planner or not own or record.state.contract is None:
        return None
    said = SaidAnswer(answer=own[-1].text)
    tried = await answer_proven(surroundings, said.answer)
    if tried is not None:
        return said if tried.holds else None
    if own[-1].outdated:
        return None
    rests = value_by_value(record.origins(), said.answer, [], [*_seen(record), *_written(surroundings)])
    return said if rests.holds else None


def _sends_back(event: Event) -> bool:
    return isinstance(event.body, Judged) and event.body.verdict.kind == "replan"


async def _shown(run: Run, said: str, named: Sequence[str], proven: Proven) -> None:
    """Verify the answer of a run with a contract, and end the run: by a probe if it is computed from files, or if its
    sources do not state it and it may follow from what pages showed; else value by value from its sources, which a reader
    then judges."""
    record = run.record
    state = record.state
    rests = value_by_value(record.origins(), said, named, [*_seen(record), *_written(run.surroundings)])
    tried = await answer_proven(run.surroundings, said)
    if tried is None and not rests.holds:
        tried = await answer_worked_out(run.prompting, said)
        if _elsewhere(record, record.crew.verifier):
            return
    by: VerifiedBy = "rules"
    if tried is not None and tried.holds is not None:
        holds, by = tried.holds, "probe"
        why = tried.read if holds else f"a probe worked out another answer: {tried.read}"
    elif not rests.holds:
        holds, why = None, rests.why
    else:
        source = evidence(record.origins(), rests.sources)
        while (judged := await read_answer(run.prompting, said, source)) is None:
            if _elsewhere(record, record.crew.reader):
                return
        holds, why, by = judged
    verdict = Verdict(kind="accept" if holds else "continue", why=why)
    record.journal.append(Judged(scope="answer", verdict=verdict, by=_AS_JUDGED[by]))
    shown = _outcome_of(proven, state, answered=by if holds else None, found=why)
    sources = tuple(source.event for source in rests.sources)
    await _end_task(
        run.authorization, shown.model_copy(update={"answer": said, "sources": sources, "why": shown.why if holds else why})
    )


_AS_JUDGED: dict[VerifiedBy, Judge] = {"rules": "rules", "probe": "rules", "judge": "model", "human": "human"}


def _elsewhere(record: Record, name: str) -> bool:
    """Whether something other than asking this role again is due."""
    state = record.state
    corrected = state.correction is not None and state.correction.role not in ("", name)
    return state.format_errors > record.limits.format_retries or state.phase != "answer" or corrected


def _written(surroundings: Surroundings) -> list[Collected]:
    """What a program wrote into a file and printed nowhere."""
    return written_results(surroundings.record.state, surroundings.now, surroundings.record.text_of)


def _seen(record: Record) -> list[Collected]:
    """The observations at which a role reported what it read on the screen, the last observation at each desk, and files
    that were read for prompts and not changed by the crew: only these can confirm an answer."""
    claims = {found.number for found in record.state.collected if found.claimed}
    last: dict[int, Event] = {}
    at: dict[str, int] = {}
    looks: dict[str, Event] = {}
    found: list[Collected] = []
    changed = {path for turn in record.state.turns for done in turn.done for path in done.files}
    untouched = {entry.path for entry in record.looks.first.files} - changed
    for event in record.journal.events:
        if isinstance(event.body, FileRead) and event.body.text and event.body.path in untouched:
            read = record.journal.read_blob(event.body.text).decode()
            found.append(Collected(event.id, event.number, "", None, "content", read, (event.body.path,)))
        if isinstance(event.body, Observed):
            last[event.body.desk] = event
            at[event.header.lane] = event.body.desk
        if event.number in claims and (look := last.get(at.get(event.header.lane, OWN_DESK))) is not None:
            looks[look.id] = look
    looks |= {look.id: look for look in sorted(last.values(), key=lambda look: look.number)}
    for event in looks.values():
        look = record.looks.of(event)
        if look is not None and look.windows:
            found.append(on_screen(event.id, event.number, look))
    return found


async def ask_human(run: Run) -> None:
    """Ask the person for whom a role or a verdict asked. If nobody is there, the problem ends the run."""
    record = run.record
    state = record.state
    asking = state.asking
    assert asking is not None
    # The role that replied last; what a reviewer says of its operations is no question of its own.
    who = next(
        (
            turn.role
            for turn in reversed(state.own_turns)
            if record.crew.roles[turn.role].kind not in ("review", "trace", *CONSENTING)
        ),
        "",
    )
    said = await run.authorization.human.help(state, HelpQuestion(role=who, question=asking.why))
    if said is None:
        record.stop(Verdict(kind="stop", reason="gave_up", why=f"help was needed and nobody was there: {asking.why}"))
        return
    if isinstance(said, HumanSaid) and said.kind == "answer" and said.role is None:
        said = said.model_copy(update={"role": who or None})
    await run.authorization.hear(said)


def reached(run: Run, limit: LimitReached, why: str) -> None:
    """Handle a limit that was reached: ask a person to raise it, if one is there and that would help; else end the run."""
    record = run.record
    state, reason = record.state, f"{BOUND}{limit.name}"
    more = limit.name in bounds.budgets(state, record.limits, record.seconds)
    asks = more and state.asking is None and run.authorization.human.can_help(state, "")
    asks = asks and not _unanswered(record.journal.events)
    verdict = Verdict(kind="ask" if asks else "stop", reason=reason, why=why)
    record.journal.append(Judged(scope="goal", verdict=verdict, by="rules"), lane=record.lane)


async def ask_for_more(run: Run) -> None:
    """Ask the person whether to raise a budget that is used up."""
    record = run.record
    asking = record.state.asking
    assert asking is not None
    name = used_up(asking.reason)
    assert name is not None
    budget = bounds.budgets(record.state, record.limits, record.seconds)[name]
    question = LimitQuestion(name=name, limit=budget.limit)
    match await run.authorization.human.more(record.state, question):
        case Approval(allowed=True):
            record.journal.append(LimitRaised(budget=name, limit=budget.more))
            if name == "seconds":
                record.began = max(record.began, time.monotonic())
        case None | Approval():
            record.stop(Verdict(kind="stop", reason=asking.reason, why=asking.why))
        case said:
            await run.authorization.hear(said)


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
    status = ended.get(reason) or ("failed" if reason in OUTSIDE else _failed(journal))
    proofs = _last_seen(journal)
    found = _found_wrong(state, journal.events, proofs)
    if not found and reason == "model" and proofs and all(each.proven for each in proofs):
        found = _all(proofs)
    if status == "failed" and state.barred:
        found = "; ".join(filter(None, (_denied(journal.events), found)))
    why = f"{found.rstrip('.')}. Then: {stop.why}" if found else stop.why
    said = "" if reason == "stopped" else reason
    await _end_task(run.authorization, Outcome(status=status, reason=said, why=why, proofs=proofs))


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


def _unanswered(events: Sequence[Event]) -> bool:
    """Whether the last question to a person was denied because nobody answered: the next one would wait just as long."""
    last = latest(events, OperationDenied, OperationApproved, HumanSaid, RunResumed)
    return isinstance(last, OperationDenied) and last.by == "nobody"


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


def _failed(journal: Journal) -> OutcomeStatus:
    """The status of a failure: ``denied`` if the last operation was not allowed."""
    return "denied" if journal.state.barred else "failed"


async def _end_task(authorization: Authorization, outcome: Outcome, *, repeated: bool = False) -> None:
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
        why = f"the skill's checks passed, but {_unchecked(journal)}"
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

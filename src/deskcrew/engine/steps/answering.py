"""Is the goal reached? Prove it and answer the question, if there was one.

Whether a task is done is decided in ``_outcome_of``, by :attr:`Proven.complete`. What follows in ``ending`` may only lower
that.
"""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import SaidAnswer
from deskcrew.engine.steps.consenting import read_words
from deskcrew.engine.steps.contesting import doubt, settle
from deskcrew.engine.steps.ending import end_task, failure, unchecked
from deskcrew.engine.steps.judging import read_answer
from deskcrew.engine.steps.looking_again import look_again
from deskcrew.engine.steps.objecting import amend
from deskcrew.engine.steps.planning import collate
from deskcrew.engine.steps.proving import prove, prove_again
from deskcrew.engine.steps.reviewing import rest, under_way
from deskcrew.engine.steps.working_out import answer_proven, answer_worked_out
from deskcrew.engine.surroundings import Surroundings
from deskcrew.evidence import besides
from deskcrew.evidence.answer import evidence, on_screen, support, value_by_value, written_results
from deskcrew.evidence.deeds import deeds
from deskcrew.evidence.proof import all_hold, lacking, mark_reworded
from deskcrew.facts.contract import Proof, Proven
from deskcrew.facts.events import OWN_DESK, Event, FileRead, Judged, Observed
from deskcrew.facts.verdict import FROM_BRANCH, Branch, Judge, Outcome, OutcomeStatus, Verdict, VerifiedBy
from deskcrew.journal.fold import RunState
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
            await end_task(run.authorization, Outcome(status="unverified", why=unchecked(journal)))


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
    if proven is not None and proven.failing and earlier is None and asks and await doubt(run.prompting, proven):
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
        outcome = Outcome(status=failure(journal), reason="bound:replans", why=why, proofs=proven.proofs)
        await end_task(run.authorization, outcome)
        return
    if state.question:
        await _answer(run, proven)
        return
    await end_task(run.authorization, _outcome_of(proven, state))


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
        why="; ".join((*proven.strength.unread, all_hold(proofs))),
        proofs=proofs,
        incidental=proven.incidental,
        strength=proven.strength,
    )


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


def _unchecked_answer(surroundings: Surroundings, answer: str, named: Sequence[str] = ()) -> Outcome:
    """The outcome of a run without a contract that has an answer. ``named``: numbers of the events that it cites."""
    record = surroundings.record
    rests = support(record.origins(), answer, named, [*_seen(record), *_written(surroundings)])
    sources = tuple(source.event for source in rests.sources)
    why = unchecked(record.journal) if rests.holds or not answer else rests.why
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
    await end_task(authorization, _unchecked_answer(authorization.surroundings, answer), repeated=True)


async def _end_repeated_by_contract(authorization: Authorization, answer: str, program: str) -> None:
    """End a repeated run that has a contract."""
    await look_again(authorization)
    state, proven = authorization.record.state, await prove_again(authorization, program)
    if proven.failing:
        why = f"{'; '.join(proof.words for proof in proven.failing)}."
        await end_task(
            authorization,
            Outcome(status=failure(authorization.record.journal), reason="mismatch", why=why, proofs=proven.proofs),
            repeated=True,
        )
        return
    if not state.question:
        await end_task(authorization, _outcome_of(proven, state), repeated=True)
        return
    tried = await answer_proven(authorization.surroundings, answer)
    found = tried.read if tried is not None else "nobody was asked whether its sources show it"
    holds = tried is not None and tried.holds
    outcome = _outcome_of(proven, state, answered="probe" if holds else None, found=found)
    await end_task(authorization, outcome.model_copy(update={"answer": answer}), repeated=True)


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
        await end_task(run.authorization, Outcome(status="failed", reason="infeasible", why=reply.problem))
        return
    if proven is None:
        await end_task(run.authorization, _unchecked_answer(run.surroundings, said, reply.sources))
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
    await end_task(
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

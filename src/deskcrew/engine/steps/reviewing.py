"""Review: what did the operation do, and is the subtask done? Evidence first, rules next, and a model where the crew wants
one (C9): it is shown all of COLA's equation 6, J = Re(E_t, E_t+1, I, O, R), and what the rules found. A crew's checker
assesses subtasks that the rules accept, or that failed (A3, M6, F13).

If contract and evidence do not decide between attempts at a task, they are compared here (Agent S3's behaviour best-of-N):
once, in a fresh context, by what was done, observed and left. Being chosen proves nothing (docs/design/repair.md).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from string import ascii_uppercase

import anyio.to_thread

from deskcrew.actions import gesture_of
from deskcrew.actions.action import ON_DESKTOP, Finding, Happening, Result
from deskcrew.actions.added import by_name
from deskcrew.actions.effects import NOTHING
from deskcrew.engine.context import Run
from deskcrew.engine.prompt_pictures import around, before_and_after
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import BestAttempt, Checked, Reviewed
from deskcrew.engine.roles.view import HISTORY_LENGTH, RESULT_LENGTH, Sight, group, operation_text
from deskcrew.engine.steps.approving import relabel
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.describe import describe, quote
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ActionError, CrewMistake, LimitReached, ModelFailure
from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.effect import evidence_text, finding, refilled, surprise
from deskcrew.evidence.states import States
from deskcrew.evidence.unfinished import asked_in_page
from deskcrew.facts.events import (
    ActionFinished,
    ActionInterrupted,
    AttemptsCompared,
    Choice,
    Event,
    HumanSaid,
    Judged,
    Observed,
    Operation,
    OperationDenied,
    Saved,
    latest,
)
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Evidence, Observation
from deskcrew.facts.plan import Subtask
from deskcrew.facts.verdict import FROM_BRANCH, Branch, Judge, Outcome, Verdict, VerdictKind
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import code_of, ending

NOTHING_WANTED = "No operation was given. Give the operations that remain, or say that your part is finished."
UNANSWERED = (
    "A dialog of the page came up and is still open, and nothing has been sent since: {}. Answer it; if it is to stay open, "
    "say again that your part is finished, with no operations."
)
REST = 1.0
"""Seconds to wait for a goal that does not hold yet."""


async def review(run: Run) -> None:
    """Observe what the finished action did and judge its effect."""
    record, surroundings = run.record, run.surroundings
    state, journal = record.state, record.journal
    finished = state.finished_action
    assert finished is not None
    assert isinstance(finished.body, ActionFinished)
    body = finished.body
    before, evidence = await surroundings.look_after(finished, body.exit_code)
    action = surroundings.actions[body.operation.function]
    result = Result(
        ok=body.ok, text=_output(record.journal, body), error=body.error, exit_code=body.exit_code, reads=body.reads
    )
    happening = (
        Happening(
            params=action.params.model_validate(body.operation.params),
            control=before.control(body.operation.control) if body.operation.control else None,
            before=before,
            after=surroundings.now,
            evidence=evidence,
            result=result,
        )
        if body.ok
        else None
    )
    found = finding(action, happening) if happening else Finding(held=False, why=body.error or body.text)
    verdict, by = await _effect(run.prompting, found, body, before, evidence)
    if verdict is None:
        return
    dropped, decision = 0, state.decision
    if decision is not None and decision.operations:
        now, rest = surroundings.now, decision.operations
        upcoming = _listed(surroundings, rest[0])
        aims = bool(upcoming.control) and now.control(upcoming.control or "") is not None
        if aims and by == "rules" and body.ok and evidence.empty and found.why.startswith(NOTHING):
            # It was so already, or it was for nothing: what names its own control is none the worse for it.
            verdict = verdict.model_copy(update={"kind": "continue"})
        following = surroundings.actions.get(upcoming.function)
        on_screen = following is None or following.needs in ON_DESKTOP
        unexpected = surprise(action, body.operation, before, now, upcoming, on_screen=on_screen)
        unexpected = unexpected or refilled(_filled(state), body.operation, before, now)
        if unexpected and verdict.kind == "continue":
            dropped = len(rest)
            verdict = verdict.model_copy(update={"why": f"{unexpected} Operations after it were not done; look again."})
    journal.append(
        Judged(scope="effect", subtask=body.subtask, verdict=verdict, by=by, dropped=dropped),
        lane=body.subtask,
        cause=finished,
    )


def _filled(state: RunState) -> list[Operation]:
    """The operations with which the reply in progress has typed so far."""
    done = state.turn.done if state.turn is not None else ()
    return [each.operation for each in done if each.ok and gesture_of(each.operation) == "type"]


def _listed(surroundings: Surroundings, operation: Operation) -> Operation:
    """An operation with the labels that its controls have now, as far as they are there."""
    try:
        return relabel(surroundings, operation)
    except ActionError:
        return operation


async def _effect(
    prompting: Prompting, found: Finding, body: ActionFinished, before: Observation, evidence: Evidence
) -> tuple[Verdict | None, Judge]:
    """The verdict on an operation, and who gave it. None if the reviewer's reply was unusable: ask again."""
    record = prompting.record
    by_rules = Verdict(kind="repair" if found.held is False else "continue", why=found.why)
    wants_model = record.crew.review == "model" or (record.crew.review == "rules-first" and found.held is None)
    if not record.crew.reviewer or not wants_model or prompting.record.skill is not None:
        return by_rules, "rules"  # a skill's step is compared with what it did when it was proven
    role = record.crew.roles[record.crew.reviewer]
    # None: a person took it out of the plan while this was done.
    subtask = next((s for s in record.state.plan.subtasks if s.id == body.subtask), None)
    sight = _shown(prompting, role, found, body, before, evidence)
    pictures = around(prompting.surroundings, body.operation.function, before)
    reply = await prompting.asker.ask(role, Now(), sight, Reviewed, subtask=subtask, pictures=pictures)
    return (Verdict(kind=reply.verdict, why=reply.judgement) if reply is not None else None), "model"


def _shown(
    prompting: Prompting, role: Role, found: Finding, body: ActionFinished, before: Observation, evidence: Evidence
) -> Sight:
    """What a reviewer may see of an operation. Long texts are truncated to what its model reads."""
    record = prompting.record
    turn, reading = record.state.turn, prompting.asker.model(role).profile.reading
    length = max(RESULT_LENGTH, reading)
    exit_code = f"exit code {body.exit_code}" if body.exit_code is not None else ""
    error = f"error: {shorten(body.error, length)}" if body.error else ""
    changed = evidence_text(evidence.model_copy(update={"exit_code": None}), length=length)  # which is in the result
    does = prompting.surroundings.actions[body.operation.function].summary
    # What the postcondition of an added action found stands in no event, and a replay has not its code.
    ruled = found.held is not None and body.operation.function not in by_name(record.crew.added)
    return prompting.sight(
        role,
        intention=str(turn.reply.get("intention") or "") if turn is not None else "",
        operation=f"{operation_text(body.operation, max(HISTORY_LENGTH, reading))} ({does})",
        result="\n".join(told for told in (shorten(_output(record.journal, body), length), error, exit_code) if told),
        before=_gone(prompting.told(role, before), prompting.told(role, prompting.surroundings.now)),
        evidence=f"{changed}\nRules find: {_said(found)}" if ruled else changed,
    )


def _gone(before: str, now: str) -> str:
    """The lines of the earlier screen that are not on the present one."""
    kept = set(now.splitlines())
    return "\n".join(line for line in before.splitlines() if line not in kept) or "nothing"


def _output(journal: Journal, body: ActionFinished) -> str:
    """All that an action returned; its event contains only the beginning."""
    return journal.read_blob(body.output).decode() if body.output else body.text


def _said(found: Finding) -> str:
    """What rules say about an operation, in words."""
    said = "it did what it is for" if found.held else "it did not do what it is for"
    return f"{said} ({found.why})" if found.why else said


async def rest(surroundings: Surroundings) -> None:
    """Give programs a moment, and observe again."""
    assert surroundings.desk.desktop is not None, "programs need a desktop"
    await anyio.to_thread.run_sync(surroundings.desk.desktop.wait, REST, abandon_on_cancel=True)
    await surroundings.look()


async def judge(run: Run) -> None:
    """Judge, once the decision has been carried out, whether the subtask is done, or what should follow."""
    record, surroundings, journal = run.record, run.surroundings, run.record.journal
    state = record.state
    subtask = state.subtask
    assert subtask is not None
    if surroundings.seen is None:
        await surroundings.look()
    if run.record.skill is not None and state.decision is not None and state.decision.branch == Branch.CONTINUE:
        record.judge(subtask.id, "continue", cause=journal.latest)
        return  # its next step is due, and nobody has claimed anything yet
    verdict = own_word(state, subtask, crew=record.crew)
    by_model = record.skill is None and not run.prompting.skills_only
    if verdict.kind == "accept" and by_model and (unanswered := _unanswered(record, surroundings.now)):
        verdict = Verdict(kind="repair", why=unanswered)
    by: Judge = "rules"
    if verdict.kind == "accept" and record.crew.checker and run.record.skill is None:
        if under_way(surroundings):
            await rest(surroundings)  # a checker judges by what there is, and a file may be written a moment after its key
        journal.commit()  # the loop does not before this step, and the checker may take its time
        if (said := await _checked(run.prompting, subtask)) is None:
            return
        verdict, by = said, "model"
    cause = journal.latest
    closed = (subtask.id,)
    if verdict.kind == "accept":
        closed = tuple(s.id for s in group(state.plan, subtask, record.crew))
        if state.replans >= record.limits.replans:
            # With no more plans to be made, the one that there is is carried out.
            verdict = verdict.model_copy(update={"why": ""})
    for id in closed:
        body = Judged(scope="subtask", subtask=id, verdict=verdict, by=by)
        journal.append(body, lane=id, cause=cause)


def _unanswered(record: Record, now: Observation) -> str:
    """A sentence on a dialog that the reply brought up on its page and left open, with nothing sent since; '' if there is
    none."""
    state = record.state
    names, since = asked_in_page(now), state.turn.number if state.turn is not None else math.inf
    if not names or (state.contract is not None and state.contract.asks_only):
        return ""
    for event in reversed(record.journal.events):
        if not isinstance(event.body, Observed) or event.body.desk != state.desk:
            continue
        look = record.looks.of(event)
        if look is None or asked_in_page(look) != names:
            return UNANSWERED.format(", ".join(map(quote, names)))
        if event.number < since or any(each.writes for each in event.body.evidence.sent):
            return ""
    return ""


def under_way(surroundings: Surroundings) -> bool:
    """Whether programs may still be working: only if something was done in a window just now."""
    recent = [done for turn in surroundings.record.state.turns[-2:] for done in turn.done if done.ok]
    worked = any(surroundings.actions[done.operation.function].needs in ON_DESKTOP for done in recent)
    return surroundings.desk.desktop is not None and worked


def check_wanted(record: Record, subtask: Subtask) -> bool:
    """Whether a failure is to be checked before the subtask's agent goes on."""
    failed = record.crew.check == "failures" and record.state.failed == subtask.id
    return bool(record.crew.checker) and failed and record.skill is None


async def _checked(prompting: Prompting, subtask: Subtask, *, failed: bool = False) -> Verdict | None:
    """The checker's verdict on a subtask (A3, M6, F13). Verdict and score supplement evidence, and do not replace it.

    ``failed``: it is asked because of a failure. A reason with an accept says why to change the rest of the plan. None: its
    reply was unusable, ask again.
    """
    record = prompting.record
    role = record.crew.roles[record.crew.checker]
    scored = record.crew.scores and bool(code_of(record.state.turns, subtask.id))

    def whole(reply: Checked) -> None:
        if scored and reply.verdict == "accept" and reply.score is None:
            raise CrewMistake("score: Python code did this, so say how well it would do for other tasks of its kind.")

    left = tuple(s.id for s in record.state.plan.subtasks if s.status == "todo" and s.id != subtask.id)
    before = _before(record, subtask) if "before" in role.reads else None
    told = prompting.told(role, before) if before is not None else ""
    reply = await prompting.asker.ask(
        role,
        Now(failed=failed, open=left),
        prompting.sight(role, evidence="", before=told),
        Checked,
        subtask=subtask,
        pictures=before_and_after(prompting.surroundings, before, "the subtask") if before is not None else (),
        check=whole,
    )
    if reply is None:
        return None
    said, why = reply.verdict, reply.why
    if said == "accept":
        return Verdict(kind="accept", score=reply.score if scored else None)
    kind: VerdictKind = "appeal" if said == "replan" and record.crew.appeals else "accept" if said == "adjust" else said
    return Verdict(kind=kind, why=why)


def _before(record: Record, subtask: Subtask) -> Observation | None:
    """The observation before the first operation of a subtask."""
    first = next((turn.number for turn in record.state.turns if turn.subtask == subtask.id), None)
    return record.looks.before(first) if first is not None else None


async def check_failure(prompting: Prompting, subtask: Subtask) -> None:
    """Have the checker judge a subtask in which an operation failed (CoAct's false_check, A3)."""
    verdict = await _checked(prompting, subtask, failed=True)
    if verdict is None:
        return
    if verdict.kind == "repair":  # the failure itself has been counted
        verdict = verdict.model_copy(update={"kind": "continue"})
    body = Judged(scope="subtask", subtask=subtask.id, verdict=verdict, by="model")
    prompting.record.journal.append(body, lane=subtask.id, cause=prompting.record.journal.latest)


def own_word(state: RunState, subtask: Subtask, *, crew: Crew) -> Verdict:
    """The verdict on a subtask whose decision has been carried out: the subtask ends when its role says so (in COLA also
    with an answer, table 8), and goes on as long as the role says Continue. Whether the task is done is checked last."""
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    answered = crew.groups and decision.branch == Branch.CONTINUE and decision.answer and not decision.total
    if decision.branch == Branch.ROLE_TASK_FINISH or answered:
        return Verdict(kind="accept")
    if decision.branch == Branch.CONTINUE:
        empty = decision.total == 0 and not decision.answer
        return Verdict(kind="repair", why=NOTHING_WANTED) if empty else Verdict(kind="continue")
    verdict = FROM_BRANCH[decision.branch]
    why = decision.problem or f"{decision.role} says: {decision.branch}"
    if verdict.kind == "reassign" and crew.appeals:
        verdict = Verdict(kind="appeal")
    elif verdict.kind == "reassign" and crew.planner and not crew.scheduler and len(crew.pool) > 1:
        # The planner that assigned it is to assign it again (M5).
        verdict, why = Verdict(kind="replan"), f"{subtask.id}. {subtask.goal}: {decision.role} cannot do it: {why}"
    return verdict.model_copy(update={"why": why})


STEP = 300
"""The maximum characters of an operation, and of its result."""
MOST = 6000
"""The maximum characters of all that an attempt did, and of all that it left."""
SCREEN = 800
"""The maximum tokens of what the screen showed in the end."""


async def compare(run: Run) -> Outcome:
    """Have a model say which of the attempts does the task best. If it is unavailable, its replies are unusable, or a
    person stops it, nothing is decided."""
    record, journal = run.record, run.record.journal
    prompting, state = run.prompting, record.state
    shown, outcome, role = state.comparing, state.outcome, record.crew.roles[record.crew.comparer]
    assert shown is not None, "there is nothing to compare"
    assert outcome is not None, "attempts are compared once they have ended"
    letters = ascii_uppercase[: len(shown.attempts)]
    facts = (journal.read_blob(digest).decode() for digest in shown.facts)
    told = "\n\n".join(
        (
            *_given(journal),
            *(f"Attempt {letter}\n{text}" for letter, text in zip(letters, facts, strict=True)),
        )
    )
    while state.comparing is not None and state.stop is None and state.format_errors <= record.limits.format_retries:
        try:
            reply = await prompting.asker.ask(
                role, Now(attempts=tuple(letters)), prompting.sight(role, attempts=told), BestAttempt
            )
        except (ModelFailure, LimitReached):
            break
        if reply is not None:
            journal.append(AttemptsCompared(choice=_choice(record, reply)), cause=journal.latest)
        elif isinstance(journal.latest.body, HumanSaid) and journal.latest.body.kind == "stop":
            break
        journal.commit()
    return outcome


def _choice(record: Record, reply: BestAttempt) -> Choice:
    shown = record.state.comparing
    assert shown is not None
    taken = shown.attempts[ascii_uppercase.index(reply.attempt)]
    named = zip(ascii_uppercase, shown.attempts, strict=False)
    letters = "; ".join(f"{letter} is attempt {number}" for letter, number in named)
    by = "human" if record.replied_by_person else "judge"
    return Choice(attempt=taken, among=tuple(sorted(shown.attempts)), by=by, why=f"{reply.why} ({letters})")


def side_by_side(attempts: Iterable[tuple[int, Sequence[Event]]], journal: Journal) -> tuple[tuple[int, str], ...]:
    """The numbers of attempts with the facts about each, in an order that does not reveal the numbers. ``attempts``: each
    number with the attempt's events, from the run's first to its end."""
    told = [(number, facts(events, journal)) for number, events in attempts]
    return tuple(sorted(told, key=lambda each: hashlib.sha256(each[1].encode()).digest()))


def facts(events: Sequence[Event], journal: Journal) -> str:
    """What one attempt did, what visibly changed, and what it left, from its ``events``. Of its roles' words only the
    answer."""
    outcome = ending(events)
    assert outcome is not None, "an attempt that is compared has ended"
    held = [each.words for each in outcome.proofs] or [
        f"{each.check.words}: {'holds' if each.holds else 'nobody could look' if each.holds is None else 'does not hold'}"
        for each in outcome.checks
    ]
    parts = (
        ("What was seen of each requirement", "\n".join(held)),
        ("Its answer", outcome.answer),
        ("What it did, and what was seen of that", shorten("\n".join(_steps(events)) or "nothing", MOST)),
        ("What it left in its folder", shorten(_left(events, journal), MOST)),
        ("What the screen showed in the end", _screen(events, journal)),
    )
    return "\n".join(f"{what}:\n{text}" for what, text in parts if text)


def _steps(events: Sequence[Event]) -> Iterator[str]:
    """One line for each operation that was tried."""
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
                yield f"- an operation was not allowed: {shorten(body.why, STEP)}"
            case _:
                pass


def _given(journal: Journal) -> tuple[str, ...]:
    """The files that all attempts began with: small ones whole, the beginning of large ones; () if there were none."""
    saved = next((event.body.manifest for event in journal.all if isinstance(event.body, Saved)), "")
    start = Manifest.from_bytes(journal.read_blob(saved)) if saved else Manifest(())
    told = changes_told(States(start, start, journal.read_blob)) if start.files else ""
    return (f"The folder at the start of each attempt:\n{shorten(told, MOST)}",) if told else ()


def _left(events: Sequence[Event], journal: Journal) -> str:
    if (kept := kept_by(events)) is None:
        return ""
    start, end = (Manifest.from_bytes(journal.read_blob(digest)) for digest in kept)
    return changes_told(States(start, end, journal.read_blob), most=0)


def kept_by(events: Sequence[Event]) -> tuple[str, str] | None:
    """Digests of the workspace's manifests at the first and at the last save point; None if there is none."""
    saved = [event.body.manifest for event in events if isinstance(event.body, Saved)]
    return (saved[0], saved[-1]) if saved else None


def _screen(events: Sequence[Event], journal: Journal) -> str:
    """What the windows showed at the last observation; '' if there was no desktop."""
    look = latest(events, Observed)
    if look is None:
        return ""
    seen = Observation.model_validate_json(journal.read_blob(look.observation))
    if not seen.windows:
        return ""
    return describe(seen.model_copy(update={"files": ()}), tokens=SCREEN)

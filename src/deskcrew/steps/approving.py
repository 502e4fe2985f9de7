"""Authorization of an operation: by the guard, and by a person where the guard or their mode asks."""

from __future__ import annotations

from deskcrew.actions.bound import bound_of, changes
from deskcrew.actions.executor import prepare
from deskcrew.errors import ActionError
from deskcrew.events import (
    Bound,
    Event,
    HumanSaid,
    Judged,
    Operation,
    OperationApproved,
    OperationDenied,
    OperationProposed,
)
from deskcrew.guard.guard import GuardDecision
from deskcrew.guard.risk import unusable
from deskcrew.human.questions import EDITED, Accepted, Approval, EditedOperation, OperationQuestion, Said, Scope
from deskcrew.journal.records import Decision
from deskcrew.run import Run
from deskcrew.steps.aiming import aimed
from deskcrew.verdict import Verdict

MOST_ASKED = 3
"""Times that an operation is asked about whose thing goes on changing while the question is open."""


async def approve(run: Run, decision: Decision, proposed: Event) -> Event | None:
    """The proposal that may be carried out: ``proposed``, or what a person put in its place. None: nothing is, for now.

    What a person edits is proposed, and judged by the guard, like anything else. Nobody is asked about what could not be
    done whatever they say: the role hears of that at once.

    A yes is for what the question showed. What is there is looked at once more before it counts, and where that is something
    else the person is asked anew.
    """
    edited, note = False, ""
    tried: Operation | None = None
    changed: tuple[str, ...] = ()
    asked_times = 0
    while True:
        body = proposed.body
        assert isinstance(body, OperationProposed)
        ruling = _ruling(run, decision, body.operation, now=proposed.header.time)
        if ruling.effect == "deny":
            _deny(run, proposed, ruling, by="policy", why=ruling.why)
            return None
        # What is in doubt is asked about in a mode that can ask; otherwise the policy's word stands.
        doubted = bool(ruling.doubt) and run.human.can_help(run.journal.state, decision.role)
        needed = ruling.effect == "ask" or doubted
        asked = needed and (not edited or bool(changed)) and run.human.can_help(run.journal.state, decision.role)
        if asked and (impossible := _impossible(run, decision, body.operation)):
            verdict = Verdict(kind="repair", why=impossible)
            judged = Judged(scope="subtask", subtask=decision.subtask, verdict=verdict, by="rules")
            run.journal.append(judged, lane=decision.subtask, cause=proposed)
            return None
        wrote = edited and not needed and not note and not changed
        if wrote:
            answer = Approval(allowed=True)  # the person has seen it: they wrote it
        else:
            question = _question(run, body, ruling, needed, note, tried, changed)
            answer = await run.human.before_operation(run.journal.state, question)
        note, tried = "", None
        if isinstance(answer, Approval) and answer.allowed and not wrote:
            asked_times += 1
            changed = await _changed(run, body.operation, ruling.bound)
            if changed and asked_times < MOST_ASKED:
                continue
            if changed:
                why = f"what it is about goes on changing: {'; '.join(changed)}"
                _deny(run, proposed, ruling, by="nobody", why=why)
                return None
        match answer:
            case EditedOperation():
                operation, note = await _usable(run, decision, answer.operation)
                if note:
                    tried = answer.operation
                else:
                    put = body.model_copy(update={"operation": operation, "intention": EDITED})
                    proposed, edited = run.journal.append(put, lane=decision.subtask, cause=proposed), True
                    changed = ()
            case Approval(allowed=True):
                _allow(run, proposed, ruling, by="human", approval=answer)
                return proposed
            case Approval():
                _deny(run, proposed, ruling, by="human", why=answer.why or "the user said no")
                return None
            case Accepted() if not needed:
                _allow(run, proposed, ruling, by=ruling.by, approval=None)
                return proposed
            case None | Accepted():
                why = f"{ruling.why} (nobody was there to approve it)"
                _deny(run, proposed, ruling, by="nobody", why=why)
                return None
            case _:
                await _heard(run, decision, proposed, ruling, answer)
                return None


def _ruling(run: Run, decision: Decision, operation: Operation, *, now: float) -> GuardDecision:
    run.history.follow(run.journal.events)
    return run.guard.decide(
        operation,
        run.actions[operation.function],
        run.scene(),
        agent=decision.role,
        grants=run.history.grants,
        counts=run.history.counts,
        consents=run.history.consents,
        now=now,
    )


def _question(
    run: Run,
    body: OperationProposed,
    ruling: GuardDecision,
    needed: bool,
    note: str,
    tried: Operation | None,
    changed: tuple[str, ...],
) -> OperationQuestion:
    scopes: tuple[Scope, ...] = ("once",)
    if needed and not ruling.every_time:
        scopes = ("once", "run", "app") if ruling.app else ("once", "run")
    return OperationQuestion(
        role=body.role,
        subtask=body.subtask,
        operation=body.operation,
        intention=body.intention,
        needed=needed,
        risk=ruling.risk,
        rule=ruling.rule,
        why=ruling.why if needed else "",
        app=ruling.app,
        scopes=scopes,
        note=note,
        tried=tried,
        bound=ruling.bound,
        changed=changed,
    )


async def _usable(run: Run, decision: Decision, written: Operation) -> tuple[Operation, str]:
    """An operation that a person wrote, aimed at what it hits, and why it cannot be done; '' where it can."""
    try:
        operation = await aimed(run, written)
    except ActionError as error:
        return written, str(error)
    return operation, _impossible(run, decision, operation)


def _impossible(run: Run, decision: Decision, operation: Operation) -> str:
    """Why an operation would be refused even if it were allowed; '' when it would be tried."""
    role = run.crew.roles[decision.role]
    able = {name: run.actions[name] for name in role.domain if name in run.actions}
    scene = run.scene()
    try:
        action, _, _ = prepare(operation, able, scene)
    except ActionError as error:
        return str(error)
    return unusable(operation, action, scene.workspace)


def _allow(run: Run, proposed: Event, ruling: GuardDecision, *, by: str, approval: Approval | None) -> None:
    wider = approval is not None and ruling.effect == "ask" and not ruling.every_time
    scope = approval.scope if approval is not None and wider else "once"
    if scope == "app" and not ruling.app:
        scope = "once"
    body = OperationApproved(
        rule=ruling.rule,
        risk=ruling.risk,
        by=by,  # type: ignore[arg-type]
        scope=scope,
        app=ruling.app,
        hosts=ruling.hosts,
        expires=approval.expires if approval is not None and scope != "once" else None,
        bound=ruling.bound,
        consent=ruling.consent if by == "consent" else None,
    )
    run.journal.append(body, lane=proposed.header.lane, cause=proposed)
    searches = (
        isinstance(proposed.body, OperationProposed) and run.actions[proposed.body.operation.function].needs == "search"
    )
    # Whoever lets a search be asked for has not let programs reach its service.
    if by == "human" and ruling.risk == "network" and run.sandbox.proxy is not None and not searches:
        run.sandbox.proxy.approved(ruling.hosts)


def _deny(run: Run, proposed: Event, ruling: GuardDecision, *, by: str, why: str) -> None:
    body = OperationDenied(rule=ruling.rule, risk=ruling.risk, by=by, why=why)  # type: ignore[arg-type]
    run.journal.append(body, lane=proposed.header.lane, cause=proposed)


async def _changed(run: Run, operation: Operation, shown: Bound) -> tuple[str, ...]:
    """What of that which was approved is not as it was shown, by an observation that is taken now. What the operation was
    aimed at may have gone: then it is said, and asking again tells the role."""
    await run.look()
    return changes(shown, bound_of(operation, run.actions[operation.function], run.scene()))


def shown_to_person(run: Run, proposed: Event) -> Bound | None:
    """What a person was shown an operation to be about that they let through; None where nobody was asked."""
    after = (event for event in run.journal.since(proposed) if event.header.cause == proposed.id)
    approved = next((event.body for event in after if isinstance(event.body, OperationApproved)), None)
    return approved.bound if approved is not None and approved.by in ("human", "grant") else None


async def _heard(run: Run, decision: Decision, proposed: Event, ruling: GuardDecision, said: Said) -> None:
    """Something else was said instead: what changes the matter also denies the operation; a pause leaves it for later."""
    if run.asker.interventions.refusal(said):
        run.asker.interventions.take(said)  # tells why; the operation is asked about again in the next turn
        return
    otherwise = isinstance(said, HumanSaid) and said.kind in ("guide", "switch") and said.text
    if not run.asker.interventions.leaves_alone(said, decision.role):
        _deny(run, proposed, ruling, by="human", why=otherwise or "the user wants something else")
    await run.hear(said)

"""Approve: find an operation's target, decide whether it may be done, and whether a program's changes may be applied.

An operation is aimed before it is proposed: what a role describes is found, and a point inside a control names this control,
so that guard, consent, questions and history are about the thing that is operated. A grounding model's reply is recorded as
an event before it is used. Changes that a program made in its layer are decided on before any is applied to the workspace:
their event and the decision are on disk first. So it is known what may be applied even if the process is killed in between
(:func:`land_rest`), and a replay decides again from the events alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import reduce

import anyio.to_thread

from deskcrew.actions.action import ON_DESKTOP, Action
from deskcrew.actions.bound import bound_of, changes
from deskcrew.actions.executor import prepare
from deskcrew.actions.pointing import DESCRIBED
from deskcrew.actions.sandbox import LAYER
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.human.questions import EDITED, Accepted, Approval, EditedOperation, OperationQuestion, Said, Scope
from deskcrew.engine.steps.consenting import Match, can_match, match_order, read_consent
from deskcrew.engine.steps.referring import resolve
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.changes import Changes
from deskcrew.environments.describe import control_line, quote, wish
from deskcrew.environments.pointing import CLICK, aim, points_of, target_of
from deskcrew.environments.trees import FOLDER
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.facts.events import (
    ActionStarted,
    Bound,
    ChangesFound,
    Event,
    Grounded,
    HumanSaid,
    Operation,
    OperationApproved,
    OperationDenied,
    OperationProposed,
    PointFound,
    SendsFound,
)
from deskcrew.facts.observation import Observation, Sent
from deskcrew.facts.texts import folded
from deskcrew.guard.commands import JudgedRisk as Risked
from deskcrew.guard.filled import put_by
from deskcrew.guard.guard import GuardDecision
from deskcrew.guard.outgoing import IDLE, Effect, Shape, can_send, chosen_by, filled_in, leads_to, shape
from deskcrew.guard.risk import unusable
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Decision

MOST_SHOWN = 60
"""The maximum number of fields that a model is shown of what a page wants to send."""
_BOXES = frozenset({"check box", "toggle button", "switch"})
_SENT_BY_BOXES = {True: ("true", "on", "yes", "1"), False: ("false", "off", "no", "0")}
"""The values that pages send for a checked box, and for an unchecked one."""
MOST_BEFORE, LONGEST_PAGE = 15, 1500
"""The maximum number of earlier operations, and of characters of the page, that the model is shown."""
PAUSE = 1.0
"""The maximum seconds to wait for a named control to appear."""
MOST_ASKED = 3
"""How often a person is asked about an operation whose target keeps changing while the question is open."""


async def approve(run: Run, decision: Decision, proposed: Event) -> Event | None:
    """The proposal that may be carried out: ``proposed``, or a person's replacement. None: nothing, for now.

    An operation that a person edited is proposed, and judged by the guard, like any other. Nobody is asked about an
    impossible operation: the role is told at once.

    A yes is for what the question showed. The screen is observed once more before it counts, and if the target has changed
    the person is asked again.
    """
    record, authorization, surroundings, journal = run.record, run.authorization, run.surroundings, run.record.journal
    edited, note = False, ""
    tried: Operation | None = None
    changed: tuple[str, ...] = ()
    asked_times = 0
    while True:
        body = proposed.body
        assert isinstance(body, OperationProposed)
        ruling = await _ruling(run, decision, proposed, body.operation)
        if ruling.effect == "deny":
            _deny(journal, proposed, ruling, by="policy", why=ruling.why)
            return None
        # What is in doubt is asked about in a mode that can ask; otherwise the policy's word stands.
        doubted = bool(ruling.doubt) and authorization.human.can_help(record.state, decision.role)
        needed = ruling.effect == "ask" or doubted
        asked = needed and (not edited or bool(changed)) and authorization.human.can_help(record.state, decision.role)
        if asked and (impossible := _impossible(surroundings, decision, body.operation)):
            record.judge(decision.subtask, "repair", impossible, cause=proposed)
            return None
        wrote = edited and not needed and not note and not changed
        if wrote:
            answer = Approval(allowed=True)  # the person has seen it: they wrote it
        else:
            question = _question(journal, body, ruling, needed, note, tried, changed)
            answer = await authorization.human.before_operation(record.state, question)
        note, tried = "", None
        if isinstance(answer, Approval) and answer.allowed and not wrote:
            asked_times += 1
            changed = await _changed(surroundings, body.operation, ruling.bound)
            if changed and asked_times < MOST_ASKED:
                continue
            if changed:
                why = f"what it concerns keeps changing: {'; '.join(changed)}"
                _deny(journal, proposed, ruling, by="nobody", why=why)
                return None
        match answer:
            case EditedOperation():
                operation, note = await _usable(surroundings, decision, answer.operation)
                if note:
                    tried = answer.operation
                else:
                    put = body.model_copy(update={"operation": operation, "intention": EDITED})
                    proposed, edited = journal.append(put, lane=decision.subtask, cause=proposed), True
                    changed = ()
            case Approval(allowed=True):
                _allow(surroundings, proposed, ruling, by="human", approval=answer)
                return proposed
            case Approval():
                _deny(journal, proposed, ruling, by="human", why=answer.why or "the user said no")
                return None
            case Accepted() if not needed:
                _allow(surroundings, proposed, ruling, by=ruling.by, approval=None)
                return proposed
            case None | Accepted():
                why = f"{ruling.why} (nobody was there to approve it)"
                _deny(journal, proposed, ruling, by="nobody", why=why)
                return None
            case _:
                await _heard(authorization, decision, proposed, ruling, answer)
                return None


async def _ruling(run: Run, decision: Decision, proposed: Event, operation: Operation) -> GuardDecision:
    """The guard's decision on a proposal. If it would ask, the task's words are read, and its orders compared, first."""
    authorization, subtask = run.authorization, run.record.state.plan.subtask(decision.subtask)

    def ruled(match: Match | None = None) -> GuardDecision:
        return ruling_on(authorization, decision.role, operation, now=proposed.header.time, match=match)

    ruling = ruled()
    if await read_consent(run, ruling, proposed, subtask):
        ruling = ruled()
    places = authorization.history.consents.open_orders(_page(ruling)) if ruling.liftable else ()
    if ruling.effect != "ask" or not places:
        return ruling
    match = await match_order(run, _deed(authorization, operation), places, subtask)
    if match is not None and match.consent is None:
        return ruling.model_copy(update={"why": f"{ruling.why}; {match.why}"})
    return ruled(match) if match is not None else ruling


def _deed(authorization: Authorization, operation: Operation, sent: Sequence[Sent] = (), *, bare: bool = False) -> str:
    """What is about to be done on a page, and sent, in words for the model that says whether it is ordered. ``bare``: only
    what is sent, without what the page says about it."""
    surroundings = authorization.surroundings
    wishes = f"the page wants to send {'; and '.join(wish(each, MOST_SHOWN) for each in sent)}" if sent else ""
    if unseen := _unseen(authorization, sent):
        wishes += f". No control shows, and nobody typed or chose: {'; '.join(unseen)}"
    if bare:
        return wishes
    control, window = target_of(operation, surroundings.now), surroundings.now.active_window
    behind = control.behind if control is not None else None
    said = {name: value for name, value in operation.params.items() if value not in (None, False)}
    where = f"on the page {quote(window.title)} at {quote(window.url)}" if window is not None else ""
    told = [f"{operation.function} {control_line(control) if control is not None else ''} {said or ''} {where}".strip()]
    if behind is not None and behind.holds:
        told.append(f"its form holds {', '.join(quote(text) for text in behind.holds)}")
    before = authorization.history.consents.done[-MOST_BEFORE:]
    held = [f" (instead of {quote(put.was)})" if put.was else "" for put in before]
    if did := [f"{quote(text)}{was}" for put, was in zip(before, held, strict=True) for text in sorted(put_by((put,)))]:
        told.append(f"before, the assistant pressed, chose or typed, in this order: {', '.join(did)}")
    told.append(f"the page shows {quote(surroundings.now.all_text, LONGEST_PAGE)}")
    return ". ".join((*told, wishes) if wishes else told)


def _unseen(authorization: Authorization, sent: Sequence[Sent]) -> list[str]:
    """The values in what is sent that only the page has put there, each with its name."""
    told = {
        folded(text) for control in authorization.surroundings.now.controls for text in (control.name, control.value) if text
    }
    boxes = {"checked" in control.states for control in authorization.surroundings.now.controls if control.role in _BOXES}
    told |= {text for on, texts in _SENT_BY_BOXES.items() if on in boxes for text in texts}
    known = told | chosen_by(authorization.history.consents.done)
    fields = ((field.name, field.value) for each in sent for field in each.fields if field.value != field.was)
    return [f"{name} {quote(value)}" for name, value in fields if value and folded(value) not in known][:MOST_SHOWN]


def _page(ruling: GuardDecision) -> str:
    return ruling.bound.target.page if ruling.bound.target is not None else ""


def ruling_on(
    authorization: Authorization,
    role: str,
    operation: Operation,
    *,
    now: float,
    sent: Risked | None = None,
    match: Match | None = None,
    by_model: bool = False,
) -> GuardDecision:
    """The guard's decision on a role's operation, given all that was allowed and done so far. ``sent``: what its page wants
    to send, if that is to be decided; ``match``: a model's verdict on it; ``by_model``: only a model can tell."""
    authorization.history.follow(authorization.record.journal.events)
    action = authorization.surroundings.actions[operation.function]
    beginning = authorization.record.beginning() if action.loses is not None else None
    ruling = authorization.guard.decide(
        operation,
        action,
        replace(authorization.surroundings.scene(), beginning=beginning, typed=authorization.history.consents.typed),
        agent=role,
        history=authorization.history,
        sent=sent,
        matched=match.consent if match is not None else None,
        by_model=by_model,
        now=now,
    )
    if match is None or ruling.by != "consent":
        return ruling
    return ruling.model_copy(update={"step": match.step})


def _question(
    journal: Journal,
    body: OperationProposed,
    ruling: GuardDecision,
    needed: bool,
    note: str,
    tried: Operation | None,
    changed: tuple[str, ...],
) -> OperationQuestion:
    scopes: tuple[Scope, ...] = ("once",)
    turn = journal.state.turn
    by_role = turn is not None and turn.reply.get("intention") == body.intention
    if needed and not ruling.every_time:
        scopes = ("once", "run", "app") if ruling.app else ("once", "run")
    return OperationQuestion(
        role=body.role,
        subtask=body.subtask,
        operation=body.operation,
        intention=body.intention if by_role else "",
        told="" if by_role else body.intention,
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


async def _usable(surroundings: Surroundings, decision: Decision, written: Operation) -> tuple[Operation, str]:
    """An operation that a person wrote, with its target, and why it cannot be done; '' if it can."""
    try:
        operation = await locate(surroundings, written)
    except ActionError as error:
        return written, str(error)
    return operation, _impossible(surroundings, decision, operation)


def _impossible(surroundings: Surroundings, decision: Decision, operation: Operation) -> str:
    """Why an operation would be refused even if it were allowed; '' if it would be tried."""
    role = surroundings.record.crew.roles[decision.role]
    able = {name: surroundings.actions[name] for name in role.domain if name in surroundings.actions}
    scene = surroundings.scene()
    try:
        action, _, _ = prepare(operation, able, scene)
    except ActionError as error:
        return str(error)
    return unusable(operation, action, scene.workspace)


def _allow(
    surroundings: Surroundings, proposed: Event, ruling: GuardDecision, *, by: str, approval: Approval | None
) -> None:
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
        step=by == "consent" and ruling.step,
    )
    surroundings.record.journal.append(body, lane=proposed.header.lane, cause=proposed)
    searches = (
        isinstance(proposed.body, OperationProposed)
        and surroundings.actions[proposed.body.operation.function].needs == "search"
    )
    # Whoever lets a search be asked for has not let programs reach its service.
    if by == "human" and ruling.risk == "network" and surroundings.sandbox.proxy is not None and not searches:
        surroundings.sandbox.proxy.approved(ruling.hosts)


def _deny(journal: Journal, proposed: Event, ruling: GuardDecision, *, by: str, why: str) -> None:
    body = OperationDenied(rule=ruling.rule, risk=ruling.risk, by=by, why=why)  # type: ignore[arg-type]
    journal.append(body, lane=proposed.header.lane, cause=proposed)


async def _changed(surroundings: Surroundings, operation: Operation, shown: Bound) -> tuple[str, ...]:
    """What has changed since the person was asked, by a new observation. A target that is gone counts, too."""
    await surroundings.look()
    return changes(shown, bound_of(operation, surroundings.actions[operation.function], surroundings.scene()))


def shown_to_person(journal: Journal, proposed: Event) -> Bound | None:
    """The target and files that a person was shown when approving an operation; None if nobody was asked."""
    after = (event for event in journal.since(proposed) if event.header.cause == proposed.id)
    approved = next((event.body for event in after if isinstance(event.body, OperationApproved)), None)
    return approved.bound if approved is not None and approved.by in ("human", "grant") else None


async def _heard(
    authorization: Authorization, decision: Decision, proposed: Event, ruling: GuardDecision, said: Said
) -> None:
    """Handle another intervention instead of an answer: one that changes the matter also denies the operation; a pause
    postpones it."""
    interventions = authorization.interventions
    if interventions.refusal(said):
        interventions.take(said)  # tells why; the operation is asked about again in the next turn
        return
    otherwise = isinstance(said, HumanSaid) and said.kind in ("guide", "switch") and said.text
    if not interventions.leaves_alone(said, decision.role):
        _deny(authorization.record.journal, proposed, ruling, by="human", why=otherwise or "the user wants something else")
    await authorization.hear(said)


async def locate(surroundings: Surroundings, operation: Operation) -> Operation:
    """The operation as proposed. Raises ActionError, worded for the model, if what it describes or names cannot be found,
    or a point lies outside the picture."""
    try:
        operation = relabel(surroundings, operation)
    except ActionError:
        if surroundings.desk.desktop is None:
            raise
        await anyio.to_thread.run_sync(surroundings.desk.desktop.wait, PAUSE, abandon_on_cancel=True)  # it may still come
        await surroundings.look()
        operation = relabel(surroundings, operation)
    if operation.function == DESCRIBED and DESCRIBED in surroundings.actions:
        operation = await _found(surroundings, operation)
    points = points_of(operation.function, operation.params)
    if not points:
        return operation
    first, *_ = [aim(point, surroundings.now) for point in points]
    return operation.model_copy(update={"control": first.control.label if first.control is not None else None})


def relabel(surroundings: Surroundings, operation: Operation) -> Operation:
    """The operation with the labels that its controls have on the screen now. Raises ActionError as
    :func:`~deskcrew.engine.steps.referring.resolve` does."""
    record = surroundings.record

    def shown() -> Observation | None:
        return record.looks.before(record.state.turn.number) if record.state.turn is not None else None

    return resolve(operation, surroundings.actions, surroundings.now, shown)


async def _found(surroundings: Surroundings, operation: Operation) -> Operation:
    """The click on the point that a grounding model finds."""
    record = surroundings.record
    grounder, picture = surroundings.desk.grounder, surroundings.now.screenshot
    if grounder is None or picture is None:
        raise ActionError("There is no picture to find it in.")
    words = str(operation.params.get("what") or "")
    began, found, error = time.monotonic(), Grounded(), ""
    try:
        found = await grounder.point(picture, words)
    except ModelFailure as failure:
        error = str(failure)
    body = PointFound(
        words=words,
        picture=record.journal.blob(picture),
        model=grounder.name,
        found=found,
        error=error,
        seconds=round(time.monotonic() - began, 3),
    )
    record.journal.append(body, lane=record.lane)
    if error:
        raise ActionError(f"{error} Point at it yourself, or try another way.")
    if found.point is None:
        raise ActionError(f"{words!r} was not found in the picture. Describe it by what can be seen, or try another way.")
    x, y = found.point
    kept = {name: value for name, value in operation.params.items() if name != "what"}
    return Operation(function=CLICK, params={"x": x, "y": y, **kept})


async def settle(run: Run, started: Event, changes: Changes) -> str:
    """Why none of a program's changes may be applied, worded for the model; '' if all may."""
    body = started.body
    assert isinstance(body, ActionStarted)
    journal = run.record.journal

    def ruled() -> GuardDecision:
        return _ruling_on_changes(run.authorization, changes, started)

    ruling = ruled()
    found = journal.append(
        ChangesFound(
            changes=journal.blob(changes.model_dump_json()),
            paths=len(changes.entries),
            losses=changes.losses(),
            effect=ruling.effect,
            rule=ruling.rule,
            risk=ruling.risk,
            why=ruling.why,
        ),
        lane=body.subtask,
        cause=started,
    )
    why = await _decided(run, body, found, ruling, ruled, "It has run, and none of its changes are in the workspace yet.")
    return f"Nothing that it wrote was kept: {why}." if why else ""


def effect_of(run: Run, proposed: Event) -> Effect | None:
    """Decides at once about most of what pages send because of an approved operation; None: as for the operation before."""
    record, authorization, surroundings = run.record, run.authorization, run.surroundings
    assert isinstance(proposed.body, OperationProposed)
    operation = proposed.body.operation
    if (
        surroundings.actions[operation.function].gesture in IDLE
        or authorization.guard.kind != "browser"
        or surroundings.actions[operation.function].needs not in ON_DESKTOP
    ):
        return None
    authorization.history.follow(record.journal.events)
    consents, state = authorization.history.consents, record.state
    after = (event.body for event in record.journal.since(proposed) if event.header.cause == proposed.id)
    approved = next((body for body in after if isinstance(body, OperationApproved)), None)
    by = approved.by if approved is not None else "policy"
    control, contract = target_of(operation, surroundings.now), state.contract
    asks_only = contract is not None and contract.asks_only
    linked = filled_in(consents.done) if asks_only else leads_to(consents.done, control, surroundings.now, consents.said)
    careful, put = can_match(run), chosen_by(consents.done)
    place = approved.consent if approved is not None and by == "consent" else None
    tied = consents.tied(place) if careful else ""
    stays = contract is not None and any(each.stays for each in contract.requirements)
    reserved = f"the task says {tied!r} of it" if tied else "the task names what must stay as it is" if stays else ""
    return Effect(
        control,
        consents.said,
        authorization.guard.words,
        put=put,
        presses=can_send(operation) or careful,  # a choice or a key may send, too
        allowed=by in ("human", "grant"),
        ordered=by == "consent" and not tied,
        asks_only=asks_only,
        linked=linked,
        reserved=reserved,
        careful=careful,
        known=_only_asked(authorization, put),
    )


def _only_asked(authorization: Authorization, put: frozenset[str]) -> frozenset[Shape]:
    """The shapes of requests of which a model has said that they only ask for data."""
    return frozenset(shape(each, put) for each in authorization.history.consents.only_asked)


async def settle_sent(run: Run, started: Event, effect: Effect, sent: tuple[Sent, ...]) -> str:
    """Like :func:`settle`, for what pages want to send because of an operation."""
    record, authorization = run.record, run.authorization
    body = started.body
    assert isinstance(body, ActionStarted)
    authorization.history.follow(record.journal.events)
    asked = _only_asked(authorization, effect.put)
    if all(shape(each, effect.put) in asked for each in sent):
        return ""  # a page that keeps asking the same asks again while somebody decides about it
    worst = reduce(Risked.worse, map(effect.judged, sent))
    judged = replace(worst, why=f"{worst.why}: {'; '.join(map(wish, sent))}")
    # What letters explain is in doubt only for a model that reads it.
    calm = all(effect.afterwards().judged(each, further=False).risk == "read" for each in sent)

    def ruled(match: Match | None = None) -> GuardDecision:
        now, by_model = started.header.time, effect.careful
        return ruling_on(authorization, body.role, body.operation, now=now, sent=judged, match=match, by_model=by_model)

    async def matched(ruling: GuardDecision) -> GuardDecision:
        subtask, consents = record.state.plan.subtask(body.subtask), authorization.history.consents
        plain, places = all(map(effect.explains, sent)), consents.orders_on(_page(ruling))
        # What letters explain is only doubted, and takes no order's place: no more can be said of it where none was read.
        match = (
            await match_order(run, _deed(authorization, body.operation, sent), places, subtask)
            if places or not plain
            else None
        )
        if match is None:
            return ruling.model_copy(update={"effect": "allow"}) if calm else ruling
        if match.consent is not None:
            return ruling.model_copy(update={"effect": "allow"}) if plain else ruled(match)
        if match.asks and judged.risk == "send":
            # Whoever says so was shown what the page says of itself, and no order of the user stands behind it.
            match = await match_order(run, _deed(authorization, body.operation, sent, bare=True), places, subtask) or match
            if match.asks:
                return ruling.model_copy(update={"effect": "allow", "asks": True})
        return ruling.model_copy(update={"why": f"{ruling.why}; {match.why}"})

    ruling = ruled()
    found = record.journal.append(
        SendsFound(sent=sent, effect=ruling.effect, rule=ruling.rule, risk=ruling.risk, why=ruling.why),
        lane=body.subtask,
        cause=started,
    )
    told = "It has been done, and its page now wants to send what has not left yet."
    why = await _decided(run, body, found, ruling, ruled, told, matched)
    return f"It was done, but the request that the page then made was held back: {why}." if why else ""


async def _decided(
    run: Run,
    body: ActionStarted,
    found: Event,
    ruling: GuardDecision,
    ruled: Callable[[], GuardDecision],
    told: str,
    matched: Callable[[GuardDecision], Awaitable[GuardDecision]] | None = None,
) -> str:
    """Why what an operation led to is not allowed; '' if it is. ``ruled``: the guard's ruling once the user's words have
    been read; ``told``: what a person who is asked is told; ``matched``: the ruling once a model has matched an order."""
    journal = run.record.journal
    by, why = ("policy", ruling.why) if ruling.effect == "deny" else ("policy", "")
    asked = ruling.effect == "ask"
    if asked and await read_consent(run, ruling, found, journal.state.plan.subtask(body.subtask)):
        ruling = ruled()
        by = ruling.by
    if ruling.effect == "ask" and ruling.liftable and matched is not None:
        ruling = await matched(ruling)
        by = ruling.by
    if ruling.effect == "ask":
        journal.commit()  # a person may take their time
        by, why = await _asked(run.authorization, body, ruling, told)
    if not why:
        if asked:
            approved = OperationApproved(
                rule=ruling.rule,
                risk=ruling.risk,
                by=by,  # type: ignore[arg-type]
                consent=ruling.consent,
                step=ruling.step,
                asks=ruling.asks,
            )
            journal.append(approved, lane=body.subtask, cause=found)
        journal.commit()
        return ""
    _deny(journal, found, ruling, by=by, why=why)
    return why


def _ruling_on_changes(authorization: Authorization, changes: Changes, started: Event) -> GuardDecision:
    body = started.body
    assert isinstance(body, ActionStarted)
    authorization.history.follow(authorization.record.journal.events)
    return authorization.guard.decide_changes(
        changes,
        body.operation,
        authorization.surroundings.actions[body.operation.function],
        agent=body.role,
        history=authorization.history,
        now=started.header.time,
    )


async def _asked(authorization: Authorization, body: ActionStarted, ruling: GuardDecision, told: str) -> tuple[str, str]:
    """Who decided, and the reason for a no; '' if a person said yes."""
    question = OperationQuestion(
        role=body.role,
        subtask=body.subtask,
        operation=body.operation,
        told=told,
        needed=True,
        risk=ruling.risk,
        why=ruling.why,
    )
    while True:
        answer = await authorization.human.before_operation(authorization.record.state, question)
        match answer:
            case Approval(allowed=True):
                return "human", ""
            case Approval():
                return "human", answer.why or "the user said no"
            case EditedOperation():
                return "human", "the user wants something else"
            case None | Accepted():
                return "nobody", f"{ruling.why} (nobody was there to approve it)"
            case _:
                interventions = authorization.interventions
                goes_on = interventions.refusal(answer) or interventions.leaves_alone(answer, body.role)
                await authorization.hear(answer)
                if not goes_on:
                    otherwise = isinstance(answer, HumanSaid) and answer.kind in ("guide", "switch") and answer.text
                    return "human", otherwise or "the user wants something else"


def hidden(authorization: Authorization, action: Action, agent: str) -> tuple[str, ...]:
    """Paths of the workspace that are hidden from programs because the policy denies them."""
    descriptor = os.open(authorization.surroundings.desk.workspace.root, FOLDER)
    try:
        return authorization.guard.hidden(action.name, agent, descriptor)
    finally:
        os.close(descriptor)


def land_rest(surroundings: Surroundings, started: Event) -> None:
    """After a crash: finish applying changes that were allowed; nothing else is applied."""
    rest = surroundings.record.journal.since(started)
    found = next((event for event in reversed(rest) if isinstance(event.body, ChangesFound)), None)
    allowed = found is not None and isinstance(found.body, ChangesFound) and found.body.effect == "allow"
    approved = any(isinstance(each.body, OperationApproved) and found and each.header.cause == found.id for each in rest)
    surroundings.sandbox.clear_layers(land=LAYER if allowed or approved else "")

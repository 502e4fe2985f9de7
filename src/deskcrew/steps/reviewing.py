"""Review: what did the operation do, and is the subtask done? Evidence first, rules next, and a model where the crew wants
one (C9): it is shown all of COLA's equation 6, J = Re(E_t, E_t+1, I, O, R), and what the rules found."""

from __future__ import annotations

import anyio.to_thread

from deskcrew.actions.action import ON_DESKTOP, Finding, Happening, Result
from deskcrew.actions.added import by_name
from deskcrew.coaching.program_results import TIMES, uncovered
from deskcrew.context import Run
from deskcrew.events import ActionFinished, Judged
from deskcrew.excerpts import shorten
from deskcrew.goals.claim import judge as judge_claim
from deskcrew.goals.effect import evidence_text, finding, surprise
from deskcrew.goals.goal import unmet
from deskcrew.observation import Evidence, Observation
from deskcrew.roles.role import Role
from deskcrew.roles.role_kinds import Now
from deskcrew.roles.view import HISTORY_LENGTH, RESULT_LENGTH, Sight, group, operation_text
from deskcrew.steps.deciding import around, checked
from deskcrew.verdict import Branch, Judge, Verdict

REST = 1.0
"""Seconds that a goal which does not hold yet is given to come true."""
RESTS = 3
"""How often, where a role says that it is finished: on a busy machine a program takes its time to write a file."""


async def review(run: Run) -> None:
    """Look at what the finished action did and judge its effect."""
    state, journal = run.journal.state, run.journal
    finished = state.finished_action
    assert finished is not None
    assert isinstance(finished.body, ActionFinished)
    body = finished.body
    before, evidence = await run.look_after(finished, body.exit_code)
    action = run.actions[body.operation.function]
    result = Result(ok=body.ok, text=_output(run, body), error=body.error, exit_code=body.exit_code, reads=body.reads)
    happening = (
        Happening(
            params=action.params.model_validate(body.operation.params),
            control=before.control(body.operation.control) if body.operation.control else None,
            before=before,
            after=run.now,
            evidence=evidence,
            result=result,
        )
        if body.ok
        else None
    )
    found = finding(action, happening) if happening else Finding(held=False, why=body.error or body.text)
    verdict, by = await _effect(run, found, body, before, evidence)
    if verdict is None:
        return
    dropped, decision = 0, state.decision
    rest = decision.operations if decision is not None and verdict.kind == "continue" else []
    if rest and (unexpected := surprise(action, body.operation, before, run.now, rest[0])):
        dropped = len(rest)
        verdict = verdict.model_copy(update={"why": f"{unexpected} Operations after it were not done; look again."})
    journal.append(
        Judged(scope="effect", subtask=body.subtask, verdict=verdict, by=by, dropped=dropped),
        lane=body.subtask,
        cause=finished,
    )


async def _effect(
    run: Run, found: Finding, body: ActionFinished, before: Observation, evidence: Evidence
) -> tuple[Verdict | None, Judge]:
    """The verdict on an operation, and who gave it. None: the reviewer's reply could not be used, it is asked again."""
    by_rules = Verdict(kind="repair" if found.held is False else "continue", why=found.why)
    wants_model = run.crew.review == "model" or (run.crew.review == "rules-first" and found.held is None)
    if not run.crew.reviewer or not wants_model or run.skill is not None:
        return by_rules, "rules"  # a skill's step is compared with what it did when it was proven
    role = run.crew.roles[run.crew.reviewer]
    if run.crew.review == "rules-first" and run.coached(role):
        # A model that cannot reason in words judges no better than chance: say what was seen instead.
        return by_rules.model_copy(update={"why": by_rules.why or f"{evidence_text(evidence)}."}), "rules"
    # None: a person took it out of the plan while this was done.
    subtask = next((s for s in run.journal.state.plan.subtasks if s.id == body.subtask), None)
    sight = _shown(run, role, found, body, before, evidence)
    reply = await run.asker.ask(role, Now(), sight, subtask=subtask, pictures=around(run, body.operation.function, before))
    return (Verdict(kind=reply["verdict"], why=str(reply["judgement"])) if reply is not None else None), "model"


def _shown(run: Run, role: Role, found: Finding, body: ActionFinished, before: Observation, evidence: Evidence) -> Sight:
    """What a reviewer may see of an operation. Long texts are cut to what its model reads."""
    turn, reading = run.journal.state.turn, run.asker.model(role).profile.reading
    length = max(RESULT_LENGTH, reading)
    exit_code = f"exit code {body.exit_code}" if body.exit_code is not None else ""
    error = f"error: {shorten(body.error, length)}" if body.error else ""
    changed = evidence_text(evidence.model_copy(update={"exit_code": None}), length=length)  # which is in the result
    does = run.actions[body.operation.function].summary
    # What the postcondition of an added action found stands in no event, and a replay has not its code.
    ruled = found.held is not None and body.operation.function not in by_name(run.crew.added)
    return run.sight(
        role,
        intention=str(turn.reply.get("intention") or "") if turn is not None else "",
        operation=f"{operation_text(body.operation, max(HISTORY_LENGTH, reading))} ({does})",
        result="\n".join(told for told in (shorten(_output(run, body), length), error, exit_code) if told),
        before=run.told(role, before),
        evidence=f"{changed}\nRules find: {_said(found)}" if ruled else changed,
    )


def _output(run: Run, body: ActionFinished) -> str:
    """All that an action returned; its event holds the beginning."""
    return run.journal.read_blob(body.output).decode() if body.output else body.text


def _said(found: Finding) -> str:
    """What rules say of an operation, in words."""
    said = "it did what it is for" if found.held else "it did not do what it is for"
    return f"{said} ({found.why})" if found.why else said


async def _rest(run: Run) -> None:
    """Give programs a moment, and look again."""
    assert run.desk.desktop is not None, "programs need a desktop"
    await anyio.to_thread.run_sync(run.desk.desktop.wait, REST, abandon_on_cancel=True)
    await run.look()


async def judge(run: Run) -> None:
    """The decision has been carried out: is the subtask done, or what else?"""
    state = run.journal.state
    subtask = state.subtask
    assert subtask is not None
    if run.seen is None:
        await run.look()
    if run.skill is not None and state.decision is not None and state.decision.branch == Branch.CONTINUE:
        body = Judged(scope="subtask", subtask=subtask.id, verdict=Verdict(kind="continue"), by="rules")
        run.journal.append(body, lane=subtask.id, cause=run.journal.latest)
        return  # its next step is due, and nobody has claimed anything yet
    last = sum(s.status == "todo" for s in state.plan.subtasks) == 1
    checks = run.checks() if last else ()
    claimed = state.decision is not None and state.decision.branch == Branch.ROLE_TASK_FINISH
    # With nothing done in a window just now, nothing is on its way.
    recent = [done for turn in state.turns[-2:] for done in turn.done if done.ok]
    under_way = any(run.actions[done.operation.function].needs in ON_DESKTOP for done in recent)
    for _ in range(RESTS if claimed else 1):
        if not unmet(checks) or run.desk.desktop is None or not under_way:
            break
        # A program may still be at it, writing the file that is missing: let it come to rest before saying no.
        await _rest(run)
        checks = run.checks()
    role = run.crew.roles[subtask.role or ""]
    coached = run.coached(role)
    verdict = judge_claim(state, subtask, last, checks, run.now, crew=run.crew, small=coached)
    proven = run.skill is not None and run.skill.whole  # it says so itself, and no small model does
    doubted = coached and not proven and verdict.kind == "accept" and state.repairs[subtask.id] < TIMES
    if doubted and (left := uncovered(run.situation(role, subtask))):
        verdict = Verdict(kind="repair", why=left)
    by: Judge = "rules"
    if verdict.kind == "accept" and run.crew.checker and run.skill is None:
        if run.desk.desktop is not None and under_way:
            await _rest(run)  # a checker judges by what there is, and a file may be written a moment after its key
            checks = run.checks() if last else ()
        if (said := await checked(run, subtask, unmet(checks))) is None:
            return
        verdict, by = said, "model"
    cause = run.journal.latest
    closed = (subtask.id,)
    if verdict.kind == "accept":
        closed = tuple(s.id for s in group(state.plan, subtask, run.crew))
        if state.replans >= run.limits.replans:
            # With no more plans to be made, the one that there is is carried out.
            verdict = verdict.model_copy(update={"why": ""})
    for id in closed:
        body = Judged(scope="subtask", subtask=id, verdict=verdict, by=by, checks=checks)
        run.journal.append(body, lane=id, cause=cause)

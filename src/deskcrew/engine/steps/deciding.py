"""Decide: the subtask's role observes and replies with the operations it wants (C7)."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace

import anyio.to_thread

from deskcrew.actions.narrowing import at_hand, operation_types
from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.prompt_pictures import pictures_for
from deskcrew.engine.prompting import offered
from deskcrew.engine.record import Record
from deskcrew.engine.roles.ask import RoleRequest, reading
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import SaidDecision
from deskcrew.engine.steps.agreeing import agree_beside, may_wait
from deskcrew.engine.steps.choosing import no_fit, resume_skill
from deskcrew.engine.steps.contesting import contest, failed_requirements, may_contest
from deskcrew.engine.steps.delegating import delegate, may_delegate, parts_needed
from deskcrew.engine.steps.objecting import citable, may_object, objectable, raise_objection
from deskcrew.engine.steps.reviewing import check_failure, check_wanted
from deskcrew.engine.steps.using_skills import go_on
from deskcrew.facts.events import PlanPatched
from deskcrew.facts.plan import PlanPatch, Subtask
from deskcrew.journal.records import RULES

LOOKS, PAUSE = 4, 2.0
"""How often an empty window is observed, and the maximum seconds between."""


async def decide(run: Run) -> None:
    """Ask the role of the ready subtask. The screen is observed again first: it may have changed on its own."""
    record, prompting, surroundings = run.record, run.prompting, run.surroundings
    state = record.state
    subtask = state.subtask
    assert subtask is not None
    assert subtask.role is not None
    role = record.crew.roles[subtask.role]
    if surroundings.seen is None or surroundings.at_desktop:
        await surroundings.look()
    if surroundings.at_desktop:
        await _loaded(run.authorization)
    if run.record.skill is not None and await go_on(run, role.name):
        return
    if prompting.skills_only:
        if state.stop is None and not resume_skill(run.prompting):
            no_fit(prompting)
        return
    if check_wanted(run.record, subtask):
        await check_failure(prompting, subtask)
        return
    if hand_over(record, subtask):
        return
    actions = prompting.actions_of(role)
    programs = state.applications
    shown = offered(surroundings.now).model_copy(update={"files": surroundings.now.files})
    listed = at_hand(actions.values(), shown)
    human = run.authorization.human.can_help(state, role.name)
    wide = operation_types(listed, shown, labels=False, applications=programs)
    profile = prompting.asker.model(role).profile
    # For a small model a grammar spells the names out, so that it can write no others.
    several, narrow = min(record.crew.batch, role.batch) > 1, wide
    if "narrowing" not in record.crew.left_out and (profile.schema_mode == "grammar" or not several):
        ahead = several and profile.contracts
        narrow = operation_types(listed, shown, labels=True, applications=programs, ahead=ahead)
    sees = "contract" in role.reads
    now = Now(
        operations=narrow,
        human=human,
        objectable=objectable(record.journal) if sees else (),
        citable=citable(surroundings) if sees else (),
        needed=parts_needed(record, role, subtask),
        contestable=failed_requirements(state) if "contestable" in role.reads and not record.crew.planner else (),
    )
    asker = prompting.asker

    def usable(said: SaidDecision) -> None:
        may_object(record, said)
        may_delegate(record, subtask, said)

    def request() -> Awaitable[RoleRequest]:
        return asker.request(
            role,
            now,
            prompting.sight(role, contestable=may_contest(now.contestable, "with no operations and RoleTaskFinish")),
            wide=replace(now, operations=wide),
            subtask=subtask,
            actions=actions,
            pictures=pictures_for(prompting, role),
            check=reading(SaidDecision, usable),
        )

    if may_wait(prompting):
        reply = await agree_beside(run, request)
    else:
        reply = await asker.reply(await request())
    if reply is not None:
        said = SaidDecision.model_validate(reply)
        raise_objection(record.journal, said, role.name)
        contest(record.journal, said, by=role.name, cause=record.journal.latest)
        delegate(record, role, subtask, said)


async def _loaded(authorization: Authorization) -> None:
    """Wait (bounded) until the window in front shows anything: a program that was just opened may still be reading its file.
    A browser says when its page has loaded, and a page may well have nothing on it."""
    surroundings = authorization.surroundings
    for _ in range(LOOKS if authorization.guard.kind != "browser" else 0):
        now = surroundings.now
        if surroundings.desk.desktop is None or now.active_window is None or now.in_front or now.text or now.on_page:
            return
        await anyio.to_thread.run_sync(surroundings.desk.desktop.wait, PAUSE, abandon_on_cancel=True)
        await surroundings.look()


def hand_over(record: Record, subtask: Subtask) -> bool:
    """Hand a rejected subtask to the agent that amends its agent's work (F15), where it stays. Returns whether it was."""
    amender = record.crew.amends.get(subtask.role or "", "")
    state = record.state
    if amender not in record.crew.pool or not state.repairs[subtask.id] or amender in state.mismatched.get(subtask.id, ()):
        return False
    patch = PlanPatch(edit=(subtask.model_copy(update={"role": amender}),))
    body = PlanPatched(by=RULES, why=state.judgement or "sent back", patch=patch, plan=state.plan.patched(patch))
    record.journal.append(body, lane=subtask.id)
    return True

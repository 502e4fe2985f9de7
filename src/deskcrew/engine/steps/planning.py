"""Plan and schedule (COLA C5, C6; MMAC M4): the planner's reply becomes a patch, the scheduler's an assignment. While its
plan is carried out, the planner decides on requests for another one (CoAct A4), and in the end on the whole (A5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from deskcrew.engine.authorization import Authorization
from deskcrew.engine.context import Run
from deskcrew.engine.prompt_pictures import pictures_for
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.record import Record
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import END, MOST, Now
from deskcrew.engine.roles.said import OnAppeal, OnWhole, SaidObservation, SaidPlan, SaidSchedule, SaidSubtask, Signal
from deskcrew.engine.steps.agreeing import agree, may_wait
from deskcrew.engine.steps.choosing import choose, no_fit
from deskcrew.engine.steps.contesting import contest, failed_requirements, may_contest
from deskcrew.engine.steps.looking_up import look_up
from deskcrew.engine.steps.using_skills import recognise, take_over
from deskcrew.environments.describe import windows_text
from deskcrew.errors import CrewMistake, PlanError
from deskcrew.facts.events import Event, GoalSet, Judged, PlanPatched
from deskcrew.facts.plan import Plan, PlanPatch, Subtask, chain, difference, dropped, preceded
from deskcrew.facts.verdict import FROM_BRANCH, Branch, Verdict, VerdictKind
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import RULES

Decision = Literal["revise", "overrule", "ask"]
DECIDED: dict[Decision, VerdictKind] = {"revise": "replan", "overrule": "repair", "ask": "ask"}
"""What follows from a planner's decision: it plans again, the subtask's agent goes on with its reasons, or a person
helps."""
OVERRULED = "The planner keeps to its plan: {why}"
ALL_DONE = "Every subtask of your plan is done."
Types = Mapping[str, str]
NO_TYPES: Types = MappingProxyType({})


async def plan(run: Run) -> None:
    """Ask the planner for the first subtasks, or for new ones in place of those that are not done."""
    record, prompting, surroundings, journal = run.record, run.prompting, run.surroundings, run.record.journal
    if surroundings.seen is None:
        await surroundings.look()
    state = record.state
    if prompting.skills_only and state.plan.subtasks:
        no_fit(prompting)
        return
    if recognise(run.prompting):
        return
    if not may_wait(prompting) and not await agree(run):
        return
    if not await choose(run):
        return
    if run.record.skill is not None and run.record.skill.own:
        take_over(run.record, run.record.skill)
        return
    if run.record.skill is not None:
        agent = run.record.skill.recording.steps[0].role
        _first(journal, chain([state.task], roles=[agent]), question="", by=RULES)
        return
    if not await describe_screen(prompting):
        return
    if not record.crew.planner:
        patch = chain([state.task], roles=[record.crew.pool[0]])
        if may_wait(prompting):
            journal.append(PlanPatched(by=RULES, patch=patch, plan=Plan().patched(patch)))
        else:
            _first(journal, patch, question="", by=RULES)
        return
    role = record.crew.roles[record.crew.planner]
    usual = _usual(run.authorization, role)
    if not await look_up(run, usual):
        return
    contestable = failed_requirements(state) if state.problems else ()
    now = replace(
        usual,
        contestable=contestable,
        open=tuple(part.id for part in state.plan.subtasks if part.status == "todo"),
        needed=_needed(state.plan),
    )

    def possible(reply: SaidPlan) -> None:
        if contestable and not reply.subtasks and not reply.contests and _signal(reply) is None:
            raise CrewMistake("Give subtasks or, where the work is right as it is, name in contests what failed, with why.")
        if not reply.contests or reply.subtasks:
            state.plan.patched(_patch(record, reply))

    reply = await prompting.asker.ask(
        role,
        now,
        prompting.sight(
            role,
            contestable=may_contest(contestable, "with no subtasks"),
            windows=windows_text(surroundings.now),
        ),
        SaidPlan,
        check=possible,
    )
    if reply is None:
        return
    called = journal.latest
    if (verdict := _signal(reply)) is not None:
        record.stop(verdict)
        return
    contest(journal, reply, by=role.name, cause=called)
    if reply.contests and not reply.subtasks:
        patch = PlanPatch(drop=tuple(part.id for part in state.plan.subtasks if part.status == "todo"))
        done = PlanPatched(by=role.name, why=state.problems, patch=patch, plan=state.plan.patched(patch))
        journal.append(done, cause=called)
        return
    _planned(record, reply, by=role, cause=called)


def _usual(authorization: Authorization, role: Role) -> Now:
    """What any reply of a planner may name, whatever it is asked. Its examples show that, so that they are the same in all
    its calls."""
    state = authorization.record.state
    return Now(human=authorization.human.can_help(state, role.name), agreed=state.agreed)


async def describe_screen(prompting: Prompting) -> bool:
    """Have the crew's viewer describe the screen before the first plan (M3), if it has one. False: ask again."""
    record = prompting.record
    state, name = record.state, record.crew.viewer
    if (
        not name
        or prompting.surroundings.desk.desktop is None
        or state.plan.subtasks
        or any(turn.role == name for turn in state.turns)
    ):
        return True
    role = record.crew.roles[name]
    return (
        await prompting.asker.ask(
            role, Now(looking=True), prompting.sight(role), SaidObservation, pictures=pictures_for(prompting, role)
        )
        is not None
    )


def _planned(record: Record, reply: SaidPlan, *, by: Role, cause: Event) -> None:
    """Record the plan that a reply gives."""
    state = record.state
    patch = _patch(record, reply)
    if state.plan.subtasks:
        patched = state.plan.patched(patch)
        record.journal.append(PlanPatched(by=by.name, why=state.problems, patch=patch, plan=patched), cause=cause)
        return
    _first(record.journal, patch, question=reply.question, by=by.name, cause=cause)


def _first(journal: Journal, patch: PlanPatch, *, question: str, by: str, cause: Event | None = None) -> None:
    """Record the first plan, and the question if no contract states it: what the user requires then also includes an
    answer."""
    state = journal.state
    if state.contract is None:
        journal.append(GoalSet(question=question), cause=cause)
    elif question and not state.agreed:
        journal.append(GoalSet(question=question, contract=state.contract.asking(question)), cause=cause)
    journal.append(PlanPatched(by=by, patch=patch, plan=Plan().patched(patch)), cause=cause)


def _needed(plan: Plan) -> tuple[str, ...]:
    """Ids that a new subtask may need: those of the plan's subtasks, and of those that are planned with it."""
    first = plan.next_number
    return (*(part.id for part in plan.subtasks), *(str(number) for number in range(first, first + MOST)))


def _patch(record: Record, reply: SaidPlan) -> PlanPatch:
    """The change to the plan that a planner's reply makes."""
    now, types = record.state.plan, record.crew.types
    return anew(now, reply.subtasks, types) if reply.insert is None else changed(now, reply, types)


def _signal(reply: Signal) -> Verdict | None:
    if reply.branch == Branch.CONTINUE:
        return None
    return FROM_BRANCH[reply.branch].model_copy(update={"why": reply.problem or str(reply.branch)})


async def schedule(run: Run) -> None:
    """Give every open subtask without a role to an agent of the pool. A pool of one needs no model for that."""
    record, journal = run.record, run.record.journal
    state, crew = record.state, record.crew
    open_ones = tuple(s for s in state.plan.subtasks if s.status == "todo" and s.role is None)
    if not crew.scheduler or len(crew.pool) == 1:
        _assign(journal, {s.id: crew.pool[0] for s in open_ones}, by=RULES)
        return
    role = crew.roles[crew.scheduler]
    refused = {id: names for id, names in state.mismatched.items() if any(s.id == id for s in open_ones)}

    def possible(reply: SaidSchedule) -> None:
        for each in reply.assignments:
            if each.role in refused.get(each.subtask, []):
                raise PlanError(f"{each.role} has refused subtask {each.subtask}: assign it to another agent.")
        named = {each.subtask for each in reply.assignments}
        missing = [s.id for s in open_ones if s.id not in named]
        if missing and reply.branch == Branch.CONTINUE:
            raise PlanError(f"Subtask {missing[0]} is not assigned.")

    now = Now(subtasks=tuple(s.id for s in open_ones), human=run.authorization.human.can_help(state, role.name))
    reply = await run.prompting.asker.ask(role, now, run.prompting.sight(role), SaidSchedule, check=possible)
    if reply is None:
        return
    called = journal.latest
    if (verdict := _signal(reply)) is not None:
        journal.append(Judged(scope="subtask", subtask=record.lane, verdict=verdict, by="rules"), cause=called)
        return
    _assign(journal, {each.subtask: each.role for each in reply.assignments}, by=role.name, cause=called)


def _assign(journal: Journal, roles: dict[str, str], *, by: str, cause: Event | None = None) -> None:
    now = journal.state.plan
    edited: list[Subtask] = [now.subtask(id).model_copy(update={"role": name}) for id, name in roles.items()]
    patch = PlanPatch(edit=tuple(edited))
    journal.append(PlanPatched(by=by, why="assigned", patch=patch, plan=now.patched(patch)), cause=cause)


async def appeal(run: Run) -> None:
    """Have the planner decide on a request for another plan."""
    record, surroundings = run.record, run.surroundings
    if surroundings.seen is None:
        await surroundings.look()
    state = record.state
    requested, subtask = state.appeal, state.subtask
    assert requested is not None
    assert subtask is not None
    role = record.crew.roles[record.crew.planner]
    now = replace(_usual(run.authorization, role), appeal=True)
    sight = run.prompting.sight(role, windows=windows_text(surroundings.now))
    reply = await run.prompting.asker.ask(role, now, sight, OnAppeal)
    if reply is None:
        return
    why, kind = reply.why, DECIDED[reply.verdict]
    told = {"replan": f"{requested.why} {why}".strip(), "repair": OVERRULED.format(why=why)}.get(kind, why)
    body = Judged(scope="subtask", subtask=subtask.id, verdict=Verdict(kind=kind, why=told), by="planner")
    record.journal.append(body, lane=subtask.id, cause=record.journal.latest)


async def collate(run: Run) -> bool:
    """Whether the planner agrees to the end of the run, if its crew asks for that. False: ask again, or plan
    again. If no more plans may be made, evidence alone decides."""
    record = run.record
    state = record.state
    if not record.crew.collation or state.collated:
        return True
    role = record.crew.roles[record.crew.planner]
    sight = run.prompting.sight(role, collation=ALL_DONE, windows=windows_text(run.surroundings.now))
    reply = await run.prompting.asker.ask(role, replace(_usual(run.authorization, role), collation=True), sight, OnWhole)
    if reply is None:
        return False
    wanting = reply.verdict == "revise"
    again = wanting and state.replans < record.limits.replans
    why = (wanting and reply.why) or reply.summary
    verdict = Verdict(kind="replan" if again else "continue" if wanting else "accept", why=why)
    record.journal.append(Judged(scope="goal", verdict=verdict, by="planner"), cause=record.journal.latest)
    return not again


def anew(now: Plan, wanted: Sequence[SaidSubtask], types: Types = NO_TYPES) -> PlanPatch:
    """The patch by which new subtasks replace everything not done. They form a chain that follows what is done, unless the
    planner says what they need. ``types``: the agent of each type of subtask. Raises PlanError if there are none."""
    if not wanted:
        raise PlanError("subtasks: at least one is needed.")
    done = [s.id for s in now.subtasks if s.status == "done"]
    added = chain(
        [each.goal for each in wanted],
        roles=[_whose(each, types) for each in wanted],
        first=now.next_number,
        after=done[-1] if done else None,
    ).add
    said = tuple(_detailed(subtask, each) for subtask, each in zip(added, wanted, strict=True))
    return PlanPatch(add=said, drop=tuple(s.id for s in now.subtasks if s.status == "todo"))


def changed(now: Plan, reply: SaidPlan, types: Types = NO_TYPES) -> PlanPatch:
    """The patch that drops and revises open subtasks, and inserts new ones before them (M4, M5, F6). Raises PlanError,
    worded for the planner, if a change is impossible or nothing would change."""
    after = now
    if both := [each.subtask for each in reply.revise if each.subtask in reply.drop]:
        raise PlanError(f"Subtask {both[0]!r} is both revised and dropped: do one of them.")
    for id in dict.fromkeys(reply.drop):
        after = after.patched(dropped(after, id))
    for revised in reply.revise:
        known = after.subtask(revised.subtask).model_copy(update={"goal": revised.goal, "role": _whose(revised, types)})
        after = after.patched(PlanPatch(edit=(_detailed(known, revised),)))
    for number, inserted in enumerate(reply.insert or (), now.next_number):
        new = _detailed(Subtask(id=str(number), goal=inserted.goal, role=_whose(inserted, types)), inserted)
        if inserted.before == END:
            new = new if new.needs else new.model_copy(update={"needs": after.last})
            after = after.patched(PlanPatch(add=(new,)))
        else:
            after = after.patched(preceded(after, inserted.before, new, chained=inserted.needs is None))
    if after == now:
        raise PlanError("Nothing of the plan would change: insert, revise or drop a subtask.")
    return difference(now, after)


def _whose(said: SaidSubtask, types: Types) -> str | None:
    """The agent of a planned subtask: the one that the planner names, or that of its type (F2)."""
    return said.role if said.type is None else types[said.type]


def _detailed(subtask: Subtask, said: SaidSubtask) -> Subtask:
    """A subtask with the expected state and the needs that the planner gave."""
    expect = subtask.expect if said.expect is None else said.expect
    needs = subtask.needs if said.needs is None else tuple(dict.fromkeys(said.needs))
    return subtask.model_copy(update={"expect": expect, "needs": needs})

"""Decide: the subtask's role observes and replies with the operations it wants (C7), or its checker assesses it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import anyio.to_thread

from deskcrew.actions import media
from deskcrew.actions.action import ON_DESKTOP
from deskcrew.actions.narrowing import operation_types
from deskcrew.coaching.arranging import arranged
from deskcrew.coaching.offering import offered
from deskcrew.coaching.permitted_texts import documents, texts
from deskcrew.context import Run
from deskcrew.environments.marks import marks
from deskcrew.environments.pictures import FORMATS
from deskcrew.environments.pointing import POINTING
from deskcrew.errors import ActionError, CrewMistake
from deskcrew.events import Judged, Operation, PictureRead, PlanPatched, RoleReplied
from deskcrew.journal.records import RULES, code_of
from deskcrew.observation import Observation
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.reflexes.registry import Infeasible, Patch, Proposal, Reply, propose
from deskcrew.roles.prompt import Picture
from deskcrew.roles.role import Role
from deskcrew.roles.role_kinds import Now
from deskcrew.steps.using_skills import go_on
from deskcrew.texts import names_file
from deskcrew.verdict import Verdict, VerdictKind

LOOKS, PAUSE = 4, 2.0
"""How often an empty window is observed, and the maximum seconds between."""


async def decide(run: Run) -> None:
    """Ask the role of the ready subtask. The screen is observed again first: it may have changed on its own."""
    state = run.journal.state
    subtask = state.subtask
    assert subtask is not None
    assert subtask.role is not None
    role = run.crew.roles[subtask.role]
    if run.seen is None or run.at_desktop:
        await run.look()
    if run.at_desktop:
        await _loaded(run)
    if run.skill is not None and await go_on(run, role.name):
        return
    if check_wanted(run, subtask):
        await check_failure(run, subtask)
        return
    if hand_over(run, subtask):
        return
    situation = run.situation(role, subtask)
    if run.has_reflexes(role) and (proposal := propose(situation)) is not None:
        _follow(run, role, subtask, proposal)
        return
    coached, small = run.coached(role), run.small(role)
    actions = offered(situation) if coached else situation.core
    programs = state.applications
    listed = list(actions.values())
    shown = run.offered(role, run.now).model_copy(update={"files": run.now.files})
    human = run.human.can_help(state, role.name)
    typed = texts(state, subtask, run.now) if coached else ()
    typed = typed and (*typed, *run.desk.vault.placeholders)
    opened = documents(state, subtask, run.now) if coached else None
    wide = operation_types(listed, shown, labels=False, applications=programs, brief=small)
    profile = run.asker.model(role).profile
    # A grammar spells the names out, so that a small model can write no others.
    growing = profile.schema_mode == "validate" and min(run.crew.batch, role.batch) > 1
    narrow = wide
    if run.crew.narrowing:
        narrow = operation_types(
            listed,
            shown,
            labels=True,
            applications=programs,
            texts=typed,
            documents=opened,
            growing=growing,
            brief=small,
        )
    now = Now(operations=narrow, human=human)
    # What a model is better not offered, a person may still want.
    free = operation_types(listed, shown, labels=True, applications=programs, brief=False) if coached else narrow
    await run.asker.ask(
        role,
        now,
        run.sight(role),
        wide=replace(now, operations=wide),
        edited=replace(now, operations=free),
        subtask=subtask,
        actions=actions,
        pictures=pictures(run, role),
        arrange=(lambda reply: arranged(reply, subtask.goal, run.now)) if coached else None,
    )


def _follow(run: Run, role: Role, subtask: Subtask, proposal: Proposal) -> None:
    """Record a reflex's proposal as what it is: a reply, a change of the plan, or the end of the run."""
    match proposal:
        case Reply(operations, branch):
            wanted = [each.model_dump(mode="json") for each in operations]
            reply: dict[str, Any] = {"operations": wanted, "branch": str(branch)}
            raw = run.journal.blob(json.dumps(reply, ensure_ascii=False))
            body = RoleReplied(role=role.name, subtask=subtask.id, reply=reply, raw=raw, model=RULES)
            run.journal.append(body, lane=subtask.id)
        case Patch(patch, why):
            plan = run.journal.state.plan.patched(patch)
            run.journal.append(PlanPatched(by=RULES, why=why, patch=patch, plan=plan), lane=subtask.id)
        case Infeasible(why):
            run.stop(Verdict(kind="stop", reason="infeasible", why=why))


async def _loaded(run: Run) -> None:
    """Wait (bounded) until the window in front shows anything: a program that was just opened may still be reading its file.
    A browser says when its page has loaded, and a page may well have nothing on it."""
    for _ in range(LOOKS if run.guard.kind != "browser" else 0):
        now = run.now
        if run.desk.desktop is None or now.active_window is None or now.in_front or now.text or now.on_page:
            return
        await anyio.to_thread.run_sync(run.desk.desktop.wait, PAUSE, abandon_on_cancel=True)
        await run.look()


def pictures(run: Run, role: Role) -> tuple[Picture, ...]:
    """The pictures for a decision of a role, the most useful last: if a model takes fewer, the first are left out."""
    profile = run.asker.model(role).profile
    if not profile.vision:
        return ()
    return (*_of_the_workspace(run, role, max(1, profile.max_images)), *_of_the_screen(run, role))


def around(run: Run, function: str, before: Observation) -> tuple[Picture, ...]:
    """The screen before and after an operation, for its reviewer (C10: only of operations in windows)."""
    if run.actions[function].needs not in ON_DESKTOP:
        return ()
    return _both(run, before, "the operation", always=function in POINTING)


def _both(run: Run, before: Observation, what: str, *, always: bool = False) -> tuple[Picture, ...]:
    """The screen before and after something, if its text form is poor or pictures are ``always`` wanted."""
    if not (always or run.crew.pictures == "always" or before.drawn or run.now.drawn):
        return ()
    if before.screenshot is not None and before.screenshot == run.now.screenshot:
        return (Picture(f"The screen, the same before and after {what}:", before.screenshot),)
    looks = ((f"The screen before {what}:", before), (f"The screen after {what}:", run.now))
    return tuple(Picture(caption, look.screenshot) for caption, look in looks if look.screenshot)


# -- the screen


def _of_the_screen(run: Run, role: Role) -> tuple[Picture, ...]:
    """The screen, plain and with marks, for roles that work in windows and are told of them."""
    seen = run.now
    told = "observation" in role.reads and "observation" not in run.crew.without
    works_there = told and any(action.needs in ON_DESKTOP for action in run.domain_of(role).values())
    if seen.screenshot is None or not works_there or not (run.crew.pictures == "always" or seen.drawn is not None):
        return ()
    size = f", {seen.screen.width} x {seen.screen.height} pixels" if seen.screen is not None else ""
    return (
        Picture(f"The screen{size}:", seen.screenshot),
        Picture("The same, each control with its label:", marks(run.offered(role, seen))),
    )


# -- the workspace


def _of_the_workspace(run: Run, role: Role, most: int) -> tuple[Picture, ...]:
    """The last ``most`` pictures of files that are in use."""
    if run.desk.vault:
        return ()  # what a file shows of a secret nobody could take out
    shown: list[Picture] = []
    for path in reversed(_in_use(run, role)):
        if len(shown) == most:
            break
        if (data := _picture(run, path)) is not None:
            shown.append(Picture(f"The picture {path}:" if (frames := media.asked(path)) is None else frames.words, data))
    return tuple(reversed(shown))


def _in_use(run: Run, role: Role) -> tuple[str, ...]:
    """Pictures that were attached to the task or are named in it, then those that the role has read recently."""
    state = run.journal.state
    there = [entry.path for entry in run.now.files if entry.kind == "file" and _is_picture(entry.path)]
    attached = state.started.attachments if state.started is not None else ()
    of_task = [path for path in there if path in attached or names_file(state.task, path)]
    own = [turn for turn in state.turns if turn.role == role.name][-max(1, role.short_term) :]
    read = [path for turn in own for each in turn.done if (path := _shown_by(each.operation, there))]
    # What was used last comes last, once.
    return tuple(reversed(dict.fromkeys(reversed([*of_task, *read]))))


def _shown_by(operation: Operation, pictures: Sequence[str]) -> str:
    """The picture that an operation read, a file's or frames of a video; '' if none."""
    path = str(operation.params.get("file_path") or "")
    match operation.function:
        case "read_file" if path in pictures:
            return path
        case "video_frames":
            return media.address(operation.params)
        case _:
            return ""


def _is_picture(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in FORMATS


def _picture(run: Run, path: str) -> bytes | None:
    """A picture of the workspace as prompts show it; None if it is not one. If it differs from what was last read, it
    is recorded as an event before it is used."""
    data, error = b"", ""
    try:
        data = run.picture(path)
    except ActionError as problem:
        error = str(problem)
    body = PictureRead(path=path, picture=run.journal.blob(data) if data else "", error=error)
    if run.journal.state.pictures_read.get(path) != body:
        run.journal.append(body, lane=run.lane)
    return data or None


def check_wanted(run: Run, subtask: Subtask) -> bool:
    """Whether a failure is to be checked before the part's role goes on."""
    failed = run.crew.check == "failures" and run.journal.state.failed == subtask.id
    return bool(run.crew.checker) and failed and run.skill is None


def hand_over(run: Run, subtask: Subtask) -> bool:
    """Whether a part that was sent back goes to the agent that amends the work of its own (F15). It stays there."""
    amender = run.crew.amends.get(subtask.role or "", "")
    state = run.journal.state
    if amender not in run.crew.pool or not state.repairs[subtask.id] or amender in state.mismatched.get(subtask.id, ()):
        return False
    patch = PlanPatch(edit=(subtask.model_copy(update={"role": amender}),))
    body = PlanPatched(by=RULES, why=state.judgement or "sent back", patch=patch, plan=state.plan.patched(patch))
    run.journal.append(body, lane=subtask.id)
    return True


async def checked(run: Run, subtask: Subtask, found: Sequence[str] = (), *, failed: bool = False) -> Verdict | None:
    """The checker's verdict on a part (A3, M6, F13). It supplements evidence and does not replace it; nor does its
    score.

    ``found``: the rules' objections to the goal, which it is shown; ``failed``: it is asked because of a failure. A
    reason with an accept is a reason to change the rest of the plan. None: its reply was unusable, ask again.
    """
    role = run.crew.roles[run.crew.checker]
    scored = run.crew.scores and bool(code_of(run.journal.state.turns, subtask.id))

    def whole(reply: dict[str, Any]) -> None:
        if scored and reply["verdict"] == "accept" and reply["score"] is None:
            raise CrewMistake("score: Python code did this, so say how well it would do for other tasks of its kind.")

    left = tuple(s.id for s in run.journal.state.plan.subtasks if s.status == "todo" and s.id != subtask.id)
    before = _before(run, subtask) if "before" in role.reads else None
    told = run.told(role, before) if before is not None else ""
    reply = await run.asker.ask(
        role,
        Now(failed=failed, open=left),
        run.sight(role, evidence="; ".join(found), before=told),
        subtask=subtask,
        pictures=_both(run, before, "the subtask") if before is not None else (),
        check=whole,
    )
    if reply is None:
        return None
    said, why = reply["verdict"], str(reply["why"])
    if said == "accept":
        return Verdict(kind="accept", score=reply["score"] if scored else None)
    kind: VerdictKind = "appeal" if said == "replan" and run.crew.appeals else "accept" if said == "adjust" else said
    return Verdict(kind=kind, why=why)


def _before(run: Run, subtask: Subtask) -> Observation | None:
    """The observation before the first operation of a part."""
    first = next((turn.number for turn in run.journal.state.turns if turn.subtask == subtask.id), None)
    return run.seen_before(first) if first is not None else None


async def check_failure(run: Run, subtask: Subtask) -> None:
    """Check a part one of whose operations failed (A3's false_check)."""
    verdict = await checked(run, subtask, failed=True)
    if verdict is None:
        return
    if verdict.kind == "repair":  # the failure itself has been counted
        verdict = verdict.model_copy(update={"kind": "continue"})
    body = Judged(scope="subtask", subtask=subtask.id, verdict=verdict, by="model")
    run.journal.append(body, lane=subtask.id, cause=run.journal.latest)

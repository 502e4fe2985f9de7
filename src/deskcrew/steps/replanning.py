"""What a planner's reply makes of the plan: a plan in place of all that is open, or changes to single subtasks of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from deskcrew.errors import PlanError
from deskcrew.plan import Plan, PlanPatch, Subtask, chain, difference, dropped, preceded
from deskcrew.roles.role_kinds import END

Entry = Mapping[str, Any]
"""What a planner said of one subtask: its goal, and its role, expected state and needs where the crew asks for them."""


def anew(now: Plan, wanted: Sequence[Entry], *, copies: bool) -> PlanPatch:
    """Everything not done gives way to the planner's new subtasks. They are a chain that follows what is done, except for
    what the planner says that they need. ``copies``: the planner is one that copies the plan that it is shown, with its
    notes; others that name a part again want it done again."""
    finished = {_bare(s.goal) for s in now.subtasks if s.status == "done"} if copies else set[str]()
    wanted = [entry for entry in wanted if _bare(str(entry["goal"])) not in finished]
    if not wanted:
        raise PlanError("subtasks: at least one is needed.")
    done = [s.id for s in now.subtasks if s.status == "done"]
    added = chain(
        [str(entry["goal"]) for entry in wanted],
        roles=[entry.get("role") for entry in wanted],
        first=now.next_number,
        after=done[-1] if done else None,
    ).add
    said = tuple(subtask.model_copy(update=_details(entry)) for subtask, entry in zip(added, wanted, strict=True))
    return PlanPatch(add=said, drop=tuple(s.id for s in now.subtasks if s.status == "todo"))


def changed(now: Plan, reply: Mapping[str, Any]) -> PlanPatch:
    """The plan with some of its open subtasks dropped, revised, or done after another one that is new (M4, M5, F6). Raises
    PlanError, worded for the planner, for what cannot be, and where nothing would change."""
    drop, revise, insert = (cast("list[Any]", reply.get(name) or []) for name in ("drop", "revise", "insert"))
    after = now
    for id in dict.fromkeys(cast("list[str]", drop)):
        after = after.patched(dropped(after, id))
    for entry in cast("list[Entry]", revise):
        known = after.subtask(str(entry["subtask"]))
        update = {"goal": str(entry["goal"]), "role": entry.get("role"), **_details(entry)}
        after = after.patched(PlanPatch(edit=(known.model_copy(update=update),)))
    for number, entry in enumerate(cast("list[Entry]", insert), now.next_number):
        new = Subtask(id=str(number), goal=str(entry["goal"]), role=entry.get("role"), **_details(entry))
        if entry["before"] == END:
            new = new if new.needs else new.model_copy(update={"needs": after.last})
            after = after.patched(PlanPatch(add=(new,)))
        else:
            after = after.patched(preceded(after, str(entry["before"]), new))
    if after == now:
        raise PlanError("Nothing of the plan would change: insert, revise or drop a subtask.")
    return difference(now, after)


def _details(entry: Entry) -> dict[str, Any]:
    details: dict[str, Any] = {"expect": str(entry["expect"])} if "expect" in entry else {}
    return details | ({"needs": tuple(dict.fromkeys(entry["needs"]))} if "needs" in entry else {})


def _bare(goal: str) -> str:
    """A goal without a note in brackets at its end, its full stop and its case."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", goal).strip(" .").casefold()

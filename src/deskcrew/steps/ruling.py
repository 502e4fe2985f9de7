"""A reply that a rule gives in a role's place, where a part's words leave no doubt: no model is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence

from deskcrew.events import Operation, RoleReplied
from deskcrew.journal.records import RULES, Turn
from deskcrew.plan import Subtask
from deskcrew.roles.role import Role
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch


def may_rule(run: Run, role: Role, *actions: str) -> bool:
    """Whether a rule may speak for ``role``: its model is a small one, it has these ``actions``, its last reply was no
    malformed one, and no person wants something else."""
    state = run.journal.state
    doubted = state.malformed or state.correction is not None
    return not doubted and run.small(role) and run.domain_of(role).keys() >= set(actions)


def tried(run: Run, subtask: Subtask) -> int:
    """How many replies there were on a subtask. Looks through all of the branch's: ask what is cheaper first."""
    return sum(turn.subtask == subtask.id for turn in run.journal.state.turns)


def last_turn(run: Run, subtask: Subtask) -> Turn | None:
    """The last reply on a subtask, where a rule gave it."""
    turn = next((turn for turn in reversed(run.journal.state.turns) if turn.subtask == subtask.id), None)
    body = run.journal.event(turn.number).body if turn is not None else None
    return turn if isinstance(body, RoleReplied) and body.model == RULES else None


def in_windows_only(run: Run, role: Role) -> bool:
    """Whether a role works in windows that are open, and nowhere else."""
    actions = run.actions_of(role)
    return "open_application" not in actions and all(action.needs == "desktop" for action in actions.values())


def rule_replies(
    run: Run,
    subtask: Subtask,
    role: Role,
    operations: Sequence[Operation],
    branch: Branch,
    *,
    information: str = "",
    screen: str = "",
    problem: str = "",
) -> None:
    """The reply, kept as a model's would be. ``information``: what the rule read off the screen, where it is what was
    asked for; ``screen``: all that it read; ``problem``: what is missing, where it is a refusal."""
    reply: dict[str, object] = {"operations": [each.model_dump(mode="json") for each in operations], "branch": str(branch)}
    reply |= {key: text for key, text in (("information", information), ("screen", screen), ("problem", problem)) if text}
    raw = run.journal.blob(json.dumps(reply, ensure_ascii=False))
    run.journal.append(RoleReplied(role=role.name, subtask=subtask.id, reply=reply, raw=raw, model=RULES), lane=subtask.id)

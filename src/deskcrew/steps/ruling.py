"""A reply that a rule gives in a role's place, where a part's words leave no doubt: no model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from deskcrew.actions.action import ON_DESKTOP
from deskcrew.events import Operation, RoleReplied
from deskcrew.journal.records import RULES, Done, Turn
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


def turns_of(run: Run, subtask: Subtask) -> Iterator[Turn]:
    """The replies on a subtask, newest first: what is looked for is as a rule there, however long the run."""
    return (turn for turn in reversed(run.journal.state.turns) if turn.subtask == subtask.id)


def last_done(run: Run, subtask: Subtask) -> Done | None:
    """What was tried last for a subtask."""
    return next((done for turn in turns_of(run, subtask) for done in reversed(turn.done)), None)


def last_turn(run: Run, subtask: Subtask) -> Turn | None:
    """The last reply on a subtask, where a rule gave it."""
    turn = next(turns_of(run, subtask), None)
    return turn if turn is not None and run.by_rule(turn) else None


def in_windows_only(run: Run, role: Role) -> bool:
    """Whether a role works in windows that are open, and nowhere else."""
    actions = run.actions_of(role)
    return "open_application" not in actions and all(action.needs in ON_DESKTOP for action in actions.values())


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

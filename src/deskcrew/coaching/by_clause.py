"""A plan made clause by clause, for planners that are better at choosing agents than at wording subtasks.

A small model that writes its own subtasks makes them too small and loses the task's words. Given the task's clauses, it
only has to assign each to an agent.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any

from deskcrew.english.clauses import clauses, steps, verb_of
from deskcrew.plan import Plan
from deskcrew.roles.role_kinds import NOBODY


def clauses_of(task: str) -> tuple[str, ...]:
    """The clauses of a task that need work."""
    return steps(clauses(task))


def clauses_ordered(guidance: str) -> tuple[str, ...]:
    """The same for what a person said during the run; () if that orders nothing."""
    said = clauses_of(guidance)
    return said if any(map(verb_of, said)) else ()


def subtasks_of(parts: Sequence[str], reply: Mapping[str, Any], *, whole: Container[str]) -> list[dict[str, Any]]:
    """The subtasks that a planner's assignment of clauses makes: one for each assigned clause. Clauses that only inform
    are told to the next agent. ``whole``: agents whose consecutive clauses are one subtask."""
    subtasks: list[dict[str, Any]] = []
    told: list[str] = []
    before = NOBODY
    for number, clause in enumerate(parts, 1):
        agent = str(reply.get(f"clause_{number}", NOBODY))
        if agent == NOBODY:
            told.append(clause if clause.endswith((".", "!", "?", ":", ";")) else f"{clause}.")
            continue
        goal = " ".join((*told, _as_sentence(clause) if told else clause))
        if agent == before and agent in whole:
            subtasks[-1]["goal"] = f"{subtasks[-1]['goal'].rstrip('.,')}, and {goal}"
        else:
            subtasks.append({"goal": goal, "role": agent})
        told, before = [], agent
    return subtasks


def not_done(plan: Plan, wanted: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The subtasks of a new plan without those that are done: a small planner copies the plan that it is shown, notes
    included. Any other that names a part again wants it done again."""
    finished = {_bare(subtask.goal) for subtask in plan.subtasks if subtask.status == "done"}
    return [entry for entry in wanted if _bare(str(entry["goal"])) not in finished]


def _bare(goal: str) -> str:
    """A goal without a note in brackets at its end, its full stop and its case."""
    return re.sub(r"\s*\([^()]*\)\s*$", "", goal).strip(" .").casefold()


def _as_sentence(clause: str) -> str:
    """``clause`` with a capital letter, unless it begins with something other than a word, such as a file's name."""
    return clause[:1].upper() + clause[1:] if clause.split()[0].isalpha() else clause

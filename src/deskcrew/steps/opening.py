"""A window to work in: who works in windows alone cannot begin before one is open, and a rule sees to that.

Small models give "open the editor" to the agent that types, and forget that nothing is open after a replan. No model is
asked: the part goes to an agent that opens programs, or such a part comes before it.
"""

from __future__ import annotations

import re

from deskcrew.events import PlanPatched
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.roles.clauses import clauses, file_names, opens
from deskcrew.roles.role import Role
from deskcrew.steps.run import Run

OPEN = "open_application"


def opened_first(run: Run, subtask: Subtask, role: Role) -> bool:
    """Change the plan where ``role`` cannot do ``subtask`` before a program is open. Whether it was changed."""
    opener = next((agent.name for agent in run.crew.agents if OPEN in run.actions_of(agent)), None)
    if opener is None or run.desk.desktop is None or not _in_windows_only(run, role):
        return False
    plan, goal = run.journal.state.plan, subtask.goal
    alone = opens(goal) and len(clauses(goal)) == 1
    if alone and (not run.now.windows or _names_program(run, goal)):
        patch = PlanPatch(edit=(subtask.model_copy(update={"role": opener}),))
    elif not run.now.windows and not any(plan.subtask(need).goal == _opening(run, goal) for need in subtask.needs):
        new = str(1 + max((int(s.id) for s in plan.subtasks if s.id.isdigit()), default=0))
        before = Subtask(id=new, goal=_opening(run, goal), needs=subtask.needs, role=opener)
        patch = PlanPatch(add=(before,), edit=(subtask.model_copy(update={"needs": (*subtask.needs, new)}),))
    else:
        return False  # something is open, or it was tried: that is what can be had
    why = f"{role.name} works in windows and opens none"
    run.journal.append(PlanPatched(by="rules", why=why, patch=patch, plan=plan.patched(patch)), lane=subtask.id)
    return True


def _names_program(run: Run, goal: str) -> bool:
    """Whether a part speaks of a program that can be opened, or of a file."""
    said = goal.casefold()
    programs = (name for told in run.journal.state.applications for name in re.split(r"\s*[()]\s*", told.casefold()))
    return any(name and name in said for name in programs) or bool(file_names(goal))


def _in_windows_only(run: Run, role: Role) -> bool:
    actions = run.actions_of(role)
    return OPEN not in actions and all(action.needs == "desktop" for action in actions.values())


def _opening(run: Run, goal: str) -> str:
    """What is to be opened in the words of the part, else of the task where that was not done, else as the part tells it."""
    state = run.journal.state
    done = {subtask.goal for subtask in state.plan.subtasks if subtask.status == "done"}
    for text in (goal, state.task):
        if found := next((clause for clause in clauses(text) if opens(clause) and clause not in done), ""):
            return found
    return f"Open the program for this: {goal}"

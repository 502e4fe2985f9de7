"""A window to work in: who works in windows alone cannot begin before one is open, and a rule sees to that.

Small models give "open the editor" to the agent that types, and forget that nothing is open after a replan. No model is
asked: the part goes to an agent that opens programs, or such a part comes before it.
"""

from __future__ import annotations

from deskcrew.events import Operation, PlanPatched
from deskcrew.journal.records import RULES
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.roles.clauses import clauses, file_names, opens
from deskcrew.roles.role import Role
from deskcrew.roles.routing import names_program, program_named
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

OPEN = "open_application"
FOR = "Open the program for this: "
"""Before the words of a part for which something has to be opened, where nobody says what."""


def opened_first(run: Run, subtask: Subtask, role: Role) -> bool:
    """Change the plan where ``role`` cannot do ``subtask`` before a program is open. Whether it was changed."""
    opener = next((agent.name for agent in run.crew.agents if OPEN in run.actions_of(agent)), None)
    if opener is None or run.desk.desktop is None or not _in_windows_only(run, role):
        return False
    plan, nothing_open = run.journal.state.plan, not run.now.windows
    if _only_opens(run, subtask.goal, nothing_open):
        patch = PlanPatch(edit=(subtask.model_copy(update={"role": opener}),))
    elif nothing_open and (goal := _opening(run, subtask.goal)) not in {plan.subtask(need).goal for need in subtask.needs}:
        before = Subtask(id=str(plan.next_number), goal=goal, needs=subtask.needs, role=opener)
        patch = PlanPatch(add=(before,), edit=(subtask.model_copy(update={"needs": (*subtask.needs, before.id)}),))
    else:
        return False  # something is open, or it was tried: that is what can be had
    why = f"{role.name} works in windows and opens none"
    run.journal.append(PlanPatched(by=RULES, why=why, patch=patch, plan=plan.patched(patch)), lane=subtask.id)
    return True


def opens_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Where a part only has a program opened, and its words leave no doubt which and on what file: say so in the role's
    place. Whether that was done. Not once something about the part went wrong, or where a person wants it otherwise."""
    goal = subtask.goal.removeprefix(FOR)
    if (goal == subtask.goal and not opens(goal)) or not may_rule(run, role, OPEN):
        return False
    program = program_named(goal, run.journal.state.applications)
    there = {entry.path for entry in run.now.files if entry.kind == "file"}
    named = file_names(goal)
    if not program or len(named) > 1 or not there.issuperset(named) or tried(run, subtask):
        return False
    operation = Operation(function=OPEN, params={"app_name": program, "file": named[0] if named else ""})
    rule_replies(run, subtask, role, [operation], Branch.ROLE_TASK_FINISH)
    return True


def _only_opens(run: Run, goal: str, nothing_open: bool) -> bool:
    """Whether a part only has a program opened, and not a menu of one that is open."""
    if not opens(goal) or len(clauses(goal)) != 1:
        return False
    return nothing_open or bool(file_names(goal)) or names_program(goal, run.journal.state.applications)


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
    return f"{FOR}{goal}"

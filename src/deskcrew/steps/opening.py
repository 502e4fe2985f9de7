"""A window to work in: who works in windows alone cannot begin before one is open, and a rule sees to that.

Small models give "open the editor" to the agent that types, and forget that nothing is open after a replan. No model is
asked: the part goes to an agent that opens programs, or such a part comes before it.
"""

from __future__ import annotations

import re

from deskcrew.events import Operation, PlanPatched
from deskcrew.journal.records import RULES
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.roles.clauses import QUOTED, clauses, file_names, opens, unquoted
from deskcrew.roles.role import Role
from deskcrew.roles.routing import names_program, program_named, shows
from deskcrew.steps.ruling import in_windows_only, may_rule, rule_replies, tried, turns_of
from deskcrew.steps.run import Run
from deskcrew.steps.searching import searches
from deskcrew.steps.sources import shown_in
from deskcrew.verdict import Branch

OPEN = "open_application"
OPENS_NONE = "opens no files"
"""What a program says of itself that has no place for one."""
_WRITES_WITH = re.compile(r"\b(?:write|type|note|jot|put|make|create)\b[^.;]*\b(?:in|into|with|using)\s", re.I)
FOR = "Open the program for this: "
"""Before the words of a part for which something has to be opened, where nobody says what."""


def opened_first(run: Run, subtask: Subtask, role: Role) -> bool:
    """Change the plan where ``role`` cannot do ``subtask`` before a program is open. Whether it was changed."""
    opener = next((agent.name for agent in run.crew.agents if OPEN in run.actions_of(agent)), None)
    if opener is None or run.desk.desktop is None or not in_windows_only(run, role) or searches(run, role, subtask.goal):
        return False
    plan, nothing_open = run.journal.state.plan, not run.now.windows
    if _only_opens(run, subtask.goal, nothing_open):
        patch = PlanPatch(edit=(subtask.model_copy(update={"role": opener}),))
    elif goal := _opening_first(run, subtask, nothing_open):
        added = Subtask(id=str(plan.next_number), goal=goal, needs=subtask.needs, role=opener)
        patch = PlanPatch(add=(added,), edit=(subtask.model_copy(update={"needs": (*subtask.needs, added.id)}),))
    else:
        return False  # something is open, or it was tried: that is what can be had
    why = f"{role.name} works in windows and opens none"
    run.journal.append(PlanPatched(by=RULES, why=why, patch=patch, plan=plan.patched(patch)), lane=subtask.id)
    return True


def _opening_first(run: Run, subtask: Subtask, nothing_open: bool) -> str:
    """The part that has to open something before ``subtask`` can be done; '' where none has to, or it was there already."""
    plan = run.journal.state.plan
    if _elsewhere(run, subtask) and (goal := f"{FOR}{subtask.goal}") not in {each.goal for each in plan.subtasks}:
        return goal
    goal = _opening(run, subtask.goal) if nothing_open else ""
    return "" if goal in {plan.subtask(need).goal for need in subtask.needs} else goal


def opens_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Where a part only has a program opened, and its words leave no doubt which and on what file: say so in the role's
    place. Whether that was done. Not once something about the part went wrong, or where a person wants it otherwise."""
    goal = subtask.goal.removeprefix(FOR)
    if (goal == subtask.goal and not opens((clauses(goal) or (goal,))[-1])) or not may_rule(run, role, OPEN):
        return False
    programs = run.journal.state.applications
    anywhere = program_named(run.journal.state.task, programs) if goal != subtask.goal else ""
    program = program_named(goal, programs) or anywhere
    there = {entry.path for entry in run.now.files if entry.kind == "file"}
    # What stands in a command, or is to be typed, is not what the program is opened on.
    named = () if _opens_none(run, subtask) else file_names(QUOTED.sub("", goal)) or _quoted_files(goal, there)
    named = shown_in(program, named)
    if (
        not program
        or len(named) > 1
        or not there.issuperset(named)
        or (tried(run, subtask) and not _opens_none(run, subtask))
    ):
        return False
    operation = Operation(function=OPEN, params={"app_name": program, "file": named[0] if named else ""})
    rule_replies(run, subtask, role, [operation], Branch.ROLE_TASK_FINISH)
    return True


def _quoted_files(part: str, there: set[str]) -> tuple[str, ...]:
    """The texts in quotes that are nothing but the name of a file which is there."""
    return tuple(dict.fromkeys(text for text in map(unquoted, QUOTED.finditer(part)) if text in there))


def _opens_none(run: Run, subtask: Subtask) -> bool:
    """Whether the last thing done for a part was to open a file in a program that opens no files."""
    turn = next(turns_of(run, subtask), None)
    done = turn.done[-1] if turn is not None and turn.done else None
    return done is not None and not done.ok and bool(done.operation.params.get("file")) and OPENS_NONE in done.text


def _elsewhere(run: Run, subtask: Subtask) -> bool:
    """Whether a part names a file that is there, and a program to do it in, while nothing that is open shows that file."""
    there = tuple(name for name in file_names(subtask.goal) if any(entry.path == name for entry in run.now.files))
    if not there:
        return _another_program(run, subtask.goal)
    program = program_named(subtask.goal, run.journal.state.applications) if run.now.windows else ""
    named = shown_in(program, there) if program else ()
    if len(named) != 1:
        return False
    stem = named[0].rpartition("/")[2]
    # A browser has the name of a page in its address bar alone.
    shown = any(stem in (control.value or "") for control in run.now.controls if control.role == "text field")
    if shown or re.search(r"\b(?:is|are)\s+(?:already\s+|now\s+)?open\b", subtask.goal, re.I):
        return False
    opened = (done.operation for turn in run.journal.state.turns for done in turn.done if done.ok)
    return not any(stem in window.title for window in run.now.windows) and not any(
        operation.function == OPEN and operation.params.get("file") == named[0] for operation in opened
    )


def _another_program(run: Run, goal: str) -> bool:
    """Whether a part has something written with a program that is not open, while another one is."""
    last = (clauses(goal) or (goal,))[-1]
    if not run.now.windows or not _WRITES_WITH.search(last) or any(window.dialog for window in run.now.windows):
        return False
    program = program_named(last, run.journal.state.applications)
    done = (each.operation for turn in run.journal.state.turns for each in turn.done if each.ok)
    opened = {each.params.get("app_name") for each in done if each.function == OPEN}
    return bool(program) and program not in opened and not any(shows(w.title, program) for w in run.now.windows)


def _only_opens(run: Run, goal: str, nothing_open: bool) -> bool:
    """Whether a part only has a program opened, and not a menu of one that is open."""
    if not opens(goal) or len(clauses(goal)) != 1:
        return False
    return nothing_open or bool(file_names(goal)) or names_program(goal, run.journal.state.applications)


def _opening(run: Run, goal: str) -> str:
    """What is to be opened in the words of the part, else of the task where that was not done, else as the part tells it."""
    state = run.journal.state
    done = {subtask.goal for subtask in state.plan.subtasks if subtask.status == "done"}
    for text in (goal, state.task):
        if found := next((clause for clause in clauses(text) if opens(clause) and clause not in done), ""):
            return found
    return f"{FOR}{goal}"

"""Reading all titles out of the document that a part names: a small model's program prints what is below them, too."""

from __future__ import annotations

from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses
from deskcrew.roles.listing import lists_titles, program
from deskcrew.roles.role import Role
from deskcrew.roles.routing import work_of
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

CODE = "run_python_code"


def lists_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place which program prints the titles that a part wants. Whether that was done."""
    if not may_rule(run, role, CODE):
        return False
    *told, last = clauses(subtask.goal) or (subtask.goal,)
    if not lists_titles(last) or tried(run, subtask):
        return False
    if any(work_of(each, windows=False, whole=run.journal.state.task) != "nobody" for each in told):
        return False
    code = program(subtask.goal, frozenset(entry.path for entry in run.now.files if entry.kind == "file"))
    if not code:
        return False
    rule_replies(run, subtask, role, [Operation(function=CODE, params={"code": code})], Branch.ROLE_TASK_FINISH)
    return True

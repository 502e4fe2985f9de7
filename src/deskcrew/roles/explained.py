"""What a model that can reason is told of its reply: what its fields are for, and what follows from each branch.

Generated from the type that the reply must have, so that no prompt names what its schema does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from deskcrew.roles.role import Role
from deskcrew.roles.role_kinds import INFORMATION
from deskcrew.verdict import Branch

_OWN = "notes for yourself while you think; no agent is shown them"
FIELDS: Mapping[str, str] = {
    "observation": _OWN,
    "analyze": _OWN,
    "thought_process": _OWN,
    "local_plan": "the steps that are left; you are shown the latest again",
    "intention": "what these operations are for; you are shown it again, and so is the user",
    "information": INFORMATION,
    "answer": "what the user is to be told, where your part settles that; it is kept, whatever follows",
    "problem": "what is in the way, for whoever the branch leads to",
    "message": "what whoever is asked next should know; it is shown once",
    "summary": "what you did and why; you are shown it again",
}
"""What each field of a decision is for, and who reads it."""
LEADS: Mapping[Branch, str] = {
    Branch.CONTINUE: "you are asked again, and told what came of them",
    Branch.ROLE_TASK_FINISH: "your part is done with them; the next one begins, and after the last the task is checked",
    Branch.TASK_MISMATCH: "your operations cannot do this part; it is assigned or planned anew, by what problem says",
    Branch.UNANSWERABLE: "what the task needs does not exist, or nobody can do it, and you have looked; the run ends",
    Branch.INTERRUPT: "going on would do harm or lead nowhere; the run ends",
    Branch.NEED_HUMAN_HELP: "the user is asked what problem says, and you go on with the answer",
}
"""Where each branch of a decision leads."""


def reply_text(role: Role, kind: type[BaseModel]) -> str:
    """What a prompt says of a decision of this type; '' for roles that do not decide."""
    if role.kind != "decision":
        return ""
    told: dict[str, list[str]] = {}
    for name, field in kind.model_fields.items():
        if text := _operations(field) if name == "operations" else FIELDS.get(name, ""):
            told.setdefault(text, []).append(name)
    lines = [f"- {', '.join(names)}: {text}" for text, names in told.items()]
    branches = [f"  {branch}: {LEADS[Branch(branch)]}" for branch in get_args(kind.model_fields["branch"].annotation)]
    return "\n".join(("Your reply:", *lines, "- branch, what follows after the operations:", *branches))


def _operations(field: FieldInfo) -> str:
    limits: list[Any] = field.metadata
    most = next((limit.max_length for limit in limits if hasattr(limit, "max_length")), None)
    if most == 1:
        return "the next one, or none"
    upto = f", {most} at most" if most else ""
    return f"in order{upto}; after one that fails or brings a surprise the rest is not done, and you are asked again"

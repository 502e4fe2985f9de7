"""Unpacking an archive into a folder, where a part asks for that alone: one line of Python, which no model need write."""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

CODE = "run_python_code"
_PART = re.compile(
    r"(?:please\s+)?(?:unpack|unzip|extract|decompress)\s+(?:all\s+(?:of\s+)?|everything\s+(?:in|from)\s+)?(?:the\s+)?"
    r"(?:archive\s+|zip\s+(?:file\s+)?|file\s+)?[\"“]?(?P<archive>[\w./-]+\.zip)[\"”]?"
    r"(?:\s+(?:into|to|in)\s+(?:(?:a|the|its)\s+)?(?:own\s+)?(?:new\s+)?(?:sub)?(?:folder|directory)\s+(?:called\s+|named\s+)?"
    r"[\"“]?(?P<folder>[\w-]+(?:\.[\w-]+)*)[\"”]?)\s*\.?",
    re.I,
)


def unpacks_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Unpack in the role's place. Whether that was done."""
    if not may_rule(run, role, CODE) or tried(run, subtask):
        return False
    operation = unpacking(subtask.goal, run.now)
    if operation is None:
        return False
    rule_replies(run, subtask, role, [operation], Branch.ROLE_TASK_FINISH)
    return True


def unpacking(part: str, now: Observation) -> Operation | None:
    """What unpacks the archive that a part names into the folder that it names; None where it asks for anything else, or
    something there could be lost."""
    match = _PART.fullmatch(part.strip())
    there = {entry.path for entry in now.files}
    if match is None or len(clauses(part)) != 1 or match["archive"] not in there:
        return None
    folder = match["folder"]
    if folder in there and any(path.startswith(f"{folder}/") for path in there):
        return None
    code = f"import shutil\nshutil.unpack_archive({match['archive']!r}, {folder!r})"
    return Operation(function=CODE, params={"code": code})

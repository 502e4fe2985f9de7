"""Unpacking an archive into a folder, where a part asks for that alone: one line of Python, which no model need write."""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses, informs
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

CODE = "run_python_code"
_PART = re.compile(
    r"(?:please\s+)?(?:unpack|unzip|extract|decompress)\s+(?P<what>.+?)"
    r"(?:\s+(?:in)?to\s+(?P<where>.+?)|\s+in\s+(?P<within>(?:a|the|its|my|our)\s.+?))?(?:,?\s+(?:for\s+me|please))?\W*",
    re.I | re.S,
)
_NAME = r"[\"“'‘`]?(?P<name>[\w.-]+(?:/[\w.-]+)*)[\"”'’`]?"
_WHAT = re.compile(
    r"(?:(?:all|everything|the\s+(?:whole\s+)?(?:contents?|files))\s+(?:of|in|from|inside)\s+|all\s+)?(?:the\s+|this\s+|my\s+|our\s+)?"
    rf"(?:(?:archive|zip|file|attached)\s+)*{_NAME}(?:\s+(?:archive|file|zip))?",
    re.I,
)
_WHERE = re.compile(
    r"(?:(?:a|the|its|my|our)\s+)?(?:own\s+)?(?:new\s+)?(?:(?:sub)?(?:folder|directory)\s+)?(?:(?:called|named)\s+)?"
    rf"{_NAME}(?:\s+(?:sub)?(?:folder|directory))?",
    re.I,
)
"""What is unpacked, and where to: a name, and words that say no more."""


_NO_NAMES = frozenset(
    {"folder", "directory", "subfolder", "it", "here", "there", "place", "same", "workspace", "desktop", "new"}
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
    orders = [clause for clause in clauses(part) if not informs(clause)]
    there = {entry.path for entry in now.files}
    match = _PART.fullmatch(orders[0].strip()) if len(orders) == 1 else None
    what = _WHAT.fullmatch(match["what"]) if match else None
    if match is None or what is None or what["name"] not in there or not what["name"].lower().endswith(".zip"):
        return None
    to = match["where"] or match["within"]
    where = _WHERE.fullmatch(to) if to else None
    if where is None or where["name"].casefold() in _NO_NAMES:
        return None
    folder = where["name"].rstrip("./")
    if folder in there and any(path.startswith(f"{folder}/") for path in there):
        return None
    code = f"import shutil\nshutil.unpack_archive({what['name']!r}, {folder!r})"
    return Operation(function=CODE, params={"code": code})

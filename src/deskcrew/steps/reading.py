"""Reading the document that a part asks about, where its words say which: a small model copies it, or opens another.

No model is asked: the file is read, of a long one the places where the rarest of the part's words stands. What it says is
then for the role that answers.
"""

from __future__ import annotations

import re

from deskcrew.errors import ActionError
from deskcrew.events import Operation
from deskcrew.plan import Subtask
from deskcrew.review.asked import names_in
from deskcrew.roles.clauses import WRITES, clauses, file_names
from deskcrew.roles.role import Role
from deskcrew.roles.routing import read_first, work_of, writes_file
from deskcrew.roles.view import CONTENT_LENGTH
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

READ, WRITE = "read_file", "write_file"
_MOST = 3
"""Documents of one part."""
_FEW = 6
"""Lines with a word that is rare enough to show where the answer stands."""
_SMALL = re.compile(
    r"what|which|who|whose|where|when|how|many|much|does|did|have|has|had|are|was|were|the|and|for|from|with|that|this|there|"
    r"their|its|according|tell|find|give|look|read|file|document|page|please|need|know|stands?|says?|said|about|into|name|of|in|"
    r"is|to|on|at|by|me|it|must|somewhere|take|out"
)


def reads_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Read in the role's place what the part asks about, or has something of written down. Whether that was done."""
    if not may_rule(run, role, READ) or run.now.windows or tried(run, subtask):
        return False
    asks = all(_only_asks(clause, run) for clause in clauses(subtask.goal))
    if not asks and not notes(run, role, subtask.goal):
        return False
    there = {entry.path for entry in run.now.files if entry.kind == "file"}
    named = [name for name in file_names(subtask.goal) or file_names(run.journal.state.task) if name in there]
    named = named if asks else [name for name in named if read_first(name) and name not in shown(run)]
    if not 0 < len(named) <= _MOST:
        return False
    operations = [Operation(function=READ, params={"file_path": name} | _part(run, name, subtask.goal)) for name in named]
    rule_replies(run, subtask, role, operations, Branch.ROLE_TASK_FINISH if asks else Branch.CONTINUE)
    return True


def notes(run: Run, role: Role, part: str) -> bool:
    """Whether all that is left to do of ``part``, once its documents were read, is to write a text file."""
    *first, last = clauses(part) or ("",)
    return WRITE in run.actions_of(role) and writes_file(last) and all(_only_asks(clause, run) for clause in first)


def shown(run: Run) -> frozenset[str]:
    """The documents whose text stands in the prompts."""
    return frozenset(name for found in run.journal.state.collected if found.kind == "content" for name in found.reads)


def _only_asks(clause: str, run: Run) -> bool:
    work = work_of(clause, windows=False, whole=run.journal.state.task)
    return work in ("read", "nobody") and not WRITES.search(clause)


def _part(run: Run, name: str, question: str) -> dict[str, str]:
    """What to look for in a document that is too long to be shown; nothing in a short one."""
    try:
        text = run.text_of(name)
    except ActionError:
        return {}
    if len(text) <= CONTENT_LENGTH:
        return {}
    lines = text.casefold().splitlines()
    found = ((sum(word.casefold() in line for line in lines), -len(word), word) for word in looked_for(question, name))
    rare = [each for each in found if 0 < each[0] <= _FEW]
    return {"find": min(rare)[2]} if rare else {}


def looked_for(question: str, name: str) -> list[str]:
    """The words of a question, and pairs of them, that may stand where its answer does."""
    words = re.findall(r"[^\W_][\w'’-]*", question.replace(name, " , "))
    kept = [not _SMALL.fullmatch(word.casefold()) and len(word) > 2 for word in words]
    pairs = [
        f"{one} {other}"
        for one, other, first, second in zip(words, words[1:], kept, kept[1:], strict=False)
        if first and second
    ]
    return list(dict.fromkeys((*names_in(question), *pairs, *(w for w, keep in zip(words, kept, strict=True) if keep))))

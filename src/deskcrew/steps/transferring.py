"""Moving and copying whole files, where a part asks for nothing else and its words say which and where to.

The checks that its words make name every file already; the operations follow from them. A small model writes a program for
it, and forgets to make the folder. No model is asked; where any word of the part is left unexplained, the role is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from deskcrew.errors import ActionError
from deskcrew.events import Operation, PlanPatched
from deskcrew.journal.records import RULES
from deskcrew.observation import Observation
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.review.dates import dates, meant
from deskcrew.review.demands import checks_of_task
from deskcrew.review.kinds import spelt_out, with_folder
from deskcrew.review.stand_ins import Names
from deskcrew.review.wording import words_of
from deskcrew.roles.clauses import FILE_NAME, clauses, file_names, informs, stays
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch, Check

_NEEDED = ("make_folder", "move_file", "copy_file")
_KINDS = frozenset({"file_exists", "same_as", "file_absent"})
_MOST = 40
"""Files that are moved without asking anybody."""
_DATED = re.compile(
    r",?\s*\b(?:with|using|where|taking|by|after|according to|use|take)\b[^.;]*\b(?:date|day)\b[^.;]*\Z"
    r"|,?\s*YYYY-MM-DD being [^.;]*\b(?:date|day)\b[^.;]*\Z",
    re.I,
)
"""Words that say that the date in a name is the one in the document."""
_PLAIN = words_of(
    "please make create add set up move copy put rename a an the new folder directory subfolder called named with "
    "name and then into to in inside it there them that this all every each both file files of my our these from here "
    "workspace over document documents picture pictures image images photo photos table tables sheet sheets workbook "
    "workbooks page pages spreadsheet spreadsheets any as well also kind type which is are ones "
)
"""Words that say no more than what is moved where."""


def transfers_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Move, copy and make folders in the role's place, or give the part to who can. Whether that was done."""
    if not run.small(role) or tried(run, subtask):
        return False
    operations = transfers(subtask.goal, run.now, run.text_of)
    if not operations:
        return False
    if not may_rule(run, role, *_NEEDED):
        return _given_away(run, subtask)
    rule_replies(run, subtask, role, operations, Branch.ROLE_TASK_FINISH)
    return True


def _given_away(run: Run, subtask: Subtask) -> bool:
    """Have the part done by an agent that handles files. Whether there is one."""
    state = run.journal.state
    owner = next((agent for agent in run.crew.agents if may_rule(run, agent, *_NEEDED)), None)
    if owner is None:
        return False
    patch = PlanPatch(edit=(subtask.model_copy(update={"role": owner.name}),))
    why = f"it is {owner.name}'s: files are moved as they are"
    run.journal.append(PlanPatched(by=RULES, why=why, patch=patch, plan=state.plan.patched(patch)), lane=subtask.id)
    return True


def transfers(part: str, now: Observation, read: Callable[[str], str]) -> list[Operation]:
    """The operations that a part asks for; none where it asks for anything else, or not beyond doubt. ``read``: text of a
    file, raising ActionError."""
    steps = [clause.rstrip(".! ") for clause in clauses(part) if not (stays(clause) or informs(clause))]
    dated = any(_DATED.search(step) for step in steps)
    steps = [_DATED.sub("", step) for step in steps]
    wanted = " and ".join(steps)
    checks = checks_of_task(wanted, now)
    if dated and (checks := _with_date(part, wanted, checks, now, read)):
        steps = [re.sub(r"[\w./-]*YYYY[\w./-]*", checks[0].target, step) for step in steps]
    moves = [check for check in checks if check.kind == "same_as"]
    if not moves or len(moves) > _MOST or any(check.kind not in _KINDS for check in checks):
        return []
    folders = [check.target for check in checks if check.kind == "file_exists"]
    gone = {check.target for check in checks if check.kind == "file_absent"}
    if any(not folder.endswith("/") for folder in folders) or not gone <= {check.text for check in moves}:
        return []
    if not _explained(steps, now, moves, folders):
        return []
    return _operations(moves, [folder.rstrip("/") for folder in folders], gone, now)


def _with_date(said: str, part: str, checks: Sequence[Check], now: Observation, read: Callable[[str], str]) -> list[Check]:
    """The checks of one file that gets a date in its name, with the one in it that is ``said``; none in doubt."""
    moves = [check for check in checks if check.kind == "same_as"]
    patterns = [word for word in part.split() if "YYYY" in word]
    if len(moves) != 1 or len(patterns) != 1:
        return []
    try:
        text = meant(read(moves[0].text), said)
    except ActionError:
        return []
    found = set(dates(text))
    centuries = {year[:2] for year in re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text)}
    if len(found) != 1 or len(centuries) != 1:
        return []
    year, month, day = found.pop()
    name = patterns[0].strip(".,;\"'“”").replace("YYYY", f"{centuries.pop()}{year:02}")
    name = name.replace("MM", f"{month:02}").replace("DD", f"{day:02}")
    folder = moves[0].target.rpartition("/")[0]
    target = name if "/" in name or not folder else f"{folder}/{name}"
    return [moves[0].model_copy(update={"target": target}), *(check for check in checks if check.kind == "file_absent")]


def unasked(checks: Sequence[Check], before: Observation, now: Observation) -> str:
    """What lies in a new folder besides the files that were to be put there; '' where nothing does."""
    there = {entry.path for entry in before.files}
    wanted = {check.target for check in checks}
    folders = {check.target.rpartition("/")[0] for check in checks if check.kind == "same_as"} - there - {""}
    named = any("*" in target or "?" in target for target in wanted)
    files = (entry.path for entry in now.files if entry.kind == "file" and entry.path.rpartition("/")[0] in folders)
    more = [path for path in files if path not in wanted]
    return f"{', '.join(more[:5])} should not be there" if more and not named else ""


def _explained(steps: list[str], now: Observation, moves: list[Check], folders: list[str]) -> bool:
    """Whether every word of the part speaks of what is moved, of where to, or of no more than that it is."""
    names = Names(frozenset(entry.path for entry in now.files))
    known = {word for check in moves for path in (check.text, check.target) for word in _words(path)}
    known |= {word for folder in folders for word in _words(folder)}
    moved = {path for check in moves for path in (check.text, check.target)}
    moved |= {path.rpartition("/")[2] for path in moved}
    so_far = ""
    for step in steps:
        so_far += f" {step}"
        plain = names.words(with_folder(spelt_out(step, now, names), so_far, now))
        if not moved.issuperset(file_names(plain)):
            return False
        plain = FILE_NAME.sub(" ", plain)
        if not all(word in _PLAIN or word in known for word in _words(plain)):
            return False
    return True


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _operations(moves: list[Check], folders: list[str], gone: set[str], now: Observation) -> list[Operation]:
    there = {entry.path for entry in now.files}
    if any(check.target in there or check.text not in there for check in moves):
        return []  # something would be overwritten
    needed = dict.fromkeys((*folders, *(check.target.rpartition("/")[0] for check in moves)))
    made = [Operation(function="make_folder", params={"folder": path}) for path in needed if path and path not in there]
    done = [
        Operation(
            function="move_file" if check.text in gone else "copy_file",
            params={"source": check.text, "destination": check.target},
        )
        for check in moves
    ]
    return [*made, *done]

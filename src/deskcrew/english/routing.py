"""Whose a clause of a task is, as far as its verb and the files it names settle that: for small planners only.

A small model that is asked to choose an agent takes the first one for anything that mentions a folder. What its first word
and the kinds of its files say is settled here; everything else stays the planner's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal

from deskcrew.english.clauses import asks, informs, verb_of
from deskcrew.english.openings import names_program
from deskcrew.english.orders import tokens
from deskcrew.english.texts import file_names
from deskcrew.english.vocabulary import in_all_forms, vocabulary

Work = Literal["open", "files", "read", "code", "look", "windows", "nobody"]
"""Starting a program; handling files as they are; reading a document; running code; reading a window; working in one."""
ACTION: Mapping[Work, str] = {
    "open": "open_application",
    "files": "move_file",
    "read": "read_file",
    "code": "run_python_code",
    "look": "select_option",
    "windows": "set_value",
}
"""The action whose owner does that work."""
TABLES = frozenset((".csv", ".tsv", ".xlsx", ".xlsm", ".ods", ".json", ".jsonl", ".xml", ".sqlite", ".db", ".zip", ".log"))
TEXTS = frozenset((".txt", ".csv", ".tsv", ".json", ".xml", ".md", ".html", ".htm", ".log", ".ini", ".toml", ".yaml"))
_PAGES = frozenset((".html", ".htm"))


def work_of(clause: str, *, windows: bool, whole: str) -> Work | None:
    """What kind of work a clause is; None where its verb and its files leave it open.

    ``windows``: whether a program is open, or the task speaks of one; ``whole``: the task, for what the clause leaves out.
    """
    verb, here = verb_of(clause), file_names(clause)
    if informs(clause):
        return "nobody"
    if verb == "open":
        return "open"
    if verb == "save" and not (windows or here):
        return "nobody"  # code and actions on files leave nothing that is not saved
    if verb in ("copy", "move", "delete", "unpack") and here:
        return "code" if verb == "unpack" or " line" in clause else "files"
    if verb == "make" and any(word.slot == "FOLDER" for word in tokens(clause)):
        return "files"
    if asks(clause) or verb == "find":
        return _asking(here, whole, windows)
    if windows:
        return "windows" if verb not in ("", "other", "use") or not here else None
    return "code" if verb in ("replace", "append", "set", "other") and here and _kinds(here) <= TABLES | TEXTS else None


def _asking(here: Sequence[str], whole: str, windows: bool) -> Work | None:
    """A question: of a table by code, of a document by reading it; on the screen where no file is spoken of."""
    kinds = _kinds(here or file_names(whole))
    if kinds & TABLES and (here or not windows):
        return "code"
    if windows:
        return "look" if not kinds or kinds <= _PAGES else None
    return "read" if kinds else None


def _kinds(names: Iterable[str]) -> set[str]:
    return {PurePosixPath(name).suffix.lower() for name in names}


def writes_file(clause: str) -> bool:
    """Whether a clause has something put into a file that a program or a file action can write."""
    names = file_names(clause)
    return verb_of(clause) in ("write", "append", "save", "make") and len(names) == 1 and _kinds(names) <= TEXTS


def refers(clause: str) -> bool:
    """Whether a clause speaks of something that another one names."""
    words = {word.value.casefold() for word in tokens(clause)}
    return bool(words & {"it", "them", "there", "this", "that", "these", "those", "their", "its"})


def on_files_alone(task: str, applications: Iterable[str]) -> bool:
    """Whether a task names files and nothing that is done in windows."""
    words = {word.value.casefold() for word in tokens(task)}
    seen = vocabulary().clause["windows"] | in_all_forms(verb[0] for verb in vocabulary().opening.verbs["program"])
    return bool(file_names(task)) and not (words & seen or names_program(task, applications))


def routed(
    parts: Sequence[str], task: str, owners: Mapping[str, Collection[str]], *, windows: bool, nobody: str
) -> dict[int, str]:
    """The agent of each part that rules can give away, by the part's number from 1. ``owners``: agents in the order of the
    pool, each with its actions; ``nobody``: whose a part is that only informs."""
    found: dict[int, str] = {}
    last: Work | None = None
    for number, part in enumerate(parts, 1):
        work = work_of(part, windows=windows, whole=task)
        if work is None and not windows and last in ("code", "read") and writes_file(part):
            work = "code" if last == "code" else "files"
        if work == "nobody":
            found[number] = nobody
        elif work is not None:
            last = work
            owner = next((name for name, actions in owners.items() if ACTION[work] in actions), None)
            if owner is not None:
                found[number] = owner
    return found

"""The file that a part takes values from for a window, as opposed to the one that the window shows."""

from __future__ import annotations

import re

from deskcrew.plan import Subtask
from deskcrew.roles.clauses import clauses, file_names, opens
from deskcrew.roles.lookups import DATA
from deskcrew.steps.run import Run

_SHOWS = (
    (r"calculator|terminal|file manager|pcmanfm", ()),
    (r"calc\b|spreadsheet", (".xlsx", ".xls", ".ods", ".csv")),
    (r"writer|word processor", (".docx", ".doc", ".odt", ".rtf")),
    (r"impress|presentation", (".pptx", ".odp")),
    (r"chrom|firefox|browser", (".html", ".htm")),
    (r"viewer|evince|atril|okular", (".pdf",)),
)
"""What a program is called, and the endings of what is opened in it; the first that fits."""
_REFERS = re.compile(
    r"\b(?:from|in|of|as in|given in|found in)\s+(?:it|there|that|this|them|(?:the|that|this)\s+(?:\w+\s+)?(?:file|document|"
    r"note|list|table|letter|mail|request|order|offer|one))\b|\bthere\b|\b(?:its|those|these|the) (?:details|data|values|"
    r"particulars|entries)\b",
    re.I,
)


def shown_in(program: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the files ``names`` that ``program`` is opened on, all where nothing is known of it."""
    endings = next((endings for called, endings in _SHOWS if re.search(called, program, re.I)), None)
    if endings is None or (len(names) == 1 and endings):
        return names
    return tuple(name for name in names if name.lower().endswith(endings)) if endings else ()


def source_of(run: Run, subtask: Subtask, *, refers: bool = False) -> str:
    """The one file with data that a part names, or refers to, and that no window shows; '' where there is a doubt.
    ``refers``: whether it is known to refer to something."""
    there = {entry.path for entry in run.now.files if entry.kind == "file"}
    task = run.journal.state.task
    shown = " ".join(window.title for window in run.now.windows)
    opened = {name for clause in clauses(task) if opens(clause) for name in file_names(clause)}

    def usable(names: tuple[str, ...]) -> list[str]:
        data = [name for name in names if name in there and name.lower().endswith(DATA)]
        return [name for name in data if name not in opened and name.rpartition("/")[2] not in shown]

    named = usable(file_names(subtask.goal))
    found = named or (usable(file_names(task)) if refers or _REFERS.search(subtask.goal) else [])
    return found[0] if len(found) == 1 else ""

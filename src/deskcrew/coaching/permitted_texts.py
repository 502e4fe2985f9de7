"""What a model without free text may type: the texts that its subtask quotes, names, or refers to.

With free choice, a model of 1.5 billion parameters types key names, labels and pieces of the prompt; given the few
intended texts it picks the right one. If a subtask quotes nothing, or has been repaired twice, any text is allowed, so
that the right value is never excluded.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from deskcrew.english.orders import tokens
from deskcrew.events import Operation
from deskcrew.journal.fold import RunState
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.texts import QUOTED, file_names, quoted

LONGEST = 80
COMBINATIONS = ("Ctrl+S", "Enter")
"""Key combinations that are typed as text by mistake; the executor presses them."""


def texts(state: RunState, subtask: Subtask, now: Observation) -> tuple[str, ...]:
    """The texts that ``subtask`` may type; empty: no limit. ``now``: the last observation; key combinations are not
    offered in a dialog."""
    quotes, names = quoted(subtask.goal), file_names(subtask.goal)
    if state.repairs[subtask.id] > 1 or not (quotes or names):
        return ()
    told = guided(state, subtask)
    outputs = [found.text.strip() for found in state.collected_by("output", "information")]
    results = [text for text in dict.fromkeys(reversed(outputs)) if text and len(text) <= LONGEST and "\n" not in text][:3]
    written = results if quotes else []
    window = now.active_window
    # A dialog asks for a file's name, which would only be typed by mistake into a document.
    in_dialog = window is not None and window.dialog
    keys = (*file_names(told), *names) if in_dialog else COMBINATIONS
    wanted = joined(told, results) or quoted(told)
    if both := joined(subtask.goal, written):
        return tuple(dict.fromkeys((*wanted, *both, *keys)))
    return tuple(dict.fromkeys((*wanted, *quotes, *written, *keys)))


def joined(said: str, results: list[str]) -> tuple[str, ...]:
    """One quoted text combined with a result that is mentioned with it, in the order in which they are named; () if
    there is no such pair."""
    quotes = quoted(said)
    speaks = next((token.start for token in tokens(said) if token.slot == "RESULT"), None)
    if not results or speaks is None or len(quotes) != 1:
        return ()
    quote_first = said.find(quotes[0]) < speaks
    last = results[0]  # what "the total" most likely refers to
    return (f"{quotes[0]} {last}" if quote_first else f"{last} {quotes[0]}",)


def documents(state: RunState, subtask: Subtask, now: Observation) -> tuple[str, ...] | None:
    """The files that ``subtask`` may open in a program: those it names, and existing ones that share a word with it.
    None: no limit. A model that may name any file opens an unrelated one, and the next agent writes into it."""
    if state.repairs[subtask.id] > 1:
        return None
    spoken = set(re.findall(r"\w+", QUOTED.sub("", subtask.goal).casefold()))
    there = [entry.path for entry in now.files if entry.kind == "file"]
    meant = [path for path in there if spoken & set(re.findall(r"[^\W\d_]{3,}", PurePosixPath(path).stem.casefold()))]
    named = (*file_names(guided(state, subtask)), *file_names(subtask.goal))
    return tuple(dict.fromkeys((*(name for name in named if name in there), *meant)))


def guided(state: RunState, subtask: Subtask) -> str:
    """What a person told the subtask's role, the latest first; it takes precedence over the subtask's own words. What
    they said about finished subtasks is left out."""
    done = {each.id for each in state.plan.subtasks if each.status == "done"}
    told = (said for said in reversed(state.guidance) if said.role in (None, subtask.role))
    return "\n".join(said.text for said in told if said.subtask not in done)


NEW_NAMES = {"make_folder": "folder", "move_file": "destination", "copy_file": "destination"}
"""Actions that give something a new name, with the parameter that contains it."""


def unheard(operation: Operation, state: RunState, now: Observation) -> str:
    """A word of a new name that occurs nowhere in the task, the plan, what a person said, file names or findings; '' if
    there is none. A small model copies such names from the prompt's worked example."""
    name = str(operation.params.get(NEW_NAMES.get(operation.function, "")) or "")
    if not name:
        return ""
    said = [state.task, *(each.goal for each in state.plan.subtasks), *(each.text for each in state.guidance)]
    said += [*(entry.path for entry in now.files), *(found.text for found in state.collected)]
    known = " ".join(said).casefold()
    words = re.findall(r"[^\W\d_]{3,}", name.casefold())
    return next((word for word in words if word not in known), "")

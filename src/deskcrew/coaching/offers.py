"""What a small model is offered for its part of the task: the actions, texts, files and controls that can lead on.

Given the whole keyboard, a model of 1.5 billion parameters types key names, labels and pieces of the prompt. Given the few
texts that are meant it picks the right one. Where a part quotes nothing, or has been repaired twice, anything goes: the
right value must never be enumerated away.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePosixPath

from deskcrew.actions.action import Action
from deskcrew.english.mentions import mentions
from deskcrew.english.orders import tokens
from deskcrew.english.vocabulary import vocabulary
from deskcrew.events import Operation
from deskcrew.journal.fold import RunState
from deskcrew.journal.records import Turn
from deskcrew.observation import Control, Observation
from deskcrew.plan import Subtask
from deskcrew.situation import Situation
from deskcrew.texts import QUOTED, file_names, quoted

# -- actions

CHOOSE, SEARCH = "choose_menu", "web_search"
TYPE = "keyboard_input"
STUCK = 2
"""Number of successive failures of the same operation after which a small model is no longer offered its action."""
SPOKEN_OF = ("drag", "hover", "scroll")
"""Actions that a subtask mentions by name if it needs them, and that otherwise only mislead a small model."""
_PATH = re.compile(r"\s(?:>|→|»|->)\s")
"""The separator between menu entries in a subtask."""


def offered(situation: Situation) -> dict[str, Action]:
    """The actions that can lead on, by name: those of the core, and those of the domain that the subtask mentions."""
    domain, part = situation.domain, situation.part
    actions = dict(situation.core)
    if (mentions("menu", part) or _PATH.search(part)) and CHOOSE in domain:
        actions[CHOOSE] = domain[CHOOSE]
    actions |= {name: domain[name] for name in SPOKEN_OF if name in domain and mentions(name, part)}
    if SEARCH in domain and (not actions or mentions("web", part)):
        actions[SEARCH] = domain[SEARCH]
    if situation.now.on_page and not any("type" in c.operations for c in situation.now.in_front):
        actions.pop(TYPE, None)  # nothing there takes a text
    stuck = _stuck(situation)
    return {name: action for name, action in actions.items() if name != stuck} or actions


def _stuck(situation: Situation) -> str:
    """The function of the operation that failed repeatedly; '' if none did. A small model repeats an operation for as
    long as it can."""
    last = list(islice(situation.turns, STUCK))
    vain = [_vain(turn) for turn in last]
    # What was refused twice was never tried: it is its words that were wrong, and not the action.
    tried = len(last) == STUCK and any(turn.done for turn in last)
    return vain[0].function if tried and vain[0] is not None and vain[0] == vain[1] else ""


def _vain(turn: Turn) -> Operation | None:
    """The operation that ended a reply because it failed or was refused; None if the last one succeeded."""
    if turn.done:
        return None if turn.done[-1].ok else turn.done[-1].operation
    wanted = turn.reply.get("operations")
    return Operation.model_validate(wanted[0]) if isinstance(wanted, list) and wanted else None


# -- texts and files

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
    # A dialog asks for a file's name; in a document it would only be typed by mistake.
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
    last = results[0]  # the one that "the total" speaks of, or nobody can tell
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


# -- controls


def _inner(seen: Observation) -> list[Control]:
    """The controls of the active window's content: without its frame or, if it shows a document, without what is around
    that."""
    inside = seen.in_front
    document = next((c for c in inside if c.role == "document"), None)
    if document is not None:
        return [c for c in inside if c is not document and document.box.contains(*c.box.centre)]
    buttons = vocabulary().things["frame"]
    return [c for c in inside if not (c.role == "button" and c.name.casefold() in buttons and c.owner)]


def frame(seen: Observation, part: str) -> frozenset[str]:
    """The labels of the controls around a browser's page, and of the buttons in window frames, if ``part`` mentions
    none of them."""
    if seen.active_window is None or mentions("frame", part):
        return frozenset()
    inside = seen.in_front
    shown = {c.label for c in _inner(seen)}
    around = [c for c in inside if c.label not in shown and c.role in ("button", "tab", "text field", "menu button")]
    bare = [c for c in seen.controls if c.role == "button" and c.name.casefold() in vocabulary().things["resizes"]]
    return frozenset(c.label for c in (*(around if seen.on_page else ()), *bare))

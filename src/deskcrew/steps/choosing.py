"""Choosing from the menus that a part names, "Format > Spacing": the way is walked, then what the part means is taken.

No model is asked where the way is named and one entry at its end fits the part's words.
"""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.plan import Subtask
from deskcrew.roles.edits import edit_of
from deskcrew.roles.role import Role
from deskcrew.steps.ruling import may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

CHOOSE = "choose_menu"
_NAME = r"[\"“']?[A-Z][\w&]*(?:[ -][A-Z][\w&]*)?(?:\.\.\.|…)?[\"”']?"
_STEP = r"[\"“']?[A-Z][\w& -]*?(?:\.\.\.|…)?[\"”']?"
_PATH = re.compile(
    rf"(?<![\w>])({_NAME}(?:\s*(?:>|→|»|->)\s*{_STEP})+)(?=\s*(?:[,.;)]|$|\b(?:to|in|for|so|and|on|from|of|with)\b))"
)
_SPEAKS = re.compile(r"\bmenus?\b|\s(?:>|→|»|->)\s", re.I)
_WHOLE = re.compile(r"\b(?:whole|entire|everything|all\s+(?:of\s+)?(?:the|its|it)|all)\b", re.I)
_ENTRIES = ("menu item", "check menu item", "radio menu item", "menu")
_MEANT = {"upper": re.compile(r"upper|capital", re.I), "lower": re.compile(r"lower|small", re.I)}


def speaks_of_menus(part: str) -> bool:
    """Whether a part says that something is to be chosen from a menu."""
    return _SPEAKS.search(part) is not None


def menu_path(part: str) -> tuple[str, ...]:
    """The way through menus that a part names; () where it names none, or several."""
    found = _PATH.findall(part)
    if len(found) != 1 or re.search(r"\b(?:or|and)\b", found[0]):
        return ()
    return tuple(step.strip(" \"“”'") for step in re.split(r">|→|»|->", found[0].replace("->", ">")))


def chooses_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place what is chosen from the menus. Whether that was done. Not once something about the part went
    wrong, or where a person wants it otherwise."""
    path = menu_path(subtask.goal)
    if not path or run.journal.state.repairs[subtask.id] or not may_rule(run, role, CHOOSE, "hotkey", "click_input"):
        return False
    turns = tried(run, subtask)
    if turns == 0:
        choose = Operation(function=CHOOSE, params={"path": list(path)})
        whole = _WHOLE.search(subtask.goal) and any(each.role == "text area" for each in run.now.controls)
        select = [Operation(function="hotkey", params={"keys": ["ctrl", "a"]})] if whole else []
        rule_replies(run, subtask, role, [*select, choose], Branch.CONTINUE)
        return True
    if turns > 1:
        return False
    entries = opened(run.now, path)
    if not entries:  # the way ended at an entry, and that was chosen
        rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH)
        return True
    entry = meant(entries, subtask.goal, path)
    if entry is None:
        return False
    rule_replies(run, subtask, role, [Operation(function="click_input", control=entry.label)], Branch.ROLE_TASK_FINISH)
    return True


def opened(seen: Observation, path: tuple[str, ...]) -> list[Control]:
    """The entries of the menus that are open, without those on the way."""
    # What is in a menu bar is there whether or not a menu is open.
    shown = [each for each in seen.controls if each.role in _ENTRIES]
    if not any(each.role != "menu" for each in shown):
        return []
    return [each for each in shown if each.name not in path and each.role != "menu"]


def meant(entries: list[Control], part: str, path: tuple[str, ...]) -> Control | None:
    """The one entry that the part's words mean; None where it is none, or could be several."""
    edit = edit_of(part)
    if edit is not None and edit.kind == "letters":
        found = [each for each in entries if _MEANT[edit.texts[0]].search(each.name)]
        return found[0] if len(found) == 1 else None
    words = set(re.findall(r"\w{3,}", part.casefold())) - {
        word for step in path for word in re.findall(r"\w+", step.casefold())
    }
    fitting = {each.label: len(words & set(re.findall(r"\w{3,}", each.name.casefold()))) for each in entries}
    best = [each for each in entries if fitting[each.label] == max(fitting.values())]
    return best[0] if len(best) == 1 and fitting[best[0].label] else None

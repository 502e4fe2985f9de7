"""Parses what a person types during a run. Pure; the text of the menu is here too."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from deskcrew.errors import CrewMistake
from deskcrew.events import YOURS, HumanSaid, RunStarted
from deskcrew.human.questions import PlanEdit, Said
from deskcrew.plan import Plan, dropped, inserted, reworded
from deskcrew.repeating.demonstration import TAUGHT

MENU = """\
resume                      go on              stop                 end the run
any sentence, guide TEXT    tell the current role; its last reply is withdrawn if it had no effect yet
guide ROLE: TEXT            tell a role        switch ROLE: TEXT    let a role go on
mode MODE [ROLE]            automatic, passive or active
plan                        show the plan      plan drop N          take a subtask out
plan edit N GOAL            reword one         plan add after N: GOAL"""
BY_HAND: Mapping[str, str] = {
    **dict.fromkeys(YOURS, "take over, hand back        work on the desktop yourself"),
    "virtual": "hand back                   you are done on its desktop, which the web app shows (deskcrew serve)",
}
SHOWING = """\
hand back                   you have shown it, on the desktop that the web app shows (deskcrew serve)
stop                        end the run, and keep nothing of it"""


def menu(begun: RunStarted | None) -> str:
    """The commands that can be typed at this run."""
    if begun is not None and begun.crew == TAUGHT:
        return SHOWING
    return "\n".join([MENU, *([BY_HAND[begun.desktop]] if begun is not None and begun.desktop in BY_HAND else [])])


class Unclear(CrewMistake):
    """What was typed is not a command; the text says what to type."""


def command(line: str, plan: Plan, roles: Collection[str]) -> Said | None:
    """The command in ``line``; None if it has none. Raises Unclear for an incomplete one, PlanError for an unknown
    subtask. ``plan`` and ``plan show`` are not commands in this sense: they change nothing."""
    line = " ".join(line.strip().removeprefix("/").split())
    lower = line.casefold()
    for words, kind in (("pause", "pause"), ("resume", "resume"), ("stop", "stop"), ("take over", "take_over")):
        if lower == words:
            return HumanSaid(kind=kind)  # type: ignore[arg-type]
    if lower == "hand back" or lower.startswith("hand back "):
        return HumanSaid(kind="hand_back", text=line[len("hand back ") :])
    if lower == "guide" or lower.startswith("guide "):
        return _guide(line[len("guide ") :], roles)
    if found := re.fullmatch(r"(?:switch|s)\s+([^:\s]+)\s*:?\s*(.*)", line, re.IGNORECASE):
        return HumanSaid(kind="switch", role=found[1], text=found[2])
    if lower == "switch":
        raise Unclear("To whom? For example: switch planner: make it two steps")
    if lower == "mode" or lower.startswith("mode "):
        return _mode(lower.split()[1:], line)
    if lower.startswith("plan "):
        return _plan(line[len("plan ") :], plan)
    spoken = re.fullmatch(r"([A-Za-z]\w*):\s*(.+)", line)
    if spoken and spoken[1].casefold() in {role.casefold() for role in roles}:
        return HumanSaid(kind="switch", role=spoken[1], text=spoken[2])
    return None


def _guide(text: str, roles: Collection[str]) -> HumanSaid:
    if not text:
        raise Unclear("What should it know? For example: guide the file is called b.txt")
    named = re.fullmatch(r"([A-Za-z]\w*):\s*(.+)", text)
    if named and named[1].casefold() in {role.casefold() for role in roles}:
        return HumanSaid(kind="guide", role=named[1], text=named[2])
    return HumanSaid(kind="guide", text=text)


def _mode(words: list[str], line: str) -> HumanSaid:
    if not words or len(words) > 2:
        raise Unclear("For example: mode active, or: mode active Operator")
    return HumanSaid(kind="mode", text=words[0], role=line.split()[2] if len(words) == 2 else None)


def _plan(rest: str, plan: Plan) -> PlanEdit | None:
    if found := re.fullmatch(r"drop\s+(\S+)", rest, re.IGNORECASE):
        return PlanEdit(patch=dropped(plan, found[1]), why="dropped by the user")
    if found := re.fullmatch(r"edit\s+(\S+)\s+(.+)", rest, re.IGNORECASE):
        return PlanEdit(patch=reworded(plan, found[1], found[2]), why="reworded by the user")
    if found := re.fullmatch(r"add(?:\s+after\s+([^\s:]+)\s*:|\s*:)?\s+(.+)", rest, re.IGNORECASE):
        return PlanEdit(patch=inserted(plan, found[2], found[1]), why="added by the user")
    if rest.split()[0].casefold() in ("drop", "edit", "add"):
        raise Unclear("For example: plan drop 3, plan edit 2 NEW GOAL, plan add after 2: GOAL")
    return None

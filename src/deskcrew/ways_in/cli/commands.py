"""Parses what a person types during a run. Pure functions; the menu's text is here, too."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from deskcrew.engine.human.questions import PlanEdit, Said
from deskcrew.errors import CrewMistake
from deskcrew.facts.events import YOURS, HumanSaid, RunStarted
from deskcrew.facts.plan import Plan, dropped, inserted, reworded
from deskcrew.learning.repeating.demonstration import TAUGHT

MENU = """\
resume                      continue           stop                 end the run
any sentence, guide TEXT    tell the current role; its last reply is withdrawn if it had no effect yet
guide ROLE: TEXT            tell a role        switch ROLE: TEXT    let a role continue
mode MODE [ROLE]            automatic, passive or active
plan                        show the plan      plan drop N          remove a subtask
plan edit N GOAL            reword a subtask   plan add after N: GOAL"""
BY_HAND: Mapping[str, str] = {
    **dict.fromkeys(YOURS, "take over, hand back        work on the desktop yourself"),
    "virtual": "hand back                   you have finished on its desktop in the web app (deskcrew serve)",
}
SHOWING = """\
hand back                   you have finished showing it, on the desktop in the web app (deskcrew serve)
stop                        end the run, and keep nothing of it"""


def menu(begun: RunStarted | None) -> str:
    """The menu of commands for this run."""
    if begun is not None and begun.crew == TAUGHT:
        return SHOWING
    return "\n".join([MENU, *([BY_HAND[begun.desktop]] if begun is not None and begun.desktop in BY_HAND else [])])


class UnclearCommand(CrewMistake):
    """What was typed is not a command; the text says what to type."""


def command(line: str, plan: Plan, roles: Collection[str]) -> Said | None:
    """The command in ``line``; None if it is not a command. Raises UnclearCommand if it is incomplete, PlanError for an
    unknown subtask. ``plan`` and ``plan show`` do not count as commands, since they change nothing."""
    line = " ".join(line.strip().removeprefix("/").split())
    lower = line.casefold()
    for words, kind in (("pause", "pause"), ("resume", "resume"), ("stop", "stop"), ("take over", "take_over")):
        if lower == words:
            return HumanSaid(kind=kind)  # type: ignore[arg-type]
    if lower == "hand back" or lower.startswith("hand back "):
        return HumanSaid(kind="hand_back", text=line[len("hand back ") :])
    if lower == "guide" or lower.startswith("guide "):
        return _guide(line[len("guide ") :], roles)
    verb, _, rest = line.partition(" ")
    if verb.casefold() in ("switch", "s") and (role := rest.partition(" ")[0].partition(":")[0]):
        return HumanSaid(kind="switch", role=role, text=rest.removeprefix(role).strip().removeprefix(":").strip())
    if lower == "switch":
        raise UnclearCommand("To whom? For example: switch planner: make it two steps")
    if lower == "mode" or lower.startswith("mode "):
        return _mode(lower.split()[1:], line)
    if lower.startswith("plan "):
        return _plan(line[len("plan ") :], plan)
    role, said = _addressed(line, roles)
    return HumanSaid(kind="switch", role=role, text=said) if role else None


def _addressed(text: str, roles: Collection[str]) -> tuple[str, str]:
    """The role and the text of ``ROLE: TEXT``; '' and the whole text if it names no role."""
    head, _, said = text.partition(":")
    known = head.casefold() in {role.casefold() for role in roles}
    return (head, said.strip()) if known and said.strip() else ("", text)


def _guide(text: str, roles: Collection[str]) -> HumanSaid:
    if not text:
        raise UnclearCommand("What should it know? For example: guide the file is called b.txt")
    role, said = _addressed(text, roles)
    return HumanSaid(kind="guide", role=role or None, text=said)


def _mode(words: list[str], line: str) -> HumanSaid:
    if not words or len(words) > 2:
        raise UnclearCommand("For example: mode active, or: mode active Operator")
    return HumanSaid(kind="mode", text=words[0], role=line.split()[2] if len(words) == 2 else None)


def _plan(rest: str, plan: Plan) -> PlanEdit | None:
    verb, *words = rest.split(" ", 2)
    match verb.casefold(), words:
        case "drop", [subtask]:
            return PlanEdit(patch=dropped(plan, subtask), why="dropped by the user")
        case "edit", [subtask, goal]:
            return PlanEdit(patch=reworded(plan, subtask, goal), why="reworded by the user")
        case "add:", [_, *_]:
            return PlanEdit(patch=inserted(plan, " ".join(words), None), why="added by the user")
        case "add", [_, *_]:
            goal, after = _place(" ".join(words))
            return PlanEdit(patch=inserted(plan, goal, after), why="added by the user")
        case "drop" | "edit" | "add", _:
            raise UnclearCommand("For example: plan drop 3, plan edit 2 NEW GOAL, plan add after 2: GOAL")
        case _:
            return None


def _place(text: str) -> tuple[str, str | None]:
    """The goal in ``after SUBTASK: GOAL``, and the subtask; None if it names none."""
    spot, colon, goal = text.partition(": ")
    if colon and spot.casefold().startswith("after ") and len(spot.split()) == 2:
        return goal, spot.split()[1]
    return text.removeprefix(": "), None

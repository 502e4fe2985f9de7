"""What is done to solve a task, written down by hand: operations on controls that are named by what is seen of them.

``oracles/APP.toml`` has for each task's id ``steps``, an operation each: what is done, a pattern for the line of a control (role,
name, and where it has one its owner), and what is typed or chosen. ``answer`` is what is answered where something is asked.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from deskcrew.errors import ConfigError, UsageError
from deskcrew.models.client import Call, Model
from deskcrew.observation import Frozen
from deskcrew_bench.lies.believer import AT, aimed, facts
from deskcrew_bench.lies.situation import Operation
from deskcrew_bench.suites.playing import Player, Replies

Step = tuple[str, ...]
"""An operation in short: what, which control, and with what."""
WORKER = "Operator"
"""The agent that works on pages."""


class Solution(Frozen):
    """How a task is done."""

    steps: tuple[Step, ...]
    answer: str = Field(default="", description="to what the task asks")


_SOLUTIONS = TypeAdapter(dict[str, Solution])


def solutions_in(folder: Path, app: str) -> dict[str, Solution]:
    """The solutions of an application's tasks, by their ids; {} where none are written down. Raises ConfigError."""
    path = folder / f"{app}.toml"
    if not path.exists():
        return {}
    try:
        found = _SOLUTIONS.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
        for solution in found.values():
            for step in solution.steps:
                operation_of(step)
    except (tomllib.TOMLDecodeError, ValidationError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    return found


def operation_of(step: Step) -> Operation:
    """An operation as a role replies it. Raises ValueError for a word that is none."""
    what, *rest = step
    match what, rest:
        case "click", [control]:
            return {"function": "click_input", "control": AT + control}
        case "double", [control]:
            return {"function": "click_input", "control": AT + control, "double": True}
        case "hover", [control]:
            return {"function": "hover", "control": AT + control}
        case "type", [control, text]:
            return {"function": "keyboard_input", "control": AT + control, "keys": text, "clear": True}
        case "add", [control, text]:
            return {"function": "keyboard_input", "control": AT + control, "keys": text}
        case "enter", [control, text]:
            return {"function": "keyboard_input", "control": AT + control, "keys": text, "clear": True, "click_enter": True}
        case "select", [control, option]:
            return {"function": "select_option", "control": AT + control, "option": option}
        case "set", [control, number]:
            return {"function": "set_value", "control": AT + control, "value": float(number)}
        case "scroll", [control, notches]:
            return {"function": "scroll", "control": AT + control, "wheel_dist": int(notches)}
        case "press", [*keys]:
            return {"function": "hotkey", "keys": keys}
        case "find", [text]:
            return {"function": "find_text", "text": text}
        case _:
            raise ValueError(f"{list(step)!r} is no operation")


class Oracle(Player):
    """Does a task as it is written down, an operation a reply. Where a control is not there it gives up."""

    def __init__(self, solution: Solution, replies: Replies, model: Model | None = None) -> None:
        super().__init__(replies, model, name="scripted:oracle")
        self.solution = solution
        self.left = list(solution.steps)
        self.missing = ""
        self._plans = 0

    def part(self, call: Call) -> Any:
        match call.role:
            case "Planner":
                self._plans += 1
                return {"subtasks": [{"goal": f"Do the task ({self._plans})", "role": WORKER}]}
            case "FinalAnswer":
                return {"answer": self.solution.answer or "It is done.", "sources": facts(call), "branch": "Continue"}
            case "SupportJudge":
                return {"why": "It says so.", "supported": True}
            case "Reviewer":
                return {"analyze": "That is how it is done.", "verdict": "continue", "judgement": ""}
            case _:
                return self._turn(call)

    def _turn(self, call: Call) -> Mapping[str, Any]:
        if self.missing or not self.left:
            problem = self.missing or "all that could be done was done"
            if not self.missing and self._plans == 1:
                return {"operations": [], "branch": "RoleTaskFinish"}
            return {"operations": [], "problem": problem, "branch": "Interrupt"}
        try:
            operation = aimed(operation_of(self.left[0]), call)
        except UsageError as error:
            self.missing = str(error)
            return {"operations": [], "problem": self.missing, "branch": "Interrupt"}
        del self.left[0]
        branch = "Continue" if self.left else "RoleTaskFinish"
        return {"operations": [operation], "information": self.solution.answer, "branch": branch}

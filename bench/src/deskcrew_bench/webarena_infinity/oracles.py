"""What is done to solve a task, written down by hand: operations on controls that are named by what is seen of them.

``oracles/APP.toml`` has for each task's id ``steps``, an operation each: what is done, a pattern for the line of a control
(role, name, and where it has one its owner), and what is typed or chosen. ``answer`` is what is answered where something is
asked.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from deskcrew.environments.describe import CONTROLS
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Call, Model
from deskcrew_bench.lies.believer import AT, aimed, facts
from deskcrew_bench.lies.situation import Operation
from deskcrew_bench.suites.playing import Player, Replies

Step = tuple[str, ...]
"""An operation in short: what, which control, and with what."""
NEXT = "~"
"""After the first word of an operation: on the next control of the same role, or with the next option."""
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
        case "wait", [seconds]:
            return {"function": "wait_for_loading", "seconds": float(seconds)}
        case "find", [text]:
            return {"function": "find_text", "text": text}
        case _:
            raise ValueError(f"{list(step)!r} is no operation")


class Oracle(Player):
    """Does a task as it is written down, an operation a reply. Where a control is not there it gives up."""

    def __init__(self, solution: Solution, replies: Replies, model: Model | None = None) -> None:
        super().__init__(replies, model, name="scripted:oracle", contracts=bool(replies) or model is not None)
        self.solution = solution
        self.steps = list(solution.steps)
        self.missing = ""
        """Of a control that is not there, what was looked for."""
        self._plans = 0

    def part(self, call: Call) -> Any:
        match call.role:
            case "Planner":
                self._plans += 1
                asks = {"question": "What is asked?"} if self.solution.answer and not self.contracts else {}
                return {"subtasks": [{"goal": f"Do the task ({self._plans})", "role": WORKER}], **asks}
            case "FinalAnswer":
                return {"answer": self.solution.answer or "It is done.", "sources": facts(call), "branch": "Continue"}
            case "Reviewer":
                return {"analyze": "That is how it is done.", "verdict": "continue", "judgement": ""}
            case _:
                return self._turn(call)

    def _turn(self, call: Call) -> Mapping[str, Any]:
        if self.missing or not self.steps:
            problem = self.missing or "all that could be done was done"
            if not self.missing and self._plans == 1:
                return {"operations": [], "branch": "RoleTaskFinish"}
            return {"operations": [], "problem": problem, "branch": "Interrupt"}
        try:
            operation = _aimed(self.steps[0], call)
        except UsageError as error:
            self.missing = str(error)
            return {"operations": [], "problem": self.missing, "branch": "Interrupt"}
        del self.steps[0]
        branch = "Continue" if self.steps else "RoleTaskFinish"
        return {"operations": [operation], "branch": branch}


def _aimed(step: Step, call: Call) -> Operation:
    """An operation on a control that is listed. Raises UsageError where there is none such."""
    what, *rest = step
    operation = aimed(operation_of((what.removesuffix(NEXT), *rest)), call)
    if not what.endswith(NEXT):
        return operation
    listed = call.text("volatile").rpartition(CONTROLS)[2].splitlines()
    at = next(number for number, line in enumerate(listed) if line.startswith(f"{operation['control']} "))
    if "option" in operation:
        options = re.findall(r'"((?:[^"\\]|\\.)*)"', listed[at].partition(" options ")[2])
        return {**operation, "option": _after(options, lambda option: option == operation["option"], rest[1])}
    role = _role(listed[at])
    same = [line.split(" ", 1)[0] for line in listed if _role(line) == role]
    return {**operation, "control": _after(same, lambda label: label == operation["control"], rest[0])}


def _after(items: Sequence[str], here: Callable[[str], bool], wanted: str) -> str:
    """The item after the one that is meant, the first one after the last. Raises UsageError where there is no other."""
    at = next((number for number, item in enumerate(items) if here(item)), -1)
    if len(items) < 2:
        raise UsageError(f"There is no other than {wanted!r}.")
    return items[(at + 1) % len(items)]


def _role(line: str) -> str:
    """The role of a control, by its line."""
    return line.partition(" ")[2].partition(' "')[0]

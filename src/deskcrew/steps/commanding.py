"""A command that a part quotes, typed into the terminal in front, and what it then shows."""

from __future__ import annotations

import re

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.plan import Subtask
from deskcrew.roles.clauses import quoted
from deskcrew.roles.role import Role
from deskcrew.secrets.terminals import is_terminal
from deskcrew.steps.ruling import in_windows_only, last_turn, may_rule, rule_replies, tried
from deskcrew.steps.run import Run
from deskcrew.verdict import Branch

_RUNS = re.compile(r"\b(?:run|execute|type|enter|with|using|use|try|command)\b", re.I)
_COUNTS = re.compile(r"\b(?:how many|how much|numbers?|count|size|figure)\b", re.I)
_PROMPT = re.compile(r"^\S*\s*[$#%>]\s*$|^[^\n]{0,60}[$#]\s*$")


def commands_by_rule(run: Run, subtask: Subtask, role: Role) -> bool:
    """Say in the role's place which command is typed, and what came of it. Whether that was done. The guard judges what is
    typed into a terminal as the command that it is."""
    if run.desk.desktop is None or not in_windows_only(run, role) or not may_rule(run, role, "keyboard_input"):
        return False
    terminal, command = front(run.now), quoted_command(subtask.goal)
    if terminal is None or not command:
        return False
    if not tried(run, subtask):
        typing = {"keys": command, "click_enter": True}
        operation = Operation(function="keyboard_input", control=terminal.label, params=typing)
        rule_replies(run, subtask, role, [operation], Branch.CONTINUE)
        return True
    turn = last_turn(run, subtask)
    if turn is None or not turn.done or not turn.done[-1].ok or not (said := output(terminal.value or "", command)):
        return False
    counted = figure(said, command) if _COUNTS.search(run.journal.state.task) else ""
    rule_replies(run, subtask, role, [], Branch.ROLE_TASK_FINISH, information=counted or said)
    return True


def front(seen: Observation) -> Control | None:
    """The one terminal of the active window."""
    found = [c for c in seen.in_front if is_terminal(c, None)]
    return found[0] if len(found) == 1 else None


def quoted_command(part: str) -> str:
    """The one text in quotes, or in backticks, that a part has run; '' where there is none."""
    ticked = re.findall(r"`([^`\n]+)`", part)
    found = ticked or list(quoted(part))
    return found[0] if len(found) == 1 and _RUNS.search(part) else ""


def figure(said: str, command: str) -> str:
    """The number in an output of one line that else only repeats what the command names; '' of any other."""
    match = re.fullmatch(r"(\d+(?:[.,]\d+)*)\s+(\S+)", said)
    return match[1] if match and match[2] in command else ""


def output(shown: str, command: str) -> str:
    """What stands below the last line that holds ``command``, without the prompt; '' while it is still at work."""
    _, found, after = shown.rpartition(command)
    lines = after.splitlines() if found else []
    if not lines or not _PROMPT.match(lines[-1]):
        return ""
    return "\n".join(line.rstrip() for line in lines[:-1]).strip()

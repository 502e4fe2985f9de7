"""Adapts wording of the command line for pages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from deskcrew.actions.asked import SHORT
from deskcrew.facts.contract import Strength
from deskcrew.facts.events import DesktopKind, Operation, RunStarted
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import Observation
from deskcrew.facts.texts import FILE_NAME
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.records import REPLAY
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.ways_in.report import render
from deskcrew.ways_in.report.operations import in_words
from deskcrew.ways_in.report.text import OPTION, model_shown

HINTS = {"`deskcrew runs` lists them.": "All runs are on the first page."}
"""Hints that name commands, and their replacements on a page."""
FIELDS = {
    "at": "The agent on Windows",
    "check": "A program that checks it",
    "contract": "All that must hold, as a contract",
    "require": "Requirements",
    "allow-host": "Hosts it may reach",
    "attach": "Files it needs",
    "crew": "Crew",
    "desktop": "Where it works",
    "lanes": "Parts of the plan at once",
    "limit": "Spend at most, US $",
    "mode": "When it asks you",
    "mode-of": "Ask differently for single roles",
    "model": "Model",
    "name": "What to call it",
    "open": "Programs to open first",
    "secret": "Secrets it may type",
    "url": "First page",
    "workspace": "Folder it may change",
}
"""The names of command-line options in forms."""
PAGES = {
    "branch": "“Branches” on the run's page",
    "confirm": "“It holds” on the run's page",
    "every": "the page “Schedules”",
    "export": "“Export as a file” in the run's menu",
    "log": "the page “Runs”",
    "memory": "the page “Memory”",
    "policy": "the page “Policy”",
    "remove": "“Delete this run…” in the run's menu",
    "replay": "“Do it again” in the run's menu",
    "resume": "“Continue” on the run's page",
    "rewind": "“Branches” on the run's page",
    "run": "“New task”",
    "runs": "the page “Runs”",
    "show": "the run's page",
    "skill": "the page “Skills”",
    "teach": "“Teach one” on the page “Skills”",
    "undo": "“Put everything back…” on the run's page",
}
"""The place on the pages that does the same as a command."""
_VALUES = r"""(?:(?<!\w)(?:'[^']*'|"[^"]*")|[.,](?=[\w/])|[^`.;,()'"]|(?<=\w)['"])*"""
COMMAND = re.compile(rf"`deskcrew ({'|'.join(PAGES)})\b[^`]*`|deskcrew ({'|'.join(PAGES)})\b{_VALUES}| \(--[a-z-]+\)")
"""Matches a command with its values, or an option in parentheses that no form has."""
WORKS: dict[DesktopKind, str] = {
    "virtual": "on a desktop of its own",
    "browser": "in a browser",
    "none": "on files, without windows",
    "real": "on your desktop",
    "windows": "on a Windows desktop",
}
WHOLE = "The whole task"
"""Shown instead of the task's own sentence, which is already the heading of the page."""
BARE = ("function", "control", "goal", "path", "agent", "params", "words")
"""Fields of a reply that are shown without their name."""


def hint(text: str) -> str:
    """A sentence for a terminal, adapted for a page: options become names of fields, and commands the places on pages that
    do the same."""
    said = OPTION.sub(_field, HINTS.get(text, text))
    return COMMAND.sub(lambda found: PAGES.get(found[1] or found[2], ""), said)


def _field(option: re.Match[str]) -> str:
    if (field := FIELDS.get(option[1])) is None:
        return option[0]
    return f"“{field}” {option[2]}" if option[2] else f"“{field}”"


def unless_task(says: str, started: RunStarted) -> str:
    """The text of a requirement or subtask; :data:`WHOLE` if it only repeats the task, unless that is a skill with its
    values, of which nothing else says what was checked."""
    repeats = says.strip().rstrip(".") == started.task.strip().rstrip(".")
    return WHOLE if repeats and not started.repeated_skill else says


def ended(outcome: Outcome, not_done: tuple[str, ...] = ()) -> tuple[str, str]:
    """How a run ended, as a sentence, and the reason, '' if that would only repeat it. ``not_done``: what was denied."""
    return full(render.outcome_words(outcome, not_done)), full(hint(render.reason_for(outcome)))


def tried_on(strength: Strength, rejected: Sequence[str]) -> str:
    """On what the check was also run, with an example."""
    return full(render.tried_on(strength, rejected))


def model(name: str) -> str:
    """A model's name as pages show it."""
    return "no model" if name == "none" else model_shown(name)


def crew(name: str) -> str:
    """A crew's name as pages show it; for a run without a crew, such as a replay, words for what it is."""
    return {REPLAY: "fixed steps", TAUGHT: "shown by you"}.get(name, name)


def full(text: str) -> str:
    """A text made a whole sentence; '' stays ''."""
    return sentence(text if text.endswith((".", "!", "?", "…")) else f"{text}.") if text else ""


def sentence(text: str) -> str:
    """A text with its first letter capitalized, unless it begins with a file's name."""
    return text if FILE_NAME.match(text) else text[:1].upper() + text[1:]


def spoken(reply: JsonObject, look: Observation | None = None) -> list[tuple[str, list[str]]]:
    """A reply for the person who decides on it: the name of each field that says something, in words, and its lines. Leaves
    out default values, and "continue" beside something else. ``look``: the observation that the reply was based on, for the
    names of controls."""
    told: list[tuple[str, list[str]]] = []
    for name, value in reply.items():
        if name == "branch":
            value = render.SIGNALS.get(str(value), "" if value == "Continue" else str(value))
            name = "So it"
        items = value if isinstance(value, list) else [value]
        lines = [line for each in items if (line := _deed(each, look) if name == "operations" else _line(each))]
        if lines:
            told.append((name.replace("_", " ").capitalize(), lines))
    return told


def _deed(value: JsonValue, look: Observation | None) -> str:
    """An operation of a reply, in words. In a reply, its parameters stand beside its function."""
    if not isinstance(value, dict):
        return _line(value)
    given = dict(value)
    function, control = str(given.pop("function", "")), given.pop("control", None)
    return in_words(Operation(function=function, control=str(control) if control else None, params=given), look)


def raw(operation: Operation) -> str:
    """The operation as a model writes it: function and parameters."""
    return render.operation(operation).plain


def unsaid(operation: Operation) -> list[tuple[str, str]]:
    """The parameters that the operation's sentence leaves out, in full: nobody approves what they have not seen."""
    told = ((name, value if isinstance(value, str) else json.dumps(value)) for name, value in operation.params.items())
    return [(name.replace("_", " "), text) for name, text in told if len(text) > SHORT or "\n" in text.strip()]


def _line(value: JsonValue) -> str:
    if isinstance(value, dict):
        texts = [(name, _line(part)) for name, part in value.items()]
        return "  ".join(text if name in BARE else f"{name.replace('_', ' ')}: {text}" for name, text in texts if text)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_line, value)))
    if value is None or value is False:
        return ""
    return "yes" if value is True else str(value).strip()

"""A chore with a real text editor, done by a script and recorded: what is done again, and made into a skill."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.required import required

TASK = 'Add up the amounts in sales.csv, type "Total:" and the total in the text editor, and save it as report.txt.'
CODE = "import csv\nprint(sum(int(row['amount']) for row in csv.DictReader(open('sales.csv'))))"
OPEN = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}
SAVE = {"function": "hotkey", "keys": ["ctrl", "s"]}
TABLE = "name,amount\nAnn,12\nBo,30\n"
OTHER = "name,amount\nAnn,100\nBo,250\nCy,5\n"


def label(call: Call, what: str) -> str:
    """The label of the first control of a prompt that is described so."""
    found = re.search(rf"^(\S+) {what}", call.text("volatile"), flags=re.MULTILINE)
    assert found, f"no {what} in the prompt:\n{call.text('volatile')}"
    return found.group(1)


def saves(name: str) -> Any:
    def reply(call: Call) -> dict[str, Any]:
        typing = {"function": "keyboard_input", "control": label(call, "text field .*Name"), "keys": name, "clear": True}
        press = {"function": "click_input", "control": label(call, "button .*Save")}
        return {"operations": [typing, press], "branch": "RoleTaskFinish"}

    return reply


def types(text: str) -> Any:
    def reply(call: Call) -> dict[str, Any]:
        typing = {"function": "keyboard_input", "control": label(call, "text area"), "keys": text}
        return {"operations": [typing, SAVE], "branch": "Continue"}

    return reply


def of(*operations: Mapping[str, Any]) -> dict[str, Any]:
    return {"operations": list(operations), "branch": "Continue"}


PYTHON = {"function": "run_python_code", "code": CODE}
WRITING = (of(PYTHON, OPEN), types("Total: 42"), saves("report.txt"))


async def record(folder: Path, *replies: Any, task: str = TASK) -> Journal:
    """A chore done by a script, on a desktop of its own."""
    work = folder / "recorded"
    work.mkdir()
    (work / "sales.csv").write_text(TABLE)
    (work / "notes").write_text("Buy milk.")
    wanted = required("file_contains report.txt 'Total: 42'") if task == TASK else None
    request = RunRequest(task=task, model="scripted:x", workspace=work, crew="solo", required=wanted)
    journal = await session.run(request, settings_in(folder), model=ScriptedModel(replies))
    assert journal.state.outcome is not None
    assert journal.state.outcome.status in ("done", "unverified"), journal.state.outcome
    return journal

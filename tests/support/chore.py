"""One chore for tests that end processes: several operations, one of which fails, files and a question.

The roles look before they act, as a careful agent does: what already stands in the workspace is not done again. So a run
that was ended anywhere and gone on with must end ``done``, and ``log.txt`` must hold every line once.

    python chore.py FOLDER EVENT       begin the chore in FOLDER and die by SIGKILL at that event; 0: never
    python chore.py FOLDER sleep       begin, and sleep in the first program
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

sys.path.insert(0, str(Path(__file__).parents[1]))

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import Event
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import by_role, settings_in
from support.required import reads, required

TASK = "Add up the amounts in table.csv and write the total into total.txt. What is the total?"
PLAN = {
    "subtasks": [
        {"goal": "Read table.csv", "role": "FileManager"},
        {"goal": "Add up the amounts", "role": "Programmer"},
        {"goal": "Write the total into total.txt", "role": "FileManager"},
    ],
    "question": "What is the total?",
}
LINES = ["failed", "added", "noted"]
"""What log.txt must hold in the end, each once."""
_ADD = "print(sum(int(line.split(',')[1]) for line in open('table.csv').read().split()[1:]))"


def _log(line: str) -> str:
    return f"open('log.txt', 'a').write('{line}\\n')"


def python(*lines: str) -> dict[str, Any]:
    return {"function": "run_python_code", "code": "\n".join(lines)}


def request_in(folder: Path) -> RunRequest:
    workspace = folder / "work"
    workspace.mkdir(exist_ok=True)
    if not (workspace / "table.csv").exists():
        (workspace / "table.csv").write_text("item,amount\napple,20\npear,22\n")
    wanted = required("file_contains total.txt 42", *(f"file_contains log.txt {line}" for line in LINES))
    return RunRequest(task=TASK, model="scripted:none", workspace=workspace, desktop="none", required=wanted, crew="planned")


def crew_in(folder: Path, *, sleeping: bool = False) -> ScriptedModel:
    """The chore's model."""
    workspace = folder / "work"

    def has(file: str, text: str) -> bool:
        path = workspace / file
        return path.is_file() and text in path.read_text()

    def planner(call: Call) -> Mapping[str, Any]:
        # One that was ended right after its question was noted is not asked for it again.
        return {name: value for name, value in PLAN.items() if name != "question" or "question: Extra" not in call.text()}

    def programmer(call: Call) -> Mapping[str, Any]:
        if sleeping:
            return {"operations": [python("import time", _log("failed"), "time.sleep(600)")], "branch": "Continue"}
        if not has("log.txt", "failed"):
            return {"operations": [python(_log("failed"), "raise SystemExit(3)"), python(_ADD)], "branch": "RoleTaskFinish"}
        lines = [_ADD] if has("log.txt", "added") else [_log("added"), _ADD]
        return {"operations": [python(*lines)], "branch": "RoleTaskFinish"}

    def file_manager(call: Call) -> Mapping[str, Any]:
        if "Your part: Read table.csv" in call.text():
            return {"operations": [{"function": "read_file", "file_path": "table.csv"}], "branch": "RoleTaskFinish"}
        wanted: list[dict[str, Any]] = []
        if not has("log.txt", "noted"):
            wanted.append({"function": "write_file", "file_path": "log.txt", "text": "noted\n", "append": True})
        if not has("total.txt", "42"):
            wanted.append({"function": "write_file", "file_path": "total.txt", "text": "42\n"})
        return {"operations": wanted, "branch": "RoleTaskFinish"}

    return by_role(
        Planner=planner,
        FileManager=file_manager,
        Programmer=programmer,
        FinalAnswer={"answer": "42", "sources": [], "branch": "Continue"},
        Reader=reads("42"),
    )


def main(folder: Path, mode: str) -> None:
    def watch(event: Event, journal: Journal) -> None:
        if mode != "sleep" and event.number == int(mode):
            os.kill(os.getpid(), signal.SIGKILL)

    model = crew_in(folder, sleeping=mode == "sleep")
    anyio.run(lambda: session.run(request_in(folder), settings_in(folder), watch=watch, model=model))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

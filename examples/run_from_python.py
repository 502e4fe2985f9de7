"""A run from Python: one file is written, and the run says itself whether that was what the task wanted.

A script answers in place of a model, so this needs nothing but a sandbox. Leave ``model=`` out to use the real one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import anyio

from deskcrew import session
from deskcrew.models.scripted import ScriptedModel
from deskcrew.request import RunRequest
from deskcrew.settings import Settings

REPLIES = [
    # The planner: one subtask, and what must be in which file afterwards.
    {"subtasks": [{"goal": "write the greeting", "role": "FileManager"}], "question": "", "files": []},
    # The FileManager: one operation, and the claim that the subtask is finished.
    {
        "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
        "branch": "RoleTaskFinish",
    },
]


async def main() -> int:
    """Returns the exit code that `deskcrew run` would."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=Path(folder) / "data")
        request = RunRequest(task='Write "hello" into hello.txt.', desktop="none", workspace=Path(folder) / "work")
        journal = await session.run(request, settings, model=ScriptedModel(REPLIES))
        for event in journal.events:
            print(f"{event.number:3} {event.header.type}")
        outcome = journal.state.outcome
        assert outcome is not None  # a run that returned has one
        print(f"{outcome.status}, verified by {outcome.verified_by}: {outcome.why}")
        return outcome.exit_code


if __name__ == "__main__":
    sys.exit(anyio.run(main))

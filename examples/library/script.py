"""A task from a script: a file is written, and the run says whether what is required came of it.

A script answers in place of a model, so this needs nothing but a sandbox. Leave ``model=`` out to use your own.
"""

from __future__ import annotations

import sys

import deskcrew

REPLIES = [
    # The Worker: one operation, and the claim that it is finished.
    {
        "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "hello"}],
        "branch": "RoleTaskFinish",
    },
]

if __name__ == "__main__":
    result = deskcrew.run(
        'Write "hello" into hello.txt.',
        require=("file_contains hello.txt hello",),
        desktop="none",
        model=deskcrew.ScriptedModel(REPLIES),
        on_event=lambda event: print(f"{event.number:3} {event.header.type}"),
    )
    print(f"{result.outcome}, verified by {result.verified_by}: {result.why}")
    print(*result.files.created, "in", result.workspace)
    sys.exit(result.exit_code)

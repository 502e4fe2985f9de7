"""Tasks over HTTP, with FastAPI: ``uvicorn --app-dir examples/library service:app``.

    curl -X POST localhost:8000/tasks -H "Content-Type: application/json" \
        -d '{"task": "Write hello into hello.txt.", "require": ["file_contains hello.txt hello"]}'

The client waits for the result here; one that goes away stops its run. Whoever reaches this can have anything done that the
policy allows: put it behind your own login.
"""

from __future__ import annotations

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

import deskcrew

app = FastAPI()
model: str | deskcrew.ScriptedModel | None = None
"""None: the one of your settings."""


class Task(BaseModel):
    """What is to be done, in plain words, and what must hold in the end."""

    task: str
    require: list[str] = []


@app.post("/tasks")
async def do(asked: Task) -> deskcrew.Result:
    """Do a task on files alone, and return how it ended, with the evidence for each requirement."""
    try:
        return await deskcrew.arun(asked.task, require=tuple(asked.require), desktop="none", model=model)
    except deskcrew.UsageError as error:
        raise HTTPException(422, f"{error} {error.hint}") from None
    except (deskcrew.EnvironmentFailure, deskcrew.ModelFailure) as error:
        raise HTTPException(503, f"{error} {error.hint}") from None

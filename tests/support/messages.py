"""A crew's work as messages: exactly these roles are asked, in this order, and reply so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deskcrew.engine import session
from deskcrew.engine.human.responder import Responder
from deskcrew.engine.request import RunRequest
from deskcrew.engine.session import Watch
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.required import usual

Message = tuple[str, dict[str, Any]]


def doing(*operations: dict[str, Any], branch: str = "Continue", **more: Any) -> dict[str, Any]:
    return {"operations": list(operations), "branch": branch, **more}


async def messages(
    crew: str,
    folder: Path,
    task: str,
    script: Sequence[Message],
    human: Responder | None = None,
    watch: Watch | None = None,
    profile: Profile | None = None,
    **more: Any,
) -> tuple[Journal, list[Call]]:
    """The run in which exactly these roles are asked, in this order, and reply so."""
    model = ScriptedModel([reply for _, reply in script], profile=profile)
    request = RunRequest(
        task=task, crew=crew, model="scripted:x", workspace=folder / "work", **{"required": usual(task)} | more
    )
    journal = await session.run(request, settings_in(folder), model=model, human=human, watch=watch)
    asked = [call.role for call in model.calls]
    assert asked == [role for role, _ in script], f"{asked}; {journal.state.outcome}"
    assert journal.verify() == []
    return journal, model.calls

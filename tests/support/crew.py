"""Runs of a crew with a scripted model on a real workspace and a real sandbox, begun and gone on with."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deskcrew.engine import session
from deskcrew.engine.human.responder import Nobody, Responder
from deskcrew.engine.request import RunRequest, prepare, workspace_of
from deskcrew.engine.roles.role import BUILTIN as ROLES
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Call, Model, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings

OTHER = {"why": "The task does not say so.", "fits": "other"}
"""What nobody orders."""
ORDERED = {"why": "", "fits": "order", "order": 1}
"""What carries out the first order."""
By = Callable[[Call], "Mapping[str, Any] | str"]


def by_role(profile: Profile | None = None, /, **roles: Mapping[str, Any] | By) -> ScriptedModel:
    """A model whose reply depends on the role that is asked, not on how often it was asked before. ``profile``: a scripted
    model's own, where it is not said."""

    def reply(call: Call) -> Mapping[str, Any] | str:
        usual: dict[str, Mapping[str, Any] | By] = {"ConsentReader": {"ordered": []}, "OrderMatcher": OTHER}
        made = {**usual, **roles}[call.role]
        return made(call) if callable(made) else made

    return ScriptedModel(itertools.repeat(reply), profile=profile)


async def go_on(request: RunRequest, settings: Settings, run: str, model: Model, human: Responder | None = None) -> Journal:
    """Go on with a run that was begun by another process: fold what is there, and loop."""
    crew = prepare(request, settings)
    workspace, _ = workspace_of(request, settings)
    async with session.parts(request, settings, workspace, model, lambda _: None) as (desk, sandbox, models):
        journal = Store.of(settings).journal(run)
        with journal.claimed():
            await session.go_on(
                journal,
                lambda: session.assemble(request, journal, crew, session.Parts(desk, sandbox, models), human or Nobody()),
            )
    return journal


def settings_in(folder: Path) -> Settings:
    return Settings(data=folder / "data", models=folder / "models", config=folder / "config")


def bodies(journal: Journal, *types: type[Any]) -> list[Any]:
    """The bodies of the events of these types, oldest first."""
    return [event.body for event in journal.events if isinstance(event.body, types)]


def offered(journal: Journal, role: str) -> list[dict[str, list[str]]]:
    """The operations that the replies of a role could name, call by call, each with its parameters."""
    calls: list[dict[str, list[str]]] = []
    for body in bodies(journal, e.RoleCalled):
        if body.role == role:
            kinds = json.loads(journal.read_blob(body.schema_blob)).get("$defs", {}).values()
            found = {kind["properties"]["function"]["const"]: kind for kind in kinds if "function" in kind["properties"]}
            calls.append({name: sorted(kind["properties"].keys() - {"function"}) for name, kind in found.items()})
    return calls


def done(journal: Journal) -> list[str]:
    """What was started, in order: names of actions."""
    return [body.operation.function for body in bodies(journal, e.ActionStarted)]


def planner_saying(settings: Settings, *fields: str, like: str = "planner") -> None:
    """Writes a planner of the user's, which plans as a built-in one does, and says these ``fields`` of a plan."""
    text = (ROLES / f"{like}.md").read_text().splitlines()
    lines = [line for line in text[1:] if not line.startswith(("name:", "fields:"))]
    folder = settings.config / "roles"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine.md").write_text("\n".join(["---", "name: Planner", f"fields: [{', '.join(fields)}]", *lines]))

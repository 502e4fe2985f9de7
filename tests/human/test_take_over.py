"""A person takes over a real virtual desktop and hands it back: the crew is told what they changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.engine import session
from deskcrew.engine.human.questions import Said
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.request import RunRequest
from deskcrew.environments.environment import Desktop
from deskcrew.facts import events as e
from deskcrew.facts.events import HumanSaid
from deskcrew.models.scripted import ScriptedModel
from support.crew import bodies, settings_in

pytestmark = [pytest.mark.anyio, pytest.mark.desktop]

OPEN = {"function": "open_application", "app_name": "Text Editor (Mousepad)"}


class AtTheDesktop(PythonResponder):
    """Types into the run's own desktop while the run is held, then hands it back."""

    def __init__(self) -> None:
        super().__init__()
        self.desktop: Desktop | None = None

    async def wait(self) -> Said | None:
        assert self.desktop is not None
        desktop = self.desktop

        def work() -> None:
            body = next(c for c in desktop.observe().controls if "type" in c.operations and c.role != "button")
            desktop.type_text(body, "typed by a person")

        await anyio.to_thread.run_sync(work)
        return HumanSaid(kind="hand_back", text="I wrote it myself")


async def test_taking_over_and_handing_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_desktop()
    human, start = AtTheDesktop(), session.start_desktop

    def started(*arguments: Any) -> Desktop | None:
        human.desktop = start(*arguments)
        return human.desktop

    monkeypatch.setattr(session, "start_desktop", started)

    def watch(event: e.Event, _: Any) -> None:
        if isinstance(event.body, e.Judged) and event.body.scope == "effect":
            human.say(HumanSaid(kind="take_over"))

    opens = {"operations": [OPEN], "branch": "Continue"}
    stops = {"operations": [], "branch": "Interrupt", "problem": "enough"}
    model = ScriptedModel([opens, stops])
    request = RunRequest(task="Write it.", model="scripted:x", workspace=tmp_path / "work", crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=model, human=human, watch=watch)
    took, handed = bodies(journal, HumanSaid)
    assert (took.kind, handed.kind) == ("take_over", "hand_back")
    assert "I wrote it myself" in handed.text
    assert "typed by a person" in handed.text, "what was seen, not only what was said"
    told = model.calls[1].text()
    assert "The user worked on the desktop" in told
    assert "typed by a person" in told
    assert journal.verify() == []

"""A run begun from the page, in a browser of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from deskcrew.settings import Settings

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("own_runtime")]
SAYS = [{"operations": [], "branch": "Interrupt", "problem": "I have seen enough."}]


@pytest.mark.desktop
def test_a_browser_begins_with_the_page_that_was_named(person: TestClient, settings: Settings, tmp_path: Path) -> None:
    script = tmp_path / "says.json"
    script.write_text(json.dumps(SAYS))
    form = {"task": "Look at it.", "model": f"scripted:{script}", "crew": "solo", "mode": "automatic", "desktop": "browser"}
    answer = person.post("/start", data=form | {"url": "page.html"}, files={"files": ("page.html", "<h1>Hi</h1>")})
    assert answer.status_code == 204, answer.text
    run = answer.headers["hx-redirect"].removeprefix("/runs/")
    begun = Store(settings.journal).journal(run).events[0].body
    assert isinstance(begun, e.RunStarted)
    assert begun.desktop == "browser"
    assert person.get(f"/runs/{run}").status_code == 200


def test_an_address_without_a_browser_is_refused(person: TestClient) -> None:
    answer = person.post("/start", data={"task": "Look at it.", "desktop": "none", "url": "page.html"})
    assert answer.status_code >= 400
    assert "Only a browser has a URL" in answer.text

"""Sent without an order, in a run of which the user requires something of files alone: named, and not done."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.models.client import Call
from deskcrew.models.scripted import ScriptedModel
from support.crew import settings_in
from support.required import usual
from test_besides import OPEN, TASK
from test_held_sends import PAGES, SEND, Site, site

__all__ = ["site"]
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("soon"),
    pytest.mark.skipif(program() is None, reason="there is no Chromium on this machine"),
]
PRESSED = '<button type=button onclick="{}">{}</button>'


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("name", "does", "sent"),
    [
        ("Send to all", "post('/store', {all: 1})", True),
        ("Go on", "post('/store', {all: 1})", True),
        ("Show more", "said.textContent = 'We open at 9'", False),
    ],
)
async def test_what_was_sent_besides_is_named(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, name: str, does: str, sent: bool
) -> None:
    monkeypatch.setitem(PAGES, "staff", SEND + PRESSED.format(does, name))
    parts = [{"goal": "look", "role": "Operator"}, {"goal": TASK, "role": "FileManager"}]
    left = [name]

    def reply(call: Call) -> dict[str, Any]:
        if call.role == "Planner":
            return {"subtasks": parts}
        if call.role == "Reviewer":
            return {"analyze": "", "verdict": "continue", "judgement": ""}
        if call.role == "FileManager":
            hello = {"function": "write_file", "file_path": "hello.txt", "text": "hello"}
            return {"operations": [hello], "branch": "RoleTaskFinish"}
        if not left:
            return {"operations": [], "branch": "RoleTaskFinish"}
        line = next(each for each in call.text("volatile").splitlines() if f'button "{left[-1]}"' in each)
        left.pop()
        return {"operations": [{"function": "click_input", "control": line.split()[0]}], "branch": "Continue"}

    policy, settings = tmp_path / "open.toml", settings_in(tmp_path)
    policy.write_text(OPEN)
    request = RunRequest(
        task=TASK, model="scripted:x", workspace=tmp_path / "work", desktop="browser", url=site.at("staff"), policy=policy,
        memory="on", required=usual(TASK), crew="planned",
    )  # fmt: skip
    journal = await session.run(request, settings, model=ScriptedModel(itertools.repeat(reply)))
    outcome = journal.state.outcome
    assert outcome is not None
    assert site.store == ([("/store", {"all": 1})] if sent else [])
    assert outcome.status == ("unverified" if sent else "done"), outcome
    assert any(f"button {name!r}" in each for each in outcome.unordered) is sent
    memory = memory_of(settings)
    try:
        assert bool([entry for entry in memory.all() if entry.verdict == "proven"]) is not sent
    finally:
        memory.close()
    again = await replay(journal)
    assert again.equal, again.difference

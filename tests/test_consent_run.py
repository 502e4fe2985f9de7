"""Whole runs with nobody there to ask: what the task orders to be sent is sent on the site that it names."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.environments.browser.launch import program
from deskcrew.facts import events as e
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from support.crew import OTHER, bodies, settings_in

pytestmark = pytest.mark.anyio

INDEX = "<!doctype html><title>The hall</title><h1>The hall</h1><a href=contact.html>Contact</a>"
CONTACT = """<!doctype html><title>Contact</title><form onsubmit="event.preventDefault(); said.textContent = 'Thank you'">
<label>Question <textarea name=question></textarea></label><button>Send</button></form><p id=said></p>"""
ASKED = "Is the hall heated?"


WANTED = {"requirements": [{"parts": [1], "says": "The question was sent", "seen_by": "screen"}]}


def ordering(where: str) -> dict[str, Any]:
    return {"ordered": [{"quotes": ["send it"], "kind": "send", "where": where, "texts": [ASKED]}]}


async def sent(folder: Path, task: str, *orders: dict[str, Any]) -> tuple[Journal, list[Call]]:
    """A run that opens the form from the site's start page, fills it in and presses Send."""
    site = folder / "work" / "site"
    site.mkdir(parents=True)
    (site / "index.html").write_text(INDEX)
    (site / "contact.html").write_text(CONTACT)
    typing: dict[str, Any] = {"function": "keyboard_input", "keys": ASKED}
    steps: list[tuple[str, dict[str, Any]]] = [("link", {}), ("text", typing), ('button "Send', {})]

    def work(call: Call) -> dict[str, Any]:
        if not steps:
            return {"operations": [], "branch": "RoleTaskFinish"}
        what, how = steps.pop(0)
        label = next(line.split()[0] for line in call.text("volatile").splitlines() if f" {what}" in line)
        return {"operations": [{"function": "click_input", "control": label, **how}], "branch": "Continue"}

    waiting: dict[str, list[Any]] = {
        "Planner": [{"subtasks": [{"goal": "ask", "role": "Operator"}]}] * 5,
        "Operator": [work] * 9,
        "ContractWriter": [WANTED],
        "OrderMatcher": [OTHER] * 9,
        "ConsentReader": list(orders),
        "Verifier": [{"code": "def requirement_1(before, after):\n    return 'Thank you' in after['text'], after['text']\n"}]
        * 9,
        "Reviewer": [{"analyze": "", "verdict": "continue", "judgement": ""}] * 9,
    }

    def says(call: Call) -> Any:
        reply = waiting[call.role].pop(0)
        return reply(call) if callable(reply) else reply

    model = ScriptedModel(itertools.repeat(says), profile=Profile(name="scripted", context=128_000, contracts=True))
    request = RunRequest(
        task=task,
        model="scripted:",
        crew="planned",
        workspace=folder / "work",
        desktop="browser",
        url="site/index.html",
        mode="automatic",
    )
    return await session.run(request, settings_in(folder), model=model), model.calls


@pytest.mark.desktop
@pytest.mark.skipif(program() is None, reason="there is no Chromium")
async def test_a_form_beside_the_start_page_that_the_task_names_is_sent(tmp_path: Path) -> None:
    task = f"Ask '{ASKED}' with the form of site/index.html and send it."
    journal, _ = await sent(tmp_path, task, ordering("site/index.html"))
    assert bodies(journal, e.ConsentRead)[0].consents[0].pages == ("site/index.html", "site/contact.html")
    approved = bodies(journal, e.OperationApproved)[-1]
    assert (approved.by, approved.consent) == ("consent", 0)
    assert not bodies(journal, e.OperationDenied)
    assert journal.state.outcome is not None
    assert "Thank you" in journal.state.outcome.proofs[0].found


@pytest.mark.desktop
@pytest.mark.skipif(program() is None, reason="there is no Chromium")
@pytest.mark.deep
async def test_words_for_a_page_are_refused_at_once_as_its_place(tmp_path: Path) -> None:
    task = f"Ask '{ASKED}' with the contact form of site/index.html and send it."
    journal, calls = await sent(tmp_path, task, ordering("the contact form"), ordering("site/index.html"))
    first, second = [call for call in calls if call.role == "ConsentReader"]
    assert "no page" not in first.text()
    assert "no page can be at 'the contact form'. Name it from the user's words, or leave it out." in second.text()
    assert bodies(journal, e.OperationApproved)[-1].by == "consent"

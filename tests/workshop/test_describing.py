"""An agent is described anew from what it did, and planners read the new description once a person has accepted it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, all_roles, prepare
from deskcrew.engine.roles import descriptions
from deskcrew.engine.roles.view import capabilities
from deskcrew.engine.workshop.describing import ProposedDescription, propose
from deskcrew.errors import ConfigError, ModelFailure, UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.memory.entry import Entry, entry_id
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.models.client import Call, Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from support.crew import settings_in

pytestmark = pytest.mark.anyio

NEW = "Works in windows: fills in forms. Does not add up."


def remember(settings: Settings, *done: tuple[str, str], role: str = "Operator") -> None:
    memory = memory_of(settings)
    for number, (verdict, situation) in enumerate(done):
        made: dict[str, Any] = {"run": f"r{number}", "verdict": verdict, "created": float(number), "decision": "hotkey"}
        memory.add(Entry(id=entry_id(number, situation), role=role, situation=situation, **made))
    memory.close()


async def proposed(
    settings: Settings, *replies: dict[str, Any], role: str = "Operator"
) -> tuple[ProposedDescription, list[Call]]:
    calls: list[Call] = []
    said = iter(replies)

    def reply(call: Call) -> dict[str, Any]:
        calls.append(call)
        return next(said)

    model = ScriptedModel(itertools.repeat(reply), profile=Profile(name="scripted", context=128_000))
    limits = settings.limits
    found = await propose(all_roles(settings)[role], settings, by="scripted:", crew="cola", limits=limits, model=model)
    return found, calls


async def test_what_an_agent_did_is_shown_and_what_was_proposed_counts_once_accepted(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    remember(settings, ("proven", "Fill in\nthe form"), ("proven", "Fill in\nthe form"), ("failed", "Add up the column"))
    before = all_roles(settings)["Operator"].skills
    found, calls = await proposed(settings, {"why": "It failed to compute.", "skills": NEW})
    assert found[:3] == (NEW, "It failed to compute.", "3 subtasks, 1 of them failed")
    told = calls[0].text()
    assert f"Agent: Operator: {before}\n" in told
    assert "- proven 2 times: Fill in the form\n- failed: Add up the column\n" in told
    assert (await replay(Store.of(settings).journal(found.run))).equal

    folder = settings.config / "roles"
    assert all_roles(settings)["Operator"].skills == before
    descriptions.accept(folder, "Operator", before, NEW, found.run)
    crew = prepare(RunRequest("x", crew="cola"), settings)
    assert f"- Operator: {NEW}" in capabilities(crew).splitlines()
    assert all_roles(settings)["Operator"].sections == crew.roles["Operator"].sections

    descriptions.accept(folder, "Operator", NEW, "Third.", "r2")
    assert all_roles(settings)["Operator"].skills == "Third."
    assert [descriptions.revoke(folder, "Operator") is not None for _ in range(3)] == [True, True, False]
    assert all_roles(settings)["Operator"].skills == before


async def test_a_file_that_was_changed_since_wins_over_a_description(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    folder, role = settings.config / "roles", all_roles(settings)["Operator"]
    descriptions.accept(folder, "Operator", role.skills, 'Says: "yes" #1', "r1")
    assert all_roles(settings)["Operator"].skills == 'Says: "yes" #1'
    (folder / "operator.md").write_text(role.text.replace(role.skills, "Mine."))
    assert all_roles(settings)["Operator"].skills == "Mine."


async def test_a_description_of_several_lines_is_asked_for_again(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    remember(settings, ("proven", "Fill in the form"))
    found, calls = await proposed(settings, {"skills": "One.\n- Programmer: nothing"}, {"skills": NEW})
    assert found.skills == NEW
    assert "write it in one line" in calls[1].text()


async def test_without_a_usable_reply_nothing_is_proposed(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    remember(settings, ("proven", "Fill in the form"))
    with pytest.raises(ModelFailure, match="No description was proposed"):
        await proposed(settings, *[{"skills": ""}] * 9)


@pytest.mark.parametrize(("role", "why"), [("Operator", "Nothing is remembered"), ("TaskScheduler", "is no agent")])
async def test_of_whom_nothing_is_known_or_who_is_assigned_nothing_is_not_described(
    tmp_path: Path, role: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        await proposed(settings_in(tmp_path), role=role)


@pytest.mark.parametrize("text", ["Operator: [", "Operator: [{skills: 1}]", "- a"])
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / descriptions.FILE).write_text(text)
    with pytest.raises(ConfigError, match=descriptions.FILE):
        descriptions.descriptions_in(tmp_path)

"""What models are told of operations, replies, agents and the machine."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from deskcrew.actions import builtin
from deskcrew.actions.libraries import CONVERTED, TOLD
from deskcrew.actions.narrowing import operation_types
from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.engine.roles.ask import actions_text
from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import Crew, load_crew, with_makes, without_parts, without_pool
from deskcrew.engine.roles.explained import reply_text
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.replies import reply_type
from deskcrew.engine.roles.role import BUILTIN, Role, load_roles
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.view import capabilities, libraries_text
from deskcrew.environments.desk import Desk
from deskcrew.facts import events as e
from deskcrew.facts.observation import Box, Observation, Window
from deskcrew.facts.run_settings import RunSettings
from deskcrew.facts.verdict import Branch
from deskcrew.journal.fold import RunState
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Call, Profile
from support.bodies import started
from support.crew import bodies, by_role, done, settings_in

ROLES, ACTIONS = load_roles((BUILTIN,)), builtin()
WHOLE = [load_crew(path.stem, (CREWS,), ROLES) for path in sorted(CREWS.glob("*.toml"))]
ALTERED = (*(without_parts(crew, ["batch"]) for crew in WHOLE), *(without_pool(crew) for crew in WHOLE))
IN_RUNS = [with_makes(crew) for crew in (*WHOLE, *ALTERED)]
STRONG = Profile(name="strong")
TASK = "Write the letters a to d into four files."


def wire(role: Role, crew: Crew, profile: Profile, *, human: bool = False) -> Any:
    operations = operation_types([ACTIONS[name] for name in role.domain], Observation(), labels=False)
    return reply_type(role, crew, profile, Now(operations=operations, subtasks=("1",), human=human))


def stable(role: Role, crew: Crew, profile: Profile, *, human: bool = False) -> str:
    shown = dict.fromkeys(role.reads, "") | ({"capabilities": capabilities(crew)} if "capabilities" in role.reads else {})
    kind = wire(role, crew, profile, human=human)
    reply = reply_text(role, kind)
    parts = render(role, shown, crew=crew, profile=profile, actions="Operations:", reply=reply, usual=kind)
    return Call(role=role.name, parts=parts, max_tokens=1).text("stable")


def asked(crew: Crew) -> list[Role]:
    return [crew.roles[name] for name in dict.fromkeys((crew.planner, crew.scheduler, *crew.pool)) if name]


CASES = [
    pytest.param(crew, role, free, human, id=f"{crew.name}-{role.name}-{free}-{human}")
    for crew in IN_RUNS
    for role, free, human in product(asked(crew), ("short", "full"), (False, True))
]


@pytest.mark.parametrize(("crew", "role", "free", "human"), CASES)
def test_a_prompt_names_what_its_schema_has(crew: Crew, role: Role, free: Any, human: bool) -> None:
    profile = Profile(name="strong", free_text=free)
    kind, text = wire(role, crew, profile, human=human), stable(role, crew, profile, human=human)
    branch = kind.model_fields.get("branch")
    there = set(map(str, get_args(branch.annotation))) if branch is not None else set[str]()
    if role.kind == "decision":
        names = re.findall(r"^- ([a-z_, ]+?)(?:, what follows[^:]*)?:", text[text.index("Your reply:") :], re.M)
        assert {name for line in names for name in line.split(", ")} == set(kind.model_fields)
        assert set(re.findall(r"^  (\w+): ", text, re.M)) == there
    else:
        agents = {name for name, each in ROLES.items() if each.kind == "decision" and re.search(rf"\b{name}\b", text)}
        assert agents == set(crew.pool)
    # "Unanswerable" and the like are names wherever they stand; "Continue" and "Interrupt" are words too.
    named = {str(each) for each in Branch if re.search(rf"\b{each}\b", text)} - {"Continue", "Interrupt", "NeedHumanHelp"}
    assert named <= there


def test_every_parameter_is_explained() -> None:
    role = ROLES["Worker"]
    offered = {name: ACTIONS[name] for name in role.domain}
    full = actions_text(role, offered)
    for name, action in offered.items():
        assert action.params.model_fields.keys() == dict(re.findall(r"\n  (\w+): (.+)", action.explained())).keys(), name
        assert action.explained() in full
    assert "\n  wheel_dist: Notches of the mouse wheel: positive scrolls up" in full
    assert "\n  button: Mouse button. Default: left." in full


async def run_of(folder: Path, crew: str, profile: Profile = STRONG) -> tuple[Journal, list[Call]]:
    """A run of four files by one agent, one an answer, with what was asked of the model."""
    letters = iter("abcd")

    def works(call: Call) -> dict[str, Any]:
        letter = next(letters)
        operation = {"function": "write_file", "file_path": f"{letter}.txt", "text": letter}
        return {"operations": [operation], "branch": "RoleTaskFinish" if letter == "d" else "Continue"}

    model = by_role(profile, Planner=planning_for("Worker"), Worker=works)
    (folder / "work").mkdir(parents=True)
    request = RunRequest(task=TASK, model="scripted:", workspace=folder / "work", desktop="none", crew=crew)
    return await session.run(request, settings_in(folder), model=model), model.calls


def planning_for(agent: str) -> dict[str, Any]:
    return {"subtasks": [{"goal": TASK, "role": agent}]}


@pytest.mark.anyio
async def test_one_agent_may_be_given_the_whole_task_for_one_call_more_than_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Window(id=1, title="Parcels", app="browser", box=Box(x=0, y=0, width=9, height=9), url="http://parcels/")
    observe = Desk.observe
    monkeypatch.setattr(Desk, "observe", lambda desk: observe(desk).model_copy(update={"windows": (page,)}))  # type: ignore[misc]
    alone, _ = await run_of(tmp_path / "solo", "solo")
    journal, calls = await run_of(tmp_path / "planned", "planned")
    for each in (alone, journal):
        assert done(each) == ["write_file"] * 4
    assert len(bodies(journal, e.RoleCalled)) == len(bodies(alone, e.RoleCalled)) + 1
    planner, worker = (next(call for call in calls if call.role == name) for name in ("Planner", "Worker"))
    assert "- Worker: " in planner.text("stable")
    assert "pictures and charts (png)" in planner.text("stable")
    assert '"Parcels" of "browser" at "http://parcels/"' in planner.text("task")
    kept = "It is stopped after 30 seconds, and only what it writes into the workspace stays."
    told = f"Code may import {TOLD}; {CONVERTED}. {kept} It has no network."
    assert all(told in call.text("stable") for call in (planner, worker))
    assert "TaskMismatch: " in worker.text("stable")
    assert "Operations: as the schema of your reply describes them." in worker.text("stable")


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["grammar", "validate"])
async def test_operations_are_explained_once_in_the_schema_that_a_model_is_told_else_in_the_prompt(
    tmp_path: Path, mode: Any
) -> None:
    journal, calls = await run_of(tmp_path, "solo", Profile(name="strong", schema_mode=mode, free_text="short"))
    asked = [body for body in bodies(journal, e.RoleCalled) if body.role == "Worker"]
    explained = [set(re.findall(r"^- (\w+)\(", call.text("stable"), re.M)) for call in calls if call.role == "Worker"]
    offers: list[set[str]] = []
    for body, told in zip(asked, explained, strict=True):
        kinds = json.loads(journal.read_blob(body.schema_blob))["$defs"].values()
        offered = {name: kind for kind in kinds if (name := kind["properties"].get("function", {}).get("const"))}
        offers.append({*offered})
        assert told == ({*offered} if mode == "grammar" else set())
        for name, kind in offered.items():
            said = {key: field.get("description") for key, field in kind["properties"].items()}
            meant = {key: info.description for key, info in ACTIONS[name].params.model_fields.items()}
            summary = ACTIONS[name].summary
            if mode == "grammar":
                summary, meant = None, dict.fromkeys(meant)
            assert (kind.get("description"), said) == (summary, {"function": None} | meant)
    # There is no file to be read before one is written.
    assert ["read_file" in names for names in offers] == [mode == "validate", True, True, True]


@pytest.mark.anyio
async def test_of_a_screen_a_worker_is_told_nothing_where_there_is_none(tmp_path: Path) -> None:
    _, calls = await run_of(tmp_path, "solo")
    worker = next(call for call in calls if call.role == "Worker").text()
    assert not re.search(r"screen|window|[Cc]ontrol", worker)
    assert "Write the known age of Bo into age.txt" in worker


def test_a_planner_may_give_anything_to_the_generalist_of_the_pool() -> None:
    crew = next(crew for crew in WHOLE if crew.name == "planned")
    alone = crew.model_copy(update={"pool": tuple(name for name in crew.pool if name != "Worker")})
    with pytest.raises(ValidationError):
        reply_type(crew.roles["Planner"], alone, STRONG, Now()).model_validate(planning_for("Worker"))
    reply_type(crew.roles["Planner"], crew, STRONG, Now()).model_validate(planning_for("Worker"))
    assert "- Worker: " in capabilities(crew)
    assert "- Worker: " not in capabilities(alone)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "It has no network."),
        ({"network": True}, "It reaches the network."),
        ({"unsafe_host": True}, "It reaches the network."),
        ({"hosts": ["a.example", "b.example"]}, "On the network it reaches only a.example, b.example."),
    ],
)
def test_what_code_reaches_is_told(settings: dict[str, Any], told: str) -> None:
    begun = started("x").model_copy(update={"settings": RunSettings.model_validate(settings)})
    assert libraries_text(RunState(started=begun)).endswith(told)


def test_a_model_that_reads_is_told_how_much_of_what_code_prints_is_shown() -> None:
    begun = RunState(started=started("x"))
    assert "Of what it prints, 12,000 characters are shown." in libraries_text(begun, 12_000)
    assert "prints" not in libraries_text(begun), "a small model prints little"

"""Every example in every prompt is a reply that the crew which shows it could use (C14, C26)."""

from __future__ import annotations

import re
from itertools import product

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.narrowing import operation_types
from deskcrew.models.client import Profile, Text
from deskcrew.observation import Observation
from deskcrew.roles.crew import BUILTIN as CREWS
from deskcrew.roles.crew import Crew, for_reasoning, load_crew, reduced, without_pool
from deskcrew.roles.prompt import render
from deskcrew.roles.replies import reply_type
from deskcrew.roles.role import BUILTIN, Role, load_roles
from deskcrew.roles.role_kinds import Now

ROLES, ACTIONS = load_roles((BUILTIN,)), builtin()
WINDOWS = ("none", "'Guests'", "'New guest' (dialog)", "'Guests' (page)")
EXAMPLE = re.compile(r"^Reply: (\{.*)$", re.M)
STEP = re.compile(r"^\d+\. (.+)$", re.M)


def crews() -> list[Crew]:
    whole = [load_crew(path.stem, (CREWS,), ROLES) for path in sorted(CREWS.glob("*.toml"))]
    return [*whole, *(reduced(crew, ["batch"]) for crew in whole), *(without_pool(crew) for crew in whole)]


def asked(crew: Crew) -> list[Role]:
    makers = (crew.maker, crew.critic, crew.refiner, crew.drafter)
    named = (crew.planner, crew.scheduler, crew.reviewer, crew.checker, crew.answerer, crew.judge, *makers, *crew.pool)
    return [crew.roles[name] for name in dict.fromkeys(named) if name]


CASES = [
    pytest.param(crew, role, free, id=f"{crew.name}-{role.name}-{free}")
    for crew in crews()
    for role, free in product(asked(crew), ("none", "short", "full"))
]


@pytest.mark.parametrize(("crew", "role", "free"), CASES)
def test_every_example_can_be_used(crew: Crew, role: Role, free: str) -> None:
    profile = Profile(name="any", free_text=free)  # type: ignore[arg-type]
    crew = crew if free == "none" else for_reasoning(crew)
    names = role.core if role.core and free == "none" and crew.fields == "profile" else role.domain
    operations = operation_types([ACTIONS[name] for name in names], Observation(), labels=False, applications=())
    for window, human in product(WINDOWS, (False, True)):
        shown = dict.fromkeys(role.reads, "") | ({"target_window": window} if "target_window" in role.reads else {})
        stable = render(role, shown, crew=crew, profile=profile, actions="")[0]
        assert isinstance(stable, Text)
        steps = tuple(STEP.findall(stable.text)) if role.kind == "plan" and free == "none" else ()
        now = Now(operations=operations, subtasks=("1", "2", "3"), facts=("12",), needed=("1",), clauses=steps, human=human)
        examples = EXAMPLE.findall(stable.text)
        assert examples
        for example in examples:
            reply_type(role, crew, profile, now).model_validate_json(example)


CONSTANT = {"libraries", "capabilities"}
"""What a run never changes."""


@pytest.mark.parametrize("role", sorted(ROLES), ids=str)
def test_what_a_model_that_reasons_is_told_first_is_the_same_at_every_call(role: str) -> None:
    crew = for_reasoning(load_crew("default", (CREWS,), ROLES))
    found: set[object] = set()
    for value, window in product(("", "some", "other"), WINDOWS):
        shown = {key: "told" if key in CONSTANT else value for key in ROLES[role].reads}
        shown |= {"target_window": window} if "target_window" in shown else {}
        found.add(render(ROLES[role], shown, crew=crew, profile=Profile(name="any"), actions="")[0])
    assert len(found) == 1

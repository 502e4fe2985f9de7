"""Every example in every prompt is a reply that its crew could use (C14, C26), and fits the schema as it is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel

from deskcrew.actions import builtin
from deskcrew.actions.narrowing import operation_types
from deskcrew.errors import ModelFailure
from deskcrew.models import profiles
from deskcrew.models.client import Call, Profile, Text
from deskcrew.models.profiles import Facts
from deskcrew.models.pydantic_ai import PydanticAIModel
from deskcrew.models.pydantic_ai.providers import provider_model
from deskcrew.models.reference import Reference, parse
from deskcrew.observation import Observation
from deskcrew.roles.crew import BUILTIN as CREWS
from deskcrew.roles.crew import Crew, for_reasoning, load_crew, reduced, with_lanes, without_pool
from deskcrew.roles.prompt import render
from deskcrew.roles.replies import reply_type
from deskcrew.roles.role import BUILTIN, Role, load_roles
from deskcrew.roles.role_kinds import Now

GRAPHS = ("default", "planned")
"""Crews that are also tried with lanes, for which their planner says what each part needs."""
ROLES, ACTIONS = load_roles((BUILTIN,)), builtin()
WINDOWS = ("none", "'Guests'", "'New guest' (dialog)", "'Guests' (page)")
EXAMPLE = re.compile(r"^Reply: (\{.*)$", re.M)
STEP = re.compile(r"^\d+\. (.+)$", re.M)


def crews() -> list[Crew]:
    whole = [load_crew(path.stem, (CREWS,), ROLES) for path in sorted(CREWS.glob("*.toml"))]
    graphs = [with_lanes(crew, 3).model_copy(update={"name": f"{crew.name}-lanes"}) for crew in whole if crew.name in GRAPHS]
    return [*whole, *graphs, *(reduced(crew, ["batch"]) for crew in whole), *(without_pool(crew) for crew in whole)]


def asked(crew: Crew) -> list[Role]:
    makers = (crew.maker, crew.critic, crew.refiner, crew.drafter, crew.comparer)
    named = (crew.planner, crew.scheduler, crew.reviewer, crew.checker, crew.answerer, crew.judge, *makers, *crew.pool)
    return [crew.roles[name] for name in dict.fromkeys(named) if name]


CASES = [
    pytest.param(crew, role, free, id=f"{crew.name}-{role.name}-{free}")
    for crew in crews()
    for role, free in product(asked(crew), ("none", "short", "full"))
]


def told(crew: Crew, role: Role, profile: Profile, **more: Any) -> tuple[str, type[BaseModel]]:
    """What a role is told first, and the type of its reply."""
    window = more.pop("window", "none")
    small = profile.free_text == "none"
    names = role.core if role.core and small and crew.fields == "profile" else role.domain
    operations = operation_types([ACTIONS[name] for name in names], Observation(), labels=False, applications=())
    shown = dict.fromkeys(role.reads, "") | ({"target_window": window} if "target_window" in role.reads else {})
    now = Now(
        operations=operations,
        subtasks=("1", "2", "3"),
        facts=("12",),
        needed=("1", "2"),
        texts_read=2,
        attempts=("A", "B"),
        **more,
    )

    def first(whole: type[BaseModel] | None) -> str:
        part = render(role, shown, crew=crew, profile=profile, actions="Operations:", whole=whole)[0]
        assert isinstance(part, Text)
        return part.text

    if role.kind == "plan" and small:
        now = replace(now, clauses=tuple(STEP.findall(first(None))))
    kind = reply_type(role, crew, profile, now)
    return first(kind if profile.whole_replies else None), kind


@pytest.mark.parametrize(("crew", "role", "free"), CASES)
def test_every_example_can_be_used(crew: Crew, role: Role, free: Any) -> None:
    crew = crew if free == "none" else for_reasoning(crew)
    profile = Profile(name="any", free_text=free, whole_replies=False)
    for window, human in product(WINDOWS, (False, True)):
        stable, kind = told(crew, role, profile, window=window, human=human)
        examples = EXAMPLE.findall(stable)
        assert examples
        for example in examples:
            kind.model_validate_json(example)


MODELS = {
    "openai-responses:gpt-5.2": None,
    "openai:gpt-4.1": None,
    "anthropic:claude-sonnet-4-6": None,
    "google:gemini-3-pro": None,
    "ollama:gpt-oss:120b-cloud": "http://stub/v1",
    "ollama:qwen3": "http://stub/v1",
    "http://stub/v1#m": None,
    "local": "http://stub/v1",
}
"""One of each provider and way to ask for a type, by its address where it has none of its own."""


def facts_of(model: str) -> Facts:
    return profiles.find(model)


async def schema_sent(model: str, kind: type[BaseModel]) -> dict[str, Any]:
    """The schema of a reply as it stands in the request that a provider would have got."""
    bodies: list[dict[str, Any]] = []

    def refuse(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(400, json={"error": {"message": "no"}})

    there = MODELS[model]
    reference = Reference("server", "m", there) if model == "local" else parse(model)
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(refuse), timeout=30) as http:
        provider = provider_model(reference._replace(base_url=there or reference.base_url), "key", http)
        asked = PydanticAIModel(provider, http, name=model, facts=facts_of(model), retries=0)
        with pytest.raises(ModelFailure):
            await asked.answer(Call("r", (Text("Reply.", "stable"),), max_tokens=9), kind)
    (body,) = bodies
    if "grammar" in body:
        return json.loads(body["grammar"].partition("%json ")[2])
    return next(objects(body))


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """The schemas of objects in a request, from the outside."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    if isinstance(node, dict):
        if node.get("type") in ("object", "OBJECT") and "properties" in node:
            yield node
        for value in node.values():
            yield from objects(value)


def amiss(value: Any, schema: dict[str, Any], top: dict[str, Any]) -> list[str]:
    """What a server that enforces a schema would find wrong with a value."""
    if "$ref" in schema:
        return amiss(value, top["$defs"][schema["$ref"].rpartition("/")[2]], top)
    if members := schema.get("anyOf") or schema.get("oneOf"):
        return min((amiss(value, member, top) for member in members), key=len)
    if value != schema.get("const", value) or value not in schema.get("enum", [value]):
        return [f"{value!r} is none of its values"] * 9
    if schema.get("type") == "null":
        return [] if value is None else ["not null"] * 9
    if isinstance(value, list):
        return [each for item in value for each in amiss(item, schema.get("items", {}), top)]
    if not isinstance(value, dict):
        return []
    fields = schema.get("properties", {})
    wrong = [f"{name} is missing" for name in schema.get("required", ()) if name not in value]
    wrong += [f"there is no {name}" for name in value if name not in fields]
    return wrong + [each for name in value if name in fields for each in amiss(value[name], fields[name], top)]


@pytest.mark.parametrize("model", MODELS)
async def test_every_example_fits_the_schema_as_it_is_sent(model: str) -> None:
    profile = facts_of(model).profile
    crew = load_crew("default", (CREWS,), ROLES)
    for role in ROLES.values():
        stable, kind = told(
            crew if profile.free_text == "none" else for_reasoning(crew), role, profile, agreed=profile.contracts
        )
        schema = await schema_sent(model, kind)
        for example in EXAMPLE.findall(stable):
            kind.model_validate_json(example)
            assert not amiss(json.loads(example), schema, schema), f"{role.name}: {example}"


CONSTANT = {"libraries", "capabilities"}
"""What a run never changes."""
BY_WHETHER_THERE_IS = {"Verifier": "screen"}
"""Roles that are told another thing first where something is shown than where it is not; a run hardly ever changes that."""


@pytest.mark.parametrize("role", sorted(ROLES), ids=str)
def test_what_a_model_that_reasons_is_told_first_is_the_same_at_every_call(role: str) -> None:
    crew = for_reasoning(load_crew("default", (CREWS,), ROLES))
    found: dict[bool, set[object]] = {}
    for value, window in product(("", "some", "other"), WINDOWS):
        shown = {key: "told" if key in CONSTANT else value for key in ROLES[role].reads}
        shown |= {"target_window": window} if "target_window" in shown else {}
        first = render(ROLES[role], shown, crew=crew, profile=Profile(name="any"), actions="")[0]
        found.setdefault(bool(shown.get(BY_WHETHER_THERE_IS.get(role, ""))), set()).add(first)
    assert all(len(each) == 1 for each in found.values())

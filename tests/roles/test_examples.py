"""Every example in every prompt is a reply that its crew could use (C14, C26), and fits the schema as it is sent."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from deskcrew.engine.roles.crew import BUILTIN as CREWS
from deskcrew.engine.roles.crew import SWITCHES, Crew, load_crew, with_lanes, with_makes, without_parts, without_pool
from deskcrew.engine.roles.examples import PROFILES, examples, refuse_unusable, told, type_of, why_not
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.replies import reply_type
from deskcrew.engine.roles.role import BUILTIN, Role, load_roles
from deskcrew.engine.roles.role_kinds import KINDS, NO_SKILL, Now
from deskcrew.errors import ConfigError, ModelFailure
from deskcrew.models import profiles
from deskcrew.models.client import Call, Profile, Text
from deskcrew.models.profiles import Facts
from deskcrew.models.reference import Reference, parse
from support.sampling import sampled

ROLES = load_roles((BUILTIN,))
WINDOWS = ("none", "'Guests'", "'New guest' (dialog)", "'Guests' (page)")
FIELDS = tuple(dict.fromkeys(kind.named_by for kind in KINDS.values()))
"""The fields of a crew that name whom it may ask."""
READ = re.compile(r"\bcrew\.(\w+)")


@functools.cache
def crews() -> tuple[Crew, ...]:
    """Every crew, and every one that a switch makes of it, as they are in a run."""
    return tuple(with_makes(crew) for crew in variants())


def variants() -> Iterator[Crew]:
    for path in sorted(CREWS.glob("*.toml")):
        crew = load_crew(path.stem, (CREWS,), ROLES)
        yield crew
        yield crew.model_copy(update={"backtracker": "Backtracker", "name": f"{crew.name}-back"})
        yield without_pool(crew)
        yield from (without_parts(crew, [switch]) for switch in SWITCHES)
        if crew.planner and not crew.groups:
            yield with_lanes(crew, 3).model_copy(update={"name": f"{crew.name}-lanes"})


@functools.cache
def asked(crew: Crew) -> frozenset[str]:
    """All whom a crew may ask, in a task or apart from one."""
    values: list[str | tuple[str, ...]] = [getattr(crew, field) for field in FIELDS]
    return frozenset(name for value in values for name in ([value] if isinstance(value, str) else value))


class Reading:
    """A crew, and what was read of it."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self.read: dict[str, object] = {}

    def __getattr__(self, name: str) -> object:
        return self.read.setdefault(name, getattr(self._crew, name))


def depends(crew: Crew, role: Role, profile: Profile) -> str:
    """What of a crew makes up what a role is told first and the type of its reply: where that is the same, both are."""
    reading: Any = Reading(crew)
    for name in ("fields", "batch", *READ.findall(role.sections["stable"])):
        getattr(reading, name)
    free = profile.free_text
    now = Now(subtasks=("1",), agreed=profile.contracts)
    KINDS[role.kind].fields(role, reading, now, "full" in (crew.fields, free))
    return str(reading.read)


def unlike(role: Role, profile: Profile) -> list[Crew]:
    """Of all crews that ask a role those between which it differs what it is told, or what it may reply."""
    there = (crew for crew in crews() if role.name in asked(crew))
    return list({depends(crew, role, profile): crew for crew in there}.values())


@pytest.mark.parametrize("profile", PROFILES, ids=("short", "full", "contracts"))
@pytest.mark.parametrize("role", ROLES.values(), ids=ROLES)
def test_every_example_can_be_used(role: Role, profile: Profile) -> None:
    windows = WINDOWS if "target_window" in role.reads else WINDOWS[:1]
    asking = unlike(role, profile)
    assert asking, "no crew asks it"
    contracts = (False, True) if role.kind == "plan" else (profile.contracts,)
    for crew, agreed in product(asking, contracts):
        found = [examples(told(crew, role, profile, window=window, agreed=agreed)) for window in windows]
        assert all(found), crew.name
        kinds = [type_of(crew, role, profile, human=human, agreed=agreed) for human in (False, True)]
        for kind, example in product(kinds, {example for each in found for example in each}):
            assert why_not(example, kind) == "", f"crew {crew.name}: {example}"


class Values(BaseModel):
    file: str
    file2: str
    text1: str


@pytest.mark.parametrize(
    ("shown", "now"),
    [("skills", Now(skills=("add_up_column", "remove_rows", NO_SKILL))), ("taught", Now(values=Values)), ("skill", Now())],
)
def test_every_example_of_a_chooser_can_be_used(shown: str, now: Now) -> None:
    role, crew, profile = ROLES["SkillChooser"], load_crew("planned", (CREWS,), ROLES), PROFILES[0]
    keys = dict.fromkeys(role.reads, "") | {shown: "told"}
    kind = reply_type(role, crew, profile, now)
    part = render(role, keys, crew=crew, profile=profile, actions="", usual=kind)[0]
    assert isinstance(part, Text)
    shown_ones = examples(part.text)
    assert shown_ones
    for example in shown_ones:
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
    import httpx2

    from deskcrew.models.pydantic_ai import AnsweringServer, PydanticAIModel, Repeats
    from deskcrew.models.pydantic_ai.providers import provider_model

    bodies: list[dict[str, Any]] = []

    def refuse(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(400, json={"error": {"message": "no"}})

    there = MODELS[model]
    reference = Reference("server", "m", there) if model == "local" else parse(model)
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(refuse), timeout=30) as http:
        provider = provider_model(reference._replace(base_url=there or reference.base_url), "key", http)
        asked = PydanticAIModel(provider, http, AnsweringServer(model), facts=facts_of(model), repeats=Repeats(0))
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


@pytest.mark.parametrize("model", sampled(tuple(MODELS), 3))
async def test_every_example_fits_the_schema_as_it_is_sent(model: str) -> None:
    profile = facts_of(model).profile
    crew = with_makes(load_crew("planned", (CREWS,), ROLES))
    for role in ROLES.values():
        kind = type_of(crew, role, profile)
        stable = told(crew, role, profile)
        schema = await schema_sent(model, kind)
        for example in examples(stable):
            kind.model_validate_json(example)
            assert not amiss(json.loads(example), schema, schema), f"{role.name}: {example}"


CONSTANT = {"libraries", "capabilities"}
"""What a run never changes."""
BY_WHETHER_THERE_IS = {"Verifier": ("screen",), "Worker": ("target_window",), "SkillChooser": ("skills", "taught")}
"""Roles that are told another thing first where something is shown than where it is not. A run hardly ever changes that,
or what may be done changes with it; only models that do nothing but skills are asked about these."""


@pytest.mark.parametrize("role", sorted(ROLES), ids=str)
def test_what_a_model_is_told_first_is_the_same_at_every_call(role: str) -> None:
    crew = with_makes(load_crew("planned", (CREWS,), ROLES))
    found: dict[tuple[bool, ...], set[object]] = {}
    for value, window in product(("", "some", "other"), WINDOWS):
        shown = {key: "told" if key in CONSTANT else value for key in ROLES[role].reads}
        shown |= {"target_window": window} if "target_window" in shown else {}
        first = render(ROLES[role], shown, crew=crew, profile=Profile(name="any"), actions="")[0]
        there = tuple(shown[key] not in ("", "none") for key in BY_WHETHER_THERE_IS.get(role, ()))
        found.setdefault(there, set()).add(first)
    assert all(len(each) == 1 for each in found.values())


TRANSLATOR = (Path(__file__).parents[2] / "examples" / "roles" / "translator.md").read_text()


def loaded(folder: Path, text: str, added: tuple[str, ...] = ()) -> Crew:
    (folder / "translator.md").write_text(text)
    return load_crew("default", (CREWS,), load_roles((folder, BUILTIN), added))


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ('"function":"write_file"', '"function":"run_shell"', "run_shell"),
        ('"file_path"', '"path"', "path"),
        ('"RoleTaskFinish"', '"Done"', "branch"),
        ('"branch":', '"branch"', "JSON"),
    ],
)
def test_an_example_of_ones_own_that_cannot_be_a_reply_is_refused_with_its_line(
    tmp_path: Path, was: str, now: str, why: str
) -> None:
    refuse_unusable(loaded(tmp_path, TRANSLATOR))
    with pytest.raises(ConfigError, match=re.escape(why)) as refused:
        refuse_unusable(loaded(tmp_path, TRANSLATOR.replace(was, now)))
    assert "translator.md, line 20: this example cannot be a reply of Translator: " in str(refused.value)


def test_an_example_with_an_action_that_somebody_added_is_not_looked_at(tmp_path: Path) -> None:
    text = TRANSLATOR.replace("[read_file, write_file]", "[read_file, translate]").replace("write_file", "translate")
    refuse_unusable(loaded(tmp_path, text, ("translate",)))

"""Reading replies: fences, errors written for a model, truncation; and the schema as it goes over the wire."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from deskcrew.models.client import Malformed
from deskcrew.models.replies import read_reply
from deskcrew.models.schema import guidance_grammar, wire_schema


class Click(BaseModel):
    kind: Literal["click"] = "click"
    label: Literal["a1", "a2"]


class Type(BaseModel):
    kind: Literal["type"]
    text: str = Field(max_length=5000, description="what to type")


class Reply(BaseModel):
    why: str = Field(max_length=80)
    operations: list[Annotated[Click | Type, Field(discriminator="kind")]] = Field(min_length=1)
    alpha: bool = False


class Node(BaseModel):
    under: list[Node] = []


GOOD = '{"why": "x", "operations": [{"kind": "click", "label": "a1"}]}'


@pytest.mark.parametrize(
    "raw", [GOOD, f"```json\n{GOOD}\n```", f"Sure, here it is:\n```\n{GOOD}\n```\nDone.", f"\n  {GOOD}  \n"]
)
def test_json_is_found_plain_or_in_a_fence(raw: str) -> None:
    assert isinstance(read_reply(raw, Reply), Reply)


def test_fence_inside_a_json_string_is_left_alone() -> None:
    reply = read_reply('{"why": "```\\nx\\n```", "operations": [{"kind": "type", "text": "```py\\n1\\n```"}]}', Reply)
    assert isinstance(reply, Reply)
    assert reply.operations[0] == Type(kind="type", text="```py\n1\n```")


def test_a_fence_inside_a_reply_in_a_fence_does_not_end_it() -> None:
    raw = '{"why": "x", "operations": [{"kind": "type", "text": "```py\\n1\\n```"}]}'
    reply = read_reply(f"```json\n{raw}\n```", Reply)
    assert isinstance(reply, Reply)
    assert reply.operations[0] == Type(kind="type", text="```py\n1\n```")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", "The reply is empty"),
        ("I would click a1.", "not valid JSON"),
        ("[]", "The reply does not fit. the reply: "),
        ("{}", "why: Field required"),
        (GOOD.replace("a1", "a9"), "operations.0.label: Input should be 'a1' or 'a2'"),
        (GOOD.replace("click", "drag"), "operations.0: there is no 'drag' here. There are 'click', 'type'"),
        (GOOD.replace('"x"', '"' + "x" * 81 + '"'), "why: String should have at most 80 characters"),
    ],
)
def test_errors_name_the_field_and_what_is_valid(raw: str, expected: str) -> None:
    reply = read_reply(raw, Reply)
    assert isinstance(reply, Malformed)
    assert expected in reply.error
    assert reply.raw == raw


def test_errors_stay_short() -> None:
    operations = ",".join('{"kind": "click", "label": "no"}' for _ in range(50))
    reply = read_reply(f'{{"why": "x", "operations": [{operations}]}}', Reply)
    assert isinstance(reply, Malformed)
    assert "and 45 more" in reply.error
    assert len(reply.error) < 600


def test_truncated_reply_asks_for_brevity_instead_of_naming_a_syntax_error() -> None:
    reply = read_reply(GOOD[:30], Reply, truncated=True, max_tokens=12)
    assert isinstance(reply, Malformed)
    assert reply.error == "The reply was cut off at the limit of 12 tokens. Answer again, more briefly."


def test_wire_schema_for_a_grammar_keeps_order_and_drops_what_a_grammar_cannot_carry() -> None:
    schema = wire_schema(Reply, grammar=True)
    assert list(schema["properties"]) == schema["required"] == ["why", "operations", "alpha"]
    click = schema["$defs"]["Click"]
    assert click["required"] == ["kind", "label"]
    assert click["properties"]["label"]["enum"] == ["a1", "a2"]
    assert schema["properties"]["why"]["maxLength"] == 80
    assert "maxLength" not in schema["$defs"]["Type"]["properties"]["text"]
    assert "title" not in str(schema)


def test_wire_schema_of_a_hosted_model_keeps_bounds_and_tells_what_is_named_once_in_its_place() -> None:
    schema = wire_schema(Reply, grammar=False)
    assert "$defs" not in schema
    assert "$ref" not in str(schema)
    click, type = schema["properties"]["operations"]["items"]["oneOf"]
    assert click["properties"]["label"]["enum"] == ["a1", "a2"]
    assert type["properties"]["text"]["maxLength"] == 5000


def test_what_a_schema_names_twice_or_in_itself_stays_a_definition() -> None:
    class Leaf(BaseModel):
        n: int

    class Twice(BaseModel):
        one: Click
        other: Click
        leaf: Leaf

    schema = wire_schema(Twice, grammar=False)
    assert list(schema["$defs"]) == ["Click"]
    assert schema["properties"]["one"] == schema["properties"]["other"] == {"$ref": "#/$defs/Click"}
    assert schema["properties"]["leaf"]["properties"]["n"]["type"] == "integer"
    assert list(wire_schema(Node, grammar=False)["$defs"]) == ["Node"]


def test_grammar_of_the_local_model_lets_defaults_out_but_never_what_tells_a_union_apart() -> None:
    class Odd(BaseModel):
        properties: int = 1
        needed: str

    grammar = guidance_grammar(wire_schema(Reply, grammar=True))
    schema = json.loads(grammar.removeprefix("%llguidance {}\nstart: %json "))
    assert schema["required"] == ["why", "operations"]
    assert schema["$defs"]["Click"]["required"] == ["kind", "label"]
    assert schema["properties"]["operations"]["items"]["anyOf"]
    odd = json.loads(guidance_grammar(wire_schema(Odd, grammar=True)).partition("%json ")[2])
    assert (list(odd["properties"]), odd["required"]) == (["properties", "needed"], ["needed"])


def test_fields_named_like_keywords_survive() -> None:
    class Odd(BaseModel):
        title: str
        pattern: int
        maxLength: int = 3000

    schema = wire_schema(Odd, grammar=True)
    assert list(schema["properties"]) == ["title", "pattern", "maxLength"]


def test_unanchored_patterns_are_left_to_validation() -> None:
    class Patterns(BaseModel):
        free: str = Field(pattern="[a-z]+")
        anchored: str = Field(pattern="^[a-z]+$")

    properties = wire_schema(Patterns, grammar=True)["properties"]
    assert "pattern" not in properties["free"]
    assert properties["anchored"]["pattern"] == "^[a-z]+$"

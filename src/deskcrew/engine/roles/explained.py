"""What a model that can reason is told about its reply: the purpose of its fields, the consequences of each branch, and
examples.

Generated from the reply's type, so that no prompt names fields that its schema lacks, and no example omits fields that
a strict schema requires.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import get_args

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from deskcrew.engine.roles.role import Role
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.facts.verdict import Branch

_OWN = "notes for yourself while you think; no agent is shown them"
FIELDS: Mapping[str, str] = {
    "observation": _OWN,
    "analyze": _OWN,
    "thought_process": _OWN,
    "local_plan": "the steps that are left; you are shown the latest again",
    "intention": "what these operations are for; you are shown it again, and so is the user",
    "delegate": "parts for other agents, each with its goal and whose it is; they are done before you are asked again, and "
    "give no operations then",
    "information": "what you found out that you, later parts or the answer need",
    "answer": "what the user is to be told, where your part settles that; empty while it depends on what these operations "
    "will show: the user's question is answered once that is known",
    "problem": "what the obstacle is, for the role or user that the branch leads to",
    "message": "what the role that is asked next should know; it is shown once",
    "summary": "what you did and why; you are shown it again",
}
"""The purpose of each field of a decision, and who reads it."""
LEADS: Mapping[Branch, str] = {
    Branch.CONTINUE: "you are asked again, and told their results",
    Branch.ROLE_TASK_FINISH: "if they all work, your part is done; the next begins, and after the last the task is checked",
    Branch.TASK_MISMATCH: "your operations cannot do this part; it is assigned or planned again, by what problem says",
    Branch.UNANSWERABLE: "what the task needs does not exist, or nobody can do it, and you have looked; the run ends",
    Branch.INTERRUPT: "going on would do harm or lead nowhere; the run ends",
    Branch.NEED_HUMAN_HELP: "the user is asked what problem says, and you go on with the answer",
}
"""What follows from each branch of a decision."""
FIELDS_OF_SOME = ("delegate", "needs", "expect", "question", "message", "summary", "branch", "local_plan", "analyze")
"""Fields that replies of the same kind have in some crews or for some models only."""
WHOSE = {"role", "type"}
"""Fields that say who does a subtask."""
REPLY = "Reply: "
"""The beginning of a line with an example."""


def reply_text(
    role: Role,
    kind: type[BaseModel],
    hearers: Mapping[str, Sequence[str]] = MappingProxyType({}),
    *,
    passed_on: bool = True,
) -> str:
    """What a prompt says about a decision of this type; '' for roles that do not decide. ``hearers``: the roles that are
    told what this role reports, by field; ``passed_on``: whether later agents are told its ``information``."""
    if role.kind != "decision" or "branch" not in kind.model_fields:
        return ""
    told: dict[str, list[str]] = {}
    for name, field in kind.model_fields.items():
        text = FIELDS.get(name, "")
        if name == "operations":
            text = _operations(field)
        elif text == _OWN and (others := [each for each in hearers.get(name, ()) if each != role.name]):
            text = f"told to {', '.join(others)}"
        elif name == "information" and not passed_on:
            text = "what you found out that you or the answer need; no other agent is told"
        if text:
            told.setdefault(text, []).append(name)
    lines = [f"- {', '.join(names)}: {text}" for text, names in told.items()]
    branches = [f"  {branch}: {LEADS[Branch(branch)]}" for branch in get_args(kind.model_fields["branch"].annotation)]
    return "\n".join(("Your reply:", *lines, "- branch, what follows after the operations:", *branches))


def _operations(field: FieldInfo) -> str:
    most = next((limit.max_length for limit in field.metadata if hasattr(limit, "max_length")), None)
    if most == 1:
        return "the next one, or none"
    upto = f", {most} at most" if most else ""
    return f"in order{upto}; after one that fails or brings a surprise the rest is not done, and you are asked again"


@lru_cache(maxsize=256)
def fit(text: str, kind: type[BaseModel], *, whole: bool) -> str:
    """A prompt's text, fitted to a reply of this type: examples have only the fields of such a reply, and rules about fields
    that it lacks are left out.

    So a role's file says everything once, whatever its crew has switched on. ``whole``: examples have every field, omitted
    ones with their default, because a strict schema requires them.
    """
    schema = _schema(kind)
    named = object_in(schema.get("$defs"))
    described = (object_in(each) for each in (schema, *named.values()))
    fields = {name for each in described for name in object_in(each.get("properties"))}

    def example(line: str) -> str:
        try:
            given = json.loads(line.removeprefix(REPLY))
        except ValueError:  # a role file may show anything
            return line
        shown = _filled(given, schema, named, whole=whole)
        return f"{REPLY}{json.dumps(shown, ensure_ascii=False, separators=(',', ':'))}"

    lines = [example(line) if line.startswith(REPLY) else line for line in text.split("\n")]
    return "\n".join(line for line in lines if (about := _about(line)) not in FIELDS_OF_SOME or about in fields)


def _about(line: str) -> str:
    """The field that a rule begins with; '' if it begins with none."""
    head, name, _ = line.split("`", 2) if line.count("`") > 1 else ("", "", "")
    return name if head == "- " else ""


@lru_cache(maxsize=256)
def _schema(kind: type[BaseModel]) -> JsonObject:
    return kind.model_json_schema()


def _filled(value: JsonValue, schema: JsonObject, named: JsonObject, *, whole: bool) -> JsonValue:
    """``value``, fitted to the schema: in its order, without fields that it lacks, and with agents that exist. ``named``:
    the schema's definitions; ``whole``: add omitted fields with their defaults."""
    schema = _followed(schema, named)
    if members := list_in(schema.get("anyOf")) or list_in(schema.get("oneOf")):
        described = [object_in(member) for member in members]
        return next((_filled(value, each, named, whole=whole) for each in described if _meant(value, each, named)), value)
    if isinstance(value, list):
        items = object_in(schema.get("items"))
        return [_filled(item, items, named, whole=whole) for item in value]
    if not isinstance(value, dict):
        return value
    fields = _fields(schema)
    operation = "function" in value
    if operation and not whole:
        return value  # which of them there are changes with the screen
    most, asked = fields.get("operations", {}).get("maxItems"), list_in(value.get("operations"))
    if isinstance(most, int) and len(asked) > most:
        value = {**value, "operations": asked[:most], "branch": str(Branch.CONTINUE)}
    shown = {
        name: _filled(value[name], field, named, whole=whole) if name in value else field["default"]
        for name, field in fields.items()
        if name in value or (whole and "default" in field)
    }
    for name in WHOSE & shown.keys():
        allowed = list_in(fields[name].get("enum")) or [fields[name].get("const", shown[name])]
        shown[name] = shown[name] if shown[name] in allowed else allowed[0]
    if fields and not operation:
        return shown
    return shown | {name: rest for name, rest in value.items() if name not in shown}


def _meant(value: JsonValue, member: JsonObject, named: JsonObject) -> bool:
    """Whether a value belongs to this member of a union, whose members differ by a constant."""
    fields = _fields(_followed(member, named))
    if not isinstance(value, dict):
        return not fields
    return bool(fields) and all(value.get(name) == field["const"] for name, field in fields.items() if "const" in field)


def _followed(schema: JsonObject, named: JsonObject) -> JsonObject:
    """The definition that a schema refers to, or itself."""
    return object_in(named[str(schema["$ref"]).rpartition("/")[2]]) if "$ref" in schema else schema


def _fields(schema: JsonObject) -> dict[str, JsonObject]:
    return {name: object_in(field) for name, field in object_in(schema.get("properties")).items()}

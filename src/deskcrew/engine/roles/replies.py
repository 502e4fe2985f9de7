"""The type of each reply, narrowed to what exists now (C14, C15), for constrained decoding and for validation.

A reply cannot name an agent, a subtask, a control or an action that does not exist. The reply fields of each kind of
role are in :mod:`deskcrew.engine.roles.role_kinds`.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import lru_cache
from typing import cast

from pydantic import BaseModel, create_model

from deskcrew.actions.narrowing import from_operation, to_operation
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import KINDS, Now, Reply
from deskcrew.facts.json_values import JsonObject
from deskcrew.models.client import FreeText, Profile


def reply_type(role: Role, crew: Crew, profile: Profile, now: Now) -> type[BaseModel]:
    """The pydantic type that a reply of ``role`` must have."""
    free_text = crew.free_text(profile)
    batch = max(crew.batch, profile.operations) if crew.batch > 1 else 1
    # A tuple, so that it is hashable as a cache key.
    return _made(role, crew, free_text, replace(now, operations=tuple(now.operations), batch=batch))


@lru_cache(maxsize=256)
def _made(role: Role, crew: Crew, free_text: FreeText, now: Now) -> type[BaseModel]:
    """Cached, because creating a type and its schema takes longer than everything else in a turn."""
    fields = KINDS[role.kind].fields(role, crew, now, free_text == "full")
    made = create_model(f"{role.name}Reply", __base__=Reply, **fields)
    return cast("type[BaseModel]", made)


def meant_for(said: Set[str], asked: Role, crew: Crew, profile: Profile) -> list[str]:
    """The roles of a crew, one of each kind, whose replies have the fields ``said``; () if those of ``asked`` have them."""
    fitting: dict[str, str] = {}
    for role in (asked, *map(crew.roles.__getitem__, crew.members)):
        fields = reply_type(role, crew, profile, Now(operations=(BaseModel,))).model_fields
        if {name for name, field in fields.items() if field.is_required()} <= said <= fields.keys():
            fitting.setdefault(role.kind, role.name)
    return [] if asked.kind in fitting else [*fitting.values()]


def to_event(role: Role, value: BaseModel) -> JsonObject:
    """The reply as an event records it: plain data, with all operations in the same form."""
    data = value.model_dump(mode="json")
    if role.kind == "decision":
        proposed = cast("list[BaseModel]", getattr(value, "operations", []))
        data["operations"] = [to_operation(o).model_dump(mode="json") for o in proposed]
    return data


def from_event(kind: type[BaseModel], reply: JsonObject, now: Now) -> JsonObject:
    """A reply in the form of :func:`to_event`, converted to the form that ``kind`` reads: a person edits the event's
    form."""
    named = {name: field.alias or name for name, field in kind.model_fields.items()}
    given = {named.get(name, name): value for name, value in reply.items()}
    operations = given.get("operations")
    if isinstance(operations, list):
        given["operations"] = [from_operation(each, now.operations) for each in operations]
    return given

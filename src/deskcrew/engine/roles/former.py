"""Crew settings of earlier versions, which now belong to roles: translated when a run's record is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deskcrew.engine.roles.role import Role


def settings(given: Mapping[str, Any], known: Mapping[str, object]) -> dict[str, Any]:
    """The settings of a recorded crew file, translated to today's. ``known``: the settings that exist today."""
    now = {key: value for key, value in given.items() if key in known}
    if "generalist" in given:
        now["pool"] = [*given["pool"], given["generalist"]]
    if {"scheduler", "planner_assigns"} & set(given):
        by = {"planner": given.get("planner_assigns", True), "scheduler": given.get("scheduler", True)}
        now["assigns"] = [who for who, does in by.items() if does]
    if given.get("reviewer") == "":
        now["review"] = "rules"
    if "results" in given.get("without", ()) or given.get("results") == "none":
        now["results"] = "latest"
    return now


def roles(given: Mapping[str, Any], there: Mapping[str, Role]) -> dict[str, Role]:
    """The roles of a recorded crew, with the settings for them that its file contains."""
    changed = [*(["changes"] if given.get("replan") == "patch" else [])]
    checked = [name for name, key in (("score", "scores"), ("adjust", "insights")) if given.get(key)]
    more = {given.get("planner", "Planner"): [*given.get("details", ()), *changed], given.get("checker", ""): checked}
    types = {agent: type for type, agent in given.get("types", {}).items()}
    amends = {amender: agent for agent, amender in given.get("amends", {}).items()}
    return {
        name: role.model_copy(
            update={
                "fields": tuple(dict.fromkeys((*role.fields, *more.get(name, ())))),
                "type": types.get(name, role.type),
                "amends": amends.get(name, role.amends),
            }
        )
        for name, role in there.items()
    }

"""Routes that show roles, crews, actions and models."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from deskcrew.actions import builtin
from deskcrew.engine.request import crew_folders, crew_names, role_folders, usable_actions
from deskcrew.engine.roles.crew import Crew, load_crew
from deskcrew.engine.roles.role import Role, load_roles
from deskcrew.errors import ConfigError, UsageError
from deskcrew.models.catalogue import CatalogueEntry
from deskcrew.models.store import WeightStore
from deskcrew.settings import Settings
from deskcrew.ways_in.web.context import Here

router = APIRouter()


@router.get("/roles")
def all_roles(web: Here, request: Request, crew: str = "") -> Response:
    """The crews, and the roles of the chosen one."""
    names = crew_names(web.settings)
    chosen = crew if crew in names else web.settings.crew if web.settings.crew in names else names[0]
    try:
        found, wrong = _crew(web.settings, chosen), ""
    except ConfigError as error:
        found, wrong = None, str(error)
    return web.pages.page(
        request, "roles.html", crews=names, chosen=chosen, crew=found, wrong=wrong, roles=_in_order(found) if found else []
    )


@router.get("/actions")
def all_actions(web: Here, request: Request) -> Response:
    """Every action that a role can request, and its highest risk."""
    added = usable_actions(web.settings)
    actions = sorted((builtin() | added).values(), key=lambda action: (action.needs, action.name))
    users: dict[str, list[str]] = {name: list(action.roles) for name, action in added.items()}
    for role in load_roles(role_folders(web.settings), added).values():
        for name in role.domain:
            users.setdefault(name, []).append(role.name)
    return web.pages.page(request, "actions.html", actions=actions, users=users)


@router.get("/models")
def models(web: Here, request: Request) -> Response:
    """The models that can be downloaded, and which of them are installed."""
    return web.pages.page(request, "models.html", weights=weights(web.settings), settings=web.settings)


def roles_of(settings: Settings, name: str) -> list[str]:
    """The names of a crew's roles in the order of a run; empty if there is no such crew."""
    try:
        return list(dict.fromkeys(role.name for _, role in _in_order(_crew(settings, name))))
    except (ConfigError, UsageError):
        return []


def weights(settings: Settings) -> list[tuple[CatalogueEntry, Path | None, int]]:
    """The models of the catalogue, each with its file, None if not installed, and the number of bytes already downloaded."""
    return list(WeightStore(settings.models).list())


def _crew(settings: Settings, name: str) -> Crew:
    return load_crew(name, crew_folders(settings), load_roles(role_folders(settings), usable_actions(settings)))


def _in_order(crew: Crew) -> list[tuple[str, Role]]:
    """Every role of a crew with its function there, in the order of a run."""
    parts = [
        ("plans", crew.planner),
        ("assigns", crew.scheduler),
        *(("works", name) for name in crew.pool),
    ]
    parts += [("reviews", crew.reviewer), ("checks", crew.checker), ("answers", crew.answerer)]
    return [(what, crew.roles[name]) for what, name in parts if name in crew.roles]

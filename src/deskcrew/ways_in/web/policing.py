"""Routes that show the policy and test it on an operation."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel
from starlette.responses import Response

from deskcrew.actions import builtin
from deskcrew.engine.request import usable_actions
from deskcrew.facts.events import DesktopKind
from deskcrew.guard.cases import PolicyCase, action_named, decide, if_new, parse_params, refused
from deskcrew.guard.policy import Policy, user_policy
from deskcrew.guard.rules import Limit, Rule
from deskcrew.guard.weighing import ranked
from deskcrew.ways_in.web.context import Here

router = APIRouter()


@router.get("/policy")
def page(web: Here, request: Request) -> Response:
    """The policy for the person's runs, with the rules that take precedence first."""
    added = usable_actions(web.settings)
    policy = user_policy(web.settings.config, actions=added)
    own = web.settings.config / "policy.toml"
    return web.pages.page(
        request,
        "policy.html",
        rules=[(rule, about(rule)) for rule in ranked(policy.rules)],
        limits=[(limit, about(limit)) for limit in policy.limits],
        hosts=policy.hosts,
        source=str(own) if own.is_file() else "",
        actions=sorted(builtin() | added),
    )


class CaseForm(BaseModel):
    """An operation to test. ``params``: one ``name=value`` per line; ``host``: hosts, separated by spaces."""

    action: str
    params: str = ""
    app: str = ""
    title: str = ""
    control: str = ""
    role: str = ""
    agent: str = ""
    host: str = ""
    dialog: bool = False
    desktop: DesktopKind = "virtual"
    network: bool = False


@router.post("/policy")
def try_out(web: Here, request: Request, form: Annotated[CaseForm, Form()]) -> Response:
    """The policy's decision about an operation, which is not executed."""
    added = usable_actions(web.settings)
    policy: Policy = user_policy(web.settings.config, actions=added)
    given = [line.strip() for line in form.params.replace("\r\n", "\n").split("\n") if line.strip()]
    params, host = parse_params(given, action_named(form.action, added)), tuple(form.host.split())
    case = PolicyCase.model_validate(form.model_dump() | {"params": params, "host": host})
    with tempfile.TemporaryDirectory(prefix="deskcrew-") as folder:
        decision, refusal = decide(policy, case, Path(folder), added), refused(case, Path(folder), added)
        new = if_new(policy, case, decision, Path(folder), added)
    return web.pages.page(request, "parts/decision.html", decision=decision, refusal=refusal, new=new)


def about(rule: Rule | Limit) -> str:
    """The conditions of a rule, in words."""
    return "; ".join(f"{field}: {', '.join(getattr(rule, field))}" for field in rule.named) or "anything"

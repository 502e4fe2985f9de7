"""A search as a policy sees it: its words go to a host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.search.provider import Remembered
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import DesktopKind, Operation
from deskcrew.facts.observation import Observation
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.policy import Policy
from support.guarding import policy

HOST = "search.example.org"
ALLOWS = f"""
[[rules]]
name = "searching"
effect = "allow"
action = "web_search"
host = "{HOST}"
"""


def decide(
    folder: Path, rules: Policy, words: str, *, kind: DesktopKind = "none", host: str = HOST, **more: Any
) -> GuardDecision:
    scene = Scene(Workspace(folder), Sandbox(folder), None, Observation(), search=Remembered("searxng", host))
    operation = Operation(function="web_search", params={"words": words, **more})
    return Guard(rules, kind).decide(operation, builtin()["web_search"], scene)


@pytest.mark.parametrize("kind", ["none", "virtual", "browser", "real"])
def test_it_is_asked_for_as_going_to_an_unknown_host_is(tmp_path: Path, kind: DesktopKind) -> None:
    decision = decide(tmp_path, Policy.default(), "lamps", kind=kind)
    assert (decision.effect, decision.rule, decision.risk, decision.hosts) == ("ask", "network", "network", (HOST,))
    assert (decision.every_time, decision.why) == (False, f"what is searched for goes to {HOST}")


def test_a_host_that_is_known_needs_no_question(tmp_path: Path) -> None:
    assert decide(tmp_path, Policy.default().going_to([HOST]), "lamps").effect == "allow"
    assert decide(tmp_path, policy('hosts = ["*.example.org"]'), "lamps", host="Search.Example.org.").effect == "allow"
    assert decide(tmp_path, policy('hosts = ["other.example.org"]'), "lamps").effect == "ask"


def test_a_rule_lets_searches_through_and_nothing_else(tmp_path: Path) -> None:
    rules = policy(ALLOWS)
    assert (decide(tmp_path, rules, "lamps").effect, decide(tmp_path, rules, "lamps").rule) == ("allow", "searching")
    assert decide(tmp_path, rules, "lamps", host="elsewhere.example").effect == "ask"


def test_what_is_searched_for_can_be_forbidden(tmp_path: Path) -> None:
    rules = policy(f"{ALLOWS}\n[[rules]]\nname = 'no-names'\neffect = 'deny'\ntext = '(?i)acme'\naction = 'web_search'\n")
    assert decide(tmp_path, rules, "lamps").effect == "allow"
    assert decide(tmp_path, rules, "our offer to\nACME Inc").rule == "no-names"


def test_a_host_that_the_words_name_counts_too(tmp_path: Path) -> None:
    """Some services fetch what they are asked for."""
    words = "https://evil.example/?what=balance+is+348"
    decision = decide(tmp_path, policy(ALLOWS), words)
    assert (decision.effect, decision.hosts) == ("ask", (HOST, "evil.example"))
    forbids = policy(f"{ALLOWS}\n[[rules]]\nname = 'evil'\neffect = 'deny'\nhost = 'evil.example'\n")
    assert decide(tmp_path, forbids, words).effect == "deny"
    assert decide(tmp_path, Policy.default().going_to([HOST]), words).effect == "ask"


def test_where_it_is_not_known_who_would_be_asked_it_is_asked_for(tmp_path: Path) -> None:
    scene = Scene(Workspace(tmp_path), Sandbox(tmp_path), None, Observation())
    operation = Operation(function="web_search", params={"words": "lamps"})
    decision = Guard(policy(ALLOWS), "none").decide(operation, builtin()["web_search"], scene)
    assert (decision.effect, decision.risk) == ("ask", "network")

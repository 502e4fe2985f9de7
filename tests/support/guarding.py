"""What the guard is shown in tests: a look at one window, and a decision by a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deskcrew.actions import builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.events import DesktopKind, Operation
from deskcrew.facts.observation import Box, Control, Observation, Window
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.policy import Policy

BOX = Box(x=0, y=0, width=9, height=9)


def policy(text: str, *, default: bool = True) -> Policy:
    """A policy from the text of a file."""
    return Policy.parse(text if default else f"include_default = false\n{text}", "policy.toml")


def look(app: str, *controls: Control, title: str = "", dialog: bool = False, clipboard: str | None = None) -> Observation:
    """One window, its first control focused."""
    window = Window(id=1, title=title or app, app=app, box=BOX, active=True, dialog=dialog)
    focus = controls[0].label if controls else None
    return Observation(windows=(window,), controls=controls, focus=focus, clipboard=clipboard)


def field(name: str = "", value: str | None = None, role: str = "text field", label: str = "1") -> Control:
    return Control(label=label, role=role, name=name, value=value, box=BOX, window=1, operations=("click", "type"))


def button(name: str, label: str = "9", role: str = "button") -> Control:
    return Control(label=label, role=role, name=name, box=BOX, window=1, operations=("click",))


def terminal(line: str = "") -> Control:
    return field("Terminal", f"user@host:~$ {line}", role="terminal")


def decide(
    rules: Policy,
    folder: Path,
    function: str,
    seen: Observation | None = None,
    *,
    aimed: str | None = None,
    kind: DesktopKind = "virtual",
    agent: str = "",
    network: bool = False,
    more: dict[str, Any] | None = None,
    **params: Any,
) -> GuardDecision:
    """What a policy says to an operation. ``more``: further arguments of :meth:`Guard.decide`."""
    workspace = Workspace(folder)
    scene = Scene(workspace, Sandbox(workspace.root, network=network), None, seen or Observation())
    operation = Operation(function=function, control=aimed, params=params)
    return Guard(rules, kind).decide(operation, builtin()[function], scene, agent=agent, **(more or {}))

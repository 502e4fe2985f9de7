"""The action space of a crew: each module here that has ``ACTIONS`` is part of it. :func:`builtin` is all of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from deskcrew.actions.action import Action, Gesture
from deskcrew.facts.events import Operation


@cache
def _known() -> Mapping[str, Action]:
    """Every built-in action by name, cached for looking up names. Modules without actions are not loaded to find that out,
    which would take a moment."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    modules = (import_module(f"{__name__}.{file.stem}") for file in files if "\nACTIONS" in file.read_text("utf-8"))
    return {action.name: action for module in modules for action in module.ACTIONS}


def builtin() -> dict[str, Action]:
    """Every built-in action by name. A new dict at each call: learned and foreign tools may be added to it."""
    return dict(_known())


def groups() -> dict[str, tuple[str, ...]]:
    """The names of built-in actions by the groups that a role's ``domain`` may name."""
    actions = _known().values()
    named = dict.fromkeys(action.in_group for action in actions if action.in_group)
    return {group: tuple(action.name for action in actions if action.in_group == group) for group in named}


def action_of(operation: Operation) -> Action | None:
    """The built-in action of an operation; None if it is from elsewhere or from another version."""
    return _known().get(operation.function)


def gesture_of(operation: Operation) -> Gesture | None:
    """The gesture of an operation, as :attr:`Action.gesture`; None if unknown."""
    action = action_of(operation)
    return action.gesture if action is not None else None

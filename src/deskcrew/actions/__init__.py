"""The action space of a crew, one module per domain. :func:`builtin` is all of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from deskcrew.actions import (
    applications,
    browsing,
    code,
    files,
    media,
    passages,
    pointing,
    searching,
    windows,
)
from deskcrew.actions.action import Action, Gesture
from deskcrew.facts.events import Operation


def builtin() -> dict[str, Action]:
    """Every built-in action by name. A new dict at each call: learned and foreign tools may be added to it."""
    domains = (windows, pointing, browsing, searching, applications, files, passages, media, code)
    return {action.name: action for domain in domains for action in domain.ACTIONS}


@cache
def known() -> Mapping[str, Action]:
    """Every built-in action by name, cached for looking up names."""
    return builtin()


def action_of(operation: Operation) -> Action | None:
    """The built-in action of an operation; None if it is from elsewhere or from another version."""
    return known().get(operation.function)


def gesture_of(operation: Operation) -> Gesture | None:
    """The gesture of an operation, as :attr:`Action.gesture`; None if unknown."""
    action = action_of(operation)
    return action.gesture if action is not None else None

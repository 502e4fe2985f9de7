"""The action space of a crew, one module per domain. :func:`builtin` is all of it."""

from __future__ import annotations

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
from deskcrew.actions.action import Action


def builtin() -> dict[str, Action]:
    """Every built-in action by name. A new dict at each call: learned and foreign tools may be added to it."""
    domains = (windows, pointing, browsing, searching, applications, files, passages, media, code)
    return {action.name: action for domain in domains for action in domain.ACTIONS}

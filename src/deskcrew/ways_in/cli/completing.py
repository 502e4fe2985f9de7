"""Shell completion of values: crews, models, roles, runs. Only called when Tab is pressed.

If settings or files have errors, nothing is offered: they are not reported to somebody who is typing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from deskcrew.errors import DeskcrewError, UsageError

PROVIDERS = ("openai:", "openai-responses:", "anthropic:", "google:", "ollama:", "http://", "scripted:", "recorded:")
"""Prefixes of models, which the person completes by typing."""
RUNS = 20


def crews(incomplete: str) -> list[str]:
    """Names of crews."""
    from deskcrew.engine.request import crew_names
    from deskcrew.settings import Settings

    try:
        return _beginning(incomplete, crew_names(Settings.load()))
    except DeskcrewError:
        return []


def models(incomplete: str) -> list[str]:
    """The local models, and the prefixes of hosted ones."""
    from deskcrew.models.catalogue import built_in

    known = (f"local:{entry.name}" for entry in built_in())
    return _beginning(incomplete, chain(("local",), known, PROVIDERS))


def requirements(incomplete: str) -> list[str]:
    """The kinds of requirements, and the files here."""
    from deskcrew.evidence.required import KINDS

    kind, blank, _ = incomplete.partition(" ")
    if not blank:
        return _beginning(incomplete, KINDS)
    return _beginning(incomplete, (f"{kind} {path}" for path in sorted(Path().glob("*")) if not path.name.startswith(".")))


def modes_of_roles(incomplete: str) -> list[str]:
    """All pairs ``ROLE=MODE``."""
    from deskcrew.engine.human.questions import MODES
    from deskcrew.engine.request import role_folders
    from deskcrew.engine.roles.role import load_roles
    from deskcrew.settings import Settings

    try:
        roles = load_roles(role_folders(Settings.load()))
    except DeskcrewError:
        return []
    return _beginning(incomplete, (f"{role}={mode}" for role in sorted(roles) for mode in MODES))


def runs(incomplete: str) -> list[str]:
    """The newest runs."""
    from deskcrew.journal.store import Store
    from deskcrew.settings import Settings

    try:
        journal = Settings.load().journal
        there = Store(journal).runs(limit=RUNS) if journal.exists() else []
    except DeskcrewError:
        return []
    return _beginning(incomplete, chain(("last",), (row.id for row in there)))


def secrets(incomplete: str) -> list[str]:
    """Names of secrets; no value is read."""
    from deskcrew.secrets.store import open_store
    from deskcrew.settings import Settings

    def unasked(question: str) -> str:
        raise UsageError(f"Nobody is asked for: {question}")

    try:
        return _beginning(incomplete, open_store(Settings.load(), unasked).list())
    except DeskcrewError:
        return []


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]

"""The facets of one operation: everything about it that a policy can refer to.

An operation can have several values for one facet: a command that connects to two hosts, a text of several lines. Each of
them must be allowed; ``guard/weighing.py`` decides that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deskcrew.actions.action import Risk

Place = Literal["workspace", "virtual", "real", "outside"]
"""Where an operation takes effect: in the workspace (files, sandbox), on a desktop, or outside what the crew was given. To a
policy the run's own browser is a virtual desktop, the user's browser a real one."""


@dataclass(frozen=True, slots=True)
class Target:
    """A control that is operated. ``role`` None: a key with the effect of such a control.

    ``around``: names and roles of its surroundings (the menus above an entry, the chosen option). They count for rules that
    deny or ask, never for rules that allow.
    """

    name: str
    role: str | None
    around: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class TextFacet:
    """One line that is typed, or one command that is run. ``around``: texts that contain it; see :class:`Target`."""

    own: str
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PathFacet:
    """A path in the form of :func:`~deskcrew.guard.patterns.normal_path`. ``whole``: including everything in it."""

    path: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Facets:
    """One operation as a policy sees it.

    ``why``: what raised the risk, '' if nothing did; ``apart``: the risk if all hosts were known. ``actions``: the action,
    and others with the same effect; ``apps``: first the program that it is done in or starts.
    """

    risk: Risk
    place: Place
    why: str = ""
    actions: tuple[str, ...] = ()
    agent: str = ""
    apps: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    texts: tuple[TextFacet, ...] = ()
    paths: tuple[PathFacet, ...] = ()
    hosts: tuple[str, ...] = ()
    apart: Risk | None = None
    doubt: str = ""
    """Why it cannot be shown to be harmless, although nothing raised its risk; then a person who is present is asked."""

    @property
    def app(self) -> str:
        """The program that the operation is done in, '' if none."""
        return self.apps[0] if self.apps else ""

"""Facets: all sides of one operation that a policy can be about.

An operation can have several values on one side: a command that goes to two hosts, a text of several lines. Each of them
must be let through; that is decided in ``guard/weighing.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deskcrew.actions.action import Risk

Place = Literal["workspace", "virtual", "real", "outside"]
"""Where it lands: in the workspace (files, sandbox), on a desktop, or outside of what was given to the crew. A browser of
the run's own is a virtual desktop to a policy, one that is the user's a real one."""
Kind = Literal["virtual", "real", "browser", "none"]
"""Of a run's desktop."""


@dataclass(frozen=True, slots=True)
class Target:
    """A control that is operated. ``role`` None: a key that does what such a control does.

    ``around``: names and roles of what lies around it (the menus above an entry, the option that is chosen). They count for
    what is forbidden or asked, and never for what is allowed.
    """

    name: str
    role: str | None
    around: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Text:
    """One line that is typed, or one command that is run. ``around``: what it is part of, with the meaning as above."""

    own: str
    around: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PathFacet:
    """A path, as :func:`~deskcrew.guard.patterns.normal_path` makes it. ``whole``: with all that lies in it."""

    path: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Facets:
    """One operation as a policy sees it.

    ``why``: what raised the risk, '' when nothing did; ``apart``: what the risk would be if all hosts were known.
    ``actions``: the action, and others that it amounts to; ``apps``: the program it is done in or that it starts, first.
    """

    risk: Risk
    place: Place
    why: str = ""
    actions: tuple[str, ...] = ()
    agent: str = ""
    apps: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    texts: tuple[Text, ...] = ()
    paths: tuple[PathFacet, ...] = ()
    hosts: tuple[str, ...] = ()
    apart: Risk | None = None
    doubt: str = ""
    """Why it cannot be told to be harmless, though nothing raised its risk; a person who is there is asked."""

    @property
    def app(self) -> str:
        """The program it is done in, '' where there is none."""
        return self.apps[0] if self.apps else ""

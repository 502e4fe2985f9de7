"""The conditions of a rule or limit, as data, and whether they match one facet of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from pydantic import field_validator

from deskcrew.actions.action import Risk
from deskcrew.facts.json_values import is_list
from deskcrew.facts.observation import Frozen
from deskcrew.guard.facets import Facets, PathFacet, Place, Target, TextFacet
from deskcrew.guard.patterns import EXACT, LOOSE, Closeness, compiled, found, host_fits, name_fits, path_fits

Field = Literal["risk", "action", "place", "app", "control", "role", "text", "path", "host", "agent"]
FIELDS: tuple[Field, ...] = get_args(Field)
MAX_PATTERN = 500
"""Maximum length of one pattern, in characters."""


class Conditions(Frozen):
    """What a rule or limit applies to. Each condition is a list of values, one of which must match; None: any.

    Shell patterns: ``action`` (names of actions), ``app`` (of programs), ``control`` (of controls, menu entries and
    options), ``role`` (button, link and so on), ``agent`` (roles of the crew). ``text``: regular expressions, searched line
    by line in what is typed or run; ``path``: files and folders; ``host``: destinations.
    """

    risk: tuple[Risk, ...] | None = None
    action: tuple[str, ...] | None = None
    place: tuple[Place, ...] | None = None
    app: tuple[str, ...] | None = None
    control: tuple[str, ...] | None = None
    role: tuple[str, ...] | None = None
    text: tuple[str, ...] | None = None
    path: tuple[str, ...] | None = None
    host: tuple[str, ...] | None = None
    agent: tuple[str, ...] | None = None

    @field_validator(*FIELDS, mode="before")
    @classmethod
    def _as_list(cls, value: object) -> object:
        if is_list(value):
            return tuple(value)
        return (value,) if isinstance(value, str) else value

    @field_validator(*FIELDS)
    @classmethod
    def _possible(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is None:
            return None
        if not value:
            raise ValueError("an empty list never matches; leave the condition out to match anything")
        if any(not each.strip() for each in value):
            raise ValueError("an empty string never matches")
        if any(len(each) > MAX_PATTERN for each in value):
            raise ValueError(f"a pattern may have at most {MAX_PATTERN} characters")
        return value

    @field_validator("text")
    @classmethod
    def _regex(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for pattern in value or ():
            try:
                compiled(pattern)
            except ValueError as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
        return value

    @field_validator("host")
    @classmethod
    def _host(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return checked_hosts(value or ()) if value is not None else None

    @field_validator("path")
    @classmethod
    def _path(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for pattern in value or ():
            if ".." in pattern.split("/"):
                raise ValueError(
                    f"{pattern!r} contains '..', so it never matches; 'outside' means any path outside the workspace"
                )
        return value

    @property
    def named(self) -> tuple[Field, ...]:
        """The names of the conditions that are set."""
        return tuple(field for field in FIELDS if getattr(self, field) is not None)


def checked_hosts(hosts: tuple[str, ...]) -> tuple[str, ...]:
    """``hosts``, if all of them are valid. Raises ValueError for the first that is not."""
    for host in hosts:
        if "/" in host or (":" in host and not host.startswith("[")):
            raise ValueError(f"{host!r} is not a host; write the name alone, e.g. example.org or *.example.org")
    return hosts


def fits_name(names: tuple[str, ...] | None, name: str) -> Closeness | None:
    """How closely the condition on an action, a program, a role or the like matches; None if it does not."""
    return EXACT if names is None else _closest(names, lambda pattern: name_fits(pattern, name))


def fits_host(about: Conditions, host: str) -> Closeness | None:
    return EXACT if about.host is None else _closest(about.host, lambda pattern: host_fits(pattern, host))


def fits_path(about: Conditions, path: PathFacet, *, strict: bool) -> Closeness | None:
    """How closely the path condition matches; None if it does not. ``strict``: the match would let the operation through, so
    only the path itself counts."""
    if about.path is None:
        return EXACT
    return _closest(about.path, lambda pattern: path_fits(pattern, path.path, whole=path.whole and not strict))


def fits_target(about: Conditions, target: Target, *, strict: bool) -> Closeness | None:
    """How closely the conditions on a control match; None if they do not. ``strict``: the match would let the operation
    through, so only the control itself counts, not its surroundings."""
    candidates = ((target.name, target.role), *(() if strict else target.around))
    fitting = [fit for name, role in candidates if (fit := _of_control(about, name, role)) is not None]
    return max(fitting, default=None)


def _of_control(about: Conditions, name: str, role: str | None) -> Closeness | None:
    named = fits_name(about.control, name)
    # A key does what a control does without there being one: it has every role.
    playing = EXACT if role is None else fits_name(about.role, role)
    if named is None or playing is None:
        return None
    return named[0] + playing[0], named[1] + playing[1]


def fits_text(about: Conditions, text: TextFacet, *, strict: bool) -> Closeness | None:
    """How closely the text condition matches; None if it does not. ``strict``: the match would let the operation through, so
    only the text itself counts, and text that cannot be searched does not match."""
    if about.text is None:
        return EXACT
    for each in (text.own, *(() if strict else text.around)):
        for pattern in about.text:
            answer = found(pattern, each)
            if answer or (answer is None and not strict):
                return LOOSE
    return None


def fits_whole(about: Conditions, facets: Facets) -> bool:
    """Whether the facets with a single value match: risk, place and agent."""
    return (
        (about.risk is None or facets.risk in about.risk)
        and (about.place is None or facets.place in about.place)
        and fits_name(about.agent, facets.agent) is not None
    )


def _closest(patterns: tuple[str, ...], fit: Callable[[str], Closeness | None]) -> Closeness | None:
    return max((close for pattern in patterns if (close := fit(pattern)) is not None), default=None)

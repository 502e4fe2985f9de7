"""Determines which rule of a policy decides about an operation.

If an operation has several values for one facet, each combination of values is decided on its own, and the strictest
decision holds: a command that reaches an allowed host and a forbidden one is forbidden. For one combination

1. the rules with the most conditions come first;
2. among rules with the same conditions, a rule comes first if all its patterns are at least as specific, and one is more so;
3. among those left, the strictest decides.

The user's rules take precedence over the built-in ones, which are ranked among themselves. A user's rule that is stricter
than the built-in one always holds; a laxer one holds if it has more conditions.

So the order of rules never matters, and adding a ``deny`` never allows anything that was denied.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from deskcrew.facts.observation import Frozen
from deskcrew.guard import conditions as c
from deskcrew.guard.facets import Facets
from deskcrew.guard.patterns import EXACT, Closeness
from deskcrew.guard.rules import STRICTNESS, Rule

MOST = 5000
"""Maximum number of combinations examined; an operation with more is denied."""
_Fit = Closeness | None
_SIDES: tuple[str, ...] = ("action", "app", "target", "text", "path", "host")


class Fitting(Frozen):
    """A rule that matches an operation. ``conditions``: its conditions, each with the operation's value that matched;
    ``part``: ``decides``, or ``weaker`` (it matches, but another rule takes precedence)."""

    rule: str
    effect: Literal["allow", "ask", "deny"]
    conditions: dict[str, str]
    part: Literal["decides", "weaker"]


@dataclass(frozen=True, slots=True)
class Weighed:
    """The rule that decides, and all rules that match. ``rule`` None: for some value no rule matches, or there were
    ``too_much`` combinations."""

    rule: Rule | None
    fitting: tuple[Fitting, ...]
    missing: str = ""
    """The combination of values that no rule covers, in words."""
    too_much: bool = False


@dataclass(frozen=True, slots=True)
class _Value:
    """A set of values of one facet that all rules treat alike. ``shown``: one of these values."""

    shown: str
    fits: tuple[_Fit, ...]


def weigh(rules: Sequence[Rule], facets: Facets) -> Weighed:
    """The rule that decides about an operation, and all that match it."""
    about = [rule for rule in rules if c.fits_whole(rule, facets)]
    agents = [c.fits_name(rule.agent, facets.agent) or EXACT for rule in about]
    sides = [_values(about, side, facets) for side in _SIDES]
    if math.prod(len(side) for side in sides) > MOST:
        return Weighed(None, (), too_much=True)
    best: Rule | None = None
    missing = ""
    seen: dict[str, dict[str, str]] = {}
    for combination in itertools.product(*sides):
        fitting: list[tuple[Rule, tuple[Closeness, ...]]] = []
        for place, rule in enumerate(about):
            fits = [value.fits[place] for value in combination]
            close = tuple(fit for fit in fits if fit is not None)
            if len(close) == len(fits):
                fitting.append((rule, (agents[place], *close)))
                seen.setdefault(rule.name, _shown(rule, combination, facets))
        winner = _first(fitting)
        if winner is None:
            missing = missing or ", ".join(value.shown for value in combination if value.shown)
        elif best is None or _weight(winner) > _weight(best):
            best = winner
    decides = None if missing else best
    listed = sorted((rule for rule in about if rule.name in seen), key=lambda rule: (-len(rule.named), rule.name))
    return Weighed(decides, tuple(_fitting(rule, seen[rule.name], decides) for rule in listed), missing)


def ranked(rules: Iterable[Rule]) -> list[Rule]:
    """Rules for a table: the user's before the built-in ones, from the most to the least specific, the stricter first."""
    return sorted(rules, key=lambda rule: (rule.builtin, -len(rule.named), -STRICTNESS.index(rule.effect), rule.name))


def _first(fitting: list[tuple[Rule, tuple[Closeness, ...]]]) -> Rule | None:
    """The rule that decides about one combination: the user's, unless it relaxes a built-in rule with as many conditions."""
    own = _most_specific([(rule, close) for rule, close in fitting if not rule.builtin])
    beneath = _most_specific([(rule, close) for rule, close in fitting if rule.builtin])
    if own is None or beneath is None:
        return own or beneath
    stricter = _strictness(own) >= _strictness(beneath)
    return own if stricter or len(own.named) > len(beneath.named) else beneath


def _most_specific(fitting: list[tuple[Rule, tuple[Closeness, ...]]]) -> Rule | None:
    most = max((len(rule.named) for rule, _ in fitting), default=0)
    top = [(rule, close) for rule, close in fitting if len(rule.named) == most]
    left = [rule for rule, close in top if not any(_closer(other, rule, theirs, close) for other, theirs in top)]
    return max(left, key=_weight, default=None)


def _closer(other: Rule, rule: Rule, theirs: tuple[Closeness, ...], ours: tuple[Closeness, ...]) -> bool:
    """Whether ``other`` matches the same facets more specifically."""
    same = other.named == rule.named
    return same and theirs != ours and all(their >= our for their, our in zip(theirs, ours, strict=True))


def _strictness(rule: Rule) -> tuple[int, bool]:
    """The strictness of a rule: a question asked every time is stricter than one whose answer may be remembered."""
    return STRICTNESS.index(rule.effect), rule.every_time


def _weight(rule: Rule) -> tuple[int, bool, str]:
    return *_strictness(rule), rule.name


def _values(rules: list[Rule], side: str, facets: Facets) -> list[_Value]:
    """The values of one facet; if no rule distinguishes several values, only one of them."""
    shown, values = _side(side, facets)
    if not values:
        absent = tuple(None if _names(rule, side) else EXACT for rule in rules)
        return [_Value("", absent)]
    found: dict[tuple[_Fit, ...], _Value] = {}
    for value in values:
        fits = tuple(_fit(rule, side, value) for rule in rules)
        found.setdefault(fits, _Value(shown(value), fits))
    return list(found.values())


def _names(rule: Rule, side: str) -> bool:
    return bool({"control", "role"} & set(rule.named)) if side == "target" else side in rule.named


def _fit(rule: Rule, side: str, value: Any) -> _Fit:
    strict = rule.effect == "allow"
    match side:
        case "action":
            return c.fits_name(rule.action, value)
        case "app":
            return c.fits_name(rule.app, value)
        case "target":
            return c.fits_target(rule, value, strict=strict)
        case "text":
            return c.fits_text(rule, value, strict=strict)
        case "path":
            return c.fits_path(rule, value, strict=strict)
        case _:
            return c.fits_host(rule, value)


def _side(side: str, facets: Facets) -> tuple[Callable[[Any], str], tuple[Any, ...]]:
    sides: dict[str, tuple[Callable[[Any], str], tuple[Any, ...]]] = {
        "action": (str, facets.actions),
        "app": (str, facets.apps),
        "target": (lambda target: f"{target.role or 'key for'} {target.name!r}", facets.targets),
        "text": (lambda text: text.own, facets.texts),
        "path": (lambda path: path.path, facets.paths),
        "host": (str, facets.hosts),
    }
    return sides[side]


def _shown(rule: Rule, combination: tuple[_Value, ...], facets: Facets) -> dict[str, str]:
    of = dict(zip(_SIDES, combination, strict=True))
    told: dict[str, str] = {}
    for field in rule.named:
        if field in ("risk", "place", "agent"):
            told[field] = str(getattr(facets, field))
        else:
            told[field] = of["target" if field in ("control", "role") else field].shown[:200]
    return told


def _fitting(rule: Rule, told: dict[str, str], decides: Rule | None) -> Fitting:
    part = "decides" if decides is not None and rule.name == decides.name else "weaker"
    return Fitting(rule=rule.name, effect=rule.effect, conditions=told, part=part)

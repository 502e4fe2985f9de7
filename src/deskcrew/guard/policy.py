"""Who decides: rules as data over typed operations (DESIGN 5; USERS 4: neither fail-open nor a question per click).

A rule is about the risk, the action and the place, and about nothing that is read from a screen: no page can widen it.
"""

from __future__ import annotations

import fnmatch
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from deskcrew.actions.action import Action, Risk, Scene
from deskcrew.errors import ConfigError
from deskcrew.events import Operation
from deskcrew.guard.risk import Assessment, Kind, Place, assess
from deskcrew.guard.words import Words
from deskcrew.observation import Frozen

Decision = Literal["allow", "ask", "deny"]
_STRICTNESS: tuple[Decision, ...] = ("allow", "ask", "deny")


class Rule(Frozen):
    """One rule. ``risk``, ``action`` (names or shell patterns), ``place``: what it is about; None is any.

    ``every_time``: an approval under this rule holds for one operation only, and may not be remembered.
    """

    name: str
    effect: Decision
    risk: tuple[Risk, ...] | None = None
    action: tuple[str, ...] | None = None
    place: tuple[Place, ...] | None = None
    every_time: bool = False

    def fits(self, action: str, assessment: Assessment) -> bool:
        """Whether the rule is about this operation."""
        return (
            (self.risk is None or assessment.risk in self.risk)
            and (self.place is None or assessment.place in self.place)
            and (self.action is None or any(fnmatch.fnmatchcase(action, pattern) for pattern in self.action))
        )

    @property
    def specificity(self) -> int:
        """How many of the three it names. Two that name as many are equal: the stricter wins."""
        return sum(part is not None for part in (self.risk, self.action, self.place))


class Policy(Frozen):
    """Rules, and the hosts that need no question. With no rule that fits, the answer is deny."""

    rules: tuple[Rule, ...] = ()
    hosts: tuple[str, ...] = ()
    """Host names or patterns (``*.example.org``) that the crew may go to."""

    @classmethod
    def default(cls) -> Policy:
        """The built-in policy."""
        return cls.parse(resources.files("deskcrew.guard").joinpath("default.toml").read_text(encoding="utf-8"), "default")

    @classmethod
    def load(cls, path: Path) -> Policy:
        """A policy file. Raises ConfigError that names file and field."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"), str(path))
        except OSError as error:
            raise ConfigError(f"The policy {path} cannot be read: {error.strerror}.") from error

    @classmethod
    def parse(cls, text: str, source: str) -> Policy:
        """A policy from TOML. Raises ConfigError that names ``source`` and the field."""
        try:
            return cls.model_validate(tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{source} is not TOML: {error}.") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"{source}: {field}: {first['msg']}.") from error

    def extended(self, rules: Iterable[Rule]) -> Policy:
        """This policy and more rules."""
        return self.model_copy(update={"rules": (*self.rules, *rules)})


class GuardDecision(Frozen):
    """``rule``: name of the rule that decided; '' when none fits. ``why``: what raised the risk, for a person to read."""

    effect: Decision
    rule: str
    risk: Risk
    why: str = ""
    every_time: bool = True


class Guard:
    """Decides about every operation before it is done. ``kind``: of the run's desktop. Immutable and pure."""

    def __init__(self, policy: Policy, kind: Kind, words: Words | None = None) -> None:
        self.policy = policy
        self.kind: Kind = kind
        self._words = words or Words.load()

    def assess(self, operation: Operation, action: Action, scene: Scene) -> Assessment:
        """Risk and place of an operation. A host that the policy knows is no reason to ask."""
        return self._ease(assess(operation, action, scene, self._words, self.kind))

    def decide(self, operation: Operation, action: Action, scene: Scene) -> GuardDecision:
        """Allow, ask or deny. With nobody there to answer, the caller takes ask for deny."""
        assessment = self.assess(operation, action, scene)
        fitting = [rule for rule in self.policy.rules if rule.fits(action.name, assessment)]
        if not fitting:
            return GuardDecision(effect="deny", rule="", risk=assessment.risk, why="no rule is about this")
        rule = max(fitting, key=lambda rule: (rule.specificity, _STRICTNESS.index(rule.effect), rule.every_time))
        why = assessment.why or f"{action.name} is a {assessment.risk} action, {_WHERE[assessment.place]}"
        return GuardDecision(effect=rule.effect, rule=rule.name, risk=assessment.risk, why=why, every_time=rule.every_time)

    def _ease(self, found: Assessment) -> Assessment:
        known = all(any(fnmatch.fnmatchcase(host, pattern) for pattern in self.policy.hosts) for host in found.hosts)
        if found.risk != "network" or found.apart is None or not found.hosts or not known:
            return found
        return Assessment(found.apart, found.place, found.why, found.hosts)


_WHERE: dict[Place, str] = {
    "workspace": "inside the workspace",
    "virtual": "on the virtual desktop",
    "real": "on your own computer",
    "outside": "outside the workspace",
}

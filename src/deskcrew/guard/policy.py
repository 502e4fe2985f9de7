"""A policy: rules and limits as data over typed operations, neither fail-open nor a question per click.

It depends only on what an operation is, not on what a screen says, so no page can widen it. ``guard/policy_file.py`` parses
the files; docs/reference/policy.md tells users how to write one.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Collection, Iterable
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.observation import Frozen
from deskcrew.guard import policy_file
from deskcrew.guard.rules import Limit, Rule

FILE = "policy.toml"
"""The name of a user's policy in the settings folder. No policy is ever read from a workspace or a project's folder."""


class Policy(Frozen):
    """Rules, limits, and the hosts that need no approval. If no rule matches, the decision is deny."""

    rules: tuple[Rule, ...] = ()
    limits: tuple[Limit, ...] = ()
    hosts: tuple[str, ...] = ()
    """Host names or patterns (``*.example.org``) that the crew may contact."""

    @classmethod
    def default(cls) -> Policy:
        """The built-in policy."""
        return _default()

    @classmethod
    def load(cls, path: Path, actions: Collection[str] = ()) -> Policy:
        """The policy in a file. Raises ConfigError that names file, line, rule and field."""
        try:
            return cls.parse(path.read_text(encoding="utf-8"), str(path), actions)
        except OSError as error:
            raise ConfigError(
                f"The policy {path} cannot be read: {error.strerror}.",
                hint="Without --policy, your own policy applies, or the built-in one: `deskcrew policy check` lists it.",
            ) from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"The policy {path} is not UTF-8 text.") from error

    @classmethod
    def parse(cls, text: str, source: str, actions: Collection[str] = ()) -> Policy:
        """A policy from TOML, on top of the built-in rules unless it says ``include_default = false``. ``actions``: names
        that its rules may use besides those of built-in actions.

        Raises ConfigError that names ``source``, line, rule and field.
        """
        beneath = cls.default()
        read = policy_file.read(text, source, taken={rule.name for rule in beneath.rules}, actions=actions)
        own = cls(rules=read.rules, limits=read.limits, hosts=read.hosts)
        return own.over(beneath) if read.include_default else own

    @classmethod
    def recorded(cls, text: str) -> Policy:
        """The policy that a run began with, from its journal. Raises ConfigError if another version wrote it."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise ConfigError("The run's policy cannot be read: it was written by another version of Deskcrew.") from error

    def record(self) -> str:
        """The whole policy as one line of text, built-in rules included; a run's journal keeps it."""
        return self.model_dump_json()

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of :meth:`record`."""
        return hashlib.sha256(self.record().encode()).hexdigest()

    def over(self, beneath: Policy) -> Policy:
        """This policy on top of another. A limit replaces one of the same name."""
        own = {limit.name for limit in self.limits}
        return Policy(
            rules=(*self.rules, *beneath.rules),
            limits=(*self.limits, *(limit for limit in beneath.limits if limit.name not in own)),
            hosts=(*self.hosts, *beneath.hosts),
        )

    def going_to(self, hosts: Iterable[str]) -> Policy:
        """This policy with more hosts that need no approval."""
        return self.model_copy(update={"hosts": tuple(dict.fromkeys((*self.hosts, *hosts)))})

    @property
    def denied_hosts(self) -> tuple[str, ...]:
        """The hosts that some rule denies. Its other conditions are ignored: programs' requests cannot be told apart."""
        return tuple(host for rule in self.rules if rule.effect == "deny" for host in rule.host or ())


@functools.cache
def _default() -> Policy:
    text = resources.files("deskcrew.guard").joinpath("default.toml").read_text(encoding="utf-8")
    read = policy_file.read(text, "default.toml", taken=frozenset())
    return Policy(
        rules=tuple(rule.model_copy(update={"builtin": True}) for rule in read.rules),
        limits=tuple(limit.model_copy(update={"builtin": True}) for limit in read.limits),
        hosts=read.hosts,
    )


def user_policy(
    config: Path, named: Path | None = None, *, workspace: Path | None = None, actions: Collection[str] = ()
) -> Policy:
    """The policy in force: the file ``named``, else ``policy.toml`` in the folder ``config``, else the built-in one.
    ``actions``: as for :meth:`Policy.parse`.

    Raises ConfigError if the file cannot be parsed, or is in the workspace, where a crew could write its own rules.
    """
    found = config / FILE
    path = named if named is not None else found if found.exists() else None
    if path is None:
        return Policy.default()
    if workspace is not None and path.resolve().is_relative_to(workspace.resolve()):
        raise ConfigError(
            f"The policy {path} is in the workspace, where the crew could change it.",
            hint="Keep the policy elsewhere, or give the crew a narrower workspace.",
        )
    return Policy.load(path, actions)

"""Rules and limits, the two kinds of statements of a policy, as data."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from deskcrew.guard.conditions import Conditions

Decision = Literal["allow", "ask", "deny"]
STRICTNESS: tuple[Decision, ...] = ("allow", "ask", "deny")
Per = Literal["run", "hour", "minute"]
SECONDS: dict[Per, float | None] = {"run": None, "hour": 3600.0, "minute": 60.0}


class Rule(Conditions):
    """One rule: what happens to an operation that it matches.

    ``every_time``: an approval under this rule covers one operation only, and must not be remembered. ``why``: shown to a
    person who is asked, or to a crew that is refused. ``builtin``: it came with Deskcrew.
    """

    name: str = Field(min_length=1, max_length=100)
    effect: Decision
    every_time: bool = False
    why: str = Field("", max_length=1000)
    builtin: bool = False

    @model_validator(mode="after")
    def _asks(self) -> Rule:
        if self.every_time and self.effect != "ask":
            raise ValueError(f'every_time belongs to effect = "ask"; this rule\'s effect is {self.effect!r}')
        return self


class Limit(Conditions):
    """At most ``most`` operations of a kind, counted over the branch's events; ``effect`` applies to any beyond that.

    Every limit that matches applies, whatever the rules say: limits have no order and no specificity.
    """

    name: str = Field(min_length=1, max_length=100)
    most: int = Field(ge=0)
    per: Per = "run"
    effect: Literal["ask", "deny"] = "deny"
    why: str = Field("", max_length=1000)
    builtin: bool = False

    @model_validator(mode="after")
    def _countable(self) -> Limit:
        if wrong := set(self.named) - COUNTED:
            listed = ", ".join(sorted(COUNTED))
            raise ValueError(f"a limit cannot be about {', '.join(sorted(wrong))}; it can be about {listed}")
        return self


COUNTED: frozenset[str] = frozenset({"risk", "action", "app", "host", "agent"})
"""The conditions that the journal records for a past operation."""

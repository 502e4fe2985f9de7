"""Who decides: the guard says allow, ask or deny to every operation before it is done."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from deskcrew.actions.action import Action, Risk, Scene
from deskcrew.events import Operation
from deskcrew.guard.facets import Facets, Kind, Place
from deskcrew.guard.history import Counts, Grants, exhausted
from deskcrew.guard.patterns import host_fits
from deskcrew.guard.policy import Policy
from deskcrew.guard.risk import assess
from deskcrew.guard.rules import STRICTNESS, Decision, Rule
from deskcrew.guard.weighing import Fitting, Weighed, weigh
from deskcrew.guard.words import Words
from deskcrew.observation import Frozen


class GuardDecision(Frozen):
    """``rule``: name of the rule or limit that decided; '' when none fits. ``why``: for a person to read.

    ``every_time``: a person's approval may not be remembered. ``by``: ``grant`` where an earlier approval let it through,
    event number ``grant``. ``app`` and ``hosts``: where it goes. ``explanation``: all rules that fit.
    """

    effect: Decision
    rule: str
    risk: Risk
    why: str = ""
    every_time: bool = True
    by: Literal["policy", "grant"] = "policy"
    grant: int | None = None
    place: Place = "workspace"
    app: str = ""
    hosts: tuple[str, ...] = ()
    explanation: tuple[Fitting, ...] = Field(default=(), repr=False)


class Guard:
    """Decides about every operation before it is done. ``kind``: of the run's desktop. Immutable and pure."""

    def __init__(self, policy: Policy, kind: Kind, words: Words | None = None) -> None:
        self.policy = policy
        self.kind: Kind = kind
        self._words = words or Words.load()

    def assess(self, operation: Operation, action: Action, scene: Scene, *, agent: str = "") -> Facets:
        """All sides of an operation. A host that the policy knows is no reason to ask."""
        return self.eased(assess(operation, action, scene, self._words, self.kind, agent))

    def decide(
        self,
        operation: Operation,
        action: Action,
        scene: Scene,
        *,
        agent: str = "",
        grants: Grants | None = None,
        counts: Counts | None = None,
        now: float | None = None,
    ) -> GuardDecision:
        """Allow, ask or deny. With nobody there to answer, the caller takes ask for deny.

        ``agent``: the role that wants it; ``grants`` and ``counts``: of the run's branch; ``now``: Unix seconds, None where
        it is not known: then no approval with an end holds, and limits count everything.
        """
        facets = self.assess(operation, action, scene, agent=agent)
        return self.rule_on(operation, facets, grants=grants, counts=counts, now=now)

    def rule_on(
        self,
        operation: Operation,
        facets: Facets,
        *,
        grants: Grants | None = None,
        counts: Counts | None = None,
        now: float | None = None,
    ) -> GuardDecision:
        """:meth:`decide`, where the facets are known already."""
        weighed = weigh(self.policy.rules, facets)
        decision = _by_rules(weighed, facets)
        limits = [limit for limit in self.policy.limits if exhausted(limit, facets, counts or Counts(), now)]
        strictest = max(limits, key=lambda limit: (STRICTNESS.index(limit.effect), limit.name), default=None)
        if strictest is not None and STRICTNESS.index(strictest.effect) > STRICTNESS.index(decision.effect):
            why = strictest.why or f"at most {strictest.most} such operations are let through per {strictest.per}"
            changed = {"effect": strictest.effect, "rule": strictest.name, "why": why, "every_time": True}
            return decision.model_copy(update=changed)
        if strictest is not None:
            return decision.model_copy(update={"every_time": True})
        if decision.effect != "ask" or weighed.rule is None:
            return decision
        grant = grants.covering(weighed.rule, operation, facets, now) if grants is not None else None
        if grant is None:
            return decision
        why = f"a person approved it with event {grant.event}"
        return decision.model_copy(update={"effect": "allow", "by": "grant", "grant": grant.event, "why": why})

    def eased(self, found: Facets) -> Facets:
        """Without the risk of going to hosts, where the policy knows all of them."""
        known = all(any(host_fits(pattern, host) for pattern in self.policy.hosts) for host in found.hosts)
        if found.risk != "network" or found.apart is None or not found.hosts or not known:
            return found
        return replace(found, risk=found.apart)


def _by_rules(weighed: Weighed, facets: Facets) -> GuardDecision:
    decision = GuardDecision(
        effect="deny",
        rule="",
        risk=facets.risk,
        place=facets.place,
        app=facets.app,
        hosts=facets.hosts,
        explanation=weighed.fitting,
    )
    if weighed.too_much:
        return decision.model_copy(update={"why": "it does too much at once to be judged"})
    if weighed.rule is None:
        about = f": {weighed.missing[:200]}" if weighed.missing and weighed.fitting else ""
        return decision.model_copy(update={"why": f"no rule is about this{about}"})
    rule = weighed.rule
    return decision.model_copy(
        update={"effect": rule.effect, "rule": rule.name, "why": _why(rule, facets, weighed), "every_time": rule.every_time}
    )


def _why(rule: Rule, facets: Facets, weighed: Weighed) -> str:
    """What raised the risk, else what the rule is about, else what the operation is."""
    fitting = next((each for each in weighed.fitting if each.rule == rule.name), None)
    told = {} if fitting is None or rule.builtin else fitting.conditions
    about = ", ".join(f"{field} {value!r}" for field, value in told.items() if field not in ("risk", "place"))
    reason = facets.why or about or f"{facets.actions[0]} is a {facets.risk} action, {_WHERE[facets.place]}"
    if rule.why:
        return f"{rule.why} ({reason})"
    return reason if facets.why or not about else f"the rule {rule.name!r} is about {about}"


_WHERE: dict[Place, str] = {
    "workspace": "inside the workspace",
    "virtual": "on the virtual desktop",
    "real": "on your own computer",
    "outside": "outside the workspace",
}

"""The guard authorizes every operation before it is executed: allow, ask or deny."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field

from deskcrew.actions.action import Action, Risk, Scene
from deskcrew.actions.bound import bound_of
from deskcrew.actions.files import DELETE_FILE, READ_FILE
from deskcrew.environments.changes import Changes
from deskcrew.environments.environment import Link
from deskcrew.environments.pointing import target_of
from deskcrew.environments.trees import TreeEntry, shallow, walk
from deskcrew.facts.events import Bound, DesktopKind, Operation
from deskcrew.facts.observation import Frozen
from deskcrew.facts.texts import folded
from deskcrew.guard.commands import JudgedRisk
from deskcrew.guard.consent import UNNAMED, Consents, Label, liftable
from deskcrew.guard.facets import Facets, PathFacet, Place
from deskcrew.guard.filled import names
from deskcrew.guard.history import History, exhausted
from deskcrew.guard.patterns import host_fits
from deskcrew.guard.policy import Policy
from deskcrew.guard.pressing import apart, only_opens, told_by
from deskcrew.guard.risk import assess, assess_changes
from deskcrew.guard.rules import STRICTNESS, Decision, Rule
from deskcrew.guard.weighing import Fitting, Weighed, weigh
from deskcrew.guard.words import Words


class GuardDecision(Frozen):
    """A decision. ``rule``: the name of the rule or limit that decided, '' if none matched. ``why``: for a person to read.
    ``every_time``: an approval must not be remembered. ``by``: ``grant`` if an earlier approval (event number ``grant``)
    covers the operation; ``consent`` if the task itself orders it, by the consent at that index. ``liftable``: whether a
    consent could replace the approval. ``app``, ``hosts``: where it takes effect. ``bound``: what the operation, and an
    approval of it, applies to. ``explanation``: all rules that match."""

    effect: Decision
    rule: str
    risk: Risk
    why: str = ""
    every_time: bool = True
    by: Literal["policy", "grant", "consent"] = "policy"
    grant: int | None = None
    consent: int | None = None
    step: bool = False
    """The consent allows it as a step towards what it orders."""
    asks: bool = False
    """A model that was shown what is to be sent says that it only requests data."""
    liftable: bool = False
    place: Place = "workspace"
    app: str = ""
    hosts: tuple[str, ...] = ()
    bound: Bound = Bound()
    doubt: str = ""
    """Why it cannot be shown to be harmless although a built-in rule allows it: a person who is present is asked."""
    explanation: tuple[Fitting, ...] = Field(default=(), repr=False)


class Guard:
    """Authorizes every operation before it is executed. ``kind``: the kind of the run's desktop. Immutable and pure."""

    def __init__(self, policy: Policy, kind: DesktopKind, words: Words | None = None) -> None:
        self.policy = policy
        self.kind: DesktopKind = kind
        self.words = words or Words.load()

    def assess(self, operation: Operation, action: Action, scene: Scene, *, agent: str = "") -> Facets:
        """The facets of an operation. A host that the policy knows does not raise its risk."""
        return self.eased(assess(operation, action, scene, self.words, self.kind, agent))

    def decide(
        self,
        operation: Operation,
        action: Action,
        scene: Scene,
        *,
        agent: str = "",
        history: History | None = None,
        sent: JudgedRisk | None = None,
        matched: int | None = None,
        by_model: bool = False,
        now: float | None = None,
    ) -> GuardDecision:
        """Allow, ask or deny. If nobody is present to answer, the caller treats ask as deny.

        ``agent``: the role that proposes the operation; ``history``: the history of the run's branch; ``sent``: what a page
        wants to send because of the operation: then this is decided about, before it is sent; ``matched``: the consent that
        the operation carries out according to a model; ``by_model``: only a model, not a comparison of words, decides
        whether the task orders it; ``now``: Unix seconds; None if unknown: then approvals that expire do not hold, and
        limits count everything.
        """
        if sent is not None and sent.risk == "read":
            return GuardDecision(effect="allow", rule="", risk="read", every_time=False)
        facets = self.assess(operation, action, scene, agent=agent)
        if sent is not None:
            facets = replace(facets, risk=sent.risk, why=sent.why, doubt="")
        bound = bound_of(operation, action, scene)
        decision = self.rule_on(operation, facets, bound, history=history, now=now)
        deletes = bool(action.removes)
        return self._consented(
            decision, operation, facets, history, scene, deletes=deletes, matched=matched, by_model=by_model
        )

    def decide_changes(
        self,
        changes: Changes,
        operation: Operation,
        action: Action,
        *,
        agent: str = "",
        history: History | None = None,
        now: float | None = None,
    ) -> GuardDecision:
        """Like :meth:`decide`, for what a program changed in the workspace, before the changes are applied."""
        decisions: list[GuardDecision] = []
        for facets, amounts_to in assess_changes(changes, action, agent):
            ruled = self.rule_on(operation, facets, history=history, now=now)
            deletes = amounts_to == DELETE_FILE.name
            decisions.append(self._consented(ruled, operation, facets, history, None, deletes=deletes))
            # What forbids an action on files forbids a program that does the same; what allows one says nothing of programs.
            same = self.rule_on(operation, replace(facets, actions=(*facets.actions, amounts_to)), now=now)
            if same.effect == "deny" and same.rule:
                decisions.append(same)
        return max(decisions, key=lambda decision: (STRICTNESS.index(decision.effect), decision.risk == "destroy"))

    def hidden(self, action: str, agent: str, root: int) -> tuple[str, ...]:
        """Paths below the open folder ``root`` that the policy forbids to read. Programs can read anything, so these paths
        are hidden from them."""
        if not any(rule.effect == "deny" and rule.path is not None for rule in self.policy.rules):
            return ()

        def denied(found: TreeEntry) -> bool:
            facets = Facets(
                "read", "workspace", actions=(action, READ_FILE.name), agent=agent, paths=(PathFacet(found.path),)
            )
            rule = weigh(self.policy.rules, facets).rule
            return rule is not None and rule.effect == "deny" and rule.path is not None

        hidden: set[str] = set()
        for found in walk(root, lambda found: found.path not in hidden and shallow(found)):
            if denied(found):
                hidden.add(found.path)
        return tuple(sorted(hidden))

    def rule_on(
        self,
        operation: Operation,
        facets: Facets,
        bound: Bound | None = None,
        *,
        history: History | None = None,
        now: float | None = None,
    ) -> GuardDecision:
        """Like :meth:`decide`, for facets that have already been determined, and without the task's consent."""
        bound, history = bound or Bound(), history or History()
        weighed = weigh(self.policy.rules, facets)
        decision = _by_rules(weighed, facets).model_copy(update={"bound": bound})
        limits = [limit for limit in self.policy.limits if exhausted(limit, facets, history.counts, now)]
        strictest = max(limits, key=lambda limit: (STRICTNESS.index(limit.effect), limit.name), default=None)
        if strictest is not None and STRICTNESS.index(strictest.effect) > STRICTNESS.index(decision.effect):
            why = strictest.why or f"at most {strictest.most} such operations are let through per {strictest.per}"
            changed = {"effect": strictest.effect, "rule": strictest.name, "why": why, "every_time": True}
            return decision.model_copy(update=changed)
        if strictest is not None:
            return decision.model_copy(update={"every_time": True})
        if decision.effect != "ask" or weighed.rule is None:
            return decision
        grant = history.grants.covering(weighed.rule, operation, facets, bound, now)
        if grant is None:
            return decision
        why = f"a person approved it with event {grant.event}"
        return decision.model_copy(update={"effect": "allow", "by": "grant", "grant": grant.event, "why": why})

    def _consented(
        self,
        decision: GuardDecision,
        operation: Operation,
        facets: Facets,
        history: History | None,
        scene: Scene | None,
        *,
        deletes: bool,
        matched: int | None = None,
        by_model: bool = False,
    ) -> GuardDecision:
        """Allow what a built-in rule would ask about, if the user's own words order it."""
        if decision.effect != "ask" or history is None or not liftable(facets):
            return decision
        if not any(rule.name == decision.rule and rule.builtin for rule in self.policy.rules):
            return decision
        if by_model and matched is None:
            return decision.model_copy(update={"liftable": True})
        consents, label = history.consents, self._label(operation, scene) if scene is not None else UNNAMED
        # What sends may remove something besides, which no consent to sending is about.
        removing = facets.risk == "send" and (
            label.removes or any(map(self._removes, (each.name for each in facets.targets)))
        )
        if removing and not label.only_removes and not by_model:
            return decision
        gone = removing or (facets.risk == "destroy" and scene is not None)
        if matched is not None and gone and not self._orders_removal(consents, matched, operation, scene):
            why = "the task orders something to be sent, and says nothing of removing anything"
            return decision.model_copy(update={"why": f"{decision.why}; {why}", "liftable": True})
        place, lacking = consents.covering(operation, facets, decision.bound, scene, label, deletes=deletes, matched=matched)
        if place is None:
            why = f"{decision.why}; {lacking}" if lacking else decision.why
            return decision.model_copy(update={"why": why, "liftable": True})
        if matched is None and scene is not None and (strange := self._strange(operation, scene, consents, place)):
            return decision.model_copy(update={"why": f"{decision.why}; {strange}", "liftable": True})
        why = f"the task orders it: {consents.consents[place].words}"
        said = {
            "effect": "allow",
            "by": "consent",
            "consent": place,
            "why": why,
            "step": matched is None and label.silent and facets.risk == "send",
        }
        return decision.model_copy(update=said)

    def only_opens(self, link: Link) -> bool:
        """Whether a link may be followed without an order, by a GET, to see what is there."""
        return only_opens(link.words, link.url, self.words)

    def _strange(self, operation: Operation, scene: Scene, consents: Consents, place: int) -> str:
        """Why a consent to what a form holds does not extend to one of its buttons: it sends the form elsewhere, and the
        user's words do not mention that; '' if there is no reason."""
        control = target_of(operation, scene.observation)
        behind = control.behind if control is not None else None
        if control is None or behind is None:
            return ""
        pressed = control.model_copy(update={"name": behind.sends}) if behind.kind == "field" else control
        told, of = told_by(pressed), self.words.names.of
        if not apart(behind, told, self.words) or names(pressed, folded(consents.said)):
            return ""
        quoted = {risk for quote in consents.consents[place].quotes for risk in of(quote).risks}
        if quoted & {risk for name in told for risk in of(name).risks}:
            return ""
        return f"the task does not say {pressed.name!r}, which sends the form elsewhere than the form itself goes"

    def _orders_removal(self, consents: Consents, place: int, operation: Operation, scene: Scene | None) -> bool:
        """Whether an order can be about a removal, whatever a model says: the order takes something back, its words speak of
        removing, or they name what is pressed."""
        order = consents.consents[place]
        if order.kind != "send" or any(map(self._removes, order.quotes)):
            return True
        control = target_of(operation, scene.observation) if scene is not None else None
        return control is not None and names(control, folded(" ".join(order.quotes)))

    def _removes(self, name: str) -> bool:
        return "destroy" in self.words.names.of(name).risks

    def _label(self, operation: Operation, scene: Scene) -> Label:
        """What the name of the pressed control says, compared with the other names on its page."""
        control = target_of(operation, scene.observation)
        if control is None:
            return UNNAMED
        others = [each for each in scene.observation.controls if each.window == control.window and each != control]
        grave = any(self.words.names.of(each.name).risk for each in others if each.behind is not None)
        risks = {risk for name in told_by(control) for risk in self.words.names.of(name).risks}
        return Label(
            removes="destroy" in risks,
            only_removes=risks == {"destroy"},
            silent=not risks,
            sends="send" in risks,
            alone=not grave,
            keeps=not risks and self.words.names.of(control.name).saves,
        )

    def eased(self, found: Facets) -> Facets:
        """The facets without the risk of reaching hosts, if the policy knows all of them."""
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
    doubt = facets.doubt if rule.builtin and rule.effect == "allow" else ""
    told = {"why": doubt or _why(rule, facets, weighed), "every_time": rule.every_time or bool(doubt), "doubt": doubt}
    return decision.model_copy(update={"effect": rule.effect, "rule": rule.name} | told)


def _why(rule: Rule, facets: Facets, weighed: Weighed) -> str:
    """The reason for a decision: what raised the risk, else what the rule applies to, else what the operation is."""
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

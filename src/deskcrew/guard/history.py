"""What of a branch's events the guard goes by: operations that were done, and approvals of a person that still hold.

Folds over events and nothing else, so that a resumed run counts on where it stopped, and a rewound one counts only what
lies on its branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deskcrew import events as e
from deskcrew.guard import conditions as c
from deskcrew.guard.commands import ORDER
from deskcrew.guard.facets import Facets
from deskcrew.guard.patterns import is_outside
from deskcrew.guard.rules import SECONDS, Limit, Rule


@dataclass(frozen=True, slots=True)
class Done:
    """An operation that was begun. ``time``: Unix seconds; ``hosts`` and ``app``: where it went."""

    action: str
    risk: str
    agent: str
    time: float
    app: str = ""
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """All operations that were begun, oldest first."""

    done: tuple[Done, ...] = ()

    @classmethod
    def from_events(cls, events: Iterable[e.Event]) -> Counts:
        """``events``: a branch from its first event on."""
        approved: dict[str, e.OperationApproved] = {}
        done: list[Done] = []
        for event in events:
            body, cause = event.body, event.header.cause or ""
            if isinstance(body, e.OperationApproved):
                approved[cause] = body
            elif isinstance(body, e.ActionStarted):
                by = approved.get(cause)
                risk, app, hosts = (by.risk, by.app, by.hosts) if by is not None else ("unknown", "", ())
                done.append(Done(body.operation.function, risk, body.role, event.header.time, app, hosts))
        return cls(tuple(done))

    def of(self, limit: Limit, now: float | None) -> int:
        """How many operations a limit counts at that time; None: all there were."""
        seconds = SECONDS[limit.per]
        return sum(
            _counts(limit, each) and (seconds is None or now is None or now - each.time < seconds) for each in self.done
        )


def exhausted(limit: Limit, facets: Facets, counts: Counts, now: float | None) -> bool:
    """Whether a limit is about this operation and leaves no room for it."""
    return concerns(limit, facets) and counts.of(limit, now) >= limit.most


def concerns(limit: Limit, facets: Facets) -> bool:
    """Whether a limit is about an operation: one of its values on each side is enough."""
    return (
        c.fits_whole(limit, facets)
        and (limit.action is None or any(c.fits_action(limit, action) for action in facets.actions))
        and (limit.app is None or any(c.fits_app(limit, app) for app in facets.apps))
        and (limit.host is None or any(c.fits_host(limit, host) for host in facets.hosts))
    )


def _counts(limit: Limit, done: Done) -> bool:
    hosts = done.hosts
    facets = Facets(
        risk=done.risk,  # type: ignore[arg-type]
        place="virtual",
        actions=(done.action,),
        agent=done.agent,
        apps=(done.app,) if done.app else (),
        hosts=hosts,
    )
    return concerns(limit, facets)


@dataclass(frozen=True, slots=True)
class Grant:
    """A person's approval that reaches further than one operation. ``event``: number of the approval.

    ``app``: only in this program, None: anywhere; ``until``: Unix seconds, None: to the end of the run.
    """

    event: int
    rule: str
    action: str
    risk: str
    hosts: tuple[str, ...]
    operation: e.Operation
    app: str | None
    since: float
    until: float | None

    def covers(self, rule: Rule, operation: e.Operation, facets: Facets, now: float | None) -> bool:
        """Whether an operation that ``rule`` asks about was approved with it."""
        leaves = facets.place == "outside" or (rule.path is not None and any(is_outside(p.path) for p in facets.paths))
        if rule.every_time or leaves or rule.name != self.rule:
            return False
        # A clock that went back says nothing about how long ago it was.
        in_time = self.until is None or (now is not None and self.since <= now < self.until)
        # Where nobody can tell where it goes, only the very same operation is meant.
        hosts_known = bool(facets.hosts) or facets.risk != "network" or operation == self.operation
        return (
            in_time
            and hosts_known
            and facets.actions[:1] == (self.action,)
            and ORDER.index(facets.risk) <= _grave(self.risk)
            and set(facets.hosts) <= set(self.hosts)
            and (self.app is None or set(facets.apps) == {self.app})
        )


def _grave(risk: str) -> int:
    places: Mapping[str, int] = {name: place for place, name in enumerate(ORDER)}
    return places.get(risk, -1)


@dataclass(frozen=True, slots=True)
class Grants:
    """The approvals of a branch that reach further than one operation."""

    held: tuple[Grant, ...] = ()

    @classmethod
    def from_events(cls, events: Iterable[e.Event]) -> Grants:
        """``events``: a branch from its first event on. Approvals on branches that were left do not hold."""
        proposed: dict[str, e.OperationProposed] = {}
        held: list[Grant] = []
        for event in events:
            body = event.body
            if isinstance(body, e.OperationProposed):
                proposed[event.id] = body
            elif isinstance(body, e.OperationApproved) and body.by == "human" and body.scope != "once":
                meant = proposed.get(event.header.cause or "")
                if meant is None or (body.scope == "app" and not body.app):
                    continue
                held.append(_grant(event, body, meant.operation))
        return cls(tuple(held))

    def covering(self, rule: Rule, operation: e.Operation, facets: Facets, now: float | None) -> Grant | None:
        """The approval that covers an operation, None: it must be asked for."""
        return next((grant for grant in reversed(self.held) if grant.covers(rule, operation, facets, now)), None)


def _grant(event: e.Event, body: e.OperationApproved, operation: e.Operation) -> Grant:
    since = event.header.time
    return Grant(
        event=event.number,
        rule=body.rule,
        action=operation.function,
        risk=body.risk,
        hosts=body.hosts,
        operation=operation,
        app=body.app if body.scope == "app" else None,
        since=since,
        until=None if body.expires is None else since + body.expires,
    )

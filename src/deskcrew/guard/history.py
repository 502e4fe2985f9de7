"""The events of a branch that the guard's decisions depend on: executed operations, and a person's approvals that are still
valid.

Both are folds over events alone, so that a resumed run keeps counting where it stopped, and a rewound run counts only what
lies on its branch.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from deskcrew.actions import code
from deskcrew.facts import events as e
from deskcrew.guard import conditions as c
from deskcrew.guard.commands import ORDER
from deskcrew.guard.consent import Consents
from deskcrew.guard.facets import Facets
from deskcrew.guard.patterns import is_outside
from deskcrew.guard.rules import SECONDS, Limit, Rule


@dataclass(frozen=True, slots=True)
class StartedOperation:
    """An operation that was started. ``time``: Unix seconds; ``hosts`` and ``app``: where it took effect."""

    action: str
    risk: str
    agent: str
    time: float
    app: str = ""
    hosts: tuple[str, ...] = ()


@dataclass(slots=True)
class _CountedLimit:
    """The count of one limit. ``folded``: how many operations were examined; ``times``: the sorted start times of those that
    count."""

    folded: int = 0
    times: list[float] = field(default_factory=list[float])


@dataclass(slots=True)
class Counts:
    """All operations that were started, oldest first. Changed only by :meth:`apply`."""

    done: list[StartedOperation] = field(default_factory=list[StartedOperation])
    _approved: dict[str, e.OperationApproved] = field(default_factory=dict[str, e.OperationApproved])
    _counted: dict[Limit, _CountedLimit] = field(default_factory=dict[Limit, _CountedLimit])

    def apply(self, event: e.Event) -> None:
        """Fold the branch's next event."""
        body, cause = event.body, event.header.cause or ""
        if isinstance(body, e.OperationApproved):
            self._approved[cause] = body
        elif isinstance(body, e.ActionStarted):
            by = self._approved.get(cause)
            risk, app, hosts = (by.risk, by.app, by.hosts) if by is not None else ("unknown", "", ())
            self.done.append(StartedOperation(body.operation.function, risk, body.role, event.header.time, app, hosts))

    def of(self, limit: Limit, now: float | None) -> int:
        """How many operations count towards a limit at time ``now``; None: all of them."""
        counted = self._counted.setdefault(limit, _CountedLimit())
        for each in self.done[counted.folded :]:
            if _counts(limit, each):
                insort(counted.times, each.time)  # a clock may go back
        counted.folded = len(self.done)
        seconds = SECONDS[limit.per]
        if seconds is None or now is None:
            return len(counted.times)
        return len(counted.times) - bisect_right(counted.times, -seconds, key=lambda time: time - now)


def exhausted(limit: Limit, facets: Facets, counts: Counts, now: float | None) -> bool:
    """Whether a limit applies to this operation and has been reached."""
    return concerns(limit, facets) and counts.of(limit, now) >= limit.most


def concerns(limit: Limit, facets: Facets) -> bool:
    """Whether a limit applies to an operation: one matching value for each facet is enough."""
    return (
        c.fits_whole(limit, facets)
        and (limit.action is None or any(c.fits_name(limit.action, action) for action in facets.actions))
        and (limit.app is None or any(c.fits_name(limit.app, app) for app in facets.apps))
        and (limit.host is None or any(c.fits_host(limit, host) for host in facets.hosts))
    )


def _counts(limit: Limit, done: StartedOperation) -> bool:
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
    """A person's approval that covers more than one operation. ``event``: the number of the approval.

    It covers the same action on the same thing, any number of times: the control of that role and name on that page, the
    files at those paths, that command while the scripts that it runs are unchanged. Typed texts, and addresses on the same
    hosts, may differ. ``app``: only in this program, None: in any; ``until``: Unix seconds, None: to the end of the run.
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
    bound: e.Bound | None = None

    def covers(self, rule: Rule, operation: e.Operation, facets: Facets, bound: e.Bound, now: float | None) -> bool:
        """Whether the grant covers an operation that ``rule`` asks about. ``bound``: what the operation applies to."""
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
            and self._same_thing(operation, facets, bound)
            and facets.actions[:1] == (self.action,)
            and ORDER.index(facets.risk) <= _grave(self.risk)
            and set(facets.hosts) <= set(self.hosts)
            and (self.app is None or set(facets.apps) == {self.app})
        )

    def _same_thing(self, operation: e.Operation, facets: Facets, bound: e.Bound) -> bool:
        shown = self.bound
        if shown is None or _where(shown) != _where(bound):
            return False
        runs = RUNS & {*facets.actions, self.operation.function}
        if runs and (operation.params != self.operation.params or shown.files != bound.files):
            return False
        return _which(operation) == _which(self.operation)


RUNS = frozenset(action.name for action in code.ACTIONS)
"""Actions whose text is itself the operation."""
_SAID = frozenset({"text", "url", "words", "count", "code", "others", "command", "pattern", "find", "new_window"})
"""Parameters that do not identify what is acted on: texts, result counts, addresses (their hosts are compared)."""


def _where(bound: e.Bound) -> tuple[object, ...]:
    """What an approval applies to, without the parts that change: a window's title, the contents of files."""
    target = bound.target
    aimed = (target.role, target.name, target.owner, target.page) if target is not None else ()
    return (*aimed, tuple(file.path for file in bound.files))


def _which(operation: e.Operation) -> dict[str, object]:
    """The parameters that identify what is acted on and how."""
    params = operation.params.items()
    return {name: value for name, value in params if name not in _SAID and not (name == "keys" and isinstance(value, str))}


def _grave(risk: str) -> int:
    places: Mapping[str, int] = {name: place for place, name in enumerate(ORDER)}
    return places.get(risk, -1)


@dataclass(slots=True)
class Grants:
    """The approvals of a branch that cover more than one operation; approvals on abandoned branches do not hold. Changed
    only by :meth:`apply`."""

    held: list[Grant] = field(default_factory=list[Grant])
    _proposed: dict[str, e.OperationProposed] = field(default_factory=dict[str, e.OperationProposed])

    def apply(self, event: e.Event) -> None:
        """Fold the branch's next event."""
        body = event.body
        if isinstance(body, e.OperationProposed):
            self._proposed[event.id] = body
        elif isinstance(body, e.OperationApproved) and body.by == "human" and body.scope != "once":
            meant = self._proposed.get(event.header.cause or "")
            if meant is not None and (body.scope != "app" or body.app):
                self.held.append(_grant(event, body, meant.operation))

    def covering(
        self, rule: Rule, operation: e.Operation, facets: Facets, bound: e.Bound, now: float | None
    ) -> Grant | None:
        """The approval that covers an operation. None: it needs a new one."""
        held = reversed(self.held)
        return next((grant for grant in held if grant.covers(rule, operation, facets, bound, now)), None)


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
        bound=body.bound,
    )


@dataclass(slots=True)
class History:
    """The grants, counts and consents of the branch that a run is on, kept from one operation to the next.

    Each event is folded once, so that the cost of an operation does not grow with the run.
    """

    grants: Grants = field(default_factory=Grants)
    counts: Counts = field(default_factory=Counts)
    consents: Consents = field(default_factory=Consents)
    _folded: int = 0
    _last: str = ""

    @classmethod
    def of(cls, events: Sequence[e.Event]) -> History:
        """The history of a branch. ``events``: the branch from its first event on."""
        history = cls()
        history.follow(events)
        return history

    def follow(self, events: Sequence[e.Event]) -> None:
        """Fold the new events. ``events``: the current branch from its first event on, which may have changed."""
        # An id is a hash over all that came before: where it stands at its place, nothing before it is different.
        if self._folded and (len(events) < self._folded or events[self._folded - 1].id != self._last):
            self.grants, self.counts, self.consents, self._folded = Grants(), Counts(), Consents(), 0
        for place in range(self._folded, len(events)):
            event = events[place]
            for fold in (self.grants, self.counts, self.consents):
                fold.apply(event)
        if events:
            self._folded, self._last = len(events), events[-1].id

"""Repeats a decision of a past run from its journal: what the guard saw then, under the run's own policy or another."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from deskcrew.actions import added, builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.search.provider import remembered
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.events import Event
from deskcrew.facts.observation import Observation
from deskcrew.guard.consent import Consents
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.history import Counts, Grants
from deskcrew.guard.policy import Policy
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import look_of

Ruling = e.OperationApproved | e.OperationDenied


@dataclass(frozen=True, slots=True)
class Again:
    """``proposed``: number of the proposal event. ``recorded``: the ruling in the journal, ``number`` its event; None where
    there is none, because the operation was skipped or the process ended. ``decision``: the ruling made now."""

    proposed: int
    operation: e.Operation
    agent: str
    decision: GuardDecision
    recorded: Ruling | None
    number: int | None

    @property
    def differences(self) -> tuple[str, ...]:
        """The differences between the recorded ruling and the one made now, in words; empty where there are none."""
        if self.recorded is None:
            return ()
        found: list[str] = []
        now, then = self.decision, self.recorded
        if now.effect not in possible(then):
            found.append(f"decision: {' or '.join(possible(then))} then, {now.effect} now")
        if now.rule != then.rule:
            found.append(f"rule: {then.rule or 'none'} then, {now.rule or 'none'} now")
        if now.risk != then.risk:
            found.append(f"risk: {then.risk} then, {now.risk} now")
        return tuple(found)


def possible(recorded: Ruling) -> tuple[str, ...]:
    """The guard decisions that a recorded ruling is consistent with. A person may also be asked about what is allowed."""
    if recorded.by == "human":
        return ("allow", "ask")
    if isinstance(recorded, e.OperationApproved):
        return ("allow",)
    return ("deny",) if recorded.by == "policy" else ("ask",)


def again(journal: Journal, number: int, policy: Policy | None = None) -> Again:
    """Make the decision about an event's operation again. ``policy`` None: the run's own.

    Raises UsageError for an event that belongs to no operation, JournalError where the journal has lost what is needed.
    """
    proposed = _proposed(journal, number)
    body = proposed.body
    assert isinstance(body, e.OperationProposed)
    ruling = next((x for x in journal.all if x.header.cause == proposed.id and isinstance(x.body, Ruling)), None)
    recorded = ruling.body if ruling is not None and isinstance(ruling.body, Ruling) else None
    before = journal.lineage(ruling.number if ruling is not None else proposed.number)
    before = [event for event in before if ruling is None or event.id != ruling.id]
    started = before[0].body
    assert isinstance(started, e.RunStarted)
    files = {PurePosixPath(name): digest for name, digest in started.files.items()}
    of_run = added.recorded(files, lambda name: journal.read_blob(files[name]).decode())
    action = (builtin() | added.by_name(of_run)).get(body.operation.function)
    if action is None:
        raise UsageError(f"This Deskcrew no longer has the action {body.operation.function!r}.")
    with tempfile.TemporaryDirectory(prefix="deskcrew-") as empty:
        # Where the workspace is gone, links in it cannot be followed any more.
        root = Path(started.workspace)
        workspace = Workspace(root if root.is_dir() else Path(empty))
        told = started.settings
        network, unsafe = bool(told.get("network")), bool(told.get("unsafe_host"))
        sandbox = Sandbox(workspace.root, network=network, unsafe_host=unsafe, hosts=tuple(told.get("hosts") or ()))
        decision = Guard(policy or policy_of(journal, started), started.desktop).decide(
            body.operation,
            action,
            Scene(
                workspace,
                sandbox,
                None,
                _seen(journal, before, proposed.header.lane),
                search=remembered(_last_told(before, started)),
            ),
            agent=body.role,
            grants=Grants.from_events(before),
            counts=Counts.from_events(before),
            consents=Consents.from_events(before),
            now=(ruling or proposed).header.time,
        )
    return Again(proposed.number, body.operation, body.role, decision, recorded, ruling.number if ruling else None)


def policy_of(journal: Journal, started: e.RunStarted | None) -> Policy:
    """The policy in force when the run began, whatever has changed on disk since. Raises JournalError and ConfigError."""
    if started is None or not started.policy:
        return Policy.default()
    return Policy.recorded(journal.read_blob(started.policy).decode())


def _proposed(journal: Journal, number: int) -> Event:
    event = journal.event(number)
    if isinstance(event.body, e.OperationProposed):
        return event
    by_id = {each.id: each for each in journal.all}
    cause = by_id.get(event.header.cause or "")
    while cause is not None and not isinstance(cause.body, e.OperationProposed):
        cause = by_id.get(cause.header.cause or "")
    if cause is None or isinstance(event.body, e.Judged):
        raise UsageError(
            f"Event {number} ({event.header.type}) is not an operation.",
            hint=f"`deskcrew log {journal.run}` shows proposals, approvals and denials.",
        )
    return cause


def _last_told(before: list[Event], started: e.RunStarted) -> dict[str, Any]:
    """The settings of the process that made the decision."""
    resumed = (event.body.settings for event in reversed(before) if isinstance(event.body, e.RunResumed))
    return next(resumed, None) or started.settings


def _seen(journal: Journal, before: list[Event], lane: str) -> Observation:
    look = look_of(reversed(before), lane)
    if look is None or not isinstance(look.body, e.Observed):
        return Observation()
    return Observation.model_validate_json(journal.read_blob(look.body.observation))

"""Repeats a decision of a past run from its journal: on what the guard saw then, under the run's own policy or another."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from deskcrew.actions import added, builtin
from deskcrew.actions.action import Scene
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.changes import Changes
from deskcrew.environments.search.provider import Remembered
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.events import Event
from deskcrew.facts.observation import Observation
from deskcrew.facts.run_settings import RunSettings
from deskcrew.guard.beginning import beginning_of
from deskcrew.guard.guard import Guard, GuardDecision
from deskcrew.guard.history import History
from deskcrew.guard.policy import Policy
from deskcrew.journal.fold import folded
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import look_of

Ruling = e.OperationApproved | e.OperationDenied
Came = e.ChangesFound | e.SendsFound


@dataclass(frozen=True, slots=True)
class RecordedRuling:
    """A recorded ruling beside the same decision made now. ``proposed``: number of the proposal event; ``recorded``: the
    ruling in the journal, ``number``: its event; both None if the operation was skipped or the process ended. ``decision``:
    the ruling made now; None for what a page wanted to send, which is judged by that page. ``about``: what the ruling is
    about, if that is not the operation but an effect of it."""

    proposed: int
    operation: e.Operation
    agent: str
    decision: GuardDecision | None
    recorded: Ruling | None
    number: int | None
    about: Came | None = None

    @property
    def differences(self) -> tuple[str, ...]:
        """The differences between the recorded ruling and the one made now, in words; empty if there are none."""
        if self.recorded is None or self.decision is None:
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
    """The guard decisions that a recorded ruling is consistent with. A person may be asked even about what is allowed."""
    if recorded.by == "human":
        return ("allow", "ask")
    if isinstance(recorded, e.OperationApproved):
        return ("allow",)
    return ("deny",) if recorded.by == "policy" else ("ask",)


def again(journal: Journal, number: int, policy: Policy | None = None) -> RecordedRuling:
    """Make the decision about an event's operation again. ``policy`` None: the run's own.

    Raises UsageError for an event that belongs to no operation, JournalError if the journal has lost what is needed.
    """
    proposed = _proposed(journal, number)
    body = proposed.body
    assert isinstance(body, e.OperationProposed)
    came = _came(journal, proposed, number)
    asked = came or proposed
    ruling = next((x for x in journal.all if x.header.cause == asked.id and isinstance(x.body, Ruling)), None)
    recorded = ruling.body if ruling is not None and isinstance(ruling.body, Ruling) else None
    about = came.body if came is not None and isinstance(came.body, Came) else None
    if about is not None and recorded is None and about.effect == "allow":
        ruling, recorded = came, e.OperationApproved(rule=about.rule, risk=about.risk)
    before = journal.lineage((ruling or asked).number)
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
        told, last = started.settings, _last_settings(before, started)
        sandbox = Sandbox(workspace.root, network=told.network, unsafe_host=told.unsafe_host, hosts=told.hosts)
        guard, now = Guard(policy or policy_of(journal, started), started.desktop), (ruling or proposed).header.time
        history = History.of(before)
        decide, decide_changes = (
            partial(each, agent=body.role, history=history, now=now) for each in (guard.decide, guard.decide_changes)
        )
        decision: GuardDecision | None = None
        if isinstance(about, e.ChangesFound):
            changes = Changes.model_validate_json(journal.read_blob(about.changes))
            decision = decide_changes(changes, body.operation, action)
        elif about is None:
            scene = Scene(
                workspace,
                sandbox,
                None,
                _seen(journal, before, proposed.header.lane),
                search=Remembered(last.search.provider, last.search.host) if last.search is not None else None,
                beginning=beginning_of(before, folded(before), journal.read_blob) if action.loses is not None else None,
                typed=history.consents.typed,
            )
            decision = decide(body.operation, action, scene)
    return RecordedRuling(
        proposed.number, body.operation, body.role, decision, recorded, ruling.number if ruling else None, about
    )


def _came(journal: Journal, proposed: Event, number: int) -> Event | None:
    """The event of an operation's effect that event ``number`` is about, by default the last one; None if ``number`` is
    about the operation itself."""
    asked, started = journal.event(number), {x.id for x in journal.all if x.header.cause == proposed.id}
    found = [x for x in journal.all if isinstance(x.body, Came) and x.header.cause in started]
    if isinstance(asked.body, Ruling) and asked.header.cause == proposed.id:
        return None
    return next((x for x in found if number == x.number or asked.header.cause == x.id), found[-1] if found else None)


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
            hint=f"For a list of operations: deskcrew audit {journal.run}",
        )
    return cause


def _last_settings(before: list[Event], started: e.RunStarted) -> RunSettings:
    """The settings of the process that made the decision."""
    resumed = (event.body.settings for event in reversed(before) if isinstance(event.body, e.RunResumed))
    return next((told for told in resumed if told.model_fields_set), started.settings)


def _seen(journal: Journal, before: list[Event], lane: str) -> Observation:
    look = look_of(reversed(before), lane)
    if look is None or not isinstance(look.body, e.Observed):
        return Observation()
    return Observation.model_validate_json(journal.read_blob(look.body.observation))

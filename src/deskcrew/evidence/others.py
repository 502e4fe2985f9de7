"""What changed in the workspace during a run, but not by it: for example, a person's own work while they were asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deskcrew.actions import action_of
from deskcrew.environments.changes import Changes
from deskcrew.environments.manifest import Manifest, printable
from deskcrew.environments.workspace import workspace_path
from deskcrew.evidence.states import States
from deskcrew.facts.events import ActionStarted, ChangesFound, Event, HumanSaid, Operation, Rewound, RunStarted, Saved


def changed_by_others(events: Sequence[Event], get: Callable[[str], bytes], *, after: int = 0) -> tuple[str, ...]:
    """The paths that somebody else changed during the events of a branch with a number above ``after``, sorted. ``get``
    returns a blob.

    Programs in windows write at any time: from the first operation in a window on, every change counts as the run's own.
    """
    found = _Found(get)
    for event in events:
        if not found.note(event, counts=event.number > after):
            break
    return tuple(sorted(found.paths))


@dataclass(slots=True)
class _Found:
    get: Callable[[str], bytes]
    paths: set[str] = field(default_factory=set[str])
    last: Manifest | None = None
    steps: set[str] = field(default_factory=set[str])
    """The paths that operations have declared as changed since the last save point."""
    anything: bool = False
    """Whether an operation since then did not declare what it changes."""

    def note(self, event: Event, *, counts: bool) -> bool:
        """Whether changes by others can still be told apart after this event."""
        match event.body:
            case RunStarted() as body:
                return not body.settings.opened
            case HumanSaid(kind="take_over"):
                return False
            case ActionStarted(effect="lasting") as body:
                action = action_of(body.operation)
                return action is not None and action.gives == "web"
            case ActionStarted(effect="undoable") as body:
                self._started(body.operation)
            case ChangesFound() as body:
                self.steps |= {each.path for each in Changes.model_validate_json(self.get(body.changes)).entries}
            case Rewound() as body:
                # What a return to another branch brings back is told by that one.
                self._saved(body.restored, counts=counts and not (body.undo and not body.to))
                self.last = None
            case Saved() as body:
                self._saved(body.manifest, counts=counts)
            case _:
                pass
        return True

    def _started(self, operation: Operation) -> None:
        action = action_of(operation)
        named = (*action.writes, *action.removes) if action is not None else ()
        self.steps |= {workspace_path(str(operation.params.get(name))) for name in named}
        # What a program changes is recorded with it.
        self.anything = self.anything or not (named or (action is not None and action.needs == "sandbox"))

    def _saved(self, digest: str, *, counts: bool) -> None:
        now = Manifest.from_bytes(self.get(digest)) if digest else None
        if counts and now is not None and self.last is not None and not self.anything:
            self.paths.update(path for path in States(self.last, now, self.get).changes() if not self._own(path))
        self.last, self.steps, self.anything = now, set(), False

    def _own(self, path: str) -> bool:
        """Whether an operation changed the path, something in it, or the folder that contains it."""
        path = printable(path)
        return any(path == each or path.startswith(f"{each}/") or each.startswith(f"{path}/") for each in self.steps)

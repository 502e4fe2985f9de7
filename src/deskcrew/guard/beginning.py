"""The state of files before a run, from its events: what losses of files are measured against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from deskcrew.environments.beginning import Beginning
from deskcrew.environments.changes import Changes
from deskcrew.environments.manifest import Manifest
from deskcrew.facts.events import ChangesFound, Event, Observed, Saved
from deskcrew.facts.texts import file_names
from deskcrew.journal.fold import RunState


def beginning_of(events: Sequence[Event], state: RunState, get: Callable[[str], bytes]) -> Beginning | None:
    """The workspace at the save point of the run's start, and after these events. None: nothing was saved yet. ``state``:
    the fold of these events; ``get`` returns a blob."""
    saved = [event.body.manifest for event in events if isinstance(event.body, Saved)]
    if not saved:
        return None
    start, now = (Manifest.from_bytes(get(digest)) for digest in (saved[0], saved[-1]))
    made: set[str] = set()
    for event in events:
        # What appears otherwise, a person may have put there.
        if isinstance(event.body, Observed) and event.header.cause is not None:
            made.update(event.body.evidence.files_created)
        elif isinstance(event.body, ChangesFound):
            changes = Changes.model_validate_json(get(event.body.changes))
            made.update(entry.path for entry in changes.entries if entry.kind == "new")
    return Beginning(start, now, frozenset(made), _edited(state, start), get)


def _edited(state: RunState, start: Manifest) -> frozenset[str]:
    """Existing files that the contract names one by one as files that change; without a contract, those that the task names.
    A check that a file exists does not say that it changes."""
    if (contract := state.contract) is not None:
        changing = tuple(
            each.model_copy(update={"checks": tuple(check for check in each.checks if check.kind != "file_exists")})
            for each in contract.requirements
            if not each.stays
        )
        return frozenset(contract.model_copy(update={"requirements": changing}).files) & start.by_path.keys()
    named = {PurePosixPath(name).as_posix() for name in file_names(state.task)}
    return frozenset(path for path in start.by_path if path in named or path.rpartition("/")[2] in named)

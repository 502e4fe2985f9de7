"""What has become of a workspace's files since a run ended, from the run's record and the files alone."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatch
from glob import has_magic
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from deskcrew.errors import JournalError
from deskcrew.facts.events import ActionStarted, Observed, OperationProposed, Rewound, Saved, Understood
from deskcrew.facts.observation import FileEntry, Observation
from deskcrew.facts.texts import names_file
from deskcrew.journal.journal import Journal
from deskcrew.journal.naming import digests_at
from deskcrew.journal.records import touched


class LastKnown(NamedTuple):
    """The workspace as a run left it. ``manifest``: blob of the last save point; ``seen``: the files of a later observation,
    by path; None if there was none."""

    manifest: str
    seen: Mapping[str, FileEntry] | None


def last_known(journal: Journal) -> LastKnown | None:
    """The workspace at the end of the run's current branch; None if it is unknown."""
    seen: Mapping[str, FileEntry] | None = None
    # What a return to an old branch brought back may hold what others changed.
    returned = {
        event.id for event in journal.events if isinstance(event.body, Rewound) and event.body.undo and not event.body.to
    }
    for event in reversed(journal.events):
        match event.body:
            case ActionStarted() if seen is None and event.body.effect != "none":
                return None
            case Observed() if seen is None:
                look = Observation.model_validate_json(journal.read_blob(event.body.observation))
                seen = {entry.path: entry for entry in look.files}
            case Saved() if event.header.cause not in returned:
                return LastKnown(event.body.manifest, seen)
            case _:
                pass
    return None


Later = Literal["changed", "removed"]
"""What has become of a file since the run ended."""
FATES: tuple[Later, ...] = get_args(Later)


def changed_after(journal: Journal) -> dict[str, Later]:
    """What has become of the files that an ended run of this machine made, changed or used, by path, sorted; files that are
    as it left them are left out. Blocking: reads the files."""
    begun = journal.state.started
    if journal.state.outcome is None or begun is None or journal.imported():
        return {}
    known: Mapping[str, str] = {}
    with suppress(JournalError):  # what is missing of the record, verify says
        if (left := last_known(journal)) is not None and left.seen is not None:
            known = {path: entry.digest or "" for path, entry in left.seen.items()}
        elif left is not None:
            known = digests_at(journal.read_blob(left.manifest))
    own = {path for path, how in touched(journal.events).items() if how != "deleted"} | _used(journal, known)
    return {path: now for path in sorted(own) if (now := differs(Path(begun.workspace, path), known.get(path, "")))}


def _used(journal: Journal, files: Iterable[str]) -> set[str]:
    """The files that a run was given, and those that its task or an operation of it names, or fits with a pattern."""
    begun = journal.state.started
    assert begun is not None
    said = {begun.task}
    for event in journal.events:
        if isinstance(event.body, OperationProposed):
            said.update(value for value in event.body.operation.params.values() if isinstance(value, str))
        elif isinstance(event.body, Understood):
            said.update(part.strip() for value in event.body.values.values() for part in str(value).split(","))
    text = "\n".join(said)
    plain, patterns = text.casefold(), [each for each in said if has_magic(each) and "\n" not in each]
    named = {path for path in files if path.rpartition("/")[2].casefold() in plain and names_file(text, path)}
    return named | {path for path in files if path in begun.attachments or any(fnmatch(path, each) for each in patterns)}


def differs(file: Path, digest: str) -> Later | None:
    """Whether a file was removed or its content no longer has the SHA-256 ``digest``; None if neither, or if ``digest`` is
    ''. Blocking."""
    if not digest:
        return None
    try:
        if not os.path.lexists(file):
            return "removed"
        if file.is_symlink() or not file.is_file():
            return "changed"
        with file.open("rb") as opened:
            return "changed" if hashlib.file_digest(opened, "sha256").hexdigest() != digest else None
    except OSError:
        return "changed"

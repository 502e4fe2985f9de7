"""A run's files: fetched from where its submission says, and stored there. Nothing else gets into the workspace.

A run's results are taken from its last save point, not from the disk: so any node can store them, no link of the workspace
is followed, and a file that contains a secret is left out, as from the journal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from deskcrew.environments.manifest import Manifest
from deskcrew.environments.placing import copy_tree
from deskcrew.environments.suitable import measure, refuse_place
from deskcrew.environments.workspace import TRASH
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.events import Saved
from deskcrew.facts.object_stores import ObjectStore
from deskcrew.journal.journal import Journal, events_of
from deskcrew.settings import Settings

_LOCAL = "file://"


def fetch(address: str, folder: Path, settings: Settings) -> None:
    """Copy the folder at an address into ``folder``, which exists and is empty. Raises UsageError if the source does not
    exist or is too large, and EnvironmentFailure if it cannot be read."""
    place = address.removeprefix(_LOCAL)
    if "://" not in place:
        source = Path(place)
        if not source.is_dir():
            raise UsageError(f"There is no folder {address}.", hint="A workspace must be where every node finds it.")
        refuse_place(source, settings.data, (settings.config, settings.models))
        measure(source, files=settings.workspace_files, size=settings.workspace_bytes)
        deque(copy_tree(source, folder, lambda found: found.path != TRASH), maxlen=0)
        return
    with _opened(address) as (files, root):
        if not files.isdir(root):
            raise UsageError(f"There is no folder {address}.")
        found: dict[str, dict[str, Any]] = files.find(root, detail=True)
        size = sum(int(facts.get("size") or 0) for facts in found.values())
        if len(found) > settings.workspace_files or size > settings.workspace_bytes:
            told = f"{address} has {len(found):,} files of {size:,} bytes, more than a workspace may have."
            raise UsageError(told, hint="Settings: workspace_files, workspace_bytes.")
        for path in found:
            name = PurePosixPath(path.removeprefix(root).lstrip("/"))
            if not name.parts or {".", ".."} & set(name.parts):
                raise UsageError(f"{path} is not a valid file name in {address}.")
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(files.cat_file(path))


def put(journal: Journal, address: str) -> int:
    """Write a run's results into a folder with its name at an address; returns how many files are left out because the
    journal does not have them. Idempotent. Raises EnvironmentFailure if nothing can be written there."""
    saved = next((event.body for event in reversed(list(events_of(journal, Saved)))), None)
    if not isinstance(saved, Saved):
        return 0
    left_out = 0
    with _opened(f"{address.rstrip('/')}/{journal.run}") as (files, root):
        for entry in Manifest.from_bytes(journal.read_blob(saved.manifest)).entries:
            if entry.path.split("/")[0] == TRASH or entry.kind == "folder":
                continue
            if entry.kind != "file" or not entry.digest or not _text(entry.path):
                left_out += 1
                continue
            place = f"{root}/{entry.path}"
            files.makedirs(place.rpartition("/")[0], exist_ok=True)
            files.pipe_file(place, journal.read_blob(entry.digest))
    return left_out


def _text(path: str) -> bool:
    """Whether a path is valid UTF-8, and so can be used elsewhere."""
    return path.encode("utf-8", "replace").decode() == path


@contextmanager
def _opened(address: str) -> Generator[tuple[Any, str]]:
    """The fsspec file system for an address, and the path in it. Raises EnvironmentFailure if it cannot be used."""
    store = ObjectStore(address, address, EnvironmentFailure)
    with store.used():
        yield store.files, store.root

"""What code left in the files that it names and should not have: half of what it was to write, where it failed; tables that
are none (rows of several lengths, a column's name twice, the header among the rows). Such files are put back.

Small models hand dictionaries to a writer of lists, and glue files together that each have a header. Such a table looks
finished to every check that only asks whether there is one.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from deskcrew.actions.files import replace
from deskcrew.actions.tables import delimiter_of
from deskcrew.environments.layer import Layer
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError

LARGEST = 1 << 20
"""Bytes of a file that is looked at."""
_NAMED = re.compile(r"['\"]([^'\"\n]{1,200}\.\w{1,5})['\"]")
_TABLES = (".csv", ".tsv")

Before = dict[str, bytes | None]
"""What each file held, by path; None: it was not there."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files that code names, where it works on them: in ``layer``, or in the workspace itself."""

    workspace: Workspace
    layer: Layer | None = None

    def before(self, code: str) -> Before:
        """Those that code names, as they are before it runs, but for those that are too large to be put back."""
        held = {path: self._held(path) for path in dict.fromkeys(_NAMED.findall(code))}
        return {path: data for path, data in held.items() if data is None or len(data) <= LARGEST}

    def there(self, path: str) -> bool:
        """Whether a file is there."""
        return self._held(path, 0) is not None

    def fault(self, was: Before) -> str:
        """What is wrong with a table that was written since, '' where nothing is. A fault that one of the tables had before
        is the user's way to write them. What is wrong is put back as it was, so that it can be done again."""
        tables = {path: data for path, data in was.items() if path.lower().endswith(_TABLES)}
        known = {name for data in tables.values() if data is not None for name in _faults(data)}
        for path, data in tables.items():
            now = self._held(path)
            if now is None or now == data or len(now) > LARGEST:
                continue
            found = _faults(now)
            new = [said for name, said in found.items() if name not in known]
            if new:
                self._put_back(tables)
                return f"{path} would be no table: {new[0]}. It was not written."
        return ""

    def undo(self, was: Before) -> None:
        """Put files back that were opened for writing by code which failed then: what stood in them would be lost. What is
        new and empty goes; what was moved or written to its end stays."""
        now = {path: self._held(path) for path in was}
        changed = {path: data for path, data in was.items() if now[path] is not None and now[path] != data}
        self._put_back({path: data for path, data in changed.items() if data is not None or not now[path]})

    def _held(self, path: str, most: int = LARGEST + 1) -> bytes | None:
        """The first bytes of a file; None where it is not there, or none of the workspace's."""
        try:
            real = self.workspace.resolve(path, must_exist=self.layer is None)
            if self.layer is not None:
                return self.layer.read(self.workspace.relative(real), most)
            with self.workspace.held(real) as place, place.open("rb") as file:
                return file.read(most)
        except (ActionError, OSError):
            return None

    def _put_back(self, was: Before) -> None:
        for path, data in was.items():
            try:
                real = self.workspace.resolve(path, must_exist=data is not None and self.layer is None)
            except ActionError:
                continue  # none of the workspace's, so it was never written
            if self.layer is not None:
                self.layer.put_back(self.workspace.relative(real))
                continue
            with self.workspace.held(real) as place:
                if data is not None:
                    replace(place, data)
                elif place.is_file():
                    place.unlink()


def _faults(data: bytes) -> dict[str, str]:
    """What is wrong with a table, by kind, worded for the model."""
    try:
        text = data.decode("utf-8-sig")
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter_of(text)) if row]
    except (UnicodeDecodeError, csv.Error):
        return {}
    if len(rows) < 2 or len(rows[0]) < 2:
        return {}
    head, found = rows[0], dict[str, str]()
    if len({name for name in head if name}) < len([name for name in head if name]):
        found["twice"] = f"its header has a name twice ({','.join(head)[:100]})"
    if head in rows[1:] and not any(_figure(cell) for cell in head):
        found["header"] = f"row {rows[1:].index(head) + 2} is the header again ({','.join(head)[:100]})"
    other = next((at for at, row in enumerate(rows) if len(row) != len(head)), None)
    if other is not None:
        found["lengths"] = f"row 1 has {len(head)} cells, row {other + 1} has {len(rows[other])}"
    return found


def _figure(cell: str) -> bool:
    return re.fullmatch(r"[-+]?\d[\d.,]*", cell.strip()) is not None

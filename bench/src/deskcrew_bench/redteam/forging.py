"""Edits of a run's record, as somebody makes them who can write the file and wants to be believed."""

from __future__ import annotations

import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

from deskcrew.errors import JournalError
from deskcrew.journal.exported import EVENTS
from deskcrew.journal.exporting import export
from deskcrew.journal.importing import read_export
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew_bench.redteam.case import Tamper

_EDITS = {
    "blob": """update blobs set data = cast(replace(cast(data as text), 'report.csv', 'repost.csv') as blob)
               where cast(data as text) like '%report.csv%'""",
    "body": """update events set body = replace(body, 'report.csv', 'repost.csv')
               where body like '%report.csv%' and run = :run""",
    "outcome": "update runs set outcome = 'done' where id = :run",
    "tail": "delete from events where run = :run and number = (select max(number) from events where run = :run)",
}


def tampered(database: Path, run: str, what: Tamper) -> None:
    """Edit the record of a run. Raises ValueError where there was nothing to edit: such an attack is none."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("pragma foreign_keys = off")
        if what == "tail":  # the run's head goes back with it
            head = "select parent from events where run = :run order by number desc limit 1"
            connection.execute(f"update runs set head = ({head}) where id = :run", {"run": run})
        if not connection.execute(_EDITS[what], {"run": run} if ":run" in _EDITS[what] else {}).rowcount:
            raise ValueError(f"nothing of the journal is {what}")


def forged_passes(journal: Journal, folder: Path) -> bool:
    """Export a run, have its events say something else in the file, and import that elsewhere: whether it is taken there.
    Raises ValueError where there was nothing to edit."""
    honest, forged = folder / "honest.zip", folder / "forged.zip"
    export(journal, honest)
    with zipfile.ZipFile(honest) as source, zipfile.ZipFile(forged, "w") as goal:
        for name in source.namelist():
            data = source.read(name)
            edited = data.replace(b"report.csv", b"repost.csv") if name == EVENTS else data
            if name == EVENTS and edited == data:
                raise ValueError("nothing of the export is edited")
            goal.writestr(name, edited)
    try:
        read_export(forged, Store(folder / "elsewhere" / "journal.db"))
    except JournalError:
        return False
    return True

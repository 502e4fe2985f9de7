"""What `deskcrew import` may be pointed at: anything, and it ends."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.journal.exported import ImportRefused, Reader
from deskcrew.journal.importing import read_export
from deskcrew.journal.store import Store
from deskcrew.ways_in.cli import main
from support.waiting import LATEST


@pytest.mark.parametrize("kind", ["fifo", "zero", "folder", "link"])
@pytest.mark.timeout(LATEST)  # what reads a pipe or a device waits, or never ends
def test_only_a_regular_file_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    place = tmp_path / "run.zip"
    match kind:
        case "fifo":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "link":
            os.mkfifo(tmp_path / "pipe")
            place.symlink_to(tmp_path / "pipe")
        case _:
            place = Path("/dev/zero")
    with pytest.raises(SystemExit) as ended:
        main(("import", str(place), "--data", str(tmp_path / "data")))
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "regular file" in said or "folder" in said
    with pytest.raises(UsageError):
        read_export(place, Store(tmp_path / "journal.db"))


def test_contents_that_lie_upon_each_other_are_refused(tmp_path: Path) -> None:
    """Many names for the same bytes: a small file whose contents are said to be many."""
    file = tmp_path / "run.zip"
    names = ["0" * 63 + digit for digit in "0123"]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(f"blobs/{name}", bytes(1000))
        for info in archive.filelist:
            info.header_offset = archive.filelist[0].header_offset
    with zipfile.ZipFile(file) as archive, pytest.raises(ImportRefused, match="overlap"):
        Reader(archive, file.stat().st_size)

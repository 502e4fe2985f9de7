"""What a run's browsers had stored, kept beside the journal: of each desk its own."""

from __future__ import annotations

from pathlib import Path

from deskcrew.journal.stored import Stored


def test_each_desk_has_its_own(tmp_path: Path) -> None:
    stored = Stored(tmp_path / "journal.db", "run")
    stored.keep(5, "second at 5", 2)
    stored.keep(3, "own at 3")
    stored.keep(7, "own at 7")
    assert stored.newest(range(10)) == "own at 7"
    assert stored.newest(range(6)) == "own at 3"
    assert stored.newest(range(10), 2) == "second at 5"
    assert stored.newest(range(5), 2) is None
    assert stored.newest(range(10), 3) is None
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "stored").rglob("*")} == {0}
    stored.remove()
    assert stored.newest(range(10), 2) is None

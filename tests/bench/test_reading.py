"""The share of people's files that is shown, over a folder of items."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.errors import ActionError, UsageError
from deskcrew_bench.reading import items_in, read, shares

ITEMS = """
[[item]]
file = "a.txt"
kind = "text"
shown = ["one line", "third"]

[[item]]
file = "b.csv"
kind = "table"
shown = ["a,b"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "items.toml").write_text(ITEMS)
    (tmp_path / "a.txt").write_text("one\nline\n")
    (tmp_path / "b.csv").write_text("a,b\n1,2\n")
    return tmp_path


def test_what_a_reader_does_not_show_is_named_and_counted(folder: Path) -> None:
    done = [read(folder, item, {"plain": Path.read_text}) for item in items_in(folder)]
    assert done[0].lost == {"plain": ("third",)}
    everything, *by_kind = shares(done)
    assert (everything.whole, everything.items, everything.shown, everything.texts) == (1, 2, 2, 3)
    assert [(each.kind, each.whole) for each in by_kind] == [("text", 0), ("table", 1)]


def test_a_reader_that_fails_has_shown_nothing(folder: Path) -> None:
    def fails(path: Path) -> str:
        raise ActionError("no")

    done = read(folder, items_in(folder)[0], {"bad": fails})
    assert done.lost["bad"] == ("one line", "third")
    assert done.failed["bad"] == "no"


def test_a_file_that_is_missing_is_told_before_anything_is_read(folder: Path) -> None:
    (folder / "a.txt").unlink()
    with pytest.raises(UsageError, match=r"a\.txt"):
        items_in(folder)

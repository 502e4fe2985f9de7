"""The workspace's files as prompts list them."""

from __future__ import annotations

import pytest

from deskcrew.observation import FileEntry
from deskcrew.roles.file_outlines import unpacked_in


@pytest.mark.parametrize(
    ("inside", "there", "folder"),
    [
        (["a.csv", "b.csv"], ["x/a.csv", "x/b.csv", "x.zip"], "x"),
        (["a.csv", "b.csv"], ["a.csv", "b.csv"], ""),
        (["x/a.csv", "x/y/b.csv"], ["x/a.csv", "x/y/b.csv"], ""),
        (["x/a.csv", "b.csv"], ["k/x/a.csv", "k/b.csv"], "k"),
        (["a.csv", "b.csv"], ["w/a.csv", "x/a.csv", "x/b.csv"], "x"),
        (["a.csv", "b.csv"], ["x/a.csv", "y/b.csv"], None),
        (["a.csv"], ["xa.csv"], None),
        ([], ["a.csv"], None),
    ],
)
def test_where_an_archive_was_unpacked(inside: list[str], there: list[str], folder: str | None) -> None:
    assert unpacked_in(inside, [FileEntry(path=path, kind="file", size=1) for path in there]) == folder

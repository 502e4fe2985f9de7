"""What looks like a file's name in a text, and what only looks a little like one."""

from __future__ import annotations

import pytest

from deskcrew.english.texts import file_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("save it as notes/may.txt, and as list.md", ("notes/may.txt", "list.md")),
        ("write to jordan.wells@example.org", ()),
        ("write to a.b.c+news@example.org", ()),
        ("see https://example.org/a.html", ()),
        ("e.g. at 5 p.m.", ()),
    ],
)
def test_names_of_files(text: str, names: tuple[str, ...]) -> None:
    assert file_names(text) == names

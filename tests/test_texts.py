"""What looks like the name of a file or of a thing in a text, and what only looks a little like one."""

from __future__ import annotations

import pytest

from deskcrew.texts import file_names, names_in


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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("How much did Marketing spend in September, according to costs-2024.csv?", ("Marketing", "September")),
        ("What is the phone number of Karl Busch in people.json?", ("Karl Busch",)),
        ("Who ordered INV-2041 in orders.csv?", ("INV-2041",)),
        ('What is the value of "Max load" in spec.docx?', ("Max load",)),
        ("What does Anna's car cost?", ("Anna",)),
        ("how many are there?", ()),
    ],
)
def test_names_are_what_is_written_like_one(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names

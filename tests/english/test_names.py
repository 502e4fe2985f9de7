"""The names of a question."""

from __future__ import annotations

import pytest

from deskcrew.english.names import names_in


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How much did Marketing spend in September, according to costs-2024.csv?", ("Marketing", "September")),
        ("What is the phone number of Karl Busch in people.json?", ("Karl Busch",)),
        ("Who ordered INV-2041 in orders.csv?", ("INV-2041",)),
        ('What is the value of "Max load" in spec.docx?', ("Max load",)),
        ("What does Anna's car cost?", ("Anna",)),
        ("how many are there?", ()),
    ],
)
def test_names_are_what_is_written_like_one(question: str, names: tuple[str, ...]) -> None:
    assert names_in(question) == names

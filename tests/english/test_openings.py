"""Which program a text speaks of."""

from __future__ import annotations

import pytest

from deskcrew.english.openings import program_named

PROGRAMS = ("Text Editor", "Text Editor (Kedit)", "Text Editor (Penpad)", "Office Writer", "Galculator")


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("with the text editor Penpad", "Text Editor (Penpad)"),
        ("in the text editor (Kedit)", "Text Editor (Kedit)"),
        ("in Text Editor, the plain one", "Text Editor"),
        ("with the galculator", "Galculator"),
        ("in an editor", ""),
    ],
)
def test_a_program_s_own_name_counts_more_than_its_kind(words: str, program: str) -> None:
    assert program_named(words, PROGRAMS) == program

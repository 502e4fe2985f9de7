"""Which program a text speaks of."""

from __future__ import annotations

import pytest

from deskcrew.english.openings import opening, program_named
from deskcrew.english.orders import Order

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


INSTALLED = ("Archive Manager", "Mail Reader", "Task Manager", "LibreOffice Calc", "Calculator (Galculator)")


@pytest.mark.parametrize("part", ["Load the archive.", "Show the mail.", "Open the task.", "Open the reader."])
def test_a_word_that_a_program_s_name_has_too_opens_nothing(part: str) -> None:
    assert opening(part, INSTALLED, {"photos.zip"}) is None


@pytest.mark.parametrize(
    ("part", "program"),
    [
        ("Open the archive manager.", "Archive Manager"),
        ("Start Calc", "LibreOffice Calc"),
        ("Open the calculator.", "Calculator (Galculator)"),
        ("Launch Galculator", "Calculator (Galculator)"),
    ],
)
def test_a_program_is_opened_by_its_whole_name_or_by_one_that_is_written_as_a_name(part: str, program: str) -> None:
    assert opening(part, INSTALLED, ()) == Order("open", what=(program,), words=part)

"""What looks like the name of a file or of a thing in a text, and what only looks a little like one."""

from __future__ import annotations

import pytest

from deskcrew.facts.texts import file_names, names_file, names_in


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
    ("text", "path"),
    [
        ("Sum up costs.csv.", "costs.csv"),
        ("Sum up Costs.CSV, please", "team/costs.csv"),
        ("What does team/costs.csv say?", "team/costs.csv"),
        ("open './team/costs.csv'", "team/costs.csv"),
        ("把costs.csv翻译成中文", "costs.csv"),
        ("Lies die costs.csv-Datei", "costs.csv"),
        ("sum up ./COSTS.csv", "costs.csv"),
        ("Show sports day.png", "sports day.png"),
        ("Fix the Makefile", "Makefile"),
        ("Shorten docs/notes", "docs/notes"),
    ],
)
def test_a_file_is_named_by_its_path_or_its_name(text: str, path: str) -> None:
    assert names_file(text, path)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("Sum up old-costs.csv", "costs.csv"),
        ("Sum up costs.csv.bak", "costs.csv"),
        ("Sum up sales/costs.csv", "team/costs.csv"),
        ("Sum up costs", "costs.csv"),
        ("Write to jordan.wells@example.org", "jordan.wells"),
        ("What costs how much?", "costs"),
        ("Make the notes shorter", "docs/notes"),
        ("a makefile of your own", "Makefile"),
    ],
)
def test_a_part_of_a_name_or_any_word_names_no_file(text: str, path: str) -> None:
    assert not names_file(text, path)


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

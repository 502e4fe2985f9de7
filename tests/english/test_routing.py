"""Whose a clause is by its verb and its files, and that doubt is left to the planner; which program a text speaks of."""

from __future__ import annotations

import pytest

from deskcrew.english.clauses import clauses, steps
from deskcrew.english.openings import names_program, program_named
from deskcrew.english.routing import ACTION, Work, on_files_alone, routed, work_of

PROGRAMS = ("Text Editor", "Text Editor (Kedit)", "Text Editor (Penpad)", "Office Writer", "Galculator")


@pytest.mark.parametrize(
    ("clause", "windows", "work"),
    [
        ("Open the text editor", False, "open"),
        ("Create a new folder called drafts", False, "files"),
        ("Rename plan.txt to plan-old.txt", False, "files"),
        ("Unpack photos.zip", False, "code"),
        ("How many rows has people.csv?", False, "code"),
        ("Work out with Python the mean of the column age in people.csv", False, "code"),
        ("Which city does the letter.pdf name?", False, "read"),
        ("The shop is a bakery.", False, "nobody"),
        ("In letter.txt replace every Monday with Thursday", False, "code"),
        ('Write "hello" into the field', True, "windows"),
        ("Choose Large in the list Size", True, "windows"),
        ("What does the page shop.html show?", True, "look"),
        ("How many rows has people.csv?", True, "code"),
        ("What is the capital of Peru?", False, None),
        ("Write a poem", False, None),
        ("Copy the second line", False, None),
        ("Delete all documents older than a year", False, None),
    ],
)
def test_what_kind_of_work_a_clause_is(clause: str, windows: bool, work: Work | None) -> None:
    assert work_of(clause, windows=windows, whole=clause) == work


def test_the_first_agent_who_can_do_a_part_gets_it() -> None:
    owners = {"Files": (ACTION["files"], ACTION["read"]), "Code": (ACTION["code"],), "Desk": (ACTION["open"], "x")}
    task = "a.csv has the names. Add up the ages in a.csv and write the sum into b.txt. Whistle."
    parts = steps(clauses(task))
    assert routed(parts, task, owners, windows=False, nobody="-") == {1: "-", 2: "Code", 3: "Code"}


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


def test_whether_a_task_is_about_files_alone() -> None:
    assert on_files_alone("Rename a.txt to b.txt", PROGRAMS)
    assert not on_files_alone("Rename a.txt to b.txt and press Send", PROGRAMS)
    assert not on_files_alone("Work it out in Galculator and save it as a.txt", PROGRAMS)
    assert names_program("in the browser", ())

"""Whose a clause is by its words: everyday sentences, and that doubt is left to the planner."""

from __future__ import annotations

import pytest

from deskcrew.actions import builtin
from deskcrew.english.clauses import clauses, steps
from deskcrew.english.routing import ACTION, Work, names_program, routed, work_of

APPLICATIONS = ("Galculator", "Spreadsheet (LibreOffice Calc)", "Text Editor (Mousepad)", "Chromium Web Browser")


def works(task: str, *, windows: bool = False) -> list[Work | None]:
    return [work_of(part, windows=windows, whole=task) for part in steps(clauses(task))]


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Open the text editor", ["open"]),
        ("Please start Galculator", ["open"]),
        ("Create a new folder called drafts", ["files"]),
        ("Could you make a folder named 2024?", ["files"]),
        ("Rename plan.txt to plan-old.txt", ["files"]),
        ("Move letter.docx into the folder letters", ["files"]),
        ("Copy budget.xlsx to backup.xlsx", ["files"]),
        ("Delete the file old.log", ["files"]),
        ("Unpack photos.zip", ["code"]),
        ("Move every PNG file into images", ["code"]),
        ("Delete all documents older than a year", ["code"]),
        ("How many rows has people.csv?", ["code"]),
        ("What is the highest price in prices.xlsx?", ["code"]),
        ("Work out with Python the mean of the column age in people.csv", ["code"]),
        ("Which city does the letter.pdf name?", ["read"]),
        ("What is the third heading of guide.docx?", ["read"]),
        ("Find out who signed contract.pdf", ["read"]),
        ("How many lines of server.log hold the word error?", ["code"]),
        ("The shop is closed on Mondays.", ["nobody"]),
        # Neither a file nor a program is spoken of: a model decides.
        ("What is the capital of Peru?", [None]),
        ("Write a poem", [None]),
        ("Copy the second line", [None]),
    ],
)
def test_one_clause(task: str, expected: list[Work | None]) -> None:
    assert works(task) == expected


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ('Write "hello" and save it as a.txt', ["windows", "windows"]),
        ("Click the Send button", ["windows"]),
        ("Choose Large in the list Size", ["windows"]),
        ("notes.txt is open in the editor. Add the word bye at the end", ["nobody", "windows"]),
        ("Delete the second line of the text", ["windows"]),
        ("What does the page shop.html show?", ["look"]),
        ("How many rows has people.csv?", ["code"]),
        ("The table people.csv has names and ages. Compute the mean of the ages.", ["nobody", "code"]),
        ("people.csv has names and ages. Compute their mean with the calculator.", ["nobody", None]),
    ],
)
def test_a_clause_where_a_window_is_spoken_of(task: str, expected: list[Work | None]) -> None:
    assert works(task, windows=True) == expected


def test_parts_go_to_the_first_agent_that_has_the_action() -> None:
    owners = {"Opener": ["open_application"], "Coder": ["run_python_code"], "Hand": ["set_value"]}
    parts = ("How many rows has a.csv?", "Move a.csv to b.csv", "Open the editor", "type it")
    given = routed(parts, " ".join(parts), owners, windows=True, nobody="nobody")
    assert given == {1: "Coder", 3: "Opener", 4: "Hand"}, "who has nobody for it is asked of the planner"


def test_a_question_after_the_work_it_is_about_is_nobodys() -> None:
    parts = ("Add up the hours in work.csv.", "What is the sum?")
    assert routed(parts, " ".join(parts), {"Coder": ["run_python_code"]}, windows=False, nobody="-") == {1: "Coder", 2: "-"}


def test_every_kind_of_work_has_an_action_that_exists() -> None:
    assert set(ACTION.values()) <= set(builtin())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("write it in the text editor", True),
        ("with Calc", True),
        ("in Mousepad", True),
        ("look at it in Chromium", True),
        ("in the terminal", True),
        ("Write a text into notes.txt", False),
        ("the file with the web address", False),
        ("calculate the mean", False),
    ],
)
def test_programs_are_recognised_by_their_names(text: str, named: bool) -> None:
    assert names_program(text, APPLICATIONS) is named


def test_what_is_written_of_a_result_is_whose_the_result_is() -> None:
    parts = ("Sum up the Net column in d.xlsx", "write the total to total.txt.")
    owners = {"Files": ["move_file", "read_file"], "Coder": ["run_python_code"], "Hand": ["set_value"]}
    told = " and ".join(parts)
    assert routed(parts, told, owners, windows=False, nobody="-") == {1: "Coder", 2: "Coder"}
    assert routed(parts, told, owners, windows=True, nobody="-") == {1: "Coder", 2: "Hand"}
    read = ("Read lease.docx", "write the deposit to note.txt.")
    assert routed(read, " and ".join(read), owners, windows=False, nobody="-") == {1: "Files", 2: "Files"}


def test_tables_that_have_no_name_are_read_by_code() -> None:
    said = "How many guests are in the CSV files altogether?"
    assert routed((said,), said, {"Coder": ["run_python_code"]}, windows=False, nobody="-") == {1: "Coder"}


@pytest.mark.parametrize(
    ("clause", "work"),
    [
        ("Combine jan.csv, feb.csv and mar.csv into one file all.csv", "code"),
        ("Make a JSON file summary.json from books.xml with the number of books per genre", "code"),
        ("Convert prices.xlsx to prices.csv", "code"),
        ("Sort names.txt alphabetically", "code"),
        ("Zip all the text files into notes.zip", "code"),
        ("Write the sum of column B of x.csv to sum.txt", "code"),
        ("I'd like to know the total weight in cargo.xlsx", "code"),
        ("Create a text file hello.txt that says Good morning", None),
        ("Convert letter.docx to letter.pdf", None),
        ("Sort the rows by name", None),
    ],
)
def test_files_that_are_made_from_data_are_made_by_code(clause: str, work: Work | None) -> None:
    assert work_of(clause, windows=False, whole=clause) == work
    assert work_of(clause, windows=True, whole=clause) != "code" or clause.startswith("I'd")

"""Sentences as people write them, and the checks that are made of them; those that want nothing done make none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import deskcrew
from deskcrew.english.clauses import clauses, questions
from deskcrew.english.demands import checks_of_task
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import ONLY, Check

THERE = (
    *("table.csv", "log.txt", "notes.txt", "old.txt", "a.txt", "prices.xlsx", "shop.csv", "letter.docx", "reports/may.txt"),
    *("scan one.pdf", "bill.pdf", "photos.zip", "img1.png", "img2.png"),
)
FILES = tuple(FileEntry(path=path, kind="file", size=1) for path in THERE)
BEFORE = Observation(files=(*FILES, FileEntry(path="reports", kind="folder")))
KINDS = {
    "file_exists": "exists",
    "file_absent": "gone",
    "file_contains": "contains",
    "nothing_else": "only",
    "same_as": "same",
    "cell_equals": "cell",
    "changed_since_start": "changed",
    "deed": "deed",
}


def short(check: Check) -> str:
    if check.text.startswith(ONLY):
        check = check.model_copy(update={"text": "nothing else"})
    return " ".join(filter(None, (KINDS.get(check.kind, check.kind), check.target, f"= {check.text}" if check.text else "")))


def said(task: str) -> list[str]:
    return [short(check) for check in checks_of_task(task, BEFORE)]


def moved(source: str, target: str) -> list[str]:
    return [f"same {target} = {source}", f"gone {source}"]


ORDERS: list[tuple[str, list[str]]] = [
    # polite
    ("Could you please delete old.txt?", ["gone old.txt"]),
    ("Can you rename a.txt to b.txt?", moved("a.txt", "b.txt")),
    ("Would you mind moving notes.txt into the folder archive?", moved("notes.txt", "archive/notes.txt")),
    (
        'Would you mind adding "milk" to notes.txt and saving it?',
        ["contains notes.txt = milk", "changed notes.txt = nothing else"],
    ),
    ("Hi, could someone please sort the lines of notes.txt?", ["changed notes.txt = in order"]),
    ("I'd like you to copy a.txt to c.txt.", ["same c.txt = a.txt"]),
    ("It would be great if you could back up notes.txt as notes-old.txt.", ["same notes-old.txt = notes.txt"]),
    ("I want old.txt deleted.", ["gone old.txt"]),
    ("I need a copy of a.txt in the folder safe.", ["same safe/a.txt = a.txt"]),
    ("old.txt should be renamed to new.txt.", moved("old.txt", "new.txt")),
    ('Could you open notes.txt and put "eggs" on a line of its own? Don\'t forget to save.', ["contains notes.txt = eggs"]),
    ("Please make sure to save notes.txt after tidying it up.", ["changed notes.txt"]),
    # text into files that are there
    ('Please add "eggs" as the last line of notes.txt.', ["contains notes.txt = eggs", "changed notes.txt = nothing else"]),
    ('Add "eggs" under the heading "Shopping" in notes.txt.', ["contains notes.txt = eggs", "changed notes.txt"]),
    (
        'Put "Best wishes" at the end of letter.docx.',
        ["contains letter.docx = Best wishes", "changed letter.docx = nothing else"],
    ),
    (
        'Put the line "# Notes" at the top of notes.txt.',
        ["contains notes.txt = # Notes", "changed notes.txt = nothing else"],
    ),
    (
        'Insert "Intro" before "Chapter 1" in letter.docx.',
        ["contains letter.docx = Intro", "changed letter.docx = nothing else"],
    ),
    ('Add "x" between "a" and "b" in notes.txt.', ["contains notes.txt = x", "changed notes.txt"]),
    ('notes.txt is open. Add "eggs" to it and save.', ["contains notes.txt = eggs", "changed notes.txt = nothing else"]),
    (
        'Open notes.txt. Then add the line "eggs" at the end. Save it.',
        ["contains notes.txt = eggs", "changed notes.txt = nothing else"],
    ),
    ('Fill in "Berlin" as the city in letter.docx.', ["contains letter.docx = Berlin", "changed letter.docx"]),
    ("Write the average of the prices in shop.csv to the end of notes.txt.", ["contains notes.txt = {result}"]),
    ("Add a row for Ann with 25 to shop.csv.", ["changed shop.csv"]),
    ("Open letter.docx, make the title bold and save it.", ["changed letter.docx"]),
    ("Open letter.docx and change the font size to 14.", ["changed letter.docx"]),
    # one text for another
    (
        'Could you change "Monday" to "Tuesday" in notes.txt?',
        ["contains notes.txt = Tuesday", "changed notes.txt = without Monday", "changed notes.txt = nothing else"],
    ),
    (
        'In notes.txt, replace "colour" with "color".',
        ["contains notes.txt = color", "changed notes.txt = without colour", "changed notes.txt = nothing else"],
    ),
    (
        'Replace every "foo" by "bar" in notes.txt, please.',
        ["contains notes.txt = bar", "changed notes.txt = without foo", "changed notes.txt = nothing else"],
    ),
    ('Replace the first "foo" in notes.txt with "bar".', ["contains notes.txt = bar", "changed notes.txt"]),
    (
        'Swap "red" for "green" in notes.txt.',
        ["contains notes.txt = green", "changed notes.txt = without red", "changed notes.txt = nothing else"],
    ),
    ("Change Monday to Tuesday in notes.txt.", ["contains notes.txt = Tuesday", "changed notes.txt = nothing else"]),
    (
        'Remove the line "milk" from notes.txt.',
        ["changed notes.txt = without the line milk", "changed notes.txt = nothing else"],
    ),
    ('Delete the word "draft" from letter.docx.', ["changed letter.docx = without draft"]),
    ("Delete the last line of notes.txt.", ["changed notes.txt"]),
    ('Add "Page 1" as a footer to letter.docx.', ["changed letter.docx"]),
    ('Rename the sheet "May" to "June" in prices.xlsx.', ["contains prices.xlsx = June", "changed prices.xlsx"]),
    (
        'Open notes.txt in the text editor and type "hi" at the top, then save it.',
        ["contains notes.txt = hi", "changed notes.txt = nothing else"],
    ),
    ('Make sure that notes.txt contains the word "done".', ["contains notes.txt = done"]),
    ('In letter.docx, write "Ann" where it says "NAME".', ["contains letter.docx = Ann"]),
    ("Could you check prices.xlsx and correct any mistakes?", ["changed prices.xlsx"]),
    ("Highlight the highest price in prices.xlsx.", ["changed prices.xlsx"]),
    # order and letters
    ("Sort the lines in notes.txt alphabetically and save it.", ["changed notes.txt = in order"]),
    ("Can you put the lines of notes.txt in alphabetical order?", ["changed notes.txt = in order"]),
    ("Sort shop.csv by price.", ["changed shop.csv"]),
    (
        "Make all the text in notes.txt upper case.",
        ["changed notes.txt = in capital letters", "changed notes.txt = nothing else"],
    ),
    (
        "Convert the whole text of notes.txt to lowercase.",
        ["changed notes.txt = in small letters", "changed notes.txt = nothing else"],
    ),
    ("Put the heading of letter.docx in capitals.", ["changed letter.docx"]),
    # kinds of files
    (
        "Move all PDF files into a folder called bills.",
        [*moved("bill.pdf", "bills/bill.pdf"), *moved("scan one.pdf", "bills/scan one.pdf")],
    ),
    (
        "Move all the .png files into the folder pictures.",
        [*moved("img1.png", "pictures/img1.png"), *moved("img2.png", "pictures/img2.png")],
    ),
    (
        "Copy every *.csv file into a new folder backup.",
        ["same backup/shop.csv = shop.csv", "same backup/table.csv = table.csv"],
    ),
    ("Delete all the PNG images.", ["gone img1.png", "gone img2.png"]),
    ("Move the PDFs from May into the folder may.", ["exists may/* = new"]),
    ("Put the photos into the folder pictures.", ["exists pictures/* = new"]),
    ("Create a folder docs and move a.txt there.", [*moved("a.txt", "docs/a.txt"), "exists docs/"]),
    ("Make a folder called new-stuff.", ["exists new-stuff/"]),
    ("Create the folders red, green and blue.", ["exists red/", "exists green/", "exists blue/"]),
    ("Create a folder red and a folder blue.", ["exists red/", "exists blue/"]),
    ("Put a copy of notes.txt into reports.", ["same reports/notes.txt = notes.txt"]),
    ("Move notes.txt to reports.", moved("notes.txt", "reports/notes.txt")),
    ("Create a new folder and move a.txt into it.", ["gone a.txt", "deed = Create a new folder and move a.txt into it"]),
    # renames and archives
    (
        "Rename a.txt to b.txt and old.txt to older.txt.",
        [*moved("a.txt", "b.txt"), *moved("old.txt", "older.txt"), "exists older.txt"],
    ),
    ('Rename "scan one.pdf" to "march bill.pdf".', moved("scan one.pdf", "march bill.pdf")),
    (
        "Move bill.pdf and a.txt to the archive folder.",
        [*moved("bill.pdf", "archive/bill.pdf"), *moved("a.txt", "archive/a.txt")],
    ),
    ("Unzip photos.zip.", ["exists * = from photos.zip"]),
    ("Can you extract photos.zip into a new folder called pics?", ["exists pics/* = from photos.zip"]),
    ("photos.zip came today. Please unpack it into the folder pics.", ["exists pics/* = from photos.zip"]),
    ("Extract the pictures of the party from photos.zip into the folder pics.", ["exists pics/* = new"]),
    ("Convert letter.docx to PDF.", ["exists *.pdf = new"]),
    # values in tables
    ("Set the price of tea in prices.xlsx to 4.50.", ["cell prices.xlsx!row of tea = 4.50"]),
    ("In prices.xlsx, change the stock of green tea to 12.", ["cell prices.xlsx!row of green tea = 12"]),
    ("Put 17 into the stock column of black tea in prices.xlsx.", ["cell prices.xlsx!row of black tea = 17"]),
    ("The price of tea in prices.xlsx must be 4.5.", ["cell prices.xlsx!row of tea = 4.5"]),
    ("Raise the price of tea in prices.xlsx by 5 percent.", ["changed prices.xlsx"]),
    ("Please, could you set the cell B2 in prices.xlsx to 7?", ["cell prices.xlsx!B2 = 7"]),
    ('In the sheet "May" of prices.xlsx, put 5 into cell B3.', ["cell prices.xlsx!B3 = 5"]),
    ("Change the date of the meeting in prices.xlsx to 5 May.", ["changed prices.xlsx"]),
    ('Enter "=SUM(B2:B9)" at the end of the list in prices.xlsx.', ["changed prices.xlsx"]),
    # lists
    (
        "Create s.json with the keys name and date.",
        ["exists s.json", 'contains s.json = "name"', 'contains s.json = "date"'],
    ),
    (
        "Write p.csv with the columns name, age and city.",
        ["exists p.csv", *(f"contains p.csv = {c}" for c in ("name", "age", "city"))],
    ),
    ('Make b.txt with the words "one" and "two".', ["exists b.txt", "contains b.txt = one", "contains b.txt = two"]),
    (
        'Make b.txt with two lines: "one" and "two".',
        ["exists b.txt", "contains b.txt = one", "contains b.txt = two", "changed b.txt = nothing else"],
    ),
    # stand-ins
    ("Save the list as report-YYYY-MM-DD.txt.", ["exists report-????-??-??.txt"]),
    ("Rename bill.pdf to bill-<supplier>.pdf.", moved("bill.pdf", "bill-*.pdf")),
    ("Save the picture as photo-NN.png, where NN is its number.", ["exists photo-*.png"]),
    ("Save the page as page-N.txt, where N is the number of the page.", ["exists page-*.txt"]),
    ("Save it as step-N.txt.", ["exists step-N.txt"]),
    (
        'Write "We sold N pears" into b.txt, with the number instead of N.',
        ["exists b.txt", "contains b.txt = We sold {result} pears", "only b.txt"],
    ),
    (
        'Write "Dear [name]," into b.txt, where [name] is the customer.',
        ["exists b.txt", "contains b.txt = Dear {any},", "only b.txt"],
    ),
    ('Write "Option N" into b.txt.', ["exists b.txt", "contains b.txt = Option N", "only b.txt"]),
    # what a text is about
    (
        'Count how often "milk" occurs in notes.txt and write the number into c.txt.',
        ["exists c.txt", "contains c.txt = {result}"],
    ),
    ('Write how often "milk" occurs in notes.txt into c.txt.', ["exists c.txt", "changed c.txt = to what was found out"]),
    ('Save all lines of log.txt that do not contain "ERROR" as rest.txt.', ["exists rest.txt"]),
    ('Save all lines of log.txt except "END" as rest.txt.', ["exists rest.txt"]),
    ("Move a.txt to a different folder.", ["gone a.txt", "deed = Move a.txt to a different folder"]),
    # what is said besides
    ('Write "x" into b.txt without the quotation marks.', ["exists b.txt", "contains b.txt = x", "only b.txt"]),
    ('Write "x" into b.txt, but don\'t open the editor.', ["exists b.txt", "contains b.txt = x", "only b.txt"]),
    ("Save the names to b.json, each without its ending, and delete a.txt.", ["gone a.txt", "exists b.json"]),
    ("Delete old.txt if you can.", ["gone old.txt"]),
    ("Can you count the rows in table.csv and write the number into c.txt?", ["exists c.txt", "contains c.txt = {result}"]),
]


@pytest.mark.parametrize(("task", "wanted"), ORDERS, ids=[task for task, _ in ORDERS])
def test_what_everyday_words_oblige_to(task: str, wanted: list[str]) -> None:
    assert said(task) == wanted
    assert questions(clauses(task)) == ""


@pytest.mark.parametrize(
    "task",
    [
        "What is in notes.txt?",
        "How many lines does notes.txt have?",
        "Which of a.txt and b.txt is longer?",
        "Can you tell me what is in new.txt?",
        "Could you find out how many rows table.csv has?",
        "Could you check whether a.txt is newer than b.txt?",
        "Do you know where zzz.pdf is?",
        "Is the total in prices.xlsx right?",
        "Look into shop.csv: which supplier is set for tea?",
        "Open bill2.pdf and tell me the amount.",
        "I'd like to know who spent most in table.csv.",
    ],
)
def test_a_real_question_wants_an_answer_and_nothing_else(task: str) -> None:
    assert said(task) == []
    assert questions(clauses(task))


@pytest.mark.parametrize(
    "task",
    [
        "Never touch old.txt.",
        "Please don't delete a.txt or rename it to b.txt.",
        'Search for "milk" in notes.txt.',
        'Enter "Ann" in the field "Name" and press OK.',
        "Add up the prices in shop.csv.",
        "Set the wallpaper to img1.png.",
        "Open letter.docx and set the zoom to 150 percent.",
        'Type "Berlin" into the search box of notes.txt.',
        "Move the window of notes.txt to the left.",
        "notes.txt is the list for tomorrow.",
        "We need candles in the order of the list in notes.txt.",
    ],
)
def test_what_changes_no_file_obliges_to_none(task: str) -> None:
    assert [check for check in said(task) if not check.startswith("deed")] == []


@pytest.mark.parametrize(
    "task",
    [
        "Delete everything that is older than a year",
        "If old.txt exists, delete it",
        "Email bill.pdf to Ann",
        'Click the button "Save"',
        "Close the window",
        'Write "x" into b.txt, then delete a.txt if it is empty',
    ],
)
def test_what_no_rule_can_look_at_stays_open(task: str) -> None:
    assert said(f"{task}.")[-1] == f"deed = {task}"


def test_both_an_order_and_a_question() -> None:
    task = 'Could you write "x" into b.txt and tell me how many files there are?'
    assert said(task) == ["exists b.txt", "contains b.txt = x", "only b.txt"]
    assert questions(clauses(task)) == "tell me how many files there are?"


def test_a_planner_that_takes_a_stand_in_for_a_name_is_put_right() -> None:
    planned = Check(kind="file_exists", target="report-YYYY.txt")
    made = checks_of_task("Save it as report-YYYY.txt.", BEFORE, [planned])
    assert [short(check) for check in made] == ["exists report-????.txt"]


def test_a_planner_that_repeats_a_text_with_its_stand_in_is_put_right() -> None:
    planned = Check(kind="file_contains", target="b.txt", text="We sold N pears")
    task = 'Write "We sold N pears" into b.txt, with the number instead of N.'
    made = [short(check) for check in checks_of_task(task, BEFORE, [planned])]
    assert made == ["contains b.txt = We sold {result} pears", "exists b.txt"]


def test_all_files_are_meant_whatever_they_are_called() -> None:
    there = Observation(files=tuple(FileEntry(path=path, kind="file", size=1) for path in ("README", "v1.2 of it", "a.txt")))
    assert [check.target for check in checks_of_task("Delete all files.", there)] == ["README", "a.txt", "v1.2 of it"]


def test_a_file_that_is_there_is_meant_by_its_name_whatever_it_looks_like() -> None:
    there = Observation(files=(FileEntry(path="form-XX.txt", kind="file", size=1),))
    made = checks_of_task("Rename form-XX.txt to form.txt.", there)
    assert [short(check) for check in made] == moved("form-XX.txt", "form.txt")


SOURCE = Path(deskcrew.__file__).parent
SUITE = Path(__file__).parents[2] / "bench/desk"


def said_in(text: str) -> str:
    """Words alone, so that a pattern made of a sentence is found as well."""
    return " ".join(re.findall(r"[a-z]+", re.sub(r"\\[a-z]\+?", " ", text).casefold()))


def test_no_rule_knows_a_task_of_the_desk_suite() -> None:
    source = " ".join(
        said_in(path.read_text()) for folder in ("review", "roles") for path in (SOURCE / folder).rglob("*.py")
    )
    tasks = [path.parent for path in SUITE.glob("*/task.toml")]
    assert len(tasks) > 20
    names = [task.name.replace("-", " ") for task in tasks if "-" in task.name]
    assert [name for name in names if f" {name} " in source] == []
    for task in tasks:
        fixed = re.split(r"\{[{%].*?[%}]\}", tomllib.loads((task / "task.toml").read_text())["instruction"])
        words = [said_in(part).split() for part in fixed]
        phrases = [" ".join(part[at : at + 6]) for part in words for at in range(len(part) - 5)]
        assert [phrase for phrase in phrases if f" {phrase} " in source] == [], task.name

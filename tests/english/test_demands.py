"""What the words of a task oblige to, and what they do not."""

from __future__ import annotations

import pytest

from deskcrew.english.demands import checks_of_task
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import EMPTY, RESULT, Check

THERE = ("table.csv", "log.txt", "notes.txt", "old.txt", "a.txt", "prices.xlsx", "reports/may.txt")
BEFORE = Observation(files=tuple(FileEntry(path=path, kind="file", size=1) for path in THERE))


def said(task: str, *planned: Check) -> list[str]:
    return [check.words for check in checks_of_task(task, BEFORE, planned)]


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        (
            'Write "x" into b.txt.',
            ["the file b.txt is in the workspace", "the file b.txt contains 'x'", "the file b.txt holds nothing else"],
        ),
        (
            'Write a letter that mentions "x" into b.txt.',
            ["the file b.txt is in the workspace", "the file b.txt contains 'x'"],
        ),
        ("Convert table.csv to table.json.", ["the file table.json is in the workspace"]),
        ('Write "x" into log.txt.', ["the file log.txt contains 'x'"]),
        (
            'Append "x" to log.txt.',
            ["the file log.txt contains 'x'", 'log.txt was changed (only by this: Append "x" to log.txt.)'],
        ),
        ('Open log.txt in the editor, type "x" and save it.', ["the file log.txt contains 'x'"]),
        (
            'Replace "old" with "new" in notes.txt.',
            [
                "the file notes.txt contains 'new'",
                "notes.txt was changed (without old)",
                'notes.txt was changed (only by this: Replace "old" with "new" in notes.txt.)',
            ],
        ),
        (
            "Add up the amounts in table.csv and write the total into log.txt.",
            ["the file log.txt contains the computed result"],
        ),
        ("Delete old.txt and a.txt, but keep notes.txt.", ["the file old.txt is gone", "the file a.txt is gone"]),
        ("Rename a.txt to b.txt.", ["b.txt is the same as a.txt", "the file a.txt is gone"]),
        ("Move a.txt into archive/.", ["archive/a.txt is the same as a.txt", "the file a.txt is gone"]),
        ("Copy a.txt to the archive folder.", ["archive/a.txt is the same as a.txt"]),
        ('Copy a.txt into the folder "two words".', ["two words/a.txt is the same as a.txt"]),
        ("Make a copy of may.txt called june.txt.", ["june.txt is the same as reports/may.txt"]),
        (
            'Save "Call Ann" in the folder archive as note.txt.',
            ["the file archive/note.txt is in the workspace", "the file archive/note.txt contains 'Call Ann'"],
        ),
        ("Put 5 into cell B2 of prices.xlsx and save it.", ["cell prices.xlsx!B2 is '5'"]),
        ("Open prices.xlsx, set cell B2 to 7.5 and save.", ["cell prices.xlsx!B2 is '7.5'"]),
        ('Cell Sheet2!C3 in prices.xlsx must show "Total".', ["cell prices.xlsx!Sheet2!C3 is 'Total'"]),
        ("Write the total into cell B9 of prices.xlsx.", ["cell prices.xlsx!B9 is the computed result"]),
        ('Work it out, so that the window shows "42".', ["a window shows '42'"]),
        ('Click Save, so that the window "Form" says "Saved".', ["the window Form shows 'Saved'"]),
        ('The field "Name" must be "Bo".', ["Name is 'Bo'"]),
        ('Copy "blue whale" to the clipboard.', ["the clipboard holds 'blue whale'"]),
        ("Run log.txt; it must end with exit code 0.", ["log.txt ended with exit code 0"]),
    ],
)
def test_what_is_clearly_said_obliges(task: str, wanted: list[str]) -> None:
    assert said(task) == wanted


@pytest.mark.parametrize(
    "task",
    [
        "Do not delete old.txt.",
        'Compare a.txt with old.txt and write "same" into result.txt if they are equal.',
        "What is in cell B2 of prices.xlsx?",
        "Check whether cell B2 of prices.xlsx is 5.",
        "Is there a file called zzz.txt?",
        'When the window shows "Ready", look at it.',
        'The window shows "Ready" now.',
        'Open log.txt, type "x" into the field "Search" and save what you find.',
        "Summarise notes.txt in three sentences.",
        "Add up the amounts in table.csv.",
    ],
)
def test_what_is_not_clearly_said_obliges_to_nothing(task: str) -> None:
    assert said(task) == []


@pytest.mark.parametrize(
    "task",
    [
        "Delete old.txt if it is empty",
        "Remove the spare letters",
        "Copy the second line of notes.txt to the clipboard",
        "Rename all text files after their titles",
        'Open the form and click "Subscribe"',
        "Send the letter to Ann",
    ],
)
def test_a_deed_that_no_rule_can_look_at_is_not_passed_over(task: str) -> None:
    both = said(f'Write "x" into b.txt. {task}.')
    written = ["the file b.txt is in the workspace", "the file b.txt contains 'x'", "the file b.txt holds nothing else"]
    assert both[:3] == written
    assert both[3:] == [f"this was done: {task!r}"]


def test_a_deed_of_which_a_check_speaks_needs_none_of_its_own() -> None:
    assert said('Click "Save", so that the window shows "Saved".') == ["a window shows 'Saved'"]
    assert "this was done" not in " ".join(said('Open the editor, write "x", click Save and name it b.txt.'))


def test_an_empty_file_is_one_only_where_the_task_says_so() -> None:
    assert [check.text for check in checks_of_task("Make an empty file b.txt. Make c.txt.", BEFORE)] == [EMPTY, ""]


def test_what_is_deleted_in_the_end_need_not_be_there() -> None:
    assert said('Write "x" into b.txt. Copy b.txt to c.txt. Delete b.txt.') == [
        "the file c.txt is in the workspace",
        "the file b.txt is gone",
        "this was done: \"the file b.txt contains 'x'\"",
    ]


def test_what_is_renamed_in_the_end_need_not_be_there_under_its_first_name() -> None:
    assert said('Write "x" into b.txt. Rename b.txt to c.txt.') == [
        "the file c.txt is in the workspace",
        "the file b.txt is gone",
        "this was done: \"the file b.txt contains 'x'\"",
    ]


def test_a_planner_may_say_more_of_a_file_but_not_less() -> None:
    task = 'Write "Total:" and the total into b.txt.'
    plain = Check(kind="file_exists", target="b.txt")
    precise = Check(kind="file_contains", target="b.txt", text=RESULT, origin="evidence")
    wanted = ["the file b.txt contains 'Total:'", "the file b.txt contains the computed result"]
    assert said(task, plain) == ["the file b.txt is in the workspace", *wanted, "the file b.txt holds nothing else"]
    assert said(task, plain, precise) == ["the file b.txt is in the workspace", wanted[1]]


def test_a_form_on_a_page_that_is_filled_in_changes_no_file() -> None:
    before = Observation(
        files=(FileEntry(path="room.html", kind="file", size=1), FileEntry(path="a.docx", kind="file", size=1))
    )
    said = "Open room.html in the browser, fill in the form with the date and press Check. Which rooms are free?"
    assert {check.kind for check in checks_of_task(said, before)} == {"deed"}
    assert [check.target for check in checks_of_task("Fill in the form a.docx with the date and save it.", before)] == [
        "a.docx"
    ]


def test_pressing_is_a_deed_wherever_it_stands_in_a_clause() -> None:
    before = Observation(files=(FileEntry(path="room.html", kind="file", size=1),))
    said = 'Open room.html in the browser, choose Oak and press "Book it". Which number does the page show?'
    assert [(check.kind, check.text) for check in checks_of_task(said, before)][-1][0] == "deed"


def test_how_a_line_is_built_is_not_the_line() -> None:
    form = "Put that day at the end of log.txt, like the lines above: the date as YYYY-MM-DD, a space, then the room."
    assert said(form) == ["log.txt was changed"]


def test_a_cell_in_somebody_s_row() -> None:
    task = "Add up the hours. Enter the sum in the Pay column of prices.xlsx in Kim's row and save."
    assert "cell prices.xlsx!row of Kim is the computed result" in said(task)
    assert not any("row of prices" in each for each in said("Enter the sum in the Pay column of prices.xlsx."))


def test_where_something_lies_is_not_where_it_goes() -> None:
    before = Observation(files=(*BEFORE.files, FileEntry(path="reports", kind="folder")))
    task = "Make a new folder old, beside the reports folder, and move there all texts which are in reports."
    assert not any("reports/*" in check.words for check in checks_of_task(task, before))


def test_nothing_else_is_nothing_to_do() -> None:
    assert said("Delete log.txt. Nothing else, please.") == ["the file log.txt is gone"]

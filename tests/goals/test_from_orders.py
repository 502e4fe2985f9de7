"""What a task's words become: checks where every word is understood, a deed that nobody can look at where one is not."""

from __future__ import annotations

import pytest

from deskcrew.goals.from_orders import checks_of_task
from deskcrew.observation import FileEntry, Observation
from deskcrew.verdict import EMPTY, ONLY, RESULT, Check

THERE = ("table.csv", "log.txt", "notes.txt", "old.txt", "a.txt", "prices.xlsx", "letter.docx", "check.sh", "photos.zip")
FILES = tuple(FileEntry(path=path, kind="file", size=1) for path in (*THERE, "reports/may.txt", "scan one.pdf"))
BEFORE = Observation(files=(*FILES, FileEntry(path="reports", kind="folder")))
PROGRAMS = ("Text Editor (Mousepad)", "Word Processor (LibreOffice Writer)", "Calculator", "Terminal", "Web Browser")
KINDS = {
    "file_exists": "exists", "file_absent": "gone", "file_contains": "contains", "nothing_else": "only", "same_as": "same",
    "cell_equals": "cell", "changed_since_start": "changed", "window_shows": "window", "control_value": "control",
    "clipboard_holds": "clipboard", "exit_code": "exit", "opened": "open", "deed": "deed",
}  # fmt: skip


def short(check: Check) -> str:
    text = "this alone" if check.text.startswith(ONLY) else check.text
    return " ".join(filter(None, (KINDS[check.kind], check.target, f"= {text}" if text else "")))


def said(task: str, *planned: Check, question: str = "") -> list[str]:
    return [short(check) for check in checks_of_task(task, BEFORE, planned, question, PROGRAMS)]


def moved(source: str, target: str) -> list[str]:
    return [f"same {target} = {source}", f"gone {source}"]


UNDERSTOOD: list[tuple[str, list[str]]] = [
    # a new file
    ('Write "x" into b.txt.', ["exists b.txt", "contains b.txt = x", "only b.txt"]),
    (
        'Please put the words "x" and "y" into a new file called b.txt.',
        ["exists b.txt", "contains b.txt = x", "contains b.txt = y", "only b.txt"],
    ),
    (
        'Write "x" into note.txt in the folder archive.',
        ["exists archive/note.txt", "contains archive/note.txt = x", "only archive/note.txt"],
    ),
    (
        'Save "x" in the folder archive as note.txt.',
        ["exists archive/note.txt", "contains archive/note.txt = x", "only archive/note.txt"],
    ),
    (
        'Open the text editor, type "x" and save it as b.txt.',
        ["open Text Editor (Mousepad)", "exists b.txt", "contains b.txt = x", "only b.txt"],
    ),
    (
        'Add up the amounts in table.csv and write "Sum:" followed by the total into b.txt.',
        ["exists b.txt", "contains b.txt = Sum:", f"contains b.txt = {RESULT}", "only b.txt"],
    ),
    ("Make an empty file b.txt.", [f"exists b.txt = {EMPTY}", "only b.txt"]),
    # a file that is there
    ('Write "x" into log.txt.', ["contains log.txt = x"]),
    ('Append "x" to log.txt.', ["contains log.txt = x", "changed log.txt = this alone"]),
    ('Please add "x" as the last line of log.txt and save it.', ["contains log.txt = x", "changed log.txt = this alone"]),
    (
        'Open log.txt in the text editor, add "x" to it and save.',
        ["open Text Editor (Mousepad) = log.txt", "contains log.txt = x", "changed log.txt = this alone"],
    ),
    (
        'In notes.txt, replace "x" with "y".',
        ["contains notes.txt = y", "changed notes.txt = without x", "changed notes.txt = this alone"],
    ),
    (
        "In notes.txt replace every Monday with Thursday and save the file.",
        ["contains notes.txt = Thursday", "changed notes.txt = without Monday", "changed notes.txt = this alone"],
    ),
    ('Remove the line "x" from notes.txt.', ["changed notes.txt = without the line x", "changed notes.txt = this alone"]),
    # files as such
    ("Could you please delete old.txt?", ["gone old.txt"]),
    ("Delete old.txt and a.txt.", ["gone old.txt", "gone a.txt"]),
    ("Rename a.txt to b.txt.", moved("a.txt", "b.txt")),
    ('Rename "scan one.pdf" to "march bill.pdf".', moved("scan one.pdf", "march bill.pdf")),
    ("Move notes.txt to reports.", moved("notes.txt", "reports/notes.txt")),
    (
        "Move old.txt and a.txt into the folder archive.",
        [*moved("old.txt", "archive/old.txt"), *moved("a.txt", "archive/a.txt")],
    ),
    ('Copy a.txt into the folder "two words".', ["same two words/a.txt = a.txt"]),
    ("Make a copy of may.txt called june.txt.", ["same june.txt = reports/may.txt"]),
    ("Create a folder red and a folder blue.", ["exists red/", "exists blue/"]),
    ("Unpack photos.zip into the folder pics.", ["exists pics/* = from photos.zip"]),
    ('Write "x" into b.txt. Rename b.txt to c.txt.', ["gone b.txt", "exists c.txt", "contains c.txt = x", "only c.txt"]),
    # what is shown
    ("Open prices.xlsx, set cell B2 to 7.5 and save.", ["open = prices.xlsx", "cell prices.xlsx!B2 = 7.5"]),
    ('Cell Sheet2!C3 in prices.xlsx must show "Total".', ["cell prices.xlsx!Sheet2!C3 = Total"]),
    ("Write the total into cell B9 of prices.xlsx.", [f"cell prices.xlsx!B9 = {RESULT}"]),
    ('Open the calculator, so that the window "Sums" shows "42".', ["window Sums = 42", "open Calculator"]),
    ("Open letter.docx in the word processor.", ["open Word Processor (LibreOffice Writer) = letter.docx"]),
    ("Could you please start the calculator?", ["open Calculator"]),
    ("Go to https://example.org/a.", ["open = https://example.org/a"]),
    ('The field "Name" must be "Bo".', ["control Name = Bo"]),
    ('Copy "blue whale" to the clipboard.', ["clipboard = blue whale"]),
    ("Run check.sh; it must end with exit code 0.", ["exit check.sh = 0"]),
]


@pytest.mark.parametrize(("task", "wanted"), UNDERSTOOD, ids=[task for task, _ in UNDERSTOOD])
def test_what_is_understood_is_a_check(task: str, wanted: list[str]) -> None:
    assert said(task) == wanted


@pytest.mark.parametrize(
    "task",
    [
        "What is in notes.txt?",
        "Look at log.txt, and count the lines in table.csv.",
        "Can you tell me what is in new.txt?",
        "How many rows has table.csv, and who comes first?",
        "Look at log.txt and tell me its last word.",
        "Add up the amounts in table.csv and let me know the sum.",
        "Summarise notes.txt in three sentences.",
        "Hello! Thanks.",
        "Use table.csv, not old.txt.",
        "Use table.csv. What is the answer?",
        "Who wrote the longest letter of that year? Search the web for it.",
        "Where is Uluru? Find it online.",
    ],
)
def test_who_only_wants_to_know_has_nothing_done(task: str) -> None:
    assert said(task, question=task) == []


@pytest.mark.parametrize(
    "task",
    [
        "Send the letter to Ann",
        "Multiply the prices in table.csv by two",
        "Take notes.txt off the shared drive",
        "Check that Bob is told",
        "Find a free room for Eva",
        "Divide the files between the two folders",
        "Read the mail to Eva",
        "Is it possible for you to mail it to Eva?",
        "Open the terminal and the web browser application",
        "Round the amounts in table.csv to whole euros",
        "Get the keys from the neighbour",
        "See that the printer is switched off",
        "Compare the two drafts and throw the worse one out",
        "Count me in for the dinner",
        "Watch the download until it ends",
        "Look after the plants",
        "Why don't you forward it to Eva?",
        "What about a backup of notes.txt?",
        "How about sending notes.txt to Eva?",
        "Is there any way to have notes.txt printed?",
        "The file notes.txt is to be in capitals",
        "The table table.csv is sorted by date when you are finished",
        "My boss has to hear of it",
        "It is time to call Eva",
        "Tell us apart in notes.txt",
        "Open the text editor for the whole team",
        "Open a file for Eva with the terminal",
        "Take me off the mailing list",
        "Let me have notes.txt by mail",
        "Show me how to tie a knot and tie it",
        "List the house on the market",
        "Describe the flat on the web for buyers",
        "I want to know that Eva has got notes.txt",
        "The table table.csv has the columns name and age",
        'Press the big button, so that the window shows "42"',
        "Work it out",
        'Open the form, choose Oak and press "Book it"',
        "Search the web for it",
        "Find it online",
        "Search the house for it",
        "Delete everything that is older than a year",
        "Move the overdue invoices to the folder late",
        "Rename all text files after their titles",
        "Move all PDF files into a folder called bills",
        "Delete old.txt if it is empty",
        "If old.txt exists, delete it",
        "Never touch old.txt",
        "Delete a.txt, but keep the others",
        "Copy a.txt, old.txt and the rest to the folder safe",
        "Find the cheapest flight in table.csv and reserve it",
        "Calculate the totals of table.csv, updating old.txt",
        "Use the tool to crop the picture",
        "Open an account for Ann",
        "Could you crop it?",
        "Would you mind sending it?",
        "Tell Ann about it",
        "Show it to Ann in an email",
        "Get rid of the others",
        "Use a large font",
        "Give it a title",
        "Take a screenshot",
        "Answer the mail from Ann",
        "Report the bug to Ann",
        "The text is bold",
        "Save the list as report-YYYY-MM-DD.txt",
        'Write "We sold N pears" into c.txt, with the number in place of N',
        "Schicke den Brief an Ann",
        "Type the total into the field at the top",
        "The result is saved as out.txt and mailed to Ann",
    ],
)
def test_one_word_that_is_not_understood_leaves_the_run_unverified(task: str) -> None:
    whole = f'Write "x" into b.txt. {task}{"" if task.endswith("?") else "."}'
    both = said(whole, question=task)
    assert {"exists b.txt", "contains b.txt = x", "only b.txt"} <= set(both)
    assert [each for each in both if each.startswith("deed")] == [f"deed = {task.strip('.')}"]


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("Convert table.csv to table.json.", "exists table.json"),
        ("Run check.sh, which makes table.json of table.csv.", "exists table.json"),
        ("Pack table.csv into data.tar.", "exists data.tar"),
        ("Write a letter that mentions Ann into b.txt.", "exists b.txt"),
        ("Sort the lines of notes.txt.", "changed notes.txt"),
        ("Fix the spelling mistakes in letter.docx.", "changed letter.docx"),
        ("Open letter.docx, make the title bold and save it.", "changed letter.docx"),
        ('Make sure that b.txt has "x" in its second line; save it as b.txt.', "exists b.txt"),
    ],
)
def test_of_what_is_not_understood_only_the_least_is_looked_at(task: str, wanted: str) -> None:
    """It can end a run as failed; that it holds makes none done."""
    found = said(task)
    assert wanted in found
    assert any(each.startswith("deed") for each in found)


@pytest.mark.parametrize(
    "task",
    [
        "Save the pages with their numbers as names, like 003.pdf.",
        "Put each of them into out, named by its day, for example 2024-03-08.pdf.",
        "Save every picture as HHMMSS.jpg, the time it was taken.",
    ],
)
def test_what_shows_how_files_are_called_is_none_of_them(task: str) -> None:
    assert [each for each in said(task) if each.startswith("exists")] == []


def test_of_an_edit_of_a_file_that_is_moved_on_it_is_only_known_what_was_added() -> None:
    found = said('Add "x" to notes.txt. Rename notes.txt to sent.txt.')
    assert found == ["gone notes.txt", "exists sent.txt", "contains sent.txt = x", "deed = Rename notes.txt to sent.txt"]


def test_what_was_in_a_file_that_is_deleted_is_not_forgotten() -> None:
    assert said('Write "x" into b.txt. Delete b.txt.') == ["gone b.txt", "deed = the file b.txt contains 'x'"]


def test_what_was_found_out_and_is_to_be_written_down_has_to_have_been_found_out() -> None:
    task = "Take the name of the dentist from letter.docx and write it into name.txt."
    checks = ["exists name.txt", "changed name.txt = to what was found out"]
    assert said(task) == [*checks, f"deed = {task.removesuffix('.')}"]


def test_a_planner_adds_to_what_the_words_say() -> None:
    planned = Check(kind="file_contains", target="b.txt", text=RESULT, origin="evidence")
    assert said('Write "x" into b.txt.', planned) == [
        f"contains b.txt = {RESULT}", "exists b.txt", "contains b.txt = x", "only b.txt",
    ]  # fmt: skip
    pattern = Check(kind="file_exists", target="report-YYYY-MM-DD.txt")
    assert said("Save the list as report-YYYY-MM-DD.txt.", pattern) == ["deed = Save the list as report-YYYY-MM-DD.txt"]


def test_what_is_asked_and_not_answered_is_not_looked_at() -> None:
    assert said("What is in notes.txt?", question="What is in notes.txt?") == []
    assert said("What is in notes.txt?") == ["deed = What is in notes.txt?"]
    assert said("Email table.csv to Ann.", question="Was it sent?") == ["deed = Email table.csv to Ann"]


@pytest.mark.parametrize(
    ("task", "deed"),
    [
        ("Where is Uluru? Search the web for it and book it.", "Search the web for it and book it"),
        ("Where is Uluru? Search the web for it, if you like.", "Search the web for it, if you like"),
        ("Where is Uluru? Search the flat for it.", "Search the flat for it"),
        ("Is Uluru booked? Search the web for it.", "Search the web for it"),
        ("Where is Uluru? What is the answer to Ann? Answer it.", "Answer it"),
        ("Where is Uluru? What is the text that you answer Ann with?", "What is the text that you answer Ann with?"),
    ],
)
def test_only_what_looks_for_the_answer_belongs_to_the_question(task: str, deed: str) -> None:
    assert f"deed = {deed}" in said(task, question=task)


def test_a_question_in_another_language_may_be_an_order() -> None:
    task = "Nenne mir die Summe von table.csv"
    assert said(f"{task}.", question="Wie hoch ist die Summe?") == [f"deed = {task}"]


def test_a_program_that_is_not_there_is_not_opened() -> None:
    assert said("Open the spreadsheet.") == ["deed = Open the spreadsheet"]
    assert said("Open gone.txt in the text editor.") == ["deed = Open gone.txt in the text editor"]

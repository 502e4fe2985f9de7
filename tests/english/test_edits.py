"""What parts of tasks have changed in a text, and what the text is then; those that leave a doubt change nothing."""

from __future__ import annotations

import pytest

from deskcrew.english.edits import applied, definite, edit_of, edits_of

TEXT = (
    "Spring list\nfig jam: 46 euros\nplum jam: 22 euros\nhoney: 22 euros\nIvo: 555-1234\nvisit of Ann on Monday at 10:30\n"
)


@pytest.mark.parametrize(
    ("part", "instead", "of"),
    [
        ('Add the line "salt" at the end', "10:30\nsalt", "10:30\n"),
        ('Append "salt" to x.txt', "10:30\nsalt", "10:30\n"),
        ('put "salt" on a new line at the bottom', "10:30\nsalt", "10:30\n"),
        ('Put "May" at the very top', "May\nSpring", "Spring"),
        ('Add "May" as the first line, above everything else', "May\nSpring", "Spring"),
        ('Insert "tea" directly below the line "honey: 22 euros"', "honey: 22 euros\ntea\n", "honey: 22 euros\n"),
        ('Insert the line "tea" after the line about honey', "honey: 22 euros\ntea\n", "honey: 22 euros\n"),
        ('Above the line that says "Ivo: 555-1234", add "tea"', "tea\nIvo", "Ivo"),
        ("add these lines at the end: salt, pepper and oil.", "10:30\nsalt\npepper\noil", "10:30\n"),
        ('Change "Monday" to "Friday"', "on Friday", "on Monday"),
        ('In the line about honey, replace "22" with "25"', "honey: 25", "honey: 22"),
        ("change the price of the honey from 22 to 25.", "honey: 25", "honey: 22"),
        ("Change the price of the fig jam from 46 to 47", "jam: 47", "jam: 46"),
        ("Change the phone number of Ivo to 555-9999", "555-9999", "555-1234"),
        ("set the price of the plum jam to 30 euros", "plum jam: 30", "plum jam: 22"),
        ("Set the day of the visit to Friday", "on Friday", "on Monday"),
        ("update the time of the visit to 11:00", "at 11:00", "at 10:30"),
        ("Remove the line about honey", "", "honey: 22 euros\n"),
    ],
)
def test_a_part_says_what_the_text_is_then(part: str, instead: str, of: str) -> None:
    edit = edit_of(part)
    assert edit is not None
    assert applied(edit, TEXT) == TEXT.replace(of, instead)


@pytest.mark.parametrize(
    "part",
    [
        'Write "x" between "a" and "b"',
        'write "Ann" where it says "NAME"',
        'Replace the first "foo" with "bar"',
        'Add "x" under the heading "Shopping"',
        'add "x" in the comments section',
        'Add "x" at the end of the second paragraph',
        "Change the phone number from somebody",
        'Change the column "a" to "b"',
        "Add up the prices",
        'Add "salt" to the list, after the honey',
        'Put "salt" in front of "honey"',
        'Add the word "fresh" before "honey"',
        "Move the visit with Ann to Tuesday",
        'Change "fig" to "plum" and "honey" to "oil"',
        "Reduce the fig jam from 46 to 40 and raise the honey to 30",
        'Add the line "salt" at the end and capitalize the title',
        "Save the file",
        "Set the font size of the title to 14",
    ],
)
def test_in_doubt_nothing_is_said(part: str) -> None:
    assert edit_of(part) is None


@pytest.mark.parametrize(
    "part",
    [
        "change 22 to 25",  # it stands there twice
        'Insert "x" after the line about jam',
        "Remove the line about jam",
        "Change the price of the cheese to 4",
        "Change the phone number of Ann to Friday 3",
    ],
)
def test_a_text_that_it_does_not_fit_is_left_alone(part: str) -> None:
    edit = edit_of(part)
    assert edit is not None
    assert applied(edit, TEXT) is None


def test_letters_and_all_that_is_quoted() -> None:
    capitals = edit_of("put the whole text into capital letters")
    assert capitals is not None
    assert applied(capitals, "a B\n") == "A B\n"
    every = edit_of('replace "22" by "25"')
    assert every is not None
    assert applied(every, TEXT) == TEXT.replace("22", "25")


def test_an_order_is_definite_where_all_its_clauses_are() -> None:
    assert definite('Add the line "x" at the end and change "a" to "b"')
    assert len(edits_of('Add the line "x" at the end and change "a" to "b"')) == 2
    assert not definite('Add the line "x" at the end and sort the rest')
    assert not definite('Write "x" into a.txt')
    assert not definite("Save it")


def test_a_list_after_a_colon_is_lines_whatever_they_say() -> None:
    edit = edit_of("Write a note in the editor with three lines: green tea, a search box and nails.")
    assert edit is not None
    assert applied(edit, "") == "green tea\na search box\nnails"

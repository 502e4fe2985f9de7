"""A task cut into its clauses, and which of them ask, inform, or have something done."""

from __future__ import annotations

import pytest

from deskcrew.english.clauses import asks, clauses, informs, questions, sentences, steps, verb_of


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Open a.txt and add a line, then save it.", ("Open a.txt", "add a line", "save it.")),
        ("Open a.txt. After that, please save it.", ("Open a.txt.", "save it.")),
        ("Would you mind: open a.txt, and don't forget to save it.", ("open a.txt", "save it.")),
        ('Write "Come, and bring cake. Then go." into a.txt.', ('Write "Come, and bring cake. Then go." into a.txt.',)),
        ("Run `cat a.txt and save b.txt` then save.", ("Run `cat a.txt and save b.txt`", "save.")),
        ("In notes.txt, replace x with y.", ("In notes.txt, replace x with y.",)),
        ("Make a table with name, order, and price.", ("Make a table with name, order, and price.",)),
        ("Add up the hours and let me know the sum.", ("Add up the hours", "let me know the sum.")),
        ("Ask Dr. Lang. Save it.", ("Ask Dr. Lang.", "Save it.")),
        ("See e.g. a.txt for it.", ("See e.g. a.txt for it.",)),
    ],
)
def test_a_clause_begins_where_the_verb_of_an_order_does(task: str, parts: tuple[str, ...]) -> None:
    assert clauses(task) == parts


def test_quoted_texts_and_points_of_a_list_are_not_cut() -> None:
    task = 'Please:\n- add "Thanks. See you." to a.txt\n- save it; close it'
    assert sentences(task) == ["Please:", 'add "Thanks. See you." to a.txt', "save it", "close it"]


@pytest.mark.parametrize(
    ("task", "question"),
    [
        ("Could you open a.txt and add a line?", ""),
        ("Can you count the lines of a.txt?", "Can you count the lines of a.txt?"),
        ("Can you count the lines of a.txt and write the number into b.txt?", ""),
        ("Could you save it and tell me where it is?", "tell me where it is?"),
        ("I want to know who spent most.", "I want to know who spent most."),
        ("Save it and report the sum.", "report the sum."),
        ("Wie viele sind es?", "Wie viele sind es?"),
        ("devices.txt has the devices. Find the serial number of the camera.", ""),
        ("Find the oldest entry in log.txt and delete it.", ""),
        ("Find the cheapest flight.", ""),
    ],
)
def test_only_what_asks_to_be_told_wants_an_answer(task: str, question: str) -> None:
    assert questions(clauses(task)) == question


@pytest.mark.parametrize(
    ("clause", "verb"),
    [
        ("Could you please delete a.txt?", "delete"),
        ("In a.txt, replace x with y", "replace"),
        ("Add up the hours", "find"),
        ("let us know the sum", "tell"),
        ("The copy is in a.txt", ""),
        ("Loosen the screw", ""),
    ],
)
def test_what_the_verb_of_a_clause_does(clause: str, verb: str) -> None:
    assert verb_of(clause) == verb


@pytest.mark.parametrize(
    ("clause", "nothing"),
    [
        ("The table a.csv has the columns name and age", True),
        ("a.csv is the list for tomorrow", True),
        ("We are out of paper", True),
        ("The plan is to be renamed", False),
        ("The plan is saved as a.docx", False),
        ("The file a.txt is here, so rename it", False),
        ("I need a list of the names in a.txt", False),
        ("The note should have three lines", False),
        ("Loosen the screw", False),
    ],
)
def test_a_remark_is_told_from_what_is_to_be_done(clause: str, nothing: bool) -> None:
    assert informs(clause) is nothing


def test_what_only_asks_to_be_told_is_no_step_where_more_is_to_be_done() -> None:
    assert steps(clauses("Add up the sizes in a.csv and tell me the total.")) == ("Add up the sizes in a.csv",)
    assert steps(clauses("Open a.pdf and tell me the amount.")) == ("Open a.pdf", "tell me the amount.")
    assert steps(clauses("Save it. What is its size?")) == ("Save it.", "What is its size?")
    assert asks("tell me the amount.")

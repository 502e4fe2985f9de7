"""Polite wishes as orders, and questions that stay questions."""

from __future__ import annotations

import pytest

from deskcrew.english.clauses import clauses, informs, questions, sentences, steps


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Could you open a.txt and add a line?", ("Open a.txt", "add a line.")),
        ("Would you mind opening a.txt and putting b at the end?", ("Open a.txt", "put b at the end.")),
        ("Hello, can you please save a.txt?", ("Save a.txt.",)),
        ("Open a.txt, and don't forget to save it.", ("Open a.txt", "save it.")),
        ("You should delete a.txt.", ("Delete a.txt.",)),
        ('Write "Could you come, and bring cake?" into a.txt.', ('Write "Could you come, and bring cake?" into a.txt.',)),
        ("What is it?", ("What is it?",)),
        ("Hi there, read a.txt. Thanks a lot!", ("Read a.txt.",)),
        ("I need to know how long a.pdf is. Can you look that up for me?", ("I need to know how long a.pdf is.",)),
        ("Thank you!", ("Thank you!",)),
        ("a.csv lists the names. Thanks", ("a.csv lists the names.",)),
        ("I'd like a folder called b.", ("Make a folder called b.",)),
        ("All PDF files should go into the folder b.", ("Move all PDF files into the folder b.",)),
        ("The total should go into cell B4.", ("The total should go into cell B4.",)),
        ("Somebody left a.txt here. Could you rename it to b.txt?", ("Somebody left a.txt here.", "Rename a.txt to b.txt.")),
        ("Move a.txt to the folder b and rename it to c.txt.", ("Move a.txt to the folder b", "rename it to c.txt.")),
    ],
)
def test_a_wish_is_the_order_that_it_is(task: str, parts: tuple[str, ...]) -> None:
    assert clauses(task) == parts


@pytest.mark.parametrize(
    ("task", "question"),
    [
        ("Could you open a.txt and add a line?", ""),
        ("Can you count the lines of a.txt?", "Count the lines of a.txt?"),
        ("Can you count the lines of a.txt and write the number into b.txt?", ""),
        ("Could you save it and tell me where it is?", "tell me where it is?"),
        ("Could you tell me who called?", "Tell me who called?"),
        ("Would you know the price?", "Know the price?"),
        ("I want to know who spent most.", "I want to know who spent most."),
    ],
)
def test_only_what_asks_to_be_told_wants_an_answer(task: str, question: str) -> None:
    assert questions(clauses(task)) == question


def test_quoted_texts_and_points_of_a_list_are_not_cut() -> None:
    task = 'Please:\n- add "Thanks. See you." to a.txt\n- save it; close it'
    assert sentences(task) == ["Please:", 'add "Thanks. See you." to a.txt', "save it;", "close it"]


@pytest.mark.parametrize(
    ("clause", "nothing"),
    [
        ("I've received a.zip from Ms Orr", True),
        ("In a.zip you'll find a table for each house", True),
        ("No need to unpack anything", True),
        ("The plan is saved as a.docx, which is not how we name things", True),
        ("The plan is to be renamed", False),
        ("The file a.txt is here, so rename it", False),
        ("I need to know when it was made", False),
        ("There is a table in a.csv; how many rows has it?", False),
    ],
)
def test_a_remark_is_told_from_what_is_to_be_done(clause: str, nothing: bool) -> None:
    assert informs(clause) is nothing


def test_a_question_of_its_own_is_a_step_after_files_were_handled() -> None:
    asked = steps(clauses("Unpack a.zip into the folder b and tell me how many files there are."))
    assert asked == ("Unpack a.zip into the folder b", "tell me how many files there are.")
    asked = steps(clauses("Unzip a.zip into the folder b and let me know how many files there are."))
    assert asked == ("Unzip a.zip into the folder b", "let me know how many files there are.")
    assert len(steps(clauses("Have a look at a.csv and let me know who is oldest."))) == 1
    assert steps(clauses("Add up the sizes in a.csv and tell me the total.")) == ("Add up the sizes in a.csv",)

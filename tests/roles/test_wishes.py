"""Polite wishes as orders, and questions that stay questions."""

from __future__ import annotations

import pytest

from deskcrew.roles.clauses import clauses, questions, sentences


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

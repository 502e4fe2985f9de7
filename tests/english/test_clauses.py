"""Clauses with commands in them, and with a place before them."""

from __future__ import annotations

import pytest

from deskcrew.english.clauses import clauses, questions, quoted, steps


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (
            "Start a terminal and run this command there: sort -u a.txt | wc -l. How many are there?",
            ("Start a terminal", "run this command there: `sort -u a.txt | wc -l`.", "How many are there?"),
        ),
        (
            "Run the following in the terminal: grep -c a x.txt and tell me the number.",
            ("Run the following in the terminal: `grep -c a x.txt`", "tell me the number."),
        ),
        ("Run `cat a.txt and b.txt` then save.", ("Run `cat a.txt and b.txt`", "save.")),
        ("In the terminal (X), find out how long a.txt is.", ("In the terminal (X), find out how long a.txt is.",)),
    ],
)
def test_a_command_is_one_text(task: str, expected: tuple[str, ...]) -> None:
    assert clauses(task) == expected


def test_backticks_quote() -> None:
    assert quoted("Type `hello world` and 'so it is', not don't or it's") == ("hello world", "so it is")


@pytest.mark.parametrize(
    "asks",
    [
        "tell what the price is.",
        "tell me what the price is.",
        "tell us which one is cheaper.",
        "report how many there are.",
        "let us know where it lies.",
    ],
)
def test_whoever_is_to_be_told_something_asks_a_question(asks: str) -> None:
    """Also where the words leave out who: it is whoever gave the task."""
    parts = clauses(f"Choose blue, press Show price and {asks}")
    assert parts == ("Choose blue, press Show price", asks)
    assert questions(parts) == asks
    assert steps(parts) == parts[:1]


def test_what_is_told_somebody_else_is_no_question() -> None:
    assert questions(clauses("Open note.txt and tell Ann in it what the price is.")) == ""

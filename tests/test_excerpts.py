"""Which lines of a long text are shown."""

from __future__ import annotations

from deskcrew.excerpts import telling

PAGE = "\n".join(
    ["Handbook", *(f"Chapter {n}: close the windows of the house." for n in range(30)), "The gate's code is 417."]
)


def test_the_lines_with_the_questions_words_are_shown_with_the_first() -> None:
    shown = telling(PAGE, "What is the code of the gate?", 60)
    assert shown.splitlines() == ["Handbook", "The gate's code is 417.", "... (30 more lines)"]


def test_a_word_that_all_lines_have_tells_less_than_one_that_few_have() -> None:
    assert "417" in telling(PAGE, "Which code opens the gate of the house in this chapter?", 120)


def test_what_is_short_and_what_has_none_of_the_words_is_left_as_it_is() -> None:
    assert telling("One\nTwo\nThree", "three", 100) == ""
    assert telling(PAGE, "Who sings?", 60) == ""

"""Sentences that parts ask for, made of the parts' own words and a result."""

from __future__ import annotations

import pytest

from deskcrew.roles.composing import sentence, wants_sentence


@pytest.mark.parametrize(
    ("part", "made"),
    [
        ("write a sentence that says how many stamps there are in all", "There are 12 stamps in all."),
        ("type a line saying how many stamps we have in total, and save it as a.txt", "We have 12 stamps in total."),
        ("write a short note that says what the average price is", "The average price is 12."),
        ("write a sentence stating the total of the stamps in a new note", "The total of the stamps is 12."),
        ("write one sentence saying who sold most", "12 sold most."),
        ("write a sentence that tells me which city has most stamps", "The city that has most stamps is 12."),
    ],
)
def test_the_parts_own_words_make_the_sentence(part: str, made: str) -> None:
    assert wants_sentence(part)
    assert sentence(part, "12\n") == made


@pytest.mark.parametrize("part", ["write the total into a note", 'write the line "a" into b.txt', "save it as note.txt"])
def test_where_no_sentence_is_asked_for_none_is_wanted(part: str) -> None:
    assert not wants_sentence(part)


@pytest.mark.parametrize("result", ["", "a result that is far too long to stand in the middle of one sentence", "a: 1"])
def test_what_is_no_short_result_makes_none(result: str) -> None:
    assert sentence("write a sentence that says how many stamps there are", result) == ""

"""All titles of a document: which words want them."""

import pytest

from deskcrew.english.titles import lists_titles


@pytest.mark.parametrize(
    "clause",
    [
        "I need the titles of all slides of a.pptx as a plain list, one title a line in the order of the slides.",
        "I'd like its headings, one below the other.",
        "List the section headings of a.docx",
    ],
)
def test_all_titles_as_they_stand(clause):
    assert lists_titles(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "How many headings are in a.docx?",
        "List the slide titles of a.pptx that start with A.",
        "Sort the headings of a.docx.",
        "Change the headings of a.docx to bold.",
        "List the first three titles of a.pptx.",
        "Save the headings of the table columns.",
    ],
)
def test_anything_else_is_left_to_a_model(clause):
    assert not lists_titles(clause)

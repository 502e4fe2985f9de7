"""Clauses without what is said around them: remarks, reasons, politeness, names given to what was written."""

import pytest

from deskcrew.english.blanks import blank
from deskcrew.english.clauses import clauses, informs, quoted
from deskcrew.english.edits import edit_of
from deskcrew.english.routing import program_named, work_of

PROGRAMS = ("Text Editor", "Text Editor (Kedit)", "Text Editor (Penpad)", "Office Writer")


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        (
            "The date in a.txt is wrong: replace 3 by 4 there, please.",
            ("The date in a.txt is wrong.", "replace 3 by 4 there."),
        ),
        ('Delete the line "x", it isn\'t needed any more. Save, of course.', ('Delete the line "x".', "Save.")),
        ("Use Penpad for it and call the file a.txt.", ("Use Penpad for it", "save it as a.txt.")),
        ("Save it when you're done.", ("Save it.",)),
        ("Run `wc -l a.log` and note the number in b.txt.", ("Run `wc -l a.log`", "note the number in b.txt.")),
    ],
)
def test_a_clause_says_only_what_is_to_be_done(task, parts):
    assert clauses(task) == parts


def test_a_need_is_a_remark_unless_it_says_what_is_to_be_done():
    assert informs("We also need blue paint.")
    assert not informs("I need the total of a.csv.")
    assert not informs('I need "x" to be the first line of a.txt.')
    assert not informs("I need a list of the names in a.txt.")


@pytest.mark.parametrize("quotes", ["“x y”", "„x y“", "`x y`", "'x y'", '"x y"'])
def test_every_kind_of_quotation_marks_quotes(quotes):
    assert quoted(f"Write {quotes} at the end.") == ("x y",)
    edit = edit_of(f"Write {quotes} at the end.")
    assert edit is not None
    assert edit.texts == ("x y",)


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("with the text editor Penpad", "Text Editor (Penpad)"),
        ("in the text editor (Kedit)", "Text Editor (Kedit)"),
        ("in Text Editor, the plain one", "Text Editor"),
        ("in an editor", ""),
    ],
)
def test_a_program_s_own_name_counts_more_than_its_kind(words, program):
    assert program_named(words, PROGRAMS) == program


@pytest.mark.parametrize(
    ("clause", "work"),
    [
        ("It's open in Penpad", "nobody"),
        ("I've got a.docx open in Writer.", "nobody"),
        ("Keep the Word format.", "nobody"),
        ("Please make me a short note.", "nobody"),
        ("Tell me what the note says which is open in Penpad?", "look"),
        ("Everything in a.txt has to be in capital letters.", "windows"),
        ('I need "x" to be the first line of a.txt.', "windows"),
        ("It should have these lines: `x` and `y`.", "windows"),
    ],
)
def test_what_kind_of_work_a_clause_is(clause, work):
    assert work_of(clause, windows=True, whole=f"{clause} And what else there is to say.") == work


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("The letter has the placeholder NN for that number.", "NN"),
        ("Put the total in place of XX in a.txt", "XX"),
        ("where it says ____, write the sum", "____"),
        ("Write a letter for X-mas.", ""),
    ],
)
def test_a_blank_is_what_words_call_one(words, sign):
    assert blank(words) == sign


@pytest.mark.parametrize(
    ("task", "parts"),
    [
        ("Make sure that you save it.", ("Save it.",)),
        ("The note should be saved as b.txt.", ("save it as b.txt.",)),
        (
            "Would you be so kind as to fix that in Kedit, i.e. change “x” to “y”?",
            ("Fix that in Kedit", "change “x” to “y”."),
        ),
        (
            "Write the headings of a.docx into a new note using Kedit.",
            ("List the headings of a.docx.", "write them into a new note using Kedit."),
        ),
        (
            "I'd like its headings in a text file called b.txt, typed up in Kedit.",
            ("I'd like its headings.", "write it in Kedit.", "save it as b.txt"),
        ),
    ],
)
def test_what_is_said_in_a_roundabout_way_is_said_plainly(task, parts):
    assert clauses(task) == parts


@pytest.mark.parametrize(
    "remark", ["My colleague can't find her list any more.", "We are out of paper and I'm to order some."]
)
def test_how_things_are_is_no_order_whatever_verbs_it_has(remark):
    assert informs(remark)


@pytest.mark.parametrize("order", ["The total has to be written into a.txt.", "These files are to be deleted."])
def test_what_has_to_be_done_is_one(order):
    assert not informs(order)

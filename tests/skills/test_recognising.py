"""Which skill that ships a request asks for was learnt from examples, and holds for requests that it was not learnt from."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.skills.lexicon import shipped
from deskcrew.learning.skills.offering import nearest
from deskcrew.learning.skills.recognising import NONE, digest, examples, learn, learnt_from, lessons, recognised, score

FOLDS = 4
"""Of as many examples one is not learnt from."""


@pytest.fixture(scope="module")
def held_out() -> tuple[list[str], list[str], Any]:
    """For the examples that were not learnt from: what they ask for, what they were taken for, and the scores."""
    texts, told = zip(*lessons(), strict=True)
    names = [*dict.fromkeys(name for name in told if name != NONE), NONE]
    labels, vectors = numpy.array([names.index(name) for name in told]), SentenceEmbedder().embed(texts)
    out = numpy.arange(len(texts)) % (len(texts) // 2) % FOLDS == 0
    scores = score(vectors[out], learn(vectors[~out], labels[~out], len(names)))
    return [told[each] for each in numpy.flatnonzero(out)], [names[each] for each in scores.argmax(axis=1)], scores


def test_what_it_is_told_by_examples_holds_for_others(held_out: tuple[list[str], list[str], Any]) -> None:
    """Without the files, which tell many apart: a request for a list may be about any."""
    asked, taken, scores = held_out
    skills = [number for number, name in enumerate(asked) if name != NONE]
    others = [number for number, name in enumerate(asked) if name == NONE]
    assert len(skills) > 800 < 4 * len(others)
    assert sum(taken[each] == NONE for each in others) >= 0.75 * len(others)
    assert sum(taken[each] != NONE for each in skills) >= 0.75 * len(skills)
    nearest_skill: list[int] = scores[:, :-1].argmax(axis=1).tolist()
    names = [*dict.fromkeys(name for _, name in examples() if name != NONE)]
    assert sum(names[nearest_skill[each]] == asked[each] for each in skills) >= 0.7 * len(skills)


def test_what_was_learnt_is_of_the_examples_that_there_are() -> None:
    assert learnt_from() == digest(), "python tools/learn_skills.py learns anew"


def test_each_skill_has_many_examples_and_none_is_of_two() -> None:
    told = examples()
    for skill in shipped():
        assert sum(name == skill.name for _, name in told) >= 20, skill.name
    assert len({text.casefold() for text, _ in told}) == len(told)


@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("How many loans did every branch of the library have?", "sum-column-by-group"),
        ("My uncle's address book as a spreadsheet, it is a vcf", "contacts-to-table"),
        ("Dreh mir bitte das eingescannte PDF um, es steht kopf", "rotate-pdf-pages"),
        ("I want sales.csv in order, the biggest amounts first.", "sort-table"),
        ("pdfs merged", "merge-pdfs"),
        ("rename minutes.txt to notes.txt", "rename-file"),
        ("show the 3 cheapest rows of stock.csv", "top-rows"),
        ("list the lines with FIXME in ideas.txt", "find-lines"),
        ("all files here in a list", "list-folder"),
        ("How many appointments are there in july?", "find-events"),
        ("merge the two calendars", "merge-calendars"),
        ("the phone number of Olaf", "find-contacts"),
        ("which mails did Rob send me in may", "find-mails"),
        ("a table with all my mails", "list-mails"),
        ("how many photos are in holiday", "count-files"),
        ("number the files from 10 on", "number-files"),
        ("rename the pictures to sea_1, sea_2 and so on", "rename-in-sequence"),
        ("move the pdfs into the folder taxes", "move-files"),
        ("copy the photos of all folders into one", "collect-files"),
    ],
)
def test_the_nearest_comes_first_and_is_nearer_than_none(task: str, skill: str) -> None:
    found = nearest(task, shipped(), SentenceEmbedder())
    assert found[0].name == skill
    assert found[0].near > 0 > found[-1].near


@pytest.mark.parametrize(
    ("one", "other"),
    [("march.csv", "april.csv"), ("invoices.csv", "payments.csv"), ("q1.csv", "q2.csv"), ("a.csv", "b.csv")],
)
@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("Compare {} with {}", "compare-tables"),
        ("What is different between {} and {}?", "compare-tables"),
        ("Vergleiche {} mit {}", "compare-tables"),
        ("combine {} with {}", "combine-tables"),
        ("Look up the rows of {1} by id and add its columns to {0}", "join-tables"),
    ],
)
def test_what_files_are_called_says_nothing_of_what_is_done_with_them(task: str, skill: str, one: str, other: str) -> None:
    assert nearest(task.format(one, other), shipped(), SentenceEmbedder())[0].name == skill


@pytest.mark.parametrize(
    "task", ["Write a poem about the sea", "Book me a flight to Rome for next Friday", "On which days am I free?"]
)
def test_what_no_skill_does_is_nearer_to_none(task: str) -> None:
    assert nearest(task, shipped(), SentenceEmbedder())[0].near < 0


def test_vectors_of_another_space_say_nothing() -> None:
    assert recognised(numpy.ones(3, dtype=numpy.float32), "another") == {}

"""Decoys: as many for every kind of text, wrong in what matters, and none nearer to the others than the right one is."""

from __future__ import annotations

import difflib
import statistics

import pytest

from deskcrew.evidence.decoys import COUNT, decoys, placed
from deskcrew.facts.texts import stands_in

SHOP = "The shop opens at 9. It sells lamps, ropes and 3 kinds of tea. On Sundays it is closed all day long."
FEES = "name,paid,due\nAnn Reed,12.50,2031-05-01\nBo Marsh,19.75,2031-06-01\nCem Oz,42.00,2031-07-01\n"
CLUB = "Protokoll: Anna Berger wählt Karl Lehmann. Wir treffen uns an der Turnhalle, nicht am Gasthof."
KINDS = {
    "a summary": ("A shop for lamps, ropes and tea that opens at 9 except on Sundays.", SHOP, "It sums up shop.txt", ""),
    "numbers": ("Ann paid 12.50, Bo 19.75: in all 32.25.", FEES, "It says who paid what", ""),
    "words": ("Karl Lehmann was elected by Anna Berger.", CLUB, "It says who elected whom", ""),
    "no word of the source": ("kwa hivyo tutakutana kesho asubuhi", SHOP, "It says when we meet", ""),
    "Chinese": (
        "店铺九点开门，出售灯具。周日全天休息。",
        "店铺九点开门，出售灯具，绳索和茶叶，周日全天休息，周一照常。",
        "总结",
        "",
    ),
    "one value": ("72507", "People 3, number 72507, room 41", "It is the number", ""),
    "one name": ("Ann Reed", FEES, "It answers who pays first", ""),
    "an edited file": ("[a.md]\nWe meet at 9.\nBring tea.\n", SHOP, "It says 9", "[a.md]\nWe meet at 8.\nBring tea.\n"),
}


def likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


@pytest.mark.parametrize(("text", "source", "wanted", "before"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("asked", [True, False])
def test_there_are_three_whatever_the_text_is(text: str, source: str, wanted: str, before: str, asked: bool) -> None:
    made = decoys(text, source, wanted, before=before, asked=asked)
    assert len({text, *made}) == COUNT + 1
    assert all(each.strip() for each in made)


@pytest.mark.parametrize(("text", "source", "wanted", "before"), KINDS.values(), ids=KINDS)
def test_the_right_one_is_no_nearer_to_the_others_than_they_are(text: str, source: str, wanted: str, before: str) -> None:
    shown, at = placed(text, decoys(text, source, wanted, before=before), wanted)
    near = [statistics.mean(likeness(one, other) for other in shown if other is not one) for one in shown]
    assert near[at] < max(near) + 0.001, "it is not the one that the others were made from"
    assert sum(abs(each - near[at]) < 0.08 for each in near) >= 2, near


def test_what_the_requirement_says_is_altered_first() -> None:
    text = "Room 41 was painted.\nThe closing code is 7731.\nWe were 12 people."
    made = decoys(text, f"{text}\nRoom 52, code 8844, 19 people", "It gives the closing code 7731")
    assert sum("7731" not in each for each in made) == 2
    assert all(each.startswith("Room") and " closing code is " in each for each in made), "no word of the language"


def test_numbers_that_programs_give_are_left_alone() -> None:
    ids = "id 20310501T093011Z-4711, 550e8400-e29b-41d4-a716-446655440000"
    made = decoys(f"Dinner for 12 at 19:30\n{ids}", "Dinner for 14 at 20:00", "It announces the dinner")
    assert len(made) == COUNT
    assert all(ids in each for each in made)


def test_the_same_number_in_another_form_is_not_wrong() -> None:
    made = decoys("It is 42.5.", "rope,19.50\nlamp,42.50\n", "It answers how much it is", asked=True)
    assert len(made) == COUNT
    assert not any("42.50" in each for each in made)


def test_an_answer_is_wrong_in_what_was_asked_and_not_in_the_question() -> None:
    made = decoys("In 2031 it was 42.5", "2030,19.50\n2031,42.5", "It answers what it was in 2031", asked=True)
    assert any(not stands_in("42.5", each) and "2031" in each for each in made)


def test_names_of_files_above_a_text_are_left_alone() -> None:
    made = decoys("[2031/notes 7.txt]\nWe are 12.\nThey are 15.", "12 or 13, 15 or 16", "It says how many")
    assert all(each.startswith("[2031/notes 7.txt]\n") for each in made)


def test_nothing_to_alter_gives_none() -> None:
    assert decoys("—", "—", "It is a dash") == []


def test_where_the_right_one_stands_depends_on_the_requirement_alone() -> None:
    places = [placed("a", ["b", "c", "d"], f"requirement {number}") for number in range(40)]
    assert {at for _, at in places} == {0, 1, 2, 3}
    assert all(shown[at] == "a" for shown, at in places)
    assert placed("x", ["b", "c", "d"], "requirement 1")[1] == places[1][1]

"""Values that words mean of a file's data."""

from __future__ import annotations

import pytest

from deskcrew.roles.lookups import key_for, record_for, records, value_in

OFFER = "Offer\nThank you for asking.\nThe pine shelf costs 267 euros.\nThe oak table costs 437 euros.\n"


@pytest.mark.parametrize(
    ("path", "text", "words", "value"),
    [
        ("offer.docx", OFFER, "the price of the oak table from it", "437"),
        ("offer.docx", OFFER, "the price of the chair", ""),
        ("offer.docx", "Oak table: 5 pieces, 437 euros", "the price of the oak table", ""),
        ("pay.csv", "name,role,pay\nAnn,cook,17\nBo,cook,19\n", "the pay of Bo", "19"),
        ("pay.csv", "name,role,pay\nAnn,cook,17\nBo,cook,19\n", "the pay of the cook", ""),
        ("bill.txt", "Total: 90\nVAT: 17\n", "the total from it", "90"),
    ],
)
def test_the_value_of_something(path: str, text: str, words: str, value: str) -> None:
    assert value_in(path, text, words) == value


def test_the_record_that_words_mean() -> None:
    rows = records("guests.csv", "Name;Room\nAnn Lee;4\nBo Ray;7\n")
    assert record_for(rows, "book a room for Bo Ray") == {"Name": "Bo Ray", "Room": "7"}
    assert record_for(rows, "book a room") == {}
    assert records("a.json", '{"guest": {"name": "Ann", "vip": true}, "tags": ["x"]}') == [{"name": "Ann", "vip": "yes"}]
    assert records("a.json", '{"guests": [{"n": 1}, {"n": 2}]}') == [{"n": "1"}, {"n": "2"}]
    assert records("a.txt", "Name: Ann\nRoom: 4") == [{"Name": "Ann", "Room": "4"}]
    assert records("a.txt", "Dear all,\nName: Ann") == [{"Name": "Ann"}]


def test_the_key_of_a_field() -> None:
    keys = ["name", "roomType", "people", "date"]
    assert [key_for(label, keys) for label in ("Your name", "Room type", "Number of people", "E-mail")] == [
        "name",
        "roomType",
        "people",
        "",
    ]
    assert key_for("Name", ["first name", "last name"]) == ""

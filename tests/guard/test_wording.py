"""What a text says is found in another form of it, and not in what only looks like it."""

from __future__ import annotations

import pytest

from deskcrew.guard.wording import given, wider, within


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("2026-04-03", "Reserve it for 3 April 2026, please"),
        ("03/04/2026", "on 3 April 2026"),
        ("04/03/2026", "on 3 April 2026"),
        ("3.4.26", "le 3 avril 2026"),
        ("16 June", "Kleiner Saal 16.6. 19\u201321 Uhr"),
        ("May 14th", "14 mai"),
        ("5\u670814\u65e5", "on 14 May"),
        ("14/05/2026", "the rehearsal of 14 May"),
        ("Friday", "viernes Hugo"),
        ("mercredi", "Wednesday"),
        ("07:45", "leaves at 7.45 am"),
        ("19:30", "at 7:30 p.m."),
        ("19h30", "um 19.30 Uhr"),
        ("18:00", "von 18 bis 21 Uhr"),
        ("2026-04-03T14:00", "3 April 2026 at 2 pm"),
        ("1250.00", "une facture de 1 250,00 \u20ac"),
        ("1.250,00 EUR", "1250"),
        ("45 euro", "45"),
        ("9", "9.00"),
        ("12", "parcella 12"),
        ("2", "zwei Schl\u00e4uche"),
        ("3", "\u0434\u043b\u044f \u0442\u0440\u0451\u0445 \u0447\u0435\u043b\u043e\u0432\u0435\u043a"),
        ("A4 printer paper", "20 packs of printer paper, A4"),
        ("the printer", "Printers"),
        ("standard", "Standard (3-5 days)"),
        ("\u015bredni\u0105", "\u015arednia paczka"),
        ("Kowal", "pana Kowala"),
    ],
)
def test_the_same_in_another_form(part: str, whole: str) -> None:
    assert within(part, whole)


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        ("2026-04-04", "on 3 April 2026"),
        ("2025-04-03", "on 3 April 2026"),
        ("5 April", "4 May"),
        ("16 June", "9.6."),
        ("Friday", "jueves"),
        ("19:45", "leaves at 7.45 am"),
        ("7.45", "745"),
        ("125", "1 250,00 \u20ac"),
        ("250", "1 250,00 \u20ac"),
        ("9", "1990"),
        ("9", "\u00a39.50"),
        ("21", "S-2113"),
        ("3", "zwei Schl\u00e4uche"),
        ("A4 printer paper", "A5 printer paper"),
        ("Jana Petersen", "Jana Peters"),
        ("Smith", "Smithson"),
        ("Ben Smith", "Ann Smith"),
        ("of the", "the office"),
        ("", "anything"),
    ],
)
def test_something_else(part: str, whole: str) -> None:
    assert not within(part, whole)


@pytest.mark.parametrize(
    ("text", "words", "counts"),
    [
        ("Lov", "Register Ada Lovelace", True),
        ("1", "on 14 May", False),
        ("4711", "The code is 47, then 11", False),
        ("40", "a bill of 340 euros", False),
        ("The code of the safe is 4711", "Ask whether the hall is heated", False),
        ("14.5.", "Cancel it on 14 May", True),
    ],
)
def test_what_is_typed_is_a_piece_of_the_users_words_or_said_there(text: str, words: str, *, counts: bool) -> None:
    assert given(text, words) is counts


def test_a_control_for_more_than_one_thing_is_told_by_its_words() -> None:
    assert wider(("Void all",), ("Void invoice 17",)) == "all"
    assert wider(("Alle Buchungen stornieren",), ("Cancel our booking",)) == "alle"
    assert wider(("\u5220\u9664\u5168\u90e8",), ("Delete it",)) == "\u5168\u90e8"
    assert wider(("Void all",), ("Storniere alle",)) == ""
    assert wider(("Void this one", "Ballot"), ("Void invoice 17",)) == ""

"""The names of a question, and whether a text speaks of them."""

from __future__ import annotations

import pytest

from deskcrew.english.asked import names_in, occurs


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How much did Marketing spend in September, according to costs-2024.csv?", ("Marketing", "September")),
        ("Which item in the Depot sheet of things.xlsx is dearest?", ("Depot",)),
        ("What is the phone number of Karl Busch in people.json?", ("Karl Busch",)),
        ("Who ordered INV-2041 in orders.csv?", ("INV-2041",)),
        ("How many Italian cafes are in x.csv?", ("Italian",)),
        ("Is Ann or Bob older?", ("Ann", "Bob")),
        ('What is the value of "Max load" in spec.docx?', ("Max load",)),
        ("how many tickets in september, see t.csv", ("september",)),
        ("What does Anna's car cost?", ("Anna",)),
        ("Who is Ludwig van Berg?", ("Ludwig van Berg",)),
        # Whether something is there at all, how files are called, and labels.
        ("Is there a customer called Ali in customers.csv?", ()),
        ("Did Marketing spend more than 500 in May?", ("Marketing", "May")),
        ("Is Ada Lovelace in team.csv?", ()),
        ("According to the Employee Handbook (handbook.docx), how many days are there?", ()),
        ("Who is first in the Contacts list?", ()),
        ("What is the Invoice Number of Blue Lagoon?", ("Blue Lagoon",)),
        # Bounds, kinds of files, cells and what begins a sentence are no names that must stand in the data.
        ("How many orders came after March in orders.csv?", ()),
        ("What is the VAT rate in B2 of the Excel file x.xlsx?", ()),
        ("Please take the CSV files. Marketing paid how much?", ()),
        ("Answer in German: what is the 3rd word?", ()),
        ("How many people are on the list except Bob?", ()),
    ],
)
def test_names_are_what_a_question_is_about(question: str, names: tuple[str, ...]) -> None:
    assert names_in(question) == names


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("September", "Month,Cost\nApril,3\nMay,4", False),
        ("September", "date,cost\n2024-09-03,4", True),
        ("September", "3.9.2024", True),
        ("September", "Sept: 4", True),
        ("September", "month,cost\n8,1\n9,2", True),
        ("September", "at,cost\n1725364800,2", True),
        ("May", "January,February", False),
        ("Italian", "Rome,Italy", True),
        ("Karl Busch", "first,last\nKarl,Busch", True),
        ("Karl Busch", "Busch, Karl", True),
        ("Karl Busch", "Karl Diaz" + " " * 200 + "Lola Busch", False),
        ("Jan", "January,Jane", False),
        ("Karla", "Karl Busch", False),
        ("Blue Lagoon", "BlueLagoon Ltd", True),
        ("2023", "2024-01-01,4", False),
        ("2023", "01/02/23", True),
        ("Tuesday", "2024-01-01", True),
        ("Tuesday", "Mon,Wed", False),
        ("September", "name,cost\nAda,40", True),  # all of it may be of that month
        ("2023", "name,cost\nAda,40", True),
        ("INV-2041", "number,total\n2041,3", True),
        ("INV-2041", "number,total\n12041,3", False),
        ("Müller", "Muller", True),
        ("Jose", "José", True),
    ],
)
def test_a_name_may_stand_in_a_text_in_other_forms(name: str, text: str, there: bool) -> None:
    assert occurs(name, text) is there

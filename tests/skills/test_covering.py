"""What a request names beyond what a skill does is found without a model, by its letters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from deskcrew.engine.steps.covering import idle, in_columns, misnamed_file, named, read_files, unused_name
from deskcrew.engine.steps.sayings import choices_said
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.lexicon import usual_words
from deskcrew.learning.skills.skill import Skill, SkillStep

FILES = ("sales_april.csv", "sales_may.csv", "list of guests.csv", "scan.pdf")
HEADINGS = ("Date", "Region", "Amount")


def shipped(name: str) -> Skill:
    return folders.load(folders.read(folders.SHIPPED / name, "shipped"))


@pytest.mark.parametrize(
    ("text", "skill", "name", "told"),
    [
        ("Keep the rows with amounts under 50", "filter-rows", "condition", ["less than"]),
        ("Delete rows with Amount under 50", "filter-rows", "condition", ["at least"]),
        ("Wirf alles raus, was über 5 ist", "filter-rows", "condition", ["at most"]),
        ("rows of stock.csv where Price is not over 100", "filter-rows", "condition", ["at most"]),
        ("Keep those not cheaper than 5, please", "filter-rows", "condition", ["at least"]),
        ("Drop the rows that contain x", "filter-rows", "condition", ["does not contain"]),
        ("Remove the ones from Oslo", "filter-rows", "condition", ["is not"]),
        ("Add a column Total = Units * Price", "calculate-column", "operation", ["times"]),
        ("Put Units + Price into a new column", "calculate-column", "operation", ["plus"]),
        ("Add a column from Units and Price", "calculate-column", "operation", []),
    ],
)
def test_of_what_is_taken_out_the_opposite_is_kept_and_signs_are_words(
    text: str, skill: str, name: str, told: list[str]
) -> None:
    [parameter] = [each for each in shipped(skill).method.parameters if each.name == name]
    assert [choice for choices in choices_said(text, parameter) for choice in choices] == told


def test_who_takes_out_what_is_missing_keeps_what_is_there() -> None:
    [parameter] = [each for each in shipped("filter-rows").method.parameters if each.name == "condition"]
    assert choices_said("Remove rows without an email", parameter, alone=True) == [("is not empty",)]
    assert choices_said("Keep rows without an email", parameter, alone=True) == [("is empty",)]


def test_what_a_request_names_is_found_by_its_letters() -> None:
    found = named('Take the April sales and scan.pdf, 2 pages a sheet, as "all of it" into out/new.pdf.', FILES)
    assert set(found.files) == {"sales_april.csv", "scan.pdf"}, "by a part of its name that no other has"
    assert (found.new, found.texts, found.numbers) == (("out/new.pdf",), ("all of it",), ("2",))
    assert named("Sort list of guests.csv.", FILES).new == (), "guests.csv is part of a name"
    assert named("Sort them.", FILES).files == ()
    assert named('Those with "open" into open_orders.csv.', FILES).new == ("open_orders.csv",), "what is quoted is elsewhere"


def test_files_are_named_by_a_part_of_their_names_that_they_have_in_common() -> None:
    bills = ("factura_01.pdf", "factura_02.pdf", "notas.txt")
    assert named("Junta las dos facturas.", bills).files == bills[:2], "whatever the ending of the word"
    assert named("Junta las facturas y las notas.", bills).files == ("notas.txt",), "what only one has says more"
    assert named("Send factura_01.pdf, the other facturas are paid.", bills).files == bills[:1]
    assert named("Instead of factura_ write F_.", bills).files == (), "no word"


def test_files_are_in_the_order_in_which_they_are_named() -> None:
    assert named("Compare march.csv with april.csv.", ("april.csv", "march.csv")).files == ("march.csv", "april.csv")


def test_a_file_that_nobody_named_is_none_of_those_meant() -> None:
    files = ("orders.csv", "old/orders.csv", "north.csv")
    assert named("Sort orders.csv by Amount.", files).files == ("orders.csv",), "and not its copy in a folder"
    assert named("Sort old/orders.csv by Amount.", files).files == ("old/orders.csv",)
    assert named("Sort orders.csv by Amount.", files[1:]).files == ("old/orders.csv",), "where there is no other"
    assert named("Keep the rows of orders.csv where Region is North.", files).files == ("orders.csv",), "North is a value"


SORTED = {"source": "sales_may.csv", "column": "Amount", "order": "descending", "result": "best.csv"}


@pytest.mark.parametrize(
    ("task", "left"),
    [
        ("Sort sales_may.csv by Amount, the largest first, as best.csv", ""),
        ("Sort sales_may.csv and sales_april.csv by Amount.", "sales_april.csv"),
        ("Sort sales_may.csv by Amount as top.csv.", "top.csv"),
        ("Sort sales_may.csv by Amount, only those above 50.", "50"),
        ('Sort sales_may.csv by Amount with "First of all" above it.', "First of all"),
        ("Sort sales_may.csv by Region and Amount.", "Region"),
        ("Sort sales_may.csv by Amount, but not the refunds.", "but"),
        ("Sort sales_may.csv by Amount and remove what is cheap.", "remove"),
        ("Sort sales_may.csv by Amount and split it.", "split"),
        ("(1) take sales_may.csv, (2) sort it by Amount, (3) save it as best.csv", ""),
        ("Take (2) of sales_may.csv by Amount as best.csv", "2"),
    ],
)
def test_what_is_named_must_be_a_value(task: str, left: str) -> None:
    assert unused_name(named(task, FILES), shipped("sort-table"), SORTED, HEADINGS) == left


def test_a_number_may_be_written_as_the_skill_writes_it_in_words() -> None:
    skill = shipped("sort-table")
    told = skill.method.provenance.model_copy(update={"task": "Sort a table, the last two lines left out."})
    asked = named("Sort sales_may.csv by Amount as best.csv, the last 2 lines left out", FILES)
    assert unused_name(asked, skill, SORTED, HEADINGS) == "2"
    assert not unused_name(
        asked, replace(skill, method=skill.method.model_copy(update={"provenance": told})), SORTED, HEADINGS
    )


def test_what_recorded_steps_call_a_column_need_not_be_said() -> None:
    skill = shipped("sort-table")
    steps = (SkillStep.model_construct(),)
    recorded = replace(skill, method=skill.method.model_copy(update={"steps": steps}))
    asked = named("Sort sales_may.csv by Region and Amount.", FILES)
    assert (unused_name(asked, skill, SORTED, HEADINGS), unused_name(asked, recorded, SORTED, HEADINGS)) == ("Region", "")


def test_a_pattern_stands_for_files_and_a_sample_for_a_form() -> None:
    zipped = {"files": "*.csv", "result": "all.zip"}
    assert unused_name(named("Zip the April and May sales.", FILES), shipped("zip-files"), zipped, ()) == ""
    dates: dict[str, Any] = {
        "source": "sales_may.csv",
        "column": "Date",
        "form": "31.12.2026",
        "order": "",
        "result": "a.csv",
    }
    assert unused_name(named("Dates like 24.07.2023", FILES), shipped("reformat-dates"), dates, ()) == ""
    assert unused_name(named("Dates like 24.7.23", FILES), shipped("reformat-dates"), dates, ()) == "24.7.23"


def test_words_that_nothing_of_a_skill_takes_up_are_told() -> None:
    asked = named("Please sort the unpaid bookings of sales_may.csv by Amount, the largest first.", FILES)
    assert idle(asked, shipped("sort-table"), SORTED) == ("unpaid",)


def test_a_word_in_the_name_of_a_file_is_no_column() -> None:
    asked = named("Sort sales_may.csv by Amount for each Region as region.csv.", FILES)
    assert unused_name(asked, shipped("sort-table"), {**SORTED, "result": "region.csv"}, HEADINGS) == "Region"


def test_names_of_a_letter_are_no_slips_of_each_other() -> None:
    assert misnamed_file("Sort april.csv by Amount into x.csv.", ("m.csv",)) == ""
    assert misnamed_file("Sort aprli.csv by Amount into x.csv.", ("m.csv", "april.csv")) == "aprli.csv"


@pytest.mark.parametrize(
    ("task", "read"),
    [
        ("Sum sales.csv by rep into a new file per_rep.csv", ("sales.csv",)),
        ("Sort the file called sales.csv and save it as a table x.csv", ("sales.csv",)),
        ("Add prices.csv to orders.csv", ("prices.csv", "orders.csv")),
        ("Sort it by name to b.csv, or in c.csv", ("c.csv",)),
        ("Schreib es in die neue Datei x.csv", ()),
        ("Save the rows of a.csv in b.csv", ("a.csv",)),
        ("Which rows of a.csv are in b.csv?", ("a.csv", "b.csv")),
        ("Save the rows of a.csv that are also in b.csv", ("a.csv", "b.csv")),
    ],
)
def test_a_file_that_is_said_to_be_made_is_none_to_be_read(task: str, read: tuple[str, ...]) -> None:
    assert read_files(task) == read


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("sort it by gross profit", ("gross", "profit")),
        ("keep the profit column", ("profit",)),
        ("group it by the team", ("team",)),
        ("nach umsatz sortieren", ("umsatz",)),
        ("who earns the most profit", ()),
    ],
)
def test_words_stand_where_the_name_of_a_column_does(text: str, found: tuple[str, ...]) -> None:
    assert in_columns(text, ("gross", "profit", "team", "umsatz", "earns")) == found


def test_a_name_in_what_people_say_is_no_word_of_a_skill_and_is_left_over() -> None:
    skill = shipped("count-rows")
    assert any("Köln" in text for text in skill.method.asked)
    assert "köln" not in usual_words(skill)
    asked = named("How many of members.csv live in Köln?", ["members.csv"])
    assert idle(asked, skill, {"source": "members.csv"}) == ("köln",)


def test_a_word_for_the_file_that_is_meant_anyway_is_not_left_over() -> None:
    asked = named("In this workbook sort the sheet of sales_may.csv by Amount, grouped", FILES)
    assert idle(asked, shipped("sort-table"), SORTED) == ("grouped",)

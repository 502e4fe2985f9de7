"""What the values of a skill can be: what the task says, and what is there."""

from __future__ import annotations

from typing import Any

import pytest

from deskcrew.engine.steps.filling import Blanks, There, blanks, check, headings_of
from deskcrew.learning.skills import folders
from deskcrew.learning.skills.skill import Skill

TABLES = {"sales.csv": ("Date", "Region", "Amount"), "orders.csv": ("Order", "SKU"), "products.csv": ("SKU", "Price")}


def shipped(name: str) -> Skill:
    return folders.load(folders.read(folders.SHIPPED / name, "shipped"))


def filling(task: str, name: str, *files: str) -> Blanks:
    there = There(files, tuple({file.rpartition("/")[0] for file in files} - {""}), lambda path: TABLES.get(path, ()))
    found = blanks(task, shipped(name), there)
    assert found is not None
    return found


def nothing(task: str, name: str, *files: str) -> bool:
    return blanks(task, shipped(name), There(files, (), lambda path: TABLES.get(path, ()))) is None


def choices(found: Blanks, name: str) -> list[Any]:
    told = found.values.model_json_schema()["properties"][name]
    told = told.get("items", told)
    return told["enum"] if "enum" in told else [told["const"]]


def test_a_column_is_one_of_the_tables_own() -> None:
    found = filling("Sort sales.csv by the amounts.", "sort-table", "sales.csv", "orders.csv")
    assert choices(found, "order") == ["", "ascending", "descending"]
    assert found.known == {"source": "sales.csv", "column": "Amount"}
    assert found.filled({"order": ""})["result"] == "sorted.csv", "as in its example"


def test_of_two_tables_the_key_is_in_both_and_what_is_looked_up_is_in_one() -> None:
    found = filling("Add the Price from products.csv to orders.csv.", "join-tables", "orders.csv", "products.csv")
    assert (found.known["key"], found.columns, found.headings) == ("SKU", ("SKU",), ("Order", "SKU", "Price"))


def test_a_column_of_which_the_request_has_no_word_is_none_of_its_values() -> None:
    assert nothing("Sort sales.csv by price.", "sort-table", "sales.csv")
    two = filling("Add up the amounts of sales.csv by region.", "sum-column-by-group", "sales.csv")
    assert choices(two, "group") == choices(two, "column") == ["Region", "Amount"]


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Sort sales.csv by Amount and orders.csv, too.", "sort-table"),
        ("Sort sales.csv by Amount into a.csv and b.csv.", "sort-table"),
        ("Sort sales.csv by Amount into a.pdf.", "sort-table"),
        ("Sort sales.csv by Region and Amount.", "sort-table"),
        ('Sort sales.csv by Amount and write "sorted" above.', "sort-table"),
        ("Sort sales.csv by Amount, rows above 100.", "sort-table"),
        ("The largest Amount of sales.csv.", "top-rows"),
        ("Sort it by SKU.", "sort-table"),
        ("Append sales.csv underneath each other.", "combine-tables"),
        ("Put the Region of sales.csv together in one column.", "join-columns"),
    ],
)
def test_what_a_skill_has_no_place_for_or_is_not_said_keeps_it_from_being_thought_of(task: str, name: str) -> None:
    assert nothing(task, name, "sales.csv", "orders.csv", "products.csv")


def test_of_what_was_said_otherwise_since_not_all_is_to_be_used() -> None:
    task, there = "Sort sales.csv by Region. No, by Amount.", There(("sales.csv",), (), lambda path: TABLES[path])
    assert blanks(task, shipped("sort-table"), there) is None
    found = blanks(task, shipped("sort-table"), there, corrected=True)
    assert found is not None
    assert choices(found, "column") == ["Region", "Amount"]


def test_several_columns_are_told_as_a_list() -> None:
    found = filling("Only Amount and Region of sales.csv.", "select-columns", "sales.csv")
    given = found.filled(found.values.model_validate({"columns": ["Amount", "Region"]}).model_dump())
    assert given["columns"] == "Amount, Region"


def test_all_columns_are_none_in_particular() -> None:
    found = filling("No row twice in sales.csv.", "remove-duplicate-rows", "sales.csv")
    assert found.filled({"columns": ["Date", "Region", "Amount"]})["columns"] == ""
    assert found.filled({"columns": ["Region"]})["columns"] == "Region"


@pytest.mark.parametrize(
    ("task", "wanted"),
    [
        ("Put b.pdf and then a.pdf into one.", "b.pdf, a.pdf"),
        ("Put annex after contract, as one.", "annex.pdf, contract.pdf"),
        ("Put all of them into one.", "**/*.pdf"),
        ("Put scans/*.pdf into one.", "scans/*.pdf"),
    ],
)
def test_files_are_those_that_are_named_in_their_order_or_a_pattern(task: str, wanted: str) -> None:
    found = filling(task, "merge-pdfs", "a.pdf", "annex.pdf", "b.pdf", "contract.pdf", "scans/1.pdf", "notes.txt")
    first = found.known.get("files") or choices(found, "files")[0]
    assert first == wanted


def test_of_two_tables_the_second_is_what_the_first_is_not() -> None:
    found = filling("Match orders.csv and products.csv by SKU.", "join-tables", "orders.csv", "products.csv")
    assert list(found.values.model_fields) == ["source"]
    given = found.filled({"source": "orders.csv"})
    assert (given["source"], given["other"]) == ("orders.csv", "products.csv")
    assert given["key"] == "SKU", "the only column that both have"


@pytest.mark.parametrize(
    "task", ["Add the prices to each order.", "Each order with its price: it is in products.csv, the others in orders.csv"]
)
def test_what_one_table_alone_has_is_looked_up_in_it(task: str) -> None:
    found = filling(task, "join-tables", "orders.csv", "products.csv")
    assert (found.known["source"], found.known["other"]) == ("orders.csv", "products.csv")


@pytest.mark.parametrize(
    ("task", "new"),
    [
        ("Sort sales.csv by Amount.", "sorted.csv"),
        ("Sort sales.csv by Amount into best.csv.", "best.csv"),
        ("Sort sales.csv by Amount, new file sales sorted.csv", "sales sorted.csv"),
    ],
)
def test_a_new_file_is_called_as_the_task_says_or_as_in_the_example(task: str, new: str) -> None:
    given = filling(task, "sort-table", "sales.csv").filled({"order": ""})
    assert given["result"] == new


def test_a_new_files_name_is_none_that_is_there_and_its_kind_follows() -> None:
    found = filling("Sort it by Amount.", "sort-table", "sales.csv", "sorted.csv")
    assert found.filled({"order": ""})["result"] == "sorted 2.csv"
    assert filling("As a workbook.", "convert-table", "sales.csv").filled({})["result"] == "sales.xlsx"
    assert filling("As csv.", "convert-table", "sales.xlsx").filled({})["result"] == "sales.csv"


def test_a_text_is_one_of_the_tasks_own_and_a_number_one_that_it_writes() -> None:
    found = filling("Only the rows of sales.csv from the North region.", "filter-rows", "sales.csv")
    assert "North" in choices(found, "value")
    assert "South" not in choices(found, "value")
    assert filling("Shrink the pictures to 400 pixels.", "resize-pictures", "a.png").known["longest"] == "400"


def test_a_folder_that_may_be_left_out_is_one_that_is_there() -> None:
    assert filling("Instead of IMG_ write Trip_.", "rename-files", "IMG_1.png").known == {"folder": ""}
    assert choices(filling("Rename those in old.", "rename-files", "old/IMG_1.png"), "folder") == ["", "old"]
    new = choices(filling("Cut a.pdf up, into pages.", "split-pdf", "a.pdf"), "folder")
    assert new[0] == "parts", "as in its example"
    assert "pages" in new


def test_without_a_file_of_its_kind_a_skill_is_not_thought_of() -> None:
    assert blanks("Sort it.", shipped("sort-table"), There(("a.pdf",))) is None
    assert blanks("Merge them.", shipped("merge-pdfs"), There(("a.csv",))) is None


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"source": "may.csv"}, "there is no file 'may.csv'"),
        ({"result": "sales.csv"}, "there is already a file"),
        ({"column": "Price"}, "there is no column 'Price'"),
    ],
)
def test_what_no_grammar_keeps_away_is_told(values: dict[str, str], wrong: str) -> None:
    given = {"source": "sales.csv", "column": "Amount", "order": "", "result": "new.csv"} | values
    with pytest.raises(ValueError, match=wrong):
        check(given, shipped("sort-table"), None, There(("sales.csv",), (), lambda path: TABLES.get(path, ())))


@pytest.mark.parametrize(("pages", "holds"), [("6-8", True), ("6, 8", True), ("6-9", False), ("7", False)])
def test_a_range_is_written_by_its_ends(pages: str, holds: bool) -> None:
    given, there = {"source": "m.pdf", "pages": pages, "result": "some.pdf"}, There(("m.pdf",))
    try:
        check(given, shipped("extract-pdf-pages"), "m.pdf: I only need pages 6 to 8", there)
    except ValueError:
        assert not holds
    else:
        assert holds


def test_headings_are_read_whatever_separates_them() -> None:
    assert headings_of("a;b;c,d\n1;2;3\n") == ("a", "b", "c,d")
    assert headings_of('[sheet One]\nName,"Full, name"\nx,y\n') == ("Name", "Full, name")
    assert headings_of("") == ()

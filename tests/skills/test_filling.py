"""What the values of a skill can be: what the task says, and what is there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

import pytest

from deskcrew.engine.steps.cells import Table, table_of
from deskcrew.engine.steps.choosing import _with_rows
from deskcrew.engine.steps.covering import named, unused_name
from deskcrew.engine.steps.filling import Blanks, There, blanks, check, new_name
from deskcrew.learning.skills import folders, lexicon
from deskcrew.learning.skills.skill import Skill

TABLES = {
    "sales.csv": "Date,Region,Amount,Note\n2026-03-14,North,12.50,late\n2026-03-15,South,9,\n2026-03-16,North,12.50,call\n",
    "club.csv": "Name,Joined,Fee,VAT\nEva Long,2024-10-19,30,6\nBo Ek,2025-01-02,45,9\n",
    "tills.csv": "Order,Date,Amount\nA7,2026-01-02,9\nB1,2026-03-04,5\n",
    "ages.csv": "Member,Age\nAnn,31\nBo,60\n",
    "sub/sales.csv": "Region,Amount\nNorth,1\n",
    "crew.csv": "Name,Born,Hired\nEva,1980-02-03,2019-01-02\nBo,1990-02-03,2021-05-06\n",
    "paid.csv": "Amount,Date,Paid\n5,2026-01-01,yes\n7,2026-01-02,no\n",
    "orders.csv": "Order,SKU\n1,A\n2,B\n3,A\n",
    "bills.csv": "Bill,Total\n1,600\n2,30\n3,45\n",
    "stock.csv": "Name,Price,Left\nInk,7.50,30\nPen,1.20,5\n",
    "staff.csv": "Name,Unit\nAnn,Sales\nBo,IT\n",
    "articles.csv": "Article no,Left\nA,0\nB,7\n",
    "old_sales.csv": "SKU,Sold\nA,5\nB,5\n",
    "new_sales.csv": "SKU,Sold\nA,5\nC,6\n",
    **dict.fromkeys(("shifts.csv", "hours.xlsx"), "Who,Hours\nAnn,5\nBo,3\n"),
    "products.csv": "SKU,Price\nA,5\nB,7\n",
}


def table(path: str) -> Table:
    return table_of(TABLES.get(path, ""))


def shipped(name: str) -> Skill:
    return folders.load(folders.read(folders.SHIPPED / name, "shipped"))


def filling(task: str, name: str, *files: str) -> Blanks:
    there = There(files, tuple({file.rpartition("/")[0] for file in files} - {""}), table)
    found = blanks(task, shipped(name), there)
    assert found is not None
    return found


def nothing(task: str, name: str, *files: str) -> bool:
    return blanks(task, shipped(name), There(files, (), table)) is None


def choices(found: Blanks, name: str) -> list[Any]:
    told = found.values.model_json_schema()["properties"][name]
    told = told.get("items", told)
    return told["enum"] if "enum" in told else [told["const"]]


def test_a_column_is_one_of_the_tables_own() -> None:
    found = filling("Sort sales.csv by the amounts.", "sort-table", "sales.csv", "orders.csv")
    assert {"source": "sales.csv", "column": "Amount", "order": ""}.items() <= found.known.items()
    assert found.filled({})["result"] == "sales sorted.csv"
    two = filling("Sort the sales of the regions by the amounts.", "sort-table", "sales.csv", "orders.csv")
    assert choices(two, "column") == ["Region", "Amount"]


def test_a_column_of_words_is_nothing_to_calculate_with() -> None:
    assert nothing("Add up the Amount of sales.csv by Region.", "calculate-column", "sales.csv")
    assert not nothing("Multiply the Amount in sales.csv by 3.", "calculate-column", "sales.csv")


def test_of_two_tables_the_key_is_in_both_and_what_is_looked_up_is_in_one() -> None:
    found = filling("Add the Price from products.csv to orders.csv.", "join-tables", "orders.csv", "products.csv")
    assert (found.known["source"], found.known["other"], found.known["key"]) == ("orders.csv", "products.csv", "SKU")
    assert (found.columns, set(found.headings)) == (("SKU",), {"Order", "SKU", "Price"})


def test_a_column_of_which_the_request_has_no_word_is_none_of_its_values() -> None:
    assert nothing("Sort sales.csv by price.", "sort-table", "sales.csv")
    assert nothing("Which articles are sold out?", "filter-rows", "articles.csv"), "it is the name of the table"


@pytest.mark.parametrize(
    ("task", "name", "known"),
    [
        ("Add up the amounts by region.", "sum-column-by-group", {"group": "Region", "column": "Amount"}),
        ("What did each region take?", "sum-column-by-group", {"group": "Region", "column": "Amount"}),
        ("How many rows for each date?", "sum-column-by-group", {"group": "Date"}),
        ("Days in the form 31.12.2026.", "reformat-dates", {"column": "Date", "form": "31.12.2026"}),
        ("Dates in the form 05.11.2025.", "reformat-dates", {"column": "Date", "form": "31.12.2026"}),
        ("A row with totals, please.", "add-totals", {"columns": ""}),
        ("The regions as a calendar.", "table-to-calendar", {"title": "Region", "day": "Date", "time": "", "place": ""}),
        ("Take 20 % of the amounts.", "calculate-column", {"first": "Amount", "second": "20", "operation": "percent of"}),
    ],
)
def test_a_column_of_which_there_is_one_of_its_kind_need_not_be_named(task: str, name: str, known: dict[str, str]) -> None:
    assert known.items() <= filling(task, name, "sales.csv").known.items()


@pytest.mark.parametrize(
    ("task", "known"),
    [
        ("Only those from the north.", {"column": "Region", "condition": "is", "value": "North"}),
        ("Leave out the North.", {"column": "Region", "condition": "is not", "value": "North"}),
        ("Nur die aus South.", {"column": "Region", "condition": "is", "value": "South"}),
        ("Amounts over 10.00 only.", {"column": "Amount", "condition": "more than", "value": "10.00"}),
        ("Keep amounts of not more than 1,000.", {"column": "Amount", "condition": "at most", "value": "1,000"}),
        ("Amount 9 only.", {"column": "Amount", "condition": "is", "value": "9"}),
        ("Dates since 2026-03-15.", {"column": "Date", "condition": "at least", "value": "2026-03-15"}),
        ("Whose note is missing?", {"column": "Note", "condition": "is empty", "value": ""}),
    ],
)
def test_a_value_names_its_column_and_what_it_is_compared_by_is_said(task: str, known: dict[str, str]) -> None:
    found = filling(task, "filter-rows", "sales.csv")
    assert known.items() <= found.known.items()
    assert found.compared


def test_of_a_column_with_few_values_any_may_be_meant_and_of_another_none() -> None:
    assert filling("Who has not paid yet?", "filter-rows", "paid.csv").known["value"] == "no"
    assert filling("Who has paid?", "filter-rows", "paid.csv").known["value"] == "yes"
    assert nothing("The good amounts.", "filter-rows", "sales.csv")
    assert nothing("Amounts of 77.", "filter-rows", "sales.csv"), "no row has it, so it is no condition"


@pytest.mark.parametrize(
    ("words", "order"),
    [
        ("by Amount", ""), ("by Amount, newest first", "descending"), ("by Amount from lowest to highest", "ascending"),
        ("nach Amount, größte zuerst", "descending"), ("por Amount, de menor a mayor", "ascending"),
        ("par Amount, du plus cher au moins cher", "descending"), ("by Amount for the bestowed", ""),
        ("nach Amount, hochste zuerst", "descending"),
    ],
)  # fmt: skip
def test_an_order_is_what_the_request_says_first_and_else_the_usual_one(words: str, order: str) -> None:
    assert filling(f"Sort sales.csv {words}.", "sort-table", "sales.csv").known["order"] == order


def test_a_table_is_known_by_a_value_in_it() -> None:
    assert filling("Sort the dates of the South.", "sort-table", "sales.csv", "paid.csv").known["source"] == "sales.csv"


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Sort sales.csv by Amount and orders.csv, too.", "sort-table"),
        ("Sort sales.csv by Amount into a.csv and b.csv.", "sort-table"),
        ("Sort sales.csv by Amount into a.pdf.", "sort-table"),
        ("Split sales.csv by Region and Amount.", "split-table"),
        ('Sort sales.csv by Amount and write "sorted" above.', "sort-table"),
        ("Sort sales.csv by Amount, rows above 100.", "sort-table"),
        ("Sort it by SKU.", "sort-table"),
        ("Delete sales.csv.", "tidy-table"),
        ("Please delete the file sales.csv.", "tidy-table"),
        ("Append sales.csv underneath each other.", "combine-tables"),
        ("Put the Region of sales.csv together in one column.", "join-columns"),
    ],
)
def test_what_a_skill_has_no_place_for_or_is_not_said_keeps_it_from_being_thought_of(task: str, name: str) -> None:
    assert nothing(task, name, "sales.csv", "orders.csv", "products.csv")


def test_of_what_was_said_otherwise_since_not_all_is_to_be_used() -> None:
    task, there = "Sort sales.csv by Region. No, by Amount.", There(("sales.csv",), (), table)
    assert blanks(task, shipped("sort-table"), there) is None
    found = blanks(task, shipped("sort-table"), there, corrected=True)
    assert found is not None
    assert choices(found, "column") == ["Region", "Amount"]


def test_several_columns_are_told_as_a_list() -> None:
    found = filling("Only Amount and Region of sales.csv.", "select-columns", "sales.csv")
    assert found.known["columns"] == "Amount, Region", "in the order of the request"
    some = filling("No region twice in sales.csv.", "remove-duplicate-rows", "sales.csv")
    assert some.known["columns"] == "Region", "what is named may not be left out"


@pytest.mark.parametrize(
    ("task", "do"),
    [
        ("Only Amount and Region of sales.csv.", "keep"),
        ("Amount and Region of sales.csv, drop the rest.", "keep"),
        ("Drop the column Region from sales.csv.", "leave out"),
        ("sales.csv without Region", "leave out"),
        ("sales.csv, ohne die Spalte Region", "leave out"),
        ("sales.csv, keep everything except Region", "leave out"),
        ("Delete everything except Region from sales.csv.", "keep"),
    ],
)
def test_whether_columns_are_kept_or_left_out_is_told_from_the_words(task: str, do: str) -> None:
    assert filling(task, "select-columns", "sales.csv").known["do"] == do


@pytest.mark.parametrize("task", ["Only Amount of sales.csv, without Region.", "A copy of sales.csv that has no Region."])
def test_where_it_is_said_both_ways_or_turned_round_nothing_is_made_up(task: str) -> None:
    assert nothing(task, "select-columns", "sales.csv")


def test_all_columns_are_none_in_particular() -> None:
    found = filling("No row twice in sales.csv.", "remove-duplicate-rows", "sales.csv")
    assert found.known["columns"] == ""
    some = filling(
        "Remove the rows of sales.csv that are the same by date and region, whatever their notes.",
        "remove-duplicate-rows",
        "sales.csv",
    )
    assert some.filled({"columns": ["Date", "Region", "Amount", "Note"]})["columns"] == ""
    assert some.filled({"columns": ["Region"]})["columns"] == "Region"


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
        ("Sort sales.csv by Amount.", "sales sorted.csv"),
        ("Sort sales.csv by Amount into best.csv.", "best.csv"),
        ("Sort sales.csv by Amount, new file sales sorted.csv", "sales sorted.csv"),
    ],
)
def test_a_new_file_is_called_as_the_task_says_or_by_its_source_and_what_was_done(task: str, new: str) -> None:
    given = filling(task, "sort-table", "sales.csv").filled({})
    assert given["result"] == new


def test_a_new_files_name_is_none_that_is_there_and_its_kind_follows() -> None:
    found = filling("Sort it by Amount.", "sort-table", "sales.csv", "sales sorted.csv")
    assert found.filled({})["result"] == "sales sorted 2.csv"
    for end in ("tsv", "json"):
        assert filling(f"As {end}.", "convert-table", "sales.csv").filled({})["result"] == f"sales.{end}"
    assert filling("Sort by Amount, for Excel.", "sort-table", "sales.csv").filled({})["result"] == "sales sorted.xlsx"
    assert filling("As a workbook.", "convert-table", "sales.csv").filled({})["result"] == "sales.xlsx"
    assert filling("As csv.", "convert-table", "sales.xlsx").filled({})["result"] == "sales.csv"


def test_a_text_is_one_of_the_tasks_own_and_a_number_one_that_it_writes() -> None:
    found = filling("Instead of north write east.", "replace-in-column", "sales.csv")
    assert "north" in choices(found, "find")
    assert "South" not in choices(found, "find")


@pytest.mark.parametrize(
    ("words", "pixels"), [("400 pixels", "400"), ("400px", "400"), ("1,200 px", "1200"), ("1.200 Pixel", "1200")]
)
def test_a_number_is_found_with_its_unit_and_its_separators(words: str, pixels: str) -> None:
    assert filling(f"Shrink the three pictures to {words}.", "resize-pictures", "a.png").known["longest"] == pixels


@pytest.mark.parametrize(
    ("words", "side"),
    [("800 px", ""), ("at most 800 wide", "width"), ("800 Pixel Höhe", "height"), ("800 px de ancho", "width")],
)
def test_how_wide_or_high_pictures_become_is_not_how_long(words: str, side: str) -> None:
    assert filling(f"Shrink the pictures to {words}.", "resize-pictures", "a.png").known["side"] == side


@pytest.mark.parametrize(
    ("task", "files"), [("jpg to jpg", "*.jpg"), ("jpeg files to jpg", "*.jpg"), ("the pictures to jpg", "*.png")]
)
def test_pictures_of_a_kind_that_are_to_become_that_kind_are_no_others(task: str, files: str) -> None:
    assert filling(f"Convert {task}.", "convert-pictures", "a.jpg", "b.png").known["files"] == files


@pytest.mark.parametrize(
    ("task", "count"),
    [("The 5 largest amounts", "5"), ("The three largest amounts", "3"), ("Die zehn größten Amount", "10")],
)
def test_a_small_number_may_be_in_words(task: str, count: str) -> None:
    assert filling(task, "top-rows", "sales.csv").known["count"] == count
    assert nothing("Shrink the three pictures.", "resize-pictures", "a.png")


@pytest.mark.parametrize(
    ("task", "name", "files"),
    [
        ("Zip the photos.", "zip-files", "*.jpg, *.png"),
        ("Zip all pdfs.", "zip-files", "*.pdf"),
        ("Pack die Bilder und Word-Dateien.", "zip-files", "*.jpg, *.png, *.docx"),
        ("Which lines have the word tea?", "find-lines", "*.docx, *.pdf"),
        ("Save the pngs as jpg.", "convert-pictures", "*.png"),
        ("All pictures as png.", "convert-pictures", "*.jpg"),
        ("Move the text files into old.", "move-files", "*.txt"),
    ],
)
def test_files_are_of_the_kinds_that_the_task_names(task: str, name: str, files: str) -> None:
    texts = ("e.txt",) if "text" in task else ()
    assert filling(task, name, "a.jpg", "b.png", "c.docx", "d.pdf", *texts).known["files"] == files


@pytest.mark.parametrize(
    ("task", "name", "known"),
    [
        ("When is the next dentist appointment?", "find-events", {"text": "dentist", "period": "coming"}),
        ("Is there anything on Friday?", "find-events", {"text": "", "period": "friday", "day": ""}),
        ("How many gigs in may?", "find-events", {"text": "gigs", "period": "may"}),
        ("Was habe ich am 14. Juni vor?", "find-events", {"text": "", "period": "june", "day": "14"}),
        ("When is my interview with Siemens", "find-events", {"text": "interview with Siemens", "period": "any time"}),
        ("whats the phone number of Anna Berg", "find-contacts", {"text": "Anna Berg"}),
        ("karl's email address", "find-contacts", {"text": "karl"}),
        ("the last mail from Janet", "find-mails", {"text": "Janet", "place": "sender"}),
        ("mails to Janet in june", "find-mails", {"text": "Janet", "place": "recipient", "period": "june"}),
        ("How many pictures are in desk?", "count-files", {"folder": "desk", "files": "*.jpg"}),
        ("How many videos do I have?", "count-files", {"folder": "", "files": "*.mp4, *.mov, *.avi, *.mkv, *.webm"}),
        ("Move all jpg from desk to done", "move-files", {"folder": "desk", "files": "*.jpg", "into": "done"}),
        ("Move all jpg into the folder done", "move-files", {"folder": "", "files": "*.jpg", "into": "done"}),
        ("Move the jpgs to a new folder called best", "move-files", {"folder": "", "into": "best"}),
        ("Move x.jpg to best", "move-files", {"folder": "", "files": "desk/x.jpg", "into": "best"}),
        ("Copy all jpg from desk to done", "collect-files", {"files": "desk/*.jpg", "folder": "done"}),
    ],
)
def test_words_that_are_no_value_tell_which_are(task: str, name: str, known: dict[str, str]) -> None:
    found = filling(task, name, "a.ics", "b.vcf", "c.eml", "desk/x.jpg", "done/n.txt")
    assert known.items() <= found.known.items()


def test_of_files_that_are_to_be_moved_it_is_said_where_to() -> None:
    assert nothing("Move the pictures.", "move-files", "a.jpg")
    assert nothing("Mails to Janet from Bo", "find-mails", "c.eml"), "only one of them can be said"
    assert nothing("The dentist in june or july", "find-events", "a.ics")


def test_a_small_word_of_the_sentence_is_no_text_to_find() -> None:
    found = filling("Find the lines of notes.txt that contain the name Ann", "find-lines", "notes.txt")
    assert choices(found, "find") == ["contain", "Ann"]
    assert filling('Find "of the" in notes.txt', "find-lines", "notes.txt").known["find"] == "of the", "it was quoted"
    assert nothing("Find the lines of notes.txt", "find-lines", "notes.txt"), "it does not say what"


def test_what_is_quoted_is_the_value() -> None:
    found = filling('Write "Ltd" instead of "Limited" in all of sales.csv.', "replace-in-column", "sales.csv")
    assert choices(found, "find") == ["Ltd", "Limited"]
    assert filling('Cut a.pdf up, in "all parts".', "split-pdf", "a.pdf").known["folder"] == "all parts"


def test_of_two_tables_the_one_that_is_called_so_is_the_new_one() -> None:
    found = filling("What differs?", "compare-tables", "new_sales.csv", "old_sales.csv")
    assert (found.known["source"], found.known["other"], found.known["key"]) == ("old_sales.csv", "new_sales.csv", "SKU")
    assert nothing("What differs?", "compare-tables", "sales.csv", "products.csv"), "no column is in both"


def test_a_folder_that_may_be_left_out_is_one_that_is_there() -> None:
    assert filling("Instead of IMG_ write Trip_.", "rename-files", "IMG_1.png").known == {"folder": ""}
    assert filling("Rename those in old.", "rename-files", "old/IMG_1.png").known == {"folder": "old"}
    assert filling("Cut a.pdf up, into pages.", "split-pdf", "a.pdf").known["folder"] == "parts", "as in its example"
    new = choices(filling("Cut a.pdf up, in the folder pages.", "split-pdf", "a.pdf"), "folder")
    assert new[0] == "parts"
    assert "pages" in new


def test_without_a_file_of_its_kind_a_skill_is_not_thought_of() -> None:
    assert blanks("Sort it.", shipped("sort-table"), There(("a.pdf",))) is None
    assert blanks("Merge them.", shipped("merge-pdfs"), There(("a.csv",))) is None


@pytest.mark.parametrize(
    ("values", "wrong"),
    [
        ({"source": "may.csv"}, "There is no file named may.csv"),
        ({"result": "sales.csv"}, "there is already a file"),
        ({"column": "Price"}, "there is no column 'Price'"),
    ],
)
def test_what_no_grammar_keeps_away_is_told(values: dict[str, str], wrong: str) -> None:
    given = {"source": "sales.csv", "column": "Amount", "order": "", "result": "new.csv"} | values
    with pytest.raises(ValueError, match=wrong):
        check(given, shipped("sort-table"), None, There(("sales.csv",), (), table))


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
    assert table_of("a;b;c,d\n1;2;3\n").headings == ("a", "b", "c,d")
    assert table_of('[sheet One]\nName,"Full, name"\nx,y\n[sheet Two]\nA,B\n').columns == {
        "Name": ("x",),
        "Full, name": ("y",),
    }
    assert table_of("").headings == ()


@pytest.mark.parametrize(
    ("task", "name", "new"),
    [
        ("Total of the Amount in sales.csv by Region.", "sum-column-by-group", "sales by region.csv"),
        ("Total of the Amount in sales.csv by Note.", "sum-column-by-group", "sales by note.csv"),
        ("Rows of sales.csv where the Region is North.", "filter-rows", "sales filtered.csv"),
        ("The 3 rows of sales.csv with the highest Amount", "top-rows", "sales top 3.csv"),
        ("The row of sales.csv with the highest Amount", "top-rows", "sales top.csv"),
        ("Rows of sub/sales.csv where the Region is North.", "filter-rows", "sub/sales filtered.csv"),
    ],
)
def test_a_new_files_name_has_the_values_that_are_given(task: str, name: str, new: str) -> None:
    assert filling(task, name, "sub/sales.csv" if "sub/" in task else "sales.csv").filled({})["result"] == new


@pytest.mark.parametrize("name", sorted(each.name for each in lexicon.shipped()))
def test_no_new_file_of_any_skill_is_called_without_the_name_of_its_source(name: str) -> None:
    skill = shipped(name)
    sources = [each for each in skill.method.parameters if each.given or each.kind in ("files", "folder")]
    for each in skill.method.parameters:
        if sources and each.kind == "file" and each.endings and not each.given:
            given = {source.name: f"given{'/*' * (source.kind == 'files')}{(*source.endings, '')[0]}" for source in sources}
            assert new_name(each, skill, given).startswith("given")


def test_what_is_measured_may_say_the_column_and_what_is_compared_with_a_number() -> None:
    found = filling("Show the 2 cheapest articles.", "top-rows", "stock.csv")
    assert choices(found, "column") == ["Price", "Left"], "which of them, the model says"
    assert found.known["end_of"] == "smallest"
    assert filling("The 2 biggest sales.", "top-rows", "sales.csv").known["column"] == "Amount", "there is only one"
    assert nothing("The 2 biggest of stock.csv", "top-rows", "stock.csv"), "of several, nothing says which"
    assert choices(filling("Stock over 5", "filter-rows", "stock.csv"), "column") == ["Price", "Left"]
    assert nothing("Stock with a discount over 5", "filter-rows", "stock.csv"), "that is a column which is not there"


@pytest.mark.parametrize("task", ["Which row of paid.csv has paid 7?", "Show the row of paid.csv that has paid 9."])
def test_a_number_is_no_count_unless_it_is_said_of_which(task: str) -> None:
    assert nothing(task.replace("row", "one"), "top-rows", "paid.csv")
    assert filling("The first 2 by Amount of paid.csv", "top-rows", "paid.csv").known["count"] == "2"


@pytest.mark.parametrize(
    ("task", "column"),
    [
        ("The youngest of club.csv", ""),
        ("The oldest of club.csv", ""),
        ("The youngest of crew.csv", "Born"),
        ("Who in crew.csv is the oldest?", "Born"),
        ("The oldest of paid.csv", "Date"),
    ],
)
def test_who_is_the_oldest_is_not_who_has_been_there_longest(task: str, column: str) -> None:
    files = ("club.csv", "crew.csv", "paid.csv")
    assert filling(task, "top-rows", *files).known["column"] == column if column else nothing(task, "top-rows", *files)


@pytest.mark.parametrize(
    ("task", "name", "known"),
    [
        ("Who in crew.csv is the oldest?", "top-rows", {"column": "Born", "end_of": "smallest"}),
        ("Who in crew.csv is the youngest?", "top-rows", {"column": "Born", "end_of": "largest"}),
        ("The oldest order of tills.csv", "top-rows", {"column": "Date", "end_of": "smallest"}),
        ("The oldest member of ages.csv", "top-rows", {"column": "Age", "end_of": "largest"}),
        ("Sort ages.csv, the youngest first", "sort-table", {"column": "Age", "order": "ascending"}),
        ("Sort tills.csv, oldest first", "sort-table", {"column": "Date", "order": "ascending"}),
    ],
)
def test_the_oldest_has_the_first_day_or_the_largest_age(task: str, name: str, known: dict[str, str]) -> None:
    found = filling(task, name, "crew.csv", "tills.csv", "ages.csv")
    assert known.items() <= found.known.items()
    assert not unused_name(found.asked, found.skill, found.known, found.columns), "who is asked for is each row"


TOWNS = "Name,Town,Fee,Joined\nAda,Rome,30,2019-03-01\nBo,Oslo,45,2021-07-12\nCy,Oslo,60,2025-01-02\n"
BOOK = f"[sheet May]\nFee\n1\n\n[sheet June]\n{TOWNS}"


@pytest.mark.parametrize(
    ("task", "name", "known"),
    [
        ("Rows in Oslo with a fee over 50", "filter-rows", {"column": "Town", "value": "Oslo", "where": "Fee more than 50"}),
        (
            "Rows from Oslo or Rome",
            "filter-rows",
            {"column": "Town", "condition": "is", "value": "Rome or Oslo", "where": ""},
        ),
        ("Rows with a fee over 30 not from Oslo", "filter-rows", {"column": "Fee", "where": "Town is not Oslo"}),
        ("How many rows in Oslo with a fee over 50?", "count-rows", {"column": "Town", "where": "Fee more than 50"}),
        (
            "The sum of Fee by Town where Fee is over 40",
            "sum-column-by-group",
            {"group": "Town", "where": "Fee more than 40"},
        ),
        ("Fee by Town of those who joined since 2020", "sum-column-by-group", {"where": "Joined at least 2020"}),
        ("Top 1 town by fee", "sum-column-by-group", {"group": "Town", "column": "Fee", "count": "1", "where": ""}),
        ("Keep the columns Name and Fee for Oslo", "select-columns", {"columns": "Name, Fee", "where": "Town is Oslo"}),
        ("Sort it by Fee, only those not from Rome", "sort-table", {"column": "Fee", "where": "Town is not Rome"}),
        ("Sort it by Town and Fee", "sort-table", {"column": "Town", "then": "Fee", "order": "", "then_order": ""}),
        (
            "Sort it by Fee, largest first, then Name",
            "sort-table",
            {"order": "descending", "then": "Name", "then_order": ""},
        ),
        ("Sort it by Town, then Fee, largest first", "sort-table", {"order": "", "then": "Fee", "then_order": "descending"}),
        ("Keep the first 2 rows", "top-rows", {"column": "", "count": "2", "end_of": "first"}),
        ("The last 2", "top-rows", {"column": "", "count": "2", "end_of": "last"}),
        ("The 2 cheapest by Fee for Oslo", "top-rows", {"column": "Fee", "count": "2", "where": "Town is Oslo"}),
    ],
)
def test_which_rows_are_meant_is_said_beside_what_is_done_with_them(task: str, name: str, known: dict[str, str]) -> None:
    there = There(("towns.csv",), (), lambda _: table_of(TOWNS))
    assert nothing_is_left(found := _with_rows(task, shipped(name), there, corrected=False))
    assert known.items() <= found.known.items(), found.known
    book = There(("towns.xlsx",), (), lambda _: table_of(BOOK))
    on_june = _with_rows(f"In the sheet June: {task}", shipped(name), book, corrected=False)
    assert nothing_is_left(on_june), "a sheet other than the first"
    assert (known | {"sheet": "June"}).items() <= on_june.known.items(), on_june.known


def nothing_is_left(found: Blanks | None) -> TypeGuard[Blanks]:
    return found is not None and not unused_name(found.asked, found.skill, found.known, found.columns)


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("The top 2 towns", "top-rows"),
        ("Sort it by Fee for those over 40 and 50", "sort-table"),
    ],
)
def test_rows_that_are_not_clearly_said_are_none(task: str, name: str) -> None:
    found = _with_rows(task, shipped(name), There(("towns.csv",), (), lambda _: table_of(TOWNS)), corrected=False)
    assert not nothing_is_left(found)


def test_what_stands_behind_without_is_a_condition_if_it_is_in_the_table() -> None:
    there = There(("towns.csv",), (), lambda _: table_of(TOWNS))
    found = _with_rows("Fee by Town without Rome", shipped("sum-column-by-group"), there, corrected=False)
    assert nothing_is_left(found)
    assert found.known["where"] == "Town is not Rome"


def test_an_age_is_worked_out_from_no_other_number() -> None:
    assert nothing("The average age in stock.csv", "calculate-figure", "stock.csv")
    assert nothing("The average age in bills.csv", "calculate-figure", "bills.csv")
    assert filling("The average in bills.csv", "calculate-figure", "bills.csv").known["figures"] == "Total"


def test_a_word_that_calls_the_file_is_none_of_its_columns() -> None:
    assert filling("Bills over 500 in bills.csv", "filter-rows", "bills.csv").known["column"] == "Total"


def test_a_word_that_may_name_another_file_may_be_a_text_or_a_value() -> None:
    found = filling("List all lines with TODO in notes.txt", "find-lines", "notes.txt", "todo.md")
    assert found.known["files"] == "notes.txt"
    assert "TODO" in choices(found, "find")
    known = filling("Only people of the staff in Sales", "filter-rows", "staff.csv", "sales.csv").known
    assert (known["source"], known["column"], known["value"]) == ("staff.csv", "Unit", "Sales")
    assert filling("Sort shifts.csv by hours", "sort-table", "shifts.csv", "hours.xlsx").known["source"] == "shifts.csv"


def test_of_several_tables_the_one_with_the_most_columns_that_are_named_is_meant() -> None:
    found = filling("Total Amount by Region", "sum-column-by-group", "sales.csv", "paid.csv")
    assert found.known["source"] == "sales.csv"


@pytest.mark.parametrize(("task", "name"), [("Rename a.txt to b.md", "b.md"), ("Rename a.txt to minutes", "minutes")])
def test_a_file_of_any_kind_is_called_as_the_task_says(task: str, name: str) -> None:
    found = filling(task, "rename-file", "a.txt", "c.md")
    assert found.known["source"] == "a.txt"
    assert found.known.get("name") == name or name in choices(found, "name")


@pytest.mark.parametrize("task", ["Sort sales.csv by Amount and save it as PDF", "Sort sales.csv by Amount and zip it"])
def test_another_kind_of_file_and_another_deed_are_another_chore(task: str) -> None:
    assert nothing(task, "sort-table", "sales.csv")


@pytest.mark.parametrize(
    ("task", "name", "folders", "folder"),
    [
        ("tidy up the folder mess by file type", "sort-files-into-folders", ("mess",), "mess"),
        ("tidy up the folder mess by file type", "sort-files-into-folders", ("files", "mess", "type"), "mess"),
        ("Tidy up the folder Mess by type", "sort-files-into-folders", ("work", "work/mess"), "work/mess"),
        ("tidy up mess/old by type", "sort-files-into-folders", ("mess", "mess/old", "x/old"), "mess/old"),
        ("tidy up my pictures by type", "sort-files-into-folders", ("documents", "pictures"), "pictures"),
        ("sort the files by type", "sort-files-into-folders", ("a/files", "in"), ""),
        ("number the files in mess", "number-files", ("files", "mess", "in"), "mess"),
        ("number the files in files", "number-files", ("files",), "files"),
        ("remove duplicates from mess", "set-duplicates-aside", ("mess",), "mess"),
    ],
)
def test_a_word_that_is_a_folder_s_name_is_that_folder(task: str, name: str, folders: tuple[str, ...], folder: str) -> None:
    files = ("a.txt", "b.pdf", *(f"{each}/c.{end}" for each in folders for end in ("txt", "pdf")))
    found = blanks(task, shipped(name), There(files, folders))
    assert found is not None
    assert found.known["folder"] == folder
    assert found.known.get("files", "") == "", "all of that folder"


def test_a_kind_of_file_that_is_said_is_the_pattern_inside_the_folder_that_is_said() -> None:
    found = filling("number the pdf files in mess", "number-files", "mess/c.pdf", "mess/a.txt", "top.pdf")
    assert found.known == {"folder": "mess", "files": "*.pdf", "first": ""}
    both = filling("number the pdf and jpg files", "number-files", "a.jpg", "b.pdf", "c.txt")
    assert both.known["files"] == "*.jpg, *.pdf"
    none = filling("number the jpg files", "number-files", "b.pdf", "c.txt")
    assert none.known["files"] == "*.jpg", "which is refused, instead of numbering all"


def test_a_folder_that_is_named_and_has_no_place_is_a_reason_not_to_use_the_skill() -> None:
    there = There(("sales.csv", "mess/a.txt"), ("mess",), table)
    assert blanks("Sort sales.csv by Amount, it is a mess", shipped("sort-table"), there) is None
    assert blanks("Sort sales.csv by Amount", shipped("sort-table"), replace(there, folders=("sort", "sales"))) is not None
    moved = shipped("set-duplicates-aside")
    found = blanks("Put the duplicates into mess", moved, there)
    assert found is not None
    assert unused_name(found.asked, moved, {"folder": "", "aside": "double"}, ()) == "mess"
    assert unused_name(found.asked, moved, {"folder": "", "aside": "mess"}, ()) == ""


def test_one_is_no_file_s_name_without_its_ending() -> None:
    task = "split sales.csv into one file per Region"
    assert filling(task, "split-table", "sales.csv", "mail/one.eml").known["source"] == "sales.csv"
    assert filling("Merge one and two", "merge-pdfs", "one.pdf", "two.pdf", "x.pdf").known["files"] == "one.pdf, two.pdf"


@pytest.mark.parametrize(
    ("task", "name", "known"),
    [
        ("How many joined in 2024?", "count-rows", {"column": "Joined", "condition": "is", "value": "2024"}),
        ("Who has joined since january 2025?", "filter-rows", {"condition": "at least", "value": "january 2025"}),
        ("How many members are there?", "count-rows", {"column": "", "condition": "", "value": ""}),
        ("How many fees are over 40?", "count-rows", {"column": "Fee", "condition": "more than", "value": "40"}),
        (
            "Sum of the fees over 40",
            "calculate-figure",
            {"figures": "Fee", "column": "Fee", "operation": "sum", "value": "40"},
        ),
        ("What is the fee of Eva?", "look-up-value", {"column": "Name", "value": "Eva Long", "wanted": "Fee"}),
    ],
)
def test_a_question_on_a_table_names_rows_by_a_period_a_part_of_a_name_or_not_at_all(
    task: str, name: str, known: dict[str, str]
) -> None:
    assert known.items() <= filling(task, name, "club.csv").known.items()


@pytest.mark.parametrize("task", ["The total without VAT", "The median fee", "The fee per club", "What does Eva pay?"])
def test_what_is_left_out_or_not_worked_out_is_no_figure(task: str) -> None:
    assert nothing(task, "calculate-figure", "club.csv")


def test_a_word_that_names_a_folder_names_no_single_file_in_it() -> None:
    files = ("essays/essay of Bo.txt", "essays/Eva.txt", "notes.txt")
    found = blanks("How many words is each essay?", shipped("count-words"), There(files, ("essays",)))
    assert found is not None
    assert found.known["files"] == "essays/*.txt"
    assert named("The average expense", ["expenses.csv", "bo.csv"]).files == ("expenses.csv",)


def test_what_a_sentence_asks_for_besides_is_never_dropped() -> None:
    assert nothing("How many regions are in sales.csv?", "count-rows", "sales.csv"), "not the rows"
    assert nothing("Sort sales.csv by Amount and number the rows", "sort-table", "sales.csv")
    assert filling("Sort sales.csv by Amount and save it as x.csv", "sort-table", "sales.csv").known["result"] == "x.csv"
    assert nothing("How many pages does b.pdf have?", "split-pdf", "b.pdf")
    assert nothing("Raise the Amount by 3 percent", "calculate-column", "sales.csv")
    assert filling("How many are in IT", "count-rows", "staff.csv").known["value"] == "IT"
    assert table_of(TABLES["staff.csv"]).said("average salery in it") == {}, "no Sales"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Total of Amount for Bo", {"Rep": ("Bo",)}),
        ("how much did bo sell", {"Rep": ("Bo",)}),
        ("Bo's total", {"Rep": ("Bo",)}),
        ("the total of team B", {"Team": ("B",)}),
        ("A total of the amounts", {}),
        ("a list of what is no one's", {}),
    ],
)
def test_a_name_of_two_letters_is_no_small_word(text: str, said: dict[str, tuple[str, ...]]) -> None:
    table = table_of("Rep,Team,Amount\nBo,A,5\nAda,B,7\nNo,A,9\n")
    assert table.said(text) == said


@pytest.mark.parametrize(
    ("task", "first", "second"),
    [
        ("Add a column Value to stock.csv: Price divided by Left", "Price", "Left"),
        ("Add a column Value to stock.csv: Left divided by Price", "Left", "Price"),
        ("Add a column Value to stock.csv, subtract Left from Price", "Price", "Left"),
    ],
)
def test_two_columns_are_reckoned_with_in_the_order_of_the_request(task: str, first: str, second: str) -> None:
    known = filling(task, "calculate-column", "stock.csv").known
    assert (known["first"], known["second"]) == (first, second)


@pytest.mark.parametrize(
    ("task", "name", "value"),
    [
        ("The biggest Price for each Left in stock.csv", "sum-column-by-group", {"operation": "largest"}),
        ("Change the dates in sales.csv to German format", "reformat-dates", {"form": "31.12.2026"}),
        ("Sort club.csv by Fee in reverse", "sort-table", {"order": "descending"}),
    ],
)
def test_people_say_a_choice_in_these_words_too(task: str, name: str, value: dict[str, str]) -> None:
    known = filling(task, name, next(file for file in TABLES if file in task)).known
    assert {each: known[each] for each in value} == value


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Sort stock.csv by Price, but leave the pens where they are", "sort-table"),
        ("The number of files here by type", "sort-files-into-folders"),
    ],
)
def test_what_turns_or_counts_is_not_left_out(task: str, name: str) -> None:
    assert nothing(task, name, "stock.csv")


def test_a_number_in_words_is_used_or_how_many_there_are() -> None:
    assert nothing("Sort stock.csv by Price, at most seven.", "sort-table", "stock.csv")
    found = filling("Join the two files into all.csv.", "combine-tables", "stock.csv", "sales.csv")
    assert unused_name(found.asked, shipped("combine-tables"), {"files": "*.csv", "result": "all.csv"}, ()) == ""

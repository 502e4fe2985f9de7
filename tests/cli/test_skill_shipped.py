"""Skills that are part of the package, used from a terminal: no model, new files only, and all of it can be undone."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import openpyxl
import pytest

from cli.conftest import Cli
from deskcrew.engine.workshop.fitting import GivenFiles
from deskcrew.facts.events import ActionStarted, Event
from deskcrew.learning.skills.folders import SHIPPED
from deskcrew.ways_in.library import use_skill

TABLE = "Day;Amount\n03.05.2026;12,50\n01.05.2026;1.200,00\n"
ASKED = ("source=may.csv", "column=amount", "result=sorted.csv")


@pytest.fixture
def here(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "may.csv").write_text(TABLE)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKCREW_DATA", str(data))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def test_it_is_listed_shown_used_and_undone(cli: Cli, here: Path) -> None:
    rows = cli("skill", "list", "--shipped", "--json").json["skills"]
    names = [row["name"] for row in rows]
    assert len(names) >= 48
    assert all(row["problem"] == "" and row["score"] == 8 for row in rows)
    assert cli("skill", "list", "--json").json["skills"] == []
    assert "sort-table" in cli("skill", "list", "--shipped").out
    shown = cli("skill", "show", "sort-table", "--code").out
    assert "order (text, may be left out): descending puts" in shown
    assert "source (file, required): the table, csv or xlsx; an existing file; for example may.csv\n" in shown
    assert "def check_sort_table(start, end" in shown, "what checks it is shown, too"
    assert "Part of Deskcrew" in shown
    before = files(here)
    used = cli("skill", "use", "sort-table", *ASKED, "--json")
    assert (used.code, used.json["outcome"], used.json["verified_by"]) == (0, "done", "program"), used.err
    assert (here / "sorted.csv").read_text() == TABLE
    log = " ".join(cli("log", used.json["run"]).out.split())
    assert "Sort the rows of may.csv by amount" in log
    title = cli("runs", "--json").json["runs"][0]["task"]
    assert title.startswith("Sort the rows of may.csv by amount")
    found = re.search(r"which ones: deskcrew show (\S+) (\d+)", log)
    assert found is not None, log
    assert found[1] == used.json["run"]
    assert "sorted.csv, line 3 left out" in cli("show", *found.groups()).out
    assert cli("verify", used.json["run"]).code == 0
    assert cli("undo", used.json["run"], "--yes").code == 0
    assert files(here) == before
    assert cli("rewind", used.json["run"], "--undo", "--yes").code == 0
    assert (here / "sorted.csv").read_text() == TABLE


def test_a_new_file_that_nobody_names_is_called_by_its_source_and_what_was_done(cli: Cli, here: Path) -> None:
    before = files(here)
    used = cli("skill", "use", "sort-table", "source=may.csv", "column=Amount", "--json")
    assert used.json["outcome"] == "done", used.json
    assert files(here).keys() - before.keys() == {"may sorted.csv"}
    assert cli("skill", "use", "sort-table", "source=may.csv", "column=Day", "--json").json["outcome"] == "done"
    assert files(here).keys() - before.keys() == {"may sorted.csv", "may sorted 2.csv"}


def test_a_skill_that_was_killed_is_started_again_by_the_command_that_is_named(cli: Cli, here: Path) -> None:
    def dies(event: Event) -> None:
        if isinstance(event.body, ActionStarted):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        use_skill("sort-table", here, source="may.csv", column="amount", on_event=dies)
    resumed = cli("resume", "last")
    assert resumed.code == 2
    named = re.search(r"Start it again: deskcrew (.*)", resumed.err)
    assert named is not None, resumed.err
    assert shlex.split(named[1]) == [
        *("skill", "use", "sort-table", "source=may.csv", "column=amount", "result=may sorted.csv"),
        *("--workspace", str(here)),
    ]
    told = " ".join(cli("log", "last").out.split())
    assert "deskcrew skill use sort-table" in told
    assert "deskcrew resume" not in told
    assert cli(*shlex.split(named[1])).code == 0
    assert (here / "may sorted.csv").read_text() == TABLE


def test_an_example_of_a_skills_values_has_no_empty_ones(cli: Cli, here: Path) -> None:
    refused = cli("skill", "use", "sort-table", "colum=amount")
    assert refused.err.rstrip().endswith("source=may.csv column=Amount order=descending result=sorted.csv")


def test_a_rename_is_undone(cli: Cli, here: Path) -> None:
    before = files(here)
    used = cli("skill", "use", "rename-files", "find=may", "replacement=May 2026", "--json")
    assert used.json["outcome"] == "done", used.json
    assert list(files(here)) == ["May 2026.csv"]
    assert cli("undo", used.json["run"], "--yes").code == 0
    assert files(here) == before


def test_what_cannot_be_done_is_said_and_costs_nothing(cli: Cli, here: Path) -> None:
    missing = cli("skill", "use", "sort-table", "source=may.csv")
    assert missing.code == 2
    assert "sort-table needs column." in missing.err
    assert "order is 'up', not one of ascending, descending" in cli("skill", "use", "sort-table", *ASKED, "order=up").err
    wrong = cli("skill", "use", "sort-table", "source=may.csv", "column=Sum", "result=sorted.csv", "--json")
    assert (wrong.code, wrong.json["outcome"], wrong.json["run"]) == (2, "failed", None)
    assert wrong.json["why"] == "may.csv has no column 'Sum'. It has: Day, Amount."
    near = cli("skill", "use", "sort-table", "source=may.csv", "column=Amout", "result=sorted.csv")
    assert (near.code, near.out) == (2, "")
    assert near.err == "Error: may.csv has no column 'Amout'. Did you mean 'Amount'? It has: Day, Amount.\n"
    gone = cli("skill", "use", "sort-table", "source=mai.csv", "column=Amount", "result=sorted.csv").err
    assert gone == f"Error: There is no file named mai.csv in {here}. Nearest: may.csv.\n"
    typo = cli("skill", "use", "sort-table", "source=may.csv", "colunm=Amount", "result=sorted.csv").err
    assert "There is no parameter 'colunm'." in typo
    assert "Did you mean 'column'?\nHint: `deskcrew skill show sort-table` says what each" in typo
    (here / "sorted.csv").write_text("mine")
    again = cli("skill", "use", "sort-table", *ASKED, "--json")
    assert "There is already sorted.csv" in again.json["why"]
    assert (here / "sorted.csv").read_text() == "mine"
    (here / "open.csv").write_text("Day;Amount\n1;1,200\n2;2,500\n")
    unsure = cli("skill", "use", "sort-table", "source=open.csv", "column=Amount", "result=new.csv", "--json")
    assert unsure.code == 0, unsure.json
    (here / "open.csv").write_text("Day;Amount\n1;03/04/2026\n2;05/06/2026\n")
    unsure = cli("skill", "use", "sort-table", "source=open.csv", "column=Amount", "result=days.csv", "--json")
    assert (unsure.code, unsure.json["outcome"]) == (4, "failed")
    assert unsure.json["why"].startswith(
        "sort-table cannot use these values: '03/04/2026' in row 2 can be 3 April or 4 March"
    )
    assert unsure.json["skill"]["score"] >= 8, "it is no fault of the skill's"
    assert "is part of Deskcrew" in cli("skill", "remove", "sort-table", "--yes").err
    assert "is part of Deskcrew" in cli("skill", "edit", "sort-table", "--name", "mine").err
    assert (SHIPPED / "sort-table").exists()


@pytest.mark.parametrize(
    ("skill", "values", "why"),
    [
        ("merge-pdfs", ("files=one.pdf, two.pdf", "result=all.pdf"), "one.pdf is damaged, or is not a PDF."),
        ("sort-table", ("source=one.xlsx", "column=A", "result=sorted.xlsx"), "one.xlsx is damaged, or is not a workbook."),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_is_no_fault_of_the_skill(
    cli: Cli, here: Path, skill: str, values: tuple[str, ...], why: str
) -> None:
    for name in ("one.pdf", "two.pdf", "one.xlsx"):
        (here / name).write_text("nothing of the kind")
    for _ in range(3):
        used = cli("skill", "use", skill, *values, "--json")
        assert (used.code, used.json["outcome"], used.json["reason"]) == (4, "failed", "unreadable")
        assert used.json["why"] == why
        assert (used.json["skill"]["before"], used.json["skill"]["score"]) == (8, 8)


def test_a_copy_that_was_edited_is_ones_own_once_it_is_imported(cli: Cli, here: Path) -> None:
    assert cli("skill", "export", "sort-table", "mine").code == 0
    code = here / "mine" / "scripts" / "sort_table.py"
    code.write_text(code.read_text().replace(" sorted by ", " in the order of "))
    taken = cli("skill", "import", "mine", "--yes", "--json")
    assert taken.code == 0, taken.err
    used = cli("skill", "use", "sort-table", *ASKED, "--json")
    assert (used.json["outcome"], used.json["skill"]["before"]) == ("done", 2), used
    assert "2 rows in the order of amount" in " ".join(cli("log", used.json["run"]).out.split())
    assert "deskcrew skill remove sort-table" in cli("skill", "import", "mine", "--yes").err
    code = Path(taken.json["folder"], "scripts", "sort_table.py")
    code.write_text(f"{code.read_text()}# edited\n")
    refused = cli("skill", "use", "sort-table", *ASKED)
    assert (refused.code, f"deskcrew skill import {taken.json['folder']} --name" in refused.err) == (2, True), refused
    assert cli("skill", "import", taken.json["folder"], "--name", "my-sort", "--yes").code == 0


def test_ones_own_of_the_same_name_wins(cli: Cli, here: Path) -> None:
    assert cli("skill", "export", "sort-table", "mine.zip").code == 0
    assert cli("skill", "import", "mine.zip", "--yes").code == 0
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["name"], row["from"], row["score"]) == ("sort-table", "user", 2)
    assert "sort-table" not in [each["name"] for each in cli("skill", "list", "--shipped", "--json").json["skills"]]
    used = cli("skill", "try", "sort-table", *(f"--param={each}" for each in ASKED), "--workspace", str(here), "--json")
    assert used.json["outcome"] == "done", used.json
    assert used.json["skill"]["score"] == 5


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (
            ("column=amuont", "result=sorted.csv"),
            "may.csv has no column 'amuont'. Did you mean 'Amount'? It has: Day, Amount.",
        ),
        (("column=Amount", "result=may.csv"), "There is already may.csv: choose another name."),
    ],
)
def test_what_can_be_known_is_refused_before_a_run_is_begun(
    cli: Cli, here: Path, values: tuple[str, ...], told: str
) -> None:
    """With the sentence of the skill itself, which says it of what only it can see."""
    refused = cli("skill", "use", "sort-table", "source=may.csv", *values)
    assert refused.code == 2
    assert refused.err == f"Error: {told}\n"
    assert cli("runs", "--json").json["runs"] == []


def test_links_are_not_followed_and_matter_to_no_other_chore(cli: Cli, here: Path, tmp_path: Path) -> None:
    (tmp_path / "june.csv").write_text(TABLE)
    targets = {"out.csv": tmp_path / "june.csv", "gone.csv": "nowhere", "same.csv": "may.csv", "round": "."}
    for name, target in targets.items():
        (here / name).symlink_to(target)
    for name in ("out.csv", "gone.csv", "same.csv"):
        refused = cli("skill", "use", "sort-table", f"source={name}", "column=Amount", "result=sorted.csv")
        told = f"{name} in {here} is a symbolic link, which is not followed. Put a copy of the file in its place"
        assert (refused.code, refused.err) == (2, f"Error: {told}, or name that file.\n")
    used = cli("skill", "use", "combine-tables", "files=**/*.csv", "result=all.csv", "--json")
    assert used.json["outcome"] == "done", used.json
    assert (here / "all.csv").read_text().count("\n") == TABLE.count("\n")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("Day,Day\n1,2\n", "may.csv has two columns 'Day': rename one."),
        ("Day,Amount\n1,2,3\n", "row 2 of may.csv has 3 values for 2 headings"),
    ],
)
def test_what_only_the_skill_can_see_is_a_run_that_failed_and_says_so(cli: Cli, here: Path, table: str, told: str) -> None:
    (here / "may.csv").write_text(table)
    refused = cli("skill", "use", "sort-table", "source=may.csv", "column=Day")
    (run,) = cli("runs", "--json").json["runs"]
    assert (refused.code, refused.err, run["outcome"]) == (4, "", "failed")
    said = " ".join(refused.out.replace("│", " ").split())
    assert f"deskcrew log {run['run']}" in said
    assert f"sort-table cannot use these values: {told}" in said
    assert "deskcrew skill use sort-table NAME=VALUE --workspace" in said
    assert "skill try" not in said
    assert "steps" not in said, "it is one program"


def test_a_used_skill_ends_with_what_a_person_must_read(cli: Cli, here: Path) -> None:
    used = cli("skill", "use", "sort-table", *ASKED)
    assert used.code == 0, used.err
    labels = ["outcome", "remark", "created", "folder", "undo", "checks"]
    assert [line.split()[0] for line in used.out.strip().splitlines()] == [*labels, "sort-table"]
    assert "1 held; deskcrew log" in used.out
    assert "✓ 1 Sort the rows" in cli("log", "last").out


@pytest.mark.parametrize("name", ["lines.csv", "lines.xlsx"])
def test_a_heading_of_several_lines_is_one(cli: Cli, here: Path, name: str) -> None:
    rows = [["Amount\n(EUR)", "x, y", "k"], ["5", "2", "3"], ["4", "2", "3"]]
    if name.endswith(".csv"):
        with (here / name).open("w", newline="") as file:
            csv.writer(file).writerows(rows)
    else:
        book = openpyxl.Workbook()
        for row in rows:
            book.worksheets[0].append(row)
        book.save(here / name)
    used = cli("skill", "use", "sort-table", f"source={name}", "column=Amount\n(EUR)", f"result=new-{name}", "--json")
    assert used.json["run"], used.err
    assert (here / f"new-{name}").exists()


@pytest.mark.parametrize(
    "values",
    [
        "look-up-value source=two.xlsx column=name value=pear wanted=price result=made.xlsx",
        "calculate-column source=two.xlsx first=price operation=times second=2 name=double result=made.xlsx",
        "combine-tables files=two.xlsx,may.csv result=made.xlsx",
        "compare-tables source=two.xlsx other=again.xlsx key=name result=made.xlsx",
        "split-table source=two.xlsx column=name folder=made",
        "transpose-table source=two.xlsx result=made.xlsx",
    ],
)
def test_the_other_sheets_of_a_workbook_stay_as_they_are(cli: Cli, here: Path, values: str) -> None:
    book = openpyxl.Workbook()
    for row in (("name", "price"), ("pear", 3), ("fig", 4)):
        book.worksheets[0].append(row)
    other = book.create_sheet("Other")
    for cells in (("k", "v"), ("x", 7), ("y", "=B2+1")):
        other.append(cells)
    book.create_sheet("Empty")
    for name in ("two.xlsx", "again.xlsx"):
        book.save(here / name)
        book.worksheets[0]["B3"] = 5
    used = cli("skill", "use", *values.split(), "--json")
    assert used.json["outcome"] == "done", used.json
    made = next(path for path in here.rglob("*.xlsx") if "made" in str(path.relative_to(here)))
    kept = openpyxl.load_workbook(made)
    assert kept.sheetnames[1:] == ["Other", "Empty"]
    assert [cell.value for cell in kept["Other"]["B"]] == ["v", 7, "=B2+1"]


def test_rows_of_which_none_fits_are_said_to_be_none(cli: Cli, here: Path) -> None:
    values = ("source=may.csv", "column=Amount", "condition=more than", "value=5000", "result=large.csv")
    used = cli("skill", "use", "filter-rows", *values, "--json")
    assert (used.code, used.json["outcome"], used.json["said"]) == (0, "done", "No row fits; 2 rows looked at"), used.err


def test_the_folder_of_a_file_that_is_missing_is_told_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert GivenFiles(Path()).place == tmp_path

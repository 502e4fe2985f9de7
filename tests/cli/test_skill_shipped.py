"""Skills that are part of the package, used from a terminal: no model, new files only, and all of it can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.learning.skills.folders import SHIPPED

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
    shown = cli("skill", "show", "sort-table").out
    assert "one of ascending, descending; may be left out" in shown
    assert "def check_sort_table(start, end" in shown, "what checks it is shown, too"
    assert "Part of Deskcrew" in shown
    before = files(here)
    used = cli("skill", "use", "sort-table", *ASKED, "--json")
    assert (used.code, used.json["outcome"], used.json["verified_by"]) == (0, "done", "probe"), used.err
    assert (here / "sorted.csv").read_text() == TABLE
    assert (
        "Sort the rows of a table by one of its columns (source: may.csv; column: amount;"
        in cli("log", used.json["run"]).out
    )
    assert cli("verify", used.json["run"]).code == 0
    assert cli("undo", used.json["run"], "--yes").code == 0
    assert files(here) == before
    assert cli("rewind", used.json["run"], "--undo", "--yes").code == 0
    assert (here / "sorted.csv").read_text() == TABLE


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
    assert "sort-table needs column, result" in missing.err
    assert "is not one of ascending, descending" in cli("skill", "use", "sort-table", *ASKED, "order=up").err
    wrong = cli("skill", "use", "sort-table", "source=may.csv", "column=Sum", "result=sorted.csv", "--json")
    assert (wrong.code, wrong.json["outcome"]) == (4, "failed")
    assert wrong.json["why"] == "sort-table cannot use these values: may.csv has no column 'Sum'. It has: Day, Amount."
    near = cli("skill", "use", "sort-table", "source=may.csv", "column=Amout", "result=sorted.csv")
    assert (near.code, near.out) == (2, "")
    assert near.err == "Error: may.csv has no column 'Amout'. Did you mean Amount? It has: Day, Amount.\n"
    gone = cli("skill", "use", "sort-table", "source=mai.csv", "column=Amount", "result=sorted.csv").err
    assert "There is no file mai.csv in " in gone
    assert "Did you mean may.csv?" in gone
    typo = cli("skill", "use", "sort-table", "source=may.csv", "colunm=Amount", "result=sorted.csv").err
    assert "There is no parameter 'colunm'." in typo
    assert "Did you mean column? sort-table takes source=may.csv, column=" in typo
    (here / "sorted.csv").write_text("mine")
    again = cli("skill", "use", "sort-table", *ASKED, "--json")
    assert "There is already sorted.csv" in again.json["why"]
    assert (here / "sorted.csv").read_text() == "mine"
    assert again.json["skill"]["score"] == 8
    assert "is part of Deskcrew" in cli("skill", "remove", "sort-table", "--yes").err
    assert "is part of Deskcrew" in cli("skill", "edit", "sort-table", "--name", "mine").err
    assert (SHIPPED / "sort-table").exists()


def test_ones_own_of_the_same_name_wins(cli: Cli, here: Path) -> None:
    assert cli("skill", "export", "sort-table", "mine.zip").code == 0
    assert cli("skill", "import", "mine.zip", "--yes").code == 0
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["name"], row["from"], row["score"]) == ("sort-table", "user", 2)
    assert "sort-table" not in [each["name"] for each in cli("skill", "list", "--shipped", "--json").json["skills"]]
    used = cli("skill", "try", "sort-table", *(f"--param={each}" for each in ASKED), "--workspace", str(here), "--json")
    assert used.json["outcome"] == "done", used.json
    assert used.json["skill"]["score"] == 5

"""`deskcrew skill make` and `deskcrew skill from-openapi`, called as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from cli.conftest import Cli
from skills.test_openapi import BOOKS, DESCRIPTION, Library, Shelf
from skills.test_openapi import library as library
from workshop.test_making import CODE, GOOD, WHAT, written


@pytest.fixture
def here(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKCREW_DATA", str(data))
    return tmp_path


def script(folder: Path, *replies: object) -> str:
    (folder / "script.json").write_text(json.dumps(replies))
    return f"scripted:{folder / 'script.json'}"


def test_made_shown_and_renamed(cli: Cli, here: Path) -> None:
    made = cli("skill", "make", WHAT, "--model", script(here, written(), GOOD), "--json")
    assert (made.code, made.json["outcome"]) == (0, "done"), made.err
    assert made.json["skill"]["name"] == "count-lines"
    assert made.json["skill"]["score"] == 8
    assert made.json["skill"]["parameters"] == ["source", "label", "target"]
    told = cli("log", made.json["run"]).out
    assert "SkillMaker" in told
    assert "✓ 4 lines" in told, "each call of the function"
    assert "count_lines(" in cli("show", made.json["run"], "5").out
    assert cli("verify", made.json["run"]).code == 0
    assert "made a skill" in cli("replay", made.json["run"], "--cassette").err
    shown = cli("skill", "show", "count-lines", "--code").out
    assert "Scored 9 of 10 by its critic: It does every such case." in shown
    assert "    count = len(Path(source)" in shown, "whoever allows it reads its code"
    assert cli("skill", "show", "count-lines", "--json").json["code"] == CODE
    assert "those of its function" in cli("skill", "edit", "count-lines", "--param", "label=word").err
    assert cli("skill", "edit", "count-lines", "--name", "lines-of").code == 0
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["name"], row["problem"], row["score"]) == ("lines-of", "", 2)
    assert cli("skill", "export", "lines-of", "out.zip").code == 0
    assert cli("skill", "remove", "lines-of", "--yes").code == 0
    assert cli("skill", "import", "out.zip", "--yes").code == 0


@pytest.mark.parametrize("by", ["option", "setting"])
def test_after_a_proven_run(cli: Cli, here: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    """The user says what must hold, and rules see it; its skill must do on its files what was done then."""
    work = here / "work"
    work.mkdir()
    (work / "may.txt").write_text("a\nb\n")
    task = 'Count the lines of may.txt, then write "Lines:" and the number into count.txt.'
    code = "n = len(open('may.txt').readlines())\nopen('count.txt', 'w').write(f'Lines: {n}\\n')\nprint(n)"
    runs = {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"}
    values = {"source": "may.txt", "label": "Lines:", "target": "count.txt"}
    recorded = [{"name": name, "value": value} for name, value in values.items()]
    model = script(here, runs, written(recorded=recorded), GOOD)  # the maker's first reply is none, and it is asked again
    options = ("--workspace", str(work), "--desktop", "none", "--crew", "solo", "--json")
    if by == "option":
        options += ("--make-skill",)
    else:
        monkeypatch.setenv("DESKCREW_MAKE_SKILLS", "true")
    options += ("--require", "file_contains count.txt 'Lines: 2'")
    ran = cli("run", task, "--model", model, *options)
    assert ran.json["outcome"] == "done", ran.json
    assert "Made the skill count-lines" in ran.err, ran.err
    assert cli("skill", "show", "count-lines", "--json").json["score"] == 8


def test_what_is_not_kept_is_said(cli: Cli, here: Path) -> None:
    low = {"reasons": "It does one case.", "mend": "Do more.", "score": 4}
    again = {"why": "mended", **written()}
    model = script(here, written(), low, again, low, again, low, again, low)
    made = cli("skill", "make", WHAT, "--model", model, "--json")
    assert (made.code, made.json["skill"]) == (4, None)
    assert "It does one case." in made.json["why"]
    assert cli("skill", "make").code == 2


class Open(Shelf):
    """Tells everybody of the same book."""

    def do_GET(self) -> None:
        self._say(200, BOOKS["7"])


def test_what_counts_for_an_operation_is_said_where_it_is_shown_and_tried(cli: Cli, here: Path, library: Library) -> None:
    library.RequestHandlerClass = Open
    (here / "library.yaml").write_text(yaml.safe_dump(DESCRIPTION | {"security": []}, sort_keys=False))
    server = f"http://{library.host}"
    assert cli("skill", "from-openapi", "library.yaml", "--operation", "getBook", "--server", server).code == 0
    assert "Counts as a success when:\n  1. the service answers" in cli("skill", "show", "get-book").out
    said = "get-book has a score of 5 of 10 now (before: 2): the reply was as described"
    tried = [cli("skill", "try", "get-book", "--allow-host", library.host, "--json") for _ in range(2)]
    assert [(each.json["outcome"], said in each.err) for each in tried] == [("unverified", True), ("unverified", False)]


def test_operations_of_a_service(cli: Cli, here: Path) -> None:
    (here / "library.yaml").write_text(yaml.safe_dump(DESCRIPTION, sort_keys=False))
    options = ("--server", "https://books.example", "--secret", "library")
    one = cli("skill", "from-openapi", "library.yaml", "--operation", "getBook", *options, "--json")
    assert [each["name"] for each in one.json["skills"]] == ["get-book"], one.err
    shown = cli("skill", "show", "get-book").out
    assert "GET https://books.example/books/{bookId}" in shown
    assert "Types secrets: library" in shown
    every = cli("skill", "from-openapi", "library.yaml", *options)
    assert "add-book(title, tags, lent): Put a new book on the shelf." in every.out
    assert "Left out addCover: its body is multipart/form-data, not JSON." in every.out
    assert "Left out getBook: there is a skill 'get-book' already." in every.out
    assert "'x'" in cli("skill", "from-openapi", "library.yaml", "--operation", "x").err

"""`deskcrew skill`, called as a user calls it: kept, tried, listed, sent, received, asked about."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.engine.workshop.keeping import named_after

TASK = 'Count the lines of may.txt, then write "Lines:" and the number into count.txt.'
COUNT = {"function": "run_python_code", "code": "print(len(open('may.txt').readlines()))"}
WRITE = {"function": "write_file", "file_path": "count.txt", "text": "Lines: 2"}
NEEDED = ("--require", "file_contains count.txt 'Lines: 2'")


@pytest.fixture
def kept(cli: Cli, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A skill that counts lines, as `keep --json` tells of it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKCREW_DATA", str(data))
    work = tmp_path / "work"
    work.mkdir()
    (work / "may.txt").write_text("a\nb\n")
    replies = [{"operations": [COUNT], "branch": "Continue"}, {"operations": [WRITE], "branch": "RoleTaskFinish"}]
    (tmp_path / "script.json").write_text(json.dumps(replies))
    where = ("--workspace", str(work), "--desktop", "none", "--crew", "solo")
    ran = cli("run", TASK, "--model", f"scripted:{tmp_path / 'script.json'}", *where, *NEEDED, "--json")
    assert ran.json["outcome"] == "done", ran.json
    made = cli("skill", "keep", ran.json["run"], "--name", "count-lines", "--param", "label=Lines:", "--json")
    assert made.code == 0, made.err
    return made.json


def files(tmp_path: Path, name: str, text: str) -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def test_kept_tried_and_listed(cli: Cli, tmp_path: Path, kept: Any) -> None:
    assert (kept["score"], kept["always"]) == (5, {})
    assert kept["set"] == {"label": "Lines:", "file1": "may.txt", "file2": "count.txt"}
    june = files(tmp_path, "june.txt", "a\nb\nc\n")
    sets = ("--param", "file1=june.txt", "--param", "label=Rows:")
    done = cli("skill", "try", "count-lines", *sets, "--attach", june, "--json")
    assert (done.code, done.json["outcome"], done.json["calls"]) == (0, "done", 0), done.err
    assert done.json["skill"] == {"name": "count-lines", "digest": kept["digest"], "score": 8, "before": 5}
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["name"], row["score"], row["from"], row["problem"]) == ("count-lines", 8, "user", "")
    shown = cli("skill", "show", "count-lines").out
    assert "1. run_python_code" in shown
    assert "count.txt contains 'Lines: 2'" in shown
    assert "Score: 8 of 10 (how often it has worked; runs are offered it from 8 on)" in shown
    assert "Score, of 10: how often it has worked; runs are offered it from 8 on." in cli("skill", "list").out
    assert "Score" not in cli("skill", "list", "--shipped").out, "which shows none"


def test_a_misfit_fails_and_costs(cli: Cli, tmp_path: Path, kept: Any) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "may.txt").write_bytes(b"\xff\xfe\x00")
    done = cli("skill", "try", "count-lines", "--workspace", str(tmp_path / "bad"), "--json")
    assert (done.code, done.json["reason"]) == (4, "mismatch")
    assert done.json["skill"]["score"] == 2
    assert not (tmp_path / "bad" / "count.txt").exists()


def test_what_a_person_takes_back_counts_no_more(cli: Cli, tmp_path: Path, kept: Any) -> None:
    june = files(tmp_path, "june.txt", "a\nb\nc\n")
    tried = cli("skill", "try", "count-lines", "--param", "file1=june.txt", "--attach", june, "--json")
    assert tried.json["skill"]["score"] == 8
    first = cli("skill", "show", "count-lines", "--json").json["trials"][0]["run"]
    assert cli("confirm", first, "--no", "it counted the heading").code == 4
    shown = cli("skill", "show", "count-lines", "--json").json
    assert shown["score"] < 5
    assert "a person says no: it counted the heading" in shown["trials"][-1]["why"]
    cli("confirm", first, "--no", "still")
    assert len(cli("skill", "show", "count-lines", "--json").json["trials"]) == 3, "once is enough"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("keep", "last", "--param", "a b=Lines:"), "cannot name a parameter"),
        (("keep", "last", "--param", "model_config=Lines:"), "no name of pydantic's"),
        (("keep", "last", "--param", "a=Lines:", "--param", "b=Lines:"), "gives 'Lines:' two names"),
        (("keep", "last", "--description", "caf\udcff"), "not valid UTF-8"),
        (("keep", "last", "--uncheck", "0"), "There is no check 0"),
        (("keep", "last", "--drop", "0"), "There is no step 0"),
        (("keep", "last", "--drop", "1", "--drop", "2"), "A skill needs a step"),
        (("keep", "last", "--uncheck", "1"), "A skill needs a check"),
        (("try", "count-lines", "--param", "label=a", "--param", "label=b"), "label has two values"),
        (("try", "count-lines", "--param", "label=\udcff"), "not valid UTF-8"),
        (("edit", "count-lines"), "Say what to change"),
    ],
)
def test_what_cannot_be_meant_is_refused(cli: Cli, kept: Any, arguments: tuple[str, ...], said: str) -> None:
    refused = cli("skill", *arguments)
    assert refused.code == 2
    assert said in " ".join(refused.err.split())
    assert len(cli("skill", "list", "--json").json["skills"]) == 1


def test_an_edited_one_is_another(cli: Cli, kept: Any) -> None:
    edited = cli("skill", "edit", "count-lines", "--name", "lines", "--param", "file1=source", "--json").json
    assert edited["digest"] != kept["digest"]
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["name"], row["score"], row["parameters"]) == ("lines", 2, ["label", "source", "file2"])
    assert cli("skill", "edit", "lines", "--param", "source=Not a name", "--json").code == 2
    assert cli("skill", "show", "lines", "--json").json["digest"] == edited["digest"]


def test_sent_and_received_without_its_score(cli: Cli, tmp_path: Path, kept: Any) -> None:
    assert cli("skill", "export", "count-lines", "a.zip").code == 0
    assert cli("skill", "remove", "count-lines", "--yes").code == 0
    for elsewhere in ("config", "data/skill-trials"):
        shutil.rmtree(tmp_path / elsewhere)
    asked = cli("skill", "import", "a.zip")
    assert asked.code == 2
    assert "From run " in asked.out, "it was done here"
    assert "There is nobody to ask" in asked.err
    assert "run_python_code" in asked.out
    assert "Files: SKILL.md, skill.json" in asked.out
    assert cli("skill", "list", "--json").json["skills"] == []
    taken = cli("skill", "import", "a.zip", "--yes", "--json").json
    assert taken["digest"] == kept["digest"]
    assert cli("skill", "list", "--json").json["skills"][0]["score"] == 2


def test_a_folder_of_any_name_is_received_and_may_be_renamed(cli: Cli, tmp_path: Path, kept: Any) -> None:
    assert cli("skill", "export", "count-lines", "Sent to you").code == 0
    method = tmp_path / "Sent to you" / "skill.json"
    own = method.read_text()
    method.write_text(own.replace("then write", "and write"))
    assert "From a run that is not here" in cli("skill", "import", "Sent to you").out, "that run did something else"
    method.write_text(own)
    there = cli("skill", "import", "Sent to you", "--yes")
    assert (there.code, "another --name" in there.err) == (2, True)
    renamed = cli("skill", "import", "Sent to you", "--name", "rows", "--yes", "--json").json
    assert (renamed["name"], Path(renamed["folder"]).name) == ("rows", "rows")
    assert cli("skill", "import", "Sent to you", "--name", "Two words", "--yes").code == 2
    assert cli("skill", "remove", "count-lines", "--yes").code == 0
    assert cli("skill", "import", "Sent to you", "--yes", "--json").json["digest"] == kept["digest"]
    rows = cli("skill", "list", "--json").json["skills"]
    assert [(row["name"], row["problem"]) for row in rows] == [("count-lines", ""), ("rows", "")]


def test_one_of_a_project_is_asked_about_as_it_is_now(cli: Cli, tmp_path: Path, kept: Any) -> None:
    """It came with what was cloned, and stands before one of the user's own of the same name."""
    assert "need not be allowed" in cli("skill", "allow", "count-lines").out
    place = tmp_path / ".deskcrew" / "skills" / "count-lines"
    shutil.copytree(kept["folder"], place)
    text = (place / "skill.json").read_text()
    (place / "skill.json").write_text(text.replace("print(len", "print(1 + len"))
    may = files(tmp_path, "may.txt", "a\n")
    tried = cli("skill", "try", "count-lines", "--attach", may, "--json")
    assert tried.json["skill"]["digest"] == kept["digest"], "the user's own"
    assert "nobody has allowed it yet: yours is used" in tried.err
    rows = cli("skill", "list", "--json").json["skills"]
    assert [(row["from"], row["allowed"], row["problem"] == "") for row in rows] == [
        ("project", False, False),
        ("user", True, True),
    ]
    own = Path(kept["folder"])
    own.rename(tmp_path / "aside")
    alone = cli("skill", "try", "count-lines", "--attach", may)
    assert (alone.code, "nobody has allowed it yet" in alone.err) == (2, True)
    (tmp_path / "aside").rename(own)
    assert cli("skill", "allow", "count-lines").code == 0
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["from"], row["score"], row["problem"]) == ("project", 2, "")
    (place / "more.txt").write_text("x")
    assert "Changed since you allowed it" in cli("skill", "list", "--json").json["skills"][0]["problem"]
    assert cli("skill", "revoke", "count-lines").code == 0


@pytest.mark.parametrize(
    ("task", "name"),
    [
        ("Count the lines of may.txt, then write", "count-the-lines-of-may"),
        ("3 Äpfel zählen!", "skill-3-apfel-zahlen"),
        ("数える", "skill"),
    ],
)
def test_a_name_is_made_from_the_task(task: str, name: str) -> None:
    assert named_after(task) == name

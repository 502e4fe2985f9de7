"""`deskcrew skill show`, `allow`, `import`, `list` and `edit`: what a person is shown of a skill before it is used, and told
of one that cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.engine.workshop.keeping import skill_files
from deskcrew.learning.skills.folders import read, write
from workshop.test_showing import CODE, PROBE, method, step

EVIL = CODE.replace("print(7)", "print(7)\x1b[2K\r")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    return tmp_path


def made(place: Path, name: str = "say-hello", code: str = EVIL, **more: Any) -> Path:
    write(place / name, skill_files(name, "Writes a word.", method(step(code=code, **more), program=PROBE)))
    return place / name


def whole(text: str) -> bool:
    """Whether all code of the step and the probe is in it, and no control character."""
    lines = {line.strip() for line in text.splitlines()}
    code = [line.replace("\x1b[2K\r", r"\x1b[2K\r").strip() for line in (*EVIL.split("\n"), *PROBE.split("\n"))]
    return lines >= set(code) and text.replace("\n", "").isprintable()


def test_all_code_is_shown_before_a_skill_is_used(cli: Cli, here: Path) -> None:
    folder = made(here / ".deskcrew" / "skills")
    digest = read(folder, "project").digest
    assert whole(cli("skill", "show", "say-hello", "--code").out)
    short = cli("skill", "show", "say-hello").out
    assert "Its programs: deskcrew skill show say-hello --code" in short
    assert PROBE.split("\n")[0] not in short
    shown = cli("skill", "show", "say-hello", "--json").json
    assert whole("\n".join((*shown["steps"], shown["probe"])))
    asked = cli("skill", "import", str(folder))
    assert (asked.code, "There is nobody to ask" in asked.err) == (2, True)
    assert whole(asked.out)
    allowed = cli("skill", "allow", "say-hello")
    assert whole(allowed.out)
    assert "Allowed say-hello. If you do not want that: deskcrew skill revoke say-hello" in allowed.out
    assert read(folder, "project").digest == digest
    assert cli("skill", "export", "say-hello", "sent").code == 0
    assert whole((here / "sent" / "SKILL.md").read_text())


def test_whoever_has_none_is_told_how_many_ship(cli: Cli, here: Path) -> None:
    ships = len(cli("skill", "list", "--shipped", "--json").json["skills"])
    said = cli("skill", "list").out
    assert f"{ships} ship with Deskcrew" in said
    assert "merge-pdfs" in said


def test_one_that_changed_since_it_was_allowed_says_so(cli: Cli, here: Path) -> None:
    folder = made(here / ".deskcrew" / "skills")
    assert "Not allowed yet: " in cli("skill", "list", "--json").json["skills"][0]["problem"]
    assert cli("skill", "allow", "say-hello", "--json").json["changed"] is False
    (folder / "more.txt").write_text("x")
    (row,) = cli("skill", "list", "--json").json["skills"]
    assert (row["problem"].partition(":")[0], row["score"]) == ("Changed since you allowed it", None)
    assert "it has changed since you allowed it" in cli("skill", "try", "say-hello").err
    assert "Allowed say-hello, which has changed since you allowed it." in cli("skill", "allow", "say-hello").out
    assert cli("skill", "list", "--json").json["skills"][0]["problem"] == ""


def test_what_is_damaged_is_listed_with_what_to_do_and_can_be_removed(cli: Cli, here: Path) -> None:
    own = here / "config" / "skills"
    (made(own, "no-about") / "SKILL.md").unlink()
    (made(own, "spoilt") / "skill.json").write_text("{}")
    (made(own, "linked") / "more").symlink_to("/etc/hostname")
    rows = {row["name"]: row for row in cli("skill", "list", "--json").json["skills"]}
    assert {name: row["score"] for name, row in rows.items()} == {"linked": None, "no-about": None, "spoilt": None}
    assert "has no SKILL.md" in rows["no-about"]["problem"]
    assert rows["no-about"]["problem"].endswith("Restore it, or remove it: deskcrew skill remove no-about")
    shown = cli("skill", "show", "spoilt")
    assert (shown.code, "remove it: deskcrew skill remove spoilt" in " ".join(shown.err.split())) == (2, True)
    for name in rows:
        assert cli("skill", "remove", name, "--yes").code == 0
    assert list(own.iterdir()) == []


def test_what_no_action_does_is_not_taken(cli: Cli, here: Path) -> None:
    sent = made(here / "sent")
    text = (sent / "skill.json").read_text()
    (sent / "skill.json").write_text(text.replace('"run_python_code"', '"run_rocket"'))
    refused = cli("skill", "import", str(sent), "--yes")
    assert (refused.code, "needs an action 'run_rocket', which does not exist here" in refused.err) == (2, True)
    shutil.copytree(sent, here / ".deskcrew" / "skills" / "say-hello")
    assert cli("skill", "allow", "say-hello").code == 2
    assert not (here / "config" / "skills").exists()


def test_an_import_names_what_was_given(cli: Cli, here: Path) -> None:
    sent = made(here / "sent").rename(here / "downloaded")
    asked = cli("skill", "import", "downloaded").out
    assert "To import: downloaded\n" in asked
    assert "Folder:" not in asked
    (sent / "skill.json").unlink()
    shutil.make_archive("a", "zip", here, "downloaded")
    assert "a.zip has no skill.json" in cli("skill", "import", "a.zip", "--yes").err
    address = "https://example.org/x.zip"
    refused = cli("skill", "import", address)
    assert (refused.code, f"{address} is an address, not a file." in refused.err) == (2, True)


def test_no_skill_has_the_name_of_an_action(cli: Cli, here: Path) -> None:
    """A run could not be offered it."""
    made(here / "config" / "skills")
    sent = str(made(here / "sent", "read-file"))
    for arguments in (("import", sent, "--yes"), ("edit", "say-hello", "--name", "read-file")):
        refused = cli("skill", *arguments)
        assert (refused.code, "read_file is an action" in refused.err) == (2, True), arguments
    assert [row["name"] for row in cli("skill", "list", "--json").json["skills"]] == ["say-hello"]
    assert cli("skill", "import", sent, "--name", "other", "--yes").code == 0


@pytest.mark.parametrize(
    ("param", "said"),
    [
        ("label=person", "Two parameters would be called 'person'"),
        ("label=function", "'function' cannot name a parameter. Hint: Begin with a lower-case letter"),
        ("label=__class__", "'__class__' cannot name a parameter. Hint: Begin with a lower-case letter"),
    ],
)
def test_a_parameter_is_renamed_to_what_it_can_be(cli: Cli, here: Path, param: str, said: str) -> None:
    folder = made(here / "config" / "skills", code="print('Ann', 'Total')")
    data = json.loads((folder / "skill.json").read_text())
    given = [{"name": name, "kind": "text", "value": value} for name, value in (("person", "Ann"), ("label", "Total"))]
    (folder / "skill.json").write_text(json.dumps(data | {"parameters": given}))
    before = read(folder, "user").digest
    refused = cli("skill", "edit", "say-hello", "--param", param)
    assert (refused.code, said in " ".join(refused.err.split())) == (2, True), refused.err
    assert "skill.json" not in refused.err
    assert read(folder, "user").digest == before
    told = cli("skill", "edit", "say-hello", "--param", "label=word").out
    assert "with a score of 2. It is offered from 8 on, once it has worked on two inputs" in told

"""Skills as folders: read, refused with a reason, packed and unpacked."""

from __future__ import annotations

import io
import json
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.events import GoalSet, Operation
from deskcrew.facts.verdict import Check
from deskcrew.learning.skills.folders import MOST_BYTES, files_of, find, load, packed, read, remove, unpacked, write
from deskcrew.learning.skills.skill import MOST_STEPS, Method, Parameter, Provenance, SkillStep
from deskcrew.learning.skills.trials import Trial, Trials, score
from support.waiting import LATEST

METHOD = Method(
    parameters=(Parameter(name="text1", kind="text", value="hello"),),
    steps=(SkillStep(operation=Operation(function="write_file", params={"file_path": "a.txt", "text": "hello"})),),
    goal=GoalSet(checks=(Check(kind="file_contains", target="a.txt", text="hello"),)),
    provenance=Provenance(run="0101-000000-aaaa", task='Write "hello" into a.txt.'),
)


def made(folder: Path, name: str = "say-hello") -> Path:
    write(folder / name, files_of(name, "Writes a word into a file.", METHOD, "Words."))
    return folder / name


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    skill = load(read(made(tmp_path), "user"))
    assert (skill.name, skill.description, skill.method) == ("say-hello", "Writes a word into a file.", METHOD)
    assert not list(tmp_path.glob(".*"))


def test_another_byte_is_another_skill_and_of_a_project_asked_about(tmp_path: Path) -> None:
    folder = made(tmp_path)
    first = read(folder, "project")
    assert not first.trusted(())
    assert first.trusted({first.digest})
    (folder / "notes.txt").write_text("x")
    assert not read(folder, "project").trusted({first.digest})


def test_the_project_comes_first(tmp_path: Path) -> None:
    for place, name in (("project", "say-hello"), ("user", "say-hello"), ("user", "other")):
        made(tmp_path / place, name)
    found = list(find(tmp_path / "project", tmp_path / "user"))
    assert [(origin, path.name) for origin, path in found] == [
        ("project", "say-hello"),
        ("user", "other"),
        ("user", "say-hello"),
    ]


CONSENT = {"requirements": [{"id": "1", "says": "it is gone"}], "consents": [{"kind": "remove", "where": "*"}]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"steps": []}, "steps"),
        ({"steps": [METHOD.steps[0].model_dump(mode="json")] * (MOST_STEPS + 1)}, "it must contain at most 200"),
        ({"goal": {"type": "goal_set"}}, "it does not say what must hold"),
        ({"parameters": [{"name": "text1", "kind": "text", "value": v} for v in "ab"]}, "two parameters have the name"),
        ({"more": 1}, "more: this name is unknown"),
        ({"format": 2}, "format: it must be 1"),
        ({"parameters": [{"name": "A b", "kind": "text", "value": "x"}]}, "parameters.1.name: 'A b' cannot name"),
        ({"program": 3}, "program: it must be a text"),
        ({"goal": {"type": "goal_set", "contract": CONSENT}}, "only a person's own task can order"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    folder = made(tmp_path)
    data = json.loads((folder / "skill.json").read_text())
    (folder / "skill.json").write_text(json.dumps(data | change))
    with pytest.raises(ConfigError, match=told) as error:
        load(read(folder, "user"))
    assert "skill.json" in str(error.value)


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        ("integer", "x", "it is 'x', not a whole number"),
        ("integer", "1.5", "it is '1.5', not a whole number"),
        ("number", "much", "it is 'much', not a number"),
        ("number", "nan", "it is 'nan', not a number"),
        ("json", "{", "it is '{', which cannot be read as JSON"),
        ("truth", "perhaps", "it is 'perhaps', neither true nor false"),
    ],
)
def test_what_a_value_cannot_be_is_said_in_words(kind: Any, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Parameter(name="it", kind=kind, value="1").read(text)


def test_a_name_is_that_of_the_folder(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with pytest.raises(ConfigError, match="it is called 'say-hello', and its folder 'other'"):
        load(read(folder.rename(tmp_path / "other"), "user"))


def test_links_are_refused(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (folder / "scripts").symlink_to("/etc")
    with pytest.raises(ConfigError, match="scripts is not a file"):
        read(folder, "user")


def test_a_zip_is_the_folder_again(tmp_path: Path) -> None:
    source = read(made(tmp_path), "user")
    (tmp_path / "a.zip").write_bytes(packed(source))
    again = unpacked(tmp_path / "a.zip")
    assert (again.digest, again.origin, again.name) == (source.digest, "project", "say-hello")
    assert packed(again) == packed(source)


@pytest.mark.parametrize("names", [["../a/SKILL.md"], ["/a/SKILL.md"], ["SKILL.md"], ["a/SKILL.md", "b/SKILL.md"], []])
def test_a_zip_leads_nowhere_else(tmp_path: Path, names: list[str]) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    (tmp_path / "a.zip").write_bytes(out.getvalue())
    with pytest.raises(ConfigError):
        unpacked(tmp_path / "a.zip")


def test_a_zip_is_no_way_to_more_than_a_folder_may_hold(tmp_path: Path) -> None:
    """What unpacks to more than it says, or cannot be unpacked, and what is no file."""
    plain, path = packed(read(made(tmp_path), "user")), tmp_path / "a.zip"
    link = zipfile.ZipInfo("say-hello/SKILL.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ConfigError, match=r"say-hello/SKILL\.md is not a file"):
        unpacked(path)
    for packing in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(path, "w", packing) as archive:
            archive.writestr("say-hello/SKILL.md", "x")
        with pytest.raises(ConfigError, match="is not a file"):
            unpacked(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("say-hello/SKILL.md", b"\0" * (MOST_BYTES + 1))
    with pytest.raises(ConfigError, match="too large"):
        unpacked(path)
    path.write_bytes(path.read_bytes().replace((MOST_BYTES + 1).to_bytes(4, "little"), (9).to_bytes(4, "little")))
    with pytest.raises(ConfigError, match="cannot be read"):
        unpacked(path)
    spoilt = bytearray(plain)
    spoilt[60:70] = b"\xff" * 10
    path.write_bytes(bytes(spoilt))
    with pytest.raises(ConfigError, match=r"sent\.zip cannot be read"):
        unpacked(path, "sent.zip")


def test_nothing_is_written_over_or_left_behind(tmp_path: Path) -> None:
    folder = made(tmp_path)
    with pytest.raises(UsageError, match="There is a skill 'say-hello' already"):
        made(tmp_path)
    remove(folder)
    assert list(tmp_path.iterdir()) == []


def trial(input: str, *, done: bool = True) -> Trial:
    return Trial(run="r", input=input, done=done)


@pytest.mark.parametrize(
    ("trials", "points"),
    [
        ([], 2),
        ([trial("a")], 5),
        ([trial("a"), trial("a")], 5),
        ([trial("a"), trial("b")], 8),
        ([trial("a"), trial("b"), trial("c")], 10),
        ([trial("a"), trial("b"), trial("c", done=False)], 5),
        ([trial("a", done=False)] * 3, 0),
    ],
)
def test_eight_is_two_inputs(trials: list[Trial], points: int) -> None:
    assert score(trials) == points


def test_half_a_line_spoils_no_other(tmp_path: Path) -> None:
    trials = Trials(tmp_path)
    trials.add("d", trial("a"))
    with (tmp_path / "skill-trials" / "d.jsonl").open("a") as file:
        file.write('{"run": "r", "inp')
    trials.add("d", trial("b"))
    assert [each.input for each in trials.of("d")] == ["a", "b"]


KILLED = """
import os, signal, sys
from pathlib import Path
from deskcrew.learning.skills.folders import find, read, remove, write

place, at, do = Path(sys.argv[1]), 0, sys.argv[2]
old, new = ({"SKILL.md": text, "skill.json": text, "scripts/a.py": text} for text in (b"old", b"new"))
whole = {"replace": (old, new), "write": (None, new), "remove": (old, None)}[do]
while True:
    folder = place / str(at) / "a-skill"
    if do != "write":
        write(folder, old)
    child = os.fork()
    if not child:
        left = at
        def changed(name, arguments):
            global left
            if name.split(".")[0] in ("os", "open", "shutil", "tempfile", "ctypes"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(changed)
        remove(folder) if do == "remove" else write(folder, new, replace=True)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    there = [dict(read(folder, origin).files) for origin, folder in find(place / "none", folder.parent)]
    assert there in ([each] if each else [] for each in whole), (at, there)
    if not status:
        break
    at += 1
print(at)
"""


@pytest.mark.fault
@pytest.mark.parametrize("do", ["write", "replace", "remove"])
@pytest.mark.deep
def test_killed_at_any_moment_it_is_the_old_or_the_new_one_whole(tmp_path: Path, do: str) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, tmp_path, do], capture_output=True, text=True, timeout=LATEST)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 5


def test_a_folder_that_holds_no_skill_is_in_the_way_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "say-hello").mkdir()
    with pytest.raises(UsageError, match="contains no skill") as told:
        made(tmp_path)
    assert "Move it away" in told.value.hint

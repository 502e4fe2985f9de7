"""A text as a shell reads it, compared with what Bash itself does where that can be seen."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskcrew.actions import shell

COMMANDS: tuple[tuple[str, list[tuple[str, ...]]], ...] = (
    ("rm 'a b' c\\ d \"e$x\"", [("rm", "a b", "c d", "e$x")]),
    ("echo 'a; rm b' # rm c", [("echo", "a; rm b")]),
    ("a=1 b $(c `d`) >e; f&&g|h &", [("b", "$(c `d`)"), ("c", "`d`"), ("d",), ("f",), ("g",), ("h",)]),
    ("rm\\\n x", [("rm", "x")]),
    ("if a; then b; else c; fi; f() { d; }", [("a",), ("b",), ("c",), ("d",)]),
    ("cat <<E | b\nrm $(c)\nE", [("cat",), ("b",), ("c",)]),
    ("sh <<E\nrm x\nE", [("sh",), ("rm", "x")]),
    ("env bash -ec 'sh -c \"rm x\"'", [("env", "bash", "-ec", 'sh -c "rm x"'), ("sh", "-c", "rm x"), ("rm", "x")]),
    ("export X=$(rm a)", [("export",), ("rm", "a")]),
)


@pytest.mark.parametrize(("text", "commands"), COMMANDS)
def test_the_commands_of_a_text(text: str, commands: list[tuple[str, ...]]) -> None:
    line = shell.read(text)
    assert line.understood
    assert [each.words for each in line.commands if each.words] == commands


@pytest.mark.parametrize("text", ["it's rm x", "(rm x", "echo \"rm x; ) 'rm x"])
def test_each_word_may_be_a_command_of_what_is_no_sentence(text: str) -> None:
    line = shell.read(text)
    assert not line.understood
    assert ("rm", "x") in [each.words[:2] for each in line.commands]


@pytest.mark.parametrize(
    ("command", "cuts"),
    [
        (": > a", True),
        (": >| a", True),
        (": &> a", True),
        (": >& a", True),
        ("{ :; } > a", True),
        ("cat <<E >a\nx\nE", True),
        (": >> a", False),
        (": &>> a", False),
        (": < a", False),
        (": 2>&1", False),
    ],
)
def test_what_is_overwritten(tmp_path: Path, command: str, cuts: bool) -> None:
    (tmp_path / "a").write_text("before")
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    assert ("before" not in (tmp_path / "a").read_text()) is cuts
    gone = [each.target for one in shell.read(command).commands for each in one.redirections if each.cuts]
    assert gone == (["a"] if cuts else [])


@given(st.text(alphabet=st.sampled_from("ab $'\"`\\;|&(){}<>\n#=-é\ud800"), max_size=60))
def test_any_text_is_read_and_its_pieces_are_the_whole(text: str) -> None:
    assert all(isinstance(word, str) for word in shell.read(text).words)
    assert "".join(each.text for each in shell.pieces(text)) == text

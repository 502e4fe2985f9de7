"""The chores of ``bench strong``: their checks tell right ends from wrong ones, and kept replies are given again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deskcrew_bench.desk.strong import LANGUAGES
from deskcrew_bench.desk.task import tasks_of
from support.sampling import sampled

SUITE = Path(__file__).parents[2] / "bench" / "strong"
CHORES = [task.folder.name for task in tasks_of(SUITE, language="en")]
WRONG = [
    (chore, end)
    for chore in CHORES
    for end in re.findall(r"^def (\w+)\(\):", (SUITE / chore / "wrong.py").read_text(encoding="utf-8"), re.MULTILINE)
    if end != "rows"
]
"""The functions that leave a wrong end; the other one only helps them."""
MAKE_WRONG = "import sys; sys.path.insert(0, sys.argv[1]); import wrong; print(getattr(wrong, sys.argv[2])() or '')"


def python(cwd: Path, *words: str | Path, **told: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", *map(str, words)], cwd=cwd, env=os.environ | {"DESKCREW_SEED": "1"} | told,
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("chore", "language"), sampled([(chore, language) for chore in CHORES for language in LANGUAGES], 2)
)
def test_a_right_end_is_right(tmp_path: Path, chore: str, language: str) -> None:
    (task,) = tasks_of(SUITE, [chore], language)
    assert task.make(1, tmp_path).instruction
    answer = python(tmp_path, task.folder / "right.py", tmp_path, language)
    assert task.check(1, tmp_path, answer=answer, outcome="done", reason="", expected="") == (True, "")


@pytest.mark.first_case
@pytest.mark.parametrize(("chore", "end"), sampled(WRONG, 2))
def test_a_wrong_end_is_wrong(tmp_path: Path, chore: str, end: str) -> None:
    (task,) = tasks_of(SUITE, [chore], "en")
    task.make(1, tmp_path)
    answer = python(tmp_path, "-c", MAKE_WRONG, task.folder, end)
    right, said = task.check(1, tmp_path, answer=answer, outcome="done", reason="", expected="")
    assert not right
    assert "Traceback" not in said

"""Perfect operations, and the same with one thing wrong: what a run says of them, by kept replies of a strong model."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew_bench.proof import measure
from deskcrew_bench.proof.chore import Chore, chores
from deskcrew_bench.proof.mutants import mutants, whole
from support.crew import settings_in
from support.sampling import sampled

CHORES = Path(__file__).parents[2] / "bench/proof/chores"
SOME = ("b06-failed-logins", "b12-library-fines")

CODE = """import csv
total = 0
for row in csv.DictReader(open("a.csv")):
    if row["paid"] == "no":
        total += 3 * int(row["fee"])
print(total)
"""


def test_mutants_are_wrong_in_one_thing_and_no_two_are_the_same() -> None:
    found = dict(mutants(CODE))
    whats = " ".join(found)
    for what in ("without `print(total)`", "4 for 3", "another comparison", "'zo' for 'no'", "another operator"):
        assert what in whats
    assert len(set(found.values())) == len(found)
    assert CODE not in found.values()
    for code in found.values():
        compile(code, "mutant", "exec")


def test_what_may_go_wrong_besides_changes_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: dict[str, dict[str, str]] = {}
    for what, code in whole("with open('sum.txt', 'a') as f: f.write('3')"):
        for path in tmp_path.iterdir():
            path.unlink()
        for name in ("a.txt", "b.txt", "c.txt"):
            (tmp_path / name).write_text("abcd")
        exec(compile(code, "mutant", "exec"), {})
        there = {path.name: path.read_text() for path in tmp_path.iterdir()}
        right = {"a.txt": "abcd", "b.txt": "abcd", "c.txt": "abcd", "sum.txt": "3"}
        said[what] = {name: text for name, text in there.items() if right.get(name) != text}
        said[what] |= {name: "gone" for name in right if name not in there}
    assert said == {
        "done twice": {"sum.txt": "33"},
        "another file with a line more": {"c.txt": "abcdx\n"},
        "another file with an end cut off": {"a.txt": "ab"},
        "another file is gone": {"b.txt": "gone"},
        "a file is left behind": {"notes.tmp": "draft"},
    }


def test_a_chore_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="There is no chore 'none'"):
        chores(CHORES, ["none"])


@pytest.mark.parametrize("chore", sampled(chores(CHORES), 15), ids=lambda chore: chore.name)
def test_a_check_refuses_what_was_not_done(chore: Chore, tmp_path: Path) -> None:
    start, end = tmp_path / "start", tmp_path / "end"
    for folder in (start, end):
        folder.mkdir()
        chore.set_up(folder)
    assert chore.wrong(start, end, "")


@pytest.mark.anyio
@pytest.mark.parametrize("name", sampled(SOME, 1))
async def test_perfect_operations_end_done_and_wrong_ones_do_not(name: str, tmp_path: Path) -> None:
    (chore,) = chores(CHORES, [name])
    settings = settings_in(tmp_path)
    right = await measure.attempt(chore, settings)
    assert right.kind == "done and right", right
    assert right.asked == (), "all that is asked was kept"
    for what, code in measure.wrong_ones(chore, 2):
        wrong = await measure.attempt(chore, settings, code=code, mutant=what)
        assert wrong.kind != "done and wrong", wrong


@pytest.mark.deep
@pytest.mark.anyio
@pytest.mark.parametrize("chore", chores(CHORES), ids=lambda chore: chore.name)
async def test_perfect_operations_of_all_chores_end_done(chore: Chore, tmp_path: Path) -> None:
    trial = await measure.attempt(chore, settings_in(tmp_path))
    assert trial.kind == "done and right", trial

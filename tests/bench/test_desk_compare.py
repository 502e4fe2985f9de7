"""Series over the desk suite against each other: by pairs, with an interval over tasks, and what that shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.bench.test_desk import trial

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew_bench.desk.suite import Trial
from deskcrew_bench.series import keep
from deskcrew_bench.suites.compare import compare, series_in


def kept(path: Path, trials: Sequence[Trial]) -> Path:
    for each in trials:
        keep(path, each)
    return path


def test_a_difference_is_a_mean_over_tasks_of_pairs() -> None:
    first = [trial("a", 1, right=False), trial("a", 2), trial("b", 1, calls=6), trial("gone", 1)]
    other = [trial("b", 1, calls=2), trial("a", 2), trial("a", 1, calls=2), trial("new", 1)]
    made = compare(("A", first), ("B", other))
    by = {each.what: each for each in made.differences}
    assert (made.tasks, made.pairs, made.alone) == (2, 3, 2)
    success, calls = by["success"], by["calls"]
    # Of a: half before, all after; of b: both all. Of calls: 4 and 3, 6 and 2.
    assert (success.first, success.other, success.difference) == (0.75, 1.0, 0.25)
    assert (calls.first, calls.other, calls.difference) == (5.0, 2.5, -2.5)
    # Of two tasks a quarter of the samples is the one twice, a quarter the other.
    assert (success.low, success.high) == (0.0, 0.5)
    assert (calls.low, calls.high) == (-4.0, -1.0)
    assert (success.shown, calls.shown) == (False, True)


def test_one_task_has_no_interval_and_what_no_model_tells_no_row() -> None:
    made = compare(("A", [trial(input=None)]), ("B", [trial(right=False)]))
    assert [each.what for each in made.differences] == ["success", "done, wrong", "unverified", "calls", "seconds"]
    assert all((each.low, each.high, each.shown) == (None, None, False) for each in made.differences)
    with pytest.raises(UsageError, match="A and B have no task with the same seed in common"):
        compare(("A", [trial("a")]), ("B", [trial("a", 2)]))


def test_a_file_with_several_crews_holds_several_series(tmp_path: Path) -> None:
    both = kept(tmp_path / "both.jsonl", [trial(), trial(crew="solo"), trial(pool=False), trial(calls=9)])
    alone = kept(tmp_path / "one.jsonl", [trial()])
    series = series_in([both, alone])
    assert list(series) == ["both: c, m", "both: solo, m", "both: c, no pool, m", "one"]
    assert [each.calls for each in series["both: c, m"]] == [9], "what was done again counts"
    with pytest.raises(UsageError, match="one series only"):
        series_in([alone])
    with pytest.raises(UsageError, match=r"no file .*none\.jsonl"):
        series_in([alone, tmp_path / "none.jsonl"])
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(UsageError, match=r"no trials in .*none\.jsonl"):
        series_in([alone, tmp_path / "none.jsonl"])


def test_the_command_says_whether_a_difference_is_shown(cli: Cli, tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    slow = kept(tmp_path / "slow.jsonl", [trial(name, seconds=9.0 + at) for at, name in enumerate(names)])
    fast = kept(tmp_path / "fast.jsonl", [trial(name, right=name != "d") for name in names])
    ended = cli("bench", "compare", str(slow), str(fast))
    rows = {line.split("  ")[0].strip(): line for line in ended.out.splitlines()}
    assert ended.code == 0
    assert "4 pairs of 4 tasks" in ended.out
    assert rows["seconds"].rstrip().endswith("differs")
    assert "includes 0: no difference is shown" in rows["success"]
    assert "-25 %" in rows["success"]

    page = tmp_path / "page.html"
    many = cli("bench", "compare", str(slow), str(fast), str(slow), "--html", str(page), "--json")
    assert many.code == 0
    made = many.json["comparisons"]
    shown = {each["what"]: each["shown"] for each in made[0]["differences"]}
    assert (shown["seconds"], shown["success"], len(made)) == (True, False, 1), "a file named twice is one series"
    assert page.read_text().count("<h2>") == 2

    third = kept(tmp_path / "third.jsonl", [trial(name, calls=5) for name in names])
    table = cli("bench", "compare", str(slow), str(fast), str(third)).out
    row = next(line for line in table.splitlines() if line.strip().startswith("third  "))
    assert "5.0 (+1.0*)" in row
    assert "100 % (+0 %)" in row

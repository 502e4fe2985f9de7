"""Systems side by side: each one's figures, and its success against the first one's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.bench.test_desk import trial

from cli.conftest import Cli
from deskcrew_bench.series import keep
from deskcrew_bench.suites.systems import ratio, standings

NAMES = ("a", "b", "c", "d")


def test_figures_are_means_over_tasks() -> None:
    ours = [trial("a", 1, calls=2), trial("a", 2, calls=4), trial("b", 1, calls=9, right=False, reason="bound:seconds")]
    first, other = standings({"ours": ours, "theirs": [trial("a", 1, input=None, reason="crashed", right=False)]})
    assert (first.tasks, first.trials, first.calls, first.success.share, first.ratio) == (2, 3, 6.0, 0.5, None)
    assert (first.timed_out, first.crashed, other.timed_out, other.crashed) == (1, 0, 0, 1)
    assert other.input is None, "what one reply does not tell is not known of all"
    assert other.ratio is not None
    assert (other.ratio.pairs, other.ratio.figure, other.ratio.low) == (1, 0.0, None)


def test_a_ratio_keeps_pairs_together() -> None:
    first = [trial(name) for name in NAMES]
    half = [trial(name, right=name in "ab") for name in NAMES]
    made = ratio(first, half)
    # The number of a and b among four drawn: 0 in 1/16 of the samples, and 4 in as many.
    assert (made.figure, made.low, made.high) == (0.5, 0.0, 1.0)
    same = ratio(half, half)
    assert (same.figure, same.low) == (1.0, 1.0), "what differs by task only does not differ"
    assert same.high is None, "in one sample of sixteen there is nothing to divide by"
    assert ratio(first, [trial("a"), trial("z")]).pairs == 1


@pytest.mark.parametrize("others", [[], ["a"]])
def test_against_nothing_there_is_no_ratio(others: list[str]) -> None:
    none = [trial(name, right=False) for name in NAMES]
    made = ratio(none, [trial(name, right=name in others) for name in NAMES])
    assert (made.figure, made.low, made.high) == (None, None, None)


def test_the_command_prints_a_row_a_system(cli: Cli, tmp_path: Path) -> None:
    series = {
        "ours": [trial(name) for name in NAMES],
        "theirs": [trial(name, right=name == "a", calls=8) for name in NAMES[:3]],
    }
    files: list[str] = []
    for name, trials in series.items():
        files.append(str(tmp_path / f"{name}.jsonl"))
        for each in trials:
            keep(Path(files[-1]), each)
    ended = cli("bench", "compare", "--systems", *files, "--json")
    assert ended.code == 0, ended.err
    first, other = ended.json["systems"]
    assert (ended.json["first"], first["ratio"], other["calls"]) == ("ours", None, 8.0)
    assert other["ratio"]["figure"] == pytest.approx(1 / 3)
    assert (other["ratio"]["pairs"], other["ratio"]["low"], other["ratio"]["high"]) == (3, 0.0, 1.0)
    assert "success / ours's" in ended.err
    assert "0.33 (0.00 to 1.00)" in ended.err
    assert "theirs: 1 trials of it or of ours have no counterpart" in ended.err


def test_series_that_do_not_belong_together_are_refused(cli: Cli, tmp_path: Path) -> None:
    files = [tmp_path / "ours.jsonl", tmp_path / "others.jsonl"]
    keep(files[0], trial("a", 1))
    keep(files[1], trial("a", 2))
    ended = cli("bench", "compare", "--systems", *map(str, files))
    assert (ended.code, "ours and others have no task with the same seed in common" in ended.err) == (2, True)
    missing = cli("bench", "compare", "--systems", str(files[0]), str(tmp_path / "nowhere.jsonl"))
    assert (missing.code, "There is no file" in missing.err) == (2, True)

"""The demo's series: seeds, what is kept between two calls, totals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew_bench import demo, series
from deskcrew_bench.demo import Trial


def trial(seed: int, **changes: object) -> Trial:
    ordinary = Trial(
        seed=seed, run=f"r{seed}", model="local", crew="default", outcome="done", right=True, said="", why="",
        calls=4, prompt_tokens=600, prompt_tokens_max=650, seconds=40.0,
    )  # fmt: skip
    return ordinary.model_copy(update=changes)


@pytest.mark.parametrize(("text", "wanted"), [("3", (3,)), ("1..4", (1, 2, 3, 4)), ("5, 1..2,5", (5, 1, 2)), ("7..7", (7,))])
def test_seeds(text: str, wanted: tuple[int, ...]) -> None:
    assert series.seeds_of(text) == wanted


@pytest.mark.parametrize("text", ["", "a", "4..1", "1..", "1..100000", "0", "-1", "0..3"])
def test_what_is_no_list_of_seeds_is_said(text: str) -> None:
    with pytest.raises(UsageError, match="--seeds"):
        series.seeds_of(text)


def test_trials_are_kept_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "series" / "trials.jsonl"
    for one in (trial(1), trial(2, model="other"), trial(3, outcome="failed")):
        series.keep(path, one)
    found = demo.finished(path, model="local", crew="default")
    assert found == {1: trial(1), 3: trial(3, outcome="failed")}


def test_a_line_cut_off_in_the_middle_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    series.keep(path, trial(1))
    with path.open("a") as file:
        file.write('{"seed": 2, "ru')
    assert set(demo.finished(path, model="local", crew="default")) == {1}


def test_a_file_cut_off_anywhere_loses_no_more_than_its_last_trial(tmp_path: Path) -> None:
    """Also within a character; and the trial that is done again stands on a line of its own."""
    path = tmp_path / "trials.jsonl"
    for number in (1, 2):
        series.keep(path, trial(number, said="“two sheets”\u2028\u0085and more €"))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole) + 1):
        path.write_bytes(whole[:length])
        found = demo.finished(path, model="local", crew="default")
        assert list(found) == ([1, 2] if length >= len(whole) - 1 else [1]), whole[:length][-20:]
        for number in {2, 3} - set(found):
            series.keep(path, trial(number))
        assert list(demo.finished(path, model="local", crew="default")) == [1, 2, 3]
        assert path.read_bytes().count(b"\n") == 3
        assert path.read_bytes().startswith(whole[:first])


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n{"b": 2}\n')
    with pytest.raises(UsageError, match="line 1"):
        demo.finished(path, model="local", crew="default")
    series.keep(path, trial(1))
    path.write_bytes(b"\x89PNG\n" + path.read_bytes())
    with pytest.raises(UsageError, match="line 1"):
        demo.finished(path, model="local", crew="default")


def test_totals_are_medians_and_count_the_good_ones() -> None:
    summed = demo.totals([trial(1), trial(2, seconds=50.0, right=False), trial(3, calls=9, prompt_tokens=None)])
    assert (summed.seeds, summed.good, summed.calls, summed.prompt_tokens, summed.seconds) == (3, 2, 4, 600, 40.0)
    assert (summed.done, summed.wrong) == (3, 1)
    honest = demo.totals([trial(1), trial(2, outcome="unverified"), trial(3, outcome="failed")])
    assert (honest.good, honest.done, honest.wrong) == (2, 1, 0)
    assert json.dumps(demo.as_json([trial(1)]))


@pytest.mark.anyio
async def test_a_seed_is_attempted_and_checked_by_a_program_that_the_crew_does_not_know(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")  # type: ignore[call-arg]
    plan = {"subtasks": [{"goal": "do it", "role": "FileManager"}], "question": "", "files": []}
    stop = {"operations": [], "branch": "Interrupt", "problem": "no idea"}
    model = ScriptedModel([plan, stop])
    done = await demo.attempt(3, settings, model="scripted", crew="default", desktop="none", scripted=model)
    assert (done.seed, done.outcome, done.right, done.calls) == (3, "failed", False, 2)
    assert "is not there" in done.said
    assert not done.good

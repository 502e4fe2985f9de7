"""The demo's series: seeds, what is kept between two calls, totals."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

from deskcrew.errors import UsageError
from deskcrew.models.client import Profile
from deskcrew.models.scripted import ScriptedModel
from deskcrew.settings import Settings
from deskcrew.ways_in.demo import chore
from deskcrew_bench import demo, series
from deskcrew_bench.demo import Trial

FOLDER = Path(__file__).parents[2] / "bench" / "demo"
GIVES_UP: dict[str, object] = {"operations": [], "branch": "Interrupt", "problem": "no idea"}
SAME = {"asked": "what trips come to", "same": True}


def trial(seed: int, **changes: object) -> Trial:
    ordinary = Trial(
        seed=seed, wording="{{ book }}", run=f"r{seed}", model="local", understood=True, outcome="done", right=True, said="",
        why="", calls=2, seconds=40.0,
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
    for one in (trial(1), trial(2, model="other"), trial(3, outcome="failed"), trial(4, always=True)):
        series.keep(path, one)
    found = demo.finished(path, model="local", always=False)
    assert found == {1: trial(1), 3: trial(3, outcome="failed")}


def test_a_line_cut_off_in_the_middle_is_done_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    series.keep(path, trial(1))
    with path.open("a") as file:
        file.write('{"seed": 2, "ru')
    assert set(demo.finished(path, model="local", always=False)) == {1}


def test_a_file_cut_off_anywhere_loses_no_more_than_its_last_trial(tmp_path: Path) -> None:
    """Also within a character; and the trial that is done again stands on a line of its own."""
    path = tmp_path / "trials.jsonl"
    for number in (1, 2):
        series.keep(path, trial(number, said="“two sheets”\u2028\u0085and more €"))
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for length in range(first, len(whole) + 1):
        path.write_bytes(whole[:length])
        found = demo.finished(path, model="local", always=False)
        assert list(found) == ([1, 2] if length >= len(whole) - 1 else [1]), whole[:length][-20:]
        for number in {2, 3} - set(found):
            series.keep(path, trial(number))
        assert list(demo.finished(path, model="local", always=False)) == [1, 2, 3]
        assert path.read_bytes().count(b"\n") == 3
        assert path.read_bytes().startswith(whole[:first])


def test_another_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n{"b": 2}\n')
    with pytest.raises(UsageError, match="line 1"):
        demo.finished(path, model="local", always=False)
    series.keep(path, trial(1))
    path.write_bytes(b"\x89PNG\n" + path.read_bytes())
    with pytest.raises(UsageError, match="line 1"):
        demo.finished(path, model="local", always=False)


def test_totals_count_what_is_done_and_right_and_what_is_done_and_wrong() -> None:
    some = [trial(1), trial(2, seconds=50.0, right=False), trial(3, outcome="failed", right=False, understood=None)]
    summed = demo.totals(some)
    assert (summed.seeds, summed.understood, summed.good, summed.wrong, summed.seconds) == (3, 2, 1, 1, 40.0)


def test_each_wording_can_be_filled_in() -> None:
    for wording in demo.wordings(FOLDER):
        month = chore.later(1)
        asked = month.asked(wording)
        assert all(getattr(month, name) in asked for name in demo.VALUES), wording


def test_the_checker_tells_right_work_from_wrong(tmp_path: Path) -> None:
    month, before, after = chore.RECORDED, tmp_path / "before", tmp_path / "after"
    for folder in (before, after):
        folder.mkdir()
        month.put(folder)
    assert not demo.checked(FOLDER, before, after, month)[0], "nothing was done"
    letter, book = after / month.letter, openpyxl.load_workbook(after / month.book)
    letter.write_text(f"{letter.read_text()}Amount: 89.40 EUR\nClaim number: 3069\n")
    for number, trip in enumerate(month.trips, 2):
        if trip[1] == month.traveller:
            book["Trips"].cell(number, 6, "yes")
    book.save(after / month.book)
    assert demo.checked(FOLDER, before, after, month) == (True, "right")
    letter.write_text(letter.read_text().replace("3069", "3068"))
    assert not demo.checked(FOLDER, before, after, month)[0]


@pytest.mark.anyio
@pytest.mark.desktop
@pytest.mark.deep
@pytest.mark.timeout(600)
async def test_a_later_month_is_done_by_what_the_first_one_taught(tmp_path: Path) -> None:
    """Act 1 by its recorded replies, on a real desktop; act 2 by a small model that is scripted, with a person's yes, with
    their no, and with a yes to what was misunderstood."""
    settings = Settings(data=tmp_path / "data", config=tmp_path / "config")
    apart = await demo.taught(settings)
    month, wording = chore.later(3), demo.wordings(FOLDER)[0]

    async def attempt(other: str = "", *, always: bool = False) -> Trial:
        values = {"traveller": other or month.traveller}  # which file is which is known without it
        small = ScriptedModel([SAME, values, *[GIVES_UP] * 20], profile=Profile(name="small", freely=False))
        return await demo.attempt(3, wording, apart, FOLDER, model="local", loaded=small, always=always)

    right = await attempt()
    assert (right.success, right.understood, right.said) == (True, True, "right"), right
    declined = await attempt("Please settle")
    assert (declined.outcome, declined.understood, declined.right) == ("stopped", False, False), declined
    deceived = await attempt("Please settle", always=True)
    assert not deceived.success
    assert not deceived.false, deceived

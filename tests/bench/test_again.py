"""The bench of chores done again: its families can be made, a skill is kept and used, and a wrong one is not believed."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.learning.skills.trials import OFFERED
from deskcrew_bench.again.family import Family, Variant, families, first
from deskcrew_bench.again.measure import (
    ALONE,
    TAUGHT,
    VARIANTS,
    Attempt,
    Bench,
    Done,
    How,
    Kept,
    attempted,
    finished,
    gained,
    totals,
)
from deskcrew_bench.series import keep
from support.crew import settings_in
from support.sampling import sampled

pytestmark = pytest.mark.anyio

FOLDER = Path(__file__).parents[2] / "bench" / "again"
EVERY = tuple(each.name for each in families(FOLDER))


def family(name: str) -> Family:
    return families(FOLDER, [name])[0]


@pytest.mark.parametrize("name", sampled(EVERY, 5))
def test_variants_differ_and_their_wording_too(name: str, tmp_path: Path) -> None:
    one = family(name)
    seeds = first(one.seeds(tmp_path / "seeds"), 2)
    made: list[Variant] = []
    for number, seed in enumerate(seeds):
        (tmp_path / f"{number}").mkdir()
        made.append(one.make(seed, tmp_path / f"{number}"))
    assert made[0].values != made[1].values
    (tmp_path / "other").mkdir()
    other = one.make(seeds[0], tmp_path / "other", reworded=True)
    assert other.task != made[0].task
    assert all(value in other.task for value in one.parameters(other).values()), "a wording tells all values"
    assert all(value in made[0].task for value in one.parameters(made[0]).values())


def test_a_family_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="There is no family 'dancing'"):
        families(FOLDER, ["dancing"])


def test_a_series_without_comparison_is_not_taken_for_one_with_it(tmp_path: Path) -> None:
    kept = Kept(family="column-total", seeds=(1, 2, 3, 4, 5, 6), score=9)
    done = Done(
        family="column-total", other="", model="local", crew="planned", variants=4, without=False, kept=kept, attempts=()
    )
    keep(path := tmp_path / "trials.jsonl", done)
    like = partial(finished, path, model="local", crew="planned", variants=4)
    assert like(without=False) == {done.key: done}
    assert like() == {}


def test_a_series_with_memory_goes_on_with_its_own(tmp_path: Path) -> None:
    def attempt(how: How, *, model: str = "local", seed: int = 2) -> Attempt:
        return Attempt(
            family="column-total", kind="files", variant=3, how=how, model=model, seed=seed, run="r", right=True, said="",
            outcome="unverified", why="", calls=3, tokens=900, seconds=20.0, offered=False, used=how == "memory",
        )  # fmt: skip

    path, own = tmp_path / "trials.jsonl", attempt("memory")
    for each in (own, attempt("memory", seed=1), attempt("nothing", model="strong")):
        keep(path, each)
    assert attempted(path, model="local", seed=2) == {("column-total", 3, "memory"): own}


@pytest.mark.deep
async def test_the_second_time_nobody_is_asked(tmp_path: Path) -> None:
    bench, one = Bench(settings_in(tmp_path)), family("move-into-folder")
    kept = await bench.keep(one)
    assert kept.score >= OFFERED, kept
    with_it = await bench.attempt(one, 1, kept.seeds[2], "skill")
    assert with_it.success, with_it
    assert with_it.calls == with_it.tokens == 0


@pytest.mark.deep
async def test_memory_alone_is_shown_and_taught_by_no_variant(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings = settings.model_copy(update={"memory": settings.memory.model_copy(update={"embedder": "none"})})
    bench, one = Bench(settings, ALONE), family("column-total")
    taught = await bench.teach(one)
    assert taught.score == TAUGHT, taught
    found = [
        await bench.attempt(one, number, taught.seeds[TAUGHT], how) for number in (1, 2) for how in ("memory", "nothing")
    ]
    assert [each.used for each in found if each.how == "memory"] == [True, True]
    assert all(each.success and not each.offered for each in found), found
    gain = gained(found)
    assert (gain.variants, gain.recalled, gain.success, gain.without, gain.difference) == (2, 2, 1.0, 1.0, 0.0)
    worse = gained([each.model_copy(update={"right": False}) if each.how == "nothing" else each for each in found])
    assert (worse.difference, worse.interval, worse.false) == (1.0, (1.0, 1.0), 2)


@pytest.mark.deep
async def test_a_wrong_skill_is_not_believed(tmp_path: Path) -> None:
    bench, one, other = Bench(settings_in(tmp_path)), family("zip-to-json"), family("largest-in-zip")
    kept = [await bench.keep(each) for each in (one, other)]
    without = await bench.attempt(one, 1, kept[0].seeds[2], "nothing")
    assert without.success, without
    assert without.calls > 0
    assert bench.mistake(one, other)
    wrong = await bench.attempt(one, 1, kept[0].seeds[2], "wrong skill")
    assert wrong.used
    assert not wrong.false
    assert not wrong.right, "it was taken, and nothing else was done"


@pytest.mark.deep
async def test_another_wording_is_for_somebody_who_takes_the_skill(tmp_path: Path) -> None:
    bench, one = Bench(settings_in(tmp_path)), family("move-into-folder")
    kept = await bench.keep(one)
    reworded = await bench.attempt(one, VARIANTS, kept.seeds[1 + VARIANTS], "skill")
    assert reworded.success, reworded
    assert reworded.used
    assert reworded.calls > 0


def test_what_it_amounts_to() -> None:
    def attempt(how: str, number: int, *, right: bool, calls: int, seconds: float) -> Attempt:
        return Attempt.model_validate(
            {"family": "f", "kind": "files", "variant": number, "how": how, "model": "m", "run": "r", "right": right}
            | {"said": "", "outcome": "done", "why": "", "calls": calls, "tokens": calls * 100, "seconds": seconds}
            | {"offered": True, "used": True}
        )

    found = totals(
        [Kept(family="f", seeds=(1,), score=8), Kept(family="g", seeds=(1,), why="it was not proven")],
        [
            attempt("skill", 1, right=True, calls=0, seconds=1.0),
            attempt("skill", 2, right=False, calls=2, seconds=3.0),
            attempt("nothing", 1, right=True, calls=4, seconds=4.0),
            attempt("nothing", 2, right=True, calls=4, seconds=4.0),
            attempt("wrong skill", 1, right=False, calls=2, seconds=1.0),
        ],
    )
    assert (found.unkept, found.variants, found.success, found.without, found.false) == (1, 2, 0.5, 1.0, 1)
    assert (found.calls, found.tokens, found.seconds) == (1.0, 0.25, 0.5)
    assert (found.wrong, found.wrong_false) == (1, 1)

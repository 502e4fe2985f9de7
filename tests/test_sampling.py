"""Every case is tried by somebody: a few by each run, the others by the long tests."""

from __future__ import annotations

from typing import Any

from support.sampling import sampled


def test_what_is_not_kept_is_deep_and_nothing_is_lost() -> None:
    cases: list[Any] = sampled(range(10), 3)
    assert [case for case in cases if isinstance(case, int)] == [0, 4, 9]
    assert sorted(case if isinstance(case, int) else case.values[0] for case in cases) == list(range(10))
    pairs = sampled([("a", 1), ("b", 2)], 1)
    assert pairs[0] == ("a", 1)
    assert (pairs[1].values, pairs[1].marks[0].name) == (("b", 2), "deep")

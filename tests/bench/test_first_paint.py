"""The figures of a long run's page: from a real server and a real browser, over a run that is shorter here."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.journal.store import Store
from deskcrew_bench.performance.first_paint import measure
from deskcrew_bench.performance.long_run import grow


def test_a_long_run_has_as_many_events_as_it_should_and_is_sound(tmp_path: Path) -> None:
    store = Store(tmp_path / "journal.db", durable=False)
    grow(store, "long", 1003)
    journal = store.journal("long")
    assert len(journal.all) == 1003
    assert journal.verify() == []
    assert [subtask.status for subtask in journal.state.plan.subtasks].count("done") == 19


@pytest.mark.deep
def test_each_figure_stands_beside_that_of_a_short_run() -> None:
    found = measure(events=1100, samples=1)
    for figure in (found.cold, found.warm, found.frame):
        assert figure.figure > 0
        assert figure.alternative.figure > 0
        assert figure.alternative.name == "a run of 1,000 events"

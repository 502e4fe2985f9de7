"""What a run is said to have used."""

from __future__ import annotations

from pathlib import Path

from deskcrew import events as e
from deskcrew.journal.store import Store
from deskcrew.report.totals import figures, totals


def test_a_call_that_nobody_answered_is_told(tmp_path: Path) -> None:
    journal = Store(tmp_path / "j.db").create(
        e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="none")
    )
    journal.append(e.RoleCalled(role="A", parts=(), model="m"))
    journal.append(e.RunFinished(outcome={"status": "failed", "reason": "model"}))  # type: ignore[arg-type]
    sums = totals(journal.events)
    assert (sums.calls, sums.unanswered) == (0, 1)
    told = dict(figures(sums))
    assert told["work"] == "0 model calls and 1 without an answer, 0 operations"
    assert told["cost"] == "unknown: no model answered"
    journal.append(e.RoleCalled(role="A", parts=(), model="m"))
    journal.append(e.RoleReplied(role="A", reply={}, model="m"))
    sums = totals(journal.events)
    assert (sums.calls, sums.unanswered) == (1, 1)

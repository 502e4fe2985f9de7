"""What was submitted stands in the database, each thing of it once, whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.errors import UsageError
from deskcrew.journal.records import Spent
from deskcrew.settings import Settings
from deskcrew.ways_in.fleet.submissions import OVER_BUDGET, Submissions
from deskcrew.ways_in.fleet.tasks import Task
from fleet.conftest import Fleet


def test_a_journal_in_a_file_has_no_fleet(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="that all its nodes can reach"):
        Submissions(Settings(data=tmp_path))


def test_what_is_submitted_is_open_until_it_has_ended(fleet: Fleet) -> None:
    runs = fleet.submit(Task(task="one"), Task(task="two"), Task(task="three"))
    submissions = fleet.submissions
    assert submissions.open(10) == runs
    assert submissions.open(2) == runs[:2]
    assert {run: asked.request.task for run, asked in submissions.asked(runs[1:]).items()} == {
        runs[1]: "two",
        runs[2]: "three",
    }
    turn = submissions.begin(runs[0], "node")
    assert turn is not None
    assert (turn.asked.request.task, turn.answered) == ("one", False)
    assert submissions.open(10) == runs, "its process may die"
    submissions.end(runs[0], "done", spent=Spent(input=5, output=2, cost=0.25))
    assert submissions.open(10) == runs[1:]
    assert submissions.begin(runs[0], "another node") is None
    submissions.end(runs[0], "failed", "by a process that comes late")
    assert (fleet.row(runs[0]).state, fleet.row(runs[0]).why) == ("done", "")
    counts = {line.state: (line.runs, line.tokens, line.cost) for line in submissions.status()}
    assert counts == {"done": (1, 7, 0.25), "waiting": (2, 0, 0)}


def test_what_is_cancelled_does_not_begin_and_what_goes_on_ends(fleet: Fleet) -> None:
    waiting, going, done = fleet.submit(Task(task="one"), Task(task="two"), Task(task="three"))
    submissions = fleet.submissions
    submissions.begin(going, "node")
    submissions.end(done, "done")
    assert submissions.going(going, None)
    assert submissions.cancel(submissions.named(going)) == 2
    assert not submissions.going(going, None)
    assert submissions.begin(waiting, "node") is None
    submissions.end(going, "stopped")
    assert [fleet.row(run).state for run in (waiting, going, done)] == ["cancelled", "cancelled", "done"]
    with pytest.raises(UsageError, match="Nothing named"):
        submissions.cancel("nothing")


def test_a_run_that_was_cancelled_while_its_process_was_dead_is_not_gone_on_with(fleet: Fleet) -> None:
    (run,) = fleet.submit()
    fleet.submissions.begin(run, "node")
    fleet.submissions.cancel(run)
    assert fleet.submissions.open(10) == [run]
    assert fleet.submissions.begin(run, "another node") is None
    assert fleet.row(run).state == "cancelled"


@pytest.mark.parametrize(
    ("budget", "spent", "why"),
    [
        ({"tokens": 100}, Spent(input=90, output=10), "have used 100 tokens"),
        ({"tokens": 100}, Spent(untold=1), "an unknown number of tokens"),
        ({"money": 1.0}, Spent(cost=1.5), "have cost 1.50 US dollars"),
        ({"money": 1.0}, Spent(cost=None), "an unknown sum"),
    ],
)
def test_a_used_up_budget_keeps_other_runs_from_beginning_and_says_so(
    fleet: Fleet, budget: dict[str, float], spent: Spent, why: str
) -> None:
    first, begun, other = fleet.submit(Task(task="one"), Task(task="two"), Task(task="three"), **budget)
    submissions = fleet.submissions
    assert submissions.begin(first, "node")
    assert submissions.begin(begun, "node")
    submissions.end(first, "done", spent=spent)
    assert submissions.begin(begun, "another node"), "it had begun"
    assert submissions.begin(other, "node") is None
    assert fleet.row(other).state == OVER_BUDGET
    assert why in fleet.row(other).why
    assert why in fleet.log(other)[0]


def test_runs_below_their_budget_begin(fleet: Fleet) -> None:
    first, other = fleet.submit(Task(task="one"), Task(task="two"), tokens=100, money=1.0)
    fleet.submissions.begin(first, "node")
    fleet.submissions.end(first, "done", spent=Spent(input=90, output=9, cost=0.9))
    assert fleet.submissions.begin(other, "node")


def test_requests_are_spread_over_all_who_ask(fleet: Fleet) -> None:
    other = Submissions(fleet.settings)
    waits = [each.reserve("openai:x", 12) for each in (fleet.submissions, other) * 3]
    assert waits[:2] == [0, 0], "a sixth of them may come at once"
    assert [round(wait) for wait in waits[2:]] == [5, 10, 15, 20]
    assert other.reserve("openai:y", 12) == 0
    other.store.close()


def test_a_head_is_heard_of(fleet: Fleet) -> None:
    fleet.submissions.heard("a:1", {"node/1": {"CPU": 2.0}})
    fleet.submissions.heard("a:1", {"node/1": {"CPU": 4.0}})
    (head,) = fleet.submissions.heads()
    assert (head.address, head.nodes) == ("a:1", {"node/1": {"CPU": 4.0}})
    assert 0 <= head.silent < 30
    fleet.submissions.gone("a:1")
    assert fleet.submissions.heads() == []

"""`deskcrew run TASK --estimate`: what similar runs took, and nothing where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Cli, write
from deskcrew.facts import events as e
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.store import Store

MODEL = "openai:gpt-5-mini"


def kept(
    store: Store, run: str, task: str, calls: int, *, cost: float | None, model: str = MODEL, status: str = "done"
) -> None:
    """An ended run that took so much."""
    begun = e.RunStarted(
        task=task, crew="planned", model="gpt", mode="automatic", workspace="w", desktop="none", settings={"model": model}
    )
    reply = e.RoleReplied(role="Planner", model="gpt", reply={}, usage=e.Usage(input=1000, output=10, cost=cost))
    verified = {"verified_by": "probe"} if status == "done" else {}
    ended = e.RunFinished(outcome=Outcome.model_validate({"status": status, **verified}))
    write(store, run, [begun, *[reply] * calls, ended])


@pytest.fixture
def earlier(store: Store) -> Store:
    kept(store, "0101-000000-aaaa", "Add up the amounts in sales.csv", 3, cost=0.01)
    kept(store, "0101-000000-bbbb", "Calculate the sum of the amounts in the file june.csv", 7, cost=0.02, status="failed")
    kept(store, "0101-000000-cccc", "Rename the holiday photos by their date", 50, cost=0.5)
    kept(store, "0101-000000-dddd", "Add up the amounts in sales.csv", 90, cost=0.9, model="openai:other")
    kept(store, "0101-000000-eeee", "Add up the amounts in sales.csv", 1, cost=0.001, status="stopped")
    return store


def estimate(cli: Cli, data: Path, task: str, *more: str) -> str:
    ended = cli("run", task, "--model", MODEL, "--desktop", "none", "--data", str(data), "--estimate", *more)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.usefixtures("earlier")
def test_it_says_what_runs_of_similar_meaning_took_and_starts_none(cli: Cli, data: Path) -> None:
    told = " ".join(estimate(cli, data, "Sum up all amounts of revenue.csv").split())
    assert "2 similar runs" in told
    assert "calls 3 to 7" in told
    assert "tokens 3,000 to 7,000 in, 30 to 70 out" in told
    assert "cost $0.0300 to $0.1400" in told
    assert "0101-000000-cccc" not in told, "another kind of task"
    assert "0101-000000-dddd" not in told, "another model"
    assert "0101-000000-eeee" not in told, "it was stopped before it took what it takes"
    assert len(Store(data / "journal.db").runs()) == 5


@pytest.mark.usefixtures("earlier")
def test_it_is_honest_where_nothing_is_similar(cli: Cli, data: Path) -> None:
    told = estimate(cli, data, "Translate the letter to Portuguese")
    assert "No similar task was done" in told
    assert "4 earlier runs were compared" in told
    assert cli("run", "Water it", "--data", str(data), "--estimate", "--json").json == {"similar": [], "among": 4}


def test_it_is_honest_before_the_first_run_and_about_an_unknown_price(cli: Cli, data: Path, store: Store) -> None:
    assert "0 earlier runs were compared" in estimate(cli, data, "Add up the amounts of june.csv")
    kept(store, "0101-000000-aaaa", "Add up the amounts in sales.csv", 3, cost=None)
    told = " ".join(estimate(cli, data, "Add up the amounts of june.csv").split())
    assert "cost unknown" in told


@pytest.mark.usefixtures("earlier")
def test_without_an_embedder_words_are_compared(cli: Cli, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_MEMORY__EMBEDDER", "none")
    assert "1 similar run" in estimate(cli, data, "Total the amounts of sales.csv")


def test_a_request_that_could_not_be_carried_out_is_refused(cli: Cli, data: Path) -> None:
    ended = cli("run", "x", "--crew", "nobody", "--data", str(data), "--estimate")
    assert ended.code == 2
    assert "no crew 'nobody'" in ended.err

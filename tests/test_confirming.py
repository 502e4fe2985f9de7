"""A person's word on a run that has ended: what it settles, and what stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.engine.confirming import confirm, settled
from deskcrew.engine.replay.replay import replay
from deskcrew.errors import UsageError
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.records import ending
from deskcrew.ways_in.report.render import outcome_words
from support.crew import bodies
from test_proof import LAX, PROBE, ran, writing

pytestmark = pytest.mark.anyio


def proof(id: str, holds: bool | None) -> Proof:
    return Proof(requirement=id, says=f"number {id}", holds=holds, by="probe")


OPEN = Outcome(
    status="unverified", why="number 2: not checked", proofs=(proof("1", True), proof("2", None), proof("3", None))
)


def test_a_yes_to_the_whole_does_not_overrule_what_was_seen_not_to_hold_and_one_to_it_alone_keeps_that() -> None:
    wrong = proof("2", False).model_copy(update={"found": "sum 42, said 43"})
    failed = Outcome(status="failed", proofs=(proof("1", True), wrong))
    with pytest.raises(UsageError, match=r"seen not to hold \(2: sum 42, said 43\)") as refused:
        settled(failed, requirement="", holds=True)
    assert refused.value.hint == "If that is wrong, say yes to each by its number, such as 2."
    after = settled(failed, requirement="2", holds=True, why="rounded")
    assert after.status == "done"
    assert after.proofs[1].found == "a person says yes: rounded; it had been seen not to hold: sum 42, said 43"


def test_one_yes_leaves_the_others_open_and_the_last_one_makes_it_done() -> None:
    first = settled(OPEN, requirement="2", holds=True, why="I looked")
    assert first.status == "unverified"
    assert first.why == "requirement 2: a person says yes: I looked; still open: number 3: not checked"
    last = settled(first, requirement="3", holds=True)
    assert (last.status, last.verified_by) == ("done", "human")
    assert [each.by for each in last.proofs] == ["probe", "human", "human"]


def test_a_no_makes_a_done_run_failed() -> None:
    done = OPEN.model_copy(update={"status": "done", "verified_by": "judge", "proofs": (proof("1", True),)})
    after = settled(done, requirement="1", holds=False, why="it is the wrong month")
    assert (after.status, after.reason, after.verified_by) == ("failed", "rejected", None)
    assert "you said that it is not right" in outcome_words(after)
    assert "it is the wrong month" in after.why


def test_what_no_requirement_speaks_of_is_settled_by_a_word_on_the_whole_only() -> None:
    besides = "nothing would have noticed a difference here: total.txt"
    one = OPEN.model_copy(update={"proofs": (proof("1", None),)})
    assert settled(one, requirement="1", holds=True, besides=besides).status == "unverified"
    assert settled(one, requirement="", holds=True, besides=besides).status == "done"


def test_a_denied_run_stays_denied_until_a_person_speaks_of_the_whole() -> None:
    denied = OPEN.model_copy(update={"status": "denied", "proofs": (proof("1", None),)})
    assert settled(denied, requirement="1", holds=True, besides="a step was denied").status == "denied"
    assert settled(denied, requirement="", holds=True, besides="a step was denied").status == "done"


def test_another_requirement_than_there_is_names_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="it has 1, 2, 3"):
        settled(OPEN, requirement="4", holds=True)
    with pytest.raises(UsageError, match="leave the number out"):
        settled(Outcome(status="unverified"), requirement="1", holds=True)


async def test_the_word_is_in_the_journal_which_verifies_and_replays_as_before(tmp_path: Path) -> None:
    outcome, journal, _ = await ran(tmp_path, writing("42.50"), Verifier=[{"code": LAX}] * 2)
    assert outcome.status == "unverified"
    after = confirm(journal, holds=True, why="I added it up")
    assert after.status == "done"
    assert ending(journal.events) == after == journal.state.outcome
    assert bodies(journal, e.Confirmed) == [e.Confirmed(holds=True, why="I added it up")]
    assert journal.verify() == []
    again = await replay(journal)
    assert again.difference is None, again.difference
    assert again.events == len(journal.events)


async def test_a_word_on_the_only_requirement_does_not_settle_what_nobody_would_have_noticed(tmp_path: Path) -> None:
    _, journal, _ = await ran(tmp_path, writing("42.50"), Verifier=[{"code": LAX}] * 2)
    after = confirm(journal, requirement="1", holds=True)
    assert after.status == "unverified"
    assert "nothing would have noticed a difference here: total.txt" in after.why


async def test_a_word_may_be_taken_back(tmp_path: Path) -> None:
    _, journal, _ = await ran(tmp_path, writing("42.50"), Verifier=[{"code": PROBE}])
    assert confirm(journal, requirement="1", holds=False).status == "failed"
    assert confirm(journal, requirement="1", holds=True).status == "done"

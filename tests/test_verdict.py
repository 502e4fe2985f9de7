"""Signals, verdicts and outcomes stay three things, and a script can tell how a run ended."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from deskcrew.facts.verdict import EXIT_CODES, FROM_BRANCH, Branch, Outcome, OutcomeStatus, Verdict, VerdictKind


@pytest.mark.parametrize(("status", "code"), [("done", 0), ("unverified", 3), ("failed", 4), ("denied", 5), ("stopped", 6)])
def test_exit_codes_are_what_the_readme_promises(status: OutcomeStatus, code: int) -> None:
    assert Outcome(status=status).exit_code == code


def test_every_outcome_has_an_exit_code_of_its_own_and_none_is_our_bug_or_usage() -> None:
    assert set(EXIT_CODES) == set(get_args(OutcomeStatus))
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)
    assert not {1, 2} & set(EXIT_CODES.values())


def test_every_signal_but_a_claim_has_a_verdict_and_no_signal_accepts() -> None:
    assert set(FROM_BRANCH) == set(Branch) - {Branch.ROLE_TASK_FINISH}
    assert not [branch for branch, verdict in FROM_BRANCH.items() if verdict.kind == "accept"]


def test_giving_up_ends_a_run_with_a_reason_of_the_outcome() -> None:
    ends = {branch: verdict.reason for branch, verdict in FROM_BRANCH.items() if verdict.kind == "stop"}
    assert ends == {Branch.INTERRUPT: "gave_up", Branch.UNANSWERABLE: "infeasible"}
    assert all(verdict.reason is None for verdict in FROM_BRANCH.values() if verdict.kind != "stop")


def test_signals_are_the_papers_words() -> None:
    assert [str(branch) for branch in Branch] == [
        "Continue",
        "RoleTaskFinish",
        "TaskMismatch",
        "RemakeSubtasks",
        "NeedHumanHelp",
        "Interrupt",
        "Unanswerable",
    ]


def test_verdicts_and_outcomes_take_no_other_words() -> None:
    assert "accept" in get_args(VerdictKind)
    with pytest.raises(ValidationError):
        Verdict.model_validate({"kind": "RoleTaskFinish"})
    with pytest.raises(ValidationError):
        Outcome.model_validate({"status": "success"})
    with pytest.raises(ValidationError):
        Outcome.model_validate({"status": "done", "verified_by": "model"})

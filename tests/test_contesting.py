"""Contested requirements: a wrong check is mended by whoever wrote it, and rewording after the work proves nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.replay.replay import replay
from deskcrew.engine.steps.contesting import MENDED, readable
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof
from support.crew import bodies
from test_proof import CONTRACT, PLANS, PROBE, TASK, asked, ran, writing

pytestmark = pytest.mark.anyio

WRONG = PROBE.replace('row["amount"]', 'row["amount"].split(".")[0]')
"""A check at fault: it cuts the amounts off."""
CONTESTS: dict[str, Any] = {
    "subtasks": [],
    "contests": [{"requirement": "1", "why": "the amounts have decimals"}],
}


async def test_a_wrong_check_is_mended_by_its_verifier_and_nothing_is_reworded(tmp_path: Path) -> None:
    outcome, journal, calls = await ran(
        tmp_path,
        writing("42.50"),
        Planner=[PLANS[0], CONTESTS, *PLANS],
        ContractWriter=[CONTRACT],
        Verifier=[{"code": WRONG}, {"code": PROBE}],
    )
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome.why
    assert len(asked(calls, "ContractWriter")) == 1, "its writer need not be asked"
    told = asked(calls, "Verifier")[1].text("volatile")
    assert "requirement_1 said no: sum 42, said 42.50" in told
    assert '"the amounts have decimals (Planner)"' in told
    assert "Was it right about the work?" in told
    first, *_, last = bodies(journal, e.GoalSet)
    assert last.contract.requirements[0].says == first.contract.requirements[0].says
    assert last.contract.requirements[0].rechecked == f"{MENDED} (contested: the amounts have decimals (Planner))"
    again = await replay(journal)
    assert again.difference is None, again.difference


@pytest.mark.parametrize(("last", "status"), [(PROBE, "done"), (f"{WRONG}\n# still", "unverified")])
async def test_a_check_whose_requirement_its_writer_gives_in_the_same_words_is_written_once_more(
    tmp_path: Path, last: str, status: str
) -> None:
    same = {"why": "only the check is at fault", "requirement": CONTRACT["requirements"][0]}
    outcome, journal, calls = await ran(
        tmp_path,
        *[writing("42.50")] * 3,
        Planner=[PLANS[0], CONTESTS, *PLANS],
        ContractWriter=[CONTRACT, same],
        Verifier=[{"code": WRONG}, {"code": f"{WRONG}\n# anew"}, {"code": last}],
    )
    assert outcome.status == status, outcome.why
    assert len(asked(calls, "ContractWriter")) == 2
    assert "who wrote the requirement: only the check is at fault" in asked(calls, "Verifier")[2].text("volatile")
    assert not any(proof.reworded for proof in outcome.proofs)
    assert status == "done" or "it was seen not to hold: sum 42, said 42.50" in outcome.why
    again = await replay(journal)
    assert again.difference is None, again.difference


async def test_a_mended_check_must_still_tell_right_work_from_wrong(tmp_path: Path) -> None:
    lax = "def requirement_1(start, end):\n    return (end / 'total.txt').exists(), 'it is there'\n"
    outcome, _, _ = await ran(
        tmp_path,
        writing("banana"),
        Planner=[PLANS[0], CONTESTS, *PLANS],
        Verifier=[{"code": PROBE}, {"code": lax}, {"code": lax}],
    )
    assert outcome.status == "unverified"
    assert "nothing would have noticed a difference here: total.txt" in outcome.why


@pytest.mark.first_case
@pytest.mark.parametrize(("written", "status"), [("42.50", "done"), ("banana", "failed")])
async def test_where_typed_checks_are_contested_a_verifier_decides_by_the_requirement(
    tmp_path: Path, written: str, status: str
) -> None:
    wrong = {"kind": "file_is", "target": "total.txt", "text": "42.5"}
    typed = {"requirements": [{**CONTRACT["requirements"][0], "seen_by": "checks", "checks": [wrong]}], "context": [2]}
    outcome, _, calls = await ran(
        tmp_path,
        *[writing(written)] * 4,
        Planner=[PLANS[0], CONTESTS, *PLANS],
        ContractWriter=[typed],
        Verifier=[{"code": PROBE}] * 3,
    )
    assert outcome.status == status, outcome
    assert "was checked by this: total.txt contains '42.5' and nothing else" in asked(calls, "Verifier")[0].text("volatile")
    assert not any(proof.reworded for proof in outcome.proofs)


@pytest.mark.parametrize(
    "change",
    [{"says": "total.txt holds a number"}, {"files": ["total.txt", "*.csv"]}, {"stays": True},
     {"seen_by": "checks", "checks": [{"kind": "file_contains", "target": "total.txt", "text": "44"}]}],
    ids=str,
)  # fmt: skip
async def test_what_is_loosened_after_the_work_is_capped_until_a_person_confirms(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    looser = {**CONTRACT["requirements"][0], **change}
    code = PROBE.replace("return ", "total += Decimal('1.5')\n    return ")  # another sum will do, too
    outcome, _, _ = await ran(
        tmp_path,
        *[writing("44")] * 4,
        Planner=[PLANS[0], CONTESTS, *PLANS],
        ContractWriter=[CONTRACT, {"why": "Seen: the user says that any number will do", "requirement": looser}],
        Verifier=[{"code": PROBE}, {"code": PROBE}, {"code": code}, {"code": code}],
    )
    assert outcome.status != "done", outcome
    if "says" in change or "checks" in change:  # the other ones fail, as the Verifier's check is the same
        assert (outcome.status, "has to confirm it" in outcome.why) == ("unverified", True), outcome


def test_what_a_check_found_can_be_read() -> None:
    assert readable(Proof(requirement="1", says=TASK, holds=False, found="sum 42, said 43")) == "sum 42, said 43"
    assert readable(Proof(requirement="1", says=TASK, holds=False, found="[] -> []")) == (
        "it does not say in words what it looked for, only '[] -> []'"
    )

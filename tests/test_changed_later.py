"""What changes once it has been checked: by a program that still runs while the answer is worded, or that saves when it
is ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine.confirming import confirm
from deskcrew.engine.replay.replay import replay
from deskcrew.environments.desk import Desk
from deskcrew.journal.store import Store
from deskcrew.models.client import Call
from support.crew import settings_in
from test_proof import CONTRACT, PROBE, ran, writing

pytestmark = pytest.mark.anyio

ASKING: dict[str, Any] = {
    "requirements": [
        *CONTRACT["requirements"],
        {"parts": [1], "says": "The answer is the sum", "seen_by": "answer", "files": ["costs.csv"]},
    ],
    "context": [2],
    "question": "What is the sum?",
}
ANSWERED = (
    PROBE
    + """
def requirement_2(start, end, answer):
    total = sum(Decimal(row["amount"]) for row in csv.DictReader((start / "costs.csv").open()))
    return answer == str(total), f"{total}"
"""
)


async def test_a_program_that_changes_a_file_while_the_answer_is_worded(tmp_path: Path) -> None:
    """Another process does it, as one would that was left running on a desktop."""

    def meanwhile(call: Call) -> Any:
        code = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('13.37')"
        subprocess.run([sys.executable, "-c", code, str(tmp_path / "work/total.txt")], check=True)
        return {"answer": "42.50", "sources": [], "branch": "Continue", "problem": ""}

    outcome, journal, _ = await ran(
        tmp_path, writing("42.50"), ContractWriter=[ASKING], Verifier=[{"code": ANSWERED}], FinalAnswer=[meanwhile] * 3
    )
    assert outcome.status == "unverified"
    assert "changed after it had been checked: total.txt" in outcome.why
    assert outcome.answer == "42.50"
    assert (await replay(Store.of(settings_in(tmp_path)).journal(journal.run))).equal, "what was found is in the journal"
    assert confirm(journal, holds=True, requirement="1").status == "unverified", "a yes to one part settles no other"


async def test_a_program_that_saves_when_it_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def saves(desk: Desk) -> None:
        (desk.workspace.root / "total.txt").write_text("41.50")

    monkeypatch.setattr(Desk, "end_programs", saves)
    outcome, _, _ = await ran(tmp_path, writing("42.50"))
    assert (outcome.status, outcome.unordered) == ("unverified", ("total.txt",))

"""A run that has no contract but what its user states: done by that alone, and never by a check that cannot fail."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from deskcrew.engine import session
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest
from deskcrew.errors import ModelFailure
from deskcrew.evidence.required import required_contract
from deskcrew.facts.events import OperationDenied
from deskcrew.journal.journal import Journal
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.report.render import outcome_words
from support.crew import settings_in

pytestmark = pytest.mark.anyio

SUM = """
import os, sys
from pathlib import Path

def total(folder):
    return sum(int(line.split(",")[1]) for line in Path(folder, "costs.csv").read_text().splitlines())

said = Path("report.txt").read_text()
print(f"it says {said!r}")
sys.exit(f"Total: {total(os.environ['DESKCREW_START'])}" not in said)
"""
SHELL = "#!/bin/sh\ngrep -q 'Total: 5' report.txt\n"
ANYTHING = "import sys\nsys.exit(0)\n"
THERE = "#!/bin/sh\ntest -e report.txt\n"
BROKEN = "#!/bin/sh\nexit 127\n"


async def work(
    folder: Path, text: str, *, require: Sequence[str] = (), programs: Sequence[str] = (), contract: str = "", **more: Any
) -> Journal:
    """A run whose crew writes ``text`` into report.txt."""
    place = folder / "work"
    place.mkdir()
    (place / "costs.csv").write_text("tea,2\nmilk,3\n")
    (place / "old.csv").write_text("tea,1\n")
    files = [folder / f"check{number}{'' if text.startswith('#!') else '.py'}" for number, text in enumerate(programs)]
    for file, program in zip(files, programs, strict=True):
        file.write_text(program)
    (folder / "wanted.toml").write_text(contract)
    required = required_contract(require, files, folder / "wanted.toml" if contract else None)
    operations = [{"function": "write_file", "file_path": "report.txt", "text": text}, *more.get("besides", ())]
    insists: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
    model = ScriptedModel([{"operations": operations, "branch": "RoleTaskFinish"}, *[insists] * 9])
    request = RunRequest(
        task="Write the total of costs.csv into report.txt.", crew="solo", model="scripted:x", workspace=place,
        desktop="none", required=required,
    )  # fmt: skip
    journal = await session.run(request, settings_in(folder), model=model)
    assert journal.verify() == []
    assert (await replay(journal)).difference is None
    return journal


def ended(journal: Journal) -> tuple[str, str]:
    assert journal.state.outcome is not None
    return journal.state.outcome.status, journal.state.outcome.why


@pytest.mark.parametrize("program", [SUM, SHELL], ids=["python", "shell"])
async def test_a_program_that_says_no_before_and_yes_after_proves_it(tmp_path: Path, program: str) -> None:
    journal = await work(tmp_path, "Costs\nTotal: 5\n", programs=[program])
    outcome = journal.state.outcome
    assert ended(journal) == ("done", "every requirement was seen to hold")
    assert outcome is not None
    assert outcome.strength.tried
    assert "Costs" in outcome.strength.words


async def test_wrong_work_is_not_done_by_it(tmp_path: Path) -> None:
    status, why = ended(await work(tmp_path, "Total: 6\n", programs=[SUM]))
    assert status == "failed"
    assert "it says 'Total: 6" in why


async def test_of_a_result_that_is_rejected_nothing_is_said_of_its_copies(tmp_path: Path) -> None:
    """A requirement that rejects the result accepts none of its spoiled copies."""
    journal = await work(tmp_path, "Total: 6\n", require=["file_contains report.txt 5"])
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.strength.loose, outcome.strength.words) == ("failed", (), "")


@pytest.mark.parametrize(
    ("program", "told"),
    [
        (ANYTHING, "it was so before anything was done"),
        (THERE, "it noticed no part that was altered in report.txt"),
        (BROKEN, "not checked"),
    ],
    ids=["anything", "there", "broken"],
)
async def test_a_program_that_could_not_have_failed_proves_nothing(tmp_path: Path, program: str, told: str) -> None:
    status, why = ended(await work(tmp_path, "Total: 5\n", programs=[program]))
    assert status == "unverified"
    assert told in why


async def test_what_is_required_is_all_that_is_asked_of_a_file(tmp_path: Path) -> None:
    journal = await work(tmp_path, "Costs\nTotal: 5\n", require=["file_contains report.txt 'Total: 5'"])
    assert ended(journal)[0] == "done"
    (tmp_path / "other").mkdir()
    assert (
        ended(await work(tmp_path / "other", "Total: 6\n", require=["file_contains report.txt 'Total: 5'"]))[0] == "failed"
    )


@pytest.mark.first_case
@pytest.mark.parametrize("program", [None, SHELL], ids=["requirement", "program"])
async def test_another_file_that_changed_keeps_it_from_being_done(tmp_path: Path, program: str | None) -> None:
    besides = [{"function": "run_python_code", "code": "open('old.csv', 'a').write('tax,1\\n')"}]
    given: dict[str, Any] = {"programs": [program]} if program else {"require": ["file_contains report.txt 'Total: 5'"]}
    status, why = ended(await work(tmp_path, "Total: 5\n", besides=besides, **given))
    assert status == "unverified"
    assert "old.csv" in why


READS_END = SUM.replace("os.environ['DESKCREW_START']", "'.'")
"""It takes the costs from the folder as it is in the end, as people write it."""
FALSIFIED = [{"function": "run_python_code", "code": "open('costs.csv', 'a').write('tax,1\\n')"}]


@pytest.mark.first_case
@pytest.mark.parametrize(("line", "status"), [("", "unverified"), ("# changes: costs.csv\n", "done")], ids=["", "named"])
async def test_a_program_whose_input_was_changed_proves_nothing_unless_it_names_it(
    tmp_path: Path, line: str, status: str
) -> None:
    found = ended(await work(tmp_path, "Total: 6\n", besides=FALSIFIED, programs=[READS_END + line]))
    assert found[0] == status
    assert ("costs.csv" in found[1]) == (status == "unverified")


@pytest.mark.parametrize("besides", [[], FALSIFIED], ids=["honest", "falsified"])
async def test_what_a_user_wants_kept_need_not_be_new(tmp_path: Path, besides: list[dict[str, Any]]) -> None:
    wanted = ["file_contains report.txt 'Total: 5'", "same_as costs.csv costs.csv"]
    status, why = ended(await work(tmp_path, "Total: 5\n", besides=besides, require=wanted))
    assert status == ("failed" if besides else "done"), why


async def test_a_contract_in_a_file_is_all_of_it(tmp_path: Path) -> None:
    contract = '[[requirements]]\nsays = "The total is there"\nchecks = ["file_contains report.txt \'Total: 5\'"]\n'
    journal = await work(tmp_path, "Total: 5\n", contract=contract)
    assert ended(journal)[0] == "done"
    assert journal.state.contract is not None
    assert [each.says for each in journal.state.contract.requirements] == ["The total is there"]


async def test_why_it_was_not_done_is_not_lost_when_the_model_goes(tmp_path: Path) -> None:
    """The plan is made again for a file that nothing speaks of, and no model answers."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work/keep.txt").write_text("kept\n")
    changing = {"function": "run_python_code", "code": "open('keep.txt', 'a').write('more\\n')"}
    writing = {"function": "run_python_code", "code": "open('hello.txt', 'w').write('hello')"}
    plan = {"subtasks": [{"goal": "write it", "role": "Programmer"}]}
    model = ScriptedModel(
        [plan, {"operations": [writing, changing], "branch": "RoleTaskFinish"}, ModelFailure("The server is gone.")]
    )
    request = RunRequest(
        task="Write hello into hello.txt.", model="scripted:x", workspace=tmp_path / "work", desktop="none",
        required=required_contract(["file_contains hello.txt hello"]), crew="planned",
    )  # fmt: skip
    journal = await session.run(request, settings_in(tmp_path), model=model)
    assert ended(journal) == (
        "failed",
        "changed, although nothing asks for that: keep.txt. Then: The server is gone.",
    )


async def test_what_was_denied_is_told_when_the_model_goes_afterwards(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/keep.txt").write_text("kept\n")
    removing = {"operations": [{"function": "delete_file", "path": "keep.txt"}], "branch": "Continue"}
    model = ScriptedModel([removing, ModelFailure("The server is gone.")])
    request = RunRequest(
        task="Tidy up.", model="scripted:x", workspace=tmp_path / "work", desktop="none",
        required=required_contract(["file_absent keep.txt"]),
    )  # fmt: skip
    journal = await session.run(request, settings_in(tmp_path), model=model)
    (denied,) = (event for event in journal.events if isinstance(event.body, OperationDenied))
    status, why = ended(journal)
    assert status == "failed"
    assert why.startswith(f"An operation was denied (event {denied.number}): it would lose keep.txt (removed, 5 bytes)")
    assert why.endswith(" Then: The server is gone.")


@pytest.mark.parametrize(("written", "weak"), [("banana\n", " (weak check)"), ("", "")], ids=["banana", "empty"])
async def test_what_is_only_there_is_done_as_far_as_it_was_required(tmp_path: Path, written: str, weak: str) -> None:
    """Whatever is in it, or nothing: the result says first that nobody looked."""
    journal = await work(tmp_path, written, require=["file_exists report.txt"])
    told = "only that report.txt exists was checked, not what is in it"
    assert ended(journal) == ("done", f"{told}; every requirement was seen to hold")
    assert journal.state.outcome is not None
    assert outcome_words(journal.state.outcome).startswith(f"done{weak}, but {told}, verified by ")


@pytest.mark.parametrize(
    ("besides", "told"),
    [
        (["file_contains report.txt Total"], ""),
        (["names_are new/ a.txt"], "only the names in new/ were checked, not what is in these files"),
    ],
)
async def test_what_is_looked_into_is_not_said_to_be_unread(tmp_path: Path, besides: list[str], told: str) -> None:
    there = [{"function": "write_file", "file_path": "new/a.txt", "text": "anything"}]
    require = ["file_contains report.txt Total", "file_exists report.txt", *besides]
    journal = await work(tmp_path, "Total: 5\n", require=require, besides=there if told else ())
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.strength.unread) == ("done", (told,) if told else ())


ONLY_THERE = """
[[requirements]]
says = "report.txt says what tea and milk cost"
checks = {checks}
"""


@pytest.mark.parametrize(
    ("checks", "status"),
    [
        ('["file_exists report.txt"]', "unverified"),
        ('["file_exists report.txt", "file_absent draft.txt"]', "unverified"),
        ("[\"file_contains report.txt 'Total: 5'\"]", "done"),
    ],
)
async def test_a_sentence_that_says_more_than_its_checks_look_at_is_not_proven(
    tmp_path: Path, checks: str, status: str
) -> None:
    journal = await work(tmp_path, "Total: 5\n", contract=ONLY_THERE.format(checks=checks))
    found, why = ended(journal)
    assert found == status
    said = "its checks say only that report.txt exists, and nothing of what is in it"
    assert (said in why) == (status == "unverified")


async def test_a_contract_that_says_no_more_than_that_it_is_there_is_taken_so(tmp_path: Path) -> None:
    journal = await work(tmp_path, "banana\n", contract='[[requirements]]\nchecks = ["file_exists report.txt"]\n')
    assert ended(journal)[0] == "done"
    assert ended(journal)[1].startswith("only that report.txt exists was checked")

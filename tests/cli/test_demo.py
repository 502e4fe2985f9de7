"""The demo tells what it shows: the rejected claim, the repair, the end; and it ends otherwise where a file is altered."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest
from filelock import FileLock
from rich.console import Console

from cli.conftest import Cli
from deskcrew.engine.steps.understanding import UNASKED
from deskcrew.errors import ModelFailure
from deskcrew.facts import events as e
from deskcrew.facts.contract import Contract, Proof, Requirement
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.facts.verdict import UNCONFIRMED, Outcome, Verdict
from deskcrew.journal.store import Store as Runs
from deskcrew.models.catalogue import CatalogueEntry, built_in
from deskcrew.models.factory import check_there
from deskcrew.models.options import ModelOptions
from deskcrew.models.store import Progress, StoreError, WeightStore
from deskcrew.ways_in.cli.demo import ended_otherwise
from deskcrew.ways_in.cli.fetching import Fetching, wait_for
from deskcrew.ways_in.cli.telling import READ, Story
from deskcrew.ways_in.demo import chore
from deskcrew.ways_in.report.text import EXAMPLE
from report.test_render import event

WANTED = Contract(requirements=(Requirement(id="1", says="total.txt says 12"),))
WRONG = Proof(requirement="1", says="total.txt says 12", holds=False, by="probe", found="it says 11")


def told(story: Story, body: e.Body) -> str:
    console = Console(width=300, record=True, file=io.StringIO())
    for line in story(event(body), None):
        console.print(line)
    return console.export_text()


def test_a_rejected_claim_is_told_with_what_was_seen_and_given_time() -> None:
    waited: list[float] = []
    story = Story(waited.append)
    assert "total.txt says 12" in told(story, e.GoalSet(contract=WANTED))
    assert told(story, e.GoalSet(contract=WANTED)) == "", "once is enough"
    rejected = told(story, e.Proved(proofs=(WRONG,)))
    assert "the claim is rejected: 0 of 1 hold" in rejected
    assert "Found: it says 11." in rejected
    assert waited[-1] == READ
    whole = Plan(subtasks=(Subtask(id="2", goal="Read all the papers and write 12", role="Worker"),))
    assert told(story, e.PlanPatched(by="Planner", patch=PlanPatch(), plan=whole)) == f"Repair: {WRONG.says}\n"


def test_a_stop_after_a_rejection_is_told_by_what_stands_and_any_other_by_its_cause() -> None:
    stop = e.Judged(scope="goal", by="rules", verdict=Verdict(kind="stop", reason="model", why="The replies are used up."))
    story = Story(lambda _: None, stands="the rejection stands.")
    assert told(story, stop) == "It stops: The replies are used up.\n"
    told(story, e.Proved(proofs=(WRONG,)))
    assert told(story, stop) == "It stops: the rejection stands.\n"


def test_what_was_understood_is_told_unless_a_person_is_asked_about_it() -> None:
    read = e.Understood(skill="add-up", values={}, words="Add up june.csv")
    assert told(Story(lambda _: None), read) == "\nUnderstood as: Add up june.csv\n"
    assert told(Story(lambda _: None, asked=True), read) == ""


def test_what_was_understood_is_not_told_again_when_nobody_answers() -> None:
    why = UNASKED.format(reading="Add up june.csv.", beforehand="")
    stop = e.Judged(scope="goal", by="rules", verdict=Verdict(kind="stop", reason=UNCONFIRMED, why=why))
    end = ended_otherwise(Outcome(status="unverified", reason=UNCONFIRMED, why=why))
    assert told(Story(lambda _: None, asked=True), stop) == ""
    assert end == "unverified: nobody confirmed what was understood, so nothing was done"
    assert ended_otherwise(Outcome(status="failed", reason="model", why="It is gone.")) == "failed: It is gone."


class Slow(WeightStore):
    """A store whose download waits."""

    def __init__(self, folder: Path, error: str = "") -> None:
        super().__init__(folder)
        self.half, self.goes_on, self._error = threading.Event(), threading.Event(), error

    def pull(self, name: str = "", *, progress: Progress | None = None) -> Path:
        entry: CatalogueEntry = self.entry(name)
        assert progress is not None
        progress.started(entry, "somewhere")
        progress.advanced(entry.size // 2, entry.size)
        self.half.set()
        assert self.goes_on.wait(10)
        if self._error:
            raise StoreError(self._error, hint="Try later.")
        return self.folder / entry.file


def test_how_far_a_download_is_that_goes_on_beside_is_what_has_arrived(tmp_path: Path) -> None:
    store = Slow(tmp_path)
    fetching = Fetching(store)
    assert store.half.wait(10)
    size = next(entry.size for entry in built_in() if entry.name == fetching.entry.name)
    assert fetching.told == f"{size // 2_000_000:,} of {size // 1_000_000:,} MB of the local model are here"
    store.goes_on.set()
    assert fetching.wait(Console(file=io.StringIO()))
    assert fetching.told == ""


def test_a_model_that_cannot_be_had_is_said_with_what_helps(tmp_path: Path) -> None:
    store = Slow(tmp_path, "No source answers")
    fetching = Fetching(store)
    store.goes_on.set()
    assert not fetching.wait(Console(file=io.StringIO()))
    assert "No source answers" in fetching.error
    assert "Try later." in fetching.error


def test_a_task_waits_for_the_model_that_another_process_fetches_and_shows_how_far_it_is(tmp_path: Path) -> None:
    store = WeightStore(tmp_path)
    entry = store.entry()
    there = FileLock(tmp_path / f"{entry.file}.lock")
    (tmp_path / f"{entry.file}.partial").write_bytes(b"half")

    class Ends(io.StringIO):
        """The other process has ended once it was told of."""

        def write(self, text: str) -> int:
            if "0%" in text:
                there.release()
            return super().write(text)

    with there:
        assert store.arriving() == 4
        with pytest.raises(ModelFailure, match="is still being fetched: 0 of 1,117 MB are here"):
            check_there("local", ModelOptions(store_folder=tmp_path))
        wait_for("local", store, Console(file=(shown := Ends())))
    assert "Another Deskcrew is fetching" in shown.getvalue()
    assert store.arriving() is None
    with pytest.raises(ModelFailure, match="have not been downloaded"):
        check_there("local", ModelOptions(store_folder=tmp_path))


def test_a_program_that_is_missing_is_said_before_anything_begins(
    cli: Cli, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chore, "PROGRAMS", {"No Such Editor": "nosuch"})
    said = cli("demo", "--data", str(data))
    assert (said.code, "sudo apt install nosuch" in said.err) == (2, True)
    assert not data.exists()


def test_a_model_that_there_is_not_is_said_before_anything_begins(cli: Cli, data: Path) -> None:
    said = cli("demo", "--model", "nosuch", "--data", str(data))
    assert (said.code, "'nosuch' is not a model." in said.err) == (2, True)
    assert not data.exists()


@pytest.mark.desktop
@pytest.mark.deep
@pytest.mark.timeout(300)
def test_with_one_file_altered_it_does_not_end_done_and_says_what_was_seen(cli: Cli, data: Path) -> None:
    said = cli("demo", "--break", "--data", str(data))
    assert said.code == 0, said.out + said.err
    assert "It ended failed, as it must" in said.out
    assert "come to 422.5 km" in said.out, "the check works it out from the altered workbook"
    assert "✓ done" not in said.out
    assert "used up" not in said.out
    # What the README says next works, in that order.
    run = Runs(data / "journal.db").runs()[0].id
    assert f"serve --open --run {run}" in said.out
    outcome = Runs(data / "journal.db").journal(run).state.outcome
    assert outcome is not None
    assert "would have noticed" not in outcome.why, "what failed alone says what is wrong"
    assert "Next, a chore of your own" in said.out
    assert EXAMPLE in " ".join(said.out.split())
    for typed in (
        ("log",),
        ("verify",),
        ("rewind", "31", "--stay", "--yes"),
        ("rewind", "--undo", "--yes"),
        ("undo", "--yes"),
    ):
        done = cli(typed[0], "last", *typed[1:], "--data", str(data))
        assert done.code == 0, (typed, done.out, done.err)

"""A model that does nothing but skills: it chooses among all of them or says that none fits, and then nothing is done."""

from __future__ import annotations

import io
import itertools
import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import openpyxl
import pytest

from deskcrew.engine import session
from deskcrew.engine.human.questions import IGNORED, Accepted, Approval, Mode, ReplyQuestion, Response
from deskcrew.engine.human.responder import PythonResponder, meant
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.request import RunRequest, offered_skills, prepare, with_desktop_if_needed
from deskcrew.engine.roles.crew import Crew, without_parts
from deskcrew.engine.steps.choosing import MOST, TRIES
from deskcrew.engine.steps.understanding import in_own_words
from deskcrew.facts import events as e
from deskcrew.facts.events import DesktopKind, HumanSaid
from deskcrew.facts.nearest import nearest_in
from deskcrew.facts.run_settings import Opened
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.learning.skills.skill import Parameter, Skill
from deskcrew.learning.skills.trials import Trials
from deskcrew.models.client import Call, Profile
from deskcrew.models.profiles import find
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.cli import main
from deskcrew.ways_in.cli.app import EPILOG
from deskcrew.ways_in.cli.person import shown
from deskcrew.ways_in.library import in_python
from deskcrew.ways_in.report.advice import advice, goes_on
from deskcrew.ways_in.report.text import EXAMPLE
from support.crew import bodies, done, settings_in

pytestmark = pytest.mark.anyio

SMALL = Profile(name="small", schema_mode="grammar", free_text="short", freely=False)
SORTS = "Sort the regions in sales.csv, the biggest amounts first."
WHICH, NONE = {"skill": "sort_table"}, {"skill": "none_of_these"}
UNKNOWN = "Translate notes.txt into French and answer the caterer politely."
VALUES = {"column": "Amount"}
SORTED = "Region,Amount\nWest,200\nNorth,120\nSouth,80\n"
ENDS: dict[str, Any] = {"operations": [], "branch": "RoleTaskFinish"}
SORT = "deskcrew skill use sort-table source=sales.csv column=Amount result='sales sorted.csv'"
Answering = Callable[[ReplyQuestion], Response]


def laid_out(folder: Path) -> Path:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    (work / "sales.csv").write_text("Region,Amount\nNorth,120\nSouth,80\nWest,200\n")
    (work / "notes.txt").write_text("call the caterer\n")
    return work


async def asked(
    folder: Path,
    task: str,
    *chooser: dict[str, Any],
    profile: Profile = SMALL,
    answers: Sequence[Response | Answering] = (),
    desktop: DesktopKind = "none",
    **more: Any,
) -> tuple[Journal, list[Call], Path]:
    work, left = laid_out(folder), list(answers)
    waiting = {"SkillChooser": [*chooser], "Worker": [ENDS] * 9}
    model = ScriptedModel(itertools.repeat(lambda call: waiting[call.role].pop(0)), profile=profile)
    mode: Mode = "passive" if answers else "automatic"
    request = RunRequest(task=task, model="scripted:", workspace=work, desktop=desktop, crew="solo", mode=mode, **more)

    async def answer(question: ReplyQuestion) -> Response:
        said = left.pop(0)
        return said(question) if callable(said) else said

    human = PythonResponder(reply=answer) if answers else None
    return await session.run(request, settings_in(folder), model=model, human=human), model.calls, work


def nothing_done(journal: Journal, work: Path) -> None:
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("failed", "no_skill", 4), outcome
    assert outcome.why.count(". ") == 0, "one sentence"
    assert "larger model" in outcome.why
    assert "deskcrew teach" in outcome.why
    assert done(journal) == []
    assert sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]


async def test_what_ships_is_chosen_and_filled_in_with_what_is_there(tmp_path: Path) -> None:
    journal, calls, work = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.verified_by) == ("done", "probe"), outcome
    assert (work / "sales sorted.csv").read_text() == SORTED, (
        "the task names no new file, so it is called by the file and what was done"
    )
    (call,) = calls
    assert "sales.csv (columns: Region, Amount)" in call.text("volatile")
    assert "result" not in call.text("volatile"), "what is known is not asked for"
    again = await replay(journal)
    assert again.equal, again.difference


async def test_what_is_asked_for_is_answered_with_its_source_beside_the_file(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, "What is the total of Amount in sales.csv?", answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.answer) == ("done", "Total of Amount: 400")
    assert outcome.said.startswith("1 column added up; ")
    (source,) = (event.body for event in journal.events if event.id in outcome.sources)
    assert isinstance(source, e.ActionFinished)
    assert "sales with total.csv" in os.listdir(work)
    assert "Total of Amount: 400\nsales with total.csv:" in bodies(journal, e.Understood)[0].preview


def checked_by(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Let the check of every skill begin with a line."""
    written_out = Skill.written_out

    def other(skill: Skill, given: Any) -> Skill:
        found = written_out(skill, given)
        program = found.method.program.replace("start, end):\n", f"start, end):\n    {line}\n")
        return replace(found, method=found.method.model_copy(update={"program": program}))

    monkeypatch.setattr(Skill, "written_out", other)


async def test_a_check_that_sees_too_little_is_told_and_no_model_is_asked_to_mend_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked_by(monkeypatch, "return True, 'it looks sorted'")
    journal, calls, _ = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert [call.role for call in calls] == ["SkillChooser"], "nobody is asked once the reading is confirmed"
    assert outcome.status == "unverified", outcome
    assert "it was so before anything was done" in outcome.why


async def test_a_check_that_breaks_off_is_told_and_is_no_skill_that_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked_by(monkeypatch, "bytes([233]).decode()")
    journal, _, _ = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("failed", "unchecked", 4), outcome
    told = "The check of sort-table could not be run, so nobody knows whether what it made is right (UnicodeDecodeError"
    assert outcome.why.startswith(told)


async def test_a_result_that_is_there_already_is_no_second_input(tmp_path: Path) -> None:
    """The request that worked the first time: with its result there it was read as a chore for two tables."""
    task = "Sort sales.csv by Amount, the biggest first, into sorted.csv"
    first, _, work = await asked(tmp_path, task, VALUES, answers=[Accepted()])
    assert (work / "sorted.csv").read_text() == SORTED, first.state.outcome
    again, calls, _ = await asked(tmp_path, task)
    outcome = again.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("failed", "name_taken")
    assert outcome.why.startswith("There is already sorted.csv")
    assert calls == []
    told = advice(again.run, again.events)
    assert told is not None
    assert "Name another file" in told.steps[0].words

    compare = "Compare sales.csv with sorted.csv by Region"
    both, _, _ = await asked(tmp_path, compare, {"source": "sales.csv"}, answers=[Approval(allowed=False)])
    assert bodies(both, e.Understood)[0].skill == "compare-tables"
    inputs, _, _ = await asked(tmp_path, "Sort sales.csv by Amount and sorted.csv by Amount")
    assert inputs.state.outcome is not None
    assert inputs.state.outcome.reason == "no_skill", "it is named as what is to be sorted"


async def test_what_cannot_be_done_as_it_was_understood_is_no_question(tmp_path: Path) -> None:
    (laid_out(tmp_path) / "photos.zip").write_text("no archive")
    journal, _, work = await asked(tmp_path, "Unpack photos.zip", {"folder": "out"}, {"folder": "out"}, answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason) == ("failed", "unusable")
    assert outcome.why.startswith("It cannot be done like this: photos.zip is no zip or tar archive. Understood as: Unpack")
    assert [each.by for each in bodies(journal, e.Understood)] == [""], "nobody was asked"
    assert done(journal) == []
    told = advice(journal.run, journal.events)
    assert told is not None
    assert told.steps[0].words == "Give another source than photos.zip:"
    assert told.steps[0].command == f"deskcrew skill use unpack-archive source=SOURCE folder=out --workspace {work}"
    again = await replay(journal)
    assert again.equal, again.difference
    (work / "mess").mkdir()
    (work / "mess/a.txt").write_text("a")
    journal, _, _ = await asked(tmp_path, "Sort sales.csv by Amount and mess", VALUES)
    assert journal.state.outcome is not None
    assert "more than one chore" not in journal.state.outcome.why, "a folder is none"
    assert bodies(journal, e.Understood) == []


async def test_the_command_that_has_just_failed_is_not_what_helps(tmp_path: Path) -> None:
    (laid_out(tmp_path) / "days.csv").write_text("When,Amount\n03/04/2026,1\n05/06/2026,2\n")
    journal, _, work = await asked(tmp_path, "Sort days.csv by When.", answers=[Accepted()])
    told = advice(journal.run, journal.events)
    assert told is not None
    assert told.tried.startswith("It cannot be done like this: '03/04/2026' in row 2 can be 3 April or 4 March")
    assert told.steps[0].command == f"deskcrew skill use sort-table NAME=VALUE --workspace {work}"


async def test_the_value_that_does_not_fit_is_named_and_not_the_file_in_which_it_was_looked_for(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "Rows of the North with an Amount over 500 in sales.csv", answers=[Accepted()])
    told = advice(journal.run, journal.events)
    assert told is not None
    assert told.tried.startswith("It cannot be done like this: No row of sales.csv fits: Amount more than 500"), told
    assert told.steps[0].words == "Give another where than Amount more than 500:"


async def test_lines_are_saved_under_any_name_of_a_text(tmp_path: Path) -> None:
    task = "Which lines of notes.txt mention the caterer? Save them in calls.csv"
    journal, _, work = await asked(tmp_path, task, {"find": "caterer"}, answers=[Accepted()])
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert "call the caterer" in (work / "calls.csv").read_text()


async def test_a_follow_up_that_names_no_file_is_about_the_one_file_that_was_made_before(tmp_path: Path) -> None:
    before, _, work = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    journal, _, _ = await asked(tmp_path, "now only the rows of West", answers=[Accepted()], follows=before.run)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    read = bodies(journal, e.Understood)[0]
    assert read.values["source"] == "sales sorted.csv"
    assert "source: sales sorted.csv (not in your words)" in read.words
    assert (work / "sales sorted filtered.csv").read_text() == "Region,Amount\nWest,200\n"

    named, _, _ = await asked(
        tmp_path, "Keep only the rows of West of sales.csv", answers=[Approval(allowed=False)], follows=journal.run
    )
    assert bodies(named, e.Understood)[0].values["source"] == "sales.csv"
    again = await replay(journal)
    assert again.equal, again.difference


async def test_a_request_that_follows_nothing_is_about_no_file_that_lies_there(tmp_path: Path) -> None:
    await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    journal, _, _ = await asked(tmp_path, "now only the rows of West")
    assert bodies(journal, e.Understood) == []


async def test_sentences_that_the_docs_give_are_understood(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/how-to/keep-a-skill.md"
    block = page.read_text().partition("Ask for one thing, ")[2].partition("\n\n")[2].partition("\n\n")[0]
    meant = ("sort-table", "merge-pdfs", "extract-addresses")
    work = laid_out(tmp_path)
    (work / "june.csv").write_text("Region,Amount\nEast,5\n")
    for name in ("a.pdf", "b.pdf", "photo.png"):
        (work / name).write_bytes(b"")
    for task, skill in zip(block.splitlines(), meant, strict=True):
        journal, calls, _ = await asked(tmp_path, task.strip(), answers=[Approval(allowed=False)])
        assert (calls, bodies(journal, e.Understood)[0].skill) == ([], skill)


async def test_what_no_skill_is_near_to_asks_no_model(tmp_path: Path) -> None:
    journal, calls, work = await asked(tmp_path, UNKNOWN)
    assert calls == []
    nothing_done(journal, work)
    told = advice(journal.run, journal.events)
    assert told is not None
    commands = [step.command for step in told.steps]
    assert commands[0].startswith(f"deskcrew run '{UNKNOWN}' --workspace ")
    assert commands[1].startswith(f"deskcrew teach '{UNKNOWN}'")


async def test_who_was_not_asked_is_told_how_to_be_in_each_way_in(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, SORTS, VALUES)
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason == "unconfirmed"
    why = journal.state.outcome.why
    assert [way for way in ("--yes", "deskcrew resume", "deskcrew skill use") if way not in why] == []
    assert [way for way in ("yes=True", "ask=", "deskcrew.use_skill") if way not in in_python(why)] == []


@pytest.mark.parametrize(
    ("task", "use", "left", "then"),
    [
        ("Sort sales.csv by Amount and save it as PDF.", SORT, "pdf", "a larger model"),
        ("Sort sales.csv by Amount, then zip it.", SORT, "zip", "skill zip-files does it (deskcrew skill use zip-files)"),
    ],
)
async def test_of_two_chores_it_is_said_how_to_ask_for_each(
    tmp_path: Path, task: str, use: str, left: str, then: str
) -> None:
    journal, calls, work = await asked(tmp_path, task)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.reason, calls, done(journal)) == ("no_skill", [], [])
    assert outcome.why.startswith(
        f"That is more than one chore, so nothing was done: skill sort-table does one of them ({use})"
    )
    assert f"nothing about {left!r}" in outcome.why
    assert then in outcome.why
    assert sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("What is the median Qty in stock.csv?", "Skill calculate-figure is the nearest, but has no place for 'median'"),
        (
            "Split stock.csv into a table for each Price and Item",
            "Skill split-table is the nearest, but takes one column, and the task names Price and Item: name one of them",
        ),
        (
            "Delete nothing, list all files except the csv",
            "Skill list-folder is the nearest, but has no place for 'delete'",
        ),
        ("List all files except the csv", "Skill list-folder is the nearest, but has no place for 'except'"),
    ],
)
async def test_what_the_nearest_skill_has_no_place_for_is_no_second_chore_unless_it_is_one(
    tmp_path: Path, task: str, why: str
) -> None:
    (laid_out(tmp_path) / "stock.csv").write_text("Item,Qty,Price\nApple,3,1.5\nPear,5,2\n")
    journal, _, _ = await asked(tmp_path, task)
    assert journal.state.outcome is not None
    assert journal.state.outcome.why.startswith(why), journal.state.outcome


@pytest.mark.parametrize(
    ("task", "read"),
    [
        ("Total of Qty in stock.csv", True),
        ("Total of Qty in stock.csv this year", False),
        ("List the overdue items in stock.csv", False),
    ],
)
async def test_a_time_that_depends_on_today_is_not_passed_over(tmp_path: Path, task: str, read: bool) -> None:
    (laid_out(tmp_path) / "stock.csv").write_text("Item,Qty,Due\nApple,3,2026-01-02\nPear,5,2027-01-02\n")
    journal, _, _ = await asked(tmp_path, task, answers=[Approval(allowed=False)])
    assert bool(bodies(journal, e.Understood)) == read


@pytest.mark.parametrize(
    ("task", "skill"),
    [
        ("Which orders in orders.csv have no customer?", "filter-rows"),
        ("Remove the orders without a customer from orders.csv", "filter-rows"),
        ("No order twice in orders.csv", "remove-duplicate-rows"),
        ("Sum the Amount in orders.csv, leaving out the biggest one", ""),
        ("What is the smallest Amount in orders.csv?", "calculate-figure"),
        ("What is the smallest total in orders.csv?", ""),
        ("What is the second highest Amount in orders.csv?", ""),
        ("The total Amount by Customer in orders.csv", "sum-column-by-group"),
        ("Which customer has the largest total in orders.csv?", ""),
        ("What is the average of the totals by Customer in orders.csv?", ""),
        ("How many orders has each customer in orders.csv?", "sum-column-by-group"),
        ("How many customers are in orders.csv?", ""),
        ("Which city has the fewest orders in orders.csv?", ""),
        ("Which customers in orders.csv live in the same city?", ""),
        ("Is the total in orders.csv below 500?", ""),
        ("Add a column Total to orders.csv that is Amount times 2", "calculate-column"),
        ("How many lines of notes.txt mention the caterer?", "find-lines"),
        ("How many lines of notes.txt don't mention the caterer?", ""),
        ("How many lines of notes.txt are more than twice there?", ""),
    ],
)
async def test_a_word_that_changes_what_is_meant_is_used_or_nothing_is_offered(
    tmp_path: Path, task: str, skill: str
) -> None:
    orders = "Order,Customer,City,Amount\n1,Ada,Rome,120\n2,Bo,Oslo,80\n3,Ada,Rome,300\n4,,Oslo,45\n"
    (laid_out(tmp_path) / "orders.csv").write_text(orders)
    replies = {"find-lines": {"find": "caterer"}, "calculate-column": {"name": "Total"}}
    values = replies.get(skill, {"operation": "smallest"})
    journal, _, _ = await asked(tmp_path, task, values, answers=[Approval(allowed=False)])
    assert [each.skill for each in bodies(journal, e.Understood)][:1] == ([skill] if skill else [])


async def test_an_objection_to_a_reading_takes_no_skill_that_ships_away(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    Trials(settings_in(tmp_path).data).take_back(journal.run, "by the other column")
    (work / "sales sorted.csv").unlink()
    again, _, _ = await asked(tmp_path, SORTS, VALUES, answers=[Approval(allowed=False)])
    assert [each.skill for each in bodies(again, e.Understood)][:1] == ["sort-table"]


@pytest.mark.parametrize(
    ("task", "near"),
    [
        ("Convert the video", "convert-pictures"),
        ("Delete notes.txt", ""),
        ("Book a flight to Rome", ""),
        ("Put sales.csv in a sensible order", "sort-table"),
    ],
)
async def test_a_skill_is_named_where_none_fits_if_it_is_near_or_its_deed_is_said(
    tmp_path: Path, task: str, near: str
) -> None:
    journal, _, _ = await asked(tmp_path, task, NONE)
    assert journal.state.outcome is not None
    assert nearest_in(journal.state.outcome.why)[:1] == ((near,) if near else ()), journal.state.outcome


async def test_a_heading_that_a_skill_has_no_place_for_is_no_slip(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "Number the rows of sales.csv for every region.")
    assert journal.state.outcome is not None
    assert journal.state.outcome.reason != "no_column"


async def test_a_request_that_is_wholly_covered_is_taken_though_its_words_are_unlike_the_examples(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "without Amount, sales.csv", answers=[Approval(allowed=False)])
    assert [each.skill for each in bodies(journal, e.Understood)] == ["select-columns"] * 2


async def test_a_task_about_files_that_are_elsewhere_is_told_so(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, "Sort june.csv by Amount, smallest first.", NONE)
    outcome = journal.state.outcome
    assert outcome is not None
    told = f"There is no file named june.csv in {work}. Files there: sales.csv, notes.txt."
    assert (outcome.status, outcome.reason, outcome.why) == ("failed", "no_file", told)
    helps = advice(journal.run, journal.events)
    assert helps is not None
    assert not any("--model" in step.command or "larger" in step.words for step in helps.steps)


async def test_who_names_no_file_is_told_that_the_folder_is_empty_and_where_else_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(laid_out(tmp_path))
    request = RunRequest(task="How many rows are there?", model="scripted:", desktop="none", crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([], profile=SMALL))
    assert journal.state.outcome is not None
    assert journal.state.outcome.why.startswith("The folder of this run is empty")
    helps = advice(journal.run, journal.events)
    assert helps is not None
    assert helps.steps[0].command.endswith(f"--workspace {tmp_path / 'work'}")


async def test_of_a_file_that_is_not_where_the_user_stands_is_said_where_that_is(tmp_path: Path) -> None:
    work, told = laid_out(tmp_path), "There is no file named march.csv in /home/me. Files there: sales.csv."
    request = RunRequest(
        task="Merge sales.csv and march.csv.",
        model="scripted:",
        attachments=(work / "sales.csv",),
        absent={"march.csv": told},
        desktop="none",
        crew="solo",
    )
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([], profile=SMALL))
    assert journal.state.outcome is not None
    assert (journal.state.outcome.reason, journal.state.outcome.why) == ("no_file", told)
    helps = advice(journal.run, journal.events)
    assert helps is not None
    assert not any(step.command for step in helps.steps), "the same command would fail again"


async def test_after_a_no_the_other_skills_that_come_into_question_are_named_with_what_is_known(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, "sales.csv by Region", answers=[Approval(allowed=False)])
    told = advice(journal.run, journal.events)
    assert told is not None
    again, step = told.steps
    assert again.command.startswith(f"deskcrew rewind {journal.run} ")
    assert not goes_on(journal.state.outcome, journal.events), "going on would only ask the same again"
    assert step.words == "If sum-column-by-group does it, use that:"
    assert step.command.startswith("deskcrew skill use sum-column-by-group source=sales.csv ")
    assert step.command.endswith(f" --workspace {work}")


@pytest.mark.parametrize(
    ("task", "missing"),
    [
        ("Combine sales.csv and march.csv into all.csv.", "march.csv"),
        ("Merge sales.csv and march.csv.", "march.csv"),
        ("Put march.csv, sales.csv and april.csv together into one table, all.csv.", "march.csv"),
        ("Write a letter about sales.csv into letter.txt.", ""),
        ("Compare sales and notes into a new file diff.csv", ""),
    ],
)
async def test_a_file_that_would_be_read_beside_others_is_missed_and_no_larger_model_helps(
    tmp_path: Path, task: str, missing: str
) -> None:
    journal, calls, work = await asked(tmp_path, task, NONE)
    outcome = journal.state.outcome
    assert outcome is not None
    told = f"There is no file named {missing} in {work}. Files there: sales.csv, notes.txt."
    assert (outcome.reason, outcome.why == told) == (("no_file", True) if missing else ("no_skill", False)), outcome
    assert calls == []


async def test_a_link_is_told_to_be_one(tmp_path: Path) -> None:
    (laid_out(tmp_path) / "june.csv").symlink_to(tmp_path / "away.csv")
    journal, calls, work = await asked(tmp_path, "Sort june.csv by Amount.")
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.reason, calls) == ("no_file", [])
    assert outcome.why.startswith(f"june.csv in {work} is a symbolic link, which is not followed.")


@pytest.mark.parametrize(
    ("task", "misnamed"),
    [
        ("Sort slaes.csv by Amount.", True),
        ("Sort sale.csv by Amount.", True),
        ("Sort the sales by Amount into sales2.csv.", False),
        ("Sort sales.csv by Amount into salse.csv.", False),
        ("Sort the sales by Amount into june.csv.", False),
        ("Sort it by Amount into a new file sale.csv.", False),
    ],
)
async def test_a_slip_in_a_files_name_is_said_before_any_model_is_asked(tmp_path: Path, task: str, misnamed: bool) -> None:
    journal, calls, work = await asked(tmp_path, task, VALUES, VALUES, VALUES)
    outcome = journal.state.outcome
    assert outcome is not None
    told = outcome.why.startswith(f"There is no file named {task.split()[1]} in {work}. Nearest: sales.csv.")
    assert ((outcome.reason == "no_file"), told) == (misnamed, misnamed), outcome
    assert not (misnamed and calls)
    helps = advice(journal.run, journal.events)
    assert helps is not None
    meant = f"deskcrew run 'Sort sales.csv by Amount.' --workspace {work}"
    assert (helps.steps[0].command == meant) == misnamed, "the same sentence would fail again"


async def test_a_strong_model_that_gives_up_over_a_slip_says_the_same(tmp_path: Path) -> None:
    gives_up: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "I cannot find it."}
    work = laid_out(tmp_path)
    request = RunRequest(task="Sort slaes.csv by Amount.", model="scripted:", workspace=work, desktop="none", crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([gives_up] * 9))
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.reason == "no_file", outcome
    assert outcome.why.startswith(f"There is no file named slaes.csv in {work}. Nearest: sales.csv. ")


async def test_no_desktop_is_started_for_a_chore_of_skills_over_files(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, SORTS, VALUES, desktop="virtual", yes=True)
    begun, outcome = journal.state.started, journal.state.outcome
    assert begun is not None
    assert begun.desktop == "none"
    assert outcome is not None
    assert outcome.status == "unverified"
    assert (work / "sales sorted.csv").read_text() == SORTED


def test_a_desktop_stays_where_somebody_may_use_it(tmp_path: Path) -> None:
    request, settings = RunRequest(task=SORTS, model="scripted:", crew="solo"), settings_in(tmp_path)
    crew = prepare(request, settings, offered_skills(request, settings, SMALL))

    def desktop(request: RunRequest, crew: Crew, profile: Profile = SMALL) -> str:
        return with_desktop_if_needed(request, crew, profile).desktop

    assert desktop(request, crew) == "none"
    assert desktop(request, crew, SMALL.model_copy(update={"freely": True})) == "virtual"
    assert desktop(replace(request, opened=(Opened(name="mousepad"),)), crew) == "virtual"
    assert desktop(request, without_parts(crew, ["chooser"])) == "virtual"
    first = crew.skills[0]
    method = first.method.model_copy(
        update={"provenance": first.method.provenance.model_copy(update={"desktop": "virtual"})}
    )
    taught = replace(first, method=method)
    assert desktop(request, crew.model_copy(update={"skills": (*crew.skills, taught)})) == "virtual"


@pytest.mark.parametrize(
    "task", ["Write a reminder to call Ann on Monday as reminder.txt.", "Schreib ein Gedicht über Möwen in gedicht.txt."]
)
async def test_a_file_that_is_to_be_made_is_not_missing(tmp_path: Path, task: str) -> None:
    journal, _, _ = await asked(tmp_path, task, NONE)
    assert journal.state.outcome is not None
    assert journal.state.outcome.why.startswith("No skill does what is asked")


async def test_where_no_skill_fits_a_file_beside_one_that_is_there_is_told_to_be_missing(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "Compare sales.csv with march.csv and say in tuesday.txt what differs.", NONE)
    assert journal.state.outcome is not None
    assert journal.state.outcome.why.endswith("Not in the folder, if it is to be read: march.csv")


async def test_values_that_are_not_there_end_it_after_some_tries(tmp_path: Path) -> None:
    wrong = {"column": "Price"}
    journal, calls, work = await asked(tmp_path, SORTS, *[wrong] * 9, answers=[Accepted()])
    assert len(calls) == TRIES
    assert "'Region' or 'Amount'" in calls[1].text("volatile"), "it is told what was wrong"
    nothing_done(journal, work)
    assert "deskcrew skill use" in (journal.state.outcome.why if journal.state.outcome else "")


async def test_with_a_yes_beforehand_it_is_done_and_stays_unverified(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, SORTS, VALUES, yes=True)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.exit_code, outcome.verified_by) == ("unverified", 3, None)
    assert "the skill's checks passed, but nobody confirmed this reading of the task" in outcome.why
    assert [(proof.holds, proof.by) for proof in outcome.proofs] == [(True, "probe")], "it is told what was seen"
    assert outcome.strength.words.endswith("it found each of them wrong")
    assert (work / "sales sorted.csv").read_text() == SORTED


async def test_a_yes_beforehand_is_for_no_reading_that_leaves_words_out(tmp_path: Path) -> None:
    task = "Sort sales.csv by Amount, grouped nicely by quarter"
    journal, _, work = await asked(tmp_path, task, yes=True)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("unverified", "unconfirmed", 5), outcome
    assert "Understood as: (ignoring your words: " in outcome.why
    assert "quarter" in outcome.why
    assert sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]
    told = advice(journal.run, journal.events)
    assert told is not None
    assert [step for step in told.steps if "--yes" in step.command] == []


def test_with_nobody_there_nothing_is_done_and_the_command_that_does_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    journal, _, work = anyio.run(asked, tmp_path, SORTS, VALUES)
    outcome = journal.state.outcome
    assert outcome is not None
    assert (outcome.status, outcome.reason, outcome.exit_code) == ("unverified", "unconfirmed", 5)
    assert "Understood as: Sort" in outcome.why
    assert sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]
    told = advice(journal.run, journal.events)
    assert told is not None
    monkeypatch.setenv("DESKCREW_DATA", str(tmp_path / "data"))
    command = shlex.split(told.steps[0].command)[1:]
    assert command[:3] == ["skill", "use", "sort-table"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert not ended.value.code, capsys.readouterr()
    assert (work / "sales sorted.csv").read_text() == SORTED


async def test_values_that_do_not_stand_in_the_users_words_are_marked(tmp_path: Path) -> None:
    questions: list[ReplyQuestion] = []

    def answer(question: ReplyQuestion) -> Response:
        questions.append(question)
        return Accepted()

    await asked(tmp_path, SORTS, VALUES, answers=[answer])
    said = {each.name: each.said for each in questions[0].values if each.value}
    assert said == {"source": True, "column": True, "order": True, "result": False}
    terminal = shown(questions[0]).plain
    assert "Understood as: Sort the rows of sales.csv by Amount (descending), as sales sorted.csv\n" in terminal
    assert "\n  result: sales sorted.csv  (not in your words)" in terminal


async def test_who_is_asked_sees_what_would_come_of_it_and_nothing_is_done_before_the_yes(tmp_path: Path) -> None:
    seen: list[tuple[str, list[str]]] = []

    def answer(question: ReplyQuestion) -> Response:
        seen.append((shown(question).plain, sorted(os.listdir(tmp_path / "work"))))
        return Approval(allowed=False)

    journal, _, work = await asked(tmp_path, SORTS, VALUES, answers=[answer])
    [(terminal, files)] = seen
    assert terminal.endswith(
        "Tried out, nothing kept: 3 rows sorted by Amount\nsales sorted.csv:\n"
        "  Region,Amount\n  West,200\n  North,120\n  South,80"
    ), terminal
    assert files == sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.parametrize(
    ("changes", "times"),
    [
        ("sales.csv", 2),
        ("notes.txt", 1),
    ],
)
async def test_a_file_that_changed_after_it_was_shown_is_shown_again_before_the_yes_counts(
    tmp_path: Path, changes: str, times: int
) -> None:
    seen: list[ReplyQuestion] = []

    def answer(question: ReplyQuestion) -> Response:
        if not seen:
            (tmp_path / "work" / changes).write_text("Region,Amount\nEast,1\n")
        seen.append(question)
        return Accepted()

    journal, _, work = await asked(tmp_path, SORTS, VALUES, answers=[answer] * 2)
    assert len(seen) == times
    assert ("East" in seen[-1].preview, seen[-1].note.startswith("sales.csv has changed since")) == (times == 2, times == 2)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert ("East,1" in (work / "sales sorted.csv").read_text()) == (times == 2)
    again = await replay(journal)
    assert again.equal, again.difference


@pytest.mark.parametrize(
    ("words", "kind", "value", "said"),
    [
        ("the files of parts", "folder", "regions", False),
        ("the files of parts", "folder", "parts", True),
        ("the rows of Nrth", "text", "North", False),
        ("the rows of the north", "text", "North", True),
        ("the biggest amounts", "column", "Amount", True),
        ("by Price and Region", "columns", "Region, Price", True),
        ("by Price and Region", "columns", "Region, Amount", False),
        ("sort june.csv", "file", "sorted.csv", False),
        ("sort june.csv", "file", "june.csv", True),
        ("the two best", "integer", "2", True),
        ("the 12 best", "integer", "2", False),
    ],
)
def test_a_value_is_the_users_own_only_as_they_wrote_it(words: str, kind: Any, value: str, said: bool) -> None:
    assert in_own_words(value, Parameter(name="value", kind=kind, value="x"), words) is said


async def test_a_person_who_says_it_otherwise_is_read_anew(tmp_path: Path) -> None:
    told = HumanSaid(kind="guide", text="No, the 3 smallest of sales.csv, by Region.")
    other = {"column": "Region", "order": "ascending"}
    journal, calls, work = await asked(tmp_path, SORTS, VALUES, WHICH, other, answers=[told, Accepted()])
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert "the 3 smallest of sales.csv" in calls[1].text()
    listed = [line for line in calls[1].text("volatile").splitlines() if line.startswith("- ")]
    assert 1 < len(listed) <= MOST, "now it is the model's to say which"
    assert any(line.startswith("- sort_table: ") for line in listed)
    assert not any("pdf" in line for line in listed), "there is no PDF"
    assert (work / "sales sorted.csv").read_text().startswith("Region,Amount\nNorth,")


async def test_who_asks_for_it_has_the_crew_work_freely(tmp_path: Path) -> None:
    _, calls, _ = await asked(tmp_path, SORTS, without=("skills",))
    assert {call.role for call in calls} == {"Worker"}


async def killed(
    folder: Path, *replies: Any, at: type[BaseException] = KeyboardInterrupt, **more: Any
) -> tuple[RunRequest, str]:
    """A run whose process ends while a person is asked about what was understood."""
    request = RunRequest(
        task=SORTS, model="scripted:", workspace=laid_out(folder), desktop="none", crew="solo", mode="passive"
    )

    async def dies(question: ReplyQuestion) -> Response:
        raise at

    model = ScriptedModel([*replies], profile=SMALL)
    with pytest.raises(at):
        await session.run(request, settings_in(folder), model=model, human=PythonResponder(reply=dies), **more)
    (run,) = [row.id for row in Store.of(settings_in(folder)).runs()]
    return request, run


async def test_a_run_that_was_killed_while_it_asked_asks_again(tmp_path: Path) -> None:
    request, run = await killed(tmp_path, VALUES)
    questions: list[ReplyQuestion] = []

    async def answer(question: ReplyQuestion) -> Response:
        questions.append(question)
        return Accepted()

    model = ScriptedModel([], profile=SMALL)
    journal = await session.resume(run, settings_in(tmp_path), model=model, human=PythonResponder(reply=answer))
    first = bodies(journal, e.Understood)[0]
    assert [(question.reading, question.preview) for question in questions] == [(first.words, first.preview)]
    assert model.calls == [], "what it understood is known"
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (request.workspace or tmp_path).joinpath("sales sorted.csv").read_text() == SORTED
    again = await replay(journal)
    assert again.equal, again.difference


def test_after_a_yes_beforehand_the_command_that_proves_it_without_a_question_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, _, work = anyio.run(partial(asked, tmp_path, SORTS, VALUES, yes=True))
    (work / "sales sorted.csv").unlink()
    told = advice(journal.run, journal.events)
    assert told is not None
    command = shlex.split(told.steps[-1].command)
    assert command[:4] == ["deskcrew", "skill", "use", "sort-table"]
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(SystemExit) as ended:
        main([*command[1:], "--data", str(tmp_path / "data")])
    assert ended.value.code == 0
    assert (work / "sales sorted.csv").read_text() == SORTED


async def test_who_says_the_same_again_and_again_does_not_hear_the_same_for_ever(tmp_path: Path) -> None:
    request = RunRequest(
        task=SORTS, model="scripted:", workspace=laid_out(tmp_path), desktop="none", crew="solo", mode="passive"
    )
    asked: list[str] = []

    async def says(question: ReplyQuestion) -> Response:
        asked.append(question.reading)
        return HumanSaid(kind="guide", text="yes please")

    def replies(call: Call) -> dict[str, Any]:
        return WHICH if "- sort_table: " in call.text("volatile") else VALUES

    model = ScriptedModel(itertools.repeat(replies), profile=SMALL)
    journal = await session.run(request, settings_in(tmp_path), model=model, human=PythonResponder(reply=says))
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "unverified", journal.state.outcome.why
    assert "understood the same way again" in journal.state.outcome.why
    assert len(asked) == 3
    assert not (tmp_path / "work" / "sales sorted.csv").exists()


@pytest.mark.parametrize("dying", [e.RoleReplied, e.ActionStarted])
async def test_a_run_that_was_killed_after_the_yes_goes_on_with_the_skill(tmp_path: Path, dying: type[Any]) -> None:
    request = RunRequest(task=SORTS, model="scripted:", workspace=laid_out(tmp_path), desktop="none", crew="solo", yes=True)

    def dies(event: e.Event, journal: Journal) -> None:
        if isinstance(event.body, dying) and event.body.role == "Worker":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await session.run(request, settings_in(tmp_path), model=ScriptedModel([VALUES], profile=SMALL), watch=dies)
    (run,) = [row.id for row in Store.of(settings_in(tmp_path)).runs()]
    model = ScriptedModel([], profile=SMALL)
    journal = await session.resume(run, settings_in(tmp_path), model=model)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "unverified", "nobody saw which of those that ship was meant"
    assert "nobody confirmed this reading of the task: " in journal.state.outcome.why
    assert (request.workspace or tmp_path).joinpath("sales sorted.csv").read_text() == SORTED


def test_a_small_model_is_offered_more_and_a_strong_one_no_more_than_before(tmp_path: Path) -> None:
    request = RunRequest(task="Who bought twice? Sum up what each region brought in.", model="local", crew="planned")
    settings = settings_in(tmp_path)
    small = [skill.name for skill in offered_skills(request, settings)]
    strong = [skill.name for skill in offered_skills(replace(request, model="openai:gpt-5-mini"), settings)]
    assert "sum-column-by-group" in small[:9]
    assert len(small) > len(strong)


@pytest.mark.parametrize(
    ("model", "freely"),
    [
        ("local", False),
        ("local:smollm2-135m-instruct", False),
        ("local:/models/Qwen2.5-14B-Instruct-Q4_K_M.gguf", True),
        ("local:/models/llama-3.1-8b-q4.gguf", True),
        ("local:/models/qwen2.5-1.5b-q8_0.gguf", False),
        ("ollama:qwen2.5:1.5b", False),
        ("ollama:llama3.2:1b-instruct", False),
        ("ollama:qwen3:14b", True),
        ("ollama:llama3.1", True),
        ("openai:gpt-5-mini", True),
        ("http://127.0.0.1:8000/v1#any", True),
        ("scripted:replies.json", True),
    ],
)
def test_which_way_a_model_goes_follows_from_what_it_can_say(model: str, freely: bool) -> None:
    profile = find(model).profile
    assert profile.freely is freely
    assert profile.scripted or profile.contracts is freely


def test_a_profile_of_ones_own_may_say_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text('[[profile]]\nmatch = ["openai:*"]\ncontracts = false\n[[profile]]\nmatch = ["local"]\nfreely = true\n')
    assert not find("openai:gpt-5-mini", user_file=file).profile.freely
    assert find("local", user_file=file).profile.freely


async def test_who_names_a_value_of_a_column_wants_the_rows_that_have_it(tmp_path: Path) -> None:
    journal, calls, work = await asked(tmp_path, "sales of the North", answers=[Accepted()])
    assert calls == [], "all of it is told without the model"
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (work / "sales filtered.csv").read_text() == "Region,Amount\nNorth,120\n"


async def test_the_first_example_of_the_help_and_of_the_form_is_done_without_a_question_to_a_model(tmp_path: Path) -> None:
    assert f'deskcrew "{EXAMPLE}" --workspace .' in EPILOG
    journal, calls, work = await asked(tmp_path, EXAMPLE, answers=[Accepted()])
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert calls == [], "all of it is in the words"
    assert (work / "sorted.csv").read_text() == SORTED


@pytest.mark.parametrize(
    ("task", "word", "meant"),
    [
        ("Sort sales.csv by Profit.", "Profit", ""),
        ("Keep the column Profit of sales.csv only.", "Profit", ""),
        ("Sort sales.csv by Amuont.", "Amuont", "Amount"),
        ("Keep only Amuont of sales.csv.", "Amuont", "Amount"),
        ("Remove duplicates of Regoin in sales.csv.", "Regoin", "Region"),
    ],
)
async def test_a_column_that_is_not_there_is_told_by_name_with_those_that_are(
    tmp_path: Path, task: str, word: str, meant: str
) -> None:
    """Whether the nearest skill lacks it, or another would do without it."""
    journal, calls, work = await asked(tmp_path, task, NONE)
    outcome = journal.state.outcome
    assert outcome is not None
    told = f"sales.csv has no column {word!r}.{f' Did you mean {meant!r}?' if meant else ''} It has: Region, Amount."
    assert (outcome.status, outcome.reason, outcome.why) == ("failed", "no_column", told)
    assert calls == [], "a model could say nothing of that"
    assert sorted(os.listdir(work)) == ["notes.txt", "sales.csv"]
    helps = advice(journal.run, journal.events)
    assert helps is not None
    again = f"deskcrew run {shlex.quote(task.replace(word, meant))} " if meant else ""
    assert helps.steps[0].command.startswith(again)
    assert meant or not helps.steps[0].command, "the same again would end in the same way"


async def test_words_that_may_call_a_column_together_are_told_with_the_columns(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "Sort sales.csv by gross profit.", NONE)
    outcome = journal.state.outcome
    assert outcome is not None
    told = "Nothing in sales.csv is called 'gross' or 'profit': it has the columns Region, Amount."
    assert (outcome.reason, outcome.why.startswith(told)) == ("no_skill", True), outcome


@pytest.mark.parametrize("task", ["Keep the three best paid in sales.csv.", "Sort sales.csv and buy milk."])
async def test_an_ordinary_word_is_told_to_be_no_column(tmp_path: Path, task: str) -> None:
    journal, _, _ = await asked(tmp_path, task, NONE)
    outcome = journal.state.outcome
    assert outcome is not None
    told = "It is not clear which column of sales.csv is meant: it has the columns Region, Amount. Name one of these, or "
    assert (outcome.reason, outcome.why.startswith(told)) == ("no_skill", True), outcome


async def test_a_slip_in_a_column_that_is_understood_all_the_same_is_only_shown(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, "Keep the rows of sales.csv where Regoin is North.")
    (told,) = bodies(journal, e.Understood)
    assert told.values["column"] == "Region"
    assert not told.unused, "it is the column's name, misspelled"


def test_a_slip_in_the_name_of_a_file_that_is_here_is_said_before_a_run_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(laid_out(tmp_path))
    with pytest.raises(SystemExit, match="2"):
        main(["run", "Sort slaes.csv by Amount", "--model", "local", "--data", str(tmp_path / "data")])
    told = " ".join(capsys.readouterr().err.split())
    assert told == f"Error: There is no file named slaes.csv in {tmp_path / 'work'}. Nearest: sales.csv."
    assert not (tmp_path / "data").exists()


async def test_a_file_that_is_not_there_is_told_of_where_there_is_none_at_all(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    request = RunRequest(task="Sort june.csv by Amount.", model="scripted:", workspace=work, desktop="none", crew="solo")
    journal = await session.run(request, settings_in(tmp_path), model=ScriptedModel([], profile=SMALL))
    outcome = journal.state.outcome
    assert outcome is not None
    told = f"There is no file named june.csv in {work}. Files there: none."
    assert (outcome.reason, outcome.why) == ("no_file", told)


async def test_words_of_a_request_that_its_reading_does_not_use_are_shown(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, "Sort the unsettled sales in sales.csv by Amount.", VALUES)
    told = next(body for body in bodies(journal, e.Understood))
    assert told.unused == "unsettled"
    assert journal.state.outcome is not None
    assert journal.state.outcome.why.startswith("nobody said whether this is meant"), "who does not answer said no yes"
    assert "--yes" not in journal.state.outcome.why, "which would not do for this reading"
    assert not (work / "sales sorted.csv").exists()


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        pytest.param(["yes"] * 3, "unverified", id="a bare yes, again and again"),
        pytest.param([Approval(allowed=True), Accepted(without="sales"), "no"], "stopped", id="yes, other words, then no"),
        pytest.param(["yes", "ignore"], "done", id="a yes, then ignoring them"),
    ],
)
async def test_a_bare_yes_does_not_leave_out_words_of_a_request(
    tmp_path: Path, answers: list[Response | str], status: str
) -> None:
    asked_again: list[str] = []

    def noting(answer: Response | str) -> Answering:
        def say(question: ReplyQuestion) -> Response:
            asked_again.append(question.note)
            return meant(question, answer) if isinstance(answer, str) else answer

        return say

    task = "Sort the unsettled sales in sales.csv by Amount."
    journal, _, work = await asked(tmp_path, task, VALUES, answers=[noting(each) for each in answers])
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == status
    assert (work / "sales sorted.csv").exists() == (status == "done")
    assert asked_again[1] == IGNORED.format(unused="unsettled")
    assert outcome.why.startswith("a mere yes") == (status == "unverified")
    assert status != "done" or "(ignoring your words: unsettled)" in outcome.why


async def test_of_a_workbook_it_is_told_which_sheets_are_not_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    del book["Sheet"]
    for title in ("May", "June"):
        sheet = book.create_sheet(title)
        for row in (("Item", "Price"), ("Folder", 1.5), ("Pen", 2)):
            sheet.append(row)
    book.save(laid_out(tmp_path) / "stock.xlsx")
    for task, note in (
        ("What is the sum of Price in stock.xlsx?", "; of stock.xlsx only the sheet May is read, not June"),
        ("Sort sales.csv by Amount.", ""),
    ):
        journal, _, _ = await asked(tmp_path, task)
        (told,) = bodies(journal, e.Understood)
        assert ("only the sheet" in told.words, note in told.words) == (bool(note), True), told.words


async def test_what_turns_a_request_round_is_never_left_out_of_its_reading(tmp_path: Path) -> None:
    task = "Sort sales.csv by Amount, except "
    journal, _, _ = await asked(tmp_path, f"{task}the North.", VALUES)
    (read,) = bodies(journal, e.Understood)
    assert read.values["where"] == "Region is not North"
    journal, _, work = await asked(tmp_path, f"{task}the first row.", VALUES, NONE)
    assert not bodies(journal, e.Understood)
    assert not (work / "sales sorted.csv").exists()


async def test_what_is_done_as_somebody_confirmed_it_says_so(tmp_path: Path) -> None:
    journal, _, _ = await asked(tmp_path, SORTS, VALUES, answers=[Accepted()])
    outcome = journal.state.outcome
    assert outcome is not None
    assert outcome.status == "done"
    assert "This proves the reading that you confirmed, not your own words: Sort the rows of sales.csv by" in outcome.why

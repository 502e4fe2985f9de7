"""What is said after a run: its reading holds but for what is named, if that has one place, and is another task else."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.engine import rewind, session
from deskcrew.engine.following import CHAIN
from deskcrew.engine.human.questions import Accepted, Approval
from deskcrew.engine.human.responder import PythonResponder
from deskcrew.engine.replay.replay import replay
from deskcrew.engine.session import points_of
from deskcrew.engine.steps.cells import table_of
from deskcrew.engine.steps.changing import changed, refers_back, with_results
from deskcrew.engine.steps.covering import by_name
from deskcrew.engine.steps.filling import There
from deskcrew.facts import events as e
from deskcrew.learning.skills.lexicon import shipped
from deskcrew.models.scripted import ScriptedModel
from deskcrew.ways_in.cli import talk
from skills.test_skills_alone import SMALL, asked, laid_out
from support.crew import bodies, settings_in

pytestmark = pytest.mark.anyio

TABLES = {
    "may.csv": "Day,Name,Town,Amount\n2026-05-01,Ann,Rome,12\n2026-05-02,Bob,Oslo,30\n",
    "june.csv": "Day,Name,Town,Amount\n2026-06-01,Ann,Rome,9\n2026-06-02,Bob,Oslo,7\n",
    "a.pdf": "",
}
THERE = There((*TABLES, "may sorted.csv"), table=lambda path: table_of(TABLES.get(path, "")))
SORTED = {"source": "may.csv", "column": "Amount", "result": "may sorted.csv"}
KEPT = {"source": "may.csv", "column": "Amount", "condition": "more than", "value": "10", "result": "large.csv"}
SUMMED = {"source": "may.csv", "group": "Town", "column": "Amount", "result": "may by town.csv"}
MERGED = {"files": "b.pdf, c.pdf", "result": "all.pdf"}


@pytest.mark.parametrize(
    ("name", "before", "words", "new"),
    [
        ("sort-table", SORTED, "the same for june.csv", {"source": "june.csv", "result": "june sorted.csv"}),
        ("sort-table", SORTED, "and now june, the biggest first", {"source": "june.csv", "order": "descending"}),
        ("sort-table", SORTED, "no, descending", {"order": "descending", "result": "may sorted 2.csv"}),
        ("sort-table", SORTED, "wrong, by Day", {"column": "Day"}),
        ("sort-table", SORTED, "the same again", {"result": "may sorted 2.csv"}),
        ("sort-table", SORTED, "also for june.csv", {"source": "june.csv"}),
        ("filter-rows", KEPT, "no, over 20", {"value": "20", "result": "large.csv"}),
        ("filter-rows", KEPT, "at least 12 instead", {"condition": "at least", "value": "12"}),
        ("filter-rows", KEPT | {"condition": "is"}, "no, the rows of Bob", {"column": "Name", "value": "Bob"}),
        ("sum-column-by-group", SUMMED, "no, the average by Name", {"group": "Name", "operation": "average"}),
        ("sum-column-by-group", SUMMED, "no, by Name", {"group": "Name", "result": "may by name.csv"}),
        ("top-rows", SORTED | {"count": "3"}, "no, the first 2", {"count": "2"}),
        ("merge-pdfs", MERGED, "the same for june.csv", None),
        ("sort-table", SORTED, "the same for july.csv", None),
        ("sort-table", SORTED, "now only the rows of Ann", None),
        ("sort-table", SORTED, "not by Amount but by Day", None),
        ("sort-table", SORTED, "the same with a chart", None),
        ("sort-table", SORTED, "the same for may.csv and june.csv", None),
        ("sort-table", SORTED, "by Amount", None),
        ("sum-column-by-group", SUMMED, "no, by Name and Day", None),
    ],
)
def test_what_is_named_takes_the_place_of_its_kind(
    name: str, before: dict[str, str], words: str, new: dict[str, str] | None
) -> None:
    skill = next(each for each in shipped() if each.name == name)
    found = changed(e.SkillUse(skill=name, values=before), skill, words, THERE)
    assert (found is None) is (new is None), found
    assert {**(found or {}), **(new or {})} == (found or {})
    untouched = before.keys() - (new or {}).keys() - {"result"}
    assert all(found is None or found[each] == before[each] for each in untouched)


@pytest.mark.parametrize(("words", "back"), [("The same for b.csv", True), ("and also only the column Name", False)])
def test_what_adds_to_a_run_does_not_refer_to_its_reading(words: str, back: bool) -> None:
    assert refers_back(words) is back


MADE = (
    e.Earlier(run="1", task="sort", status="done", made=("may sorted.csv",)),
    e.Earlier(run="2", task="translate it", status="failed"),
)


@pytest.mark.parametrize(
    ("task", "meant"),
    [
        ("keep the first 3 of that", "keep the first 3 of may sorted.csv"),
        ("make it an excel file", "make may sorted.csv an excel file"),
        ("now sort it by Name", "now sort may sorted.csv by Name"),
        ("join those with june.csv", "join may sorted.csv with june.csv"),
        ("rename the results to best.csv", "rename may sorted.csv to best.csv"),
        ("count the rows of this table", "count the rows of may sorted.csv"),
        ("only the rows of Ann", "only the rows of Ann may sorted.csv"),
        ("sort june.csv and zip it", None),
        ("write june into it.csv", None),
        ('replace "it" by "them" in june.csv', None),
        ("only the rows in IT", "only the rows in IT may sorted.csv"),
        ("the rows of june.csv that have more than 3", None),
    ],
)
def test_that_is_what_the_last_good_run_made(task: str, meant: str | None) -> None:
    found, told = with_results(task, MADE, THERE.files)
    assert found == (meant or task)
    replaced = found != task and not found.startswith(task)
    assert told.endswith("is may sorted.csv, which run 1 made") is replaced
    assert with_results(task, MADE[1:], THERE.files) == (task, "")
    assert with_results(task, MADE, ("june.csv",)) == (task, ""), "it is no longer there"


@pytest.mark.parametrize(
    ("task", "meant"),
    [
        ("sort sub/may.csv by Amount", "sort may.csv by Amount"),
        ("sort '~/tables/may.csv', please", "sort 'may.csv', please"),
        ("sort june.csv into sub/may.csv", None),
        ("sort sub/july.csv", None),
    ],
)
def test_a_file_that_was_copied_from_elsewhere_is_called_by_its_path(task: str, meant: str | None) -> None:
    assert by_name(task, THERE.files) == (meant or task)


async def test_what_was_made_is_meant_after_runs_that_made_nothing_and_the_reading_says_so(tmp_path: Path) -> None:
    journal, _, work = await asked(tmp_path, "Sort sales.csv by Amount", answers=[Accepted()])
    made = journal.run
    for _ in range(CHAIN + 1):
        journal, _, _ = await asked(tmp_path, "translate it politely into French", follows=journal.run)
        assert bodies(journal, e.Understood) == []
    journal, _, _ = await asked(tmp_path, "make it an excel file", answers=[Accepted()], follows=journal.run)
    assert (work / "sales sorted.xlsx").exists(), journal.state.outcome
    assert f'"it" is sales sorted.csv, which run {made} made' in bodies(journal, e.Understood)[0].words
    # Both files have the word "sorted", and what both are called says nothing about what is to be done.
    journal, _, _ = await asked(tmp_path, "now sort it by Region", answers=[Approval(allowed=False)], follows=journal.run)
    assert bodies(journal, e.Understood)[0].values["source"] == "sales sorted.xlsx"
    journal, _, _ = await asked(tmp_path, "now zip sales sorted.csv", answers=[Approval(allowed=False)])
    assert bodies(journal, e.Understood)[0].skill == "zip-files"


async def test_a_reading_that_was_refused_is_not_offered_again_by_what_refers_back(tmp_path: Path) -> None:
    first, _, _ = await asked(tmp_path, "Sort sales.csv by Amount", answers=[Approval(allowed=False)])
    (laid_out(tmp_path) / "more.csv").write_text("Region,Amount\nEast,7\n")
    for words in ("the same again", "the same for more.csv"):
        journal, _, _ = await asked(tmp_path, words, answers=[Accepted()], follows=first.run)
        assert bodies(journal, e.Understood) == []


async def test_the_same_is_asked_of_another_file_and_corrected_without_a_model(tmp_path: Path) -> None:
    first, _, work = await asked(tmp_path, "Sort sales.csv by Amount", answers=[Accepted()])
    (laid_out(tmp_path) / "more.csv").write_text("Region,Amount\nEast,7\nWest,20\n")
    journal, calls, _ = await asked(tmp_path, "the same for more.csv", answers=[Accepted()], follows=first.run)
    assert calls == []
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert "more.csv" in bodies(journal, e.Understood)[0].words
    assert (work / "more sorted.csv").read_text() == "Region,Amount\nEast,7\nWest,20\n"

    words, command, number, *_ = talk.meant("no, descending", journal, mine=True).command
    assert (words, command) == ("rewind", journal.run)
    points = points_of(work, journal)
    with journal.claimed():
        rewind.go_back(journal, rewind.to_reply(journal, int(number), points), points, say="no, descending")
        journal.close()
    assert not (work / "more sorted.csv").exists()
    human, model = PythonResponder(reply=lambda question: Accepted()), ScriptedModel([], profile=SMALL)
    journal = await session.resume(journal.run, settings_in(tmp_path), model=model, human=human)
    assert journal.state.outcome is not None
    assert journal.state.outcome.status == "done", journal.state.outcome
    assert (work / "more sorted.csv").read_text() == "Region,Amount\nWest,20\nEast,7\n"
    assert journal.verify() == []
    again = await replay(journal)
    assert again.equal, again.difference

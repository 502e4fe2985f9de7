"""The page of a run of a skill, which no model replied in."""

from __future__ import annotations

import html
import re
from pathlib import Path

import anyio
import pytest
from starlette.testclient import TestClient

import deskcrew
from deskcrew.settings import Settings


@pytest.fixture
def run(settings: Settings, tmp_path: Path) -> str:
    """A real one, which sorted a table; its id."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "may.csv").write_text("Name,Amount\nAda,3\nBo,20\n")

    async def sorted_table() -> str:
        result = await deskcrew.ause_skill("sort-table", work, settings=settings, source="may.csv", column="Amount")
        return str(result.run)

    return anyio.run(sorted_table)


def told(page: str, begins: str, ends: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page.partition(begins)[2].partition(ends)[0])))


def test_a_step_has_its_code_who_allowed_it_and_what_came_of_it_as_a_models_has(person: TestClient, run: str) -> None:
    page = person.get(f"/runs/{run}").text
    (number,) = re.findall(r'<li id="e(\d+)"[^>]*data-kind="operation"', page)
    said = told(person.get(f"/runs/{run}?event={number}").text, 'id="inspector"', "</article>")
    assert "sort_table(source='may.csv', column='Amount'" in said, "all of its code, to the end"
    assert "allowed by the policy, rule writing-inside" in said
    assert "2 rows sorted by Amount" in said, "its output"
    assert "file created: may sorted.csv" in said
    assert "no fault in what it did" in said
    (verdict,) = re.findall(r'<li id="e(\d+)"[^>]*data-kind="verdict"', page)
    assert "2 rows in order" in told(person.get(f"/runs/{run}/events/{verdict}").text, "<article", "</article>"), "the proof"


def test_what_was_wanted_is_the_skills_sentence_with_its_values_wherever_it_stands(person: TestClient, run: str) -> None:
    page = person.get(f"/runs/{run}").text
    for begins, ends in (('class="checks proofs"', "</ol>"), ('id="plan"', "</ol>"), ('class="goal-checks"', "</ul>")):
        assert "Sort the rows of may.csv by Amount" in told(page, begins, ends)
    assert "The whole task" not in page

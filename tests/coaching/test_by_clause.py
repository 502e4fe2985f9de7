"""Clauses of a task that a small planner gives to agents, and the subtasks that come of them."""

from __future__ import annotations

import pytest

from deskcrew.coaching.by_clause import clauses_of, clauses_ordered, subtasks_of
from deskcrew.roles.role_kinds import NOBODY

TASK = "The shop is closed. The dates are in notes.txt. Add up the hours, write the sum into b.txt and open the editor."
PARTS = clauses_of(TASK)


def replied(*agents: str) -> dict[str, str]:
    return {f"clause_{number}": agent for number, agent in enumerate(agents, 1)}


def test_what_only_informs_is_told_to_the_next_agent() -> None:
    assert len(PARTS) == 5
    made = subtasks_of(PARTS, replied(NOBODY, NOBODY, "Code", "Files", "Apps"), whole=())
    assert made == [
        {"goal": "The shop is closed. The dates are in notes.txt. Add up the hours", "role": "Code"},
        {"goal": "write the sum into b.txt", "role": "Files"},
        {"goal": "open the editor.", "role": "Apps"},
    ]


def test_a_file_s_name_is_written_as_it_is() -> None:
    parts = ("The list is old.", "a.txt must hold the list")
    assert subtasks_of(parts, replied(NOBODY, "Code"), whole=())[0]["goal"] == "The list is old. a.txt must hold the list"


@pytest.mark.parametrize(
    ("whole", "goals"),
    [
        ((), ["Add up the hours", "write the sum into b.txt", "open the editor."]),
        (("Code",), ["Add up the hours, and write the sum into b.txt", "open the editor."]),
    ],
)
def test_who_works_in_one_go_gets_clauses_in_a_row_as_one_subtask(whole: tuple[str, ...], goals: list[str]) -> None:
    made = subtasks_of(PARTS[2:], replied("Code", "Code", "Apps"), whole=whole)
    assert [each["goal"] for each in made] == goals


def test_nobody_s_clauses_alone_make_no_subtask() -> None:
    assert subtasks_of(PARTS, replied(*[NOBODY] * 5), whole=()) == []


def test_guidance_is_planned_where_it_orders_something() -> None:
    assert clauses_ordered("Open the editor and save it.") == ("Open the editor", "save it.")
    assert clauses_ordered("The sum is wrong.") == ()

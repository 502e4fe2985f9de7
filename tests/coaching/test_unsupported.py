"""A quantity of the question that nothing used."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from deskcrew.coaching.unsupported import unused
from deskcrew.events import Operation


def state(question: str, *operations: Operation, outputs: int = 1) -> Any:
    turns = [SimpleNamespace(done=[SimpleNamespace(operation=each)]) for each in operations]
    return SimpleNamespace(question=question, turns=turns, collected_by=lambda *kinds: [kinds] * outputs)


@pytest.mark.parametrize(
    ("code", "left"),
    [("print(price * 2)", True), ("print(price * 14)", False), ("print(price * 140)", True)],
)
def test_a_quantity_that_code_left_out(code: str, left: bool) -> None:
    done = Operation(function="run_python_code", params={"code": code})
    assert bool(unused(state("Tell me how much 14 tickets cost?", done))) is left


def test_what_was_typed_key_by_key_was_used() -> None:
    keys = [
        Operation(function="hotkey", params={"keys": ["escape"], "text": "1"}),
        Operation(function="hotkey", params={"keys": ["1"], "text": "*9="}),
    ]
    assert unused(state("What do 11 tickets cost?", *keys)) == ""


def test_where_nothing_was_worked_out_or_no_quantity_is_asked_for() -> None:
    assert unused(state("What do 11 tickets cost?", outputs=0)) == ""
    assert unused(state("What is the total of 2025-11.csv?")) == ""

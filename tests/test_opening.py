"""Which parts are worked on at once, and at which desk each of them: by the plan, what parts claim and what is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from deskcrew.engine.context import DESKTOP
from deskcrew.engine.lanes import open_lanes
from deskcrew.facts import events as e
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store

FILES, SCREEN = frozenset[str](), frozenset({DESKTOP})


@dataclass
class Planned:
    """What is looked at of a run. ``claimed``: by part; ``open``: titles of windows by desk."""

    journal: Journal
    claimed: dict[str, frozenset[str]]
    most: int = 2
    open: dict[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    lanes: int = 3
    plan_only: bool = False

    @property
    def crew(self) -> SimpleNamespace:
        return SimpleNamespace(lanes=self.lanes)

    @property
    def own_desk(self) -> SimpleNamespace:
        return SimpleNamespace(most=self.most)

    def claims(self, part: Subtask) -> frozenset[str]:
        return self.claimed[part.id]

    def titles(self, desk: int) -> tuple[str, ...]:
        return self.open.get(desk, ())


def opened(folder: Path, claimed: dict[str, frozenset[str]], **more: object) -> tuple[tuple[str, ...], dict[str, int]]:
    """The parts that lanes are opened for, and the desks that they are given beside the run's own."""
    parts = tuple(Subtask(id=id, goal=f"do {id}", role="Role") for id in claimed)
    begun = e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="virtual")
    journal = Store(folder / "journal.db").create(begun)
    patch = PlanPatch(add=parts)
    journal.append(e.PlanPatched(by="Planner", patch=patch, plan=Plan().patched(patch)))
    lanes = open_lanes(Planned(journal, claimed, **more))  # type: ignore[arg-type]
    return lanes, dict(journal.state.desks)


@pytest.mark.parametrize(
    ("claimed", "most", "lanes", "desks"),
    [
        pytest.param({"1": SCREEN, "2": SCREEN}, 2, ("1", "2"), {"2": 2}, id="a desk each"),
        pytest.param({"1": SCREEN, "2": SCREEN, "3": SCREEN}, 2, ("1", "2"), {"2": 2}, id="as many as there may be"),
        pytest.param({"1": SCREEN, "2": SCREEN}, 1, (), {}, id="turns at the only one"),
        pytest.param({"1": FILES, "2": SCREEN, "3": FILES}, 2, ("1", "2", "3"), {}, id="one of them needs a desk"),
        pytest.param({"1": SCREEN | {"a.txt"}, "2": SCREEN | {"a.txt"}}, 2, (), {}, id="a file that both name"),
    ],
)
def test_lanes_are_given_desks(
    tmp_path: Path, claimed: dict[str, frozenset[str]], most: int, lanes: tuple[str, ...], desks: dict[str, int]
) -> None:
    assert opened(tmp_path, claimed, most=most) == (lanes, desks)


def test_a_document_that_a_window_shows_is_gone_on_with_there(tmp_path: Path) -> None:
    """Its part is the first that is given a desk, or waits; folders have no windows."""
    shown = {2: ("mail", "sum.ods - Calc")}
    sheet, mail = SCREEN | {"sheets/sum.ods"}, SCREEN | {"mail"}
    (tmp_path / "first").mkdir()
    assert opened(tmp_path / "first", {"1": sheet, "2": mail}, open=shown) == (("1", "2"), {"1": 2})
    (tmp_path / "later").mkdir()
    assert opened(tmp_path / "later", {"1": mail, "2": mail, "3": sheet}, open={1: shown[2]}) == ((), {})

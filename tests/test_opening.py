"""Which parts are worked on at once, and at which desk each of them: by the plan, what parts claim and what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest

from deskcrew.engine.claims import DESKTOP
from deskcrew.engine.lanes import open_lanes
from deskcrew.facts import events as e
from deskcrew.facts.observation import Evidence
from deskcrew.facts.plan import Plan, PlanPatch, Subtask
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store

NONE: Mapping[int, str] = MappingProxyType({})
FILES, SCREEN = frozenset[str](), frozenset({DESKTOP})


@dataclass
class Planned:
    """What is looked at of a run's surroundings. ``claimed``: by part."""

    journal: Journal
    claimed: dict[str, frozenset[str]]
    most: int = 2

    @property
    def record(self) -> SimpleNamespace:
        crew = SimpleNamespace(lanes=3)
        return SimpleNamespace(journal=self.journal, state=self.journal.state, crew=crew, plan_only=False)

    @property
    def own_desk(self) -> SimpleNamespace:
        return SimpleNamespace(most=self.most)

    def claims(self, part: Subtask) -> frozenset[str]:
        return self.claimed[part.id]


def opened(
    folder: Path, claimed: dict[str, frozenset[str]], most: int = 2, shown: Mapping[int, str] = NONE
) -> tuple[tuple[str, ...], dict[str, int]]:
    """The parts that lanes are opened for, and the desks that they are given beside the run's own. ``shown``: the title of
    a window at a desk."""
    parts = tuple(Subtask(id=id, goal=f"do {id}", role="Role") for id in claimed)
    begun = e.RunStarted(task="t", crew="c", model="m", mode="automatic", workspace="w", desktop="virtual")
    journal = Store(folder / "journal.db").create(begun)
    patch = PlanPatch(add=parts)
    journal.append(e.PlanPatched(by="Planner", patch=patch, plan=Plan().patched(patch)))
    for desk, title in shown.items():
        journal.append(e.Observed(observation="", evidence=Evidence(), windows=(title,), desk=desk))
    lanes = open_lanes(Planned(journal, claimed, most))  # type: ignore[arg-type]
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
    title = "sum.ods - Calc"
    sheet, mail = SCREEN | {"sheets/sum.ods"}, SCREEN | {"mail"}
    (tmp_path / "first").mkdir()
    assert opened(tmp_path / "first", {"1": sheet, "2": mail}, shown={2: title}) == (("1", "2"), {"1": 2})
    (tmp_path / "later").mkdir()
    assert opened(tmp_path / "later", {"1": mail, "2": mail, "3": sheet}, shown={1: title}) == ((), {})

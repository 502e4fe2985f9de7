"""Passages of documents that have to do with a question: by their words, and with the real embedder by their meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.actions import passages
from deskcrew.actions.action import Scene
from deskcrew.actions.passages import LONGEST, PassageParams, find_passages
from deskcrew.actions.sandbox import Sandbox
from deskcrew.environments.desk import Likeness
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.facts.observation import Observation
from deskcrew.learning.memory.embedder import likeness
from deskcrew.learning.memory.factory import embedder_of
from deskcrew.settings import MemorySettings

MUSEUM = "The house was built in 1890.\n\nOn Sundays the doors open at ten.\n"


@pytest.fixture(autouse=True)
def at_leisure(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the first document takes its time: its parser is loaded then."""
    monkeypatch.setattr(passages, "SECONDS", 600.0)


def scene(folder: Path, alike: Likeness | None = None) -> Scene:
    return Scene(Workspace(folder), Sandbox(folder), None, Observation(), likeness=alike)


def found(workspace: Path, question: str, alike: Likeness | None = None, **more: object) -> list[str]:
    params = PassageParams.model_validate({"question": question, **more})
    return find_passages(scene(workspace, alike), params, None).text.splitlines()


def test_passages_are_found_by_their_words_in_every_kind_of_document(tmp_path: Path) -> None:
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "museum.txt").write_text(MUSEUM)
    (tmp_path / "prices.csv").write_text("item,price\ntea,2\nmilk,3\n")
    (tmp_path / "tool").write_bytes(b"\x7fELF\0\0")
    note, first, *_ = found(tmp_path, "When does it open on a Sunday?")
    assert note == "[1 file could not be read]"
    assert first == "town/museum.txt, lines 1-3: The house was built in 1890. On Sundays the doors open at ten."
    assert found(tmp_path, "price of milk", count=1)[-1] == "prices.csv, rows 1-3: item,price tea,2 milk,3"
    assert found(tmp_path, "milk", folder="town") == ["No passage has to do with it."]
    with pytest.raises(ActionError, match="is a file"):
        found(tmp_path, "milk", folder="prices.csv")


def test_a_long_document_is_cut_where_lines_end(tmp_path: Path) -> None:
    lines = [f"{number} {'word ' * 20}".strip() for number in range(1, 41)]
    (tmp_path / "long.txt").write_text("\n".join([*lines[:20], "the NEEDLE lies here", *lines[20:]]))
    (only,) = found(tmp_path, "needle")
    where, _, text = only.partition(": ")
    assert where == "long.txt, lines 17-21"
    assert text.endswith("the NEEDLE lies here")
    assert len(text) <= LONGEST + 5


def test_meaning_and_words_are_both_heard(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat sat\n")
    (tmp_path / "b.txt").write_text("a feline rested\n")
    (tmp_path / "c.txt").write_text("stocks fell\n")

    def alike(text: str, others: object) -> list[float]:
        assert isinstance(others, list)
        return [{"the cat sat": 0.8, "a feline rested": 0.9}.get(other, 0.0) for other in others]

    assert [line.split(",")[0] for line in found(tmp_path, "cat", alike, count=2)] == ["a.txt", "b.txt"]
    assert [line.split(",")[0] for line in found(tmp_path, "kitten", alike, count=1)] == ["b.txt"]


def test_what_cannot_be_compared_is_said_and_words_are_enough(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat sat\n")

    def down(text: str, others: object) -> list[float]:
        raise ModelFailure("no embeddings")

    assert found(tmp_path, "cat", down) == [
        "[meanings could not be compared: no embeddings]",
        "a.txt, lines 1-1: the cat sat",
    ]


def test_many_documents_are_searched_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passages, "MOST", 2)
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("the cat sat\n")
    note, *lines = found(tmp_path, "cat")
    assert note == "[not all documents were searched, only those before c.txt; name a folder]"
    assert len(lines) == 2


@pytest.mark.deep
@pytest.mark.skipif(embedder_of(MemorySettings()) is None, reason="the extra memory is not installed")
def test_what_is_said_in_other_words_is_found(tmp_path: Path) -> None:
    embedder = embedder_of(MemorySettings())
    assert embedder is not None
    (tmp_path / "a.txt").write_text("The invoice is due at the end of the month.\n")
    (tmp_path / "b.txt").write_text("Our dog loves long walks along the beach.\n")
    (tmp_path / "c.txt").write_text("Employees get twenty-eight days off each year.\n")
    first, *_ = found(tmp_path, "How much vacation do workers have?", likeness(embedder))
    assert first.startswith("c.txt")

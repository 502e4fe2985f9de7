"""The figures of recall: a real memory that is filled as runs fill it, and searched."""

from __future__ import annotations

from pathlib import Path

from deskcrew.learning.memory.sentences import SentenceEmbedder
from deskcrew.learning.memory.store import Memory
from deskcrew_bench.performance.recall import KNOWN, ROLE, embedding, fill, measure


def test_a_memory_is_filled_and_what_was_asked_for_in_other_languages_is_found(tmp_path: Path) -> None:
    found = measure(tmp_path, 2000)
    assert (found.entries, found.found, found.asked) == (2000, len(KNOWN), len(KNOWN))
    assert found.time.n == 5 * len(KNOWN)
    assert 0 < found.time.figure < 1000
    assert found.opening > 0


def test_made_up_entries_are_as_near_to_each_other_as_real_ones(tmp_path: Path) -> None:
    embedder = SentenceEmbedder()
    fill(tmp_path / "memory.db", embedder, 600)
    memory = Memory(tmp_path / "memory.db", embedder)
    assert len(memory.all()) == 600
    near = memory.by_meaning("sort the invoice", ROLE, 4)
    assert all(entry.situation.startswith("sort the invoice") for entry, _ in near)
    assert 0.7 < near[0][1] < 0.99
    memory.close()


def test_a_text_has_a_figure_of_its_own() -> None:
    assert 0 < embedding(samples=5).figure < 1000

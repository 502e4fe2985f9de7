"""Texts that do not change were embedded once, for all runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from deskcrew.memory.factory import embedder_of
from deskcrew.memory.remembered import Remembered, keep
from deskcrew.settings import Settings
from deskcrew.skills.offering import MEANINGS, compared


class Counting:
    """Says how long a text is, and what it was asked for."""

    dimensions, alike = 2, 0.5

    def __init__(self) -> None:
        self.name, self.asked = "length", list[str]()

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return numpy.array([[len(text), 1] for text in texts], dtype=numpy.float32)


def test_what_is_kept_is_not_asked_for_again(tmp_path: Path) -> None:
    file, known, asked = tmp_path / "known.npz", ("a", "bbb"), Counting()
    keep(Counting(), known, file)
    found = Remembered(asked, file).embed(["cc", "bbb", "a", "cc"])
    assert found.tolist() == [[2, 1], [3, 1], [1, 1], [2, 1]], "in the order asked"
    assert asked.asked == ["cc"]


def test_what_is_anothers_and_a_file_that_is_not_whole_are_not_used(tmp_path: Path) -> None:
    file, known = tmp_path / "known.npz", ("a", "bbb")
    keep(Counting(), known, file)
    others = Counting()
    others.name = "another"
    Remembered(others, file).embed(["a"])
    assert others.asked == ["a"]
    for cut in (b"", file.read_bytes()[:100]):
        file.write_bytes(cut)
        again = Counting()
        assert Remembered(again, file).embed(["bbb"]).tolist() == [[3, 1]]
        assert again.asked == ["bbb"]


def test_what_ships_is_kept_as_it_is_now() -> None:
    embedder = embedder_of(Settings().memory)
    assert embedder is not None
    asked = Counting()
    asked.name = embedder.name
    assert len(Remembered(asked, MEANINGS).embed(compared())) == len(compared())
    assert asked.asked == [], "python tools/meanings.py writes it anew"

"""Texts that do not change are embedded once, for all runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from deskcrew.memory.remembered import Remembered


class Counting:
    """Says how long a text is, and what it was asked for."""

    name, dimensions, alike = "length", 2, 0.5

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.asked += texts
        return numpy.array([[len(text), 1] for text in texts], dtype=numpy.float32)


def test_what_is_known_is_not_asked_for_again(tmp_path: Path) -> None:
    file, known = tmp_path / "data" / "known.npz", ("a", "bbb")
    first, second = Counting(), Counting()
    Remembered(first, known, file).embed(["bbb"])
    found = Remembered(second, known, file).embed(["cc", "bbb", "a", "cc"])
    assert found.tolist() == [[2, 1], [3, 1], [1, 1], [2, 1]], "in the order asked"
    assert (first.asked, second.asked) == (["a", "bbb"], ["cc"])
    assert [each.name for each in file.parent.iterdir()] == ["known.npz"]


def test_other_texts_and_a_file_that_is_not_whole_are_embedded_anew(tmp_path: Path) -> None:
    file, known = tmp_path / "known.npz", ("a", "bbb")
    Remembered(Counting(), known, file).embed(["a"])
    others = Counting()
    Remembered(others, ("a", "dddd"), file).embed(["dddd"])
    assert others.asked == ["a", "dddd"]
    for cut in (b"", file.read_bytes()[:100]):
        file.write_bytes(cut)
        again = Counting()
        assert Remembered(again, known, file).embed(["bbb"]).tolist() == [[3, 1]]
        assert again.asked == [*known]

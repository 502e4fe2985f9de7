"""Entries are kept whole or not at all, found by meaning and by words, and forgotten for good."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deskcrew.errors import UsageError
from deskcrew.memory.entry import Entry, entry_id
from deskcrew.memory.sentences import SentenceEmbedder
from deskcrew.memory.store import Memory, MemoryFailure

EMBEDDER = SentenceEmbedder()


def entry(situation: str, role: str = "Programmer", **more: Any) -> Entry:
    given: dict[str, Any] = {"run": "r1", "verdict": "proven", "created": 1.0, "decision": "run_python_code"} | more
    return Entry(id=entry_id(given["run"], role, situation), role=role, situation=situation, **given)


def opened(folder: Path, embedder: Any = EMBEDDER) -> Memory:
    return Memory(folder / "data" / "memory.db", embedder)


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    assert not memory.holds("Programmer")
    assert (memory.all(), memory.unsettled(), memory.index()) == ([], [], 0)
    assert memory.by_meaning("Add up", "Programmer", 3) == memory.by_words("Add up", "Programmer", 3) == []
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Summe der Beträge aus umsatz.csv in eine Datei schreiben", "total"),
        ("把发票移到存档文件夹", "move"),
        ("写真を日付で名前を変更する", "rename"),
        ("Réserver une salle de réunion", "book"),
    ],
)
def test_what_is_alike_is_found_in_any_language(tmp_path: Path, asked: str, meant: str) -> None:
    memory = opened(tmp_path)
    memory.settle(
        "r1",
        [
            entry("Write the total of the amounts in sales.csv to a file", decision="total"),
            entry("Move the invoices into the archive folder", decision="move"),
            entry("Rename the photos by their date", decision="rename"),
            entry("Book a meeting room", decision="book"),
        ],
        "",
    )
    found = memory.by_meaning(asked, "Programmer", 2)
    assert found[0][0].decision == meant
    assert found[0][1] >= EMBEDDER.alike > found[1][1]


def test_words_are_found_without_an_embedder_whatever_their_case_and_accents(tmp_path: Path) -> None:
    memory = opened(tmp_path, None)
    memory.settle(
        "r1", [entry("Crée le résumé de bilan.xlsx"), entry("ファイルを移動する"), entry("Open the calculator")], ""
    )
    assert [e.situation for e in memory.by_words("RESUME du bilan", "Programmer", 3)] == ["Crée le résumé de bilan.xlsx"]
    assert [e.situation for e in memory.by_words("移動", "Programmer", 3)] == ["ファイルを移動する"]
    assert memory.by_meaning("Open it", "Programmer", 3) == []


def test_no_role_finds_anothers_and_what_was_withdrawn_is_found_by_none(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.settle("r1", [entry("Open the calculator"), entry("Open the calculator", role="Operator")], "")
    assert [e.role for e, _ in memory.by_meaning("Open the calculator", "Operator", 3)] == ["Operator"]
    memory.settle("r1", [], "it was wrong")
    for role in ("Operator", "Programmer"):
        assert memory.by_meaning("Open the calculator", role, 3) == memory.by_words("calculator", role, 3) == []
        assert not memory.holds(role)
    assert {e.withdrawn for e in memory.all(withdrawn=True)} == {"it was wrong"}
    memory.settle("r1", [entry("Open the calculator")], "")
    assert [e.withdrawn for e, _ in memory.by_meaning("Open the calculator", "Programmer", 3)] == [""]


def test_what_fails_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.begin("r1", "")
    same = entry("Open the calculator", run="r0")
    memory.add(same)
    with pytest.raises(MemoryFailure):  # the second one has an id that is taken
        memory.settle("r1", [entry("Move the files"), same], "")
    assert [e.situation for e in memory.all()] == ["Open the calculator"]
    assert memory.unsettled() == ["r1"]
    assert memory.by_words("files", "Programmer", 3) == []


def test_what_is_forgotten_is_nowhere_in_the_file(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    kept, gone = entry("Open the calculator"), entry("Write to Heliogabalus about the party")
    memory.settle("r1", [kept, gone], "")
    memory.index()
    assert memory.forget([gone.id, "nothing"]) == 1
    assert memory.by_words("Heliogabalus", "Programmer", 3) == []
    assert [e for e, _ in memory.by_meaning("a letter about a party", "Programmer", 3)] == [kept]
    memory.close()
    with sqlite3.connect(memory.path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert b"eliogabalus" not in memory.path.read_bytes()
    assert memory.path.stat().st_mode & 0o077 == 0


def test_a_reworded_entry_is_found_by_its_new_words_only(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.settle("r1", [entry("Open the calculator"), entry("Bake bread")], "")
    memory.index()
    old = memory.all()[0]
    memory.change(old.model_copy(update={"situation": "Send the newsletter"}))
    assert memory.by_words("calculator", "Programmer", 3) == []
    assert memory.by_meaning("Send out a newsletter", "Programmer", 1)[0][0].id == old.id


class Other:
    """An embedder of another kind."""

    name, dimensions, alike = "other", 3, 0.9

    def embed(self, texts: Sequence[str]) -> Any:
        return np.asarray([[1.0, len(text) % 2, 0.0] for text in texts], dtype=np.float32)


def test_another_embedder_has_vectors_of_its_own(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    memory.settle("r1", [entry("Open the calculator")], "")
    assert memory.index() == 1
    assert memory.index() == 0
    memory.close()
    again = opened(tmp_path, Other())
    assert [cosine for _, cosine in again.by_meaning("Open", "Programmer", 1)] == [pytest.approx(1, abs=0.5)]
    assert again.index() == 0


def test_an_id_may_be_shortened_unless_several_begin_so(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    for id in ("abc1", "abd2"):
        memory.add(entry(id).model_copy(update={"id": id}))
    assert memory.get("abc").situation == "abc1"
    for wrong in ("ab", "x", ""):
        with pytest.raises(UsageError):
            memory.get(wrong)


def test_blocks_of_codes_are_searched_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from deskcrew.memory import codes

    monkeypatch.setattr(codes, "ROWS", 2)
    memory = opened(tmp_path)
    said = ["Open the calculator", "Move the files", "Bake bread", "Send the newsletter", "Rename photos"]
    memory.settle("r1", [entry(text) for text in said], "")
    assert [memory.by_meaning(text, "Programmer", 1)[0][0].situation for text in said] == said


@pytest.mark.deep
def test_the_nearest_codes_are_those_with_the_fewest_different_bits() -> None:
    from deskcrew.memory.codes import Codes, signs

    vectors = np.random.default_rng(7).normal(size=(70_000, 512)).astype(np.float32)
    query = vectors[31_415] + 0.3 * np.random.default_rng(8).normal(size=512).astype(np.float32)
    bits = (vectors > 0) != (query > 0)
    blocks = [
        (np.arange(start, start + 35_000).tobytes(), signs(vectors[start : start + 35_000]).tobytes())
        for start in (0, 35_000)
    ]
    found = Codes(blocks).nearest(signs(query[None, :])[0], 20)
    assert found[0] == 31_415
    assert sorted(bits[found].sum(axis=1)) == sorted(bits.sum(axis=1))[:20]
